"""measure with policies, presets, conventions, metrics and random operands: what it says, and what it refuses."""

import csv
import io
import itertools
import json

import numpy as np
import pytest

F32 = np.float32

ROW_KEYS = ["policy", "max_abs_err", "mean_abs_err", "sqnr_db", "rel_frobenius", "weight_bytes", "scale_bytes", "padding_bytes",
            "bits_per_weight", "elements", "nonfinite_result", "first_nonfinite_result", "saturated", "first_saturated",
            "flushed_to_zero", "first_flushed_to_zero", "sign_flipped", "first_sign_flipped", "zero_scales", "first_zero_scales",
            "subnormal_scales", "first_subnormal_scales", "underflowed_scales", "first_underflowed_scales", "overflowed_scales",
            "first_overflowed_scales", "activations_saturated", "backward_over_zero", "hardware_evidence", "policy_text"]
FACT_KEYS = ["weights", "stored_dtype", "k", "n", "k_axis", "m", "activations", "seed", "error_of", "reference", "backend", "kernel", "isa",
             "weights_nan", "weights_inf", "weights_first_nonfinite", "channels_left_out",
             "activations_nan", "activations_inf", "activations_first_nonfinite", "rows_left_out"]
METRICS = ["max_abs_err", "mean_abs_err", "sqnr_db", "rel_frobenius", "max_rel_err", "cosine", "ulp_err", "backward_err"]

# One of every kind of scale, zero point, method, rounding and accumulator.
POLICIES = ["w=bfloat16 a=bfloat16", "w=int8/tensor a=int8/tensor", "w=int8/channel a=float8_e4m3fn/channel", "w=int8/input",
            "w=int4/group:32,scale=bfloat16", "w=float8_e4m3fn/block:16x32 a=float8_e4m3fn/group:16 out=bfloat16", "w=mxfp8_e4m3 a=mxfp8_e4m3",
            "w=mxfp4,rule=rceil", "w=nvfp4 a=nvfp4", "w=q8_0", "w=uint4/channel,zero=int", "w=uint4/group:64,zero=float",
            "w=int8/channel,round=stochastic a=int8/tensor,round=stochastic", "w=int4/tensor,method=percentile:99",
            "w=int4/channel,method=mse", "w=int8/block:8x8,method=mse", "w=bfloat16 a=bfloat16 acc=bfloat16",
            "w=int8/channel acc=bfloat16/block:128,inner=float32", "w=int8/channel,like=qwix/int8", "w=tf32 a=tf32",
            "w=int8/channel a=int8/channel acc=int32", "w=int4/group:32 a=uint8/tensor acc=int32,overflow=wrap", "acc=float32,passes=3",
            "w=int8/channel a=uint8/channel acc=x86/vpmaddubsw", "w=mxfp8_e4m3,apply=after a=mxfp8_e4m3,apply=after acc=nvidia/b200", "acc=tpu/v5e,passes=6"]


def as_flags(texts, flag="--policy"):
    return [word for text in texts for word in (flag, text)]


# ---- What it says ------------------------------------------------------------------------------


def without_reasons(mapping):
    return [key for key in mapping if not key.endswith("_reason")]


@pytest.mark.parametrize("policy", POLICIES)
def test_keys_do_not_depend_on_the_policy(report, policy):
    parsed = report("--random", "3x64x40", "--policy", policy)
    assert parsed["schema"] == "narrowgauge.measure/1"
    assert without_reasons(parsed) == ["schema", *FACT_KEYS, "rows", "notes"]
    assert without_reasons(parsed["rows"][0]) == ROW_KEYS


def test_keys_do_not_depend_on_the_data(report, tmp_path):
    np.save(tmp_path / "w.npy", np.array([[np.nan, 0], [np.inf, 0]], F32))
    for flags in (("--weights", "w.npy"), ("--random", "0x2x3"), ("--random", "2x0x3"), ("--random", "2x3x0")):
        (row,) = report(*flags, "--policy", "w=int8/channel")["rows"]
        assert without_reasons(row) == ROW_KEYS
    parsed = report("--weights", "w.npy", "--policy", "w=int8/channel", "--error", "weights")
    assert without_reasons(parsed["rows"][0]) == ROW_KEYS
    assert [key for key in FACT_KEYS if key not in parsed] == ["m", "activations", "activations_nan", "activations_inf",
                                                                "activations_first_nonfinite", "rows_left_out"]


def test_metrics_are_columns_in_the_order_asked_for(report):
    flags = ("--random", "3x64x40", "--policy", "w=int8/channel a=int8/channel")
    (every,) = report(*flags, "--metrics", "all")["rows"]
    assert without_reasons(every)[1:1 + len(METRICS)] == METRICS
    (two,) = report(*flags, "--metrics", "cosine,max_abs_err")["rows"]
    assert without_reasons(two)[1:3] == ["cosine", "max_abs_err"] and "sqnr_db" not in two
    assert two["cosine"] == every["cosine"] and two["max_abs_err"] == every["max_abs_err"]
    (default,) = report(*flags)["rows"]
    assert {key: every[key] for key in METRICS[:4]} == {key: default[key] for key in METRICS[:4]}


def test_metrics_of_weights_are_those_of_numpy(report, tmp_path):
    w = np.random.default_rng(0).standard_normal((64, 40)).astype(F32)
    np.save(tmp_path / "w.npy", w)
    (row,) = report("--weights", "w.npy", "--error", "weights", "--policy", "w=float16", "--metrics", "all")["rows"]
    value = w.astype(np.float16).astype(np.float64)
    r = w.astype(np.float64)
    e = np.abs(value - r)
    assert row["max_rel_err"] == (e / np.abs(r)).max()
    assert row["cosine"] == pytest.approx((r * value).sum() / np.sqrt((r * r).sum() * (value * value).sum()), rel=1e-14)
    assert row["ulp_err"] == (e / np.spacing(np.abs(w)).astype(np.float64)).max()
    assert row["backward_err"] is None and row["backward_err_reason"] == "no product"
    # Products: |e| against |x| |w|.
    x = np.random.default_rng(1).standard_normal((5, 64)).astype(F32)
    np.save(tmp_path / "x.npy", x)
    (row,) = report("--weights", "w.npy", "--activations", "x.npy", "--policy", "w=int8/channel", "--metrics", "backward_err,max_abs_err")["rows"]
    bound = row["max_abs_err"] / (np.abs(x).astype(np.float64) @ np.abs(r))
    assert bound.min() <= row["backward_err"] <= bound.max() and row["backward_over_zero"] == 0


def test_a_policy_has_one_name_however_it_is_typed(report):
    typed = ["w=i8/channel", "  out=f32  acc=fp32 w=int8/channel,range=127", "a=f32 w=int8/channel"]
    rows = report("--random", "2x8x4", *as_flags(typed))["rows"]
    assert [row["policy"] for row in rows] == ["w=int8/channel"] * 3
    assert len({json.dumps(row) for row in rows}) == 1
    (row,) = report("--random", "2x8x4", "--policy", "w=mxfp4 a=bfloat16 out=bfloat16")["rows"]
    assert (row["policy"], row["policy_text"]) == ("w=mxfp4 a=bfloat16 out=bfloat16", "w=mxfp4 a=bfloat16 acc=float32 out=bfloat16")
    again = report("--random", "2x8x4", "--policy", row["policy_text"])["rows"]
    assert again == [row]


def test_presets_come_first_and_conventions_multiply(report):
    flags = ("--random", "2x64x8")
    preset = report(*flags, "--preset", "mx")["rows"]
    assert len(preset) == 10
    both = report(*flags, "--preset", "mx", "--policy", "w=int8/tensor")["rows"]
    assert both[:-1] == preset and both[-1]["policy"] == "w=int8/tensor"
    assert [row["policy"] for row in report(*flags)["rows"]] == ["bf16 (fp32 accum)", "bf16 (bf16 accum)", "int8 per-col (fp32 accum)"]
    liked = report(*flags, "--policy", "w=int8/channel", "--like", "qwix", "--like", "onnxruntime/int8")["rows"]
    assert [row["policy"] for row in liked] == ["w=int8/channel like qwix/int8", "w=int8/channel like onnxruntime/int8"]
    assert [row["policy_text"].split()[0] for row in liked] == ["w=int8/channel,like=qwix/int8", "w=int8/channel,like=onnxruntime/int8"]
    (alone,) = report(*flags, "--like", "qwix/int8")["rows"]
    assert alone["policy"] == "qwix/int8" and alone["sqnr_db"] == liked[0]["sqnr_db"]


def test_random_operands_are_drawn_from_the_seed(report):
    one, same, other = (report("--random", "2x8x4", "--seed", seed) for seed in (3, 3, 4))
    assert one == same and one["rows"] != other["rows"]
    assert (one["m"], one["k"], one["n"], one["weights"], one["activations"], one["k_axis"]) == (2, 8, 4, "normal(seed)", "normal(seed)", "first")


def test_activations_of_random_weights_have_their_m_and_k(report, cli, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((2, 8), F32))
    assert report("--random", "2x8x4", "--activations", "x.npy")["activations"] == "x.npy"
    for shape, word in (("3x8x4", "M = 3"), ("2x9x4", "K = 9")):
        result = cli("measure", "--random", shape, "--activations", "x.npy")
        assert (result.returncode, result.stdout) == (1, "") and word in result.stderr and "[2, 8]" in result.stderr


def test_the_worst_channels_are_the_worst(report, tmp_path):
    w = np.random.default_rng(0).standard_normal((32, 50)).astype(F32)
    w[:, 11] *= 1e-3
    w[0, 30] = 50  # One large weight makes its channel's scale too coarse for the others.
    w[:, 40] = 0
    np.save(tmp_path / "w.npy", w)
    flags = ("--weights", "w.npy", "--error", "weights", *as_flags(["w=int8/channel", "w=int8/tensor"]))
    assert "worst" not in report(*flags) and "worst" not in report(*flags, "--worst", 0)
    worst = report(*flags, "--worst", 3)["worst"]
    assert [row["policy"] for row in worst] == ["w=int8/channel"] * 3 + ["w=int8/tensor"] * 3
    for _, rows in itertools.groupby(worst, lambda row: row["policy"]):
        sqnr = [row["sqnr_db"] for row in rows]
        assert sqnr == sorted(sqnr)
    assert worst[3]["channel"] == 11 and worst[3]["sqnr_db"] == 0, "all of it became 0"
    ranked = report(*flags, "--worst", 1000)["worst"]
    assert len(ranked) == 2 * 49 and all(row["channel"] != 40 for row in ranked), "a channel of zeros has no SQNR"
    assert worst == [*ranked[:3], *ranked[49:52]]
    # The rows are those of the whole: channel by channel, the largest error is the largest.
    rows = report(*flags)["rows"]
    for row, channels in ((rows[0], ranked[:49]), (rows[1], ranked[49:])):
        assert max(channel["max_abs_err"] for channel in channels) == row["max_abs_err"]


# ---- One answer --------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["output", "weights"])
def test_threads_and_instruction_sets_do_not_change_a_byte(cli, error):
    flags = ("measure", "--random", "5x200x150", "--error", error, "--metrics", "all", "--worst", 7, "--format", "json", *as_flags(POLICIES))
    texts = set()
    for how in (("--threads", 1), ("--threads", 2), ("--threads", 5), *(("--isa", isa, "--threads", 3) for isa in (
            "baseline", "avx2", "avx512", "avx512_vnni", "avx512_bf16", "amx_bf16"))):
        result = cli(*flags, *how)
        if result.returncode == 2 and how[0] == "--isa" and "baseline" not in how:
            continue  # This machine has no such set.
        assert result.returncode == 0, result.stderr
        lines = result.stdout.splitlines()
        assert sum(line.lstrip().startswith('"isa":') for line in lines) == 1
        texts.add("\n".join(line for line in lines if not line.lstrip().startswith('"isa":')))
    assert len(texts) == 1


# ---- What it refuses ---------------------------------------------------------------------------


@pytest.mark.parametrize("flags, words", [
    (("--weights", "w.npy", "--random", "1x2x3"), ("--weights", "--random")),
    ((), ("--weights", "--random")),
    (("--activations", "x.npy"), ("--weights", "--random")),
    (("--policy", "w=int8/channel"), ("--weights", "--random")),
    (("--compare-conventions",), ("--weights", "--random")),
    (("--compare-conventions", "--explain"), ("--weights", "--random")),
    (("--explain", "--activations", "x.npy"), ("--weights", "--random")),
    (("--random", "1x2x3", "--activations", "x.npy", "--error", "weights"), ("--activations",)),
    (("--random", "1x2x3", "--k-axis", "last"), ("--k-axis",)),
    (("--random", "1x2"), ("MxKxN",)), (("--random", "1x2x3x4"), ("MxKxN",)), (("--random", "1x-2x3"), ("MxKxN",)),
    (("--random", "1x2x3.5"), ("MxKxN",)), (("--random", "x2x3"), ("MxKxN",)), (("--random", "1x2x9223372036854775808"), ("MxKxN",)),
    (("--random", "1x2x3", "--metrics", "sqnr"), ("sqnr_db", "nearest")), (("--random", "1x2x3", "--metrics", "cosine,cosine"), ("cosine",)),
    (("--random", "1x2x3", "--metrics", ","), ("max_abs_err",)),
    (("--random", "1x2x3", "--preset", "mxx"), ("tutorial", "nearest: mx")),
    (("--random", "1x2x3", "--dot-algorithm", "BF16_BF16_F32_X4"), ("nearest: BF16_BF16_F32_X3",)),
    (("--random", "1x2x3", "--dot-algorithm", "BF16_BF16_F32_X9/tpu"), ("BF16_BF16_F32_X9/tpu", "not supported")),
    (("--random", "1x2x3", "--dot-algorithm", "F16_F16_F16", "--hardware", "nvidia/h100"), ("says how it sums",)),
    (("--random", "1x2x3", "--dot-algorithm", "BF16_BF16_F32_X3", "--hardware", "x86/vpmaddubsw"), ("uint8 with int8", "parts=bfloat16")),
    (("--random", "1x2x3", "--policy", "w=int8"), ("scale",)), (("--random", "1x2x3", "--policy", "int8/channel"), ("w=int8/channel",)),
    (("--random", "1x2x3", "--policy", ""), ("w=int8/channel",)), (("--random", "1x2x3", "--policy", "w=int88/channel"), ("nearest: int8",)),
    (("--random", "1x2x3", "--policy", "w=int8/chanel"), ("nearest: channel",)), (("--random", "1x2x3", "--policy", "w=int8/channel w=int4/channel"), ("once",)),
    (("--random", "1x2x3", "--policy", "w=e4m3/channel"), ("float8_e4m3fn", "float8_e4m3")),
    (("--random", "1x2x3", "--policy", "w=int8/input,apply=after"), ("every k", "apply=before")),
    (("--random", "1x2x3", "--policy", "acc=float32,passes=4"), ("3, 6, 9",)),
    (("--random", "1x2x3", "--policy", "acc=nvidia/h100"), ("nvidia/h100",)), (("--random", "1x2x3", "--policy", "acc=h100"), ("h100",)),
    (("--random", "1x2x3", "--policy", "acc=int32"), ("w=int8/channel",)), (("--random", "1x2x3", "--policy", "w=int8/channel a=bfloat16 acc=nvidia/a100"), ("float16, bfloat16, tf32",)),
    (("--random", "1x2x3", "--policy", "acc=e8m13"), ("aligned:32,bits=13",)), (("--random", "1x2x3", "--policy", "acc=nvidia/h10"), ("nearest: nvidia/h100",)),
    (("--random", "1x2x3", "--like", "qwicks"), ("qwix",)), (("--random", "1x2x3", "--like", "qwix/int9"), ("int8",)),
    (("--random", "1x2x3", "--policy", "w=nvfp4", "--like", "ggml/q8_0"), ("ggml/q8_0",)),
    (("--random", "1x2x3", "--worst", "-1"), ("--worst",)), (("--random", "1x2x3", "--worst", "10001"), ("--worst", "10000")),
    (("--random", "1x2x3", "--threads", "-1"), ("--threads",)), (("--random", "1x2x3", "--format", "jsn"), ("nearest: json",)),
    (("--explain", "--policy", "w=int8"), ("scale",)), (("--explain", "--format", "jsn"), ("nearest: json",)),
    (("--random", "1x2x3", "--compare-conventions", "--like", "qwix"), ("--like",)),
    (("--random", "1x2x3", "--compare-conventions", "--preset", "mx"), ("--preset",)),
    (("--random", "1x2x3", "--compare-conventions", "--policy", "w=int8/channel", "--policy", "w=int4/channel"), ("one policy",)),
    (("--random", "1x2x3", "--compare-conventions", "--policy", "w=bfloat16"), ("scales", "bfloat16")),
    (("--random", "1x2x3", "--compare-conventions", "--policy", "w=int8/channel,like=qwix/int8"), ("like=",))])
def test_wrong_words_exit_2_and_print_nothing_on_stdout(cli, tmp_path, flags, words):
    result = cli("measure", *flags)
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    assert len(result.stderr.splitlines()) == 1 and result.stderr.startswith("narrowgauge: error: ")
    for word in words:
        assert word in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("shape, words", [
    ("9223372036854775807x2x2", "64 bits"), ("2x9223372036854775807x2", "64 bits"), ("2x2x9223372036854775807", "64 bits"),
    ("9223372036854775807x1x1", "memory"), ("1x9223372036854775807x1", "memory"), ("1x1x9223372036854775807", "memory"),
    ("0x9223372036854775807x0", "memory"), ("1x4000000000000x1", "memory"), ("4000000000000x1x1", "memory"), ("1x1x4000000000000", "memory"),
    ("9223372036854775807x0x0", "without elements"), ("0x0x9223372036854775807", "without elements")])
@pytest.mark.parametrize("flags", [(), ("--compare-conventions", "--error", "output")])
def test_sizes_beyond_the_machine_are_refused_before_the_work(cli, shape, words, flags):
    result = cli("measure", "--random", shape, *flags)
    assert (result.returncode, result.stdout) == (1, ""), result.stderr
    assert words in result.stderr and len(result.stderr.splitlines()) == 1


def test_running_out_of_memory_is_a_failure_and_no_crash(cli):
    # Somewhere among these limits each allocation fails, those of helper threads too.
    statuses = set()
    for kilobytes in range(50_000, 120_000, 10_000):
        result = cli("measure", "--random", "2x40000x70", "--preset", "weights", "--threads", 2, prefix=("sh", "-c", f'ulimit -v {kilobytes}; exec "$0" "$@"'))
        assert result.returncode in (0, 1) and (result.returncode == 0 or result.stdout == ""), result.stderr
        statuses.add(result.returncode)
    assert 1 in statuses


def test_a_matrix_that_a_package_refuses_is_bad_data(cli, tmp_path):
    result = cli("measure", "--random", "1x33x4", "--policy", "w=q8_0,like=ggml/q8_0")
    assert (result.returncode, result.stdout) == (1, "") and "33" in result.stderr
    np.save(tmp_path / "w.npy", np.ones((0, 1 << 40), F32))
    result = cli("measure", "--weights", "w.npy")
    assert (result.returncode, result.stdout) == (1, "") and "without elements" in result.stderr


# ---- Nothing to measure ------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_empty_matrices_have_no_numbers_and_no_nan(report, tmp_path, policy):
    flags = ("--policy", policy, "--metrics", "all", "--worst", 3)
    for shape in ((0, 5), (5, 0), (0, 0)):
        np.save(tmp_path / "w.npy", np.zeros(shape, F32))
        (row,) = report("--weights", "w.npy", *flags, "--error", "weights")["rows"]
        assert row["elements"] == 0 and all(row[key] is None and row[f"{key}_reason"] in ("no elements", "no product") for key in METRICS)
    for shape in ("0x64x5", "4x64x0", "0x0x5", "0x0x0"):
        parsed = report("--random", shape, *flags)
        (row,) = parsed["rows"]
        assert parsed["worst"] == [] and row["elements"] == 0
        assert all(row[key] is None and row[f"{key}_reason"] == "no elements" for key in METRICS)
    (row,) = report("--random", "4x0x5", *flags)["rows"]
    assert row["elements"] == 20, "K = 0 gives zeros"
    assert (row["max_abs_err"], row["mean_abs_err"], row["ulp_err"]) == (0, 0, 0)
    assert [row[f"{key}_reason"] for key in METRICS if row[key] is None] == ["zero signal"] * 4 + ["zero operands"]


# ---- --explain ---------------------------------------------------------------------------------


def test_explain_without_data_prints_words_only(cli):
    result = cli("measure", "--explain", "--policy", "w=i8/channel", "--policy", "w=nvfp4")
    assert result.returncode == 0 and result.stderr == ""
    for word in ("w=int8/channel", "w=int8/channel a=float32 acc=float32 out=float32", "max|w| / 127", "w=nvfp4"):
        assert word in result.stdout
    assert "sqnr_db" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 104


def test_explain_without_data_in_other_formats(cli):
    flags = ("measure", "--explain", "--preset", "mx")
    parsed = json.loads(cli(*flags, "--format", "json").stdout)
    assert parsed["schema"] == "narrowgauge.explain/1" and len(parsed["policies"]) == 10
    assert [note.partition(": ")[0] for note in parsed["notes"]] == [row["policy"] for row in parsed["policies"]]
    assert [note.partition(": ")[2] for note in parsed["notes"]] == [row["words"] for row in parsed["policies"]]
    rows = list(csv.DictReader(io.StringIO(cli(*flags, "--format", "csv").stdout)))
    assert [row["words"] for row in rows] == [row["words"] for row in parsed["policies"]]
    tutorial = json.loads(cli("measure", "--explain", "--format", "json").stdout)["policies"]
    assert [row["policy"] for row in tutorial] == ["bf16 (fp32 accum)", "bf16 (bf16 accum)", "int8 per-col (fp32 accum)"]


def test_dot_algorithms_are_policies_by_name(report):
    flags = ("--random", "2x64x3", "--dot-algorithm")
    rows = [report(*flags, name)["rows"][0] for name in ("BF16_BF16_F32_X3/tpu", "dot_bf16_bf16_f32_x3/tpu")]
    assert rows[0] == rows[1] and rows[0]["policy"] == "BF16_BF16_F32_X3/tpu"
    as_policy = report("--random", "2x64x3", "--policy", "acc=tpu/v5e,passes=3")["rows"][0]
    assert {**as_policy, "policy": rows[0]["policy"]} == rows[0]
    on_hardware = report(*flags, "BF16_BF16_F32_X3", "--hardware", "nvidia/a100")["rows"][0]
    assert on_hardware["policy_text"] == "w=float32 a=float32 acc=nvidia/a100,passes=3 out=float32"
    assert on_hardware["hardware_evidence"] == "checked against captured results"


def test_explain_speaks_of_conventions(cli):
    result = cli("measure", "--explain", "--like", "qwix/int8", "--format", "json")
    assert result.returncode == 0, result.stderr
    (row,) = json.loads(result.stdout)["policies"]
    assert row["policy"] == "qwix/int8" and "127.5" in row["words"]


def test_explain_beside_numbers(report):
    parsed = report("--random", "2x8x4", "--policy", "w=int8/channel", "--explain")
    assert parsed["schema"] == "narrowgauge.measure/1" and "max|w| / 127" in parsed["notes"][0]
    assert report("--random", "2x8x4", "--policy", "w=int8/channel")["notes"] == []


# ---- --compare-conventions ---------------------------------------------------------------------

COMPARED = ("--compare-conventions", "--random", "2x128x16")


def test_conventions_are_compared(report):
    parsed = report(*COMPARED)
    assert parsed["schema"] == "narrowgauge.compare_conventions/1" and parsed["policy"] == "w=int8/channel"
    assert parsed["error_of"] == "weights"
    rows = parsed["rows"]
    assert without_reasons(rows[0]) == ["convention", "same_values", *ROW_KEYS[1:]]
    names = [row["convention"] for row in rows]
    assert names[0] == "narrowgauge" and {"qwix/int8", "torchao/int8", "onnxruntime/int8"} <= set(names) and len(set(names)) == len(names)
    # Each row is what measure says of that convention.
    for row in rows:
        like = () if row["convention"] == "narrowgauge" else ("--like", row["convention"])
        (alone,) = report("--random", "2x128x16", "--error", "weights", "--policy", "w=int8/channel", *like)["rows"]
        assert {key: row[key] for key in ROW_KEYS[1:]} == {key: alone[key] for key in ROW_KEYS[1:]}


def test_where_conventions_differ_is_what_numpy_says(report, tmp_path):
    w = np.random.default_rng(0).standard_normal((64, 8)).astype(F32)
    np.save(tmp_path / "w.npy", w)
    parsed = report("--compare-conventions", "--weights", "w.npy")
    by_group = {row["same_values"]: row["convention"] for row in reversed(parsed["rows"])}
    pairs = {(row["first"], row["second"]): row for row in parsed["differences"]}
    assert list(pairs) == list(itertools.combinations([by_group[group] for group in sorted(by_group)], 2))
    # Ours divides by 127; onnxruntime too, but its codes may end differently. qwix divides by 127.5 by way of products.
    scale = np.abs(w).max(axis=0) / F32(127)
    ours = (np.rint(w / scale) * scale).T
    qwix_scale = np.abs(w).max(axis=0) * (F32(1) / F32(127.5))
    qwix = (np.clip(np.rint(w * (F32(1) / qwix_scale)), -128, 127) * qwix_scale).T
    pair = pairs["narrowgauge", "qwix/int8"]
    n, k = np.argwhere(ours != qwix)[0]
    assert (pair["at_k"], pair["at_n"]) == (k, n)
    assert (pair["first_value"], pair["second_value"]) == (ours[n, k], qwix[n, k])
    assert pair["difference"] == float(qwix[n, k]) - float(ours[n, k])
    assert pair["elements_differing"] == (ours != qwix).sum()
    assert pair["max_abs_difference"] == np.abs(ours.astype(np.float64) - qwix).max()


def test_a_convention_that_refuses_is_listed_with_its_reason(report):
    parsed = report("--compare-conventions", "--random", "1x33x4", "--policy", "w=q8_0")
    assert [row["convention"] for row in parsed["rows"]] == ["narrowgauge"] and parsed["differences"] == []
    (refused,) = [row for row in parsed["refused"] if row["convention"] == "ggml/q8_0"]
    assert "33" in refused["reason"] and "32" in refused["reason"]
    for policy in ("w=int8/block:3x5", "w=int4/group:7", "w=float8_e4m3fn/input", "w=mxfp4", "w=nvfp4", "w=uint4/channel"):
        parsed = report("--compare-conventions", "--random", "1x33x4", "--policy", policy)
        named = [row["convention"] for row in parsed["rows"] + parsed["refused"]]
        assert len(set(named)) == len(named) and named[0] == "narrowgauge"
        assert all(row["reason"] for row in parsed["refused"])


def test_comparing_outputs_and_worst_channels(report):
    parsed = report(*COMPARED, "--error", "output", "--worst", 2, "--metrics", "all", "--explain")
    assert parsed["error_of"] == "output" and all(row["backward_err"] > 0 for row in parsed["rows"])
    assert len(parsed["worst"]) == 2 * len(parsed["rows"]) and "convention" in parsed["worst"][0]
    assert any("127.5" in note for note in parsed["notes"])


def test_comparisons_do_not_depend_on_threads(cli):
    flags = ("measure", "--compare-conventions", "--random", "1x96x300", "--policy", "w=int4/group:32", "--format", "json")
    assert len({cli(*flags, "--threads", threads).stdout for threads in (1, 2, 5)}) == 1


def test_comparing_leaves_out_what_is_not_finite(report, cli, tmp_path):
    w = np.random.default_rng(0).standard_normal((32, 4)).astype(F32)
    w[3, 2] = np.nan
    np.save(tmp_path / "w.npy", w)
    np.save(tmp_path / "clean.npy", np.delete(w, 2, axis=1))
    parsed, clean = (report("--compare-conventions", "--weights", name) for name in ("w.npy", "clean.npy"))
    assert (parsed["weights_nan"], parsed["channels_left_out"]) == (1, 1)
    counts = [[row["elements_differing"] for row in each["differences"]] for each in (parsed, clean)]
    assert counts[0] == counts[1] and counts[0]
    assert cli("measure", "--compare-conventions", "--weights", "w.npy", "--strict").returncode == 3


def test_comparing_nothing(report):
    for shape in ("1x0x4", "1x32x0"):
        parsed = report("--compare-conventions", "--random", shape)
        assert parsed["differences"] == [] and all(row["elements"] == 0 for row in parsed["rows"])
