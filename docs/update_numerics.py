"""Writes what `narrowgauge formats` says into docs/numerics.md, between its two markers.

    python3 docs/update_numerics.py PROGRAM      # or ./dev docs

tests/cli/test_docs.py fails if the page tells otherwise than the program.
"""

import json
import pathlib
import subprocess
import sys

PAGE = pathlib.Path(__file__).with_name("numerics.md")
BEGIN = "<!-- Made by `./dev docs` from the program: do not edit -->\n"
END = "<!-- End of what `./dev docs` makes -->\n"


def sources(rows):
    """A table of the words for each format and the source that defines it."""
    lines = ["| name | also called | source |\n", "| :--- | :--- | :--- |\n"]
    for row in rows:
        words = [row.get("file_name"), *(row["aliases"] or "").split(", ")]
        lines.append(f"| {row['name']} | {', '.join(filter(None, words))} | {row['source']} |\n")
    return "".join(lines)


def section(program):
    def formats(style):
        return subprocess.run([program, "formats", "--format", style], check=True, capture_output=True, text=True).stdout

    facts = json.loads(formats("json"))
    return (f"\n{formats('markdown')}\n### Words and sources\n\nA word that two formats share is refused with both.\n\n"
            f"{sources(facts['dtypes'] + facts['block_formats'])}\n")


def updated(text, program):
    """Returns the page's text with a fresh section."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    assert begin and end, f"{PAGE} lacks the markers"
    return before + begin + section(program) + end + after


if __name__ == "__main__":
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), sys.argv[1]), encoding="utf-8")
