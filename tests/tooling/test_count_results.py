"""The last line of ./dev test must not lie."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "count_results.py"

PASSING = '<testsuite><testcase name="a"/><testcase name="b"/></testsuite>'
FAILING = """<testsuite><testcase name="a"/>
<testcase classname="S.b  # GetParam() = 3" name="S.b  # GetParam() = 3"><failure/></testcase>
</testsuite>"""
# As ctest writes a GoogleTest case that says GTEST_SKIP() << "no AVX-512 here".
SKIPPED = """<testsuite><testcase name="a"/>
<testcase name="b" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>
<system-out>[ RUN      ] S.b
x_test.cc:3: Skipped
no AVX-512 here

[  SKIPPED ] S.b (0 ms)</system-out></testcase></testsuite>"""


def run(tmp_path, *rows):
    """Runs the script on rows of (suite, exit status, JUnit text or None)."""
    lines = []
    for index, (suite, status, junit) in enumerate(rows):
        file = tmp_path / f"{index}.xml"
        if junit is not None:
            file.write_text(junit)
        lines.append(f"{suite}\t{status}\t{file}\n")
    return run_checks(tmp_path, "".join(lines))


def run_checks(tmp_path, text):
    checks = tmp_path / "checks.tsv"
    checks.write_text(text)
    done = subprocess.run([sys.executable, SCRIPT, checks], capture_output=True, text=True)
    return done.returncode, done.stdout.splitlines()


def test_adds_up_suites(tmp_path):
    status, lines = run(tmp_path, ("one", 0, PASSING), ("two", 0, PASSING))
    assert (status, lines) == (0, ["4 passed, 0 failed"])


def test_counts_a_failure_and_names_it(tmp_path):
    status, lines = run(tmp_path, ("one", 8, FAILING))
    assert status == 1
    assert lines == ["failed: one: S.b", "1 passed, 1 failed"]


def test_says_why_a_test_was_skipped(tmp_path):
    status, lines = run(tmp_path, ("one", 0, SKIPPED))
    assert status == 0
    assert lines == ["skipped: one: b: no AVX-512 here", "1 passed, 0 failed"]


@pytest.mark.parametrize("junit", [None, "<testsuite>"], ids=["missing", "cut short"])
def test_results_that_cannot_be_read_are_a_failure(tmp_path, junit):
    status, lines = run(tmp_path, ("one", 0, junit), ("two", 0, PASSING))
    assert (status, lines[-1]) == (1, "2 passed, 1 failed")


def test_a_runner_that_fails_without_a_failed_test_is_a_failure(tmp_path):
    status, lines = run(tmp_path, ("one", 2, PASSING))
    assert (status, lines[-1]) == (1, "2 passed, 1 failed")


def test_a_check_without_results_is_one_test(tmp_path):
    status, lines = run_checks(tmp_path, "fuzz npy\t0\t-\nfuzz xplane\t77\t-\n")
    assert (status, lines[-1]) == (1, "1 passed, 1 failed")


def test_nothing_run_is_not_a_success(tmp_path):
    assert run_checks(tmp_path, "") == (1, ["0 passed, 0 failed"])


def test_names_a_suite_without_tests(tmp_path):
    status, lines = run(tmp_path, ("one", 0, "<testsuite/>"), ("two", 0, PASSING))
    assert (status, lines[0]) == (0, "no tests in: one")
