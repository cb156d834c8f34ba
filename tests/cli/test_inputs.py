"""measure --inputs: operands that bring errors out."""

import json
import math

import numpy as np
import pytest
from test_measure_policies import as_flags

F32 = np.float32
INPUTS = ["normal", "ones", "same-sign", "cancelling", "ill-conditioned:1000000", "outlier-channels:20"]
SUMS = ["w=float32 acc=float64", "w=float32", "w=bfloat16 a=bfloat16 acc=bfloat16 out=float32"]


def errors(report, *flags, metric="max_abs_err"):
    return [row[metric] for row in report(*flags, *as_flags(SUMS), "--metrics", metric)["rows"]]


# ---- What each brings out ----------------------------------------------------------------------


def test_ones_stop_where_the_spacing_is_two(report):
    assert errors(report, "--random", "2x4096x3", "--inputs", "ones") == [0, 0, 4096 - 256]


def test_sums_of_one_sign_fall_behind(report):
    # bfloat16 loses most of a sum of one sign, and of normal values, which stays small, less.
    same, normal = (errors(report, "--random", "8x16384x8", "--inputs", inputs, metric="rel_frobenius") for inputs in ("same-sign", "normal"))
    assert 0.8 < same[2] < 1 and normal[2] < 0.5 and same[1] < 1e-4


def test_a_cancelling_sum_is_all_error(report):
    parsed = report("--random", "4x1001x5", "--inputs", "cancelling", *as_flags(SUMS), "--metrics", "sqnr_db,backward_err,max_abs_err")
    assert [row["sqnr_db_reason"] for row in parsed["rows"]] == ["zero signal"] * 3, "every exact sum is 0"
    exact, single, half = (row["max_abs_err"] for row in parsed["rows"])
    assert exact < 1e-10 < single < 1e-4 < half
    assert parsed["rows"][2]["backward_err"] > 1e-5


def test_errors_of_an_ill_conditioned_sum_grow_with_its_condition(report):
    found = [errors(report, "--random", "4x512x5", "--inputs", f"ill-conditioned:{c}", metric="rel_frobenius") for c in (1e2, 1e4, 1e6)]
    single, half = ([row[i] for row in found] for i in (1, 2))
    # |e| is at most about K u |x|.|w|; a hundred times the condition is a hundred times the error.
    for c, error in zip((1e2, 1e4, 1e6), single, strict=True):
        assert 0 < error <= 512 * 2**-24 * c / 2 * 2
    assert single[1] / single[0] == pytest.approx(100, rel=0.5) and single[2] / single[1] == pytest.approx(100, rel=0.5)
    assert half[2] > 10, "nothing of the sum is left"
    # Rounded operands alone, summed in float64, are another problem, too.
    (row,) = report("--random", "4x512x5", "--inputs", "ill-conditioned:1e6", "--policy", "w=bfloat16 a=bfloat16 acc=float64")["rows"]
    assert row["rel_frobenius"] > 10


def test_outliers_cost_the_scales_of_activations(report):
    flags = ("--random", "8x1024x8", "--policy", "a=int8/tensor", "--policy", "a=int8/input")
    plain, outliers = (
        [row["sqnr_db"] for row in report(*flags, *more)["rows"]] for more in ((), ("--inputs", "outlier-channels:100")))
    assert plain[0] - outliers[0] > 10, "a scale for all is theirs"
    assert abs(plain[1] - outliers[1]) < 3, "a scale for each k is not"


# ---- What it says ------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs", INPUTS)
def test_the_report_names_them(report, cli, inputs):
    words = inputs if inputs == "ones" else f"{inputs}(seed)"
    parsed = report("--random", "2x8x3", "--inputs", inputs)
    assert parsed["activations"] == words
    assert parsed["weights"] == ("normal(seed)" if inputs.startswith("outlier") else words)
    assert f"activations: {words}\n" in cli("measure", "--random", "2x8x3", "--inputs", inputs).stdout


def test_normal_is_what_is_drawn_anyway(report):
    assert report("--random", "3x70x5") == report("--random", "3x70x5", "--inputs", "normal")


@pytest.mark.parametrize("inputs", INPUTS)
def test_bits_depend_on_neither_threads_nor_instruction_set(cli, inputs):
    rows = set()
    for flags in (("--threads", 1), ("--threads", 3), ("--isa", "baseline"), ("--isa", "avx2"), ("--isa", "avx512")):
        result = cli("measure", "--random", "3x300x70", "--inputs", inputs, "--format", "json", *as_flags(SUMS), *flags)
        if result.returncode == 2:
            continue  # This machine has no such set.
        rows.add(json.dumps(json.loads(result.stdout)["rows"]))
    assert len(rows) == 1
    seeds = {json.dumps(json.loads(cli("measure", "--random", "3x300x70", "--inputs", inputs, "--format", "json", *as_flags(SUMS), "--seed", seed).stdout)["rows"])
             for seed in (0, 1)}
    assert len(seeds) == (1 if inputs == "ones" else 2)


def test_activations_for_weights_from_a_file(report, tmp_path):
    np.save(tmp_path / "w.npy", np.full((256, 2), 2, F32))
    (row,) = report("--weights", "w.npy", "--inputs", "ones", "--policy", "w=bfloat16 a=bfloat16 acc=bfloat16")["rows"]
    assert row["max_abs_err"] == 0, "512 is reached in steps of 2"
    parsed = report("--weights", "w.npy", "--inputs", "outlier-channels:20")
    assert (parsed["weights"], parsed["activations"]) == ("w.npy", "outlier-channels:20(seed)")


def test_weights_alone(report):
    for inputs in ("ones", "same-sign"):
        parsed = report("--random", "1x64x5", "--error", "weights", "--inputs", inputs, "--policy", "w=int8/channel")
        assert parsed["weights"].startswith(inputs) and math.isfinite(parsed["rows"][0]["max_abs_err"])


def test_nothing_to_add(report):
    for inputs in INPUTS:
        for shape in ("2x0x3", "0x4x3", "2x4x0"):
            if inputs.startswith("ill") and shape == "2x0x3":
                continue
            (row, *_) = report("--random", shape, "--inputs", inputs)["rows"]
            assert row["max_abs_err"] in (0, None)


# ---- What it refuses ---------------------------------------------------------------------------


@pytest.mark.parametrize("flags, words", [
    (("--random", "1x8x3", "--inputs", "canceling"), ("cancelling", "nearest")),
    (("--random", "1x8x3", "--inputs", "ones:1"), ("no parameter",)),
    (("--random", "1x8x3", "--inputs", "ill-conditioned"), ("ill-conditioned:C",)),
    (("--random", "1x8x3", "--inputs", "ill-conditioned:2"), ("from 3",)),
    (("--random", "1x8x3", "--inputs", "ill-conditioned:1e99"), ("to 1.55e+26",)),
    (("--random", "1x4096x3", "--inputs", "ill-conditioned:1e19"), ("K = 4096", "9.22e+18")),
    (("--random", "1x2x3", "--inputs", "ill-conditioned:10"), ("K = 2",)),
    (("--random", "1x0x3", "--inputs", "ill-conditioned:10"), ("K = 0",)),
    (("--random", "1x8x3", "--inputs", "outlier-channels:x"), ("outlier-channels:FACTOR",)),
    (("--random", "1x8x3", "--inputs", "cancelling", "--error", "weights"), ("together",)),
    (("--random", "1x8x3", "--inputs", "outlier-channels:9", "--error", "weights"), ("activations",)),
    (("--weights", "w.npy", "--inputs", "cancelling"), ("--random MxKxN",)),
    (("--weights", "w.npy", "--inputs", "ones", "--activations", "x.npy"), ("none is drawn",)),
    (("--weights", "w.npy", "--inputs", "ones", "--error", "weights"), ("none is drawn",)),
    (("--random", "2x8x3", "--inputs", "outlier-channels:9", "--activations", "x.npy"), ("activations",)),
    (("--inputs", "ones"), ("--random",))])
def test_refuses(cli, tmp_path, flags, words):
    np.save(tmp_path / "w.npy", np.ones((8, 3), F32))
    np.save(tmp_path / "x.npy", np.ones((2, 8), F32))
    result = cli("measure", *flags)
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    assert len(result.stderr.splitlines()) == 1
    for word in words:
        assert word in result.stderr


@pytest.mark.parametrize("shape, words", [("1x9223372036854775807x1", "memory"), ("2x9223372036854775807x2", "64 bits"), ("1x4000000000000x1", "memory")])
def test_sizes_beyond_the_machine_are_refused_before_the_work(cli, shape, words):
    for inputs in ("ones", "cancelling", "outlier-channels:3"):
        result = cli("measure", "--random", shape, "--inputs", inputs)
        assert (result.returncode, result.stdout) == (1, "") and words in result.stderr
