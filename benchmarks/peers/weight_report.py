"""The twelve policies of narrowgauge's preset "weights" as users of NumPy with ml_dtypes or JAX write them.

Usage: weight_report.py numpy|jax FILE.npy

Of a float32 matrix [N, K]: quantise, dequantise, and the largest error, the mean error and the SQNR. Prints
one JSON object: for each policy its seconds (with JAX those of a warm call) and the three numbers; "cold" is
what all took the first time.
"""

import json
import sys
import time

import ml_dtypes
import numpy as np

BF16, E4M3, E5M2 = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2
E2M1 = ml_dtypes.float4_e2m1fn
LARGEST = {E4M3: 448.0, E5M2: 57344.0, E2M1: 6.0}


def policies(xp):
    """Functions from a matrix to its dequantised values, in NumPy or in jax.numpy."""

    def nonzero(scale):
        return xp.where(scale == 0, xp.float32(1), scale)

    def cast(x, dtype):
        return x.astype(dtype).astype(xp.float32)

    def absmax(w, axis):
        return xp.max(xp.abs(w), axis=axis, keepdims=True)

    def integers(w, axis, largest):
        scale = nonzero(absmax(w, axis) / xp.float32(largest))
        return xp.clip(xp.round(w / scale), -largest, largest).astype(xp.int8).astype(xp.float32) * scale

    def floats(w, axis, dtype):
        top = xp.float32(LARGEST[dtype])
        scale = nonzero(absmax(w, axis) / top)
        return cast(xp.clip(w / scale, -top, top), dtype) * scale

    def mx(w, dtype, exponent_of_largest):
        largest = absmax(w, 1)
        exponent = xp.where(largest == 0, 0, xp.frexp(largest)[1] - 1 - exponent_of_largest)
        scale = xp.ldexp(xp.float32(1), exponent).astype(xp.float32)
        top = xp.float32(LARGEST[dtype])
        return cast(xp.clip(w / scale, -top, top), dtype) * scale

    def nvfp4(w):
        tensor_scale = nonzero(xp.max(xp.abs(w)) / xp.float32(448 * 6))
        blocks = w.reshape(-1, 16)
        scale = cast(xp.clip(absmax(blocks, 1) / xp.float32(6) / tensor_scale, 0, 448), E4M3)
        scale = nonzero(scale * tensor_scale)
        return (cast(xp.clip(blocks / scale, -6, 6), E2M1) * scale).reshape(w.shape)

    def grouped(quantize, size, *arguments):
        return lambda w: quantize(w.reshape(-1, size), *arguments).reshape(w.shape)

    return {
        "bf16": lambda w: cast(w, BF16),
        "fp16": lambda w: cast(w, xp.float16),
        "int8_tensor": lambda w: integers(w, None, 127),
        "int8_input": lambda w: integers(w, 0, 127),
        "int8_g128": grouped(integers, 128, 1, 127),
        "int4_g32": grouped(integers, 32, 1, 7),
        "e4m3_tensor": lambda w: floats(w, None, E4M3),
        "e4m3_input": lambda w: floats(w, 0, E4M3),
        "e5m2_tensor": lambda w: floats(w, None, E5M2),
        "mxfp8": grouped(mx, 32, E4M3, 8),
        "mxfp4": grouped(mx, 32, E2M1, 2),
        "nvfp4": nvfp4,
    }


def numpy_report(quantize):
    def report(w):
        error = np.abs(w - quantize(w))
        return (error.max(), error.mean(dtype=np.float64), np.square(w).sum(dtype=np.float64),
                np.square(error).sum(dtype=np.float64))
    return report


def jax_report(quantize):
    import jax
    import jax.numpy as jnp

    def report(w):
        error = jnp.abs(w - quantize(w))
        return jnp.max(error), jnp.mean(error), jnp.sum(w * w), jnp.sum(error * error)
    return jax.jit(report)


def main():
    peer, path = sys.argv[1:]
    matrix = np.load(path)
    if peer == "jax":
        import jax
        import jax.numpy as jnp
        matrix, module, make_report = jax.block_until_ready(jnp.asarray(matrix)), jnp, jax_report
        rounds = 3
    else:
        module, make_report, rounds = np, numpy_report, 1
    result, cold = {}, 0.0
    for name, quantize in policies(module).items():
        report = make_report(quantize)
        seconds = []
        for _ in range(rounds):
            start = time.perf_counter()
            largest, mean, signal, noise = (float(v) for v in report(matrix))
            seconds.append(time.perf_counter() - start)
        cold += seconds[0]
        result[name] = {"seconds": min(seconds), "max_abs_err": largest, "mean_abs_err": mean,
                        "sqnr_db": float(10 * np.log10(signal / noise))}
    print(json.dumps({"cold": cold, "policies": result}))


main()
