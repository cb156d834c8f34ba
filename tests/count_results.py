"""Adds up what ./dev test ran, and prints "N passed, N failed" as its last line.

usage: count_results.py CHECKS

CHECKS has one row for each thing that ran: its name, its exit status and its JUnit file, or "-" where
it has none and is one test by itself (a fuzz target, a build that failed). Tabs stand between them.
Exits 0 if something passed and nothing failed.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Count:
    passed: int = 0
    failures: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # Each with its reason.
    empty: list[str] = field(default_factory=list)  # Suites without a test.


def case_name(case: ElementTree.Element) -> str:
    """Returns a test's name, without the value that GoogleTest adds and the class that CTest repeats."""
    group, name = (case.get(key, "").partition("  # GetParam()")[0] for key in ("classname", "name"))
    return name if group in ("", name) else f"{group} {name}"


def skip_reason(case: ElementTree.Element, skipped: ElementTree.Element | None) -> str:
    """Returns why a test was skipped: pytest says it in a message, GoogleTest in its output."""
    output = case.findtext("system-out") or ""
    said = re.search(r": Skipped\n(.*?)\n+(?:\[|$)", output, re.DOTALL)
    if said:
        return " ".join(said.group(1).split())
    if case.get("status") == "disabled":
        return "disabled"
    message = skipped.get("message") if skipped is not None else None
    return message or "no reason given"


def add_junit(count: Count, suite: str, status: int, path: Path) -> None:
    try:
        cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    except (OSError, ElementTree.ParseError) as error:
        count.failures.append(f"{suite}: exit status {status} and no readable results: {error}")
        return
    failures = []
    for case in cases:
        name = f"{suite}: {case_name(case)}"
        skipped = case.find("skipped")
        if case.find("failure") is not None or case.find("error") is not None:
            failures.append(name)
        elif skipped is not None or case.get("status") in ("notrun", "disabled"):
            count.skipped.append(f"{name}: {skip_reason(case, skipped)}")
        else:
            count.passed += 1
    if status != 0 and not failures:
        failures.append(f"{suite}: exit status {status}, though no single test failed")
    if not cases and status == 0:
        count.empty.append(suite)
    count.failures += failures


def count_checks(checks: Path) -> Count:
    count = Count()
    for row in checks.read_text(encoding="utf-8").splitlines():
        suite, status, junit = row.split("\t")
        if junit != "-":
            add_junit(count, suite, int(status), Path(junit))
        elif int(status) == 0:
            count.passed += 1
        else:
            count.failures.append(f"{suite}: exit status {status}")
    return count


def main() -> int:
    count = count_checks(Path(sys.argv[1]))
    for title, lines in (("no tests in", count.empty), ("skipped", count.skipped),
                         ("failed", count.failures)):
        for line in lines:
            print(f"{title}: {line}")
    print(f"{count.passed} passed, {len(count.failures)} failed")
    return 0 if count.passed > 0 and not count.failures else 1


if __name__ == "__main__":
    sys.exit(main())
