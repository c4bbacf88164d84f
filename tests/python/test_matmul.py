# SPDX-License-Identifier: MIT
"""Matrix products against NumPy."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest
from programs import is_cpu, run_program
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
@pytest.mark.parametrize(("left", "right"), [((17, 33), (33, 5)), ((64, 64), (64, 64)), ((9,), (9, 4)), ((3, 7), (7,))])
def test_products_agree_with_numpy(dtype, left, right):
    rng = np.random.default_rng(7)
    a, b = (rng.integers(-9, 9, shape).astype(dtype) for shape in (left, right))
    product = gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)
    assert product.shape == (a @ b).shape and product.dtype == dtype
    assert (product.get() == a @ b).all()


def test_transposed_and_mixed_operands():
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    b = np.arange(12, dtype=np.float64).reshape(3, 4)
    product = gpuarray.matmul(gpuarray.to_gpu(a), gpuarray.to_gpu(b).T)
    assert product.dtype == np.float64 and (product.get() == a @ b.T).all()


def test_lengths_that_do_not_fit_are_an_error():
    with pytest.raises(ValueError, match="4 is not 3"):
        gpuarray.zeros((3, 4), np.float32) @ gpuarray.zeros((3, 4), np.float32)
    with pytest.raises(ValueError, match="do not broadcast"):
        gpuarray.zeros((2, 3, 3), np.float32) @ gpuarray.zeros((4, 3, 3), np.float32)
    with pytest.raises(ValueError, match="arrays with axes"):
        gpuarray.matmul(gpuarray.zeros((), np.float32), gpuarray.zeros((3, 3), np.float32))
    with pytest.raises(ValueError, match="do not fit"):
        gpuarray.tensordot(gpuarray.zeros((2, 3)), gpuarray.zeros((4, 3)), 1)


@pytest.mark.parametrize(
    ("left", "right"), [((2, 5, 3, 4), (4, 6)), ((5, 3, 4), (2, 1, 4, 6)), ((4,), (5, 4, 3)), ((5, 3, 4), (4,))]
)
def test_stacks_of_matrices_broadcast(left, right):
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-9, 9, shape).astype(np.float32) for shape in (left, right))
    product = gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)
    assert product.shape == (a @ b).shape
    np.testing.assert_array_equal(product.get(), a @ b)


def test_many_small_matrices_take_several_launches():
    a = np.random.default_rng(9).integers(-9, 9, (70000, 2, 3)).astype(np.float32)
    b = np.arange(6, dtype=np.float32).reshape(3, 2)
    np.testing.assert_array_equal((gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)).get(), a @ b)


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128, np.bool_, np.int8, np.float16])
def test_other_numbers_are_multiplied_too(dtype):
    rng = np.random.default_rng(10)
    a, b = (rng.integers(0, 3, shape) for shape in ((20, 35), (35, 18)))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.integers(-3, 3, a.shape)
    a, b = a.astype(dtype), b.astype(dtype)
    product = gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)
    assert product.dtype == dtype
    np.testing.assert_array_equal(product.get(), a @ b)


@pytest.mark.parametrize(
    "left, right",
    [
        ((37, 3000), (3000, 70)),  # sums in several parts
        ((5, 700), (700, 17)),
        ((9, 64), (64, 33)),
        ((1, 300), (300, 40)),
        ((40, 300), (300, 1)),
        ((3, 40, 30), (30, 1)),
        ((3, 1, 30), (2, 1, 30, 8)),
        ((300,), (4, 300, 7)),
        ((4, 7, 300), (300,)),
        ((66000, 2, 3), (3, 2)),  # more stacked ones than a grid's third axis has blocks
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.complex128, np.int16, np.float16])
def test_shapes_that_do_not_fit_blocks(left, right, dtype):
    rng = np.random.default_rng(11)
    a, b = (rng.integers(-4, 5, shape) for shape in (left, right))
    if np.dtype(dtype).kind == "c":
        a = a + 1j * rng.integers(-3, 3, a.shape)
    expected = a @ b  # whole numbers: every order of sums gives the same, if none is rounded
    if dtype == np.float16:
        expected = expected.astype(np.float32)
    a, b = a.astype(dtype), b.astype(dtype)
    product = gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)
    assert product.dtype == dtype
    np.testing.assert_array_equal(product.get(), expected.astype(dtype))


def test_stacks_that_do_not_broadcast_are_refused_with_vectors_too():
    a = gpuarray.zeros((3, 4, 5), np.float32)
    with pytest.raises(ValueError, match=r"stacks of \(3, 4, 5\) and \(2, 1, 5\)"):
        a @ gpuarray.zeros((2, 5, 1), np.float32)


@pytest.mark.parametrize("axes", [0, 1, ((0, 2), (1, 0)), (-1, 0)])
def test_products_over_several_axes(axes):
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    b = np.arange(8, dtype=np.float32).reshape(4, 2)
    expected = np.tensordot(a, b, axes)
    np.testing.assert_array_equal(gpuarray.tensordot(gpuarray.to_gpu(a), gpuarray.to_gpu(b), axes).get(), expected)


def test_an_inner_length_of_zero_gives_zeros():
    product = gpuarray.zeros((2, 0), np.float32) @ gpuarray.zeros((0, 3), np.float32)
    assert (product.get() == np.zeros((2, 3))).all()


def test_cublas_multiplies_where_it_is_there(tmp_path):
    if not is_cpu():
        pytest.skip("needs the CPU driver: the stand-in for cuBLAS works in the host's memory")
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("needs a C compiler")
    library = tmp_path / "libfake_cublas.so"
    source = pathlib.Path(__file__).parent / "fake" / "fake_cublas.c"
    subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-o", library, source], check=True)
    done = subprocess.run(
        [sys.executable, "-c", CUBLAS_PROGRAM],
        env={**os.environ, "PYCUDA_CUBLAS": str(library)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("wrong", ["/no/such/library.so", "libc.so.6"])
def test_a_cublas_that_cannot_be_used_is_named(wrong):
    run_program(
        f"""
        import numpy as np
        import pycuda.autoinit
        from pycuda import gpuarray

        a = gpuarray.zeros((2, 2), np.float32)
        try:
            a @ a
        except OSError as error:
            assert str(error).startswith("PYCUDA_CUBLAS={wrong} cannot be used: "), error
        else:
            raise AssertionError("it was used")
        """,
        PYCUDA_CUBLAS=wrong,
    )


CUBLAS_PROGRAM = """
import ctypes
import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pycuda.autoinit
from pycuda import gpuarray
from pycuda._arrays.ops import cublas
random = np.random.default_rng(0)
shapes = [((3, 4), (4, 5)), ((7, 3, 4), (4, 5)), ((7, 3, 4), (7, 4, 2)), ((2, 1, 3, 4), (5, 4, 2))]
for dtype in "fdFD":
    for left, right in [*shapes, ((4,), (4, 3))]:  # the product with a vector is a reduction
        a, b = (random.integers(-9, 9, shape).astype(dtype) for shape in (left, right))
        if dtype in "FD":
            a = (a + 1j * random.integers(-9, 9, left)).astype(dtype)
        result = gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)
        pycuda.autoinit.context.synchronize()
        np.testing.assert_array_equal(result.get(), a @ b)
assert ctypes.c_int.in_dll(cublas.library(), "fake_products").value == 4 * len(shapes)
assert (gpuarray.to_gpu(np.eye(3, dtype=int)) @ gpuarray.to_gpu(np.eye(3, dtype=int))).get().sum() == 3
"""


def test_products_in_place_keep_the_array():
    a, b = np.arange(9.0).reshape(3, 3), np.arange(9.0, 0, -1).reshape(3, 3)
    device = gpuarray.to_gpu(a)
    same, part = device, device[1:]
    device @= gpuarray.to_gpu(b)
    a @= b
    assert device is same
    np.testing.assert_array_equal(device.get(), a)
    np.testing.assert_array_equal(part.get(), a[1:])
    with pytest.raises(ValueError, match=r"\(3,\)"):
        device @= gpuarray.zeros(3, np.float64)
    whole = gpuarray.zeros((3, 3), np.int32)
    with pytest.raises(TypeError, match="int32"):
        whole @= device


def test_dot_sums_over_the_last_axis_and_the_last_but_one():
    cube, matrix, vector = (
        np.arange(n, dtype=np.float32).reshape(shape) for n, shape in ((8, (2, 2, 2)), (4, (2, 2)), (2, 2))
    )
    for a in (cube, matrix, vector, 3, [1.0, 2.0]):
        for b in (cube, matrix, vector, 3):
            ours = [gpuarray.to_gpu(one) if isinstance(one, np.ndarray) else one for one in (a, b)]
            if not any(isinstance(one, gpuarray.GPUArray) for one in ours):
                continue
            got, expected = np.dot(*ours), np.dot(a, b)
            assert got.shape == expected.shape and got.dtype == expected.dtype
            np.testing.assert_array_equal(got.get(), expected)
            if isinstance(ours[0], gpuarray.GPUArray):
                np.testing.assert_array_equal(ours[0].dot(ours[1]).get(), expected)
    device = gpuarray.to_gpu(cube)
    with pytest.raises(ValueError, match="do not fit"):
        np.dot(gpuarray.to_gpu(matrix), gpuarray.zeros((2, 3, 2), np.float32))
    for call in (lambda: np.matmul(device, 3), lambda: np.matmul(3, device)):
        with pytest.raises(ValueError, match="needs arrays with axes"):
            call()
