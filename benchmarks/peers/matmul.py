"""Median seconds of matrix products under JAX, as JSON: {"float32/256x256x256": seconds, ...}. Neither operand is known
to the compiler. XLA_FLAGS and the cores that this process may use decide what XLA does.
"""

import json
import statistics
import time

import jax
import jax.numpy as jnp
import numpy as np

SHAPES = [(64, 256, 64), (256, 256, 256), (1024, 1024, 1024), (4096, 4096, 64), (1, 4096, 4096)]
TYPES = {"float32": (jnp.float32, jnp.float32), "bfloat16": (jnp.bfloat16, jnp.float32),
         "int8": (jnp.int8, jnp.int32)}
ROWS_CHECKED = 4
SECONDS = 0.3
MOST_REPEATS = 15


def operand(generator, shape, dtype):
    if dtype == jnp.int8:
        return jnp.array(generator.integers(-128, 128, shape), dtype)
    return jnp.array(generator.uniform(-1, 1, shape).astype(np.float32)).astype(dtype)


def check(name, x, w, product):
    """Against float64: equal for integers, else within the bound of any order of sums."""
    x64, w64 = (np.asarray(a[:ROWS_CHECKED] if a is x else a).astype(np.float64) for a in (x, w))
    errors = np.abs(np.asarray(product)[:ROWS_CHECKED].astype(np.float64) - x64 @ w64)
    bound = 0 if x.dtype == jnp.int8 else x.shape[1] * 2.0**-24 * (np.abs(x64) @ np.abs(w64))
    assert (errors <= bound).all(), f"{name}: wrong by {errors.max()}"


def median_seconds(run):
    start = time.perf_counter()
    run()
    once = time.perf_counter() - start
    batch = max(1, int(SECONDS / MOST_REPEATS / once))
    times = []
    for _ in range(MOST_REPEATS if once < SECONDS else 3):
        start = time.perf_counter()
        for _ in range(batch):
            run()
        times.append((time.perf_counter() - start) / batch)
    return statistics.median(times)


found = {}
generator = np.random.default_rng(0)
for type_name, (dtype, output) in TYPES.items():
    multiply = jax.jit(lambda x, w, output=output: jnp.dot(x, w, preferred_element_type=output))
    for rows, depth, channels in SHAPES:
        name = f"{type_name}/{rows}x{depth}x{channels}"
        x = operand(generator, (rows, depth), dtype)
        w = operand(generator, (depth, channels), dtype)
        check(name, x, w, multiply(x, w))
        found[name] = median_seconds(lambda: multiply(x, w).block_until_ready())
print(json.dumps(found))
