#!/usr/bin/env python3
"""Writes conventions.json: what the packages answered that quantise as our conventions say.

Each ecosystem is optional: what imports is run, and what does not stays as it stands in the file,
so that the script can run once per environment:

    python -m venv a && a/bin/pip install jax==0.10.2 qwix==0.1.8 aqtp==0.9.0 \\
        gguf==0.19.0 onnxruntime==1.32.0 onnx==1.23.2 mlx==0.32.4 mlx-cpu==0.32.4
    python -m venv b && b/bin/pip install torch==2.15.0 torchao==0.18.0 \\
        compressed-tensors==0.20.1 nvidia-modelopt==0.47.0
    a/bin/python make_conventions.py
    b/bin/python make_conventions.py [--microxcaling CHECKOUT]

--microxcaling takes a source checkout (the package is not on PyPI). Only public functions of the
packages are called. README.md describes the file.
"""
import argparse
import importlib.metadata as im
import json
import math
import pathlib
import sys
import traceback

import numpy as np

F = np.float32


def f32(xs):
    return np.array(xs, dtype=np.float32)


def from_bits(bits):
    return np.array(bits, dtype=np.uint32).view(np.float32)


NAN, INF = float("nan"), float("inf")

# ----------------------------------------------------------------- the inputs
# 8 elements each; block formats pad with zeros (the padding is written out in the
# "input" of the record, and it takes part in min/max like any other zero).
CASES = {
    "plain":        f32([0.1, -0.2, 0.3, -0.4, 0.5, -0.6, 0.7, -0.8]),
    "ties_127":     f32([127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -126.5]),
    "ties_127p5":   f32([127.5, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -127.5]),
    "ties_128neg":  f32([-128, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 127.5]),
    "ties_7":       f32([7, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -6.5]),
    "ties_7p5":     f32([7.5, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -7.5]),
    "ties_8neg":    f32([-8, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 8]),
    "ties_8pos":    f32([8, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5, -8]),
    "asym_15":      f32([0, 15, 0.5, 1.5, 2.5, 3.5, 14.5, 7.5]),
    "asym_neg":     f32([-10, 5, -0.5, 0.5, 1.5, -1.5, 2.5, -2.5]),
    "asym_zp_tie":  f32([-2.5, 12.5, 0.5, 1.5, -0.5, -1.5, 2.5, 3.5]),
    "asym_255":     f32([-127.5, 127.5, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5]),
    "zero":         f32([0.0, -0.0, 0, 0, 0, 0, 0, 0]),
    "tiny":         f32([1e-9, -2e-9, 3e-9, -4e-9, 5e-9, 6e-9, 7e-9, -8e-9]),
    "subnormal":    from_bits([1, 0x80000003, 0x200000, 0x80400000, 0x600000, 5, 7, 0x7fffff]),
    "outlier":      f32([1000, 0.01, -0.02, 0.5, 3.9370079, 4.0, -7.9, 11.8]),
    "neg_extreme":  from_bits([0xff7fffff, 0x7e7fffff, 0xfe7fffff, 0x3f800000, 0x00000000, 0xbf800000, 0x7f000000, 0xfeffffff]),
    "all_negative": f32([-1, -2, -3, -4, -5, -6, -7, -8]),
    "all_positive": f32([1, 2, 3, 4, 5, 6, 7, 8]),
    "fp8_ties":     f32([448, 17, 19, 25, -17, 2.0**-10, 3 * 2.0**-10, -448]),
    "fp8_max_odd":  f32([447, 432.1, 1.0, -2.0, 3.0, 0.0625, 1e-3, -440]),
    "fp4_ties":     f32([6, 0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0]),
    "fp4_ties_neg": f32([-6, -0.25, -0.75, -1.25, -1.75, -2.5, -3.5, -5.0]),
    "mx_amax_7":    f32([7.0, -6.5, 5.0, 1.0, 0.5, 0.25, -0.75, 3.5]),
    "mx_amax_4p5":  f32([4.5, -4.25, 3.0, 1.0, 0.5, 0.25, -0.75, 3.5]),
    "mx_amax_pow2": f32([4.0, -3.5, 3.0, 1.0, 0.5, 0.25, -0.75, 2.5]),
    "mx_amax_500":  f32([500, -449, 448, 464, 1.0, -1.0, 0.01, 240]),
    "nan":          f32([1.0, NAN, -2.0, 3.0, 0.5, -0.5, 0.25, 4.0]),
    "inf":          f32([1.0, INF, -2.0, 3.0, 0.5, -0.5, 0.25, 4.0]),
}
INT8 = ["plain", "ties_127", "ties_127p5", "ties_128neg", "zero", "tiny", "subnormal",
        "outlier", "neg_extreme", "all_negative", "nan", "inf"]
INT4 = ["plain", "ties_7", "ties_7p5", "ties_8neg", "ties_8pos", "zero", "tiny",
        "outlier", "neg_extreme", "all_negative", "nan", "inf"]
ASYM = ["plain", "asym_15", "asym_neg", "asym_zp_tie", "asym_255", "zero", "tiny", "outlier",
        "neg_extreme", "all_negative", "all_positive"]
FP8 = ["plain", "fp8_ties", "fp8_max_odd", "zero", "tiny", "subnormal", "outlier",
       "neg_extreme", "nan", "inf"]
MX4 = ["plain", "fp4_ties", "fp4_ties_neg", "mx_amax_7", "mx_amax_4p5", "mx_amax_pow2",
       "zero", "tiny", "subnormal", "outlier", "neg_extreme", "nan", "inf"]
MX8 = ["plain", "fp8_ties", "fp8_max_odd", "mx_amax_7", "mx_amax_500", "zero", "tiny",
       "subnormal", "outlier", "neg_extreme", "nan", "inf"]
GGML = ["plain", "ties_127", "ties_7", "ties_8neg", "ties_8pos", "asym_15", "asym_zp_tie",
        "zero", "tiny", "outlier", "neg_extreme", "all_negative", "all_positive"]

# ------------------------------------------------------------------ recording
OUT = {}


def num(x):
    x = float(x)
    return "nan" if math.isnan(x) else ("inf" if x > 0 else "-inf") if math.isinf(x) else x


def hexf(x):
    x = float(x)
    return "nan" if math.isnan(x) else ("inf" if x > 0 else "-inf") if math.isinf(x) else x.hex()


def fl(a):
    a = np.asarray(a, dtype=np.float64).ravel()
    return {"value": [num(v) for v in a], "hex": [hexf(v) for v in a]}


def rec(eco, versions, scheme, case, x, *, call, codes=None, code_format=None, scale=None,
        scale_dtype=None, deq=None, **extra):
    r = {"ecosystem": eco, "versions": versions, "scheme": scheme, "case": case, "call": call}
    i = fl(x)
    r["input"], r["input_hex"] = i["value"], i["hex"]
    if codes is not None:                                     # None: not a number on the code grid
        r["codes"] = [None if c is None else int(c) for c in (codes if isinstance(codes, list) else np.asarray(codes).ravel())]
        r["code_format"] = code_format
    if scale is not None:
        s = fl(scale)
        r["scale"], r["scale_hex"], r["scale_dtype"] = s["value"], s["hex"], scale_dtype
    for k, v in extra.items():
        if k.endswith("_f"):
            s = fl(v)
            r[k[:-2]], r[k[:-2] + "_hex"] = s["value"], s["hex"]
        elif k.endswith("_i"):
            r[k[:-2]] = [int(c) for c in np.asarray(v).ravel()]
        else:
            r[k] = v
    if deq is not None:
        d = fl(deq)
        r["dequantized"], r["dequantized_hex"] = d["value"], d["hex"]
    OUT[(eco, scheme, case)] = r


def fail(eco, versions, scheme, case, x, call, e):
    i = fl(x)
    OUT[(eco, scheme, case)] = {
        "ecosystem": eco, "versions": versions, "scheme": scheme, "case": case, "call": call,
        "input": i["value"], "input_hex": i["hex"], "error": type(e).__name__,
        "error_text": str(e).splitlines()[0][:160] if str(e) else ""}


def each(eco, versions, scheme, cases, call, fn, pad=None):
    for c in cases:
        x = CASES[c]
        if pad:
            x = np.concatenate([x, np.zeros(pad - x.size, np.float32)])
        try:
            with np.errstate(all="ignore"):
                rec(eco, versions, scheme, c, x, call=call, **fn(x))
        except Exception as e:  # the refusal of a package is a fact too
            fail(eco, versions, scheme, c, x, call, e)


# E8M0 codes of a block whose largest magnitude is amax (the other 31 values are zero)
AMAX = [0.0, 2.0 ** -140, 2.0 ** -127, 2.0 ** -126, 1e-3, 0.75, 0.8, 1.0, float(np.nextafter(F(1), F(2))), 1.5, 1.75,
        float(np.nextafter(F(2), F(1))), 2.0, 3.0, 3.5, 4.0, 4.5, 6.0, float(np.nextafter(F(6), F(7))), 6.5, 7.0,
        float(np.nextafter(F(8), F(7))), 8.0, 127.0, 240.0, 448.0, float(np.nextafter(F(448), F(449))), 464.0, 480.0, 500.0,
        512.0, 65504.0, 3e38, float(np.finfo(np.float32).max)]
TABLE = {}


def table(eco, rule, elem, fn):
    """fn: float32[32] -> record fields; keeps the E8M0 code (or the power of two) of the first block"""
    for a in AMAX:
        x = np.zeros(32, np.float32)
        x[0] = a
        try:
            with np.errstate(all="ignore"):
                d = fn(x)
            if "scale_code_i" in d:
                c = int(np.asarray(d["scale_code_i"]).ravel()[0])
            else:
                v = float(np.asarray(d["scale"]).ravel()[0])
                c = round(math.log2(v)) + 127 if 0 < v < INF else ("scale " + hexf(v))
        except Exception as e:
            c = type(e).__name__
        TABLE[(eco, rule, elem, float(F(a)).hex())] = {"ecosystem": eco, "rule": rule, "element": elem, "amax": float(F(a)),
                                                       "amax_hex": float(F(a)).hex(), "e8m0": c}


def ver(*names):
    return {n: im.version(n) for n in names}


def u8(a):
    return np.asarray(a).view(np.uint8)


# ----------------------------------------------------------------------- qwix
# XLA compiles another division where an array has several scales, so that some groups are also run as
# the first of three equal columns.
SEVERAL = 3


def column(a):
    """Returns the first column of [K, N], or of the [K / tile, N] scales."""
    return np.asarray(a).reshape(-1, np.asarray(a).shape[-1])[:, 0]


def do_qwix():
    import jax.numpy as jnp, ml_dtypes, qwix
    v = ver("qwix", "jax", "ml_dtypes")

    def run(qtype, fmt, columns=1, dtype=np.float32, **kw):
        def fn(x):
            w = jnp.asarray(np.stack([x.astype(dtype)] * columns, axis=1))
            k = dict(kw)
            if "tile" in k:
                k["tiled_axes"] = {0: k.pop("tile")}
            q = qwix.quantize(w, qtype, channelwise_axes=[1], **k)
            codes = column(q.qvalue)
            codes = u8(codes) if fmt.endswith("byte") else codes.astype(np.int32) if fmt != "e2m1 nibble" \
                else codes.view(np.uint8) & 15
            d = dict(codes=codes, code_format=fmt, scale=column(q.scale).astype(np.float64),
                     scale_dtype=str(q.scale.dtype), deq=column(qwix.dequantize(q)).astype(np.float64))
            if q.zero_point is not None:
                d["zero_point_i"] = column(q.zero_point).astype(np.int32)
            return d
        return fn

    c = "qwix.quantize(w[K,{}], {}, channelwise_axes=[1]{}){}"
    minmax = dict(calibration_method="minmax")
    schemes = [  # name, type as it is written, type, code format, cases, padding, a few cases, arguments
        ("int8", "jnp.int8", jnp.int8, "int8", INT8, None, ["plain", "outlier", "all_negative"], {}),
        ("int4", "jnp.int4", jnp.int4, "int4", INT4, None, ["plain", "outlier", "all_negative"], {}),
        ("int8 minmax", "jnp.int8", jnp.int8, "int8", ASYM, None, ["plain", "outlier", "asym_zp_tie"], minmax),
        ("int4 minmax", "jnp.int4", jnp.int4, "int4", ASYM, None, ["plain", "outlier", "asym_zp_tie"], minmax),
        ("float8_e4m3fn", "jnp.float8_e4m3fn", jnp.float8_e4m3fn, "e4m3fn byte", FP8, None, ["plain", "fp8_max_odd"], {}),
        ("float8_e5m2", "jnp.float8_e5m2", jnp.float8_e5m2, "e5m2 byte", FP8, None, ["plain", "fp8_max_odd"], {}),
        ("mxfp8", "'mxfp8'", "mxfp8", "e4m3fn byte", MX8, 32, ["plain", "mx_amax_500", "outlier"], dict(tile=32)),
        ("mxfp4", "'mxfp4'", "mxfp4", "e2m1 nibble", MX4, 32, ["plain", "fp4_ties", "outlier"], dict(tile=32)),
        ("nvfp4", "'nvfp4'", "nvfp4", "e2m1 nibble", MX4, 16, ["plain", "fp4_ties", "outlier"], dict(tile=16)),
    ]
    for name, word, qtype, fmt, cases, pad, few, kw in schemes:
        words = ", calibration_method='minmax'" if kw == minmax else f", tiled_axes={{0:{pad}}}" if pad else ""
        each("qwix", v, name, cases, c.format(1, word, words, ""), run(qtype, fmt, **kw), pad=pad)
        each("qwix", v, f"{name}, {SEVERAL} columns", few, c.format(SEVERAL, word, words, ""),
             run(qtype, fmt, SEVERAL, **kw), pad=pad)
        for narrow in (ml_dtypes.bfloat16, np.float16):
            narrow_name = np.dtype(narrow).name
            each("qwix", v, f"{name}, {narrow_name} weight", dict.fromkeys(few + ["ties_127p5", "zero"] if name == "int8" else few),
                 c.format(1, word, words, f" with w cast to {narrow_name}"), run(qtype, fmt, dtype=narrow, **kw), pad=pad)
            each("qwix", v, f"{name}, {SEVERAL} columns, {narrow_name} weight", few,
                 c.format(SEVERAL, word, words, f" with w cast to {narrow_name}"),
                 run(qtype, fmt, SEVERAL, narrow, **kw), pad=pad)
    table("qwix", "mxfp4", "e2m1", run("mxfp4", "e2m1 nibble", tile=32))
    table("qwix", "mxfp8", "e4m3", run("mxfp8", "e4m3fn byte", tile=32))


# ------------------------------------------------------------------------ aqt
def do_aqt():
    import jax.numpy as jnp
    from aqt.jax.v2 import aqt_quantizer
    v = ver("aqtp", "jax")

    def run(bits, fmt, columns, **kw):
        def fn(x):
            q = aqt_quantizer.quantizer_make(bits, **kw)
            t, _ = q.quant(jnp.asarray(np.stack([x] * columns, axis=1)), calibration_axes=[0])
            codes = column(t.qvalue)
            codes = u8(codes) if fmt.endswith("byte") else codes.astype(np.int32)
            return dict(codes=codes, code_format=fmt, scale=column(t.scale[0]).astype(np.float64),
                        scale_dtype=str(t.scale[0].dtype), deq=column(t.dequant()).astype(np.float64))
        return fn

    c = "aqt_quantizer.quantizer_make({}).quant(w[K,{}], calibration_axes=[0])"
    keep = dict(preserve_max_val=True)
    for name, bits, word, fmt, cases, few, kw in (
            ("int8", 8, "8", "int8", INT8, ["plain", "outlier", "all_negative"], {}),
            ("int4", 4, "4", "int4", INT4, ["plain", "outlier", "all_negative"], {}),
            ("int8 preserve_max_val", 8, "8, preserve_max_val=True", "int8", INT8, ["plain", "outlier", "all_negative"], keep),
            ("int4 preserve_max_val", 4, "4, preserve_max_val=True", "int4", INT4, ["plain", "outlier", "all_negative"], keep),
            ("fp8 e4m3", "e4m3", "'e4m3'", "e4m3fn byte", FP8, ["plain", "fp8_max_odd", "outlier"], {}),
            ("fp8 e5m2", "e5m2", "'e5m2'", "e5m2 byte", FP8, ["plain", "fp8_max_odd", "outlier"], {})):
        each("aqt", v, name, cases, c.format(word, 1), run(bits, fmt, 1, **kw))
        each("aqt", v, f"{name}, {SEVERAL} columns", few, c.format(word, SEVERAL), run(bits, fmt, SEVERAL, **kw))


# ----------------------------------------------------------------------- gguf
def do_gguf():
    import gguf
    from gguf import quants, GGMLQuantizationType as T
    v = ver("gguf", "numpy")
    f16 = lambda b: np.frombuffer(bytes(b), np.float16).astype(np.float64)

    def nib(qs):
        return np.concatenate([qs & 15, qs >> 4])

    def parse(t, b):
        if t == T.Q8_0:
            return dict(scale=f16(b[:2]), codes=b[2:].view(np.int8), code_format="int8 (value = code*d)")
        if t == T.Q4_0:
            return dict(scale=f16(b[:2]), codes=nib(b[2:]), code_format="uint4 (value = (code-8)*d)")
        if t == T.Q4_1:
            return dict(scale=f16(b[:2]), bias_f=f16(b[2:4]), codes=nib(b[4:]), code_format="uint4 (value = code*d+m)")
        if t in (T.Q5_0, T.Q5_1):
            o = 2 if t == T.Q5_0 else 4
            hi = np.unpackbits(b[o:o + 4], bitorder="little")
            d = dict(scale=f16(b[:2]), codes=nib(b[o + 4:]) | (hi << 4),
                     code_format="uint5 (value = (code-16)*d)" if o == 2 else "uint5 (value = code*d+m)")
            if o == 4:
                d["bias_f"] = f16(b[2:4])
            return d
        if t == T.MXFP4:
            return dict(scale=[2.0 ** (int(b[0]) - 127)], scale_code_i=b[:1], codes=nib(b[1:]), code_format="e2m1 nibble")

    def run(t):
        def fn(x):
            b = quants.quantize(x.reshape(1, -1), t)
            d = parse(t, b[0])
            d["block_bytes"] = bytes(b[0]).hex()
            d["scale_dtype"] = "float16" if t != T.MXFP4 else "e8m0"
            d["deq"] = quants.dequantize(b, t)
            return d
        return fn

    for t in (T.Q8_0, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1):
        each("gguf", v, t.name, GGML, f"gguf.quants.quantize(w[1,32], {t.name})", run(t), pad=32)
    each("gguf", v, "MXFP4", [c for c in MX4 if c not in ("nan", "inf")], "gguf.quants.quantize(w[1,32], MXFP4)", run(T.MXFP4), pad=32)
    table("gguf", "MXFP4", "e2m1", run(T.MXFP4))


# ---------------------------------------------------------------- onnxruntime
def do_ort():
    import onnx, onnxruntime as ort
    from onnx import TensorProto as TP, helper as h
    from onnxruntime.quantization import quant_utils as qu
    from onnxruntime.capi import _pybind_state as cap
    v = ver("onnxruntime", "onnx", "numpy")

    def qd(tp, sym, fmt, **kw):
        def fn(x):
            zp, s, q = qu.quantize_data(x, tp, sym, **kw)
            if fmt.endswith("byte"):
                codes, deq = u8(q), np.asarray(q).astype(np.float32) * F(s)
                z = 0
            else:
                codes, z = np.asarray(q).astype(np.int32), int(np.asarray(zp).astype(np.int32))
                deq = (codes - z).astype(np.float32) * F(s)
            return dict(codes=codes, code_format=fmt, scale=[F(s)], scale_dtype=str(np.asarray(s).dtype),
                        zero_point_i=[z], deq=deq, dequantized_by="(code-zero_point)*scale in float32")
        return fn
    c = "quant_utils.quantize_data(w[K], {}, symmetric={})"
    each("onnxruntime", v, "int8 symmetric", INT8, c.format("INT8", True), qd(TP.INT8, True, "int8"))
    each("onnxruntime", v, "int8 symmetric reduce_range", ["plain", "ties_127", "zero"],
         c.format("INT8", "True, reduce_range=True"), qd(TP.INT8, True, "int8", reduce_range=True))
    each("onnxruntime", v, "uint8 asymmetric", ASYM, c.format("UINT8", False), qd(TP.UINT8, False, "uint8"))
    each("onnxruntime", v, "int4 symmetric", INT4, c.format("INT4", True), qd(TP.INT4, True, "int4"))
    each("onnxruntime", v, "uint4 asymmetric", ASYM, c.format("UINT4", False), qd(TP.UINT4, False, "uint4"))
    each("onnxruntime", v, "float8_e4m3fn", FP8, c.format("FLOAT8E4M3FN", True), qd(TP.FLOAT8E4M3FN, True, "e4m3fn byte"))

    def nbits(bits, sym):
        f = {4: cap.quantize_matmul_4bits, 8: cap.quantize_matmul_8bits}[bits]

        def fn(x):
            K, bs = x.size, 32
            w = np.ascontiguousarray(np.concatenate([x, np.zeros(bs - K, np.float32)])[:, None])
            packed = np.zeros((1, 1, bs * bits // 8), np.uint8)
            zp = np.zeros((1, 1), np.uint8)
            sc = np.zeros((1, 1), np.float32)
            f(packed, w, sc, zp, bs, 1, bs, sym)
            b = packed.ravel()
            q = (np.stack([b & 15, b >> 4], 1).ravel() if bits == 4 else b)
            z = (1 << (bits - 1)) if sym else int(zp[0, 0] & (15 if bits == 4 else 255))
            return dict(codes=q, code_format=f"uint{bits}", scale=sc, scale_dtype="float32",
                        zero_point_i=[z], deq=(q.astype(np.int32) - z).astype(np.float32) * sc[0, 0],
                        dequantized_by="(code-zero_point)*scale in float32")
        return fn
    for bits in (4, 8):
        for sym in (False, True):
            each("onnxruntime", v, f"MatMulNBits {bits}-bit {'symmetric' if sym else 'asymmetric'}",
                 [k for k in dict.fromkeys(INT4 + ASYM + (INT8 if bits == 8 else [])) if k not in ("nan", "inf")],
                 f"quantize_matmul_{bits}bits(block_size=32, is_symmetric={sym}), w[32,1]", nbits(bits, sym), pad=32)

    def qdq(x):
        w = np.ascontiguousarray(x[:, None])
        packed, zp, sc = np.zeros((x.size + 1) // 2, np.uint8), np.zeros(1, np.uint8), np.zeros((1, 1), np.float32)
        cap.quantize_qdq_matmul_4bits(packed, w, sc, zp, x.size, 1, x.size, True)
        q = np.stack([packed & 15, packed >> 4], 1).ravel().astype(np.int32)
        q = np.where(q > 7, q - 16, q)
        return dict(codes=q, code_format="int4", scale=sc, scale_dtype="float32", zero_point_i=[0],
                    deq=q.astype(np.float32) * sc[0, 0], dequantized_by="code*scale in float32")
    each("onnxruntime", v, "QDQ 4-bit symmetric", [k for k in INT4 if k not in ("nan", "inf")],
         "quantize_qdq_matmul_4bits(block_size=K, is_symmetric=True), w[8,1]", qdq)

    def qlinear(tp, np_t, z):                                 # the runtime operator, scale given
        m = h.make_model(h.make_graph(
            [h.make_node("QuantizeLinear", ["x", "s", "z"], ["y"]),
             h.make_node("DequantizeLinear", ["y", "s", "z"], ["d"])], "g",
            [h.make_tensor_value_info("x", TP.FLOAT, [None])],
            [h.make_tensor_value_info("y", tp, [None]), h.make_tensor_value_info("d", TP.FLOAT, [None])],
            initializer=[h.make_tensor("s", TP.FLOAT, [], [1.0]),
                         h.make_tensor("z", tp, [], [z])]), opset_imports=[h.make_opsetid("", 19)], ir_version=9)
        s = ort.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])

        def fn(x):
            y, d = s.run(None, {"x": x})
            return dict(codes=np.asarray(y).astype(np.int32), code_format=np_t, scale=[1.0], scale_dtype="float32",
                        zero_point_i=[z], deq=d)
        return fn
    each("onnxruntime", v, "QuantizeLinear int8 (scale=1)", ["ties_127", "ties_127p5", "ties_128neg", "outlier", "neg_extreme", "nan", "inf"],
         "CPU QuantizeLinear/DequantizeLinear, y_scale=1, y_zero_point=0", qlinear(TP.INT8, "int8", 0))
    each("onnxruntime", v, "QuantizeLinear uint8 (scale=1,zp=3)", ["ties_127", "asym_15", "outlier"],
         "CPU QuantizeLinear/DequantizeLinear, y_scale=1, y_zero_point=3", qlinear(TP.UINT8, "uint8", 3))

    m = h.make_model(h.make_graph([h.make_node("DynamicQuantizeLinear", ["x"], ["y", "s", "z"])], "g",
                                  [h.make_tensor_value_info("x", TP.FLOAT, [None])],
                                  [h.make_tensor_value_info("y", TP.UINT8, [None]), h.make_tensor_value_info("s", TP.FLOAT, []),
                                   h.make_tensor_value_info("z", TP.UINT8, [])]), opset_imports=[h.make_opsetid("", 19)], ir_version=9)
    s = ort.InferenceSession(m.SerializeToString(), providers=["CPUExecutionProvider"])

    def dql(x):
        y, sc, z = s.run(None, {"x": x})
        return dict(codes=y.astype(np.int32), code_format="uint8", scale=[sc], scale_dtype="float32", zero_point_i=[int(z)],
                    deq=(y.astype(np.int32) - int(z)).astype(np.float32) * sc, dequantized_by="(code-zero_point)*scale in float32")
    each("onnxruntime", v, "DynamicQuantizeLinear", ["plain", "asym_15", "asym_zp_tie", "zero", "all_negative", "all_positive"],
         "CPU DynamicQuantizeLinear", dql)


# ------------------------------------------------------------------------ mlx
def do_mlx():
    import mlx.core as mx
    mx.set_default_device(mx.cpu)
    v = ver("mlx")
    if any(d.metadata["Name"] == "mlx-cpu" for d in im.distributions()):
        v.update(ver("mlx-cpu"))

    def unpack(wq, bits, n):
        b = np.array(wq).ravel().view(np.uint8)
        bb = np.unpackbits(b, bitorder="little")[: n * bits].reshape(n, bits)
        return (bb * (1 << np.arange(bits))).sum(1)

    def run(mode, bits, gs, dt=None):
        def fn(x):
            w = mx.array(x.reshape(1, -1))
            if dt:
                w = w.astype(dt)
            o = mx.quantize(w, group_size=gs, bits=bits, mode=mode)
            codes = unpack(o[0], bits, x.size)
            d = dict(codes=codes)
            if mode == "affine":
                d.update(code_format=f"uint{bits} (value = code*scale+bias)", scale=np.array(o[1].astype(mx.float32)),
                         scale_dtype=str(o[1].dtype).split(".")[-1], bias_f=np.array(o[2].astype(mx.float32)))
                deq = mx.dequantize(o[0], o[1], o[2], group_size=gs, bits=bits, mode=mode)
            else:
                sc = np.array(o[1]).ravel().astype(np.int64)
                d.update(code_format="e4m3fn byte" if bits == 8 else "e2m1 nibble", scale_code_i=sc,
                         scale_dtype="e4m3fn" if gs == 16 else "e8m0")
                if gs == 32:
                    d["scale"] = [2.0 ** (int(c) - 127) for c in sc]
                else:
                    d["scale"] = [float((-1) ** (c >> 7) * ((c & 7) * 2.0 ** -9 if (c >> 3 & 15) == 0 else
                                  (1 + (c & 7) / 8) * 2.0 ** ((c >> 3 & 15) - 7))) for c in sc]
                deq = mx.dequantize(o[0], o[1], group_size=gs, bits=bits, mode=mode)
            d["deq"] = np.array(deq.astype(mx.float32))
            return d
        return fn

    A4 = [k for k in dict.fromkeys(INT4 + ASYM) if k not in ("nan", "inf")]
    A8 = [k for k in dict.fromkeys(INT8 + ASYM) if k not in ("nan", "inf")]
    each("mlx", v, "affine 4-bit", A4, "mx.quantize(w[1,32], group_size=32, bits=4)", run("affine", 4, 32), pad=32)
    each("mlx", v, "affine 8-bit", A8, "mx.quantize(w[1,32], group_size=32, bits=8)", run("affine", 8, 32), pad=32)
    each("mlx", v, "affine 4-bit, float16 weight", ["plain", "outlier", "zero", "asym_15"],
         "mx.quantize(w[1,32] as float16, group_size=32, bits=4)", run("affine", 4, 32, mx.float16), pad=32)
    each("mlx", v, "mxfp4", MX4, "mx.quantize(w[1,32], mode='mxfp4')", run("mxfp4", 4, 32), pad=32)
    each("mlx", v, "mxfp8", MX8, "mx.quantize(w[1,32], mode='mxfp8')", run("mxfp8", 8, 32), pad=32)
    table("mlx", "mxfp4", "e2m1", run("mxfp4", 4, 32))
    table("mlx", "mxfp8", "e4m3", run("mxfp8", 8, 32))
    each("mlx", v, "nvfp4", MX4, "mx.quantize(w[1,32], mode='nvfp4')", run("nvfp4", 4, 16), pad=32)


# -------------------------------------------------------------------- torchao
def nibbles(b):
    b = np.asarray(b).ravel()
    return np.stack([b & 15, b >> 4], 1).ravel()


def do_torchao():
    import torch
    from torchao.quantization import (quantize_, Int8WeightOnlyConfig, IntxWeightOnlyConfig, Float8WeightOnlyConfig,
                                      PerGroup, PerTensor, MappingType)
    v = ver("torchao", "torch")
    t = lambda x: torch.from_numpy(np.ascontiguousarray(x))

    def layer(cfg):
        def fn(x):
            m = torch.nn.Linear(x.size, 1, bias=False)        # weight is (N=1, K)
            m.weight = torch.nn.Parameter(t(x)[None, :])
            quantize_(m, cfg)
            w = m.weight
            isf8 = "float8" in str(w.qdata.dtype)
            d = dict(codes=w.qdata.view(torch.uint8).numpy() if isf8 else w.qdata.to(torch.int32).numpy(),
                     code_format="e4m3fn byte" if isf8 else "int8", scale=w.scale.double().numpy(),
                     scale_dtype=str(w.scale.dtype).split(".")[-1], deq=w.dequantize().double().numpy())
            if getattr(w, "zero_point", None) is not None:
                d["zero_point_i"] = w.zero_point.to(torch.int32).numpy()
            return d
        return fn
    c = "quantize_(Linear(K,1), {})"
    each("torchao", v, "int8 weight-only", INT8, c.format("Int8WeightOnlyConfig()"), layer(Int8WeightOnlyConfig()))
    for mt in ("SYMMETRIC", "SYMMETRIC_NO_CLIPPING_ERR", "ASYMMETRIC"):
        each("torchao", v, f"intx int4 {mt.lower()}", INT4 if mt != "ASYMMETRIC" else ASYM,
             c.format(f"IntxWeightOnlyConfig(int4, PerGroup(8), MappingType.{mt})"),
             layer(IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(8), mapping_type=MappingType[mt])))
    each("torchao", v, "intx int8 symmetric", ["plain", "zero", "tiny", "subnormal", "ties_127p5"],
         c.format("IntxWeightOnlyConfig(int8, PerGroup(8))"),
         layer(IntxWeightOnlyConfig(weight_dtype=torch.int8, granularity=PerGroup(8))))
    each("torchao", v, "float8 weight-only per-row", FP8, c.format("Float8WeightOnlyConfig()"), layer(Float8WeightOnlyConfig()))
    each("torchao", v, "float8 weight-only per-tensor", ["plain", "fp8_ties", "zero"],
         c.format("Float8WeightOnlyConfig(granularity=PerTensor())"), layer(Float8WeightOnlyConfig(granularity=PerTensor())))

    from torchao.quantization import quant_primitives as qp

    def tiny(dt):
        def fn(x):
            w = t(x)[None, :].to(dt)
            bs = (1, x.size)
            s, z = qp._choose_qparams_affine_tinygemm(w, MappingType.ASYMMETRIC, bs, torch.int32, 0, 15,
                                                      scale_dtype=dt, zero_point_dtype=dt)
            q = qp._quantize_affine_tinygemm(w, bs, s, z, torch.int32, 0, 15)
            d = qp._dequantize_affine_tinygemm(q, bs, s, z, torch.int32, 0, 15, output_dtype=dt)
            return dict(codes=q.numpy(), code_format="uint4 (value = (code-8)*scale+zero_point)", scale=s.double().numpy(),
                        scale_dtype=str(dt).split(".")[-1], zero_point_f=z.double().numpy(), deq=d.double().numpy())
        return fn
    each("torchao", v, "int4 tinygemm float32", ASYM, "_choose_qparams_affine_tinygemm + _quantize_affine_tinygemm, float32", tiny(torch.float32))
    each("torchao", v, "int4 tinygemm bfloat16", ["plain", "asym_15", "asym_neg", "zero", "outlier"],
         "_choose_qparams_affine_tinygemm + _quantize_affine_tinygemm, bfloat16", tiny(torch.bfloat16))

    from torchao.prototype.mx_formats.mx_tensor import MXTensor, to_mx
    from torchao.prototype.mx_formats.config import ScaleCalculationMode as M
    from torchao.prototype.mx_formats.nvfp4_tensor import NVFP4Tensor, per_tensor_amax_to_scale

    def mx(elem, mode):
        def fn(x):
            w = t(x)[None, :]
            q = MXTensor.to_mx(w, elem, 32, M[mode])
            code = q.scale.view(torch.uint8).numpy()
            b = q.qdata.view(torch.uint8).numpy()
            f4 = elem == torch.float4_e2m1fn_x2
            return dict(codes=nibbles(b) if f4 else b, code_format="e2m1 nibble" if f4 else
                        ("e4m3fn byte" if elem == torch.float8_e4m3fn else "e5m2 byte"),
                        scale=[2.0 ** (int(k) - 127) if k != 255 else NAN for k in code.ravel()], scale_code_i=code,
                        scale_dtype="e8m0", deq=q.dequantize(torch.float32).numpy())
        return fn
    for mode in ("FLOOR", "CEIL", "EVEN", "RCEIL"):
        each("torchao", v, f"mxfp8 e4m3 {mode}", MX8, f"MXTensor.to_mx(w[1,32], float8_e4m3fn, 32, {mode})", mx(torch.float8_e4m3fn, mode), pad=32)
        each("torchao", v, f"mxfp4 {mode}", MX4, f"MXTensor.to_mx(w[1,32], float4_e2m1fn_x2, 32, {mode})", mx(torch.float4_e2m1fn_x2, mode), pad=32)
        each("torchao", v, f"mxfp8 e5m2 {mode}", ["plain", "mx_amax_7", "zero"], f"MXTensor.to_mx(w[1,32], float8_e5m2, 32, {mode})", mx(torch.float8_e5m2, mode), pad=32)

    for mode in ("FLOOR", "CEIL", "EVEN", "RCEIL"):
        table("torchao", mode, "e2m1", mx(torch.float4_e2m1fn_x2, mode))
        table("torchao", mode, "e4m3", mx(torch.float8_e4m3fn, mode))
        table("torchao", mode, "e5m2", mx(torch.float8_e5m2, mode))

    def nv(two):
        def fn(x):
            w = t(x)[None, :]
            g = per_tensor_amax_to_scale(w.abs().max()) if two else None
            q = NVFP4Tensor.to_nvfp4(w, per_tensor_scale=g)
            sc = q.scale.float().numpy()
            d = dict(codes=nibbles(q.qdata.view(torch.uint8).numpy()), code_format="e2m1 nibble", scale=sc,
                     scale_dtype="e4m3fn", scale_code_i=q.scale.view(torch.uint8).numpy(), deq=q.dequantize(torch.float32).numpy())
            if two:
                d["global_scale_f"] = [float(g)]
                d["global_scale_kind"] = "multiplier: value = e2m1*block_scale*global_scale"
            return d
        return fn
    each("torchao", v, "nvfp4 one-level", MX4, "NVFP4Tensor.to_nvfp4(w[1,16])", nv(False), pad=16)
    each("torchao", v, "nvfp4 two-level", MX4, "NVFP4Tensor.to_nvfp4(w[1,16], per_tensor_scale=per_tensor_amax_to_scale(amax))", nv(True), pad=16)

    def nv2(x):                                               # two blocks of very different size
        w = np.concatenate([x, np.zeros(16 - x.size, np.float32), x * F(2.0 ** -12), np.zeros(16 - x.size, np.float32)])
        return nv(True)(w) | {"note": "input is followed by a second block = the first * 2^-12"}
    each("torchao", v, "nvfp4 two-level, 2 blocks", ["plain", "fp4_ties", "mx_amax_7"], "as nvfp4 two-level, w[1,32]", nv2, pad=16)


# --------------------------------------------------------- compressed-tensors
def do_ct():
    import torch
    from compressed_tensors.quantization import QuantizationArgs, preset_name_to_scheme
    from compressed_tensors.quantization.lifecycle.forward import quantize, dequantize
    from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam
    v = ver("compressed-tensors", "torch")

    def run(preset, gs=None, dt=torch.float32):
        a = preset_name_to_scheme(preset, ["Linear"]).weights
        if gs:
            a = QuantizationArgs(**(a.model_dump() | {"group_size": gs}))

        def fn(x):
            w = torch.from_numpy(x)[None, :].to(dt)
            g = None
            if a.strategy in ("group", "tensor_group"):
                o = w.unflatten(-1, (-1, a.group_size))
                mn, mxv = o.amin(-1), o.amax(-1)
            elif a.strategy == "channel":
                mn, mxv = w.amin(-1, keepdim=True), w.amax(-1, keepdim=True)
            else:
                mn, mxv = w.amin().reshape(1), w.amax().reshape(1)
            if a.strategy == "tensor_group":
                am = torch.maximum(mxv.max(), -mn.min()).reshape(1)
                g = generate_gparam(-am, am)
            s, z = calculate_qparams(mn, mxv, a, global_scale=g)
            q = quantize(w, s, z, a, global_scale=g)          # stays in float, exactly on the grid
            d = dequantize(q, s, z, a, global_scale=g)
            fmt = "int%d" % a.num_bits if a.type == "int" else {8: "e4m3fn byte", 4: "e2m1 nibble"}[a.num_bits]
            qn = q.float().numpy().ravel()
            if fmt == "e4m3fn byte":
                codes = q.to(torch.float8_e4m3fn).view(torch.uint8).numpy()
            elif fmt == "e2m1 nibble":
                tab = {0: 0, .5: 1, 1: 2, 1.5: 3, 2: 4, 3: 5, 4: 6, 6: 7}
                codes = [(8 if np.signbit(y) else 0) | tab[abs(float(y))] if y == y else None for y in qn]
            else:
                codes = [int(y) if y == y else None for y in qn]
            r = dict(codes=codes, code_format=fmt, scale=s.double().numpy(), scale_dtype=str(a.scale_dtype or s.dtype).split(".")[-1],
                     deq=d.double().numpy(), zero_point_f=z.double().numpy(), zero_point_dtype=str(z.dtype).split(".")[-1])
            if g is not None:
                r["global_scale_f"] = g.double().numpy()
                r["global_scale_kind"] = "divisor: value = e2m1*(block_scale/global_scale)"
            if a.scale_dtype is torch.uint8:
                # this package keeps the decoded scale; 2^128 does not fit float32, so inf is code 255
                r["scale_code_i"] = [255 if math.isinf(float(k)) else int(round(math.log2(float(k)))) + 127 if float(k) > 0 else 0
                                     for k in s.ravel()]
            return r
        return fn
    c = "calculate_qparams + quantize + dequantize with the weights args of preset {}"
    for name, gs, pad, cs in (("W8A8", None, None, INT8), ("W4A16", 8, None, INT4), ("W8A16", 8, None, ["plain", "ties_127p5", "zero"]),
                              ("W4A16_ASYM", 8, None, ASYM), ("FP8_DYNAMIC", None, None, FP8), ("FP8", None, None, ["plain", "fp8_ties", "zero"]),
                              ("NVFP4A16", None, 16, MX4), ("MXFP4A16", None, 32, MX4), ("MXFP8A16", None, 32, MX8)):
        each("compressed-tensors", v, name, cs, c.format(name) + (f", group_size={gs}" if gs else ""), run(name, gs), pad=pad)
    table("compressed-tensors", "MXFP4A16", "e2m1", run("MXFP4A16"))
    table("compressed-tensors", "MXFP8A16", "e4m3", run("MXFP8A16"))
    each("compressed-tensors", v, "W8A8, bfloat16 weight", ["plain", "outlier", "zero"], c.format("W8A8") + ", weight in bfloat16", run("W8A8", None, torch.bfloat16))
    each("compressed-tensors", v, "NVFP4A16, bfloat16 weight", ["plain", "outlier", "zero", "fp4_ties"], c.format("NVFP4A16") + ", weight in bfloat16", run("NVFP4A16", None, torch.bfloat16), pad=16)


# ------------------------------------------------------------------- modelopt
def do_modelopt():
    import torch
    from modelopt.torch.quantization.qtensor.nvfp4_tensor import NVFP4QTensor
    from modelopt.torch.quantization.qtensor.mxfp4_tensor import MXFP4QTensor
    from modelopt.torch.quantization.qtensor.mxfp8_tensor import MXFP8QTensor
    from modelopt.torch.quantization.qtensor.fp8_tensor import FP8QTensor
    from modelopt.torch.quantization.qtensor.int8_tensor import INT8QTensor
    from modelopt.torch.quantization.qtensor.int4_tensor import INT4QTensor
    from modelopt.torch.quantization import tensor_quant as tq
    v = ver("nvidia-modelopt", "torch")
    t = lambda x: torch.from_numpy(np.ascontiguousarray(x))[None, :].clone()

    def int8(x):
        q, s = INT8QTensor.quantize(t(x), axis=0)
        return dict(codes=q._quantized_data.numpy(), code_format="int8", scale=s.double().numpy(), scale_dtype="float32",
                    deq=q.dequantize(torch.float32, scale=s, axis=0).numpy())
    each("modelopt", v, "int8 per-channel", INT8, "INT8QTensor.quantize(w[1,K], axis=0)", int8)

    def fp8(x):
        q, s = FP8QTensor.quantize(t(x))
        return dict(codes=q._quantized_data.view(torch.uint8).numpy(), code_format="e4m3fn byte", scale=s.double().numpy(),
                    scale_dtype="float32", deq=q.dequantize(torch.float32, scale=s).numpy())
    each("modelopt", v, "fp8 per-tensor", FP8, "FP8QTensor.quantize(w[1,K])", fp8)

    def fp8fake(x):
        w = t(x)
        y = tq.scaled_e4m3_impl(w, w.abs().max())
        return dict(deq=y.numpy(), note="fake quantization; the package keeps no codes here")
    each("modelopt", v, "fp8 fake-quant (eager)", FP8, "tensor_quant.scaled_e4m3_impl(w, amax)", fp8fake)

    def int4(x):
        q, s = INT4QTensor.quantize(t(x), x.size)
        b = q._quantized_data.numpy().ravel()
        n = np.stack([b >> 4, b & 15], 1).ravel().astype(np.int32) - 8
        return dict(codes=n, code_format="int4 (stored +8)", scale=s.double().numpy(), scale_dtype="float32",
                    scale_kind="reciprocal: code = w*scale", deq=n.astype(np.float32) / s.numpy().ravel()[0],
                    dequantized_by="code/scale in float32 by this script (the package's own unpacks on the GPU to bfloat16)")
    each("modelopt", v, "int4 block", [c for c in INT4 if c not in ("nan", "inf")], "INT4QTensor.quantize(w[1,K], block_size=K)", int4)

    def nv(x):
        q, s, s2 = NVFP4QTensor.quantize(t(x), 16)
        return dict(codes=nibbles(q._quantized_data.numpy()), code_format="e2m1 nibble", scale=s.float().numpy(), scale_dtype="e4m3fn",
                    scale_code_i=s.view(torch.uint8).numpy(), global_scale_f=[float(s2)],
                    global_scale_kind="multiplier: value = e2m1*block_scale*global_scale",
                    deq=q.dequantize(torch.float32, scale=s, double_scale=s2, block_sizes={-1: 16}).numpy())
    each("modelopt", v, "nvfp4", MX4, "NVFP4QTensor.quantize(w[1,16], 16)", nv, pad=16)

    def nv2(x):
        w = np.concatenate([x, x * F(2.0 ** -12)])
        return nv(w) | {"note": "input is followed by a second block = the first * 2^-12"}
    each("modelopt", v, "nvfp4, 2 blocks", ["plain", "fp4_ties", "mx_amax_7"], "NVFP4QTensor.quantize(w[1,32], 16)", nv2, pad=16)

    def mx4(x):
        q, s = MXFP4QTensor.quantize(t(x), 32)
        return dict(codes=nibbles(q._quantized_data.numpy()), code_format="e2m1 nibble", scale=[2.0 ** (int(k) - 127) for k in s.ravel()],
                    scale_code_i=s.numpy(), scale_dtype="e8m0", deq=q.dequantize(torch.float32, scale=s, block_sizes={-1: 32}).numpy())
    each("modelopt", v, "mxfp4", [c for c in MX4 if c not in ("nan", "inf")], "MXFP4QTensor.quantize(w[1,32], 32)", mx4, pad=32)

    def mx8(x):
        q, s = MXFP8QTensor.quantize(t(x))
        return dict(codes=q._quantized_data.view(torch.uint8).numpy(), code_format="e4m3fn byte",
                    scale=[2.0 ** (int(k) - 127) for k in s.ravel()], scale_code_i=s.numpy(), scale_dtype="e8m0",
                    deq=q.dequantize(torch.float32, scale=s).numpy())
    each("modelopt", v, "mxfp8", MX8, "MXFP8QTensor.quantize(w[1,32])", mx8, pad=32)
    table("modelopt", "MXFP4QTensor", "e2m1", mx4)
    table("modelopt", "MXFP8QTensor", "e4m3", mx8)


# --------------------------------------------------------------- microxcaling
def do_microx(path, commit):
    sys.path.insert(0, path)
    import torch
    from mx.mx_ops import _quantize_mx, _shared_exponents
    v = {"microxcaling": commit, **ver("torch")}

    def run(fmt, rnd):
        def fn(x):
            y = _quantize_mx(torch.from_numpy(x)[None, :].clone(), 8, fmt, axes=[-1], block_size=32, round=rnd)
            return dict(deq=y.numpy(), note="fake quantization; the package keeps no codes")
        return fn
    for elem, emax in (("e2m1", 2), ("e4m3", 8), ("e5m2", 15), ("int8", 0)):
        def se(x, emax=emax):                                 # the clamp that _quantize_mx applies afterwards
            e = float(_shared_exponents(torch.from_numpy(x)[None, :].clone(), axes=[-1], ebits=0)) - emax
            return dict(scale_code_i=[255 if e > 127 else max(int(e), -127) + 127])
        table("microxcaling", "shared exponent (max)", elem, se)
    for fmt, cs in (("fp4_e2m1", MX4), ("fp8_e4m3", MX8), ("int8", ["plain", "ties_127", "mx_amax_7", "zero"])):
        for rnd in ("nearest", "even"):
            each("microxcaling", v, f"mx {fmt} round={rnd}", cs, f"mx_ops._quantize_mx(w[1,32], scale_bits=8, '{fmt}', axes=[-1], block_size=32, round='{rnd}')", run(fmt, rnd), pad=32)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("-o", "--out", default=pathlib.Path(__file__).with_name("conventions.json"))
    p.add_argument("--microxcaling", metavar="CHECKOUT")
    p.add_argument("--microxcaling-commit", default="7bc4195")
    p.add_argument("--only", help="comma list of ecosystems")
    a = p.parse_args()
    jobs = {"qwix": do_qwix, "aqt": do_aqt, "gguf": do_gguf, "onnxruntime": do_ort, "mlx": do_mlx, "torchao": do_torchao,
            "compressed-tensors": do_ct, "modelopt": do_modelopt}
    if a.microxcaling:
        jobs["microxcaling"] = lambda: do_microx(a.microxcaling, a.microxcaling_commit)
    want = a.only.split(",") if a.only else list(jobs)
    for n in want:
        try:
            jobs[n]()
            print(n, sum(k[0] == n for k in OUT), "records,", sum(k[0] == n and "error" in r for k, r in OUT.items()), "refusals", flush=True)
        except ImportError as e:
            print(n, "not here:", e, flush=True)
        except Exception:
            traceback.print_exc()
    done = {key[0] for key in OUT}
    try:
        with open(a.out) as f:
            schemes, tables = read(json.load(f))
    except OSError:
        schemes, tables = {}, {}
    schemes = {key: scheme for key, scheme in schemes.items() if key[0] not in done}
    tables = {key: table for key, table in tables.items() if key[0] not in done}
    write(a.out, schemes | compacted_records(), tables | compacted_tables())
    print(sum(len(scheme["records"]) for scheme in schemes.values()) + len(OUT), "records in", a.out)


# ------------------------------------------------------------------- the file
# What holds for all records of a scheme.
OF_SCHEME = ("versions", "call", "code_format", "scale_dtype", "zero_point_dtype", "scale_kind",
             "global_scale_kind", "dequantized_by", "note")


def words(values):
    """Returns float32 values as words in hexadecimal; they must be exact."""
    with np.errstate(over="ignore"):
        floats = np.array([float(v) for v in values], np.float64)
        narrow = floats.astype(np.float32)
    assert np.array_equal(narrow.astype(np.float64), floats, equal_nan=True), values
    bits = np.where(np.isnan(narrow), np.uint32(0x7FC00000), narrow.view(np.uint32))
    return " ".join(f"{bit:08X}" for bit in bits)


def from_hex(texts):
    return [float(t) if t in ("nan", "inf", "-inf") else float.fromhex(t) for t in texts]


def compacted_record(r):
    record = {"case": r["case"], "input": words(from_hex(r["input_hex"]))}
    if "error" in r:
        return record | {"error": r["error"], "error_text": r["error_text"]}
    if "codes" in r:
        record["codes"] = r["codes"]
    # The scale of E8M0's code 255 may be 2^128; the code says so.
    if "scale" in r and all(abs(v) < 2.0 ** 128 or not math.isfinite(v) for v in from_hex(r["scale_hex"])):
        record["scale"] = words(from_hex(r["scale_hex"]))
    for name in ("bias", "global_scale"):
        if name in r:
            record[name] = words(from_hex(r[name + "_hex"]))
    if "zero_point" in r:
        record["zero_point"] = words(from_hex(r["zero_point_hex"]) if "zero_point_hex" in r else r["zero_point"])
    if "scale_code" in r:
        record["scale_code"] = r["scale_code"]
    return record | {"values": words(from_hex(r["dequantized_hex"]))}


def compacted_records():
    schemes = {}
    for r in OUT.values():
        scheme = schemes.setdefault((r["ecosystem"], r["scheme"]),
                                    {"ecosystem": r["ecosystem"], "scheme": r["scheme"], "records": []})
        for name in OF_SCHEME:
            if name in r:
                assert scheme.setdefault(name, r[name]) == r[name], (r["scheme"], name)
        scheme["records"].append(compacted_record(r))
    for scheme in schemes.values():
        scheme["records"].sort(key=lambda record: record["case"])
    return schemes


def compacted_tables():
    tables = {}
    for r in TABLE.values():
        tables.setdefault((r["ecosystem"], r["rule"], r["element"]), []).append((r["amax"], r["e8m0"]))
    return {key: [code for _, code in sorted(rows)] for key, rows in tables.items()}


def read(document):
    return ({(s["ecosystem"], s["scheme"]): s for s in document["schemes"]},
            {(t["ecosystem"], t["rule"], t["element"]): t["codes"] for t in document["e8m0"]["tables"]})


def write(path, schemes, tables):
    with open(path, "w") as f:
        f.write('{"schemes": [\n')
        f.write(",\n".join(scheme_text(scheme) for _, scheme in sorted(schemes.items())))
        f.write('\n],\n"e8m0": {"absmax": "%s", "tables": [\n' % words(sorted({float(F(v)) for v in AMAX})))
        f.write(",\n".join(" " + json.dumps(dict(zip(("ecosystem", "rule", "element"), key)) | {"codes": codes})
                           for key, codes in sorted(tables.items())))
        f.write("\n]}}\n")


def scheme_text(scheme):
    head = {name: scheme[name] for name in ("ecosystem", "scheme", *OF_SCHEME) if name in scheme}
    rows = ",\n".join("   " + json.dumps(record) for record in scheme["records"])
    return " " + json.dumps(head)[:-1] + ', "records": [\n' + rows + "]}"


if __name__ == "__main__":
    main()
