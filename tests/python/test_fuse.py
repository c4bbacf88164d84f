# SPDX-License-Identifier: MIT
"""`pycuda.fuse`: one kernel, with the results that the operations give one by one."""

import copy
import pickle
import threading

import numpy as np
import pycuda
import pycuda.driver as cuda
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycuda import cumath, gpuarray
from pycuda.tools import clear_context_caches, make_default_context
from test_gpuarray_properties import DTYPES, common, numbers

pytestmark = pytest.mark.usefixtures("context")


def on_device(shape, dtype=np.float32, seed=0):
    return gpuarray.to_gpu(np.asarray(numbers(shape, np.dtype(dtype), seed)))


def same_bits(result, expected):
    assert result.dtype == expected.dtype and result.shape == expected.shape
    assert result.get().tobytes() == expected.get().tobytes()


def check(function, *arguments):
    """The fused function's results are those of the function itself."""
    results, expected = pycuda.fuse(function)(*arguments), function(*arguments)
    if not isinstance(expected, tuple):
        results, expected = (results,), (expected,)
    assert len(results) == len(expected)
    for result, wanted in zip(results, expected):
        same_bits(result, wanted)


@pycuda.fuse
def combined(a, b, c):
    return a * b + c


def test_one_kernel_does_all(context):
    a = on_device((50, 40))
    combined(a, a, 1.0)
    with pycuda.profile() as profile:
        result = combined(a, a, 1.0)
    assert [work.name.rpartition("_")[0] for work in profile.work if work.kind == "kernel"] == ["fused_combined"]
    same_bits(result, a * a + 1.0)


OPERATIONS = {
    "powers": lambda a, b: (a**2, b**2.0, a**0.5, abs(a) ** b, 2.0**b),
    "rest": lambda a, b: (a // b, a % b, *divmod(a, b), -a, +b),
    "choice": lambda a, b: np.where((a > b) & ~(b > 1), a, b + 1),
    "ufuncs": lambda a, b: (np.floor(a) + np.sqrt(b), np.copysign(a, b), np.maximum(a, b) + np.trunc(a)),
    "module": lambda a, b: (
        gpuarray.maximum(a, b),
        cumath.exp(a),
        gpuarray.if_positive(b, a, 0),
        gpuarray.where(a, b, a),
    ),
    "methods": lambda a, b: (a.clip(-1, 1), b.round(2), a.astype(np.float64) + b, a.conj()),
    "functions": lambda a, b: (np.clip(a, -1, 1), np.round(b), np.real(a), np.copy(b), np.isnan(a) | (b == b)),
    "numbers": lambda a, b: (a + np.float64(3), np.float32(2) * b, True + a, b * 2j, 1 / (a + 0.1)),
    "same": lambda a, b: (a, a, a + b),
}


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", ["float32", "float16", "float64"])
def test_operations(context, name, dtype):
    check(OPERATIONS[name], on_device(300, dtype), on_device(300, "float32", 1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_functions(context, dtype):
    """The compiler may compute a function in several ways, which differ in the last places."""

    def function(a, b):
        return np.hypot(np.sin(a), np.exp(b)), np.sin(a) * np.cos(a), np.arctan2(a, b) + np.tanh(b), np.log(abs(a) + 1)

    a, b = on_device(3000, dtype), on_device(3000, dtype, 1)
    for result, expected in zip(pycuda.fuse(function)(a, b), function(a, b)):
        np.testing.assert_allclose(result.get(), expected.get(), rtol=4 * np.finfo(dtype).eps)


def test_complex_and_whole_numbers(context):
    z, n = on_device(200, "complex64"), on_device(200, "int8", 1)
    check(lambda z, n: (np.angle(z), abs(z) * n, z.real + z.imag, z.conj() * 2, z**2, np.angle(z, deg=True)), z, n)
    check(lambda n, m: (n << 1, n ^ m, ~n & m, n // 3, n**2, n + m * 100, n > m, n.astype(np.uint8) // 7), n, n + 1)
    check(lambda n: n**2, on_device(20, "bool"))


def test_values_between_operations_round_to_their_type(context):
    """Kept in a wider type, a sum of float16 would not be infinite here."""
    large = gpuarray.to_gpu(np.full(4, 60000, np.float16))
    check(lambda x: (x + x) - x, large)
    assert np.isinf(pycuda.fuse(lambda x: (x + x) - x)(large).get()).all()


BINARY = ["add", "subtract", "multiply", "maximum", "less", "arctan2"]
UNARY = ["negative", "absolute", "square", "sqrt", "isfinite"]
LAYOUTS = {
    "dense": lambda a: a,
    "transposed": lambda a: a.T,
    "every other": lambda a: a[:, ::2],
    "reversed": lambda a: a[::-1],
    "row": lambda a: a[:1],
    "column": lambda a: a[:, :1],
}


@st.composite
def programs(draw):
    """Operands, steps and results of a function."""
    operands = draw(
        st.lists(st.tuples(st.sampled_from(DTYPES), st.sampled_from(sorted(LAYOUTS))), min_size=1, max_size=4)
    )
    steps = []
    for k in range(draw(st.integers(1, 6))):
        values = st.integers(0, len(operands) + k - 1)
        other = st.one_of(values, st.sampled_from([2.5, -3, True, np.float32(0.1)]).map(lambda number: (number,)))
        if draw(st.booleans()):
            steps.append((draw(st.sampled_from(UNARY)), draw(values)))
        else:
            steps.append((draw(st.sampled_from(BINARY)), *draw(st.permutations([draw(values), draw(other)]))))
    count = len(operands) + len(steps)
    return operands, steps, draw(st.lists(st.integers(0, count - 1), min_size=1, max_size=4))


@common
@given(program=programs(), side=st.sampled_from([1, 3, 8, 40]))
def test_random_functions(program, side):
    operands, steps, chosen = program
    arrays = []
    for k, (dtype, layout) in enumerate(operands):
        # Of one shape, but for rows and columns, whatever the layout.
        shape = (side, 2 * side) if layout == "every other" else (side, side)
        arrays.append(LAYOUTS[layout](on_device(shape, dtype, k)))

    def function(*values):
        values = list(values)
        for name, *given_values in steps:
            values.append(
                getattr(np, name)(*(one[0] if isinstance(one, tuple) else values[one] for one in given_values))
            )
        return tuple(values[k] for k in chosen)

    try:
        expected = function(*arrays)
    except (TypeError, OverflowError) as error:
        with pytest.raises(type(error)):
            pycuda.fuse(function)(*arrays)
        return
    shape = np.broadcast_shapes(*(one.shape for one in arrays))
    for result, wanted in zip(pycuda.fuse(function)(*arrays), expected):
        assert result.dtype == wanted.dtype and result.shape == shape
        whole = np.ascontiguousarray(np.broadcast_to(wanted.get(), shape))
        assert np.ascontiguousarray(result.get()).tobytes() == whole.tobytes()


def test_shapes(context):
    column, row = on_device((30, 1)), on_device(20)
    check(lambda a, b: (a + b) * 2, column, row)
    check(lambda a, b: (a + b) * 2, on_device(()), row)
    check(lambda a: a + 1, on_device(()))
    check(lambda a: a + 1, on_device((0, 3)))
    assert combined(on_device((4, 6)).T, 2.0, 1).strides == on_device((4, 6)).T.strides
    with pytest.raises(ValueError, match=r"broadcast together with shapes \(3,\) \(4,\)"):
        combined(on_device(3), on_device(4), 1)


def test_large_arrays_are_moved_in_packs(context):
    a = on_device((1 << 17) + 3)
    check(lambda a, b: (a * b + 1, a - b), a, a)
    square = on_device((512, 512))
    check(lambda a, b, c: (a * b + c, a > b), square, square[0], square[:, :1])
    check(lambda a, b: (a * b, a + b), square.T, square)


def test_out(context):
    a, b = on_device(100), on_device(100, seed=1)
    wide = gpuarray.zeros(100, np.float64)
    assert combined(a, b, 1, out=wide) is wide
    np.testing.assert_array_equal(wide.get(), (a * b + 1).get().astype(np.float64))
    expected = (a * b + 1, a - b)
    two = pycuda.fuse(lambda a, b: (a * b + 1, a - b))
    assert two(a, b, out=(a, b))[0] is a
    same_bits(a, expected[0])
    same_bits(b, expected[1])


def test_out_that_overlaps_an_operand(context):
    memory = on_device(101)
    expected = memory[:-1] * memory[1:] + 1
    combined(memory[:-1], memory[1:], 1, out=memory[1:])
    same_bits(memory[1:], expected)


def test_streams_and_graphs(context):
    a = on_device(1000)
    stream = cuda.Stream()
    result = combined(a, a, 3, stream=stream)
    stream.synchronize()
    same_bits(result, a * a + 3)
    target = gpuarray.zeros_like(a)
    graph = cuda.Graph()
    with graph.capture(stream):
        combined(a, a, 5, out=target, stream=stream)
    graph.instantiate().launch(stream)
    stream.synchronize()
    same_bits(target, a * a + 5)


def test_numbers_among_the_arguments(context):
    a = on_device(50)
    for number in (2.0, 2, True, np.float64(2), np.int8(2), 0.5, 2.0):
        same_bits(combined(a, number, 0), a * number + 0)
    signs = pycuda.fuse(lambda a, b: np.copysign(a, b))
    for number in (0.0, -0.0, 0.0):
        same_bits(signs(a, number), np.copysign(a, number))
    with pytest.raises(OverflowError):
        combined(on_device(5, np.int8), 300, 1)


def test_numbers_are_parameters(context):
    """Another number is no reason to compile another kernel."""
    a = on_device(20)
    source = combined.source(a, 2.0, 1.0)
    assert combined.source(a, 3.0, 1.0) == source
    assert "fused_combined_" in source and source != combined.source(a, a, 1.0)


def test_numbers_of_other_packages(context):
    bfloat16 = pytest.importorskip("ml_dtypes", reason="needs ml_dtypes").bfloat16
    a = gpuarray.to_gpu(np.arange(1, 5).astype(bfloat16))
    signs = pycuda.fuse(lambda a, b: np.copysign(a, b))
    for number in (0.0, -0.0, 0.0):
        same_bits(signs(a, bfloat16(number)), np.copysign(a, bfloat16(number)))
    same_bits(combined(a, np.array(2.0), 1), a * np.array(2.0) + 1)


def test_a_fused_function_is_copied_and_pickled_by_name(context):
    assert pickle.loads(pickle.dumps(combined)) is combined
    assert copy.deepcopy(combined) is combined


def test_decorator_with_a_name(context):
    @pycuda.fuse(kernel_name="other")
    def plus(a, b):
        return a + b

    a = on_device(20)
    same_bits(plus(a, 1), a + 1)
    assert "fused_other_" in plus.source(a, 1) and plus.__name__ == "plus"
    assert pycuda.fuse()(combined)(a, a, 1).get().tolist() == (a * a + 1).get().tolist()


def test_results_have_the_shape_of_all_arrays(context):
    column, row = on_device((3, 1)), on_device(4)
    results = pycuda.fuse(lambda x, y: (x + 1, y + 1))(column, row)
    assert [one.shape for one in results] == [(3, 4), (3, 4)]
    np.testing.assert_array_equal(results[0].get(), np.broadcast_to((column + 1).get(), (3, 4)))


def test_columns_as_out(context):
    table, a = gpuarray.zeros((50, 2), np.float32), on_device(50)
    two = pycuda.fuse(lambda a: (a + 1, a * 2))
    two(a, out=(table[:, 0], table[:, 1]))
    same_bits(table[:, 0].copy(), a + 1)
    same_bits(table[:, 1].copy(), a * 2)
    with pytest.raises(ValueError, match="two arrays of out share memory"):
        two(a, out=(table[:, 0], table[:, 0]))
    with pytest.raises(TypeError, match="out must be a tuple of arrays"):
        two(a, out=a)
    assert combined(a, a, 1, out=(a,)) is a


def test_rounding_and_logic(context):
    n = on_device(50, np.int32)
    check(lambda a: (np.round(a, -1), round(a), a.round(0)), n)
    check(lambda a: (round(a, 2), np.clip(a, -1, 1, out=None), a.astype(np.float64, None)), on_device(50))
    logic = lambda a, b: (gpuarray.logical_and(a, b), gpuarray.logical_or(a, b), gpuarray.logical_not(a))  # noqa: E731
    check(logic, n, n - 1)
    check(lambda a: (np.clip(3, a, a + 2), +a), on_device(50))
    check(lambda a: (+a, a), on_device(50, bool))
    with pytest.raises(TypeError, match="round the result"):
        pycuda.fuse(lambda z: np.round(z, 1))(on_device(5, np.complex64))
    with pytest.raises(TypeError, match="np.where\\(condition, a, b\\)"):
        pycuda.fuse(lambda a: np.where(a))(n)


def test_real_parts_of_real_elements_are_the_elements(context):
    def function(a):
        b = a * 2
        c = b.conj()
        c += 1
        return b, np.real(b)

    check(function, on_device(20))


def test_many_numbers_are_forgotten(context):
    a = on_device(3)
    for number in range(300):
        combined(a, float(number), 1)
    assert len(combined._traces) <= 128


def test_two_contexts(context):
    a = on_device(20)
    same_bits(combined(a, a, 1), a * a + 1)
    other = make_default_context()
    try:
        b = on_device(20)
        same_bits(combined(b, b, 1), b * b + 1)
        with pytest.raises(ValueError, match="context"):
            combined(a, b, 1)
    finally:
        clear_context_caches()
        other.pop()
        other.detach()


def test_subclasses(context):
    class Field(gpuarray.GPUArray):
        pass

    field = on_device(20).view()
    field.__class__ = Field
    assert type(combined(field, field, 1)) is type(field * field)


def test_arguments_by_name_and_defaults(context):
    @pycuda.fuse
    def line(x, slope=2.0, *, offset=1.0):
        return x * slope + offset

    a = on_device(20)
    same_bits(line(a), a * 2.0 + 1.0)
    same_bits(line(x=a, offset=a), a * 2.0 + a)
    same_bits(line(a, offset=3.0, slope=a), a * a + 3.0)
    assert line.__name__ == "line" and "line" in repr(line)


def test_fused_functions_within_each_other_and_on_the_host(context):
    a = on_device(20)
    check(lambda a: combined(a, a, 2) - combined(a, 1, 1), a)
    assert combined(2, 3, 4) == 10
    np.testing.assert_array_equal(combined(np.arange(3), 2, 1), [1, 3, 5])
    with pytest.raises(TypeError, match="an array on the device among the arguments"):
        combined(2, 3, 4, out=a)


def test_assignments_with_an_operator(context):
    def total(a, b):
        result = a * 1
        alias = result
        result += b
        result *= 2
        return result, alias

    check(total, on_device(20), on_device(20, seed=1))
    with pytest.raises(TypeError, match="cannot be stored with dtype int32"):
        pycuda.fuse(total)(on_device(20, np.int32), on_device(20))


def test_many_steps(context):
    def long(a, steps=60):
        for k in range(steps):
            a = a * 0.5 + k
        return a

    check(long, on_device(100))
    with pytest.raises(ValueError, match="at most 128 numbers, not 130"):
        pycuda.fuse(long)(on_device(100), 65)


def test_threads(context):
    a = on_device(1000)
    results = {}

    @pycuda.fuse
    def scaled(a, factor):
        return a * factor + 1

    def work(number):
        context.push()
        results[number] = [scaled(a, float(number + k % 3)) for k in range(20)]
        context.pop()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, found in results.items():
        for k, result in enumerate(found):
            same_bits(result, a * float(number + k % 3) + 1)
