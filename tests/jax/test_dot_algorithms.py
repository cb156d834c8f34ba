"""JAX's presets of dot algorithms: their names, and the attribute that JAX lowers each to, are ours. Runs with ./dev test --all."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.jax

# The attribute of each preset, with operands of its first storage type, as JAX prints it in StableHLO.
SCRIPT = """
import json, re
import jax, jax.numpy as jnp
from jax import lax
found = {}
for preset in lax.DotAlgorithmPreset:
    if preset.name == "DEFAULT":
        continue
    types = preset.supported_lhs_types or (jnp.float8_e4m3fn,)
    x = jax.ShapeDtypeStruct((2, 2), types[0])
    out = preset.accumulation_type if "ANY_F8_ANY_F8_ANY" not in preset.name else jnp.float32
    dot = jax.jit(lambda a, b: lax.dot(a, b, precision=preset, preferred_element_type=out))
    text = dot.trace(x, x).lower(lowering_platforms=("cuda",)).as_text()
    found[preset.name] = re.search(r"algorithm = (<[^>]*>)", text).group(1)
print(json.dumps(found))
"""


def policy_of(name):
    done = subprocess.run([os.environ["NARROWGAUGE_CLI"], "measure", "--explain", "--format", "json", "--dot-algorithm", name],
                          check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["policies"][0]["policy_text"]


def test_names_and_attributes_are_those_of_jax():
    done = subprocess.run([sys.executable, "-c", SCRIPT], check=True, capture_output=True, text=True,
                          env={**os.environ, "JAX_ENABLE_X64": "1", "JAX_PLATFORMS": "cpu"})
    attributes = json.loads(done.stdout)
    assert len(attributes) == 15
    for name, attribute in attributes.items():
        assert "lhs_precision_type" in attribute
        for backend in ("", "/xla-gpu") if name not in ("F16_F16_F16", "BF16_BF16_BF16") else ("",):
            assert policy_of(attribute + backend) == policy_of(name + backend), name
