# SPDX-License-Identifier: MIT
"""pycuda.elementwise against NumPy."""

import weakref

import numpy as np
import pycuda.driver as cuda
import pycuda.elementwise as elementwise
import pytest
from pycuda import _driver, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel, ScalarArg, VectorArg
from pycuda.gpuarray import to_gpu

pytestmark = pytest.mark.usefixtures("context")

f4 = np.dtype(np.float32)


def axpy():
    return ElementwiseKernel("float a, float *x, float *y, float *z", "z[i] = a * x[i] + y[i]", "axpy")


def ramp(*shape, dtype=np.float32):
    return np.arange(np.prod(shape, dtype=int), dtype=dtype).reshape(shape)


@pytest.mark.parametrize("n", [1, 31, 1000, 100_003])
def test_every_element_is_done_once(n):
    x, z = to_gpu(ramp(n)), to_gpu(np.zeros(n, np.float32))
    ElementwiseKernel("float *x, float *z", "z[i] += 2 * x[i]")(x, z)
    assert (z.get() == 2 * ramp(n)).all()


def test_nothing_happens_for_empty_vectors():
    empty = gpuarray.empty(0, np.float32)
    axpy()(1, empty, empty, empty)


def test_scalars_of_every_kind_and_complex_numbers():
    x = to_gpu(ramp(100) + 1j * ramp(100))
    z = gpuarray.empty_like(x)
    kernel = ElementwiseKernel(
        "pycuda::complex<float> a, double b, short c, pycuda::complex<float> *x, pycuda::complex<float> *z",
        "z[i] = a * x[i] + (float)b * exp(x[i] * 0.01f) - (float)c",
    )
    kernel(2 + 1j, 0.5, -3, x, z)
    h = x.get()
    np.testing.assert_allclose(z.get(), (2 + 1j) * h + 0.5 * np.exp(h * 0.01) + 3, rtol=1e-5)


def test_arguments_given_as_a_list_stay_unchanged():
    arguments = [ScalarArg(np.float32, "a"), VectorArg(np.float32, "x")]
    kernel = ElementwiseKernel(arguments, "x[i] *= a")
    x = to_gpu(ramp(10))
    kernel(3, x)
    kernel(2, x, slice=slice(0, 5))
    assert len(arguments) == 2
    assert (x.get() == ramp(10) * np.repeat([6, 3], 5)).all()


@pytest.mark.parametrize("chosen", [slice(2, 90, 7), slice(90, 2, -7), slice(5, 9, None), slice(50, 50, 1)])
def test_range_gives_the_indices(chosen):
    z = to_gpu(np.zeros(100, np.float32))
    ElementwiseKernel("float *z", "z[i] += i")(z, range=chosen)
    expected = np.zeros(100)
    indices = np.arange(chosen.start, chosen.stop, chosen.step or 1)
    expected[indices] = indices
    assert (z.get() == expected).all()


def test_slice_is_relative_to_the_size():
    z = to_gpu(np.zeros(100, np.float32))
    kernel = ElementwiseKernel("float *z", "z[i] += 1")
    kernel(z, slice=slice(None, None, -2))
    kernel(z, slice=slice(-10, None))
    expected = np.zeros(100)
    expected[::-2] += 1
    expected[-10:] += 1
    assert (z.get() == expected).all()


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[:, 1::3],
        lambda a: a.transpose(),
        lambda a: a[:, :, 2],
        lambda a: a[::-1, :, ::-2],
        lambda a: a[3:4],
    ],
)
def test_operands_need_not_be_contiguous(view):
    h = ramp(6, 8, 10)
    x, y, z = to_gpu(h), to_gpu(np.asfortranarray(h)), to_gpu(np.zeros_like(h))
    axpy()(2, view(x), view(y), view(z))
    expected = np.zeros_like(h)
    view(expected)[...] = 3 * view(h)
    assert (z.get() == expected).all()


def test_gaps_between_small_floats():
    values = np.arange(10, dtype=np.float16)
    result = gpuarray.zeros(10, np.float32)
    ElementwiseKernel("half *x, float *y", "y[i] = (float)x[i] * 2")(to_gpu(np.repeat(values, 2))[::2], result)
    assert (result.get() == 2 * values).all()


def test_orders_may_differ():
    h = ramp(20, 30)
    z = gpuarray.empty((20, 30), np.float32)
    axpy()(1, to_gpu(h), to_gpu(np.asfortranarray(h)), z)
    assert (z.get() == 2 * h).all()


def test_a_table_may_have_another_length_and_be_strided():
    table, index = to_gpu(ramp(50) ** 2), to_gpu(np.array([3, 1, 7, 0], np.int32))
    z = gpuarray.empty(4, np.float32)
    kernel = ElementwiseKernel("float *z, float *table, int *index", "z[i] = table[index[i]]")
    kernel(z, table, index)
    assert (z.get() == [9, 1, 49, 0]).all()
    kernel(z, table[1::2], index)
    assert (z.get() == [49, 9, 225, 1]).all()


def test_lengths_that_differ_are_refused_with_names_and_shapes():
    with pytest.raises(ValueError, match=r"'y' has shape \(9,\).*'x' has shape \(10,\)"):
        axpy()(1, to_gpu(ramp(10)), to_gpu(ramp(9)), to_gpu(ramp(10)))
    with pytest.raises(ValueError, match="must have equal shapes"):
        axpy()(1, to_gpu(ramp(4, 6))[:, ::2], to_gpu(ramp(12)), to_gpu(ramp(12)))


def test_the_first_vector_says_how_many_elements_there_are():
    x, y, z = to_gpu(ramp(6)), to_gpu(ramp(4, 5)), to_gpu(np.full(9, -1, np.float32))
    add = ElementwiseKernel("float *x, float *y, float *z", "z[i] = x[i] + y[i]", "add")
    with pytest.warns(UserWarning) as seen:
        add(x, y, z)
    assert z.get().tolist() == [*(2 * ramp(6)), -1, -1, -1]
    computes = "add computes 6 elements, as many as 'x' has, and leaves out the other"
    assert [str(one.message) for one in seen] == [
        f"{computes} 14 of 'y': pass its first 6 alone, y.ravel()[:6], if this is intended",
        f"{computes} 3 of 'z': pass its first 6 alone, z[:6], if this is intended",
    ]
    assert {one.filename for one in seen} == {__file__}


def test_the_part_that_is_asked_for_of_longer_vectors_does_not_warn(recwarn):
    x, z = to_gpu(ramp(6)), to_gpu(np.full(9, -1, np.float32))
    twice = ElementwiseKernel("float *x, float *z", "z[i] = 2 * x[i]", "twice")
    twice(x, z, slice=slice(0, 2))
    twice(x, z, range=slice(2, 4))
    twice(x, z[:6])
    ElementwiseKernel("float *x, float *z", "if (i < n) z[i] = x[i]", "guarded")(x, z)
    assert list(recwarn) == []


def test_a_first_vector_that_is_read_elsewhere_too_may_be_longer():
    x = ramp(1024) ** 2
    difference = gpuarray.empty(1023, np.float32)
    ElementwiseKernel("float *x, float *difference", "difference[i] = x[i+1] - x[i]")(to_gpu(x), difference)
    assert (difference.get() == np.diff(x)).all()


def test_elements_of_the_declared_size_are_read_as_declared():
    bits = gpuarray.empty(3, np.float32)
    kernel = ElementwiseKernel("unsigned *x, float *bits", "bits[i] = __uint_as_float(x[i] + 1)")
    with pytest.warns(UserWarning, match="'x' is declared as uint32, the array has dtype float32: its bits are read"):
        kernel(to_gpu(np.array([1, -1, 0.5], np.float32)), bits)
    assert (bits.get().view(np.int32) == np.array([1, -1, 0.5], np.float32).view(np.int32) + 1).all()


@pytest.mark.parametrize(
    "operation", ["y[i] = x[(i + 1) % n]", "if (i < n) y[i] = x[i]", "float *p = x; y[i] = p[i]", "y[i] = *x"]
)
def test_numbers_of_another_size_are_refused_however_they_are_read(operation):
    kernel = ElementwiseKernel("float *x, float *y", operation)
    y = to_gpu(ramp(5))
    for dtype in (np.float64, np.int64, np.float16, np.bool_):
        with pytest.raises(TypeError, match=f"'x' is declared as float32, the array has dtype {np.dtype(dtype)}"):
            kernel(to_gpu(np.zeros(5, dtype)), y)


@pytest.mark.parametrize("dtype", [np.uint8, np.complex64, [("a", np.float64)]])
def test_what_may_be_read_as_anything_is(dtype):
    x, y = ramp(5), gpuarray.empty(5, np.float32)
    memory = np.zeros(20, dtype)
    memory.view(np.uint8)[: x.nbytes] = x.view(np.uint8)
    ElementwiseKernel("float *x, float *y", "if (i < 5) y[i] = x[i]")(to_gpu(memory), y)
    assert (y.get() == x).all()


def test_dtypes_that_differ_are_refused():
    with pytest.raises(TypeError, match="'y' is declared as float32, the array has dtype float64"):
        axpy()(1, to_gpu(ramp(5)), to_gpu(ramp(5, dtype=np.float64)), to_gpu(ramp(5)))


def test_indices_outside_of_a_vector_are_refused():
    with pytest.raises(IndexError, match="indices 0 to 10 "):
        axpy()(1, *[to_gpu(ramp(10))] * 3, range=slice(0, 11, 1))


def test_wrong_calls_are_refused():
    x = to_gpu(ramp(5))
    with pytest.raises(TypeError, match="takes 4 arguments"):
        axpy()(1, x, x)
    with pytest.raises(TypeError, match="must be an array on the device"):
        axpy()(1, x, ramp(5), x)
    with pytest.raises(TypeError, match="may not specify both range and slice"):
        axpy()(1, x, x, x, range=slice(1), slice=slice(1))
    with pytest.raises(TypeError, match="invalid keyword arguments specified: strem"):
        axpy()(1, x, x, x, strem=None)
    with pytest.raises(AssertionError, match="at least one vector"):
        ElementwiseKernel("float a", "a")(1)
    with pytest.raises(TypeError, match="before_loop"):
        ElementwiseKernel("float *x", "x[i] = 1", before_loop="")(x)


def test_preamble_and_code_around_the_loop():
    z, count = to_gpu(np.zeros(1000, np.float32)), to_gpu(np.zeros(1, np.int32))
    kernel = ElementwiseKernel(
        "float *z, int *count",
        "z[i] = twice(i); ++mine  // a comment at the end",
        preamble="template <class T> __device__ T twice(T v) { return 2 * v; }",
        loop_prep="int mine = 0",
        after_loop="atomicAdd(count, mine)",
    )
    kernel(z, count)
    assert (z.get() == 2 * ramp(1000)).all()
    assert count.get()[0] == 1000


def test_arrays_of_other_libraries_are_read_through_their_interface():
    class Foreign:
        def __init__(self, array):
            self.array = array
            self.__cuda_array_interface__ = dict(array.__cuda_array_interface__)

    x, z = to_gpu(ramp(40)), gpuarray.empty(20, np.float32)
    ElementwiseKernel("float *z, float *x", "z[i] = x[i] + 1")(z, Foreign(x[::2]))
    assert (z.get() == ramp(40)[::2] + 1).all()


def test_modules_and_kernels_can_be_had():
    kernel = axpy()
    module, function, arguments = kernel.generate_stride_kernel_and_types(False)
    assert isinstance(module, SourceModule)
    assert [argument.name for argument in arguments] == ["a", "x", "y", "z", "n"]
    assert kernel.generate_stride_kernel_and_types(False)[1] is function
    assert kernel.gen_kwargs["name"] == "axpy"
    _, _, ranged = kernel.generate_stride_kernel_and_types(True)
    assert [argument.name for argument in ranged[-3:]] == ["start", "stop", "step"]


def test_launch_shapes_for_numbers_of_elements(context):
    device = cuda.Context.get_device()
    most = 4 * 8 * device.get_attribute(cuda.device_attribute.MULTIPROCESSOR_COUNT)
    if _driver._device_traits().serial_threads:  # a trip of few threads through memory is slow there
        most = max(most, 4096)
    assert gpuarray.splay(7) == ((1, 1), (32, 1, 1))
    assert gpuarray.splay(33, device) == ((2, 1), (32, 1, 1))
    assert gpuarray.splay(most * 32, device) == ((most, 1), (32, 1, 1))
    assert gpuarray.splay(most * 64 + 1) == ((most, 1), (96, 1, 1))
    assert gpuarray.splay(1 << 31) == ((most, 1), (128, 1, 1))


def call(function, n, *arguments):
    grid, block = gpuarray.splay(n)
    values = [a.gpudata if isinstance(a, gpuarray.GPUArray) else a for a in arguments]
    function.prepared_async_call(grid, block, None, *values, n)


def test_ready_made_arithmetic_kernels():
    x, y = to_gpu(ramp(50) + 1), to_gpu(ramp(50) * 2 + 1)
    hx, hy, z = x.get(), y.get(), gpuarray.empty(50, np.float32)
    e = elementwise
    for kernel, arguments, expected in [
        (e.get_axpbyz_kernel(f4, f4, f4), (2, x, 3, y, z), 2 * hx + 3 * hy),
        (e.get_axpbyz_kernel(f4, f4, f4, x_is_scalar=True), (2, x, 3, y, z), 2 * hx[0] + 3 * hy),
        (e.get_axpbz_kernel(f4, f4), (2, x, 3, z), 2 * hx + 3),
        (e.get_binary_op_kernel(f4, f4, f4, "*"), (x, y, z), hx * hy),
        (e.get_multiply_kernel(f4, f4, f4), (x, y, z), hx * hy),
        (e.get_rdivide_elwise_kernel(f4, f4), (x, 3, z), np.float32(3) / hx),
        (e.get_binary_func_kernel("fmaxf", f4, f4, f4), (x, y, z), np.maximum(hx, hy)),
        (e.get_binary_minmax_kernel("min", f4, f4, f4, True), (x, 7, z), np.minimum(hx, 7)),
        (e.get_scalar_op_kernel(f4, f4, f4, "-"), (x, 4, z), hx - 4),
        (e.get_pow_kernel(f4), (2, x, z), hx**2),
        (e.get_pow_array_kernel(f4, f4, f4, True, False), (x, 2, z), hx**2),
        (e.get_unary_func_kernel("sqrtf", f4), (x, z), np.sqrt(hx)),
        (e.get_reverse_kernel(f4), (x, z), hx[::-1]),
        (e.get_fill_kernel(f4), (5, z), np.full(50, 5)),
        (e.get_arange_kernel(f4), (z, 1, 3), 1 + 3 * ramp(50)),
        (e.get_if_positive_kernel(f4, f4), (to_gpu(hx - 20), x, y, z), np.where(hx > 20, hx, hy)),
        (e.get_where_kernel(f4, f4), (to_gpu(hx - 20), x, y, z), np.where(hx != 20, hx, hy)),
        (e.get_fmod_kernel(), (y, x, z), np.fmod(hy, hx)),
        (e.get_ldexp_kernel(), (x, to_gpu(np.full(50, 3, np.float32)), z), hx * 8),
    ]:  # fmt: skip
        call(kernel, 50, *arguments)
        np.testing.assert_allclose(z.get(), expected, rtol=1e-6)


def test_a_ready_made_kernel_that_puts_elements():
    x, index = to_gpu(ramp(50)), to_gpu(np.array([4, 9, 2], np.int32))
    z = to_gpu(np.zeros(50, np.float32))
    call(elementwise.get_put_kernel(f4, index.dtype), 3, index, z, x)
    assert list(z.get()[[4, 9, 2]]) == [0, 1, 2]


def test_ready_made_kernels_that_convert():
    c8, f8, b1 = np.dtype(np.complex64), np.dtype(np.float64), np.dtype(bool)
    x = to_gpu((ramp(20) - 1j * ramp(20)).astype(np.complex64))
    h, real, out = x.get(), gpuarray.empty(20, np.float32), gpuarray.empty(20, np.complex64)
    call(elementwise.get_real_kernel(c8, f4), 20, x, real)
    assert (real.get() == h.real).all()
    call(elementwise.get_imag_kernel(c8, f4), 20, x, real)
    assert (real.get() == h.imag).all()
    call(elementwise.get_copy_kernel(f4, c8), 20, real, x)
    assert (real.get() == h.real).all()
    call(elementwise.get_conj_kernel(c8, c8), 20, x, out)
    assert (out.get() == h.conj()).all()
    call(elementwise.get_copy_kernel(c8, f8), 20, out, to_gpu(ramp(20, dtype=np.float64)))
    assert (out.get() == ramp(20)).all()
    flags = gpuarray.empty(20, np.bool_)
    call(elementwise.get_logical_not_kernel(c8, b1), 20, x, flags)
    assert (flags.get() == (h == 0)).all()


def test_ready_made_kernels_with_two_results():
    x = to_gpu(np.array([3.25, -10.5, 0], np.float32))
    a, b = gpuarray.empty(3, np.float32), gpuarray.empty(3, np.float32)
    call(elementwise.get_modf_kernel(), 3, x, a, b)
    assert (a.get() == [3, -10, 0]).all() and (b.get() == [0.25, -0.5, 0]).all()
    call(elementwise.get_frexp_kernel(), 3, x, a, b)
    assert (a.get() * 2 ** b.get() == x.get()).all()


@pytest.mark.parametrize("wrong, words", [(5, "start, stop and step.*int has not"), (slice(0.5, 3), "'float' object")])
def test_a_range_that_is_none_is_refused(wrong, words):
    ones = ElementwiseKernel("float *x", "x[i] = 1", "ones")
    x = gpuarray.zeros(5, np.float32)
    with pytest.raises(TypeError, match=words):
        ones(x, range=wrong)
    assert (x.get() == 0).all()


def test_a_kernel_goes_with_the_object_that_it_was_made_for():
    kernel = axpy()
    x = to_gpu(ramp(4))
    kernel(2, x, x, x)
    kernel(2, x[::2], x[::2], x[::2])
    module = weakref.ref(kernel.generate_stride_kernel_and_types(False)[0])
    watched = weakref.ref(kernel)
    del kernel
    assert watched() is None
    assert module() is None
