"""Colours and progress: on a terminal only."""

import os
import pty
import re
import select
import subprocess
import time

import numpy as np
import pytest


def stderr_on_a_terminal(cwd, *arguments, until=None, **environment):
    """Runs the program with standard error on a pseudo-terminal; returns its status and what it wrote there. It is
    stopped once `until` matches that."""
    try:
        ours, theirs = pty.openpty()
    except OSError as error:  # A chroot without /dev/pts has none.
        pytest.skip(f"no pseudo-terminal: {error}")
    clean = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    process = subprocess.Popen([os.environ["NARROWGAUGE_CLI"], *arguments], cwd=cwd, env={**clean, **environment},
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=theirs)
    os.close(theirs)
    written = b""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # The other side is closed.
                break
            if not chunk:
                break
            written += chunk
            if until and re.search(until, written):
                process.kill()
                break
        elif process.poll() is not None:
            break
    os.close(ours)
    return process.wait(), written.decode()


def test_errors_are_red_on_a_terminal_unless_no_color_is_set(tmp_path):
    status, text = stderr_on_a_terminal(tmp_path, "measure", "--weights", "absent.npy")
    assert status == 1 and "\033[1;31merror:\033[0m" in text
    status, text = stderr_on_a_terminal(tmp_path, "measure", "--weights", "absent.npy", NO_COLOR="1")
    assert status == 1 and "\033" not in text


@pytest.fixture
def slow_matrix(tmp_path):
    """Takes the plain kernels about a second."""
    np.save(tmp_path / "w.npy", np.ones((512, 2048), np.float32))
    return ("measure", "--weights", "w.npy", "--isa", "baseline", "--threads", "1")


def test_progress_is_drawn_on_a_terminal_and_erased(tmp_path, slow_matrix):
    status, text = stderr_on_a_terminal(tmp_path, *slow_matrix)
    assert status == 0
    assert "measuring w.npy" in text and " %" in text
    assert text.endswith("\r\033[K")


def test_no_progress_with_quiet_or_on_a_pipe(cli, tmp_path, slow_matrix):
    assert stderr_on_a_terminal(tmp_path, *slow_matrix, "--quiet") == (0, "")
    assert cli(*slow_matrix).stderr == ""


def test_a_long_run_says_beforehand_what_it_will_take(tmp_path):
    long_run = ("measure", "--random", "64x65536x1024", "--preset", "accumulators", "--threads", "1")
    _, text = stderr_on_a_terminal(tmp_path, *long_run, until=rb"multiply-adds: [^\r]*\r")
    assert re.fullmatch(r"8.6e\+10 multiply-adds: about [\d.]+ (s|min|h)\r\n.*", text, re.DOTALL), text


def test_a_short_run_says_nothing_of_it(tmp_path):
    status, text = stderr_on_a_terminal(tmp_path, "measure", "--random", "8x256x64")
    assert status == 0 and "multiply-adds" not in text
