#!/usr/bin/env python3
"""Rewrites the files of this directory: python make_data.py [OUTDIR]

Needs numpy 2.4.6, safetensors 0.8.0 and ml_dtypes 0.6.0; the verdicts in safetensors_cases.expected.json
are those of safetensors.deserialize.
"""
import json
import struct
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import safetensors

OUT = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent
rng = np.random.default_rng(0)


def p(*names):
    path = OUT.joinpath(*names)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


ST_BITS = {"BOOL": 8, "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8,
           "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32,
           "F32": 32, "C64": 64, "F64": 64, "I64": 64, "U64": 64}


def st_file(tensors, meta=None, pad=True, raw_header=None, tail=b""):
    hdr, off, body = {}, 0, b""
    if meta is not None:
        hdr["__metadata__"] = meta
    for name, (dt, shape, data) in tensors.items():
        hdr[name] = {"dtype": dt, "shape": list(shape), "data_offsets": [off, off + len(data)]}
        off += len(data)
        body += data
    h = raw_header if raw_header is not None else json.dumps(hdr, separators=(",", ":")).encode()
    if pad:
        h += b" " * (-len(h) % 8)
    return struct.pack("<Q", len(h)) + h + body + tail


def safetensors_files():
    order = list(reversed(list(ST_BITS)))            # the reference writer sorts by descending dtype rank, then name
    t, exp = {}, {}
    for dt in order:
        bits = ST_BITS[dt]
        shape = (4, 4) if bits < 8 else (2, 3)
        n = int(np.prod(shape)) * bits // 8
        data = bytes(rng.integers(0, 2 if dt == "BOOL" else 256, n, dtype=np.uint8))
        t["t_" + dt.lower()] = (dt, shape, data)
    t["scalar_u8"] = ("U8", (), b"\x2a")
    t["empty_u8"] = ("U8", (0, 5), b"")
    p("all_dtypes.safetensors").write_bytes(st_file(t, {"format": "pt", "note": "h\u00e9"}))
    for k, (dt, shape, data) in t.items():
        exp[k] = {"dtype": dt, "shape": list(shape), "hex": data.hex()}
    p("all_dtypes.expected.json").write_text(json.dumps(exp, indent=1))

    one = {"a": ("U8", (4,), b"abcd"), "b": ("U8", (2,), b"ef")}
    g = st_file(one)
    j = lambda s: s.encode()
    C = {
        "ok_plain": g,
        "ok_no_padding": st_file(one, pad=False),
        "ok_key_order_not_offset_order": st_file(one, raw_header=j('{"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]},"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}}')),
        "ok_no_tensors": struct.pack("<Q", 2) + b"{}",
        "ok_metadata_only": st_file({}, {"k": "v"}),
        "ok_unknown_field_in_tensor": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4],"x":1},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}')),
        "leading_space": st_file(one, raw_header=j(' {"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}')),
        "duplicate_tensor_same_info": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}')),
        "duplicate_tensor_last_wins": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[9],"data_offsets":[0,9]},"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}')),
        "duplicate_metadata": st_file(one, raw_header=j('{"__metadata__":{"k":"1"},"__metadata__":{"k":"2"},"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}')),
        "duplicate_field_in_tensor": st_file(one, raw_header=j('{"a":{"dtype":"U8","dtype":"U8","shape":[6],"data_offsets":[0,6]}}')),
        "metadata_null": st_file(one, raw_header=j('{"__metadata__":null,"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}')),
        "metadata_non_string": st_file(one, raw_header=j('{"__metadata__":{"k":1},"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}')),
        "hole": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}')),
        "first_offset_not_zero": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[5],"data_offsets":[1,6]}}')),
        "overlap": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[3],"data_offsets":[3,6]}}')),
        "trailing_byte": g + b"\0",
        "short_by_one": g[:-1],
        "size_mismatch": st_file(one, raw_header=j('{"a":{"dtype":"U16","shape":[4],"data_offsets":[0,6]}}')),
        "unknown_dtype": st_file(one, raw_header=j('{"a":{"dtype":"F7","shape":[6],"data_offsets":[0,6]}}')),
        "lowercase_dtype": st_file(one, raw_header=j('{"a":{"dtype":"u8","shape":[6],"data_offsets":[0,6]}}')),
        "f4_odd_bits": st_file(one, raw_header=j('{"a":{"dtype":"F4","shape":[11],"data_offsets":[0,6]}}')),
        "negative_dim": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[-6],"data_offsets":[0,6]}}')),
        "float_dim": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[6.0],"data_offsets":[0,6]}}')),
        "shape_overflow": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,6]}}')),
        "three_offsets": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6,6]}}')),
        "missing_shape": st_file(one, raw_header=j('{"a":{"dtype":"U8","data_offsets":[0,6]}}')),
        "not_json": struct.pack("<Q", 8) + b"notjson!",
        "bad_utf8": struct.pack("<Q", 8) + b'{"\xff":1}x'[:8],
        "json_then_garbage": st_file(one, raw_header=j('{"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}zz')),
        "padded_with_newline_tab": st_file(one, pad=False, raw_header=j('{"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}\n\t ')),
        "padded_with_nul": st_file(one, pad=False, raw_header=j('{"a":{"dtype":"U8","shape":[6],"data_offsets":[0,6]}}') + b"\0"),
        "header_len_past_eof": struct.pack("<Q", 1000) + b"{}",
        "header_len_over_100MB": struct.pack("<Q", 100_000_001) + b"{}",
        "header_len_u64_max": struct.pack("<Q", 2**64 - 1) + b"{}",
        "seven_bytes": b"\x02" + b"\0" * 6,
        "empty_file": b"",
    }
    res = {}
    for k, v in C.items():
        f = p("safetensors_cases", k + ".safetensors")
        f.write_bytes(v)
        try:
            d = safetensors.deserialize(v)
            r = "accept: " + ", ".join(f"{n}:{i['dtype']}{list(i['shape'])}" for n, i in sorted(d))
        except Exception as e:
            r = "reject: " + str(e)
        res[k] = r
    p("safetensors_cases.expected.json").write_text(json.dumps(res, indent=1))


def npy_files():
    a = np.arange(6, dtype="<f4").reshape(2, 3)
    W = np.lib.format.write_array
    W(open(p("npy", "v1_f4.npy"), "wb"), a, version=(1, 0))
    W(open(p("npy", "v2_f4.npy"), "wb"), a, version=(2, 0))
    W(open(p("npy", "v3_f4.npy"), "wb"), a, version=(3, 0))
    W(open(p("npy", "fortran_f4.npy"), "wb"), np.asfortranarray(a), version=(1, 0))
    W(open(p("npy", "big_endian_f4.npy"), "wb"), a.astype(">f4"), version=(1, 0))
    W(open(p("npy", "scalar_f8.npy"), "wb"), np.array(2.5), version=(1, 0))
    W(open(p("npy", "one_dim_f2.npy"), "wb"), np.arange(5, dtype="<f2"), version=(1, 0))
    W(open(p("npy", "empty_0x3_i4.npy"), "wb"), np.zeros((0, 3), "<i4"), version=(1, 0))
    W(open(p("npy", "bool.npy"), "wb"), np.array([True, False]), version=(1, 0))
    W(open(p("npy", "c8.npy"), "wb"), np.array([1 + 2j], "<c8"), version=(1, 0))
    W(open(p("npy", "u1.npy"), "wb"), np.arange(4, dtype="u1"), version=(1, 0))
    W(open(p("npy", "struct_v1.npy"), "wb"), np.array([(1, 2.0)], dtype=[("a", "<i4"), ("b", "<f8")]), version=(1, 0))
    W(open(p("npy", "bf16_V2.npy"), "wb"), np.array([1.0, -2.0, 3.140625], ml_dtypes.bfloat16), version=(1, 0))
    W(open(p("npy", "f8e4m3fn_V1.npy"), "wb"), np.array([1.0, -2.0, 448.0], ml_dtypes.float8_e4m3fn), version=(1, 0))
    # hand-made: unusual but legal header text (key order, spacing, no padding to 64)
    h = b"{ 'shape':(2, 3) , 'fortran_order':False, 'descr':'<f4' }\n"
    p("npy", "odd_header_order.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(h)) + h + a.tobytes())


if __name__ == "__main__":
    safetensors_files()
    npy_files()
