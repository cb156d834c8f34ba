"""measure --match-output: which accumulator explains what a device returned."""

import json
from pathlib import Path

import numpy as np
import pytest

GOLDEN = Path(__file__).parents[1] / "golden/accumulation"
RULES = json.loads((GOLDEN / "manifest.json").read_text())


@pytest.fixture
def match(cli, tmp_path):
    """Returns run(x, w, output, *flags): the report."""

    def run(x, w, output, *flags):
        for name, matrix in (("x", x), ("w", w), ("out", output)):
            np.save(tmp_path / f"{name}.npy", matrix)
        result = cli("measure", "--activations", "x.npy", "--weights", "w.npy", "--match-output", "out.npy",
                     "--format", "json", *flags)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    return run


def golden(rule, folder="rand8x256"):
    a, b, expected = (np.load(GOLDEN / "data" / folder / f"{name}.npy") for name in ("A", "B", "expected"))
    return a, b, expected[RULES["sets"][folder]["expected"].index(rule)]


BF16, F16, TF32 = ("w={0} a={0} ".format(name) for name in ("bfloat16", "float16", "tf32"))


@pytest.mark.parametrize("rule, policy, ambiguous", [
    ("seq_f32_fma", "w=float32", 1),
    ("seq_f32_muladd", "acc=float32,fma=separate", 1),
    ("f32_pairwise_f32", "acc=float32/pairwise,fma=separate", 1),
    ("bf16_seq_bf16_fused", BF16 + "acc=bfloat16 out=float32", 1),
    ("bf16_seq_bf16_muladd", BF16 + "acc=bfloat16,fma=separate out=float32", 1),
    ("bf16_block32_f32_bf16", BF16 + "acc=bfloat16/block:32,inner=float32 out=float32", 1),
    ("bf16_block32_f32_bf16pre", BF16 + "acc=bfloat16/block:32,inner=float32,handoff=round out=float32", 1),
    ("bf16_splitk4_bf16part_bf16red", BF16 + "acc=float32/split-k:4,partial=bfloat16,reduce=bfloat16", 1),
    ("f16_seq_f16_muladd", F16 + "acc=float16,fma=separate out=float32", 1),
    ("tc_v100_f16", F16 + "acc=nvidia/v100", 1),
    ("tc_a100_tf32", "w=tf32,round=zero a=tf32,round=zero acc=nvidia/a100", 2),  # Ada's is the same.
    ("bf16x3_xla_seq", "acc=float32,passes=3", 1),
    ("bf16x9_xla_gpu_seq", "acc=float32,passes=9", 1),
    ("tf32x3_xla_seq", "acc=float32,passes=3,parts=tf32", 1),
    ("bf16x3_rne_exact", None, 0),  # Parts rounded and summed exactly, which no candidate has.
    ("tc_h100_bf16", BF16 + "acc=nvidia/h100", 2),  # B200's is the same.
    ("cdna3_bf16", BF16 + "acc=amd/cdna3", 1),
    ("x86_amx_tdpbf16ps", BF16 + "acc=intel/amx", 1),
    ("arm_bfdot", BF16 + "acc=arm/bfmmla", 1)])
def test_names_the_accumulator(match, rule, policy, ambiguous):
    report = match(*golden(rule))
    best = report["matches"][:report["best"]]
    assert [row["elements"] for row in best] == [64] * report["best"]
    if policy is None:
        assert best[0]["equal"] < 64 and best[0]["max_ulp"] > 0
        return
    assert [row["equal"] for row in best] == [64] * report["best"]
    assert policy in {row["policy"] for row in best}
    assert all(row["max_ulp"] == 0 for row in best)
    assert report["best"] >= ambiguous


def test_says_what_is_ambiguous(match, cli):
    ones = np.ones((2, 8), np.float32)
    report = match(ones, ones.T.copy(), np.full((2, 2), 8, np.float32))
    assert report["best"] == len(report["matches"]) > 50
    text = cli("measure", "--activations", "x.npy", "--weights", "w.npy", "--match-output", "out.npy").stdout
    assert "explain every element; on these operands they cannot be told apart." in " ".join(text.split())


def test_ranks_the_policies_that_are_given(match):
    x, w, output = golden("bf16_pairwise_f32")
    report = match(x, w, output, "--policy", "w=bf16 a=bf16", "--policy", "w=bf16 a=bf16 acc=f32/pairwise")
    assert [row["policy"] for row in report["matches"]] == [BF16 + "acc=float32/pairwise", BF16.strip()]
    first, second = report["matches"]
    assert first["equal"] == 64 > second["equal"] and second["max_ulp"] >= 1


def test_rows_that_are_not_finite_are_not_compared(match):
    x, w, output = golden("seq_f32_fma")
    x = x.copy()
    x[3, 5] = np.nan
    report = match(x, w, output)
    assert report["matches"][0] | {"hardware_evidence": None} == {
        "policy": "w=float32", "equal": 56, "elements": 56, "max_ulp": 0, "hardware_evidence": None,
        "hardware_evidence_reason": "no hardware", "policy_text": "w=float32 a=float32 acc=float32 out=float32"}


@pytest.mark.parametrize("flags, status, words", [
    (("--match-output", "out.npy"), 2, ("--weights",)),
    (("--match-output", "out.npy", "--weights", "w.npy"), 2, ("--activations",)),
    (("--match-output", "out.npy", "--random", "1x2x3"), 2, ("--activations",)),
    (("--match-output", "none.npy", "--weights", "w.npy", "--activations", "x.npy"), 1, ("none.npy",)),
    (("--match-output", "x.npy", "--weights", "w.npy", "--activations", "x.npy"), 1, ("[2, 3]", "x.npy")),
    (("--match-output", "out.npy", "--weights", "w.npy", "--activations", "x.npy", "--worst", "3"), 2, ("--worst",)),
    (("--match-output", "out.npy", "--weights", "w.npy", "--activations", "x.npy", "--error", "weights"), 2, ("--error",))])
def test_refuses(cli, tmp_path, flags, status, words):
    for name, shape in (("x", (2, 4)), ("w", (4, 3)), ("out", (2, 3))):
        np.save(tmp_path / f"{name}.npy", np.ones(shape, np.float32))
    result = cli("measure", *flags)
    assert (result.returncode, result.stdout) == (status, ""), result.stderr
    for word in words:
        assert word in result.stderr
