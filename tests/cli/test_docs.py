"""Pages that are made by the program tell what it tells."""

import importlib.util
import os
import pathlib

SCRIPT = pathlib.Path(__file__).parents[2] / "docs" / "update_numerics.py"


def test_the_formats_of_numerics_md_are_those_of_the_program():
    spec = importlib.util.spec_from_file_location("update_numerics", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    page = script.PAGE.read_text(encoding="utf-8")
    assert script.updated(page, os.environ["NARROWGAUGE_CLI"]) == page, "stale; ./dev docs writes it anew"
