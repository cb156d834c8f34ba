"""measure --sweep and --policy-m1: curves of error, where sums stop growing, and what is refused."""

import csv
import io
import json

import ml_dtypes
import numpy as np
import pytest
from test_measure import write_safetensors
from test_measure_policies import as_flags

F32 = np.float32
BF16 = ml_dtypes.bfloat16
ACCUMULATORS = {"bfloat16": 256, "float16": 2048, "float8_e4m3": 16, "float8_e5m2": 8, "float32": None}
FACT_KEYS = ["sweep", "weights", "stored_dtype", "operands_k", "n", "k_axis", "m", "activations", "seed", "error_of", "reference", "backend",
             "kernel", "isa", "weights_nan", "weights_inf", "weights_first_nonfinite", "channels_left_out",
             "activations_nan", "activations_inf", "activations_first_nonfinite", "rows_left_out"]
ROW_KEYS = ["policy", "k", "max_abs_err", "mean_abs_err", "sqnr_db", "rel_frobenius", "weight_bytes", "scale_bytes", "padding_bytes", "elements",
            "nonfinite_result", "backward_over_zero", "outputs_unchanged", "outputs_changed", "stagnation_k", "policy_text"]
SHARED_KEYS = ["max_abs_err", "mean_abs_err", "sqnr_db", "rel_frobenius", "weight_bytes", "scale_bytes", "elements", "policy_text"]


def without_reasons(mapping):
    return [key for key in mapping if not key.endswith("_reason")]


def shared(row):
    return {key: row[key] for key in SHARED_KEYS}


# ---- Of k --------------------------------------------------------------------------------------


def test_the_stagnation_point_of_ones(report):
    policies = [f"w=bfloat16 a=bfloat16 acc={name} out=float32" for name in ACCUMULATORS]
    parsed = report("--random", "1xKx1", "--inputs", "ones", "--sweep", "k=4..65536", *as_flags(policies))
    assert [row["stagnation_k"] for row in parsed["stagnation"]] == list(ACCUMULATORS.values())
    assert parsed["stagnation"][-1]["stagnation_k_reason"] == "none in this sweep"
    assert [(row["last_unchanged"], row["last_changed"]) for row in parsed["stagnation"]] == [(1, 0)] * 4 + [(0, 1)]
    for row in parsed["rows"]:
        point = list(ACCUMULATORS.values())[policies.index(row["policy_text"])]
        assert row["stagnation_k"] == point
        assert row["max_abs_err"] == max(0, row["k"] - (point or 65536)), "from there on the sum stays"
        assert row["outputs_unchanged"] == (1 if point and row["k"] > point else 0)


def test_values_that_are_not_powers_of_two(report):
    rows = report("--random", "1xKx1", "--inputs", "ones", "--sweep", "k=200..320:40", "--policy", "w=bf16 a=bf16 acc=bfloat16")["rows"]
    assert [(row["k"], row["max_abs_err"], row["stagnation_k"]) for row in rows] == [(200, 0, 280), (240, 0, 280), (280, 24, 280), (320, 64, 280)]


def test_keys_are_stable(report):
    for flags in (("--random", "2xKx3"), ("--random", "2xKx3", "--inputs", "cancelling"), ("--random", "2xKx3", "--inputs", "ill-conditioned:9")):
        parsed = report(*flags, "--sweep", "k=4..16")
        assert parsed["schema"] == "narrowgauge.sweep/1" and parsed["sweep"] == "k"
        assert without_reasons(parsed) == ["schema", *FACT_KEYS, "rows", *([] if "--inputs" in flags else ["stagnation"]), "notes"]
        assert all(without_reasons(row) == ROW_KEYS for row in parsed["rows"])
        assert [(row["policy"], row["k"]) for row in parsed["rows"]] == [
            (name, k) for name in ("bf16 (fp32 accum)", "bf16 (bf16 accum)", "int8 per-col (fp32 accum)") for k in (4, 8, 16)]


def test_the_largest_k_is_what_measure_says(report):
    policies = as_flags(["w=bf16 a=bf16 acc=bfloat16", "w=int8/channel a=int8/tensor", "w=mxfp4"])
    for inputs in ("normal", "same-sign", "outlier-channels:30", "ill-conditioned:1e5"):
        flags = ("--random", "3x200x70", "--inputs", inputs, "--seed", 3, *policies)
        measured = report(*flags)["rows"]
        swept = [row for row in report(*flags, "--sweep", "k=50,200")["rows"] if row["k"] == 200]
        assert [shared(row) for row in swept] == [shared(row) for row in measured]


@pytest.mark.parametrize("kind, stored", [("npy", F32), ("npy", np.float16), ("safetensors", F32), ("safetensors", BF16), ("safetensors", np.float16)])
def test_operands_from_files_are_cut(report, tmp_path, kind, stored):
    rng = np.random.default_rng(0)
    w, x = rng.standard_normal((48, 70)).astype(stored), rng.standard_normal((5, 48)).astype(F32)
    policies = as_flags(["w=bfloat16 a=bfloat16 acc=bfloat16", "w=int8/channel"])

    def save(name, depth):
        if kind == "npy":
            np.save(tmp_path / f"{name}.npy", w[:depth])
        else:
            write_safetensors(tmp_path / f"{name}.safetensors", w=np.ascontiguousarray(w[:depth].T))
        np.save(tmp_path / f"{name}_x.npy", x[:, :depth])
        return ("--weights", f"{name}.{kind}", "--activations", f"{name}_x.npy", *policies)

    for error in ("output", "weights"):
        swept = report(*(flag for flag in save("whole", 48) if error == "output" or flag not in ("--activations", "whole_x.npy")),
                       "--sweep", "k=7,32,40", "--error", error)["rows"]
        for k in (7, 32, 40):
            cut = save("cut", k)
            if error == "weights":
                cut = [flag for flag in cut if flag not in ("--activations", "cut_x.npy")]
            assert [shared(row) for row in swept if row["k"] == k] == [shared(row) for row in report(*cut, "--error", error)["rows"]]


def test_inputs_made_for_each_other_are_drawn_anew(report):
    flags = ("--inputs", "ill-conditioned:1e4", "--policy", "w=float32")
    parsed = report("--random", "2xKx3", "--sweep", "k=16,64", *flags)
    for row in parsed["rows"]:
        (measured,) = report("--random", f"2x{row['k']}x3", *flags)["rows"]
        assert shared(row) == shared(measured)
        assert row["stagnation_k"] is None and row["stagnation_k_reason"] == row["outputs_unchanged_reason"] == "sums are not followed"


def test_errors_of_weights_against_k(report):
    rows = report("--random", "1xKx3", "--sweep", "k=32..128", "--error", "weights", "--policy", "w=int8/channel")["rows"]
    assert all(row["max_abs_err"] > 0 and row["stagnation_k_reason"] == "sums are not followed" for row in rows)


def test_outputs_that_do_not_change_are_those_of_numpy(report, tmp_path):
    rng = np.random.default_rng(0)
    x, w = (np.abs(rng.standard_normal(shape)).astype(BF16).astype(F32) / 16 for shape in ((4, 4096), (4096, 4)))
    x[1] = 0.25  # A row whose sums do stop: small steps, all alike.
    w[:, 2] = 0.25
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", w)
    rows = report("--activations", "x.npy", "--weights", "w.npy", "--sweep", "k=64..4096", "--policy", "w=bf16 a=bf16 acc=bfloat16,fma=separate")["rows"]
    # Two bfloat16 are added in float32, which rounds no sum that is near a tie of bfloat16.
    sums, at = np.zeros((4, 4), BF16), {}
    for k in range(4096):
        product = np.outer(x[:, k], w[k]).astype(BF16).astype(F32)
        sums = (sums.astype(F32) + product).astype(BF16)
        at[k + 1] = sums
    for row in rows[1:]:
        unchanged = (at[row["k"]] == at[row["k"] // 2]).sum()
        assert (row["outputs_unchanged"], row["outputs_changed"]) == (unchanged, 16 - unchanged)
    assert 0 < rows[-1]["outputs_unchanged"] < 16 and rows[-1]["stagnation_k"] is None
    np.save(tmp_path / "x.npy", x[1:2])
    np.save(tmp_path / "w.npy", w[:, 2:3])
    (stagnation,) = report("--activations", "x.npy", "--weights", "w.npy", "--sweep", "k=64..4096", "--policy", "w=bf16 a=bf16 acc=bfloat16")["stagnation"]
    assert stagnation["stagnation_k"] == 256, "16 in steps of 1/16"


def test_bits_depend_on_neither_threads_nor_instruction_set(cli):
    texts = set()
    for flags in (("--threads", 1), ("--threads", 3), ("--isa", "baseline"), ("--isa", "avx2"), ("--isa", "avx512")):
        result = cli("measure", "--random", "3xKx200", "--sweep", "k=16..256", "--preset", "accumulators", "--inputs", "same-sign", "--format", "json", *flags)
        if result.returncode != 2:  # This machine has no such set.
            texts.add(json.dumps([json.loads(result.stdout)[key] for key in ("rows", "stagnation")]))
    assert len(texts) == 1


# ---- Of blocks and slices ----------------------------------------------------------------------


@pytest.mark.parametrize("axis, key, policy, at", [
    ("block", "block", "w=bf16 a=bf16 acc=bfloat16/block:128,inner=float32", "w=bf16 a=bf16 acc=bfloat16/block:{},inner=float32"),
    ("block", "block", "w=int8/block:8x8 acc=float16", "w=int8/block:8x8 acc=float16/block:{}"),
    ("block", "block", "acc=float16/pairwise", "acc=float16/block:{}+pairwise"),
    ("split-k", "split_k", "acc=float32/split-k:9,partial=bfloat16", "acc=float32/split-k:{},partial=bfloat16"),
    ("split-k", "split_k", "acc=bfloat16/block:8", "acc=bfloat16/split-k:{}+block:8")])
def test_each_value_is_a_policy(report, axis, key, policy, at):
    parsed = report("--random", "2x100x5", "--sweep", f"{axis}=2,5,16", "--policy", policy)
    assert parsed["sweep"] == axis and without_reasons(parsed)[-2:] == ["rows", "notes"]
    assert [row[key] for row in parsed["rows"]] == [2, 5, 16]
    assert without_reasons(parsed["rows"][0]) == [key if name == "k" else name for name in ROW_KEYS]
    measured = report("--random", "2x100x5", *as_flags(at.format(value) for value in (2, 5, 16)))["rows"]
    assert [shared(row) for row in parsed["rows"]] == [shared(row) for row in measured]
    (name,) = {row["policy"] for row in parsed["rows"]}
    assert f"{axis}:{'B' if axis == 'block' else 'S'}" in name


def test_one_slice_is_no_split(report):
    policy = "w=bf16 a=bf16 acc=float32/split-k:4,partial=bfloat16,reduce=bfloat16"
    first, second = report("--random", "2x100x5", "--sweep", "split-k=1..2", "--policy", policy)["rows"]
    (plain,) = report("--random", "2x100x5", "--policy", "w=bf16 a=bf16")["rows"]
    assert shared(first) == shared(plain)
    assert second["policy_text"].endswith("acc=float32/split-k:2,partial=bfloat16,reduce=bfloat16 out=float32")


def test_policies_that_become_the_same_are_measured_once(report):
    rows = report("--random", "2x64x3", "--sweep", "block=8..32", "--preset", "bf16-accumulators")["rows"]
    assert len(rows) == 3 * 3 and len({row["policy"] for row in rows}) == 3


# ---- For people --------------------------------------------------------------------------------


def test_the_table_has_a_plot(cli):
    result = cli("measure", "--random", "4xKx4", "--inputs", "same-sign", "--sweep", "k=64..4096", "--preset", "bf16-accumulators")
    assert result.returncode == 0, result.stderr
    plot = result.stdout.partition("rel_frobenius against k, both logarithmic\n\n")[2].splitlines()
    assert max(map(len, plot[:20])) <= 80 and any("| " in line and "A" in line for line in plot)
    assert "A  bf16 sequential" in plot and "Where sums stop growing" in result.stdout
    for flags in (("--format", "json"), ("--format", "csv"), ("--format", "markdown")):
        assert "both logarithmic" not in cli("measure", "--random", "4xKx4", "--sweep", "k=64..256", *flags).stdout


def test_one_value_is_no_curve(cli):
    result = cli("measure", "--random", "4x64x4", "--sweep", "block=8", "--policy", "acc=bfloat16")
    assert result.returncode == 0 and "logarithmic" not in result.stdout


@pytest.mark.parametrize("flags, metric", [
    (("--metrics", "sqnr_db"), "rel_frobenius"), (("--metrics", "cosine,max_abs_err"), "max_abs_err"), (("--metrics", "ulp_err,rel_frobenius"), "rel_frobenius"),
    (("--inputs", "cancelling"), "max_abs_err"), (("--inputs", "cancelling", "--metrics", "sqnr_db"), "mean_abs_err")])
def test_the_plot_shows_an_error_that_has_values(cli, flags, metric):
    assert f"\n{metric} against k, both logarithmic\n" in cli("measure", "--random", "2xKx2", "--sweep", "k=64..256", *flags).stdout


def test_exact_and_missing_points_are_shown_as_such(cli):
    # 448 is float8_e4m3fn's largest value: sums of ones are exact, then NaN.
    plot = cli("measure", "--random", "1xKx1", "--inputs", "ones", "--sweep", "k=64..1024", "--policy", "acc=float8_e4m3fn/pairwise").stdout
    assert "  exact | A" in plot and "    n/a |" in plot and "1e" not in plot.partition("logarithmic")[2]


def test_csv_has_a_row_per_policy_and_value(cli):
    text = cli("measure", "--random", "2xKx2", "--sweep", "k=4..16", "--policy", "w=bf16", "--policy", "w=f16", "--format", "csv").stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["policy"], row["k"]) for row in rows] == [(name, k) for name in ("w=bfloat16", "w=float16") for k in ("4", "8", "16")]
    assert all(row["stagnation_k"] == "" and "stagnation_k: none in this sweep" in row["reasons"] for row in rows)


# ---- --policy-m1 -------------------------------------------------------------------------------

M1 = ("--policy", "w=bf16 a=bf16", "--policy", "w=f16", "--policy-m1", "w=bf16 a=bf16 acc=bfloat16")


def test_another_policy_for_one_row(report, tmp_path):
    np.save(tmp_path / "x.npy", np.ones((1, 64), F32))
    for flags in (("--random", "1x64x5"), ("--random", "1x64x5", "--activations", "x.npy")):
        parsed = report(*flags, *M1)
        (row,) = parsed["rows"]
        assert row["policy"] == "w=bfloat16 a=bfloat16 acc=bfloat16 (for M = 1)"
        (alone,) = report(*flags, "--policy", "w=bf16 a=bf16 acc=bfloat16")["rows"]
        assert {**row, "policy": 0} == {**alone, "policy": 0}
        assert parsed["notes"] == ["M = 1: --policy-m1 is measured, in place of the other policies."]


def test_the_ordinary_ones_for_more_rows(report):
    for shape in ("2x64x5", "0x64x5"):
        parsed = report("--random", shape, *M1)
        assert parsed["rows"] == report("--random", shape, *M1[:4])["rows"]
        assert parsed["notes"] == [f"M = {shape[0]}: --policy-m1 is not used."]


@pytest.mark.parametrize("sweep", ["k=8..64", "block=4,8", "split-k=1,2"])
def test_sweeps_use_it_too(report, sweep):
    key = sweep.partition("=")[0].replace("-", "_")
    one, two = (report("--random", f"{m}x64x5", "--sweep", sweep, *M1) for m in (1, 2))
    alone = report("--random", "1x64x5", "--sweep", sweep, "--policy", "w=bf16 a=bf16 acc=bfloat16")["rows"]
    assert [(row[key], shared(row)) for row in one["rows"]] == [(row[key], shared(row)) for row in alone]
    assert "M = 1" in one["notes"][0] and "M = 2: --policy-m1 is not used." in two["notes"]
    assert len({row["policy"] for row in two["rows"]}) == 2
    assert all(row["policy"].endswith("(for M = 1)") for row in one["rows"])


# ---- What it refuses ---------------------------------------------------------------------------


@pytest.mark.parametrize("flags, words", [
    (("--random", "1xKx3", "--sweep", "depth=1..4"), ("k, block, split-k",)),
    (("--random", "1xKx3", "--sweep", "k"), ("k=64..4096",)),
    (("--random", "1xKx3", "--sweep", "k=64..8"), ("8..64",)),
    (("--random", "1xKx3", "--sweep", "k="), ("values",)),
    (("--random", "1xKx3", "--sweep", "k=8,8"), ("ascend",)),
    (("--random", "1xKx3", "--sweep", "k=0..8"), ("from 1",)),
    (("--random", "1x0x3", "--sweep", "k=1..8"), ("which have 0: 8",)),
    (("--random", "1xKx3", "--sweep", "k=1..99999999999999999999"), ("9223372036854775807",)),
    (("--random", "1xKx3", "--sweep", "k=1..2000:1"), ("1000 values",)),
    (("--random", "1x64x3", "--sweep", "k=64..128"), ("which have 64: 128",)),
    (("--weights", "w.npy", "--sweep", "k=4..16"), ("which have 8: 16",)),
    (("--random", "1xKx3"), ("MxKxN", "--sweep k=")),
    (("--random", "1xKx3", "--sweep", "block=8"), ("MxKxN",)),
    (("--random", "KxKx3", "--sweep", "k=8..16"), ("MxKxN",)),
    (("--random", "1xKKx3", "--sweep", "k=8..16"), ("MxKxN",)),
    (("--sweep", "k=8..16"), ("--random",)),
    (("--random", "1x64x3", "--sweep", "block=8", "--policy", "w=bf16 a=bf16 acc=nvidia/h100"), ("contradicts", "unit of hardware")),
    (("--random", "1x64x3", "--sweep", "split-k=8", "--policy", "w=bf16 a=bf16 acc=nvidia/h100"), ("contradicts", "unit of hardware")),
    (("--random", "1x64x3", "--sweep", "block=8", "--policy", "w=bf16 a=bf16 acc=float32/aligned:4,bits=24,promote=32"), ("contradicts", "promote=N")),
    (("--random", "1x64x3", "--sweep", "block=8", "--error", "weights"), ("no sums",)),
    (("--random", "1xKx3", "--sweep", "k=8..16", "--worst", 3), ("--worst",)),
    (("--random", "1xKx3", "--sweep", "k=8..16", "--compare-conventions"), ("--compare-conventions",)),
    (("--weights", "w.npy", "--activations", "x.npy", "--sweep", "k=2..4", "--match-output", "x.npy"), ("--match-output",)),
    (("--random", "1xKx3", "--sweep", "k=2..16", "--inputs", "ill-conditioned:100"), ("K = 2",)),
    (("--random", "1xKx3", "--sweep", "k=64..65536", "--inputs", "ill-conditioned:1e17"), ("K = 65536",)),
    (("--random", "1x8x3", "--policy-m1", "w=int88"), ("int8",)),
    (("--random", "1x8x3", "--policy-m1", "acc=nvidia/h100"), ("nvidia/h100",)),
    (("--random", "2x8x3", "--policy-m1", "acc=nvidia/h100"), ("nvidia/h100",)),
    (("--random", "1x8x3", "--policy-m1", "w=bf16", "--error", "weights"), ("M = 1",)),
    (("--random", "1x8x3", "--policy-m1", "w=int8/channel", "--compare-conventions"), ("--policy-m1",))])
def test_refuses(cli, tmp_path, flags, words):
    np.save(tmp_path / "w.npy", np.ones((8, 3), F32))
    np.save(tmp_path / "x.npy", np.ones((2, 8), F32))
    result = cli("measure", *flags)
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    assert len(result.stderr.splitlines()) == 1
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize("shape, words", [("1xKx1", "memory"), ("9xKx9", "64 bits")])
def test_sizes_beyond_the_machine_are_refused_before_the_work(cli, shape, words):
    result = cli("measure", "--random", shape, "--sweep", "k=64..4611686018427387904")
    assert (result.returncode, result.stdout) == (1, "") and words in result.stderr
    result = cli("measure", "--random", "1x1x400000000", "--sweep", "k=1", "--preset", "accumulators")
    assert (result.returncode, result.stdout) == (1, "") and "memory" in result.stderr


def test_a_package_that_refuses_a_k_is_bad_data(cli):
    result = cli("measure", "--random", "1xKx4", "--sweep", "k=32,33", "--policy", "w=q8_0,like=ggml/q8_0")
    assert (result.returncode, result.stdout) == (1, "") and "33" in result.stderr
