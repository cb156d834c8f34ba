"""Median microseconds of the tutorial's step under JAX: the steady state of many steps."""

import statistics
import time

import jax
import jax.numpy as jnp

STEPS = 200
REPEATS = 15

step = jax.jit(lambda a: jnp.dot(a, a, preferred_element_type=jnp.float32).astype(jnp.bfloat16))
ones = jnp.ones((256, 256), jnp.bfloat16)
assert float(step(ones)[0, 0]) == 256.0

medians = []
for _ in range(REPEATS):
    x = ones
    start = time.perf_counter()
    for _ in range(STEPS):
        x = step(x)
    jax.block_until_ready(x)
    medians.append((time.perf_counter() - start) / STEPS * 1e6)
print(statistics.median(medians))
