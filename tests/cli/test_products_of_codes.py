"""Sums of codes, with scales after them: what a device would return is computed by NumPy, and must be explained to the bit."""

import json

import numpy as np
import pytest

F32 = np.float32
M, K, N = 5, 96, 7


@pytest.fixture
def operands(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((M, K)).astype(F32) * F32(3) + F32(1)
    w = rng.standard_normal((K, N)).astype(F32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", w)
    return x, w


@pytest.fixture
def explains(cli, tmp_path, operands):
    """Returns whether a policy gives an output, every bit of it."""

    def explains(policy, output):
        np.save(tmp_path / "out.npy", np.asarray(output, F32))
        result = cli("measure", "--activations", "x.npy", "--weights", "w.npy", "--match-output", "out.npy", "--format", "json",
                     "--policy", policy)
        assert result.returncode == 0, result.stderr
        match = json.loads(result.stdout)["matches"][0]
        assert match["elements"] == M * N
        return match["equal"] == match["elements"]

    return explains


def symmetric(a, axis, divisor=127):
    """Codes and scales of groups along an axis: max|a| / divisor."""
    scale = (np.abs(a).max(axis, keepdims=True) / F32(divisor)).astype(F32)
    return np.rint(a / scale).astype(np.int64), scale


def unsigned(a, axis):
    """Codes, scales and zero points: (max - min) / 255 with 0 counted."""
    low, high = np.minimum(a.min(axis, keepdims=True), 0), np.maximum(a.max(axis, keepdims=True), 0)
    scale = ((high.astype(np.float64) - low) / 255).astype(F32)
    zero = np.clip(np.rint(-low.astype(np.float64) / scale), 0, 255).astype(np.int64)
    return np.clip(np.rint(a / scale).astype(np.int64) + zero, 0, 255), scale, zero


def saturating(cx, cw):
    """Sums of neighbours clipped to 16 bits."""
    products = cx[:, :, None] * cw[None]
    return np.clip(products[:, 0::2] + products[:, 1::2], -2**15, 2**15 - 1).sum(1)


def scaled(sums, scales):
    return sums.astype(F32) * scales


def test_integers_with_a_scale_per_channel(explains, operands):
    x, w = operands
    (cx, sx), (cw, sw) = symmetric(x, 1), symmetric(w, 0)
    output = scaled(cx @ cw, sx * sw)
    for acc in ("int32", "int32,overflow=wrap", "nvidia/a100", "intel/amx"):
        assert explains(f"w=int8/channel a=int8/channel acc={acc}", output)
    assert not explains("w=int8/channel a=int8/channel", output)  # Dequantised first, and summed in float32.


def test_zero_points_are_taken_off_exactly(explains, operands):
    x, w = operands
    (cx, sx, zx), (cw, sw) = unsigned(x, 1), symmetric(w, 0)
    for acc in ("int32", "x86/vpdpbusd"):
        assert explains(f"w=int8/channel a=uint8/channel acc={acc}", scaled((cx - zx) @ cw, sx * sw))


def test_pairs_saturate_as_stored(explains, operands):
    x, w = operands
    (cx, sx, zx), (cw, sw) = unsigned(x, 1), symmetric(w, 0)
    sums = saturating(cx, cw)
    assert (sums != cx @ cw).any()
    output = scaled(sums - zx * cw.sum(0, keepdims=True), sx * sw)
    for acc in ("int32,overflow=saturate16", "x86/vpmaddubsw"):
        assert explains(f"w=int8/channel a=uint8/channel acc={acc}", output)
    assert not explains("w=int8/channel a=uint8/channel acc=int32", output)


def test_each_group_has_a_sum_of_its_own(explains, operands):
    x, w = operands
    cx, sx = symmetric(x, 1)
    output = np.zeros((M, N), F32)
    for k in range(0, K, 32):
        cw, sw = symmetric(w[k:k + 32], 0, 7)
        output = output + scaled(cx[:, k:k + 32] @ cw, sx * sw)
    assert explains("w=int4/group:32 a=int8/channel acc=int32", output)


def test_codes_of_floats_may_be_summed_before_their_scales_too(explains, operands):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x, w = operands
    sx, sw = (np.abs(a).max(axis, keepdims=True) / F32(448) for a, axis in ((x, 1), (w, 0)))
    cx, cw = ((a / s).astype(ml_dtypes.float8_e4m3fn).astype(np.float64) for a, s in ((x, sx), (w, sw)))
    exact = cx @ cw  # All partial sums are multiples of 2^-18 below 2^35: float64 holds them.
    spec = "float8_e4m3fn/channel,apply=after"
    assert explains(f"w={spec} a={spec} acc=float64 out=float32", scaled(exact, sx * sw))
