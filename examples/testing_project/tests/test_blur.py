# SPDX-License-Identifier: MIT
"""Tests that run on any machine; the last one only where there is a GPU."""

import numpy as np
import pytest
from blur import blur

pytestmark = pytest.mark.usefixtures("cuda_context")


def blur_with_numpy(signal):
    padded = np.pad(signal, 1, mode="edge")
    return (padded[:-2] + padded[1:-1] + padded[2:]) / 3


@pytest.mark.parametrize("size", [1, 2, 127, 128, 129, 1000])
def test_each_value_is_the_mean_of_three(size):
    signal = np.random.default_rng(size).random(size, np.float32)
    np.testing.assert_allclose(blur(signal), blur_with_numpy(signal), rtol=1e-6)


def test_an_empty_signal_is_refused():
    with pytest.raises(ValueError, match="at least one value"):
        blur(np.empty(0, np.float32))


def test_a_context_is_there_to_be_asked(cuda_context):
    assert cuda_context.get_device().compute_capability() >= (7, 0)


@pytest.mark.gpu
def test_a_long_signal_on_a_real_gpu():
    signal = np.ones(50_000_000, np.float32)
    np.testing.assert_allclose(blur(signal), signal, rtol=1e-6)
