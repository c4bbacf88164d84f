# SPDX-License-Identifier: MIT
"""pycuda.curandom: distributions, repeatability, and the states' motion."""

import threading

import numpy as np
import pycuda.curandom as curandom
import pytest
from programs import is_cpu
from pycuda import gpuarray
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.usefixtures("context")

PSEUDO = ["XORWOW", "MRG32k3a", "Philox"]
QUASI = ["Sobol32", "ScrambledSobol32", "Sobol64", "ScrambledSobol64"]


def make(name, **keywords):
    return getattr(curandom, f"{name}RandomNumberGenerator")(**keywords)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.uint32])
def test_rand(dtype):
    np.random.seed(5)
    first = curandom.rand((300, 200), dtype).get()
    assert first.shape == (300, 200) and first.dtype == dtype
    assert (curandom.rand((300, 200), dtype).get() != first).any()
    np.random.seed(5)
    assert (curandom.rand((300, 200), dtype).get() == first).all()
    if first.dtype.kind == "f":
        assert 0 <= first.min() < 0.001 and 0.999 < first.max() < 1
        unit = first
    else:
        unit = first.view(np.uint32) / 2**32
    assert abs(unit.mean() - 0.5) < 0.01 and abs(unit.var() - 1 / 12) < 0.005
    with pytest.raises(NotImplementedError):
        curandom.rand(3, np.int64)


@pytest.mark.parametrize("name", PSEUDO + QUASI)
def test_distributions(name):
    generator = make(name)
    n = 200_001
    if name in QUASI:
        # Each generator's own sequence begins with 0, 1/2, 3/4, ...: it takes many to be even.
        n = max(n, 64 * generator.block_count * generator.generators_per_block)
    for dtype in (np.float32, np.float64):
        uniform = generator.gen_uniform(n, dtype).get()
        assert 0 <= uniform.min() and uniform.max() <= 1
        assert abs(uniform.mean() - 0.5) < 0.02 and abs(uniform.var() - 1 / 12) < 0.01
        normal = generator.gen_normal(n, dtype).get()
        assert abs(normal.mean()) < 0.02 and abs(normal.std() - 1) < 0.03
        logarithms = np.log(generator.gen_log_normal(n, dtype, 0.5, 0.25).get())
        assert abs(logarithms.mean() - 0.5) < 0.02 and abs(logarithms.std() - 0.25) < 0.02
    integers = generator.gen_uniform(n, np.uint32).get()
    assert abs(integers.mean() / 2**32 - 0.5) < 0.02
    poisson = generator.gen_poisson((3, n), np.uint32, 4).get()
    assert abs(poisson.mean() - 4) < 0.1 and abs(poisson.var() - 4) < 0.2
    means = to_gpu(np.full(n, 9, np.float32))
    generator.fill_poisson(means)
    assert abs(means.get().mean() - 9) < 0.2
    strided = gpuarray.zeros(2000, np.float32)
    generator.fill_uniform(strided[::2])
    assert (strided.get()[1::2] == 0).all() and (strided.get()[::2] != 0).sum() > 990
    if "64" in name:
        assert abs(generator.gen_uniform(n, np.uint64).get().mean() / 2**64 - 0.5) < 0.02
    else:
        with pytest.raises(NotImplementedError):
            generator.gen_uniform(n, np.uint64)
    with pytest.raises(NotImplementedError):
        generator.gen_normal(n, np.int32)


@pytest.mark.parametrize("name", PSEUDO)
def test_equal_seeds_repeat_and_skipping_moves_every_generator(name):
    seeds = lambda n: to_gpu(np.arange(n, dtype=np.int32))  # noqa: E731
    first, second = make(name, seed_getter=seeds), make(name, seed_getter=seeds)
    count = first.block_count * first.generators_per_block
    drawn = first.gen_uniform(4 * count, np.uint32).get().reshape(4, count)
    second.call_skip_ahead(2)
    assert (second.gen_uniform(count, np.uint32).get() == drawn[2]).all()
    third = make(name, seed_getter=seeds, offset=1)
    counts = to_gpu((np.arange(first.generators_per_block) % 3).astype(np.uint32))
    third.call_skip_ahead_array(counts)
    expected = drawn[1 + np.arange(count) % first.generators_per_block % 3, np.arange(count)]
    assert (third.gen_uniform(count, np.uint32).get() == expected).all()
    third.call_skip_ahead_sequence(1)
    third.call_skip_ahead_sequence_array(counts)
    with pytest.raises(ValueError, match="fits neither"):
        third.call_skip_ahead_array(counts[:3])


def test_subsequences_of_mrg32k3a():
    generator = make("MRG32k3a", seed_getter=curandom.seed_getter_uniform)
    generator.call_skip_ahead_subsequence(1)
    generator.call_skip_ahead_subsequence_array(to_gpu(np.ones(generator.generators_per_block, np.uint64)))
    assert abs(generator.gen_uniform(10_000, np.float32).get().mean() - 0.5) < 0.02


@pytest.mark.parametrize("name", ["Sobol32", "Sobol64"])
def test_sobol_points_come_from_the_direction_vectors(name):
    generator = make(name)
    count, bits = generator.block_count * generator.generators_per_block, generator.generator_bits
    dtype = np.uint32 if bits == 32 else np.uint64
    drawn = generator.gen_uniform(4 * count, dtype).get().reshape(4, count)
    direction = getattr(curandom.direction_vector_set, f"VECTOR_{bits}")
    vectors = curandom.generate_direction_vectors(count, direction).get()
    assert vectors.shape == (count, bits) and vectors.dtype == dtype
    assert (drawn[0] == 0).all() and (drawn[1] == vectors[:, 0]).all()
    assert (drawn[2] == vectors[:, 0] ^ vectors[:, 1]).all() and (drawn[3] == vectors[:, 1]).all()
    again = make(name, dir_vector=to_gpu(vectors), offset=2)
    assert (again.gen_uniform(count, dtype).get() == drawn[2]).all()
    again.call_skip_ahead(0)
    with pytest.raises(TypeError, match="GPUArray of integers of right length"):
        make(name, dir_vector=to_gpu(vectors[1:]))


def test_scrambling_constants():
    constants = curandom.generate_scramble_constants32(20_010).get()
    assert constants.dtype == np.uint32 and (constants[20_000:] == constants[:10]).all()
    assert curandom.generate_scramble_constants64(5).get().dtype == np.uint64
    with pytest.raises(TypeError, match="scramble must be GPUArray"):
        make("ScrambledSobol32", scramble_vector=to_gpu(constants[:3]))


@pytest.mark.parametrize("wrong", [lambda n: None, lambda n: gpuarray.zeros(3, np.int32), lambda n: gpuarray.zeros(n)])
def test_seeds_that_do_not_fit_are_named(wrong):
    given = wrong(5)
    said = "NoneType" if given is None else f".*{given.dtype}"
    with pytest.raises(TypeError, match=rf"of right length: shape \(.*,\), dtype int32, not {said}"):
        make("XORWOW", seed_getter=wrong)


def test_a_seed_is_no_getter():
    with pytest.raises(TypeError, match="seed_getter must be a function of the number of seeds, not int"):
        make("XORWOW", seed_getter=5)


def test_direction_vectors_may_have_gaps_but_no_other_byte_order():
    plain = make("Sobol32")
    count = plain.block_count * plain.generators_per_block
    vectors = curandom.generate_direction_vectors(count).get()
    gaps = make("Sobol32", dir_vector=to_gpu(np.repeat(vectors, 2, axis=1))[:, ::2])
    assert (gaps.gen_uniform(5000, np.uint32).get() == plain.gen_uniform(5000, np.uint32).get()).all()
    with pytest.raises(TypeError, match=r"dtype uint32, not \(.*, 32\) and >u4"):
        make("Sobol32", dir_vector=to_gpu(vectors.astype(">u4")))
    with pytest.raises(TypeError, match=r"must be a direction_vector_set, not \[1\]"):
        curandom.generate_direction_vectors(2, [1])


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
def test_numbers_to_skip_are_not_negative_and_go_with_the_stream(driver, dtype):
    generator, stream = make("Philox", seed_getter=lambda n: gpuarray.zeros(n, np.int32)), driver.Stream()
    count = generator.generators_per_block
    with pytest.raises(ValueError, match="cannot be below 0, one is -3"):
        generator.call_skip_ahead_array(to_gpu(np.full(count, -3, dtype)))
    ones = to_gpu(np.ones(2 * count, dtype))[::2]
    drawn = generator.gen_uniform(3 * generator._count, np.uint32).get().reshape(3, -1)
    generator = make("Philox", seed_getter=lambda n: gpuarray.zeros(n, np.int32))
    stream.begin_capture()
    generator.call_skip_ahead_array(ones, stream)
    graph = stream.end_capture().instantiate()
    graph.launch(stream)
    stream.synchronize()
    assert (generator.gen_uniform(generator._count, np.uint32).get() == drawn[1]).all()


def test_seeds():
    assert len(set(curandom.seed_getter_uniform(10).get())) == 1
    assert len(set(curandom.seed_getter_unique(10).get())) > 1
    with pytest.raises(TypeError, match="seed must be GPUArray of integers of right length"):
        make("Philox", seed_getter=lambda n: to_gpu(np.zeros(n, np.float32)))


def test_version():
    assert curandom.get_curand_version() >= (3, 2, 0)


def test_log_normal_numbers_have_the_mean_of_their_own_call():
    # Generators that draw pairs keep the second number for the next call.
    for name in PSEUDO:
        generator = make(name)
        count = generator.block_count * generator.generators_per_block
        for dtype in (np.float32, np.float64):
            generator.gen_log_normal(count, dtype, -20, 0.1)
            logarithms = np.log(generator.gen_log_normal(count, dtype, 20, 0.1).get())
            assert abs(logarithms - 20).max() < 1


@pytest.mark.parametrize("mean", [np.nan, -1, np.inf, 1e10, 2**40])
def test_a_mean_that_poisson_numbers_cannot_have_is_named(mean):
    with pytest.raises(ValueError, match="cannot be"):
        make("XORWOW").gen_poisson(10, np.uint32, mean)


def test_a_new_array_holds_no_means():
    with pytest.raises(TypeError, match="lambda_value is needed"):
        make("XORWOW").gen_poisson(10, np.uint32, None)


@pytest.mark.parametrize("wrong", ["3", None, 1j, [3], np.array([3, 4])])
def test_parameters_that_are_no_numbers_are_named(wrong):
    generator, words = make("XORWOW"), f"must be a number, not {type(wrong).__name__}"
    if wrong is not None:
        with pytest.raises(TypeError, match="the mean of Poisson numbers " + words):
            generator.gen_poisson(10, np.uint32, wrong)
    with pytest.raises(TypeError, match="the mean " + words):
        generator.gen_log_normal(10, np.float32, wrong, 1)
    with pytest.raises(TypeError, match="the standard deviation " + words):
        generator.gen_log_normal(10, np.float64, 1, wrong)
    assert generator.gen_poisson(10, np.uint32, np.float32(0)).get().sum() == 0


def test_means_in_place_that_are_none_give_nan():
    for dtype in (np.float32, np.float64):
        data = to_gpu(np.array([np.nan, -1, np.inf, 1e20, 0, 5], dtype))
        make("XORWOW").fill_poisson(data)
        assert np.isnan(data.get()).tolist() == [True, True, True, True, False, False] and data.get()[4] == 0


def test_seeds_with_gaps_are_those_that_are_seen():
    dense = make("XORWOW", seed_getter=lambda n: to_gpu(np.arange(0, 2 * n, 2, dtype=np.int32)))
    gaps = make("XORWOW", seed_getter=lambda n: to_gpu(np.arange(2 * n, dtype=np.int32))[::2])
    assert (dense.gen_uniform(5000, np.uint32).get() == gaps.gen_uniform(5000, np.uint32).get()).all()


def test_what_is_no_array_of_the_device_is_refused():
    generator = make("XORWOW")
    for fill in (
        generator.fill_uniform,
        generator.fill_normal,
        generator.fill_poisson,
        lambda data: generator.fill_poisson(data, 3),
        lambda data: generator.fill_log_normal(data, 0, 1),
        generator.call_skip_ahead_array,
    ):
        for data in (np.zeros(10, np.float32), [1.0], None):
            with pytest.raises(TypeError, match=f"a GPUArray, not {type(data).__name__}"):
                fill(data)
    with pytest.raises(TypeError, match="float"):
        curandom.generate_direction_vectors(1.5)
    with pytest.raises(TypeError):
        curandom.seed_getter_unique(None)


def test_a_generator_stays_with_its_context(driver):
    generator = make("XORWOW")
    mine = gpuarray.zeros(10, np.float32)
    other = driver.Device(0).make_context()
    try:
        with pytest.raises(ValueError, match="the generator belongs to another context"):
            generator.gen_uniform(10, np.float32)
        with pytest.raises(ValueError, match="belongs to another context"):
            generator.fill_uniform(mine)
    finally:
        other.pop()
        other.detach()
    assert generator.gen_uniform(10, np.float32).get().max() > 0
    drawn = []
    thread = threading.Thread(target=lambda: drawn.append(generator.gen_uniform(10, np.float32).get()))
    thread.start()
    thread.join()
    assert drawn[0].max() > 0


def test_kernels_of_a_generator_are_looked_up_when_they_are_needed():
    generator = make("XORWOW")
    names = set(generator.generators)
    assert {"uniform_float", "normal_double", "poisson_int", "normal_log_float"} < names
    assert "uniform_float" in generator.generators and "skip" not in generator.generators
    kernel = generator.generators["uniform_float"]
    assert kernel is generator.generators["uniform_float"]
    assert generator.skip_ahead is generator.skip_ahead
    assert generator.skip_ahead_sequence_array.arg_format == "PIPI"
    with pytest.raises(AttributeError, match="no attribute 'skip_ahead_subsequence'"):
        generator.skip_ahead_subsequence  # noqa: B018
    with pytest.raises(AttributeError, match="no attribute 'state_types'"):
        generator.state_types  # noqa: B018
    if is_cpu():
        assert 0 < len(generator.generators._functions) < len(names)


@pytest.mark.parametrize("name", ["XORWOW", "Sobol32"])
def test_an_offset_is_not_negative(name):
    with pytest.raises(ValueError, match="offset must not be negative, and is -1"):
        getattr(curandom, f"{name}RandomNumberGenerator")(offset=-1)
