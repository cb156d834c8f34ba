"""narrowgauge and JAX on the same work in one run, turn by turn: ratios hold where the machine's speed drifts.

Needs jax in the environment (tests/requirements-all.txt) and NARROWGAUGE_CLI; `./dev bench` gives both.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
CLI = os.environ["NARROWGAUGE_CLI"]
STEP_BENCHMARK = pathlib.Path(CLI).parent.parent / "benchmarks" / "step_benchmark"
PROCESS_PAIRS = 7
STEP_PAIRS = 5


def spread(values):
    return f"median {statistics.median(values):.4g}, {min(values):.4g} to {max(values):.4g}"


def seconds(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def compare_processes():
    """The whole demo, process start included, against the tutorial in Python."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as trace_dir:
        for _ in range(PROCESS_PAIRS):
            ours.append(seconds([CLI, "demo", "--trace-dir", trace_dir]))
            theirs.append(seconds([sys.executable, str(HERE / "peers" / "tutorial.py")]))
    ratios = [b / a for a, b in zip(ours, theirs)]
    print(f"whole process, ms: narrowgauge demo {spread([v * 1e3 for v in ours])}; JAX {spread([v * 1e3 for v in theirs])}")
    print(f"whole process, JAX / narrowgauge: {spread(ratios)}   (goal: 200)")


def our_steps():
    """Microseconds per step, by instruction set."""
    text = subprocess.run([*ONE_CORE, str(STEP_BENCHMARK), "--benchmark_format=json", "--benchmark_min_time=0.1"],
                          check=True, capture_output=True, text=True).stdout
    return {b["name"].split("/")[1]: b["real_time"] for b in json.loads(text)["benchmarks"]}


def compare_steps():
    """The jitted step against ours, both on one core."""
    ours, theirs = {}, []
    for _ in range(STEP_PAIRS):
        for isa, microseconds in our_steps().items():
            ours.setdefault(isa, []).append(microseconds)
        theirs.append(float(subprocess.run([*ONE_CORE, sys.executable, str(HERE / "peers" / "tutorial_step.py")],
                                           check=True, capture_output=True, text=True).stdout))
    print(f"step, us: JAX {spread(theirs)}")
    for isa, values in ours.items():
        ratios = [b / a for a, b in zip(values, theirs)]
        print(f"step, us: narrowgauge {isa} {spread(values)}; JAX / narrowgauge: {spread(ratios)}")


ONE_CORE = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]

try:
    import jax
except ImportError:
    sys.exit("side_by_side_benchmark: jax is not installed; run ./dev test --all once, or "
             ".venv/bin/pip install -r tests/requirements-all.txt")
print(f"jax {jax.__version__}")
compare_processes()
compare_steps()
