# SPDX-License-Identifier: MIT
"""cuRAND's host interface on the CPU driver, compared with NVIDIA's generators on the host."""

import ctypes

import curand_calls as calls
import numpy as np
import pycuda.driver as cuda
import pytest
from curand_calls import MRG32K3A, MT19937, MTGP32, PHILOX, XORWOW, Generator
from programs import is_cpu

PSEUDO = [XORWOW, MRG32K3A, PHILOX]
QUASI = [calls.SOBOL32, calls.SCRAMBLED_SOBOL32, calls.SOBOL64, calls.SCRAMBLED_SOBOL64]


@pytest.fixture(autouse=True)
def on_the_cpu_driver(context):
    if not is_cpu():
        pytest.skip("needs the CPU driver")


@pytest.fixture
def own(on_the_cpu_driver):
    return calls.library()


@pytest.fixture(scope="module")
def nvidia():
    lib = calls.nvidia_library()
    if lib is None:
        pytest.skip("needs the wheel nvidia-curand")
    return lib


def equal(result, expected, roundings=0):
    """Within so many roundings of the larger of a number and 1."""
    if isinstance(expected, int):
        assert isinstance(result, int) and result == expected
    elif roundings == 0:
        np.testing.assert_array_equal(result, expected)
    else:
        allowed = roundings * np.finfo(result.dtype).eps * np.maximum(abs(expected), 1)
        assert (abs(result - expected) <= allowed).all()


# Uniform numbers have the same bits. Normal ones go through the mathematical library of either.
ROUNDINGS = {"words": 0, "long words": 0, "uniform": 0, "uniform double": 0}
CALLS = [*ROUNDINGS, "normal", "normal double", "log-normal", "log-normal double"]


@pytest.mark.parametrize("what", CALLS)
@pytest.mark.parametrize("order", [None, calls.BEST, calls.LEGACY], ids=["default", "best", "legacy"])
@pytest.mark.parametrize("kind", PSEUDO)
def test_pseudo_random_numbers_are_nvidias(own, nvidia, kind, order, what):
    sets = {"order": order, "seed": 0x123456789ABCDEF}
    mine, theirs = Generator(own, kind, **sets), Generator(nvidia, kind, host=True, **sets)
    for n in (500, 170_000, 4098):  # threads have more than one turn
        equal(mine.draw(what, n), theirs.draw(what, n), ROUNDINGS.get(what, 4))


@pytest.mark.parametrize("what", CALLS)
def test_mtgp32s_numbers_are_nvidias(own, nvidia, what):
    version = ctypes.c_int()
    assert nvidia.curandGetVersion(ctypes.byref(version)) == 0
    if what in ("normal double", "log-normal double") and version.value < 10405:
        pytest.skip("needs cuRAND 10.4.5: before it, NVIDIA's generator on the host had fewer digits here")
    for order in (None, calls.BEST, calls.LEGACY):
        sets = {"order": order, "seed": 777}
        mine, theirs = Generator(own, MTGP32, **sets), Generator(nvidia, MTGP32, host=True, **sets)
        for n in (500, 4098):
            equal(mine.draw(what, n), theirs.draw(what, n), ROUNDINGS.get(what, 4))


@pytest.mark.parametrize("kind", PSEUDO)
def test_without_a_seed(own, nvidia, kind):
    equal(Generator(own, kind).draw("words", 10_000), Generator(nvidia, kind, host=True).draw("words", 10_000))


@pytest.mark.parametrize("offset", [1, 3, 4096, 5000, 1_000_003, 2**45 + 17])
@pytest.mark.parametrize("order", [calls.DEFAULT, calls.LEGACY], ids=["default", "legacy"])
@pytest.mark.parametrize("kind", PSEUDO)
def test_offsets(own, nvidia, kind, order, offset):
    sets = {"order": order, "seed": 77, "offset": offset}
    equal(Generator(own, kind, **sets).draw("words", 5000),
          Generator(nvidia, kind, host=True, **sets).draw("words", 5000))  # fmt: skip


@pytest.mark.parametrize("kind", PSEUDO)
def test_kinds_of_numbers_in_turn(own, nvidia, kind):
    mine, theirs = Generator(own, kind, seed=5), Generator(nvidia, kind, host=True, seed=5)
    for what in ("uniform double", "words", "normal", "uniform", "normal double", "words"):
        equal(mine.draw(what, 1000), theirs.draw(what, 1000), ROUNDINGS.get(what, 4))


@pytest.mark.parametrize("n", [1, 3, 5])
def test_philox_in_small_pieces(own, nvidia, n):
    mine, theirs = Generator(own, PHILOX, seed=5), Generator(nvidia, PHILOX, host=True, seed=5)
    for _ in range(5):
        equal(mine.draw("words", n), theirs.draw("words", n))


@pytest.mark.parametrize("what", CALLS)
@pytest.mark.parametrize("dimensions", [1, 3, 20])
@pytest.mark.parametrize("kind", QUASI)
def test_sobols_numbers_are_nvidias(own, nvidia, kind, dimensions, what):
    sets = {"offset": 7, "dimensions": dimensions}
    mine, theirs = Generator(own, kind, **sets), Generator(nvidia, kind, host=True, **sets)
    for n in (60, 3000):
        equal(mine.draw(what, n), theirs.draw(what, n), ROUNDINGS.get(what, 8))


@pytest.mark.parametrize("kind", [*PSEUDO, MT19937, *QUASI])
@pytest.mark.parametrize("host", [False, True], ids=["device", "host"])
def test_generators_of_the_host_give_the_same(own, kind, host):
    if kind in QUASI and calls.nvidia_library() is None:
        pytest.skip("needs the wheel nvidia-curand")
    first, second = Generator(own, kind), Generator(own, kind, host=host)
    equal(second.draw("uniform", 1000), first.draw("uniform", 1000))
    first.close()
    second.close()


def test_mt19937_is_one_sequence(own):
    words = Generator(own, MT19937, seed=1234).draw("words", 2000)
    assert (words == np.random.RandomState(1234).randint(0, 2**32, 2000, dtype=np.uint64)).all()


@pytest.mark.parametrize("mean", [0.5, 3.5, 100, 5000, 399999])
def test_poissons_distribution(own, mean):
    n = 40_000
    numbers = Generator(own, PHILOX, seed=1).draw("poisson", n, (ctypes.c_double(mean),)).astype(float)
    assert abs(numbers.mean() - mean) < 6 * np.sqrt(mean / n)
    assert abs(numbers.var() / mean - 1) < 6 * np.sqrt((2 + 1 / mean) / n)


@pytest.mark.parametrize("mean", [3.5, 100])
def test_poisson_counts_are_likely(own, mean):
    scipy_stats = pytest.importorskip("scipy.stats", reason="needs SciPy")
    n = 40_000
    numbers = Generator(own, XORWOW, seed=1).draw("poisson", n, (ctypes.c_double(mean),))
    counts, expected = np.bincount(numbers), n * scipy_stats.poisson.pmf(np.arange(numbers.max() + 1), mean)
    kept = expected > 10
    chi_square = ((counts - expected)[kept] ** 2 / expected[kept]).sum()
    assert chi_square < scipy_stats.chi2.ppf(0.9999, kept.sum())


def test_work_runs_in_the_order_of_its_stream_and_in_graphs(own):
    stream, n = cuda.Stream(), 1000
    expected = Generator(own, XORWOW, seed=3).draw("words", 3 * n)
    one = Generator(own, XORWOW, seed=3)
    one.set("SetStream", ctypes.c_void_p(stream.handle))
    memory, result = cuda.mem_alloc(4 * n), np.zeros(n, np.uint32)
    one.set("Generate", ctypes.c_void_p(int(memory)), ctypes.c_size_t(n))
    stream.begin_capture()
    one.set("Generate", ctypes.c_void_p(int(memory)), ctypes.c_size_t(n))
    graph = stream.end_capture().instantiate()
    for launch in range(3):
        if launch:
            graph.launch(stream)
        stream.synchronize()
        cuda.memcpy_dtoh(result, memory)
        equal(result, expected[launch * n : (launch + 1) * n])


def test_a_new_seed_does_not_change_what_is_under_way(own):
    stream, n = cuda.Stream(), 100_000
    one = Generator(own, PHILOX, seed=3)
    one.set("SetStream", ctypes.c_void_p(stream.handle))
    memory = cuda.mem_alloc(4 * n)
    one.set("Generate", ctypes.c_void_p(int(memory)), ctypes.c_size_t(n))
    one.set("SetPseudoRandomGeneratorSeed", ctypes.c_ulonglong(4))
    result = np.zeros(n, np.uint32)
    stream.synchronize()
    cuda.memcpy_dtoh(result, memory)
    equal(result, Generator(own, PHILOX, seed=3).draw("words", n))
    one.set("SetStream", None)
    equal(one.draw("words", n), Generator(own, PHILOX, seed=4).draw("words", n))


def test_tables_are_nvidias(own, nvidia):
    for name, pointer, sets in [("32", ctypes.c_uint32, (101, 102)), ("64", ctypes.c_uint64, (103, 104))]:
        for number in sets:
            tables = [ctypes.POINTER(pointer)() for _ in range(2)]
            for lib, table in zip((own, nvidia), tables, strict=True):
                assert getattr(lib, "curandGetDirectionVectors" + name)(ctypes.byref(table), number) == 0
            assert tables[0][:640] == tables[1][:640]


def test_mistakes_have_their_statuses(own):
    xorwow = Generator(own, XORWOW)
    made = ctypes.c_void_p()
    assert own.curandCreateGenerator(ctypes.byref(made), 5) == calls.TYPE_ERROR
    assert own.curandDestroyGenerator(None) == calls.NOT_INITIALIZED
    assert own.curandDestroyGenerator(ctypes.c_void_p(0x1234)) == calls.NOT_INITIALIZED
    assert xorwow.status("SetQuasiRandomGeneratorDimensions", 2) == calls.TYPE_ERROR
    for order in (calls.QUASI, calls.SEEDED, calls.DYNAMIC, 7):
        assert xorwow.status("SetGeneratorOrdering", order) == calls.OUT_OF_RANGE
    assert xorwow.draw("long words", 4) == calls.TYPE_ERROR
    assert xorwow.draw("normal", 5) == calls.NOT_MULTIPLE and xorwow.draw("log-normal double", 5) == calls.NOT_MULTIPLE
    assert xorwow.draw("words", 0).size == 0
    for mean in (0, -1, 400_001):
        assert xorwow.draw("poisson", 4, (ctypes.c_double(mean),)) == calls.OUT_OF_RANGE
    host = np.zeros(4, np.uint32)
    assert xorwow.status("Generate", ctypes.c_void_p(host.ctypes.data), ctypes.c_size_t(4)) == calls.LAUNCH_FAILURE
    assert Generator(own, MT19937).status("SetGeneratorOffset", ctypes.c_ulonglong(5)) == calls.TYPE_ERROR
    assert own.curandCreatePoissonDistribution() == calls.TYPE_ERROR


def test_mistakes_with_mtgp32(own, nvidia):
    mtgp32 = Generator(own, MTGP32)
    assert mtgp32.status("SetGeneratorOffset", ctypes.c_ulonglong(5)) == calls.TYPE_ERROR
    assert mtgp32.draw("long words", 4) == calls.TYPE_ERROR
    assert mtgp32.draw("normal", 5) == calls.NOT_MULTIPLE
    assert mtgp32.status("SetGeneratorOrdering", calls.SEEDED) == calls.OUT_OF_RANGE


def test_mistakes_with_sobols_numbers(own, nvidia):
    sobol, wide = Generator(own, calls.SOBOL32), Generator(own, calls.SOBOL64)
    assert sobol.status("SetPseudoRandomGeneratorSeed", ctypes.c_ulonglong(1)) == calls.TYPE_ERROR
    for dimensions in (0, 20001):
        assert sobol.status("SetQuasiRandomGeneratorDimensions", dimensions) == calls.OUT_OF_RANGE
    assert sobol.status("SetGeneratorOrdering", calls.DEFAULT) == calls.OUT_OF_RANGE
    assert wide.draw("words", 4) == calls.TYPE_ERROR
    sobol.set("SetQuasiRandomGeneratorDimensions", 3)
    assert sobol.draw("words", 4) == calls.NOT_MULTIPLE


def test_version(own):
    value = ctypes.c_int()
    assert own.curandGetVersion(ctypes.byref(value)) == 0 and value.value // 1000 == 10
    assert own.curandGetProperty(0, ctypes.byref(value)) == 0 and value.value == 10
