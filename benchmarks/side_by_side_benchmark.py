"""narrowgauge, JAX and others on the same work in one run, turn by turn: ratios hold where the machine's speed drifts.

Needs jax in the environment (tests/requirements-all.txt) and NARROWGAUGE_CLI; `./dev bench` gives both. torch takes
part where it is installed.
"""

import importlib.util
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
PROGRAMS = pathlib.Path(CLI).parent.parent / "benchmarks"
PROCESS_PAIRS = 7
STEP_PAIRS = 5
CONVERSION_PAIRS = 3
REPORT_PAIRS = 3
MATMUL_PAIRS = 3


def spread(values):
    return f"median {statistics.median(values):.4g}, {min(values):.4g} to {max(values):.4g}"


def output(command, **environment):
    return subprocess.run(command, check=True, capture_output=True, text=True, env={**os.environ, **environment}).stdout


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
    text = output([*ONE_CORE, str(PROGRAMS / "step_benchmark"), "--benchmark_format=json", "--benchmark_min_time=0.1"])
    return {b["name"].split("/")[1]: b["real_time"] for b in json.loads(text)["benchmarks"]}


def compare_steps():
    """The jitted step against ours, both on one core."""
    ours, theirs = {}, []
    for _ in range(STEP_PAIRS):
        for isa, microseconds in our_steps().items():
            ours.setdefault(isa, []).append(microseconds)
        theirs.append(float(output([*ONE_CORE, sys.executable, str(HERE / "peers" / "tutorial_step.py")])))
    print(f"step, us: JAX {spread(theirs)}")
    for isa, values in ours.items():
        ratios = [b / a for a, b in zip(values, theirs)]
        print(f"step, us: narrowgauge {isa} {spread(values)}; JAX / narrowgauge: {spread(ratios)}")


def our_conversions():
    """Milliseconds by conversion, with the best instruction set that the benchmark knows."""
    found = {}
    text = output([*ONE_CORE, str(PROGRAMS / "convert_benchmark"), "--benchmark_format=json"])
    for b in json.loads(text)["benchmarks"]:  # AVX2 comes before AVX-512.
        if not b.get("error_occurred"):
            found["/".join(b["name"].split("/")[1:-3])] = b["median_ms"]
    return found


def compare_conversions(peers):
    """16 Mi elements to codes and back, each on one core."""
    script = str(HERE / "peers" / "conversions.py")
    ours, theirs = {}, {peer: {} for peer in peers}
    for _ in range(CONVERSION_PAIRS):
        for name, milliseconds in our_conversions().items():
            ours.setdefault(name, []).append(milliseconds)
        for peer in peers:
            for name, milliseconds in json.loads(output([*ONE_CORE, sys.executable, script, peer])).items():
                theirs[peer].setdefault(name, []).append(milliseconds)
    for peer, conversions in theirs.items():
        for name, values in conversions.items():
            ratios = [b / a for a, b in zip(ours[name], values)]
            print(f"{name}, ms: narrowgauge {spread(ours[name])}; {peer} {spread(values)}; "
                  f"{peer} / narrowgauge: {spread(ratios)}")


def check_report(peer, theirs, ours):
    """Both sides must have measured the same. float32 errors and sums, and XLA's reciprocals, differ in the last bits."""
    for name, numbers in theirs["policies"].items():
        for metric in ("max_abs_err", "mean_abs_err", "sqnr_db"):
            if abs(numbers[metric] - ours[name][metric]) > 1e-4 * abs(ours[name][metric]):
                sys.exit(f"side_by_side_benchmark: {peer} and narrowgauge disagree on {metric} of {name}: "
                         f"{numbers[metric]} and {ours[name][metric]}")


def compare_reports():
    """Twelve policies on a 4096 x 4096 matrix: our whole process against what the peers take once they run."""
    import numpy
    script = str(HERE / "peers" / "weight_report.py")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "w.npy")
        numpy.save(path, numpy.random.default_rng(0).standard_normal((4096, 4096), dtype=numpy.float32))
        command = [*ONE_CORE, CLI, "measure", "--weights", path, "--k-axis", "last", "--error", "weights",
                   "--preset", "weights", "--metrics", "max_abs_err,mean_abs_err,sqnr_db", "--threads", "1",
                   "--format", "json"]
        our_numbers = {row["policy"]: row for row in json.loads(output(command))["rows"]}
        ours, theirs = [], {"NumPy": [], "JAX warm": [], "JAX cold": []}
        for _ in range(REPORT_PAIRS):
            ours.append(seconds(command))
            for peer in ("numpy", "jax"):
                report = json.loads(output([*ONE_CORE, sys.executable, script, peer, path]))
                check_report(peer, report, our_numbers)
                warm = sum(numbers["seconds"] for numbers in report["policies"].values())
                if peer == "jax":
                    theirs["JAX cold"].append(report["cold"])
                theirs["NumPy" if peer == "numpy" else "JAX warm"].append(warm)
    print(f"weight report, s: narrowgauge, the whole process {spread(ours)}")
    for peer, values in theirs.items():
        ratios = [b / a for a, b in zip(ours, values)]
        print(f"weight report, s: {peer} {spread(values)}; {peer} / narrowgauge: {spread(ratios)}")


def our_matmuls(cores, isa, threads):
    """Microseconds by product: with w packed before, and with w packed each time."""
    found = {}
    text = output([*cores, str(PROGRAMS / "matmul_benchmark"), "--benchmark_format=json",
                   f"--benchmark_filter=/(float32|bfloat16|int8)/.*/threads:{threads}/"], **isa)
    for b in json.loads(text)["benchmarks"]:
        found["/".join(b["name"].split("/")[1:3])] = (b["median_us"], b["whole_us"])
    return found


def compare_matmuls():
    """Products beside XLA's, on one core and on two, with the best instruction set and with AVX2."""
    script = str(HERE / "peers" / "matmul.py")
    two_cores = ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[-2:]))]
    for isa, ours_only, theirs_only in (("best", {}, {}), ("avx2", {"NARROWGAUGE_ISA": "avx2"},
                                                           {"XLA_FLAGS": "--xla_cpu_max_isa=AVX2"})):
        for threads, cores in ((1, ONE_CORE), (2, two_cores)):
            ours, theirs = {}, {}
            for _ in range(MATMUL_PAIRS):
                for name, microseconds in our_matmuls(cores, ours_only, threads).items():
                    ours.setdefault(name, []).append(microseconds)
                for name, seconds_each in json.loads(output([*cores, sys.executable, script], **theirs_only)).items():
                    theirs.setdefault(name, []).append(seconds_each * 1e6)
            for name, values in theirs.items():
                packed, whole = ([pair[i] for pair in ours[name]] for i in (0, 1))
                ratios = [spread([b / a for a, b in zip(mine, values)]) for mine in (packed, whole)]
                print(f"{name}, {isa}, {threads} threads, us: narrowgauge {spread(packed)}; XLA {spread(values)}; "
                      f"XLA / narrowgauge: {ratios[0]}; packing w each time: {ratios[1]}")


# Tuned for another CPU, they would slow NumPy down.
for variable in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):
    os.environ.pop(variable, None)

ONE_CORE = ["taskset", "-c", str(max(os.sched_getaffinity(0)))]

try:
    import jax
except ImportError:
    sys.exit("side_by_side_benchmark: jax is not installed; run ./dev test --all once, or "
             ".venv/bin/pip install -r tests/requirements-all.txt")
print(f"jax {jax.__version__}")
compare_processes()
compare_steps()
compare_conversions(["numpy", "jax"] + (["torch"] if importlib.util.find_spec("torch") else []))
compare_reports()
compare_matmuls()
