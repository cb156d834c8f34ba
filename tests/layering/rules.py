"""The rules of the source tree, each a function from files to complaints.

A file is a Source: its path in the tree and its text. The table of who may include whom is read from
docs/architecture.md, where people read it too.
"""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
CODE_FOLDERS = ("include", "src", "apps", "bindings", "benchmarks", "fuzz", "tests")
CODE_SUFFIXES = (".h", ".cc", ".inc")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
INTRINSICS = re.compile(r"^(\w*mmintrin|immintrin|x86intrin|x86gprintrin|cpuid|arm_neon|arm_sve)\.h$")
VAGUE_NAMES = ("util", "utils", "helper", "helpers", "common", "misc")


@dataclass(frozen=True)
class Source:
    path: PurePosixPath
    text: str

    @property
    def is_header(self) -> bool:
        return self.path.suffix == ".h"

    @property
    def is_test(self) -> bool:
        return self.path.stem.endswith("_test") or self.path.parts[0] == "tests"

    def includes(self):
        """Yields (line number, "<" or '"', what is included)."""
        for number, line in enumerate(self.text.splitlines(), start=1):
            if found := INCLUDE.match(line):
                yield number, found[1], found[2]


@dataclass(frozen=True)
class Allowed:
    folders: frozenset[str]
    headers: frozenset[str]


def read_tree() -> list[Source]:
    return [Source(PurePosixPath(path.relative_to(ROOT)), path.read_text(encoding="utf-8"))
            for folder in CODE_FOLDERS for path in sorted((ROOT / folder).rglob("*"))
            if path.suffix in CODE_SUFFIXES and path.is_file()]


def read_table(markdown: str) -> dict[str, Allowed]:
    """Returns the rows of the table under "## Who may know whom"."""
    _, found, section = markdown.partition("\n## Who may know whom\n")
    assert found, 'docs/architecture.md has no section "Who may know whom"'
    rows = {}
    for line in section.partition("\n## ")[0].splitlines():
        cells = [re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:-1]]
        if line.startswith("| `") and len(cells) == 4:
            rows[cells[0][0]] = Allowed(frozenset(cells[1]), frozenset(cells[2]))
    return rows


def include_complaints(source: Source, table: dict[str, Allowed]) -> list[str]:
    """Returns what a file includes that its folder may not know."""
    if source.is_test or source.path.parts[0] in ("benchmarks", "fuzz"):
        return []
    complaints = []
    for number, _, target in source.includes():
        top, _, rest = target.partition("/")
        if top not in ("src", "narrowgauge", "apps", "bindings", "tests", "benchmarks", "fuzz"):
            continue  # The standard library or a package.
        if wrong := _why_not(source.path, top, rest, table):
            complaints.append(f"{source.path}:{number}: includes {target}, but {wrong}")
    return complaints


def _why_not(path: PurePosixPath, top: str, rest: str, table: dict[str, Allowed]) -> str | None:
    area = path.parts[0]
    if area == "include":
        return None if top == "narrowgauge" else "public headers include public headers only"
    if area in ("apps", "bindings"):
        return None if top in ("narrowgauge", area) else f"{area}/ may know the public headers only"
    folder = path.parts[1]
    if folder not in table:
        return f"src/{folder} has no row in docs/architecture.md"
    if top == "narrowgauge":
        allowed = table[folder].headers
        wanted = rest
    elif top == "src":
        allowed = table[folder].folders | {folder}
        wanted = rest.partition("/")[0]
    else:
        return f"src/ may not know {top}/"
    return None if wanted in allowed else f"src/{folder} may know only {', '.join(sorted(allowed))}"


def path_complaints(source: Source) -> list[str]:
    """Returns quoted includes that do not start at the root of the tree, where a reader would look.

    A program in apps/ is one folder and may name its own files alone.
    """
    def is_clear(target: str) -> bool:
        top, slash, _ = target.partition("/")
        return top in CODE_FOLDERS + ("narrowgauge",) or (source.path.parts[0] == "apps" and not slash)

    return [f'{source.path}:{number}: "{target}" must be written from the root, as "src/base/check.h"'
            for number, quote, target in source.includes() if quote == '"' and not is_clear(target)]


def expected_guard(path: PurePosixPath) -> str:
    """Returns NARROWGAUGE_BASE_CHECK_H_ for src/base/check.h: words that all files share are left out."""
    parts = path.parts
    if parts[:2] == ("include", "narrowgauge"):
        parts = parts[2:]
    elif parts[:2] == ("apps", "narrowgauge"):
        parts = ("apps", *parts[2:])
    elif parts[0] == "src":
        parts = parts[1:]
    return "NARROWGAUGE_" + re.sub(r"[^A-Z0-9]", "_", "/".join(parts).upper()) + "_"


def guard_complaints(source: Source) -> list[str]:
    if not source.is_header:
        return []
    guard = expected_guard(source.path)
    lines = source.text.splitlines()
    directives = [line for line in lines if line.startswith("#")]
    whole = (directives[:2] == [f"#ifndef {guard}", f"#define {guard}"]
             and lines[-1:] == [f"#endif  // {guard}"])
    return [] if whole else [f"{source.path}: its include guard must be {guard}, from first to last line"]


def name_complaints(source: Source) -> list[str]:
    words = [part.partition(".")[0] for part in source.path.parts]
    vague = [word for word in words for piece in word.split("_") if piece in VAGUE_NAMES]
    return [f'{source.path}: "{word}" is not a concept; name it after what is in it' for word in vague]


def using_complaints(source: Source) -> list[str]:
    if not source.is_header:
        return []
    return [f"{source.path}:{number}: no `using namespace` in a header"
            for number, line in enumerate(source.text.splitlines(), start=1)
            if re.match(r"\s*using\s+namespace\b", line)]


def intrinsics_complaints(source: Source) -> list[str]:
    """Returns uses of a CPU's own headers without a guard, or outside src/kernels.

    src/base/instruction_set.cc asks what the CPU can do; benchmarks/ measure what it can do at most.
    """
    complaints = []
    conditions: list[str] = []
    for number, line in enumerate(source.text.splitlines(), start=1):
        directive = line.strip()
        if re.match(r"#\s*if", directive):
            conditions.append(directive)
        elif re.match(r"#\s*el", directive) and conditions:
            conditions[-1] = directive  # A plain #else guards nothing by itself.
        elif re.match(r"#\s*endif", directive) and conditions:
            conditions.pop()
        found = INCLUDE.match(line)
        if not found or not INTRINSICS.match(found[2]):
            continue
        where = f"{source.path}:{number}: {found[2]}"
        if not str(source.path).startswith(("src/kernels/", "src/base/instruction_set.cc", "benchmarks/")):
            complaints.append(f"{where} belongs into src/kernels only")
        elif not any(re.search(r"__x86_64__|__aarch64__", condition) for condition in conditions):
            complaints.append(f"{where} must stand inside #if defined(__x86_64__) (or its like)")
    return complaints
