"""The tutorial run by JAX in this environment, and ours beside it. Runs with ./dev test --all."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

PEER = pathlib.Path(__file__).parents[2] / "benchmarks" / "peers" / "tutorial.py"
SEEDS = (0, 1, 7, 65, 195, -1, 2**31, 2**62 + 12345)


def profile_of_this_machine():
    """JAX multiplies bfloat16 operands in another order where the CPU has AMX."""
    cpu = pathlib.Path("/proc/cpuinfo").read_text()
    return "jaxlib-0.10.2-amx" if "amx_bf16" in cpu else "jaxlib-0.10.2"


@pytest.mark.jax
def test_the_rows_are_those_of_jax(tmp_path):
    script = (f"import json, runpy, sys; t = runpy.run_path({str(PEER)!r}, run_name='peer');"
              f"print(json.dumps([t['evaluate_precision_policies'](s) for s in {SEEDS}]))")
    theirs = json.loads(subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True).stdout)
    for seed, rows in zip(SEEDS, theirs, strict=True):
        report = json.loads(subprocess.run(
            [os.environ["NARROWGAUGE_CLI"], "demo", "--seed", str(seed), "--profile", profile_of_this_machine(),
             "--format", "json", "--quiet", "--trace-dir", str(tmp_path)],
            stdout=subprocess.PIPE, text=True).stdout)
        assert report["rows"] == rows, seed
