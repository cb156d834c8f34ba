"""XProf's trace viewer, in a real browser, finds and shows what we wrote."""

import os
import pathlib
import re
import urllib.parse

import pytest

SEARCH = "tr-ui-find-control input"
HITS = "tr-ui-find-control #hitCount"
NEXT = 1  # Of the two buttons beside the search, the second.
BUTTONS = "tr-ui-find-control tr-ui-b-toolbar-button"
DETAILS = "tr-ui-a-analysis-view"
DETAIL_ROWS = "tr-ui-a-analysis-view tr"


@pytest.fixture
def screenshots(tmp_path):
    return pathlib.Path(os.environ.get("NARROWGAUGE_SCREENSHOTS", tmp_path))


@pytest.fixture
def viewer(chromium, xprof_url, capture, tmp_path):
    from devtools import Browser
    query = urllib.parse.urlencode({"run": capture.run, "tag": "trace_viewer@", "host": capture.host})
    with Browser(tmp_path, chromium) as browser:
        browser.open(f"{xprof_url}/data/plugin/profile/trace_viewer@?{query}")
        # The page's own words, once the events have come.
        browser.wait_until(lambda: "Nothing selected" in " ".join(browser.texts(DETAILS)),
                           "the trace viewer")
        yield browser


def search(viewer, text, hits):
    viewer.click(SEARCH)
    viewer.type_text(text)
    viewer.wait_until(lambda: viewer.texts(HITS) == [f"0 of {hits}"], f"{hits} hits for {text!r}")


def select_next(viewer, title):
    """Steps to the next hit, waits for its arguments, and returns the rows of the detail pane."""
    viewer.click_at(*viewer.centers(BUTTONS)[NEXT])

    def rows():
        shown = viewer.texts(DETAIL_ROWS)
        # Arguments come from the server after the rest.
        complete = any(r.startswith(f"Title{title}") for r in shown) and any("group_id" in r for r in shown)
        return complete and len(viewer.centers(DETAIL_ROWS)) > 6 and shown

    return viewer.wait_until(rows, f"the details of {title}")


def duration_ns(rows):
    row, = (r for r in rows if r.startswith("Wall Duration"))
    return int(re.fullmatch(r"Wall Duration ([\d,]+) ns", row)[1].replace(",", ""))


def test_search_finds_each_step_and_the_pane_shows_it(viewer, capture, screenshots):
    steps = capture.events("step")
    search(viewer, "step", len(steps))
    for i, step in enumerate(steps):
        rows = select_next(viewer, f"step {i}")
        assert duration_ns(rows) == step.duration_ns
        assert f"step_num {i}" in rows
    viewer.screenshot(screenshots / "trace_viewer_step.png")


def test_the_pane_shows_what_an_operation_was(viewer, capture, screenshots):
    operations = capture.events("dot_general")
    search(viewer, "dot_general", len(operations))
    rows = select_next(viewer, "dot_general")
    assert duration_ns(rows) == operations[0].duration_ns
    assert {'dtype "bfloat16"', 'accumulation "float32"', "bytes_accessed 393216"} <= set(rows)
    assert any(r.startswith("kernel ") for r in rows)
    viewer.screenshot(screenshots / "trace_viewer_operation.png")
