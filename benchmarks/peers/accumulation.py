"""A product of 256 x 4096 and 4096 x 256 in bfloat16, summed in bfloat16 in order of k, with NumPy or JAX.

Usage: accumulation.py numpy|jax

Prints one JSON object: for "bfloat16" (one rounding a step) and "bfloat16,fma=separate" (products are rounded first)
the median milliseconds, compiled and warm, and a checksum of all bits of the result.
"""

import json
import statistics
import sys
import time

import numpy as np

M, K, N = 256, 4096, 256
REPEATS = {"numpy": 1, "jax": 5}


def factors():
    """The factors of accumulation_benchmark.cc, which have 8 significant bits."""
    with np.errstate(over="ignore"):
        i = np.arange(M * K + K * N, dtype=np.uint32) * np.uint32(2654435761)
        i = (i ^ (i >> np.uint32(15))) * np.uint32(2246822519)
    values = ((i >> np.uint32(24)).astype(np.float32) - np.float32(128)) / np.float32(128)
    return values[:M * K].reshape(M, K), values[M * K:].reshape(K, N)


def checksum(result):
    bits = np.ascontiguousarray(result, dtype=np.float32).view(np.uint32).ravel().astype(np.uint64)
    weights = 2 * np.arange(bits.size, dtype=np.uint64) + np.uint64(1)
    return int((bits * weights & np.uint64(0xFFFFFFFF)).sum() & np.uint64(0xFFFFFFFF))


def numpy_chains(x, w):
    import ml_dtypes

    def nearest(values):
        """float32 values of bfloat16, by integers: faster than ml_dtypes."""
        bits = values.view(np.uint32)
        return ((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1)))
                & np.uint32(0xFFFF0000)).view(np.float32)

    def fused():
        sums = np.zeros((M, N), np.float32)
        for k in range(K):
            sums = nearest(sums + x[:, k, None] * w[k])
        return sums

    def separate():
        x16, w16 = x.astype(ml_dtypes.bfloat16), w.astype(ml_dtypes.bfloat16)
        sums = np.zeros((M, N), ml_dtypes.bfloat16)
        for k in range(K):
            sums += x16[:, k, None] * w16[k]
        return sums

    return {"bfloat16": fused, "bfloat16,fma=separate": separate}


def jax_chains(x, w):
    import jax
    import jax.numpy as jnp

    x, w = jnp.asarray(x, jnp.bfloat16), jnp.asarray(w, jnp.bfloat16)

    def compiled(step):
        @jax.jit
        def chain(x, w):
            def body(k, sums):
                column = jax.lax.dynamic_slice_in_dim(x, k, 1, axis=1)
                row = jax.lax.dynamic_slice_in_dim(w, k, 1, axis=0)
                return step(sums, column, row)
            return jax.lax.fori_loop(0, K, body, jnp.zeros((M, N), jnp.bfloat16))
        return lambda: jax.block_until_ready(chain(x, w))

    def fused(sums, a, b):
        wide = sums.astype(jnp.float32) + a.astype(jnp.float32) * b.astype(jnp.float32)
        return wide.astype(jnp.bfloat16)

    return {"bfloat16": compiled(fused), "bfloat16,fma=separate": compiled(lambda sums, a, b: sums + a * b)}


peer = sys.argv[1]
report = {}
for name, chain in {"numpy": numpy_chains, "jax": jax_chains}[peer](*factors()).items():
    result = chain() if peer == "jax" else None  # Compiles.
    seconds = []
    for _ in range(REPEATS[peer]):
        start = time.perf_counter()
        result = chain()
        seconds.append(time.perf_counter() - start)
    report[name] = {"ms": statistics.median(seconds) * 1e3, "checksum": checksum(np.asarray(result, np.float32))}
print(json.dumps(report))
