"""What the tests of the Python package share. STATEPATH names the program they compare with."""
import os
import shutil

import numpy as np
import pytest

import statepath as sp


@pytest.fixture(scope="session")
def program():
    """The program, as installed."""
    found = os.environ.get("STATEPATH") or shutil.which("statepath")
    if not found:
        pytest.skip("STATEPATH does not name the program")
    return found


@pytest.fixture
def rng():
    return np.random.default_rng(1)


@pytest.fixture
def door():
    return sp.Model(["closed", "opening", "open"], {"closed": ["closed", "opening"], "opening": ["opening", "open", "closed"], "open": ["open", "closed"]},
                    start=["closed", "open"], name="door")


def probabilities(rng, *shape, dtype=np.float64):
    p = rng.gamma(0.5, size=shape) + 1e-3
    return (p / p.sum(-1, keepdims=True)).astype(dtype)
