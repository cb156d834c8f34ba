"""Numbers that others have published or that follow from arithmetic, to the digits given.

Inputs come from NumPy's default_rng(0), a fresh one each. .npy files are [K, N] unless a test says otherwise.
"""

import json

import ml_dtypes
import numpy as np
import pytest

F32 = np.float32


@pytest.fixture
def measure(cli, tmp_path):
    """Returns run(weights, *flags): the report on weights w[K, N], errors of the weights."""

    def run(weights, *flags, status=0):
        np.save(tmp_path / "w.npy", weights)
        result = cli("measure", "--weights", "w.npy", "--error", "weights", "--format", "json", *flags)
        assert result.returncode == status, result.stderr
        return json.loads(result.stdout)

    return run


def policies(texts):
    return [word for text in texts for word in ("--policy", text)]


def errors_of(rows, key="max_abs_err"):
    return [row[key] for row in rows]


# ---- A zero column -----------------------------------------------------------------------------

SCALED = ["w=int8/tensor", "w=int8/channel", "w=int8/input", "w=int4/group:4", "w=int8/block:2x2", "w=uint8/channel",
          "w=int8/channel,zero=int", "w=uint8/channel,zero=float", "w=int8/channel,method=mse", "w=int8/channel,method=percentile:99",
          "w=int8/channel,round=stochastic", "w=float8_e4m3fn/channel", "w=float8_e5m2/group:4,scale=float8_e8m0fnu",
          "w=float8_e4m3fn/channel,scale=float8_e4m3fn", "w=mxfp8_e4m3", "w=mxfp6_e2m3,rule=rceil", "w=mxfp4,rule=nearest", "w=mxint8,rule=ceil", "w=nvfp4"]


@pytest.mark.parametrize("policy", SCALED)
def test_a_zero_column_stays_zero(measure, policy):
    zeros = np.zeros((8, 3), F32)
    zeros[::2, 1] = -0.0
    (row,) = measure(zeros, "--policy", policy, "--metrics", "all")["rows"]
    assert (row["max_abs_err"], row["mean_abs_err"], row["elements"], row["nonfinite_result"]) == (0, 0, 24, 0)
    for metric in ("sqnr_db", "rel_frobenius", "cosine", "max_rel_err"):
        assert row[metric] is None and row[f"{metric}_reason"] == "zero signal"
    # Beside another column, too: the signal is that one's, and the zeros add no error.
    mixed = np.zeros((8, 2), F32)
    mixed[:, 1] = np.linspace(-1, 1, 8)
    report = measure(mixed, "--policy", policy, "--worst", 2)
    (row,), (worst,) = report["rows"], report["worst"]
    assert row["elements"] == 16 and worst["channel"] == 1, "a channel of zeros is not ranked"
    assert (worst["max_abs_err"], worst["sqnr_db"]) == (row["max_abs_err"], row["sqnr_db"])


# ---- An outlier column -------------------------------------------------------------------------


def test_one_outlier_channel_cannot_hide(measure):
    w = (np.random.default_rng(0).standard_normal((512, 256)) * 0.02).astype(F32)
    w[:, 7] *= 100
    granularities = ("tensor", "input", "channel")
    texts = [f"w=int8/{granularity}" for granularity in granularities]
    report = measure(w, *policies(texts), "--worst", 256)
    assert [round(sqnr, 1) for sqnr in errors_of(report["rows"], "sqnr_db")] == [17.8, 28.9, 41.0]
    # Channel by channel, e^2 and r^2 follow from the worst channels' rows.
    signal = np.square(w.astype(np.float64)).sum(axis=0)
    others = {}
    for text in texts:
        rows = [row for row in report["worst"] if row["policy"] == text]
        assert sorted(row["channel"] for row in rows) == list(range(256))
        noise = {row["channel"]: signal[row["channel"]] * row["rel_frobenius"]**2 for row in rows}
        del noise[7]
        others[text] = 10 * np.log10(np.delete(signal, 7).sum() / sum(noise.values()))
        if text != "w=int8/channel":
            assert rows[-1]["channel"] == 7, "the outlier is the best of all channels, and hides the others"
    assert [round(others[text], 1) for text in texts] == [2.0, 13.1, 42.6]
    # Three lines are enough to see it.
    shown = [row for row in measure(w, *policies(texts), "--worst", 3)["worst"] if row["policy"] == "w=int8/tensor"]
    assert len(shown) == 3 and max(row["sqnr_db"] for row in shown) < 2.0


# ---- NaN and infinity --------------------------------------------------------------------------


@pytest.mark.parametrize("policy", SCALED + ["w=bfloat16", "w=float8_e4m3fn"])
def test_weights_that_are_not_finite_are_counted_and_left_out(measure, policy):
    # Only scales that channels share could tell the others of their presence; they come from finite values.
    w = np.random.default_rng(0).standard_normal((16, 6)).astype(F32)
    w[:, [1, 4]] = 0  # So that what remains of the channels left out moves no scale.
    clean = w.copy()
    w[3, 1], w[9, 4], w[2, 4] = np.nan, np.inf, -np.inf
    report = measure(w, "--policy", policy)
    assert (report["weights_nan"], report["weights_inf"], report["weights_first_nonfinite"], report["channels_left_out"]) == (1, 2, 2 * 6 + 4, 2)
    (row,), (whole,) = report["rows"], measure(clean, "--policy", policy)["rows"]
    assert (row["elements"], whole["elements"]) == (64, 96)
    assert row["max_abs_err"] == whole["max_abs_err"], "the others are unchanged"
    assert row["sqnr_db"] == pytest.approx(whole["sqnr_db"], rel=1e-12)


def test_strict_exits_3_and_prints_everything_first(measure, cli):
    report = measure(np.array([[1, np.nan], [2, 3]], F32), "--strict", "--policy", "w=int8/channel", status=3)
    assert (report["weights_nan"], report["weights_first_nonfinite"], report["rows"][0]["elements"]) == (1, 1, 2)
    measure(np.ones((2, 2), F32), "--strict", "--policy", "w=int8/channel")


# ---- Ranges and ties ---------------------------------------------------------------------------


def test_ties_go_where_the_policy_says(measure):
    # max|w| = 127 makes the scale 1: codes are values.
    w = np.array([[127], [2.5], [3.5], [-2.5]], F32)
    for rounding, value in (("even", [127, 2, 4, -2]), ("away", [127, 3, 4, -3]), ("zero", [127, 2, 3, -2])):
        (row,) = measure(w, "--policy", f"w=int8/channel,round={rounding}")["rows"]
        error = np.abs(np.array(value) - w[:, 0])
        assert row["mean_abs_err"] == error.mean() and row["max_abs_err"] == error.max()
        # The squares tell 4 from 3: 3.5 loses 0.5 either way, and so does the sum.
        assert row["rel_frobenius"] == pytest.approx(np.sqrt((error**2).sum() / (w**2).sum()), rel=1e-12)


@pytest.mark.parametrize("word, least, most", [("127", 0, 0), ("127.5", 1 - 0.99608, 1 - 0.99608), ("128", 0, 1 - 0.99219)])
def test_ranges_of_int8(measure, word, least, most):
    # -1 and 1 become -1 and 1, -0.99608 and 0.99608, -1 and 0.99219.
    (row,) = measure(np.array([[-1], [1]], F32), "--policy", f"w=int8/channel,range={word}")["rows"]
    assert row["max_abs_err"] == pytest.approx(most, abs=5e-6)
    assert row["mean_abs_err"] == pytest.approx((least + most) / 2, abs=5e-6)


def test_the_float16_scale_of_q8_0_loses_small_weights(measure):
    w = (np.linspace(-1, 1, 32) * 1e-5).astype(F32).reshape(32, 1)
    rows = measure(w, *policies(["w=q8_0", "w=q4_0"]))["rows"]
    assert [round(sqnr, 1) for sqnr in errors_of(rows, "sqnr_db")] == [12.3, 23.2]


# ---- Overflow of 8-bit floats ------------------------------------------------------------------


def cast_errors(measure, values, policy):
    """The error of each value by itself, or None where it became NaN or infinite."""
    return [measure(np.array([[value]], F32), "--policy", policy)["rows"][0]["max_abs_err"] for value in values]


def test_float8_overflows_or_saturates(measure):
    values = [448, 464, 464.001, 480]
    assert cast_errors(measure, values, "w=float8_e4m3fn") == [0, 16, None, None]
    assert cast_errors(measure, values, "w=float8_e4m3fn,overflow=saturate") == [float(F32(v)) - 448 for v in values]
    assert cast_errors(measure, [61439, 61440], "w=float8_e5m2") == [61439 - 57344, None]
    assert cast_errors(measure, [61439, 61440], "w=float8_e5m2,overflow=saturate") == [61439 - 57344, 61440 - 57344]


def test_float8_overflow_of_infinity_itself(cli):
    # An infinite weight is left out of a measurement; what becomes of it, `formats` says.
    for flags, values in (((), ["nan", "inf"]), (("--overflow", "saturate"), [448, 57344])):
        for name, value in zip(("float8_e4m3fn", "float8_e5m2"), values, strict=True):
            result = cli("formats", name, "--encode", "inf", "--format", "json", *flags)
            assert result.returncode == 0, result.stderr
            (row,) = json.loads(result.stdout)["encoded"]
            assert value in (row["value"], row["class"])


def test_overflow_is_counted_with_its_first_index(measure):
    # Stored [K, N], so element (k, n) = (1, 0) has index 2.
    (row,) = measure(np.array([[1, 448], [500, 600]], F32), "--policy", "w=float8_e4m3fn")["rows"]
    assert (row["nonfinite_result"], row["first_nonfinite_result"]) == (2, 2)
    (row,) = measure(np.array([[1, 448], [500, 600]], F32), "--policy", "w=float8_e4m3fn,overflow=saturate")["rows"]
    assert (row["saturated"], row["first_saturated"], row["max_abs_err"]) == (2, 2, 152)


# ---- Scales of MX blocks -----------------------------------------------------------------------


@pytest.mark.parametrize("rule, code", [("floor", 126), ("ceil", 127), ("rceil", 126), ("nearest", 125)])
def test_the_scale_of_an_mx_block(measure, rule, code):
    """Element 150 tells scales apart by what it saturates at; 2^-9 * scale is the least that is not flushed."""
    scale = 2.0**(code - 127)
    w = np.zeros((32, 1), F32)
    w[0], w[1], w[2] = 150, 2.0**-9 * scale, 2.0**-11 * scale
    (row,) = measure(w, "--policy", f"w=mxfp8_e4m3,rule={rule}")["rows"]
    assert row["flushed_to_zero"] == 1 and row["first_flushed_to_zero"] == 2
    values = (w[:1].astype(np.float64) / scale).astype(F32).clip(-448, 448).astype(ml_dtypes.float8_e4m3fn).astype(F32) * scale
    assert row["max_abs_err"] == abs(float(values[0, 0]) - 150)
    assert (rule == "nearest") == (float(values[0, 0]) == 112), "nearest clips 150 to 112"
    assert row["saturated"] == (1 if rule == "nearest" else 0)


@pytest.mark.parametrize("rule, value", [("floor", 896), ("rceil", 960)])
def test_floor_clips_957(measure, rule, value):
    (row,) = measure(np.full((32, 1), 957, F32), "--policy", f"w=mxfp8_e4m3,rule={rule}")["rows"]
    assert row["max_abs_err"] == abs(value - 957)
    assert row["saturated"] == (32 if rule == "floor" else 0)


# ---- SQNR of normal weights --------------------------------------------------------------------

SQNR = {
    "w=bfloat16": 55.59, "w=float16": 73.65,
    "w=int8/tensor": 38.30, "w=int8/channel": 41.24, "w=int8/group:128": 43.79, "w=int8/group:32": 45.44,
    "w=int4/tensor": 13.12, "w=int4/channel": 16.06, "w=int4/group:128": 18.61, "w=int4/group:32": 20.26,
    "w=float8_e4m3fn/tensor": 31.5, "w=float8_e5m2/tensor": 25.56, "w=float8_e5m2": 25.54,
    "w=mxfp8_e4m3": 30.65, "w=mxfp8_e4m3,rule=rceil": 31.52, "w=mxfp6_e2m3": 30.94, "w=mxfp6_e2m3,rule=rceil": 30.96,
    "w=mxfp4": 18.79, "w=mxfp4,rule=rceil": 18.76, "w=nvfp4": 20.44,
}
SQNR_OF_GGML = {"w=q8_0": 45.43, "w=q4_0": 21.32}


@pytest.fixture(scope="module")
def normal_matrix(tmp_path_factory):
    """4096 x 4096 normal weights, [K, N]: channels are columns, and groups run along the first axis."""
    path = tmp_path_factory.mktemp("normal") / "w.npy"
    np.save(path, np.random.default_rng(0).standard_normal((4096, 4096)).astype(F32))
    return path


def sqnr_of(cli, path, texts):
    result = cli("measure", "--weights", path, "--error", "weights", "--format", "json", *policies(texts))
    assert result.returncode == 0, result.stderr
    return {row["policy"]: row["sqnr_db"] for row in json.loads(result.stdout)["rows"]}


def assert_digits(measured, expected):
    """Each agrees to the digits that are given."""
    assert {name: round(value, len(str(expected[name]).partition(".")[2])) for name, value in measured.items()} == expected


def test_sqnr_of_normal_weights(cli, normal_matrix):
    assert_digits(sqnr_of(cli, normal_matrix, SQNR), SQNR)


def test_sqnr_of_normal_weights_in_ggml_blocks(cli, normal_matrix):
    assert_digits(sqnr_of(cli, normal_matrix, SQNR_OF_GGML), SQNR_OF_GGML)


# ---- Accumulators ------------------------------------------------------------------------------


def sums(cli, tmp_path, a, b, accumulations):
    """Measures a @ b with bfloat16 operands under each accumulation, and returns the rows."""
    np.save(tmp_path / "a.npy", a)
    np.save(tmp_path / "b.npy", b)
    flags = [part for text in accumulations for part in ("--policy", f"w=bfloat16 a=bfloat16 {text}")]
    result = cli("measure", "--weights", "b.npy", "--activations", "a.npy", *flags, "--format", "json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)["rows"]


@pytest.mark.parametrize("accumulator, stuck_at", [
    ("float32", 4096), ("bfloat16", 256), ("float16", 2048), ("float8_e4m3fn", 16), ("float8_e5m2", 8)])
def test_sums_of_ones_stop_growing(cli, tmp_path, accumulator, stuck_at):
    ones = np.ones((1, 4096), F32)
    row, = sums(cli, tmp_path, ones, ones.T.copy(), [f"acc={accumulator}"])
    assert row["max_abs_err"] == 4096 - stuck_at


def test_the_accumulator_is_not_the_output(cli, tmp_path):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((32, 4096)).astype(F32).astype(ml_dtypes.bfloat16).astype(F32)
    b = (rng.standard_normal((4096, 32)) / 64).astype(F32).astype(ml_dtypes.bfloat16).astype(F32)
    expected = {"acc=float32": 6.2e-7, "out=bfloat16": 1.7e-3, "acc=bfloat16/block:128,inner=float32": 6.8e-3,
                "acc=float16": 9.4e-3, "acc=bfloat16/block:8,inner=float32": 2.6e-2, "acc=bfloat16": 7.0e-2,
                "acc=float32/block:128,inner=bfloat16": 1.3e-2}
    rows = sums(cli, tmp_path, a, b, expected)
    for row, (text, error) in zip(rows, expected.items()):
        assert float(f"{row['rel_frobenius']:.1e}") == error, text
