# SPDX-License-Identifier: MIT
"""`pycuda.benchmark`: what it calls, counts and says; never how fast anything is."""

import math

import numpy as np
import pycuda
import pytest
from pycuda import _benchmark, gpuarray


@pytest.mark.parametrize("count, confidence", [(10, 0.95), (11, 0.95), (100, 0.95), (500, 0.99), (37, 0.5)])
def test_the_interval_holds_the_median_with_the_probability(count, confidence):
    def probability(rank):
        return 1 - 2 * sum(math.comb(count, i) for i in range(rank + 1)) / 2**count

    rank = _benchmark._rank(count, confidence)
    assert probability(rank) >= confidence > probability(rank + 1)


def test_few_samples_give_their_whole_range():
    assert _benchmark._rank(3, 0.95) == 0
    assert _benchmark._median_with_interval([3.0, 1.0, 2.0], 0.95) == (2.0, (1.0, 3.0))


def test_arguments_reach_the_function(context):
    calls = []

    def work(*args, **kwargs):
        calls.append((args, kwargs))

    timing = pycuda.benchmark(work, 1, "b", seconds=0, warmup=3, block=(1, 1, 1))
    assert set(map(repr, calls)) == {"((1, 'b'), {'block': (1, 1, 1)})"}
    assert timing.samples == 10 and len(calls) > timing.samples * timing.calls
    low, high = timing.interval
    assert 0 < timing.fastest <= low <= timing.median <= high
    assert timing.host <= high and timing.name == "work" and timing.bandwidth is None


def test_the_work_on_the_device_counts(context):
    a = gpuarray.zeros(1000, np.float32)

    def work():
        nonlocal a
        a += 1

    timing = pycuda.benchmark(work, seconds=0, nbytes=8000)
    assert timing.bandwidth == 8000 / timing.median
    first = a.get()
    assert (first == first[0]).all() and first[0] >= timing.samples * timing.calls
    assert "GB/s" in str(timing) and "95% confidence" in str(timing)


def test_two_functions_are_measured_in_turns(context):
    order = []
    comparison = pycuda.benchmark(
        lambda: order.append("a"), against=lambda: order.append("b"), seconds=0, confidence=0.9
    )
    first, second = comparison.first, comparison.second
    assert first.samples == second.samples == 10
    measured = order[-10 * (first.calls + second.calls) :]
    turn = ["a"] * first.calls + ["b"] * second.calls
    assert measured == turn * 10
    low, high = comparison.interval
    assert low <= comparison.ratio <= high
    assert comparison.differs == (not low <= 1 <= high)
    assert "90% confidence" in str(comparison)


def test_reports():
    timing = pycuda.Timing("k", 2e-6, (1.5e-6, 2.5e-6), 0.95, 1e-6, 3e-10, 10, 1, nbytes=4000)
    assert str(timing) == (
        "k: 2 µs per call, 2 GB/s\n"
        "  95% confidence: 1.5 µs to 2.5 µs; fastest: 1 µs; the call returns after 0.3 ns\n"
        "  10 samples of 1 call"
    )
    faster = pycuda.Comparison(timing, timing, 1.25, (1.1, 1.3))
    assert str(faster).startswith("k is 1.25 times as fast as k\n  95% confidence: 1.1 to 1.3 times as fast")
    equal = pycuda.Comparison(timing, timing, 1.02, (0.9, 1.1))
    assert str(equal).startswith("no difference shown between k and k") and not equal.differs


def test_kernels_have_their_names(context):
    from pycuda.compiler import SourceModule

    kernel = SourceModule("__global__ void fill(int *a) { a[threadIdx.x] = 1; }").get_function("fill")
    a = gpuarray.zeros(32, np.int32)
    assert pycuda.benchmark(kernel, a, block=(32, 1, 1), seconds=0).name == "fill"
    assert (a.get() == 1).all()


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"function": 3}, TypeError, "which 3 is not: pass the work as a lambda"),
        ({"against": "text"}, TypeError, "'text'"),
        ({"confidence": 95}, ValueError, "between 0 and 1"),
        ({"seconds": -1}, ValueError, "seconds must be a time"),
        ({"seconds": math.nan}, ValueError, "seconds must be a time"),
        ({"warmup": -1}, ValueError, "number of calls"),
    ],
)
def test_wrong_options(context, options, error, words):
    options = {"function": lambda: None, **options}
    with pytest.raises(error, match=words):
        pycuda.benchmark(options.pop("function"), **options)


def test_errors_of_the_function_are_its_own(context):
    with pytest.raises(ZeroDivisionError):
        pycuda.benchmark(lambda: 1 / 0, seconds=0)


def test_without_a_context():
    from programs import run_program

    output, _ = run_program(
        "import pycuda, pycuda.driver as cuda\ncuda.init()\n"
        "try: pycuda.benchmark(lambda: None)\nexcept cuda.LogicError as error: print(error)"
    )
    assert "context" in output


def test_unknown_names_of_the_package():
    with pytest.raises(AttributeError, match="no attribute 'bench_mark'"):
        getattr(pycuda, "bench" + "_mark")
