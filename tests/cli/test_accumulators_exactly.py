"""Every accumulator, against rational numbers of any length: each sum is formed exactly and rounded once, here in Python."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest

TYPES = ["float64", "float32", "tf32", "bfloat16", "float16", "float8_e4m3fn", "float8_e4m3", "float8_e5m2", "float8_e4m3fnuz",
         "float8_e5m2fnuz", "float8_e4m3b11fnuz", "float8_e3m4", "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn"]
K, N = 24, 6


class Format:
    """Rounding to a float type, from what `formats` says of it: to nearest, ties to even, or toward zero."""

    def __init__(self, info):
        self.mantissa_bits = info["mantissa_bits"]
        self.min_exponent = 1 - info["bias"]
        self.largest = Fraction(info["max"])
        self.overflow = math.inf if info["has_infinity"] else math.nan if info["has_nan"] else self.largest

    def round(self, value, toward_zero=False):
        if not isinstance(value, Fraction):
            if math.isinf(value):
                return math.copysign(1, value) * self.overflow
            return value
        if value == 0:
            return Fraction(0)
        unit = Fraction(2) ** (max(exponent(value), self.min_exponent) - self.mantissa_bits)
        count = abs(value) / unit
        rounded = math.floor(count) if toward_zero else round(count)  # Of a Fraction, round() breaks ties to even.
        result = rounded * unit
        if result > self.largest:
            result = self.largest if toward_zero else self.overflow
        return -result if value < 0 else result


def exponent(value):
    """floor(log2 |value|)."""
    value = abs(value)
    guess = value.numerator.bit_length() - value.denominator.bit_length()
    return guess if Fraction(2) ** guess <= value else guess - 1


def add(a, b):
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else float(a) + float(b)


def chain(products, fmt, separate=False):
    total = Fraction(0)
    for product in products:
        total = fmt.round(add(total, fmt.round(product) if separate else product))
    return total


def tree(products, fmt):
    def of(part):
        if len(part) < 2:
            return part[0] if part else Fraction(0)
        middle = len(part) // 2
        return fmt.round(add(of(part[:middle]), of(part[middle:])))

    return fmt.round(of(products))


def pieces(products, length):
    return [products[i:i + length] for i in range(0, len(products), length)]


def blocks(products, inner, outer, length, rounds):
    total = Fraction(0)
    for piece in pieces(products, length):
        block = chain(piece, inner)
        total = outer.round(add(total, outer.round(block) if rounds else block))
    return total


def split(products, fmt, slices, partial):
    sums = [partial.round(chain(piece, fmt)) for piece in pieces(products, -(-len(products) // slices))]
    total = sums[0]
    for value in sums[1:]:
        total = fmt.round(add(total, value))
    return total


def aligned(factors, fmt, group, bits, toward_zero):
    total = Fraction(0)
    for piece in pieces(factors, group):
        terms = [(x * w, exponent(x) + exponent(w)) for x, w in piece if x * w != 0]
        if total != 0:
            terms.append((total, max(exponent(total), fmt.min_exponent)))
        if not terms:
            continue
        unit = Fraction(2) ** (max(e for _, e in terms) - bits)
        total = fmt.round(sum(math.trunc(value / unit) for value, _ in terms) * unit, toward_zero)
        if not isinstance(total, Fraction):
            return total
    return total


@pytest.fixture
def format_named(cli):
    return lambda name: Format(json.loads(cli("formats", name, "--format", "json").stdout))


def operands(kind, fmt):
    """x[1, K] and w[K, N] of float32, with what an accumulator of this type finds hard."""
    rng = np.random.default_rng(7)
    x, w = rng.standard_normal((1, K)), rng.standard_normal((K, N))
    if kind == "cancelling":
        w[1::2] = -w[0::2] * (1 + rng.integers(-2, 3, (K // 2, N)) * 2.0**-12)
        x[:, 1::2] = x[:, 0::2]
    if kind == "ties":  # Sums and products with one bit more than the type holds, or a little beside that.
        step = 2.0**-(min(fmt.mantissa_bits, 22) + 1)
        x = np.ones((1, K))
        w = rng.integers(0, 9, (K, N)) * step + rng.integers(-1, 2, (K, N)) * 2.0**-23
        w[0] = 1
    if kind == "small":  # Near the least values of the type.
        x *= 2.0**max(fmt.min_exponent - 1, -70)
        w *= 2.0**(max(fmt.min_exponent, -140) - max(fmt.min_exponent - 1, -70) - rng.integers(-1, 4, (K, N)))
    if kind == "large":  # Beyond the largest.
        at_most = min(exponent(fmt.largest), 200)
        x *= 2.0**(at_most // 2)
        w *= 2.0**(at_most - at_most // 2 - 1)
    return x.astype(np.float32), w.astype(np.float32)


@pytest.mark.parametrize("kind", ["ordinary", "cancelling", "ties", "small", "large"])
@pytest.mark.parametrize("name", TYPES)
def test_every_sum_is_rounded_as_it_says(cli, tmp_path, format_named, name, kind):
    fmt, f32, bf16 = map(format_named, (name, "float32", "bfloat16"))
    x, w = operands(kind, fmt)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "w.npy", w)
    columns = [[(Fraction(float(a)), Fraction(float(b))) for a, b in zip(x[0], w[:, n])] for n in range(N)]
    products = [[a * b for a, b in column] for column in columns]
    sums = {name: [chain(p, fmt) for p in products],
            f"{name},fma=separate": [chain(p, fmt, separate=True) for p in products],
            f"{name}/pairwise": [tree(p, fmt) for p in products]}
    if name != "float32":
        sums[f"{name}/block:8,inner=float32"] = [blocks(p, f32, fmt, 8, False) for p in products]
        sums[f"{name}/block:5,inner=float32,handoff=round"] = [blocks(p, f32, fmt, 5, True) for p in products]
    sums[f"{name}/split-k:3,partial=bfloat16"] = [split(p, fmt, 3, bf16) for p in products]
    if name != "float64":
        sums[f"{name}/aligned:8,bits=25"] = [aligned(c, fmt, 8, 25, name == "float32") for c in columns]
    for accumulation, expected in sums.items():
        if name == "float64":
            # What float64 rounds twice, or float32 cannot return, has no place here: its sums are IEEE's own.
            if any(not isinstance(value, Fraction) for value in expected):
                continue
        np.save(tmp_path / "out.npy", np.array([[float(value) for value in expected]]))
        result = cli("measure", "--activations", "x.npy", "--weights", "w.npy", "--match-output", "out.npy", "--format", "json",
                     "--policy", f"acc={accumulation} out=float64")
        assert result.returncode == 0, result.stderr
        match = json.loads(result.stdout)["matches"][0]
        assert (match["equal"], match["elements"]) == (N, N), (accumulation, match, expected)
