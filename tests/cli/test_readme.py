"""What the README shows is what the program prints."""

import pathlib
import re
import shlex

import pytest

README = (pathlib.Path(__file__).parents[2] / "README.md").read_text()


def shown_after(command):
    """The lines that the README shows below "$ command", up to the end of its block."""
    _, found, rest = README.partition(f"$ {command}\n")
    assert found, f"the README does not show: {command}"
    return rest.partition("```")[0].rstrip("\n").splitlines()


def without_machine(lines):
    """Without what depends on the machine: the instruction set, and times."""
    return [re.sub(r"(steady_ms: )[\d.]+", r"\1…", line) for line in lines if not line.startswith("isa: ")]


def test_demo_prints_what_the_readme_shows(cli):
    assert without_machine(cli("demo").stdout.splitlines()) == without_machine(shown_after("./dev demo"))


def test_demo_tells_a_person_what_the_readme_shows(cli):
    facts = ("kernel: ", "isa: ", "warmup_ms: ", "trace_file: ", "trace_file_bytes: ")

    def keep(text):
        before, opened, _ = text.partition("Open it with:")  # Then a path, however long.
        assert opened
        return [line for line in before.splitlines() if not line.startswith(facts) and "steady_ms" not in line]

    assert keep(cli("demo").stderr) == keep(README.partition("<!-- stderr of demo -->\n```\n")[2])


@pytest.mark.parametrize("command", re.findall(r"^\$ narrowgauge (.+)$", README, re.MULTILINE))
def test_every_command_prints_what_the_readme_shows(cli, tmp_path, minilm, command):
    (tmp_path / "model.safetensors").symlink_to(minilm)
    result = cli(*shlex.split(command))
    assert result.returncode == 0, result.stderr
    assert without_machine(result.stdout.rstrip("\n").splitlines()) == without_machine(shown_after(f"narrowgauge {command}"))
