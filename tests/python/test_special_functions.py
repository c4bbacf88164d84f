# SPDX-License-Identifier: MIT
"""SciPy's special functions take device arrays and compute on the device."""

import numpy as np
import pytest
import scipy.special
from programs import run_program
from pycuda import gpuarray
from pycuda._arrays.pycuda.special import _EXPRESSIONS
from pycuda.tools import mark_cuda_test

_FINITE = np.concatenate([np.linspace(-6, 6, 241), [0.0, -0.0, 0.25, 0.5, np.nan]])


@mark_cuda_test
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", sorted(_EXPRESSIONS))
def test_values_are_scipys(name, dtype):
    ufunc = getattr(scipy.special, name)
    operands = (_FINITE.astype(dtype), np.roll(_FINITE, 7).astype(dtype))[: ufunc.nin]
    with np.errstate(all="ignore"):
        wanted = ufunc(*operands)
    result = ufunc(*map(gpuarray.to_gpu, operands))
    assert isinstance(result, gpuarray.GPUArray) and result.dtype == wanted.dtype
    relative, absolute = (2e-5, 1e-6) if dtype == np.float32 else (1e-10, 1e-12)
    np.testing.assert_allclose(result.get(), wanted, relative, absolute)


@mark_cuda_test
def test_operands_broadcast_and_views_are_taken():
    x = np.linspace(0, 3, 12, dtype=np.float32).reshape(3, 4)
    row = np.array([1, 2, 3, 4], np.float32)
    result = scipy.special.xlogy(gpuarray.to_gpu(x)[::-1], gpuarray.to_gpu(row))
    np.testing.assert_allclose(result.get(), scipy.special.xlogy(x[::-1], row), 1e-5)


@mark_cuda_test
def test_integers_become_floats_as_in_scipy():
    result = scipy.special.erf(gpuarray.to_gpu(np.arange(4)))
    assert result.dtype == np.float64
    np.testing.assert_allclose(result.get(), scipy.special.erf(np.arange(4)), 1e-12)


@mark_cuda_test
def test_out_receives_the_result():
    a = gpuarray.to_gpu(np.array([0.5], np.float32))
    out = gpuarray.zeros(1, np.float32)
    assert scipy.special.erf(a, out=out) is out
    np.testing.assert_allclose(out.get(), scipy.special.erf(np.float32(0.5)), 1e-6)


@mark_cuda_test
def test_no_elements_give_no_elements():
    assert scipy.special.erf(gpuarray.zeros((0, 3), np.float32)).shape == (0, 3)


@mark_cuda_test
def test_a_dtype_without_an_implementation_is_named():
    with pytest.raises(TypeError, match="scipy.special.erf .* complex64"):
        scipy.special.erf(gpuarray.zeros(3, np.complex64))


def test_scipy_finds_the_functions_where_its_array_api_is_on():
    run_program(
        """
        import numpy as np, pycuda.autoinit, scipy.special
        from pycuda import gpuarray
        from pycuda._arrays.pycuda.special import _EXPRESSIONS
        x = np.linspace(0.1, 0.9, 9)
        for name in _EXPRESSIONS:
            function = getattr(scipy.special, name)
            operands = (x, x[::-1].copy())[: 2 if name in ("xlogy", "xlog1py", "rel_entr", "kl_div") else 1]
            result = function(*map(gpuarray.to_gpu, operands))
            assert isinstance(result, gpuarray.GPUArray), name
            np.testing.assert_allclose(result.get(), function(*operands), 1e-10, err_msg=name)
        """,
        SCIPY_ARRAY_API="1",  # read when SciPy is imported
    )
