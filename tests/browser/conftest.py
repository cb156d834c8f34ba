"""A capture, and a running XProf that shows it."""

import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

HERE = pathlib.Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "real_xprof")]

START_TIMEOUT_S = 60


def free_ports(count):
    """Ports that are free now. They are held together, so that they differ."""
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


@pytest.fixture(scope="session")
def chromium():
    path = shutil.which("chromium")
    assert path, "chromium is not installed"
    return path


@pytest.fixture(scope="session")
def capture(tmp_path_factory):
    from capture import make_capture
    return make_capture(tmp_path_factory.mktemp("trace"))


@pytest.fixture(scope="session")
def xprof_url(capture, tmp_path_factory):
    port, grpc_port = free_ports(2)
    url = f"http://127.0.0.1:{port}"
    log = tmp_path_factory.mktemp("xprof") / "server.log"
    with open(log, "wb") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "xprof.server", "--logdir", capture.trace_dir,
             "--port", str(port), "--grpc_port", str(grpc_port)],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            assert server.poll() is None and time.monotonic() < deadline, log.read_text()
            try:
                opener.open(f"{url}/data/plugin/profile/runs", timeout=5).close()
                break
            except (urllib.error.URLError, TimeoutError):
                time.sleep(0.1)
        yield url
    finally:
        server.terminate()
        server.wait()
