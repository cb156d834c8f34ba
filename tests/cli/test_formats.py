"""narrowgauge formats: the list, one format, codes and values."""

import csv
import io
import json
import math
import struct

import ml_dtypes
import numpy as np
import pytest

# Formats of the program by the types of NumPy and ml_dtypes, whose codes are integers of `code` type.
TYPES = {name: np.dtype(getattr(ml_dtypes, name, None) or name) for name in (
    "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e4m3", "float8_e5m2", "float8_e4m3fnuz",
    "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e3m4", "float8_e8m0fnu", "float6_e2m3fn", "float6_e3m2fn",
    "float4_e2m1fn", "int8", "uint8", "int4", "uint4", "int2", "uint2")}
NO_SUCH_TYPE = {"tf32"}
INTEGERS = {"int8", "uint8", "int4", "uint4", "int2", "uint2"}
SMALL = [name for name in TYPES if name not in ("float64", "float32")]


def formats(cli, *arguments):
    result = cli("formats", *arguments, "--format", "json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def codes_of(array):
    """The codes of an array of a NumPy or ml_dtypes type, without the bits above a narrow one."""
    bits = 2 if array.dtype in (TYPES["int2"], TYPES["uint2"]) else 4 if array.dtype in (TYPES["int4"], TYPES["uint4"]) else 8
    codes = array.view(np.dtype(f"u{array.dtype.itemsize}"))
    return codes & (2**bits - 1) if array.dtype.itemsize == 1 else codes


def same(a, b):
    """Equal values, zeros of one sign, or NaN."""
    return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (math.isnan(a) and math.isnan(b))


# ---- The list ----------------------------------------------------------------------------------


def test_the_list_has_every_format_once(cli):
    report = formats(cli)
    assert report["schema"] == "narrowgauge.formats/1"
    assert {row["name"] for row in report["dtypes"]} == set(TYPES) | NO_SUCH_TYPE
    assert [row["name"] for row in report["block_formats"]] == [
        "mxfp8_e4m3", "mxfp8_e5m2", "mxfp6_e2m3", "mxfp6_e3m2", "mxfp4", "mxint8", "nvfp4", "q8_0", "q4_0", "q4_1", "q5_0", "q5_1"]


def test_limits_are_those_of_numpy_and_ml_dtypes(cli):
    for row in formats(cli)["dtypes"]:
        name = row["name"]
        if name in NO_SUCH_TYPE:
            continue
        if name in INTEGERS:
            info = ml_dtypes.iinfo(TYPES[name])
            assert (row["min"], row["max"], row["bits"]) == (info.min, info.max, info.bits), name
            continue
        info = ml_dtypes.finfo(TYPES[name])
        assert row["bits"] == info.bits, name
        assert row["max"] == float(info.max), name
        assert row["min"] == (float(info.min) if row["signed"] else float(info.smallest_normal)), name
        assert row["min_normal"] == float(info.smallest_normal), name
        assert row["epsilon"] == float(info.eps), name
        assert row["mantissa_bits"] == info.nmant, name
        if row["min_subnormal"] is not None:
            assert row["min_subnormal"] == float(info.smallest_subnormal), name


def test_bits_per_element_count_the_scales(cli):
    bits = {row["name"]: row["bits_per_element"] for row in formats(cli)["block_formats"]}
    assert bits["mxfp4"] == 4.25 and bits["nvfp4"] == 4.5 and bits["q8_0"] == 8.5 and bits["q5_1"] == 6.0


def test_every_format_shows_itself(cli):
    report = formats(cli)
    for row in report["dtypes"] + report["block_formats"]:
        facts = formats(cli, row["name"])
        assert {key: facts[key] for key in row} == row
        for alias in filter(None, (row["aliases"] or "").split(", ")):
            result = cli("formats", alias.upper(), "--format", "json")
            if result.returncode == 0:
                assert json.loads(result.stdout)["name"] == row["name"]
            else:
                assert "more than one format" in result.stderr and row["name"] in result.stderr


def test_lists_fit_a_terminal(cli):
    for arguments in ((), ("bfloat16",), ("q4_1",), ("e4m3fn", "--encode", "0.1"), ("float64", "--encode", "0.1"),
                      ("float32", "--decode", "1")):
        result = cli("formats", *arguments)
        assert result.returncode == 0
        long = [line for line in result.stdout.splitlines() if len(line) > 120]
        assert not long, "\n".join(long)


def test_other_report_formats(cli, tmp_path):
    rows = list(csv.DictReader(io.StringIO(cli("formats", "--format", "csv").stdout)))
    assert {row["name"] for row in rows} == set(TYPES) | NO_SUCH_TYPE
    assert "| float8_e4m3fn | 8 |" in cli("formats", "--format", "markdown").stdout
    assert cli("formats", "--out", "list.txt", "--quiet").stdout == ""
    assert (tmp_path / "list.txt").read_text() == cli("formats").stdout


# ---- Codes and values against NumPy and ml_dtypes ----------------------------------------------


@pytest.mark.parametrize("name", SMALL)
def test_every_code_decodes_as_numpy_and_ml_dtypes_have_it(cli, name):
    rows = formats(cli, name, "--codes")["codes"]
    codes = np.arange(len(rows), dtype=f"u{TYPES[name].itemsize}")
    if name.startswith("int") and name != "int8":  # ml_dtypes keeps them in a signed byte.
        codes = np.where(codes >= len(rows) // 2, codes.astype(np.int16) - len(rows), codes).astype(np.int8)
    with np.errstate(invalid="ignore"):
        values = codes.view(TYPES[name]).astype(np.float64)
    for row, code, value in zip(rows, range(len(rows)), values):
        assert int(row["code"], 16) == code == int(row["binary"].replace(" ", ""), 2)
        assert same(float(row["value"]), float(value)), row
        assert row["class"] == ("NaN" if np.isnan(value) else "infinity" if np.isinf(value) else "zero" if value == 0 else row["class"])


def values_near_ties(rng, name):
    """float32 values of every magnitude, and the middles of neighbours with what lies beside them."""
    values = rng.integers(0, 2**32, 500, dtype=np.uint32).view(np.float32)
    if name not in ("float32", "float64"):
        bits = rng.integers(0, 2**(8 * TYPES[name].itemsize), 500, dtype=np.uint64).astype(f"u{TYPES[name].itemsize}")
        if name.startswith(("float6", "float4", "int2", "int4", "uint2", "uint4")):
            bits = bits & 3 if name.endswith("2") else bits & 7
        values = np.concatenate([values, bits.view(TYPES[name]).astype(np.float32)])
    with np.errstate(all="ignore"):
        factors = np.float32([1, 1.0625, 1.03125, 1.5, 1 + 2.0**-8, 1 + 2.0**-9, 1 + 2.0**-11, 1 + 2.0**-12])
        values = (values[:, None] * factors).ravel()
        values = np.concatenate([values, np.nextafter(values, np.float32(0)), np.nextafter(values, np.float32(np.inf))])
    return rng.permutation(values)[:3000]


def encode(cli, name, values, *flags):
    arguments = [f"--encode={'-' * bool(np.signbit(v))}nan" if np.isnan(v) else f"--encode={float(v).hex()}" for v in values]
    return [int(row["code"], 16) for row in formats(cli, name, *flags, *arguments)["encoded"]]


@pytest.mark.parametrize("name", [name for name in TYPES if name not in INTEGERS and name != "float64"])
def test_float32_encodes_as_numpy_and_ml_dtypes_have_it(cli, name):
    values = values_near_ties(np.random.default_rng(0), name)
    values = values[~np.isnan(values)]  # NumPy keeps payloads; the golden files hold ml_dtypes' NaN.
    if name == "float8_e8m0fnu":  # ml_dtypes rounds these float32 subnormals up; docs/numerics.md.
        values = values[~((2.0**-127 < values) & (values < 1.5 * 2.0**-127))]
    with np.errstate(all="ignore"):
        expected = codes_of(values.astype(TYPES[name]))
    assert encode(cli, name, values) == expected.tolist()


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_float64_encodes_as_numpy_has_it(cli, name):
    """NumPy rounds float64 to its own types once; the ml_dtypes types are in docs/numerics.md."""
    rng = np.random.default_rng(1)
    values = rng.standard_normal(1500) * 2.0 ** rng.integers(-160, 140, 1500)
    with np.errstate(all="ignore"):
        middles = values[:500].astype(np.float16).astype(np.float64) * (1 + 2.0**-11)
        values = np.concatenate([values, middles, np.nextafter(middles, np.inf), [np.inf, -np.inf, 5e-324, 1.7e308]])
        expected = codes_of(values.astype(TYPES[name]))
    assert encode(cli, name, values) == expected.tolist()


@pytest.mark.parametrize("name", sorted(INTEGERS))
def test_integers_round_and_saturate_as_clipped_rint_has_it(cli, name):
    info = ml_dtypes.iinfo(TYPES[name])
    values = np.arange(4 * info.min - 8, 4 * info.max + 8, 0.25) if info.bits < 8 else np.arange(-300, 300, 0.25)
    expected = np.clip(np.rint(values), info.min, info.max).astype(np.int64) & (2**info.bits - 1)
    assert encode(cli, name, values) == expected.tolist()
    expected = np.clip(np.trunc(values), info.min, info.max).astype(np.int64) & (2**info.bits - 1)
    assert encode(cli, name, values, "--rounding", "zero") == expected.tolist()


def test_tf32_is_float32_rounded_to_ten_bits(cli):
    values = values_near_ties(np.random.default_rng(2), "float32")
    values = values[~np.isnan(values)]
    bits = values.view(np.uint32).astype(np.uint64)
    assert encode(cli, "tf32", values) == ((bits + 0xFFF + (bits >> 13 & 1)) >> 13).tolist()


def test_float64_bits_are_themselves(cli):
    values = [0.1, -0.0, 5e-324, 1e308, -math.pi]
    assert encode(cli, "float64", values) == [struct.unpack("<Q", struct.pack("<d", v))[0] for v in values]


# ---- One value, one code -----------------------------------------------------------------------


def encoded(cli, name, *arguments):
    (row,) = formats(cli, name, *arguments)["encoded"]
    return row


def test_overflow_of_fp8(cli):
    for text, native in (("448", 448.0), ("464", 448.0), ("464.001", "nan"), ("480", "nan"), ("inf", "nan")):
        assert encoded(cli, "float8_e4m3fn", "--encode", text)["value"] == native
        assert encoded(cli, "float8_e4m3fn", "--encode", text, "--overflow", "saturate")["value"] == 448.0
    assert encoded(cli, "e5m2", "--encode", "61439")["value"] == 57344.0
    assert encoded(cli, "e5m2", "--encode", "61440")["value"] == "inf"


def test_a_value_between_two_names_both(cli):
    row = encoded(cli, "float8_e4m3fn", "--encode", "0.1")
    assert (row["input"], row["code"], row["binary"], row["value"], row["class"]) == ("0.1", "0x1D", "0 0011 101", 0.1015625, "normal")
    assert row["error"] == 0.1015625 - 0.1
    assert (row["below"], row["below_code"], row["above"], row["above_code"]) == (0.09375, "0x1C", 0.1015625, "0x1D")


def test_roundings(cli):
    for rounding, code in (("even", "0x2"), ("away", "0x3"), ("zero", "0x2")):
        assert encoded(cli, "int4", "--encode", "2.5", "--rounding", rounding)["code"] == code
    for random, code in (("0", "0x3"), ("0x7FFFFFFFFFFFFFFF", "0x3"), ("0x8000000000000000", "0x2"), (str(2**64 - 1), "0x2")):
        row = encoded(cli, "int4", "--encode", "2.5", "--rounding", "stochastic", "--random", random)
        assert row["code"] == code


@pytest.mark.parametrize("text, value", [
    ("0x1.8p+1", 3.0), ("-0", -0.0), ("1e-3", 2.0**-9), ("Infinity", "inf"), ("-inf", "-inf"), ("NAN", "nan"), ("-nan", "-nan"), (".5", 0.5)])
def test_ways_to_write_a_number(cli, text, value):
    row = encoded(cli, "float8_e4m3", "--encode", text)
    assert row["value"] == value if isinstance(value, str) else same(row["value"], value)


def test_decode_shows_class_and_neighbours(cli):
    rows = formats(cli, "e4m3fn", *(f"--decode={code}" for code in ("0x7e", "0b01111111", "128", "1", "0x38")))["codes"]
    assert [(row["code"], row["value"], row["class"], row["below"], row["above"]) for row in rows] == [
        ("0x7E", 448.0, "normal", 416.0, None), ("0x7F", "nan", "NaN", None, None), ("0x80", -0.0, "zero", -2.0**-9, 2.0**-9),
        ("0x01", 2.0**-9, "subnormal", 0.0, 2.0**-8), ("0x38", 1.0, "normal", 0.9375, 1.125)]
    assert rows[0]["above_reason"] == "none"


# ---- Wrong words -------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments, words", [
    (("e4m3",), ("more than one format", "float8_e4m3fn or float8_e4m3", '"e4m3"')),
    (("fp8_e4m3", "--encode", "1"), ("float8_e4m3fn or float8_e4m3",)),
    (("mxfp8",), ("mxfp8_e4m3 or mxfp8_e5m2",)),
    (("bfloat61",), ("unknown format", "float64, float32", "q5_1", "nearest: bfloat16")),
    (("NVFP5",), ("nearest: nvfp4",)),
    (("int4", "--encode", "x"), ("--encode takes", '"x"')),
    (("int4", "--encode", ""), ("--encode takes",)),
    (("int4", "--encode", "1 "), ("--encode takes",)),
    (("int4", "--encode", " 1"), ("--encode takes",)),
    (("int4", "--encode", "0x"), ("--encode takes",)),
    (("int4", "--encode", "1e999"), ("float64", "1e999")),
    (("int4", "--decode", "16"), ("int4", "0 to 0xF (15)", '"16"')),
    (("int4", "--decode", "-1"), ('"-1"',)),
    (("int4", "--decode", "0xG"), ('"0xG"',)),
    (("int4", "--decode", "0b"), ('"0b"',)),
    (("float64", "--decode", "0x10000000000000000"), ("0xFFFFFFFFFFFFFFFF",)),
    (("int4", "--encode", "1", "--rounding", "evn"), ("even, away, zero, stochastic", "nearest: even")),
    (("int4", "--encode", "1", "--overflow", "wrap"), ("native, saturate",)),
    (("int4", "--encode", "1", "--rounding", "stochastic"), ("--random",)),
    (("int4", "--encode", "1", "--random", "1"), ("--rounding stochastic",)),
    (("int4", "--encode", "1", "--rounding", "stochastic", "--random", "x"), ('"x"',)),
    (("int4", "--rounding", "even"), ("--encode",)),
    (("int4", "--encode", "1", "--decode", "1"), ("exclude each other",)),
    (("--encode", "1"), ("NAME",)),
    (("--codes",), ("NAME",)),
    (("float32", "--codes"), ("at most 16 bits", "float32 has 32")),
    (("mxfp4", "--encode", "1"), ("scale of their block", "float4_e2m1fn")),
    (("q5_0", "--decode", "1"), ("scale of their block",)),
    (("int4", "int8"), ("int8",)),
    (("--format", "jsn"), ("nearest: json",))])
def test_wrong_words_are_named_with_the_accepted_ones(cli, arguments, words):
    result = cli("formats", *arguments)
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    for word in words:
        assert word in result.stderr
