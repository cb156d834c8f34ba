"""The formulas of the integer schemes in a few lines of NumPy each, against what the packages answered.

A second reading of the same arithmetic, without our code: where this and src/quantize/ agree with the
package, its words in conventions.inc are right. Left out are inputs with NaN, infinity or float32
subnormals, and widths that overflow.
"""

import json
import pathlib

import numpy as np
import pytest

GOLDEN = pathlib.Path(__file__).parents[1] / "golden" / "conventions.json"
F = np.float32


def words(text):
    return np.array([int(word, 16) for word in text.split()], np.uint32).view(F)


def absmax(w):
    return np.max(np.abs(w))


def ties_away(v):
    return np.sign(v) * np.floor(np.abs(v) + F(0.5))


def qwix(bound, lowest, largest):
    def quantize(w):
        scale = F(absmax(w) / F(bound))
        scale = F(1) if scale < F(2.0 ** -63) else scale
        return scale, np.clip(np.rint(w * (F(1) / scale)), lowest, largest)
    return quantize


def aqt(bound, largest):
    def quantize(w):
        scale = F((absmax(w) or F(1)) / F(bound))
        return scale, np.rint(np.clip(w * (F(1) / scale), -largest, largest))
    return quantize


def torchao(bound, least, lowest, largest):
    def quantize(w):
        scale = max(F(absmax(w) / F(bound)), F(least))
        return scale, np.clip(np.rint(w * (F(1) / scale)), lowest, largest)
    return quantize


def compressed_tensors(bound, lowest, largest):
    def quantize(w):
        scale = F(absmax(w) / F(bound)) or F(2.0 ** -23)
        return scale, np.rint(np.clip(w / scale, lowest, largest))
    return quantize


def onnxruntime(bound, lowest, largest):
    def quantize(w):
        scale = F(np.float64(absmax(w)) / bound)
        scale = F(1) if scale < 2.0 ** -126 else scale
        return scale, np.clip(np.rint(w / scale), lowest, largest)
    return quantize


def extreme_of_minimum(w):
    return w.max() if abs(w.max()) > abs(w.min()) else w.min()


def nbits_symmetric(w):
    scale = F(-extreme_of_minimum(w) / F(8))
    return scale, np.clip(ties_away(w * (F(1) / scale if scale else F(0)) + F(8)), 0, 15)


def qdq_symmetric(w):
    scale = F(-extreme_of_minimum(w) / F(8))
    return scale, np.clip(ties_away(w * (F(1) / scale if scale else F(0))), -8, 7)


def nbits(w):
    lowest, largest = min(w.min(), F(0)), max(w.max(), F(0))
    scale = F((largest - lowest) / F(15))
    zero_point = F(np.clip(ties_away(F(0) - lowest / scale), 0, 15)) if scale else F(0)
    return scale, np.clip(ties_away(w * (F(1) / scale if scale else F(0)) + zero_point), 0, 15)


def q8_0(w):
    d = F(absmax(w) / F(127))
    return F(np.float16(d)), ties_away(w * (F(1) / d if d else F(0)))


def q_0(middle):
    def quantize(w):
        d = F(w[np.argmax(np.abs(w))] / F(-middle))
        codes = np.trunc(w * (F(1) / d if d else F(0)) + F(middle + 0.5))
        return F(np.float16(d)), np.minimum(2 * middle - 1, codes)
    return quantize


def q_1(largest):
    def quantize(w):
        d = F((w.max() - w.min()) / F(largest))
        codes = np.trunc((w - w.min()) * (F(1) / d if d else F(0)) + F(0.5))
        return F(np.float16(d)), np.minimum(largest, codes)
    return quantize


def mlx(bits):
    largest = F(2 ** bits - 1)

    def quantize(w):
        from_below = abs(w.min()) > abs(w.max())
        scale = max(F((w.max() - w.min()) / largest), F(1e-7)) * (F(1) if from_below else F(-1))
        edge, bias = w.min() if from_below else w.max(), F(0)
        if code_of_zero := np.rint(edge / scale):
            scale, bias = F(edge / code_of_zero), edge
        return scale, np.clip(np.rint((w - bias) / scale), 0, largest)
    return quantize


def modelopt(w):
    scale = F(absmax(w) / F(127))
    return scale, np.clip(np.nan_to_num(np.rint(w / scale)), -128, 127)


FORMULAS = {
    ("qwix", "int8"): qwix(127.5, -128, 127),
    ("qwix", "int4"): qwix(7.5, -8, 7),
    ("aqt", "int8"): aqt(127.5, 127),
    ("aqt", "int4"): aqt(7.5, 7),
    ("aqt", "int8 preserve_max_val"): aqt(127, 127),
    ("torchao", "int8 weight-only"): torchao(127.5, 2.0 ** -23, -128, 127),
    ("torchao", "intx int4 symmetric"): torchao(7.5, 2.0 ** -126, -8, 7),
    ("compressed-tensors", "W8A8"): compressed_tensors(127.5, -128, 127),
    ("compressed-tensors", "W4A16"): compressed_tensors(7.5, -8, 7),
    ("onnxruntime", "int8 symmetric"): onnxruntime(127, -128, 127),
    ("onnxruntime", "int4 symmetric"): onnxruntime(7.5, -8, 7),
    ("onnxruntime", "MatMulNBits 4-bit symmetric"): nbits_symmetric,
    ("onnxruntime", "QDQ 4-bit symmetric"): qdq_symmetric,
    ("onnxruntime", "MatMulNBits 4-bit asymmetric"): nbits,
    ("gguf", "Q8_0"): q8_0,
    ("gguf", "Q4_0"): q_0(8),
    ("gguf", "Q5_0"): q_0(16),
    ("gguf", "Q4_1"): q_1(15),
    ("gguf", "Q5_1"): q_1(31),
    ("mlx", "affine 4-bit"): mlx(4),
    ("mlx", "affine 8-bit"): mlx(8),
    ("modelopt", "int8 per-channel"): modelopt,
}
WIDTH_OVERFLOWS = {"MatMulNBits 4-bit asymmetric", "Q4_1", "Q5_1", "affine 4-bit", "affine 8-bit"}


@pytest.mark.parametrize("key", FORMULAS, ids="-".join)
def test_a_formula_gives_scale_and_codes(key):
    schemes = {(s["ecosystem"], s["scheme"]): s for s in json.loads(GOLDEN.read_text())["schemes"]}
    judged = 0
    for record in schemes[key]["records"]:
        case = record["case"]
        if case in ("nan", "inf", "subnormal") or (case == "neg_extreme" and key[1] in WIDTH_OVERFLOWS):
            continue
        with np.errstate(all="ignore"):
            scale, codes = FORMULAS[key](words(record["input"]))
        assert F(scale).view(np.uint32) == words(record["scale"]).view(np.uint32)[0], case
        assert [int(code) for code in codes] == record["codes"], case
        judged += 1
    assert judged >= 8
