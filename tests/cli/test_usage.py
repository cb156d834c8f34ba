"""Help, versions, wrong words and exit codes, for every verb."""

import re

import pytest

VERBS = ("demo", "measure", "formats")


def test_help_names_every_verb_and_the_exit_codes(cli):
    result = cli("--help")
    assert result.returncode == 0
    for word in (*VERBS, "Exit status: 0 done, 1 bad data"):
        assert word in result.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb_has_examples(cli, verb):
    result = cli(verb, "--help")
    assert result.returncode == 0
    assert f"narrowgauge {verb}" in result.stdout.partition("Examples:")[2]


def test_version(cli):
    result = cli("--version")
    assert result.returncode == 0
    assert re.fullmatch(r"narrowgauge \d+\.\d+\.\d+\n", result.stdout)


def test_verbose_version_lists_the_kernels_of_the_instruction_set_in_use(cli):
    result = cli("--version", "--verbose", NARROWGAUGE_ISA="baseline")
    assert result.returncode == 0
    assert result.stdout.startswith("narrowgauge ")
    assert re.search(r"^isa: +baseline$", result.stdout, re.MULTILINE)
    chosen = [line for line in result.stdout.splitlines() if re.search(r" yes +\S", line)]
    assert len(chosen) == 3 and all("  baseline  " in line for line in chosen), result.stdout
    assert "the bits of the sequential float32 FMA chain (acc=float32)" in chosen[0]
    assert "exact modulo 2^32" in chosen[1]
    assert cli("--verbose", "--version", NARROWGAUGE_ISA="avx9").returncode == 2


@pytest.mark.parametrize("arguments", [
    (), ("nonsense",), ("--verbose",), ("--verbose", "formats"), ("demo", "--nonsense"), ("demo", "--seed", "x"), ("demo", "--seed", "9223372036854775808"),
    ("demo", "--seed", "1.5"), ("demo", "--steps", "0"), ("demo", "--steps", "-1"), ("demo", "--steps", "100001"),
    ("demo", "--format", "yaml"), ("demo", "--profile", "jaxlib-0.10.3"), ("demo", "--isa", "avx9"), ("demo", "--threads", "-1"),
    ("measure",), ("measure", "--weights", "w.npy", "--error", "both"), ("measure", "--weights", "w.npy", "--format", "python"),
    ("measure", "--weights", "w.npy", "--activations", "x.npy", "--error", "weights"),
    ("measure", "--weights", "w.npy", "--npy-dtype", "bfloat61"), ("measure", "--weights", "w.npy", "--k-axis", "middle")])
def test_wrong_words_exit_2_and_print_nothing_on_stdout(cli, tmp_path, arguments):
    result = cli(*arguments)
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert result.stderr.startswith("narrowgauge: error: ")
    assert list(tmp_path.iterdir()) == [], "a usage error left something behind"


@pytest.mark.parametrize("arguments, words", [
    (("demo", "--profile", "jaxlib-0.10.3"), ("jaxlib-0.10.2", "ieee", "nearest")),
    (("demo", "--format", "jsn"), ("table, csv, json, markdown", "nearest: json")),
    (("measure", "--weights", "w.npy", "--npy-dtype", "bfloat61"), ("float32", "nearest: bfloat16"))])
def test_an_unknown_name_is_answered_with_the_accepted_ones(cli, arguments, words):
    message = cli(*arguments).stderr
    for word in words:
        assert word in message


def test_the_environment_chooses_the_instruction_set(cli):
    assert cli("demo", "--quiet", NARROWGAUGE_ISA="baseline").returncode == 0
    assert cli("demo", "--quiet", NARROWGAUGE_ISA="avx9").returncode == 2


def test_a_closed_standard_output_is_a_failure(cli):
    result = cli(prefix=("sh", "-c", 'exec "$0" demo --quiet >/dev/full'))
    assert result.returncode == 1
    assert "standard output" in result.stderr
