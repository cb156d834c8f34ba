"""The tree keeps to its own rules, and each rule can fail."""

from pathlib import PurePosixPath

import pytest
import rules

TREE = rules.read_tree()
TABLE = rules.read_table((rules.ROOT / "docs/architecture.md").read_text(encoding="utf-8"))


def source(path, text=""):
    return rules.Source(PurePosixPath(path), text)


def complaints_of(rule):
    found = [complaint for file in TREE for complaint in rule(file)]
    assert not found, "\n" + "\n".join(found)


# ---- The tree ----------------------------------------------------------------------------------


def test_the_tree_was_found():
    paths = {str(file.path) for file in TREE}
    assert {"include/narrowgauge/status.h", "src/base/check.h", "apps/narrowgauge/main.cc"} <= paths


def test_every_folder_has_a_row():
    folders = {file.path.parts[1] for file in TREE if file.path.parts[0] == "src"}
    assert folders <= set(TABLE), f"no row in docs/architecture.md: {sorted(folders - set(TABLE))}"


def test_the_table_names_headers_that_exist():
    headers = {path.name for path in (rules.ROOT / "include/narrowgauge").iterdir()}
    unknown = {name for row in TABLE.values() for name in row.headers} - headers
    assert not unknown, f"docs/architecture.md names headers that are not there: {sorted(unknown)}"


def test_the_table_has_no_circles():
    """A row may name only folders of rows above it."""
    above = set()
    for folder, allowed in TABLE.items():
        assert allowed.folders <= above, f"{folder} may include {sorted(allowed.folders - above)}, below it"
        above.add(folder)


def test_folders_include_only_what_they_may_know():
    complaints_of(lambda file: rules.include_complaints(file, TABLE))


def test_includes_are_written_from_the_root():
    complaints_of(rules.path_complaints)


def test_headers_have_the_guard_of_their_path():
    complaints_of(rules.guard_complaints)


def test_files_are_named_after_concepts():
    complaints_of(rules.name_complaints)


def test_headers_use_no_namespace_wholesale():
    complaints_of(rules.using_complaints)


def test_intrinsics_stay_in_guarded_kernels():
    complaints_of(rules.intrinsics_complaints)


# ---- Each rule can fail ------------------------------------------------------------------------


@pytest.mark.parametrize(("path", "include"), [
    ("src/base/x.cc", '"src/numerics/codec.h"'),
    ("src/base/x.cc", '"narrowgauge/tensor.h"'),
    ("src/kernels/x.inc", '"src/numerics/codec.h"'),
    ("src/checkpoint/x.cc", '"src/quantize/scale.h"'),
    ("src/metrics/x.cc", '"src/backends/registry.h"'),
    ("src/experiment/x.cc", '"narrowgauge/report.h"'),
    ("src/experiment/x.cc", "<narrowgauge/report.h>"),
    ("src/report/x.cc", '"narrowgauge/experiment.h"'),
    ("src/base/x.cc", '"tests/support/test_data.h"'),
    ("src/surprise/x.cc", '"src/base/check.h"'),
    ("include/narrowgauge/x.h", '"src/base/check.h"'),
    ("apps/narrowgauge/x.cc", '"src/base/check.h"'),
    ("bindings/python/x.cc", '"apps/narrowgauge/verb.h"'),
])
def test_include_rule_can_fail(path, include):
    (complaint,) = rules.include_complaints(source(path, f"\n#include {include}\n"), TABLE)
    assert complaint.startswith(f"{path}:2: includes {include[1:-1]}, but ")


@pytest.mark.parametrize(("path", "include"), [
    ("src/base/x.cc", "<vector>"),
    ("src/base/x.cc", "<fmt/format.h>"),
    ("src/random/x.cc", '"src/kernels/kernels.h"'),
    ("src/random/x.cc", '"src/random/threefry.h"'),
    ("src/metrics/x_test.cc", '"src/backends/registry.h"'),
    ("fuzz/x.cc", '"src/checkpoint/npy_reader.h"'),
    ("apps/narrowgauge/x.cc", '"apps/narrowgauge/verb.h"'),
    ("apps/narrowgauge/x.cc", '"verb.h"'),
])
def test_include_rule_lets_pass(path, include):
    assert not rules.include_complaints(source(path, f"#include {include}\n"), TABLE)


def test_path_rule_can_fail():
    assert rules.path_complaints(source("src/base/x.cc", '#include "check.h"\n'))
    assert rules.path_complaints(source("src/base/x.cc", '#include "../base/check.h"\n'))
    assert rules.path_complaints(source("apps/narrowgauge/x.cc", '#include "../x.h"\n'))
    assert not rules.path_complaints(source("apps/narrowgauge/x.cc", '#include "verb.h"\n'))


@pytest.mark.parametrize("text", [
    "#pragma once\n",
    "#ifndef NARROWGAUGE_CHECK_H_\n#define NARROWGAUGE_CHECK_H_\n#endif  // NARROWGAUGE_CHECK_H_\n",
    "#include <vector>\n#ifndef NARROWGAUGE_BASE_CHECK_H_\n#define NARROWGAUGE_BASE_CHECK_H_\n"
    "#endif  // NARROWGAUGE_BASE_CHECK_H_\n",
], ids=["pragma", "other path", "something before it"])
def test_guard_rule_can_fail(text):
    assert rules.guard_complaints(source("src/base/check.h", text))


@pytest.mark.parametrize("path", ["src/base/utils.h", "src/helpers/x.cc", "tests/common/x.h",
                                  "src/base/string_util.cc"])
def test_name_rule_can_fail(path):
    assert rules.name_complaints(source(path))


def test_using_rule_can_fail():
    assert rules.using_complaints(source("src/base/x.h", "  using namespace std;\n"))
    assert not rules.using_complaints(source("src/base/x.h", "using narrowgauge::DType;\n"))


def test_intrinsics_rule_can_fail():
    include = "#include <immintrin.h>\n"
    guarded = f"#if defined(__x86_64__)\n{include}#endif\n"
    other_branch = f"#if defined(__x86_64__)\n#else\n{include}#endif\n"
    assert rules.intrinsics_complaints(source("src/numerics/x.cc", guarded))
    assert rules.intrinsics_complaints(source("src/kernels/x.cc", include))
    assert rules.intrinsics_complaints(source("src/kernels/x.cc", other_branch))
    assert not rules.intrinsics_complaints(source("src/kernels/x.cc", guarded))
    assert not rules.intrinsics_complaints(source("src/base/instruction_set.cc", guarded))


def test_table_must_be_there():
    with pytest.raises(AssertionError, match="Who may know whom"):
        rules.read_table("# Architecture\n")
