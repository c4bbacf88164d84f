# SPDX-License-Identifier: MIT
"""The namespace of the array API standard against NumPy's, function by function."""

import importlib.util
import inspect
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from pycuda import array_api as xp
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

random = np.random.default_rng(0)
REAL = random.normal(size=(3, 4))
POSITIVE = np.abs(REAL) + 1
SMALL = np.clip(REAL, -0.9, 0.9)
WHOLE = random.integers(1, 9, (3, 4))
BITS = random.integers(0, 7, (3, 4))
TRUTH = REAL > 0
COMPLEX = REAL + 1j * REAL[::-1]
CUBE = random.normal(size=(2, 3, 4))
INDEX = random.integers(0, 3, (3, 4))
ROW = np.sort(random.normal(size=9))

# Every function of the standard with arguments; what is no device array here stays as it is.
CALLS = {
    "abs": [(REAL,), (COMPLEX,)],
    "acos": [(SMALL,), (COMPLEX,)],
    "acosh": [(POSITIVE,), (COMPLEX,)],
    "add": [(REAL, WHOLE), (REAL, 2)],
    "all": [(TRUTH,), (TRUTH, {"axis": 0}), (TRUTH, {"axis": (0, 1), "keepdims": True})],
    "any": [(TRUTH,), (TRUTH, {"axis": 1})],
    "argmax": [(REAL,), (REAL, {"axis": 1, "keepdims": True})],
    "argmin": [(REAL,), (REAL, {"axis": 0})],
    "argsort": [(REAL,), (REAL, {"axis": 0})],
    "asin": [(SMALL,), (COMPLEX,)],
    "asinh": [(REAL,), (COMPLEX,)],
    "astype": [(REAL, np.dtype(np.float32)), (WHOLE, np.dtype(np.float64))],
    "atan": [(REAL,), (COMPLEX,)],
    "atan2": [(REAL, POSITIVE)],
    "atanh": [(SMALL,), (COMPLEX,)],
    "bitwise_and": [(BITS, WHOLE)],
    "bitwise_invert": [(BITS,), (TRUTH,)],
    "bitwise_left_shift": [(BITS, WHOLE)],
    "bitwise_or": [(BITS, 3)],
    "bitwise_right_shift": [(BITS, 1)],
    "bitwise_xor": [(BITS, WHOLE)],
    "broadcast_to": [(REAL[0], (3, 4))],
    "ceil": [(REAL,), (WHOLE,)],
    "clip": [(REAL, -0.5, 0.5), (REAL, None, 0.5), (WHOLE, 3)],
    "concat": [([REAL, POSITIVE],), ([REAL, POSITIVE], {"axis": 1}), ([REAL, POSITIVE], {"axis": None})],
    "conj": [(COMPLEX,)],
    "copysign": [(REAL, POSITIVE)],
    "cos": [(REAL,), (COMPLEX,)],
    "cosh": [(REAL,)],
    "count_nonzero": [(BITS,), (BITS, {"axis": 1, "keepdims": True})],
    "cumulative_prod": [(REAL, {"axis": 1})],
    "cumulative_sum": [(REAL, {"axis": 0}), (REAL, {"axis": 1, "include_initial": True}), (ROW,)],
    "diff": [(REAL,), (REAL, {"axis": 0, "n": 2}), (REAL, {"prepend": REAL, "append": REAL})],
    "divide": [(WHOLE, WHOLE), (REAL, 2)],
    "equal": [(BITS, WHOLE)],
    "exp": [(REAL,), (COMPLEX,)],
    "expand_dims": [(REAL, {"axis": 1}), (REAL, {"axis": -1})],
    "expm1": [(REAL,), (COMPLEX,)],
    "flip": [(REAL,), (REAL, {"axis": 1})],
    "floor": [(REAL,)],
    "floor_divide": [(REAL, POSITIVE), (WHOLE, 2)],
    "full_like": [(REAL, 3)],
    "greater": [(REAL, 0)],
    "greater_equal": [(BITS, WHOLE)],
    "hypot": [(REAL, POSITIVE)],
    "imag": [(COMPLEX,)],
    "isfinite": [(REAL,)],
    "isinf": [(REAL,)],
    "isnan": [(REAL,)],
    "less": [(BITS, WHOLE)],
    "less_equal": [(BITS, WHOLE)],
    "log": [(POSITIVE,), (COMPLEX,)],
    "log10": [(POSITIVE,)],
    "log1p": [(POSITIVE,), (COMPLEX,)],
    "log2": [(POSITIVE,), (COMPLEX,)],
    "logaddexp": [(REAL, POSITIVE)],
    "logical_and": [(TRUTH, TRUTH)],
    "logical_not": [(TRUTH,)],
    "logical_or": [(TRUTH, False)],
    "logical_xor": [(TRUTH, True)],
    "matmul": [(REAL, REAL.T), (CUBE, REAL.T), (REAL, REAL[0])],
    "matrix_transpose": [(CUBE,)],
    "max": [(REAL,), (REAL, {"axis": 1, "keepdims": True})],
    "maximum": [(REAL, POSITIVE)],
    "mean": [(REAL,), (REAL, {"axis": 0})],
    "min": [(REAL,), (REAL, {"axis": (0, 1)})],
    "minimum": [(REAL, 0)],
    "moveaxis": [(CUBE, 0, -1), (CUBE, (0, 1), (2, 0))],
    "multiply": [(REAL, POSITIVE)],
    "negative": [(REAL,)],
    "nextafter": [(REAL, POSITIVE)],
    "nonzero": [(BITS,)],
    "not_equal": [(BITS, 3)],
    "ones_like": [(REAL,)],
    "permute_dims": [(CUBE, (2, 0, 1))],
    "positive": [(REAL,)],
    "pow": [(POSITIVE, REAL), (WHOLE, 2)],
    "prod": [(REAL,), (WHOLE, {"axis": 1})],
    "real": [(COMPLEX,)],
    "reciprocal": [(POSITIVE,)],
    "remainder": [(REAL, POSITIVE)],
    "repeat": [(REAL, 2), (REAL, 3, {"axis": 1}), (REAL, np.array([2, 0, 1]), {"axis": 0})],
    "reshape": [(REAL, (2, 6)), (REAL, (-1,))],
    "roll": [(REAL, 2), (REAL, 1, {"axis": 1}), (REAL, (1, -2), {"axis": (0, 1)})],
    "round": [(REAL * 3,), (COMPLEX,), (WHOLE,)],
    "searchsorted": [(ROW, REAL), (ROW, REAL, {"side": "right"})],
    "sign": [(REAL,), (COMPLEX,)],
    "signbit": [(REAL,)],
    "sin": [(REAL,)],
    "sinh": [(REAL,)],
    "sort": [(REAL,), (REAL, {"axis": 0})],
    "sqrt": [(POSITIVE,), (COMPLEX,)],
    "square": [(REAL,)],
    "squeeze": [(REAL[None, :, None], 0)],
    "stack": [([REAL, POSITIVE],), ([REAL, POSITIVE], {"axis": -1})],
    "std": [(REAL, {"correction": 1})],
    "subtract": [(REAL, POSITIVE)],
    "sum": [(REAL,), (REAL, {"axis": 1}), (WHOLE.astype(np.int8), {"axis": 0})],
    "take": [(REAL, np.array([2, 0]), {"axis": 0}), (ROW, INDEX)],
    "take_along_axis": [(REAL, INDEX, {"axis": 1}), (REAL, INDEX, {"axis": 0})],
    "tan": [(REAL,)],
    "tanh": [(REAL,), (COMPLEX,)],
    "tensordot": [(CUBE, REAL, {"axes": 2}), (CUBE, REAL, {"axes": ((1,), (0,))})],
    "tile": [(REAL, (2, 3)), (REAL, (2, 1, 2)), (CUBE, (2,))],
    "tril": [(REAL,), (CUBE, {"k": 1})],
    "triu": [(REAL, {"k": -1})],
    "trunc": [(REAL,)],
    "unique_all": [(BITS,)],
    "unique_counts": [(BITS,)],
    "unique_inverse": [(BITS,)],
    "unique_values": [(BITS,)],
    "unstack": [(REAL,), (REAL, {"axis": 1})],
    "var": [(REAL,), (REAL, {"axis": 1, "correction": 1, "keepdims": True})],
    "vecdot": [(REAL, POSITIVE), (COMPLEX, REAL, {"axis": 0})],
    "where": [(TRUTH, REAL, POSITIVE), (TRUTH, REAL, 0.0)],
    "zeros_like": [(REAL,)],
    "broadcast_arrays": [(REAL, REAL[0])],
    "meshgrid": [(ROW, REAL[0]), (ROW, REAL[0], {"indexing": "ij"})],
    "empty_like": [],
    "arange": [(5,), (1, 9, 2), (0.5, 3)],
    "eye": [(3,), (3, 4, {"k": 1})],
    "full": [((2, 3), 7), ((2,), 1.5)],
    "linspace": [(0, 1, {"num": 5}), (0, 1, {"num": 4, "endpoint": False})],
    "ones": [((2, 3),)],
    "zeros": [((2,), {"dtype": np.dtype(np.int16)})],
    "asarray": [([[1, 2], [3, 4]],), (2.5,), (True,)],
}
# Those that are tested by themselves.
OTHERS = {"can_cast", "empty", "finfo", "from_dlpack", "iinfo", "isdtype", "result_type"}


class EXPECTED:
    """What NumPy has otherwise than the standard, or without an order."""

    def unique_values(x):
        return np.unique(x)

    def clip(x, min=None, max=None):
        return np.clip(x, min, max)


def on_device(argument):
    if isinstance(argument, np.ndarray):
        return gpuarray.to_gpu(argument)
    if isinstance(argument, list) and any(isinstance(one, np.ndarray) for one in argument):
        return [on_device(one) for one in argument]
    if isinstance(argument, dict):
        return {name: on_device(one) for name, one in argument.items()}
    return argument


def agree(ours, expected):
    if isinstance(expected, (tuple, list)):
        assert len(ours) == len(expected)
        for one, other in zip(ours, expected):
            agree(one, other)
        return
    expected = np.asarray(expected)
    assert isinstance(ours, gpuarray.GPUArray)
    assert ours.shape == expected.shape and ours.dtype == expected.dtype
    np.testing.assert_allclose(ours.get(), expected, 1e-12, 1e-12)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_functions_agree_with_numpys(name):
    for call in CALLS[name]:
        *arguments, last = call
        options = last if isinstance(last, dict) else {}
        arguments = arguments if isinstance(last, dict) else list(call)
        expected = getattr(EXPECTED, name, None) or getattr(np, name)
        expected = expected(*arguments, **options)
        ours = getattr(xp, name)(*map(on_device, arguments), **on_device(options))
        agree(ours, expected)


def test_every_function_of_the_namespace_is_tested():
    functions = {name for name in xp.__all__ if inspect.isfunction(getattr(xp, name)) and not name.startswith("_")}
    assert functions == set(CALLS) | OTHERS


def test_dtypes_and_their_questions():
    assert xp.isdtype(xp.int8, "integral") and not xp.isdtype(xp.float32, ("bool", "integral"))
    assert xp.isdtype(xp.float32, xp.float32)
    with pytest.raises(ValueError, match="unrecognized kind"):
        xp.isdtype(xp.int8, "whole")
    assert xp.can_cast(xp.int8, xp.int16) and not xp.can_cast(xp.float64, xp.int8)
    assert xp.result_type(xp.int8, gpuarray.zeros(1, np.uint8)) == xp.int16
    assert xp.iinfo(xp.int16).max == 32767
    assert xp.finfo(gpuarray.zeros(1, np.float32)).bits == 32
    assert xp.empty((2, 3)).dtype == xp.float64


def test_the_namespace_tells_what_it_has(context):
    array = xp.asarray([1.0])
    assert array.__array_namespace__() is xp
    assert array.__array_namespace__(api_version="2024.12") is xp
    with pytest.raises(ValueError, match="1999.12"):
        array.__array_namespace__(api_version="1999.12")
    info = xp.__array_namespace_info__()
    assert info.capabilities()["boolean indexing"]
    assert info.default_dtypes()["integral"] == xp.int64
    assert set(info.dtypes(kind="complex floating")) == {"complex64", "complex128"}
    assert array.device == info.default_device() and array.device in info.devices()
    assert array.to_device(array.device) is array
    with pytest.raises(ValueError, match=r"shape \(1,\)"):
        array.to_device("elsewhere")
    with pytest.raises(ValueError, match="push a context"):
        xp.zeros(3, device="elsewhere")


def test_matrices_are_transposed_and_multiplied_in_linalg():
    cube = gpuarray.to_gpu(CUBE)
    agree(cube.mT, np.matrix_transpose(CUBE))
    agree(xp.linalg.diagonal(cube, offset=1), np.linalg.diagonal(CUBE, offset=1))
    agree(xp.linalg.trace(cube), np.linalg.trace(CUBE))
    agree(xp.linalg.outer(on_device(ROW), on_device(REAL[0])), np.outer(ROW, REAL[0]))
    agree(xp.linalg.cross(on_device(REAL.T), on_device(POSITIVE.T)), np.linalg.cross(REAL.T, POSITIVE.T))
    square = REAL[:, :3]
    agree(xp.linalg.matrix_power(on_device(square), 5), np.linalg.matrix_power(square, 5))
    agree(xp.linalg.matrix_power(on_device(square), 0), np.linalg.matrix_power(square, 0))
    for order in ("fro", 1, -1, np.inf, -np.inf):
        agree(xp.linalg.matrix_norm(cube, ord=order), np.linalg.matrix_norm(CUBE, ord=order))
    for order in (2, 1, 3, 0, np.inf):
        agree(xp.linalg.vector_norm(cube, axis=1, ord=order), np.linalg.vector_norm(CUBE, axis=1, ord=order))
    with pytest.raises(ValueError, match="two axes"):
        on_device(ROW).mT  # noqa: B018


def test_copies_are_made_as_asked():
    array = xp.asarray([1.0, 2.0])
    assert xp.asarray(array) is array
    assert xp.asarray(array, copy=True) is not array
    with pytest.raises(ValueError, match="without a copy"):
        xp.asarray([1.0], copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        xp.asarray(array, dtype=xp.float32, copy=False)
    with pytest.raises(ValueError, match="without a copy"):
        xp.reshape(xp.reshape(xp.arange(6), (2, 3)).T, (6,), copy=False)
    same = xp.from_dlpack(array)
    same[0] = 7
    assert array[0].item() == 7


def test_array_api_compat_finds_the_namespace():
    compat = pytest.importorskip("array_api_compat", reason="needs array-api-compat")
    array = xp.asarray([1.0, 2.0])
    assert compat.is_array_api_obj(array)
    assert compat.array_namespace(array) is xp
    assert compat.size(array) == 2
    assert compat.device(array) == array.device


PROGRAMS = {
    "scipy": """
        from scipy.special import logsumexp
        host = np.arange(12.0).reshape(3, 4)
        result = logsumexp(gpuarray.to_gpu(host), axis=1)
        assert isinstance(result, gpuarray.GPUArray), type(result)
        np.testing.assert_allclose(result.get(), np.log(np.exp(host).sum(axis=1)), 1e-12)
        from scipy import stats
        for function in (stats.skew, stats.zscore, stats.gmean):
            result = function(gpuarray.to_gpu(host + 1), axis=0)
            assert isinstance(result, gpuarray.GPUArray), type(result)
            np.testing.assert_allclose(result.get(), function(host + 1, axis=0), 1e-12, 1e-12)
        from scipy.integrate import tanhsinh
        result = tanhsinh(lambda x: x * x, gpuarray.to_gpu(np.zeros(2)), gpuarray.to_gpu(np.array([1.0, 2.0]))).integral
        np.testing.assert_allclose(result.get(), [1 / 3, 8 / 3], 1e-12)
        import scipy.fft, scipy.signal
        from scipy.spatial.transform import Rotation
        samples = np.random.default_rng(0).standard_normal((60, 5))
        for function in (
            lambda x: scipy.fft.rfft(x, axis=0),
            lambda x: scipy.signal.fftconvolve(x, x[:7], mode="same"),
            lambda x: scipy.signal.hilbert(x, axis=0),
            lambda x: Rotation.from_rotvec(x[:, :3]).mean().as_quat(),
        ):
            result = function(gpuarray.to_gpu(samples))
            assert isinstance(result, gpuarray.GPUArray), type(result)
            np.testing.assert_allclose(result.get(), function(samples), 1e-10, 1e-10)
    """,
    "sklearn": """
        import sklearn
        from sklearn.metrics import mean_squared_error
        one, other = np.arange(5.0), np.ones(5)
        with sklearn.config_context(array_api_dispatch=True):
            result = mean_squared_error(gpuarray.to_gpu(one), gpuarray.to_gpu(other))
        assert abs(float(result) - np.mean((one - other) ** 2)) < 1e-12, result
        from sklearn.metrics import f1_score, log_loss
        from sklearn.naive_bayes import GaussianNB
        from sklearn.preprocessing import StandardScaler
        rng = np.random.default_rng(0)
        samples, wanted = rng.standard_normal((50, 3)), rng.integers(0, 2, 50)
        for function in (
            lambda x, y: StandardScaler().fit_transform(x),
            lambda x, y: GaussianNB().fit(x, y).predict(x),
            lambda x, y: f1_score(y, y[::-1]),
            lambda x, y: log_loss(y, abs(x[:, 0]) % 1),
        ):
            on_host = function(samples, wanted)
            with sklearn.config_context(array_api_dispatch=True):
                result = function(gpuarray.to_gpu(samples), gpuarray.to_gpu(wanted))
            result = result.get() if isinstance(result, gpuarray.GPUArray) else float(result)
            np.testing.assert_allclose(result, on_host, 1e-10, 1e-12)
    """,
    "sklearn with linalg": """
        import sklearn
        from sklearn.decomposition import PCA
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
        from sklearn.linear_model import Ridge, RidgeCV
        from sklearn.mixture import GaussianMixture
        rng = np.random.default_rng(0)
        samples = rng.standard_normal((60, 5))
        values = samples @ np.arange(5.0) + 0.1 * rng.standard_normal(60)
        for function in (
            lambda x, y: PCA(3, svd_solver="full").fit_transform(x),
            lambda x, y: PCA(3, svd_solver="covariance_eigh").fit_transform(x),
            lambda x, y: Ridge(solver="svd").fit(x, y).predict(x),
            lambda x, y: RidgeCV().fit(x, y).predict(x),
            lambda x, y: LinearDiscriminantAnalysis().fit(x, (y > 0) * 1).predict(x),
            lambda x, y: GaussianMixture(2, random_state=0, init_params="random_from_data").fit(x).predict(x),
        ):
            on_host = function(samples, values)
            with sklearn.config_context(array_api_dispatch=True):
                result = function(gpuarray.to_gpu(samples), gpuarray.to_gpu(values))
            assert isinstance(result, gpuarray.GPUArray), type(result)
            np.testing.assert_allclose(result.get(), on_host, 1e-9, 1e-9)
    """,
}


@pytest.mark.parametrize("package", sorted(PROGRAMS))
def test_functions_of_other_libraries_take_device_arrays(package):
    if importlib.util.find_spec(package.split()[0]) is None:
        pytest.skip(f"needs {package.split()[0]}")
    head = "import numpy as np\nimport pycuda.autoinit\nfrom pycuda import gpuarray\n"
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}  # read when SciPy is imported
    program = head + textwrap.dedent(PROGRAMS[package])
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
