"""docs/numerics.md, "Known faults of others": each is there, to the bit, in the pinned ml_dtypes, and we do not share it.

A test that fails after a version moved means that a fault was mended: take it from the page.
"""

import json

import ml_dtypes
import numpy as np
import pytest

NUDGE = 2.0**-40  # Beside a tie, seen in float64 only.


def ours(cli, name, value):
    result = cli("formats", name, f"--encode={float(value).hex()}", "--format", "json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["encoded"][0]["value"]


def theirs(name, value, source=np.float64):
    return float(source(value).astype(getattr(ml_dtypes, name)).astype(np.float64))


@pytest.mark.parametrize("name, value, right, wrong", [
    ("float8_e4m3fn", 1 + 2.0**-4 + NUDGE, 1.125, 1.0), ("float8_e5m2", 1 + 2.0**-3 + NUDGE, 1.25, 1.0),
    ("float8_e3m4", 1 + 2.0**-5 + NUDGE, 1.0625, 1.0), ("float8_e4m3fnuz", 1 + 2.0**-4 + NUDGE, 1.125, 1.0),
    ("float6_e2m3fn", 1 + 2.0**-4 + NUDGE, 1.125, 1.0), ("float4_e2m1fn", 1.25 + NUDGE, 1.5, 1.0),
    ("bfloat16", 1 + 2.0**-8 + NUDGE, 1 + 2.0**-7, 1.0), ("float8_e8m0fnu", 1.5 - NUDGE, 1.0, 2.0)])
def test_ml_dtypes_rounds_float64_twice(cli, name, value, right, wrong):
    assert (ours(cli, name, value), theirs(name, value)) == (right, wrong)


def test_ml_dtypes_keeps_the_low_bits_of_int4(cli):
    assert [theirs("int4", value) for value in (7, 8, 100)] == [7, -8, 4]
    assert [ours(cli, "int4", value) for value in (7, 8, 100)] == [7, 7, 7]


@pytest.mark.parametrize("value", [float.fromhex("0x1.000004p-127"), float.fromhex("0x1.7ffffcp-127")])
def test_ml_dtypes_rounds_float32_subnormals_up_in_e8m0(cli, value):
    assert theirs("float8_e8m0fnu", value, np.float32) == 2.0**-126
    assert ours(cli, "float8_e8m0fnu", value) == 2.0**-127


@pytest.mark.parametrize("name, negative_zero", [("float4_e2m1fn", 8), ("float6_e2m3fn", 32), ("float6_e3m2fn", 32)])
def test_ml_dtypes_swaps_the_sign_of_nan_where_there_is_none(cli, name, negative_zero):
    nan = np.array([0x7FC00000, 0xFFC00000], np.uint32).view(np.float32)
    assert nan.astype(getattr(ml_dtypes, name)).view(np.uint8).tolist() == [negative_zero, 0]
    for text in ("nan", "-nan"):
        result = cli("formats", name, f"--encode={text}", "--format", "json")
        assert int(json.loads(result.stdout)["encoded"][0]["code"], 16) == negative_zero
