"""Sequential bfloat16 sums of narrowgauge, NumPy and JAX in one run, turn by turn, and how our time grows with M K N.

Needs jax in the environment (tests/requirements-all.txt) and NARROWGAUGE_CLI; `./dev bench` gives both.
"""

import json
import math
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAM = pathlib.Path(os.environ["NARROWGAUGE_CLI"]).parent.parent / "benchmarks" / "accumulation_benchmark"
ONE_CORE = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]
PAIRS = 5
GOAL = 1.8


def output(command):
    return subprocess.run([*ONE_CORE, *command], check=True, capture_output=True, text=True).stdout


def spread(values):
    return f"median {statistics.median(values):.4g}, {min(values):.4g} to {max(values):.4g}"


def ours(pattern):
    text = output([str(PROGRAM), f"--benchmark_filter={pattern}", "--benchmark_format=json",
                   "--benchmark_min_time=0.3"])
    found = json.loads(text)["benchmarks"]
    for benchmark in found:
        if benchmark.get("error_occurred"):
            sys.exit(f"accumulation_benchmark: {benchmark['name']}: {benchmark['error_message']}")
    return found


def compare(peer, pairs):
    times = {}
    for _ in range(pairs):
        report = json.loads(output([sys.executable, str(HERE / "peers" / "accumulation.py"), peer]))
        for benchmark in ours("^accumulate/bfloat16(,fma=separate)?/bfloat16/"):
            _, name, _, isa = benchmark["name"].split("/")
            if int(benchmark["checksum"]) != report[name]["checksum"]:
                sys.exit(f"accumulation_benchmark: {peer} and narrowgauge have other bits for {name}")
            times.setdefault((name, isa), []).append((benchmark["real_time"], report[name]["ms"]))
    for (name, isa), values in times.items():
        ratios = [theirs / mine for mine, theirs in values]
        goal = f"   (goal: {GOAL})" if peer == "jax" else ""
        print(f"{name}, ms: narrowgauge {isa} {spread([v[0] for v in values])}; {peer} {spread([v[1] for v in values])}; "
              f"{peer} / narrowgauge: {spread(ratios)}{goal}")


def fit_work():
    """Least squares of log time = a log M + b log K + c log N + d."""
    import numpy
    rows, logs = [], []
    for benchmark in ours("^work/"):
        rows.append([math.log(int(v)) for v in benchmark["name"].split("/")[2].split("x")] + [1])
        logs.append(math.log(benchmark["real_time"]))
    found, *_ = numpy.linalg.lstsq(numpy.array(rows), numpy.array(logs), rcond=None)
    rest = numpy.exp(numpy.abs(numpy.array(rows) @ found - numpy.array(logs)).max())
    print(f"time grows as M^{found[0]:.3f} K^{found[1]:.3f} N^{found[2]:.3f}; the farthest of {len(rows)} shapes is off "
          f"by a factor of {rest:.2f}")


try:
    import jax
except ImportError:
    sys.exit("accumulation_benchmark: jax is not installed; run ./dev test --all once, or "
             ".venv/bin/pip install -r tests/requirements-all.txt")
print(f"jax {jax.__version__}")
compare("jax", PAIRS)
compare("numpy", 3)
fit_work()
