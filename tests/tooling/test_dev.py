"""./dev refuses what it does not know, and keeps stdout for what was asked for."""

import subprocess
from pathlib import Path

import pytest

DEV = Path(__file__).resolve().parents[2] / "dev"


def dev(*arguments, **options):
    return subprocess.run([DEV, *arguments], capture_output=True, text=True, **options)


def test_help_lists_every_command():
    done = dev("help")
    listed = {line.split()[0] for line in done.stdout.splitlines()[1:] if line.strip()}
    defined = {line.removeprefix("dev_").split("(")[0]
               for line in DEV.read_text().splitlines() if line.startswith("dev_")}
    assert (done.returncode, done.stderr) == (0, "")
    assert listed == defined


@pytest.mark.parametrize("arguments", [["nonsense"], ["test", "--everything"], ["fuzz", "soon"],
                                       ["lint", "--hard"]], ids=" ".join)
def test_refuses_words_it_does_not_know(arguments):
    done = dev(*arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert arguments[-1] in done.stderr


def test_names_the_packages_when_it_may_not_install(tmp_path):
    """With a dpkg-query that knows nothing, a sudo that says no, and a user who is not root."""
    for name, text in (("dpkg-query", "exit 1"), ("sudo", "exit 1"), ("apt-get", "exit 1")):
        program = tmp_path / name
        program.write_text(f"#!/bin/sh\n{text}\n")
        program.chmod(0o755)
    script = DEV.read_text().replace("((EUID == 0))", "false")
    copy = tmp_path / "dev"
    copy.write_text(script)
    done = subprocess.run(["bash", copy, "demo"], capture_output=True, text=True,
                          env={"PATH": f"{tmp_path}:/usr/bin:/bin"}, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (69, "")
    assert "apt-get install --no-install-recommends g++ cmake ninja-build" in done.stderr
