"""The tutorial as a user of JAX runs it: precision table, warmed trace, two lines."""

import glob
import os
import tempfile
import time

import jax
import jax.numpy as jnp


def evaluate_precision_policies(seed=0):
    k1, k2 = jax.random.split(jax.random.PRNGKey(seed))
    x = jax.random.normal(k1, (64, 256), dtype=jnp.float32)
    w = jax.random.normal(k2, (256, 64), dtype=jnp.float32) * 0.25
    reference = jnp.dot(x, w, preferred_element_type=jnp.float32)
    column_max = jnp.max(jnp.abs(w), axis=0, keepdims=True)
    scale = jnp.where(column_max == 0, 1.0, column_max / 127.0)
    codes = jnp.clip(jnp.round(w / scale), -127, 127).astype(jnp.int8)
    x16, w16 = x.astype(jnp.bfloat16), w.astype(jnp.bfloat16)
    products = {
        "bf16 (fp32 accum)": jnp.dot(x16, w16, preferred_element_type=jnp.float32),
        "bf16 (bf16 accum)": jnp.dot(x16, w16, preferred_element_type=jnp.bfloat16).astype(jnp.float32),
        "int8 per-col (fp32 accum)": jnp.dot(x, codes.astype(jnp.float32) * scale, preferred_element_type=jnp.float32),
    }
    rows = []
    for policy, value in products.items():
        error = jnp.abs(value - reference)
        rows.append({
            "policy": policy,
            "max_abs_err": round(float(jnp.max(error)), 5),
            "mean_abs_err": round(float(jnp.mean(error)), 5),
            "weight_bytes": int(codes.size),
            "scale_bytes": int(scale.size) * 4,
        })
    return rows


def capture_warmed_trace(steps, trace_dir):
    step = jax.jit(lambda a: jnp.dot(a, a, preferred_element_type=jnp.float32).astype(jnp.bfloat16))
    x = jnp.ones((256, 256), jnp.bfloat16)
    jax.block_until_ready(step(x))
    with jax.profiler.trace(trace_dir):
        start = time.perf_counter()
        for _ in range(steps):
            x = step(x)
        jax.block_until_ready(x)
        steady_ms = (time.perf_counter() - start) * 1e3 / steps
    return len(glob.glob(os.path.join(trace_dir, "**", "*.xplane.pb"), recursive=True)), steady_ms


def main():
    rows = evaluate_precision_policies()
    with tempfile.TemporaryDirectory() as trace_dir:
        count, steady_ms = capture_warmed_trace(4, trace_dir)
    assert count >= 1 and rows[0]["max_abs_err"] < rows[1]["max_abs_err"]
    print("Precision comparison:", rows)
    print("Captured *.xplane.pb trace count:", count, "steady_ms:", round(steady_ms, 4))


if __name__ == "__main__":
    main()
