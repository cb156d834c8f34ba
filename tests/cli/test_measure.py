"""measure on real and hostile weights, against numpy and exact arithmetic."""

import json
import math
import os
import struct
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

F32 = np.float32
BF16 = ml_dtypes.bfloat16


def write_safetensors(path, **tensors):
    """Writes arrays, or (dtype word, shape, bytes)."""
    header, data = {}, b""
    words = {"float32": "F32", "float16": "F16", "bfloat16": "BF16", "int64": "I64"}
    for name, array in tensors.items():
        word, shape, raw = array if isinstance(array, tuple) else (words[array.dtype.name], array.shape, array.tobytes())
        header[name] = {"dtype": word, "shape": list(shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)
    return path


def measure(cli, weights, *flags):
    result = cli("measure", "--weights", weights, "--format", "json", *flags)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def dequantized(w):
    """The three policies' weights, for w[K, N] in float32."""
    rounded = w.astype(BF16).astype(F32)
    absmax = np.abs(w).max(axis=0, keepdims=True)
    scale = np.where(absmax == 0, F32(1), absmax / F32(127))
    codes = np.clip(np.rint(w / scale), -127, 127)
    return [rounded, rounded, codes * scale]


def rounded_once(exact):
    """The float32 nearest to a Fraction, ties to even: float64 made odd first, so one rounding."""
    near = float(exact)
    if Fraction(near) != exact and struct.unpack("<Q", struct.pack("<d", near))[0] % 2 == 0:
        near = math.nextafter(near, math.inf if exact > Fraction(near) else -math.inf)
    return F32(near)


def fma_chain(x, w):
    """x[M, K] @ w[K, N], each step one float32 rounding of the exact sum."""
    out = np.zeros((x.shape[0], w.shape[1]), F32)
    for m, n in np.ndindex(*out.shape):
        total = F32(0)
        for k in range(x.shape[1]):
            total = rounded_once(Fraction(float(x[m, k])) * Fraction(float(w[k, n])) + Fraction(float(total)))
        out[m, n] = total
    return out


def assert_row(row, reference, value):
    """Holds a row to its definition; sums within the bound of n float64 additions."""
    error = value.astype(np.float64) - reference
    bound = 4 * error.size * 2.0**-53
    e2, r2 = math.fsum((error**2).ravel()), math.fsum((reference**2).ravel())
    assert row["max_abs_err"] == np.abs(error).max()
    assert row["mean_abs_err"] == pytest.approx(math.fsum(np.abs(error).ravel()) / error.size, rel=bound)
    assert row["rel_frobenius"] == pytest.approx(math.sqrt(e2 / r2), rel=bound)
    assert row["sqnr_db"] == pytest.approx(10 * math.log10(r2 / e2), rel=bound)
    assert row["elements"] == error.size and row["nonfinite_result"] == 0


def test_output_errors_are_those_of_exact_arithmetic(cli, tmp_path):
    rng = np.random.default_rng(1)
    w, x = rng.standard_normal((33, 5)).astype(F32), rng.standard_normal((3, 33)).astype(F32)
    np.save(tmp_path / "w.npy", w)
    np.save(tmp_path / "x.npy", x)
    report = measure(cli, "w.npy", "--activations", "x.npy")
    assert (report["m"], report["k"], report["n"], report["k_axis"]) == (3, 33, 5, "first")
    exact = np.array([[float(sum(Fraction(float(a)) * Fraction(float(b)) for a, b in zip(row, column)))
                       for column in w.T] for row in x])
    x16 = x.astype(BF16).astype(F32)
    w1, w2, w3 = dequantized(w)
    products = [fma_chain(x16, w1), fma_chain(x16, w2).astype(BF16).astype(F32), fma_chain(x, w3)]
    for row, product in zip(report["rows"], products, strict=True):
        error = np.abs(product.astype(np.float64) - exact)
        assert row["max_abs_err"] == pytest.approx(error.max(), rel=1e-9)  # The reference: 2^-50 of the sum.
        assert row["mean_abs_err"] == pytest.approx(error.mean(), rel=1e-7)


@pytest.mark.parametrize("dtype", [F32, np.float16, BF16])
@pytest.mark.parametrize("shape", [(1, 1), (3, 70), (1030, 65), (257, 64)])
def test_weight_errors_are_those_of_numpy(cli, tmp_path, dtype, shape):
    stored = (np.random.default_rng(2).standard_normal(shape) * 3).astype(dtype)
    write_safetensors(tmp_path / "w.safetensors", w=stored)
    report = measure(cli, "w.safetensors", "--error", "weights")
    assert report["k_axis"] == "last" and (report["n"], report["k"]) == shape
    w = stored.astype(F32).T
    for row, value in zip(report["rows"], dequantized(w), strict=True):
        if (value == w).all():
            assert row["max_abs_err"] == 0 and row["sqnr_db"] is None and row["sqnr_db_reason"] == "exact"
        else:
            assert_row(row, w.astype(np.float64), value)


def test_bytes_are_those_of_each_policy(cli, tmp_path):
    np.save(tmp_path / "w.npy", np.ones((6, 4), F32))
    rows = measure(cli, "w.npy")["rows"]
    assert [(r["weight_bytes"], r["scale_bytes"], r["padding_bytes"]) for r in rows] == [(48, 0, 0), (48, 0, 0), (24, 16, 0)]
    assert [r["policy_text"] for r in rows] == [
        "w=bfloat16 a=bfloat16 acc=float32 out=float32", "w=bfloat16 a=bfloat16 acc=float32 out=bfloat16",
        "w=int8/channel a=float32 acc=float32 out=float32"]


def test_minilm(cli, minilm):
    """A real checkpoint: every weight matrix is accepted; two are held to numpy in full."""
    header = json.loads(minilm.read_bytes()[8:8 + struct.unpack("<Q", minilm.read_bytes()[:8])[0]])
    data = 8 + struct.unpack("<Q", minilm.read_bytes()[:8])[0]
    matrices = [name for name, info in header.items() if name != "__metadata__" and info["dtype"] == "F32" and len(info["shape"]) == 2]
    assert len(matrices) == 40
    for name in ("encoder.layer.0.attention.self.query.weight", "embeddings.position_embeddings.weight"):
        info = header[name]
        begin, end = info["data_offsets"]
        w = np.frombuffer(minilm.read_bytes()[data + begin:data + end], F32).reshape(info["shape"]).T
        for row, value in zip(measure(cli, f"{minilm}:{name}", "--error", "weights")["rows"], dequantized(w), strict=True):
            assert_row(row, w.astype(np.float64), value)
        report = measure(cli, f"{minilm}:{name}")
        assert report["m"] == 64 and report["k"] == info["shape"][1]
        assert all(0 < row["max_abs_err"] < 1 and row["sqnr_db"] > 30 for row in report["rows"])
    several = cli("measure", "--weights", minilm)
    assert several.returncode == 2 and "and 30 more" in several.stderr
    mistyped = cli("measure", "--weights", f"{minilm}:encoder.layer.0.attention.self.qury.weight")
    assert mistyped.returncode == 1 and "encoder.layer.0.attention.self.query.weight" in mistyped.stderr
    unsuited = cli("measure", "--weights", f"{minilm}:embeddings.position_ids")
    assert unsuited.returncode == 1 and "I64" in unsuited.stderr


def test_threads_and_instruction_sets_do_not_change_a_digit(cli, tmp_path):
    np.save(tmp_path / "w.npy", np.random.default_rng(3).standard_normal((300, 333)).astype(F32))
    outputs = []
    for flags in (("--threads", 1), ("--threads", 3), ("--isa", "baseline"), ("--isa", "avx2"), ("--isa", "avx512")):
        for error in ("output", "weights"):
            result = cli("measure", "--weights", "w.npy", "--error", error, "--format", "json", *flags)
            if result.returncode == 2:
                continue  # This machine has no such set.
            report = json.loads(result.stdout)
            outputs.append((error, json.dumps(report["rows"])))
    assert len(set(outputs)) == 2


def test_seeds_change_the_activations(cli, tmp_path):
    np.save(tmp_path / "w.npy", np.random.default_rng(4).standard_normal((16, 8)).astype(F32))
    one, same, other = (measure(cli, "w.npy", "--seed", seed)["rows"] for seed in (5, 5, -5))
    assert one == same and one != other


def test_nan_and_inf_are_counted_and_their_channels_left_out(cli, tmp_path):
    w = np.random.default_rng(5).standard_normal((8, 70)).astype(F32)
    clean = np.delete(w, [3, 66], axis=1)
    w[2, 3], w[5, 66], w[6, 66] = np.nan, np.inf, -np.inf
    np.save(tmp_path / "w.npy", w)
    np.save(tmp_path / "clean.npy", clean)
    for error in ("output", "weights"):
        report = measure(cli, "w.npy", "--error", error)
        expected = measure(cli, "clean.npy", "--error", error)
        assert (report["weights_nan"], report["weights_inf"], report["weights_first_nonfinite"], report["channels_left_out"]) == (1, 2, 143, 2)
        keys = ("max_abs_err", "mean_abs_err", "sqnr_db", "rel_frobenius", "elements")
        assert [[r[k] for k in keys] for r in report["rows"]] == [[r[k] for k in keys] for r in expected["rows"]]
    strict = cli("measure", "--weights", "w.npy", "--strict", "--format", "json")
    assert strict.returncode == 3 and json.loads(strict.stdout)["weights_nan"] == 1 and "--strict" in strict.stderr


def test_rows_of_activations_that_are_not_finite_are_left_out(cli, tmp_path):
    rng = np.random.default_rng(6)
    np.save(tmp_path / "w.npy", rng.standard_normal((8, 4)).astype(F32))
    x = rng.standard_normal((5, 8)).astype(F32)
    np.save(tmp_path / "clean.npy", np.delete(x, 2, axis=0))
    x[2, 1] = np.nan
    np.save(tmp_path / "x.npy", x)
    report = measure(cli, "w.npy", "--activations", "x.npy")
    assert (report["activations_nan"], report["activations_first_nonfinite"], report["rows_left_out"]) == (1, 17, 1)
    expected = measure(cli, "w.npy", "--activations", "clean.npy")
    assert [r["mean_abs_err"] for r in report["rows"]] == [r["mean_abs_err"] for r in expected["rows"]]


def test_the_order_of_a_file_does_not_change_indices(cli, tmp_path):
    np.save(tmp_path / "w.npy", np.ones((8, 4), F32))
    x = np.ones((5, 8), F32)
    x[2, 1] = x[4, 0] = np.nan
    for order in (np.ascontiguousarray, np.asfortranarray):
        np.save(tmp_path / "x.npy", order(x))
        report = measure(cli, "w.npy", "--activations", "x.npy")
        assert (report["activations_nan"], report["activations_first_nonfinite"], report["rows_left_out"]) == (2, 17, 2)


def test_zero_weights_have_no_signal_and_no_error(cli, tmp_path):
    w = np.zeros((4, 3), F32)
    w[1] = -0.0
    np.save(tmp_path / "w.npy", w)
    for row in measure(cli, "w.npy", "--error", "weights")["rows"]:
        assert row["max_abs_err"] == 0 and row["sqnr_db"] is None and row["sqnr_db_reason"] == "zero signal"


@pytest.mark.parametrize("shape, n", [((0, 3), 64 * 3), ((3, 0), 0), ((0, 0), 0)])
def test_empty_matrices_are_defined(cli, tmp_path, shape, n):
    np.save(tmp_path / "w.npy", np.zeros(shape, F32))
    for row in measure(cli, "w.npy")["rows"]:
        assert row["elements"] == n
        assert row["max_abs_err"] == (0 if n else None)
        assert row["sqnr_db_reason"] == ("zero signal" if n else "no elements")


def test_an_overflowing_result_is_counted_not_averaged(cli, tmp_path):
    np.save(tmp_path / "w.npy", np.full((4, 2), 3.4e38, F32))
    rows = measure(cli, "w.npy", "--error", "weights")["rows"]
    assert rows[0]["nonfinite_result"] == 8 and rows[0]["first_nonfinite_result"] == 0
    assert rows[0]["max_abs_err"] is None and rows[0]["max_abs_err_reason"] == "nonfinite result"
    assert rows[2]["nonfinite_result"] == 0 and rows[2]["max_abs_err"] is not None


def test_k_axis_overrides_the_files_own(cli, tmp_path):
    w = np.random.default_rng(7).standard_normal((6, 9)).astype(F32)
    np.save(tmp_path / "w.npy", w)
    write_safetensors(tmp_path / "w.safetensors", w=w)
    assert measure(cli, "w.npy", "--k-axis", "last")["rows"] == measure(cli, "w.safetensors")["rows"]


def test_bfloat16_npy_must_be_named(cli, tmp_path):
    w = np.random.default_rng(8).standard_normal((6, 9)).astype(BF16)
    np.save(tmp_path / "w.npy", w)
    refused = cli("measure", "--weights", "w.npy")
    assert refused.returncode == 1 and "--npy-dtype" in refused.stderr
    np.save(tmp_path / "f.npy", w.astype(F32))
    assert measure(cli, "w.npy", "--npy-dtype", "bfloat16")["rows"] == measure(cli, "f.npy")["rows"]


def test_fortran_order_and_big_endian_are_the_same_matrix(cli, tmp_path):
    w = np.random.default_rng(9).standard_normal((6, 9)).astype(F32)
    np.save(tmp_path / "c.npy", w)
    np.save(tmp_path / "f.npy", np.asfortranarray(w))
    np.save(tmp_path / "b.npy", w.astype(">f4"))
    rows = [measure(cli, name)["rows"] for name in ("c.npy", "f.npy", "b.npy")]
    assert rows[0] == rows[1] == rows[2]


def test_a_depth_beyond_memory_is_refused_before_the_work(cli, tmp_path):
    # 2^36 zeros that take no disk space: a panel of them would take 50 TB.
    with open(tmp_path / "deep.npy", "wb") as f:
        np.lib.format.write_array_header_1_0(f, {"descr": "<f4", "fortran_order": False, "shape": (2**36, 1)})
        f.truncate(f.tell() + 2**38)
    result = cli("measure", "--weights", "deep.npy", "--error", "weights")
    assert result.returncode == 1 and "not enough memory" in result.stderr


def test_a_device_is_never_replaced(cli, tmp_path):
    (tmp_path / "null").symlink_to("/dev/null")
    np.save(tmp_path / "w.npy", np.ones((2, 2), F32))
    result = cli("measure", "--weights", "w.npy", "--out", "null")
    assert result.returncode == 1 and "no regular file" in result.stderr
    assert (tmp_path / "null").is_char_device()


@pytest.fixture
def bad_inputs(tmp_path):
    np.save(tmp_path / "vector.npy", np.ones(3, F32))
    np.save(tmp_path / "integers.npy", np.ones((3, 3), np.int64))
    np.save(tmp_path / "w.npy", np.ones((3, 3), F32))
    np.save(tmp_path / "x.npy", np.ones((2, 4), F32))
    np.save(tmp_path / "object.npy", np.array([[1, "x"]], dtype=object), allow_pickle=True)
    (tmp_path / "short.npy").write_bytes((tmp_path / "w.npy").read_bytes()[:-1])
    (tmp_path / "empty.npy").write_bytes(b"")
    (tmp_path / "text.txt").write_text("hello")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    write_safetensors(tmp_path / "two.safetensors", query=np.ones((2, 2), F32), key=np.ones((2, 2), F32))
    return tmp_path


@pytest.mark.parametrize("weights, flags, status, words", [
    ("absent.npy", (), 1, ("absent.npy", "not found")),
    ("folder", (), 1, ("folder", "regular file")),
    ("fifo", (), 1, ("fifo", "regular file")),
    ("/dev/zero", (), 1, ("/dev/zero", "regular file")),
    ("empty.npy", (), 1, ("empty.npy",)),
    ("text.txt", (), 1, ("text.txt", ".npy or .safetensors")),
    ("short.npy", (), 1, ("short.npy",)),
    ("object.npy", (), 1, ("object.npy", "object")),
    ("vector.npy", (), 1, ("vector.npy", "[3]")),
    ("integers.npy", (), 1, ("integers.npy", "<i8")),
    ("two.safetensors", (), 2, ("query", "key")),
    ("two.safetensors:quer", (), 1, ("query",)),
    ("two.safetensors:query:x", (), 1, ("query:x",)),
    ("w.npy:tensor", (), 1, ("tensor",)),
    ("w.npy", ("--activations", "x.npy"), 1, ("K = 3", "[2, 4]")),
    ("w.npy", ("--activations", "vector.npy"), 1, ("vector.npy",)),
    ("w.npy", ("--npy-dtype", "bfloat16"), 2, ("w.npy", "<f4")),
    ("w.npy", ("--out", "folder"), 1, ("folder",))])
def test_bad_input_names_the_thing_and_prints_no_result(cli, bad_inputs, weights, flags, status, words):
    before = sorted(bad_inputs.iterdir())
    result = cli("measure", "--weights", weights, *flags)
    assert result.returncode == status, result.stderr
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1 and result.stderr.startswith("narrowgauge: error: ")
    for word in words:
        assert word in result.stderr
    assert sorted(bad_inputs.iterdir()) == before
