"""Conversions of 16 Mi float32 normals as users of NumPy with ml_dtypes, JAX or torch write them.

Usage: conversions.py numpy|jax|torch

Prints one JSON object: the median milliseconds of each conversion, with the names of convert_benchmark.
"""

import json
import os
import statistics
import sys
import time

import numpy as np

COUNT = 1 << 24
CHANNEL = 4096  # Elements that share a given scale of int8.
BLOCK = 32
REPEATS = 5

x = np.random.default_rng(0).standard_normal((COUNT // CHANNEL, CHANNEL), dtype=np.float32)
scales = np.abs(x).max(axis=1, keepdims=True) / np.float32(127)
FLOATS = {"bfloat16": "bfloat16", "float16": "float16", "float8_e4m3fn": "float8_e4m3fn",
          "float8_e5m2": "float8_e5m2"}


def numpy_conversions():
    import ml_dtypes

    def dtype(name):
        return np.dtype(getattr(ml_dtypes, name, None) or name)

    def mx_encode():
        blocks = x.reshape(-1, BLOCK)
        exponent = np.frexp(np.abs(blocks).max(axis=1, keepdims=True))[1] - 9
        return np.clip(np.ldexp(blocks, -exponent), -448, 448).astype(ml_dtypes.float8_e4m3fn), exponent

    def mx_decode(codes, exponent):
        return np.ldexp(codes.astype(np.float32), exponent)

    return conversions(np.asarray, dtype, lambda a, d: a.astype(d), np, mx_encode, mx_decode, lambda f: f)


def jax_conversions():
    import jax
    import jax.numpy as jnp
    values = jnp.asarray(x)

    @jax.jit
    def encode(values):
        blocks = values.reshape(-1, BLOCK)
        exponent = jnp.frexp(jnp.max(jnp.abs(blocks), axis=1, keepdims=True))[1] - 9
        return jnp.clip(jnp.ldexp(blocks, -exponent), -448, 448).astype(jnp.float8_e4m3fn), exponent

    decode = jax.jit(lambda codes, exponent: jnp.ldexp(codes.astype(jnp.float32), exponent))
    return conversions(jnp.asarray, lambda name: getattr(jnp, name), lambda a, d: a.astype(d), jnp,
                       lambda: encode(values), decode, jax.jit, jax.block_until_ready)


def torch_conversions():
    import torch
    torch.set_num_threads(len(os.sched_getaffinity(0)))
    values = torch.from_numpy(x)

    class Names:  # torch's words for what the others call so.
        round = staticmethod(torch.round)
        clip = staticmethod(torch.clamp)
        float32 = torch.float32
        int8 = torch.int8

    def mx_encode():
        blocks = values.reshape(-1, BLOCK)
        exponent = torch.frexp(blocks.abs().amax(1, keepdim=True))[1] - 9
        return torch.ldexp(blocks, -exponent).clamp_(-448, 448).to(torch.float8_e4m3fn), exponent

    def mx_decode(codes, exponent):
        return torch.ldexp(codes.to(torch.float32), exponent)

    return conversions(torch.from_numpy, lambda name: getattr(torch, name), lambda a, d: a.to(d), Names, mx_encode,
                       mx_decode, lambda f: f)


def conversions(array, dtype, cast, module, mx_encode, mx_decode, compiled, wait=lambda result: result):
    """Functions without arguments by name; `wait` returns when their result is there."""
    values, given = array(x), array(scales)
    made = {}

    def add(name, encode, decode):
        codes = wait(encode())
        made[name + "/encode"] = lambda: wait(encode())
        made[name + "/decode"] = lambda: wait(decode(codes))

    for name, word in FLOATS.items():
        narrow = compiled(lambda a, d=dtype(word): cast(a, d))
        widen = compiled(lambda a: cast(a, module.float32))
        add(name, lambda narrow=narrow: narrow(values), widen)
    quantize = compiled(lambda a, s: cast(module.clip(module.round(a / s), -127, 127), module.int8))
    dequantize = compiled(lambda codes, s: cast(codes, module.float32) * s)
    add("int8/channel", lambda: quantize(values, given), lambda codes: dequantize(codes, given))
    add("mxfp8_e4m3", mx_encode, lambda codes: mx_decode(*codes))
    return made


def milliseconds(run):
    run()
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        run()
        times.append((time.perf_counter() - start) * 1e3)
    return statistics.median(times)


PEERS = {"numpy": numpy_conversions, "jax": jax_conversions, "torch": torch_conversions}
print(json.dumps({name: milliseconds(run) for name, run in PEERS[sys.argv[1]]().items()}))
