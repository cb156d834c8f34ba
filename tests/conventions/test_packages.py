"""The packages whose conventions we know, asked again: what they answer is what is committed.

Runs with ./dev test --all, for the packages of requirements-all.txt. Torch and what sits on it
(torchao, compressed-tensors, nvidia-modelopt) take six gigabytes and are left to whoever has them, as is
microxcaling, which is not on PyPI: NARROWGAUGE_MICROXCALING names a checkout.
"""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest

GOLDEN = pathlib.Path(__file__).parents[1] / "golden"

# The ecosystem as the golden file calls it, and what must be installed for it.
PACKAGES = {
    "qwix": ("qwix",),
    "aqt": ("aqtp",),
    "gguf": ("gguf",),
    "onnxruntime": ("onnxruntime", "onnx"),
    "mlx": ("mlx", "mlx-cpu"),
    "torchao": ("torch", "torchao"),
    "compressed-tensors": ("torch", "compressed-tensors"),
    "modelopt": ("torch", "nvidia-modelopt"),
    "microxcaling": ("torch",),
}


def recorded(path, ecosystem):
    document = json.loads(path.read_text())
    return ({scheme["scheme"]: scheme for scheme in document["schemes"] if scheme["ecosystem"] == ecosystem},
            {(table["rule"], table["element"]): table["codes"] for table in document["e8m0"]["tables"]
             if table["ecosystem"] == ecosystem})


def why_not(ecosystem, schemes):
    """Returns why an ecosystem cannot be asked here, or None."""
    versions = next(iter(schemes.values()))["versions"]
    for package in PACKAGES[ecosystem]:
        try:
            installed = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            return f"{package} is not installed"
        if package in versions and installed != versions[package]:
            return f"{package} is {installed}; the answers are those of {versions[package]}"
    if ecosystem == "microxcaling" and "NARROWGAUGE_MICROXCALING" not in os.environ:
        return "NARROWGAUGE_MICROXCALING names no checkout"
    return None


@pytest.mark.packages
@pytest.mark.parametrize("ecosystem", PACKAGES)
def test_a_package_answers_as_recorded(ecosystem, tmp_path):
    schemes, tables = recorded(GOLDEN / "conventions.json", ecosystem)
    if reason := why_not(ecosystem, schemes):
        pytest.skip(reason)
    # A process of its own: nine packages in one would share threads and settings.
    out = tmp_path / "conventions.json"
    command = [sys.executable, GOLDEN / "make_conventions.py", "--out", out, "--only", ecosystem]
    if ecosystem == "microxcaling":
        command += ["--microxcaling", os.environ["NARROWGAUGE_MICROXCALING"]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert out.exists(), done.stdout + done.stderr
    asked, asked_tables = recorded(out, ecosystem)
    assert sorted(asked) == sorted(schemes), done.stdout + done.stderr
    for name, scheme in schemes.items():
        assert asked[name] == scheme, name
    assert asked_tables == tables


def test_each_recorded_ecosystem_can_be_asked():
    document = json.loads((GOLDEN / "conventions.json").read_text())
    assert {scheme["ecosystem"] for scheme in document["schemes"]} == set(PACKAGES)
    assert importlib.util.find_spec("numpy"), "make_conventions.py needs it"
