# SPDX-License-Identifier: MIT
"""The array API standard's extensions `linalg` and `fft` against NumPy's functions, on stacks of any shape."""

import inspect

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pycuda import array_api as xp
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

DTYPES = [np.dtype(name) for name in ("float32", "float64", "complex64", "complex128")]
few = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
stacks = st.lists(st.integers(0, 3), max_size=2).map(tuple)
lengths = st.integers(1, 6)
dtypes = st.sampled_from(DTYPES)


def numbers(shape, dtype, seed=0):
    random = np.random.default_rng(seed)
    values = random.standard_normal(shape)
    if dtype.kind == "c":
        values = values + 1j * random.standard_normal(shape)
    return np.asarray(values, dtype)


def hermitian(shape, dtype):
    matrices = numbers(shape, dtype)
    return matrices @ np.swapaxes(matrices.conj(), -1, -2) + np.eye(shape[-1], dtype=dtype)


def regular(shape, dtype):
    return numbers(shape, dtype) + 4 * np.eye(shape[-1], dtype=dtype)


def real(dtype):
    return np.dtype(dtype.char.lower())


def close(ours, expected, dtype=None, context=1.0):
    assert isinstance(ours, gpuarray.GPUArray)
    expected = np.asarray(expected)
    assert ours.shape == expected.shape
    assert ours.dtype == (expected.dtype if dtype is None else dtype)
    tolerance = 2e-3 if real(ours.dtype) == np.float32 else 1e-9
    np.testing.assert_allclose(ours.get(), expected, tolerance, tolerance * context)


def adjoint(matrices):
    return np.swapaxes(matrices.conj(), -1, -2)


# Made of products, and tested with them.
PRODUCTS = set(
    "cross diagonal matmul matrix_norm matrix_power matrix_transpose outer tensordot trace vecdot vector_norm".split()
)
SQUARE = {
    "cholesky": (hermitian, lambda dtype: dtype),
    "det": (regular, lambda dtype: dtype),
    "eigvalsh": (hermitian, real),
    "inv": (regular, lambda dtype: dtype),
}


def test_the_extensions_are_whole():
    linalg = {*PRODUCTS, *SQUARE, *"eigh matrix_rank pinv qr slogdet solve svd svdvals".split()}
    assert set(xp.linalg.__all__) == linalg
    fft = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift"
    assert set(xp.fft.__all__) == set(fft.split())
    for module in (xp.linalg, xp.fft):
        for name in module.__all__:
            assert inspect.isfunction(getattr(module, name)) and getattr(module, name).__doc__


@pytest.mark.parametrize("name", sorted(SQUARE))
@few
@given(stacks, lengths, dtypes)
def test_functions_of_square_matrices_agree_with_numpys(name, stack, length, dtype):
    make, result = SQUARE[name]
    matrices = make((*stack, length, length), dtype)
    close(getattr(xp.linalg, name)(gpuarray.to_gpu(matrices)), getattr(np.linalg, name)(matrices), result(dtype))


@few
@given(stacks, lengths, dtypes)
def test_both_factors_of_cholesky_give_the_matrix(stack, length, dtype):
    matrices = hermitian((*stack, length, length), dtype)
    on_device = gpuarray.to_gpu(matrices)
    lower, upper = xp.linalg.cholesky(on_device).get(), xp.linalg.cholesky(on_device, upper=True).get()
    assert (np.tril(lower) == lower).all() and (np.triu(upper) == upper).all()
    close(gpuarray.to_gpu(lower @ adjoint(lower)), matrices)
    close(gpuarray.to_gpu(adjoint(upper) @ upper), matrices)


@few
@given(stacks, lengths, dtypes)
def test_eigenvectors_are_orthonormal_and_scaled_by_the_matrix(stack, length, dtype):
    matrices = hermitian((*stack, length, length), dtype)
    values, vectors = found = xp.linalg.eigh(gpuarray.to_gpu(matrices))
    assert found.eigenvalues is values and found.eigenvectors is vectors
    close(values, np.linalg.eigvalsh(matrices), real(dtype))
    host = vectors.get()
    assert vectors.dtype == dtype
    close(gpuarray.to_gpu(adjoint(host) @ host), np.broadcast_to(np.eye(length), matrices.shape), dtype)
    close(gpuarray.to_gpu(matrices @ host), host * values.get()[..., None, :].astype(dtype), context=100)


@few
@given(stacks, lengths, lengths, dtypes, st.booleans())
def test_singular_values_and_vectors_give_the_matrix(stack, rows, columns, dtype, full):
    matrices = numbers((*stack, rows, columns), dtype)
    found = xp.linalg.svd(gpuarray.to_gpu(matrices), full_matrices=full)
    few_ = min(rows, columns)
    assert found.U.shape == (*stack, rows, rows if full else few_)
    assert found.Vh.shape == (*stack, columns if full else few_, columns)
    assert found.U.dtype == found.Vh.dtype == dtype
    close(found.S, np.linalg.svd(matrices, compute_uv=False), real(dtype))
    close(xp.linalg.svdvals(gpuarray.to_gpu(matrices)), found.S.get(), real(dtype))
    product = (found.U.get()[..., :few_] * found.S.get()[..., None, :]) @ found.Vh.get()[..., :few_, :]
    close(gpuarray.to_gpu(product), matrices)


@few
@given(stacks, lengths, lengths, dtypes, st.sampled_from(["reduced", "complete"]))
def test_factors_of_qr_give_the_matrix(stack, rows, columns, dtype, mode):
    matrices = numbers((*stack, rows, columns), dtype)
    found = xp.linalg.qr(gpuarray.to_gpu(matrices), mode=mode)
    width = rows if mode == "complete" else min(rows, columns)
    assert found.Q.shape == (*stack, rows, width) and found.R.shape == (*stack, width, columns)
    q, r = found.Q.get(), found.R.get()
    assert q.dtype == r.dtype == dtype and (np.triu(r) == r).all()
    close(gpuarray.to_gpu(q @ r), matrices)
    close(gpuarray.to_gpu(adjoint(q) @ q), np.broadcast_to(np.eye(width), (*stack, width, width)), dtype)


@few
@given(stacks, lengths, dtypes, dtypes, st.integers(0, 3))
def test_equations_are_solved_for_vectors_and_stacks(stack, length, dtype, other, columns):
    matrices = regular((*stack, length, length), dtype)
    result = np.result_type(dtype, other)
    for right in (numbers((length,), other), numbers((2, *(1 for _ in stack), length, columns), other)):
        ours = xp.linalg.solve(gpuarray.to_gpu(matrices), gpuarray.to_gpu(right))
        close(ours, np.linalg.inv(matrices.astype(result)) @ right, result)


@few
@given(stacks, lengths, dtypes)
def test_logarithms_of_determinants_agree_with_numpys(stack, length, dtype):
    matrices = regular((*stack, length, length), dtype)
    found = xp.linalg.slogdet(gpuarray.to_gpu(matrices))
    sign, logarithm = np.linalg.slogdet(matrices)
    close(found.sign, sign, dtype)
    close(found.logabsdet, logarithm, real(dtype))


@few
@given(stacks, lengths, lengths, dtypes, st.integers(0, 3))
def test_ranks_and_pseudo_inverses_ignore_what_is_nearly_zero(stack, rows, columns, dtype, rank):
    matrices = numbers((*stack, rows, rank), dtype) @ numbers((*stack, rank, columns), dtype, 1)
    on_device = gpuarray.to_gpu(matrices)
    rtol = 1e-4 if real(dtype) == np.float32 else 1e-10
    ours = xp.linalg.matrix_rank(on_device, rtol=rtol)
    close(ours, np.full(stack, min(rank, rows, columns)), np.int64)
    inverse = xp.linalg.pinv(on_device, rtol=rtol)
    assert inverse.dtype == dtype and inverse.shape == (*stack, columns, rows)
    scale = float(np.abs(inverse.get()).max(initial=1)) ** 2
    close(gpuarray.to_gpu(matrices @ inverse.get() @ matrices), matrices, context=scale)
    each = gpuarray.to_gpu(np.full(stack, rtol, real(dtype)))
    close(xp.linalg.matrix_rank(on_device, rtol=each), ours.get())


@few
@given(stacks, lengths, lengths, dtypes, st.sampled_from(["nuc", 2, -2, 1, -1, np.inf, -np.inf, "fro"]), st.booleans())
def test_norms_of_matrices_agree_with_numpys(stack, rows, columns, dtype, order, keepdims):
    matrices = numbers((*stack, rows, columns), dtype)
    expected = np.linalg.norm(matrices, order, axis=(-2, -1), keepdims=keepdims)
    close(xp.linalg.matrix_norm(gpuarray.to_gpu(matrices), ord=order, keepdims=keepdims), expected, real(dtype))


def test_a_negative_power_is_one_of_the_inverse():
    matrices = regular((2, 3, 3), np.dtype(np.float64))
    close(xp.linalg.matrix_power(gpuarray.to_gpu(matrices), -3), np.linalg.matrix_power(matrices, -3))


def test_views_and_whole_numbers_are_taken_as_they_are():
    square = np.arange(16).reshape(4, 4) % 7 + 5 * np.eye(4, dtype=np.int64)
    on_device = gpuarray.to_gpu(square)
    close(xp.linalg.inv(on_device), np.linalg.inv(square))
    close(xp.linalg.inv(on_device.T[::-1]), np.linalg.inv(square.T[::-1]))
    close(xp.linalg.det(on_device[:2, ::2]), np.linalg.det(square[:2, ::2]))


def test_results_follow_the_work_that_was_queued_before():
    matrices = gpuarray.to_gpu(np.eye(64))
    for _ in range(20):
        matrices += matrices
    close(xp.linalg.det(matrices[:8, :8]), 2.0**160)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda x: xp.linalg.inv(x[0]), np.linalg.LinAlgError, r"inv needs matrices.*\(3,\)"),
        (lambda x: xp.linalg.det(x), np.linalg.LinAlgError, r"det needs square matrices, not \(2, 3\)"),
        (lambda x: xp.linalg.cholesky(-x[:, :2]), np.linalg.LinAlgError, "positive definite"),
        (lambda x: xp.linalg.inv(0 * x[:, :2]), np.linalg.LinAlgError, "[Ss]ingular"),
        (lambda x: xp.linalg.svd(x.astype(np.float16)), TypeError, "svd needs elements .* not float16"),
        (lambda x: xp.linalg.qr(x, mode="r"), ValueError, "'reduced' or 'complete', not 'r'"),
        (lambda x: xp.linalg.solve(x[:, :2], x.T), ValueError, r"\(3, 2\) does not fit matrices \(2, 2\)"),
        (lambda x: xp.linalg.matrix_norm(x, ord=3), ValueError, "order of a matrix norm .* not 3"),
        (lambda x: xp.linalg.matrix_norm(x[0]), ValueError, "two axes"),
        (lambda x: xp.fft.fft(x.astype(np.float16)), TypeError, "fft needs elements .* not float16"),
        (lambda x: xp.fft.fft(x[0, 0]), ValueError, r"fft needs an array with axes, not of shape \(\)"),
        (lambda x: xp.fft.rfft(x + 1j), TypeError, "rfft needs real elements, not complex128"),
        (lambda x: xp.fft.fft(x, norm="loud"), ValueError, "norm"),
        (lambda x: xp.fft.fft(x, n=0), ValueError, "0"),
        (lambda x: xp.fft.fftfreq(4, dtype=np.int32), TypeError, "int32"),
    ],
)
def test_what_cannot_be_is_an_error_that_says_so(call, error, words):
    with pytest.raises(error, match=words):
        call(gpuarray.to_gpu(np.arange(6.0).reshape(2, 3)))


@few
@given(
    st.sampled_from(["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"]),
    st.lists(st.integers(1, 6), min_size=1, max_size=3).map(tuple),
    dtypes,
    st.data(),
)
def test_transforms_along_one_axis_agree_with_numpys(name, shape, dtype, data):
    if name in ("rfft", "ihfft"):
        dtype = real(dtype)
    values = numbers(shape, dtype)
    options = {
        "n": data.draw(st.none() | st.integers(2, 9)),
        "axis": data.draw(st.integers(-len(shape), len(shape) - 1)),
        "norm": data.draw(st.sampled_from(["backward", "ortho", "forward"])),
    }
    if name in ("irfft", "hfft") and options["n"] is None and shape[options["axis"]] == 1:
        options["n"] = 3
    expected = getattr(np.fft, name)(values, **options)
    single = real(dtype) == np.float32
    known = (np.float32 if single else np.float64) if name in ("irfft", "hfft") else None
    known = known or (np.complex64 if single else np.complex128)
    close(getattr(xp.fft, name)(gpuarray.to_gpu(values), **options), expected, known)


@few
@given(st.sampled_from(["fftn", "ifftn", "rfftn", "irfftn"]), dtypes, st.data())
def test_transforms_along_several_axes_agree_with_numpys(name, dtype, data):
    if name == "rfftn":
        dtype = real(dtype)
    values = numbers((4, 3, 5), dtype)
    axes = data.draw(st.none() | st.lists(st.integers(0, 2), min_size=1, unique=True).map(tuple))
    count = 3 if axes is None else len(axes)
    s = data.draw(st.none() | st.lists(st.integers(2, 6), min_size=count, max_size=count).map(tuple))
    norm = data.draw(st.sampled_from(["backward", "ortho", "forward"]))
    expected = getattr(np.fft, name)(values, s=s, axes=tuple(range(3)) if axes is None else axes, norm=norm)
    single = real(dtype) == np.float32
    known = (np.float32, np.float64) if name == "irfftn" else (np.complex64, np.complex128)
    close(getattr(xp.fft, name)(gpuarray.to_gpu(values), s=s, axes=axes, norm=norm), expected, known[not single])


def test_frequencies_and_shifts_agree_with_numpys():
    for n in (1, 4, 5):
        close(xp.fft.fftfreq(n, d=0.5), np.fft.fftfreq(n, 0.5))
        close(xp.fft.rfftfreq(n, d=0.5, dtype=np.float32), np.fft.rfftfreq(n, 0.5), np.float32)
    cube = np.arange(60.0).reshape(3, 4, 5)
    for axes in (None, 1, (0, 2)):
        close(xp.fft.fftshift(gpuarray.to_gpu(cube), axes=axes), np.fft.fftshift(cube, axes))
        close(xp.fft.ifftshift(gpuarray.to_gpu(cube), axes=axes), np.fft.ifftshift(cube, axes))
