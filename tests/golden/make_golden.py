#!/usr/bin/env python3
"""Makes the golden data of this folder. See README.md.

  python make_golden.py all            # everything (wants jax 0.10.2, ml_dtypes 0.6, numpy 2.x), CPU, single process
  python make_golden.py tables TAG     # only tables_TAG.npy, with whatever jax is installed
  python make_golden.py exhaustive TAG # only exhaustive_TAG.npy, the 2^23 values of normal() under the installed jax, and its sha256
"""
import hashlib, json, os, sys, warnings
os.environ.setdefault("JAX_PLATFORMS", "cpu")
warnings.simplefilter("ignore")
import numpy as np
import jax, jax.numpy as jnp
from jax import lax
import ml_dtypes

HERE = os.path.dirname(os.path.abspath(__file__))
f32, u32 = np.float32, np.uint32
BF16 = ml_dtypes.bfloat16


def path(n): return os.path.join(HERE, n)
def hx(v): return float(v).hex()
def h32(a): return ["%08x" % int(v) for v in np.asarray(a).ravel()]


def dump(name, obj):
    with open(path(name), "w") as f:
        json.dump(obj, f, separators=(",", ":")); f.write("\n")


def rounded(row): return [round(float(v), 5) for v in row]


# ---------------------------------------------------------------- the seed program's arithmetic, op by op (eager)
def policies(seed):
    k1, k2 = jax.random.split(jax.random.PRNGKey(seed))
    x = jax.random.normal(k1, (64, 256), dtype=jnp.float32)
    w = jax.random.normal(k2, (256, 64), dtype=jnp.float32) * 0.25
    ref = jnp.dot(x, w, preferred_element_type=jnp.float32)
    a = jnp.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.float32)
    b = jnp.dot(x.astype(jnp.bfloat16), w.astype(jnp.bfloat16), preferred_element_type=jnp.bfloat16).astype(jnp.float32)
    cm = jnp.max(jnp.abs(w), axis=0, keepdims=True)
    scale = jnp.where(cm == 0, 1.0, cm / 127.0)
    q = jnp.clip(jnp.round(w / scale), -127, 127).astype(jnp.int8)
    c = jnp.dot(x, q.astype(jnp.float32) * scale, preferred_element_type=jnp.float32)
    row = []
    for t in (a, b, c):
        d = jnp.abs(t - ref)
        row += [float(jnp.max(d)), float(jnp.mean(d))]
    return row, dict(x=x, w=w, ref=ref, bf16_fp32acc=a, bf16_bf16acc=b, int8_fp32acc=c, scale=scale, q=q)


def tables(tag):
    out = []
    for part in (True, False):
        with jax.threefry_partitionable(part):
            out.append([policies(s)[0] for s in range(200)])
    np.save(path(f"tables_{tag}.npy"), np.array(out, f32))
    return np.array(out, f32)


# ---------------------------------------------------------------- keys, splits, bits
SEEDS = [0, 1, 2, 42, 1234, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**33 + 5, 2**53 + 1, 2**62 + 12345, 2**63 - 1,
         -1, -2, -42, -2**31, -2**31 - 1, -2**32, -2**63]
TOO_BIG = [2**63, 2**64 - 1, -2**63 - 1]


def keys():
    res = {"keys": [], "overflow_error": [str(s) for s in TOO_BIG], "split": [], "fold_in": [], "threefry2x32": []}
    for x64 in (False, True):
        jax.config.update("jax_enable_x64", x64)
        for s in SEEDS:
            res["keys"].append({"seed": str(s), "x64": x64, "key": h32(jax.random.PRNGKey(s))})
        for s in TOO_BIG:
            try: jax.random.PRNGKey(s); raise SystemExit("no OverflowError?")
            except OverflowError: pass
    jax.config.update("jax_enable_x64", False)
    seen = sorted({tuple(k["key"]) for k in res["keys"]})
    for part in (True, False):
        with jax.threefry_partitionable(part):
            for k in seen:
                kj = jnp.array([int(v, 16) for v in k], jnp.uint32)
                for num in (1, 2, 3, 8):
                    res["split"].append({"key": list(k), "partitionable": part, "num": num, "keys": [h32(r) for r in np.asarray(jax.random.split(kj, num))]})
            kj = jax.random.PRNGKey(42)
            res["split"].append({"key": h32(kj), "partitionable": part, "num": 101, "keys": [h32(r) for r in np.asarray(jax.random.split(kj, 101))]})
    for k in seen[:6]:
        for d in (0, 1, 7, 2**31, 2**32 - 1):
            kj = jnp.array([int(v, 16) for v in k], jnp.uint32)
            res["fold_in"].append({"key": list(k), "data": d, "out": h32(jax.random.fold_in(kj, np.uint32(d)))})
    # raw block function: Random123's three known answers, then random ones by jax
    kat = [((0, 0), (0, 0), "6b200159 99ba4efe"), ((2**32 - 1,) * 2, (2**32 - 1,) * 2, "1cb996fc bb002be7"),
           ((0x13198a2e, 0x03707344), (0x243f6a88, 0x85a308d3), "c4923a9c 483df7a0")]
    try: from jax._src.random.threefry2x32 import threefry_2x32
    except ImportError: from jax._src.prng import threefry_2x32
    rng = np.random.default_rng(1)
    for k, c, want in kat + [(tuple(rng.integers(0, 2**32, 2)), tuple(rng.integers(0, 2**32, 2)), None) for _ in range(60)]:
        o = threefry_2x32((jnp.uint32(int(k[0])), jnp.uint32(int(k[1]))), jnp.array([int(c[0]), int(c[1])], jnp.uint32))
        assert want is None or " ".join(h32(o)) == want
        res["threefry2x32"].append({"key": h32(np.array(k, u32)), "counter": h32(np.array(c, u32)), "out": h32(o)})
    dump("keys.json", res)


def bits():
    res = []
    rng = np.random.default_rng(2)
    ks = [jax.random.PRNGKey(0), jax.random.PRNGKey(42), jax.random.PRNGKey(-1), jnp.array([0x12345678, 0x9abcdef0], jnp.uint32)]
    for part in (True, False):
        with jax.threefry_partitionable(part):
            for k in ks:
                for shape in ((), (1,), (7,), (64, 256), (33, 31), (1 << 20,)):
                    b = np.asarray(jax.random.bits(k, shape, "uint32")).ravel()
                    pos = sorted(set(rng.integers(0, b.size, 64).tolist()) | {b.size - 1, b.size // 2, (b.size - 1) // 2}) if b.size > 64 else []
                    res.append({"key": h32(k), "partitionable": part, "width": 32, "shape": list(shape), "first": h32(b[:64]), "pos": pos, "at": h32(b[pos]),
                                "sha256_le": hashlib.sha256(b.astype("<u4").tobytes()).hexdigest()})
                for w in (8, 16):
                    b = np.asarray(jax.random.bits(k, (101,), f"uint{w}"))
                    res.append({"key": h32(k), "partitionable": part, "width": w, "shape": [101], "first": ["%0*x" % (w // 4, int(v)) for v in b]})
                jax.config.update("jax_enable_x64", True)
                b = np.asarray(jax.random.bits(k, (101,), "uint64"))
                jax.config.update("jax_enable_x64", False)
                res.append({"key": h32(k), "partitionable": part, "width": 64, "shape": [101], "first": ["%016x" % int(v) for v in b]})
    dump("bits.json", res)


# ---------------------------------------------------------------- uniform, normal
def all_u():
    t = (np.arange(1 << 23, dtype=u32) | u32(0x3F800000)).view(f32) - f32(1)
    lo = np.array([0xBF7FFFFF], u32).view(f32)[0]
    return np.maximum(t * f32(2) + lo, lo)


def exhaustive():
    return np.asarray(jax.jit(lambda u: lax.mul(np.array(np.sqrt(2), f32), lax.erf_inv(u)))(all_u()))


def normals():
    n = exhaustive()
    sha = hashlib.sha256(n.astype("<f4").tobytes()).hexdigest()
    rng = np.random.default_rng(3)
    idx = np.unique(np.concatenate([np.arange(64), (1 << 22) + np.arange(-64, 65), (1 << 23) - 1 - np.arange(64), rng.integers(0, 1 << 23, 4000),
                                    np.linspace(0, (1 << 23) - 1, 513).astype(int)])).astype(u32)
    cols = [idx, n.view(u32)[idx]]
    names = ["bits>>9", "A"]
    shas = {"A": sha}
    for nm in ("B", "C", "A_nofma"):                            # made beforehand with other jaxlibs or flags, see README.md
        p = path(f"exhaustive_{nm}.npy")
        if os.path.exists(p):
            e = np.load(p); cols.append(e.view(u32)[idx]); names.append(nm); shas[nm] = hashlib.sha256(e.astype("<f4").tobytes()).hexdigest()
    np.save(path("normal_map.npy"), np.stack(cols, 1).astype(u32))
    # end to end, through the public function
    e2e = []
    for part in (True, False):
        with jax.threefry_partitionable(part):
            for s in (0, 1, 42):
                v = np.asarray(jax.random.normal(jax.random.PRNGKey(s), (1 << 20,)))
                u = np.asarray(jax.random.uniform(jax.random.PRNGKey(s), (1 << 20,)))
                ab = np.asarray(jax.random.uniform(jax.random.PRNGKey(s), (1 << 20,), minval=f32(0.1), maxval=f32(0.7)))
                e2e.append({"seed": s, "partitionable": part, "n": 1 << 20, "normal_first": h32(v[:16].view(u32)), "normal_sha256": hashlib.sha256(v.astype("<f4").tobytes()).hexdigest(),
                            "uniform01_first": h32(u[:16].view(u32)), "uniform01_sha256": hashlib.sha256(u.astype("<f4").tobytes()).hexdigest(),
                            "uniform_0.1_0.7_first": h32(ab[:16].view(u32)), "uniform_0.1_0.7_sha256": hashlib.sha256(ab.astype("<f4").tobytes()).hexdigest()})
    dump("normal.json", {"columns_of_normal_map": names, "sha256_of_all_2^23_values_le_f32": shas, "end_to_end": e2e})


# ---------------------------------------------------------------- table
def table_files():
    t = tables("jaxlib_" + jax.lib.__version__)
    res = {"jaxlib": jax.lib.__version__, "columns": ["bf16fp32.max", "bf16fp32.mean", "bf16bf16.max", "bf16bf16.mean", "int8.max", "int8.mean"], "partitionable": {}}
    for i, p in enumerate(("true", "false")):
        res["partitionable"][p] = [{"seed": s, "hex": [hx(v) for v in t[i, s]], "rounded": rounded(t[i, s])} for s in range(200)]
    dump("tables.json", res)
    labels = ["bf16 (fp32 accum)", "bf16 (bf16 accum)", "int8 per-col (fp32 accum)"]
    with open(path("printed.txt"), "w") as f:
        for s in range(200):
            r = rounded(t[0, s])
            print("Precision comparison:", [{"policy": labels[i], "max_abs_err": r[2 * i], "mean_abs_err": r[2 * i + 1], "weight_bytes": 16384, "scale_bytes": 256} for i in range(3)], file=f)
    for part, suf in ((True, ""), (False, "_nonpart")):
        with jax.threefry_partitionable(part):
            _, arr = policies(0)
        for n, v in arr.items():
            if part or n in "xw": np.save(path(f"seed0_{n}{suf}.npy"), np.asarray(v))


# ---------------------------------------------------------------- true bf16 accumulators
def rbd(d):
    """float64 -> bfloat16 values (as float32), one rounding, normal range"""
    f = d.astype(f32); b = f.view(u32).copy()
    inexact = f.astype(np.float64) != d
    toofar = inexact & (np.abs(f.astype(np.float64)) > np.abs(d))
    b = np.where(toofar, b - 1, b); b = np.where(inexact, b | 1, b).astype(u32)   # round to odd
    return b.view(f32).astype(BF16).astype(f32)


def accumulators():
    _, A = policies(0)
    ref = np.asarray(A["ref"]); xb = np.asarray(A["x"]).astype(BF16).astype(f32); wb = np.asarray(A["w"]).astype(BF16).astype(f32)
    P = lambda k: (xb[:, k:k + 1] * wb[k:k + 1, :])          # exact in float32: 8 x 8 significant bits
    D = np.float64
    out = {}
    acc = np.zeros((64, 64), f32)
    for k in range(256): acc = rbd(acc.astype(D) + P(k).astype(D))
    out["sequential, exact products"] = acc
    acc = np.zeros((64, 64), f32)
    for k in range(256): acc = rbd(acc.astype(D) + P(k).astype(BF16).astype(D))
    out["sequential, products rounded to bf16"] = acc
    xj, wj = jnp.asarray(xb).astype(jnp.bfloat16), jnp.asarray(wb).astype(jnp.bfloat16)
    s, _ = lax.scan(lambda c, t: (c + t[0][:, None] * t[1][None, :], None), jnp.zeros((64, 64), jnp.bfloat16), (xj.T, wj))
    assert (np.asarray(s).astype(f32) == acc).all()            # a jax scan in bf16 is this policy
    for nm, rp in (("pairwise tree, exact products", False), ("pairwise tree, products rounded to bf16", True)):
        t = [P(k).astype(BF16).astype(f32) if rp else P(k) for k in range(256)]
        while len(t) > 1: t = [rbd(t[i].astype(D) + t[i + 1].astype(D)) for i in range(0, len(t), 2)]
        out[nm] = t[0]
    for B in (4, 8, 16, 32, 64, 128, 256):
        for rb in (False, True):
            acc = np.zeros((64, 64), f32)
            for k0 in range(0, 256, B):
                b = np.zeros((64, 64), f32)
                for k in range(k0, k0 + B): b = b + P(k)
                if rb: b = b.astype(BF16).astype(f32)
                acc = rbd(acc.astype(D) + b.astype(D))
            out[f"blocks of {B} summed in fp32 from 0{', block sum rounded to bf16' if rb else ''}, bf16 add per block"] = acc
    res = []
    for nm, t in out.items():
        d = np.abs(t - ref)
        res.append({"policy": nm, "max": hx(d.max()), "mean": hx(d.mean(dtype=D)), "max5": round(float(d.max()), 5), "mean5": round(float(d.mean(dtype=D)), 5),
                    "sha256_of_result_le_f32": hashlib.sha256(t.astype("<f4").tobytes()).hexdigest()})
    dump("bf16_accumulators.json", res)


# ---------------------------------------------------------------- conversions
FMTS = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e8m0fnu",
        "float6_e2m3fn", "float6_e3m2fn", "float4_e2m1fn", "int4", "uint4", "int2", "uint2"]
NBITS = {"float6_e2m3fn": 6, "float6_e3m2fn": 6, "float4_e2m1fn": 4, "int4": 4, "uint4": 4, "int2": 2, "uint2": 2}
SPECIAL = np.array([0x00000000, 0x80000000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7FBFFFFF, 0x7FC12345, 0x7FFFFFFF, 0xFFFFFFFF,
                    0x7F7FFFFF, 0xFF7FFFFF, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x00400000, 0x00200000, 0x00400001, 0x00600000, 0x7F000000, 0x7F400000,
                    0x7F3FFFFF, 0x7E800000, 0x7EFFFFFF, 0x3F800000, 0x3FC00000, 0x3FBFFFFF, 0x3FC00001, 0x40400000, 0x40C00000], u32)


def neighbours(v):
    b = np.asarray(v, f32).view(u32).astype(np.int64)
    return np.concatenate([b, b - 1, b + 1]).clip(0, 2**32 - 1).astype(u32)


def xla_cast(bits_, dt):
    try:
        a = np.asarray(jnp.asarray(bits_.view(f32)).astype(dt)); b = np.asarray(jax.jit(lambda v: v.astype(dt))(bits_.view(f32)))
    except Exception: return None
    assert (a.view(np.uint8) == b.view(np.uint8)).all()
    return a


def conversions():
    rng = np.random.default_rng(4)
    dec, xla_decode = {}, {}
    for n in FMTS:
        dt = np.dtype(getattr(ml_dtypes, n)); nb = NBITS.get(n, 8)
        codes = np.arange(1 << nb, dtype=np.uint8)
        if n.startswith("int"): raw = np.where(codes >= (1 << (nb - 1)), codes.astype(int) - (1 << nb), codes).astype(np.int8).astype(dt)
        elif n.startswith("uint"): raw = codes.astype(dt)
        else: raw = codes.view(dt)
        val = raw.astype(f32)
        dec[n] = h32(val.view(u32))
        try: xla_decode[n] = h32(np.asarray(jnp.asarray(raw).astype(jnp.float32)).view(u32))
        except Exception: xla_decode[n] = None
        fin = np.unique(val[np.isfinite(val)]); mids = (fin[:-1].astype(np.float64) + fin[1:]) / 2
        top = fin[-1] * np.array([1 + 2.0**-k for k in range(1, 8)] + [2, 4], np.float64); edge = np.concatenate([top, -top])
        span = max(-40, int(np.floor(np.log2(np.abs(fin[fin != 0]).min()))) - 4), min(127, int(np.ceil(np.log2(np.abs(fin).max()))) + 3)
        lg = (2.0 ** rng.uniform(span[0], span[1], 1200) * rng.choice([-1, 1], 1200)).astype(f32)
        b = np.concatenate([SPECIAL, neighbours(fin), neighbours(mids.astype(f32)), neighbours(edge.astype(f32)), lg.view(u32)])
        if n == "float8_e8m0fnu": b = np.concatenate([b, b | u32(0x80000000), rng.integers(0, 2**31, 1200).astype(u32)])
        rnd = rng.integers(0, 2**32, 6000, dtype=np.uint64).astype(u32)
        b = np.unique(b); b = np.concatenate([b, np.setdiff1d(rnd, b)[: max(0, 4000 - b.size)]])
        m = b.view(f32).astype(dt)
        mu = (m.astype(np.int8).view(np.uint8) if n.startswith(("int", "uint")) else m.view(np.uint8)) & ((1 << nb) - 1)
        x = xla_cast(b, dt)
        if x is None: xu = np.full(b.size, 0xFFFFFFFF, u32)
        else: xu = ((x.astype(np.int8).view(np.uint8) if n.startswith(("int", "uint")) else x.view(np.uint8)) & ((1 << nb) - 1)).astype(u32)
        np.save(path(f"conv_{n}.npy"), np.stack([b, mu.astype(u32), xu], 1))
        print(n, b.size, "ml!=xla", None if x is None else int((xu != mu).sum()))
    dump("decode.json", {"ml_dtypes": dec, "xla": xla_decode})
    # int8 (XLA only: numpy leaves out-of-range float -> int undefined)
    v = np.concatenate([np.arange(-1100, 1101) / 8, np.array([-2.0**31, 2.0**31, 1e10, -1e10, 2.0**40, 1e-3, -1e-3])]).astype(f32)
    b = np.unique(np.concatenate([SPECIAL, v.view(u32), neighbours(np.arange(-130, 131) + .5), (rng.normal(0, 90, 800).astype(f32)).view(u32)]))
    cast = np.asarray(jnp.asarray(b.view(f32)).astype(jnp.int8)).view(np.uint8).astype(u32)
    rcl = np.asarray(jnp.clip(jnp.round(jnp.asarray(b.view(f32))), -127, 127).astype(jnp.int8)).view(np.uint8).astype(u32)
    np.save(path("conv_int8.npy"), np.stack([b, cast, rcl], 1))
    # bf16
    hi = rng.integers(0, 2**16, 1500).astype(u32) << u32(16)
    b = np.concatenate([hi | u32(lo) for lo in (0x8000, 0x7FFF, 0x8001, 0)] + [rng.integers(0, 2**32, 1500, dtype=np.uint64).astype(u32), SPECIAL,
        np.array([0x7F7F7FFF, 0x7F7F8000, 0x7F7F8001, 0xFF7F7FFF, 0xFF7F8000, 0x00007FFF, 0x00008000, 0x00008001, 0x00018000, 0x00017FFF, 0x007F7FFF, 0x007F8000, 0x80008000, 0x80018000], u32)])
    b = np.unique(b)
    m = b.view(f32).astype(BF16).view(np.uint16).astype(u32)
    x = np.asarray(jnp.asarray(b.view(f32)).astype(jnp.bfloat16)).view(np.uint16).astype(u32)
    np.save(path("conv_bfloat16.npy"), np.stack([b, m, x], 1)); print("bf16", b.size, "ml!=xla", int((m != x).sum()))


def quant_cases():
    cols = {"zero": [0, 0, 0, 0], "negative zero": [-0.0, -0.0, 0, 0], "nan": [1, np.nan, -2, 0], "inf": [1, np.inf, -2, 0], "-inf": [1, -np.inf, -2, 0], "max denormal": [1e-40, -5e-41, 0, 1e-45],
            "min normal": [1.17549435e-38, 1e-38, 0, -1.17549435e-38], "scale underflows": [1e-37, -1e-38, 5e-38, 0], "scale just normal": [1.5e-36, -1e-37, 5e-37, 1e-38],
            "float max": [3.4028235e38, 1e38, -3.4028235e38, 1], "halves": [127, 0.5, 1.5, 2.5], "negative halves": [127, -0.5, -1.5, -126.5], "negative max": [-127, 126.5, -127, 63.5],
            "tie by division, not by reciprocal": [float.fromhex("0x1.44b956p-1"), float.fromhex("0x1.bce5bcp-3"), 0, 0], "ordinary": [0.3, -0.2, 0.11, 0.05]}
    res = []
    W = np.array(list(cols.values()), f32).T.copy()            # 4 x n: columns as above, so XLA sees a real broadcast
    for how in ("one matrix", "matrix without the non-finite columns"):
        keep = [i for i in range(W.shape[1]) if how == "one matrix" or np.isfinite(W[:, i]).all()]
        w = jnp.asarray(W[:, keep]); cm = jnp.max(jnp.abs(w), axis=0, keepdims=True); s = jnp.where(cm == 0, 1.0, cm / 127.0)
        r = w / s; q = jnp.clip(jnp.round(r), -127, 127).astype(jnp.int8); dq = q.astype(jnp.float32) * s
        res.append({"how": how, "columns": [{"name": list(cols)[k], "w": h32(W[:, k].view(u32)), "colmax": h32(np.asarray(cm)[:, i].view(u32))[0], "scale": h32(np.asarray(s)[:, i].copy().view(u32))[0],
                    "w_over_scale": h32(np.asarray(r)[:, i].copy().view(u32)), "q": np.asarray(q)[:, i].tolist(), "dequantized": h32(np.asarray(dq)[:, i].copy().view(u32))} for i, k in enumerate(keep)]})
    dump("quant_int8.json", res)


def rounding():
    rng = np.random.default_rng(6)
    v = [0.0, -0.0, 1e-5, 4.9e-6, 5e-6, 5.1e-6, 1e-4, 9.9e-5, 1e15, 1e16, 9999999999999998.0, 1e21, 1e22, 1e23, 123456.789, 5e-324, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 0.1, 0.3, 2.675, 1.005, -1e-6, 100.0, 1.0]
    v += [k / 64 for k in range(1, 200, 2)] + [k / 2**11 for k in range(1, 100, 2)] + (rng.uniform(0, 0.2, 600).astype(f32).astype(float)).tolist()
    v += (f32((np.arange(300) * 37 + .5) * 1e-5)).astype(float).tolist() + rng.integers(0, 2**32, 400, dtype=np.uint64).astype(u32).view(f32).astype(float).tolist()
    v += rng.integers(0, 2**63, 300, dtype=np.uint64).view(np.float64).tolist()
    dump("python_round_repr.json", [[x.hex(), repr(x), repr(round(x, 5))] for x in v])


if __name__ == "__main__":
    cmd = sys.argv[1] if len(sys.argv) > 1 else "all"
    if cmd == "tables": tables(sys.argv[2])
    elif cmd == "exhaustive":
        n = exhaustive().astype("<f4"); np.save(path(f"exhaustive_{sys.argv[2]}.npy"), n)
        print(jax.lib.__version__, hashlib.sha256(n.tobytes()).hexdigest())
    else:
        keys(); bits(); normals(); table_files(); accumulators(); conversions(); quant_cases(); rounding()
        print("jax", jax.__version__, "jaxlib", jax.lib.__version__, "numpy", np.__version__, "ml_dtypes", ml_dtypes.__version__, "python", sys.version.split()[0])
