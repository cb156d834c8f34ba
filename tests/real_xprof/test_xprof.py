"""The real XProf shows what we wrote, in each of its tools that can, with the file's own times."""

import json
import pathlib
import sys

import pytest
from xprof.convert import raw_to_tool_data

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from capture import make_capture  # noqa: E402

BUFFER_BYTES = 256 * 256 * 2


@pytest.fixture(scope="module")
def capture(tmp_path_factory):
    return make_capture(tmp_path_factory.mktemp("trace"))


def tool(capture, name, **parameters):
    data, _ = raw_to_tool_data.xspace_to_tool_data(
        [str(capture.path)], name,
        {"use_saved_result": False, "host": capture.host, "hosts": [capture.host], **parameters})
    return json.loads(data)


def table_rows(table):
    """The rows of one of XProf's tables, as dicts by column id."""
    names = [column["id"] for column in table["cols"]]
    return [dict(zip(names, (cell["v"] for cell in row["c"]))) for row in table["rows"]]


def test_xprof_offers_its_tools(capture):
    assert {"trace_viewer@", "overview_page", "input_pipeline_analyzer", "framework_op_stats",
            "memory_profile"} <= set(raw_to_tool_data.xspace_to_tool_names([str(capture.path)]))


def test_trace_viewer_shows_every_step_and_operation_at_its_time(capture):
    viewer = tool(capture, "trace_viewer@", trace_viewer_options={"resolution": "0"})
    shown = sorted((e["name"], round(e["ts"] * 1000), round(e["dur"] * 1000))
                   for e in viewer["traceEvents"] if e["ph"] == "X")
    steps, operations = capture.events("step"), capture.events("dot_general")
    assert steps and len(steps) == len(operations)
    # XProf adds the number to a step's name. It shows memory events in its memory tools only.
    assert shown == sorted([(f"step {i}", e.start_ns, e.duration_ns) for i, e in enumerate(steps)] +
                           [(e.name, e.start_ns, e.duration_ns) for e in operations])


@pytest.mark.parametrize("name", ["overview_page", "input_pipeline_analyzer"])
def test_step_times_are_those_of_the_file(capture, name):
    table = next(t for t in tool(capture, name) if "steptime_ms_average" in t.get("p", {}))
    shown = {row["stepnum"]: row["stepTimeMs"] for row in table_rows(table)}
    steps = {f"step {i}": e.duration_ns * 1e-6 for i, e in enumerate(capture.events("step"))}
    if len(steps) > 5:  # XProf then leaves out the first and the last.
        steps = dict(list(steps.items())[1:-1])
    assert shown == pytest.approx(steps, abs=1e-6)
    average = float(table["p"]["steptime_ms_average"])  # One decimal.
    assert average == pytest.approx(sum(steps.values()) / len(steps), abs=0.05 + 1e-9)
    assert table["p"]["hardware_type"] == "CPU_ONLY"


def test_framework_op_stats_has_our_operation_with_its_time(capture):
    operations = capture.events("dot_general")
    row, = (r for r in table_rows(tool(capture, "framework_op_stats")[0]) if r["type"] != "IDLE")
    assert (row["host_or_device"], row["type"], row["operation"]) == (
        "Host", "dot_general", "step/dot_general")
    assert row["occurrences"] == len(operations)
    assert row["total_time"] == pytest.approx(sum(e.duration_ns for e in operations) * 1e-3)


def test_memory_profile_has_our_buffers(capture):
    profiles = tool(capture, "memory_profile")["memoryProfilePerAllocator"]
    assert list(profiles) == ["step_buffers"]
    profile = profiles["step_buffers"]
    assert profile["profileSummary"]["memoryCapacity"] == str(2 * BUFFER_BYTES)
    assert profile["profileSummary"]["peakBytesUsageLifetime"] == str(2 * BUFFER_BYTES)
    snapshots = profile["sampledTimelineSnapshots"]
    steps = len(capture.events("step"))
    assert [(s["activityMetadata"]["memoryActivity"], s["activityMetadata"]["stepId"])
            for s in snapshots] == [(activity, str(i)) for i in range(steps)
                                    for activity in ("ALLOCATION", "DEALLOCATION")]
    addresses = [s["activityMetadata"]["address"] for s in snapshots]
    assert "0" not in addresses and len(set(addresses)) == 2
    # A step takes the buffer that the step before gave back.
    assert addresses[2::2] == addresses[1:-1:2]
    for snapshot in snapshots:
        activity, stats = snapshot["activityMetadata"], snapshot["aggregationStats"]
        taken = activity["memoryActivity"] == "ALLOCATION"
        assert stats["heapAllocatedBytes"] == str(BUFFER_BYTES * (2 if taken else 1))
        assert stats["freeMemoryBytes"] == str(BUFFER_BYTES * (0 if taken else 1))
        assert activity["requestedBytes"] == activity["allocationBytes"] == str(BUFFER_BYTES)
        assert (activity["regionType"], activity["dataType"], activity["tensorShape"]) == (
            "output", "bfloat16", "[256,256]")
