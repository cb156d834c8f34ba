"""measure reads weights of any floating format, packed ones too."""

import json
import struct

import ml_dtypes
import numpy as np
import pytest


def safetensors(path, dtype, shape, data):
    header = json.dumps({"w": {"dtype": dtype, "shape": shape, "data_offsets": [0, len(data)]}}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + data)
    return path


def packed(codes, bits):
    """Codes one after another, each from its lowest bit on, in whole bytes."""
    stream = (codes.reshape(-1, 1) >> np.arange(bits) & 1).astype(np.uint8).reshape(-1)
    return np.packbits(stream, bitorder="little").tobytes()


def rows(cli, path):
    result = cli("measure", "--weights", path, "--error", "weights", "--format", "json", "--k-axis", "last")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    return report, [{key: row[key] for key in ("policy", "max_abs_err", "mean_abs_err", "sqnr_db")} for row in report["rows"]]


@pytest.mark.parametrize("word, name, bits", [
    ("F8_E4M3", "float8_e4m3fn", 8), ("F8_E5M2", "float8_e5m2", 8), ("F8_E4M3FNUZ", "float8_e4m3fnuz", 8),
    ("F8_E8M0", "float8_e8m0fnu", 8), ("F6_E2M3", "float6_e2m3fn", 6), ("F6_E3M2", "float6_e3m2fn", 6), ("F4", "float4_e2m1fn", 4)])
def test_a_matrix_means_the_same_in_a_narrow_format_and_in_float32(cli, tmp_path, word, name, bits):
    # An odd K, so that channels of packed formats begin inside a byte.
    codes = np.random.default_rng(0).integers(0, 2**bits, (16, 13), dtype=np.uint8)
    with np.errstate(invalid="ignore"):
        values = codes.view(getattr(ml_dtypes, name)).astype(np.float32)
        codes[~np.isfinite(values)] = 1
        values = codes.view(getattr(ml_dtypes, name)).astype(np.float32)
    wide = safetensors(tmp_path / "wide.safetensors", "F32", [16, 13], values.tobytes())
    narrow = safetensors(tmp_path / "narrow.safetensors", word, [16, 13], packed(codes, bits))
    report, errors = rows(cli, narrow)
    assert report["stored_dtype"] == word
    assert errors == rows(cli, wide)[1]


def test_float64_weights_are_measured_as_they_are(cli, tmp_path):
    w = np.random.default_rng(1).standard_normal((16, 13))
    wide = safetensors(tmp_path / "wide.safetensors", "F64", [16, 13], w.tobytes())
    report, errors = rows(cli, wide)
    assert report["stored_dtype"] == "F64"
    # float64 weights are rounded once to bfloat16: not by way of float32, which ml_dtypes does.
    as_float32 = w.astype(np.float32).astype(np.float64)
    assert (as_float32 != w).all()
    value = as_float32.astype(ml_dtypes.bfloat16).astype(np.float64)
    assert errors[0]["max_abs_err"] == np.abs(value - w).max()


@pytest.mark.parametrize("word, size", [("I8", 1), ("C64", 8)])
def test_other_elements_are_refused(cli, tmp_path, word, size):
    path = safetensors(tmp_path / "w.safetensors", word, [2, 3], bytes(6 * size))
    result = cli("measure", "--weights", f"{path}:w")
    assert (result.returncode, result.stdout) == (1, "")
    assert word in result.stderr and "expected a floating one" in result.stderr


def test_float64_activations_are_refused(cli, tmp_path):
    np.save(tmp_path / "w.npy", np.ones((3, 2), np.float32))
    np.save(tmp_path / "x.npy", np.ones((2, 3)))
    result = cli("measure", "--weights", "w.npy", "--activations", "x.npy")
    assert (result.returncode, result.stdout) == (1, "")
    assert "<f8" in result.stderr and "float32" in result.stderr


def test_elements_that_do_not_fill_bytes_are_refused(cli, tmp_path):
    path = safetensors(tmp_path / "w.safetensors", "F4", [1, 3], bytes(2))
    result = cli("measure", "--weights", path)
    assert result.returncode == 1
    assert "elements that fill whole bytes: 3 of 4 bits" in result.stderr
