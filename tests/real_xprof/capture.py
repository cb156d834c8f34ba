"""A capture made by the command line, and what XProf's own reader of the file says of it."""

import dataclasses
import os
import pathlib
import subprocess

from xprof import profile_data


@dataclasses.dataclass(frozen=True)
class Event:
    """Times are whole nanoseconds from the start of the profile."""
    name: str
    start_ns: int
    duration_ns: int


@dataclasses.dataclass(frozen=True)
class Capture:
    trace_dir: pathlib.Path
    path: pathlib.Path

    @property
    def run(self):
        return self.path.parent.name

    @property
    def host(self):
        return self.path.name.removesuffix(".xplane.pb")

    def events(self, name):
        data = profile_data.ProfileData.from_file(str(self.path))
        return [Event(e.name, round(e.start_ns), round(e.duration_ns))
                for plane in data.planes if plane.name == "/host:CPU"
                for line in plane.lines for e in line.events if e.name == name]


def make_capture(trace_dir: pathlib.Path) -> Capture:
    subprocess.run([os.environ["NARROWGAUGE_CLI"], "demo", "--trace-dir", trace_dir], check=True, stdout=subprocess.DEVNULL)
    path, = trace_dir.glob("plugins/profile/*/*.xplane.pb")
    return Capture(trace_dir, path)
