"""The installed package is all that a user needs, and each header is all that its reader needs."""

import concurrent.futures
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("NARROWGAUGE_BUILD", ROOT / "build/release"))
GOOGLETEST = "/usr/src/googletest/googletest/include"  # For what tests share.
HEADERS = sorted(path.relative_to(ROOT) for folder in ("include", "src", "tests/support")
                 for path in (ROOT / folder).rglob("*.h"))


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip(f"nothing is built in {BUILD}: ./dev build")
    prefix = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", prefix)
    return prefix


def test_installs_the_program(prefix):
    run(prefix / "bin/narrowgauge", "--version")


def test_installs_every_public_header_and_no_private_one(prefix):
    headers = {path.relative_to(ROOT / "include")
               for path in (ROOT / "include").rglob("*") if path.is_file()}
    installed = {path.relative_to(prefix / "include")
                 for path in (prefix / "include").rglob("*") if path.is_file()}
    assert installed == headers


def test_package_names_no_path_of_the_build(prefix):
    for path in (prefix / "lib").rglob("*.cmake"):
        assert str(ROOT) not in path.read_text(), path


def test_a_project_finds_and_uses_the_package(prefix, tmp_path):
    run("cmake", "-S", ROOT / "tests/install", "-B", tmp_path, "-G", "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}", "-DCMAKE_CXX_COMPILER=g++")
    run("cmake", "--build", tmp_path)
    first, second = run(tmp_path / "uses_narrowgauge").splitlines()
    assert first == "baseline"
    assert second.startswith("unknown instruction set")


@pytest.fixture(scope="module")
def compilers():
    """What g++ says to each header alone, as many at a time as there are processors."""
    def compile_alone(header):
        return subprocess.run(
            ["g++", "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
             "-x", "c++", "-I", ROOT / "include", "-I", ROOT, "-isystem", GOOGLETEST, ROOT / header],
            capture_output=True, text=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {header: pool.submit(compile_alone, header) for header in HEADERS}


@pytest.mark.parametrize("header", HEADERS, ids=str)
def test_header_compiles_alone(compilers, header):
    result = compilers[header].result()
    assert result.returncode == 0, result.stderr
