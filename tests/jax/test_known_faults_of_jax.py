"""docs/numerics.md, "Known faults of others": what it says of JAX on CPU. Runs with ./dev test --all."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.jax


def jax(expression):
    """The value of an expression over jnp, in float64 where asked for, by JAX on CPU."""
    script = f"import jax.numpy as jnp; print(float({expression}))"
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True,
                          env={**os.environ, "JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"})
    return float(done.stdout)


def ours(name, text):
    done = subprocess.run([os.environ["NARROWGAUGE_CLI"], "formats", name, f"--encode={text}", "--format", "json"],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["encoded"][0]["value"]


@pytest.mark.parametrize("name, bits, right, wrong", [
    ("bfloat16", 8, 1 + 2.0**-7, 1.0), ("float16", 11, 1 + 2.0**-10, 1.0),
    ("float8_e4m3fn", 4, 1.125, 1.125), ("float8_e5m2", 3, 1.25, 1.25)])
def test_xla_rounds_float64_twice_to_16_bits_only(name, bits, right, wrong):
    value = 1 + 2.0**-bits + 2.0**-40
    assert ours(name, value.hex()) == right
    assert jax(f"jnp.array({value!r}, jnp.float64).astype(jnp.{name})") == wrong


def test_xla_rounds_float32_subnormals_up_in_e8m0():
    value = float.fromhex("0x1.000004p-127")
    assert jax(f"jnp.array({value!r}, jnp.float32).astype(jnp.float8_e8m0fnu)") == 2.0**-126
    assert ours("float8_e8m0fnu", value.hex()) == 2.0**-127


def test_jax_flushes_the_smallest_scale_of_mx():
    assert jax("jnp.array(0, jnp.uint8).view(jnp.float8_e8m0fnu).astype(jnp.float32) * jnp.float32(2.0**100)") == 0.0
