"""The tutorial from the command line: its two lines, its trace, its assertions."""

import csv
import io
import json
import os
import pathlib
import re

import pytest

GOLDEN = pathlib.Path(__file__).parent.parent / "golden"
PRINTED = (GOLDEN / "printed.txt").read_text().splitlines()
TABLES = json.loads((GOLDEN / "tables.json").read_text())["partitionable"]
BREAK_THE_TUTORIAL = (65, 195)  # Seeds for which row 1's largest error is not below row 2's.


def captures(directory):
    return sorted(pathlib.Path(directory).rglob("*.xplane.pb"))


def test_every_recorded_line_comes_out_byte_for_byte(cli, tmp_path):
    for seed, line in enumerate(PRINTED):
        result = cli("demo", "--seed", seed, "--steps", 1, "--quiet")
        assert result.stdout.splitlines()[0] == line
        assert result.returncode == (3 if seed in BREAK_THE_TUTORIAL else 0)
    assert len(captures(tmp_path)) == len(PRINTED) == 200


def test_stdout_is_exactly_the_tutorials_two_lines(cli, tmp_path):
    result = cli("demo")
    assert result.returncode == 0
    first, second = result.stdout.splitlines()
    assert first == PRINTED[0]
    assert re.fullmatch(r"Captured \*\.xplane\.pb trace count: 1 steady_ms: \d+\.\d{1,4}", second)


def test_stderr_tells_a_person_what_was_done(cli, tmp_path):
    text = cli("demo").stderr
    capture, = captures(tmp_path)
    assert str(capture) in text and str(capture.stat().st_size) in text
    assert f"xprof --logdir '{tmp_path}/tpu-xprof-trace'" in text
    assert "4 steps" in text and "names the output type" in text
    assert "0.57303" in text and "0.05714" in text, "what bfloat16 accumulators give"
    assert "\033" not in text, "colours on a pipe"


def test_quiet_says_nothing(cli):
    assert cli("demo", "--quiet").stderr == ""


@pytest.mark.parametrize("isa", ["baseline", "avx2", "avx512", "avx512_vnni", "avx512_bf16", "amx_bf16"])
def test_every_instruction_set_prints_the_same_table(cli, isa):
    result = cli("demo", "--isa", isa, "--quiet")
    if result.returncode == 2 and "for this machine" in result.stderr:
        pytest.skip(f"this machine has no {isa}")
    assert result.stdout.splitlines()[0] == PRINTED[0]


@pytest.mark.parametrize("layout, flags", [("true", ()), ("false", ("--no-partitionable",))])
def test_json_holds_the_recorded_rows(cli, layout, flags):
    report = json.loads(cli("demo", "--seed", 7, "--format", "json", *flags).stdout)
    assert report["schema"] == "narrowgauge.demo/1"
    assert [report[key] for key in ("seed", "profile", "error_of", "reference")] == [7, "jaxlib-0.10.2", "output", "float32"]
    assert report["isa"] and report["backend"]
    values = [row[key] for row in report["rows"] for key in ("max_abs_err", "mean_abs_err")]
    assert values == TABLES[layout][7]["rounded"]
    assert [(row["weight_bytes"], row["scale_bytes"]) for row in report["rows"]] == [(16384, 256)] * 3


def test_csv_and_markdown_hold_the_same_rows(cli):
    rows = list(csv.DictReader(io.StringIO(cli("demo", "--format", "csv").stdout)))
    assert [row["max_abs_err"] for row in rows] == ["0.03718", "0.05545", "0.12516"]
    assert "| bf16 (bf16 accum) |" in cli("demo", "--format", "markdown").stdout
    assert "0.12516" in cli("demo", "--format", "table").stdout


def test_an_assertion_that_does_not_hold_is_named_after_all_is_printed(cli):
    result = cli("demo", "--seed", 65)
    assert result.returncode == 3
    assert result.stdout.splitlines()[0] == PRINTED[65]
    assert "'bf16 (fp32 accum)' < max_abs_err of 'bf16 (bf16 accum)'" in result.stderr.splitlines()[-1]


def test_the_directory_is_the_argument_then_the_variable_then_the_default(cli, tmp_path):
    cli("demo", "--trace-dir", tmp_path / "a" / "b", TPU_TRACE_DIR=str(tmp_path / "c"))
    assert len(captures(tmp_path / "a" / "b")) == 1
    cli("demo", TPU_TRACE_DIR=str(tmp_path / "c"))
    assert len(captures(tmp_path / "c")) == 1
    cli("demo", "--trace-dir", "~/t", HOME=str(tmp_path / "home"))
    assert len(captures(tmp_path / "home" / "t")) == 1
    result = cli("demo", "--trace-dir", tmp_path)
    assert "trace count: 4 " in result.stdout, "counts all below the directory"


def test_an_overflowing_step_is_said(cli):
    assert "From step 5 on the result is no longer finite" in cli("demo", "--steps", 5).stderr
    assert "no longer finite" not in cli("demo", "--steps", 4).stderr


@pytest.mark.parametrize("prepare, words", [
    (lambda d: d.write_text("x"), ("not a directory",)),
    (lambda d: d.symlink_to(d), ())])
def test_a_trace_directory_that_cannot_be_used_exits_1(cli, tmp_path, prepare, words):
    target = tmp_path / "trace"
    prepare(target)
    result = cli("demo", "--trace-dir", target)
    assert result.returncode == 1
    assert result.stdout == "" and str(target) in result.stderr
    for word in words:
        assert word in result.stderr.lower()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_trace_directory_exits_1(cli, tmp_path):
    target = tmp_path / "trace"
    target.mkdir(mode=0o555)
    assert cli("demo", "--trace-dir", target).returncode == 1
    assert list(target.iterdir()) == []


def test_a_full_disk_leaves_nothing_behind(cli, tmp_path):
    # A file size limit fails writes as a full disk does.
    result = cli("demo", "--trace-dir", "t", prefix=("prlimit", "--fsize=1000"))
    assert result.returncode == 1
    assert result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_out_writes_the_result_whole(cli, tmp_path):
    result = cli("demo", "--format", "json", "--out", tmp_path / "r.json", "--quiet")
    assert result.returncode == 0 and result.stdout == ""
    assert json.loads((tmp_path / "r.json").read_text())["schema"] == "narrowgauge.demo/1"
    result = cli("demo", "--out", tmp_path / "missing" / "r.txt")
    assert result.returncode == 1 and "missing" in result.stderr
