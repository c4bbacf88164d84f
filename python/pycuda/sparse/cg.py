# SPDX-License-Identifier: MIT
"""Linear systems with positive definite matrices, by the method of conjugate gradients.

The numbers that steer an iteration stay on the device; the host looks at the residual when it has come.
"""

import numpy as np

import pycuda.driver as driver
from pycuda import gpuarray
from pycuda._arrays.ops.creation import packed
from pycuda.elementwise import get_elwise_kernel
from pycuda.sparse.coordinate import check_vector
from pycuda.sparse.inner import AsyncInnerProduct, inner_product
from pycuda.sparse.operator import IdentityOperator
from pycuda.tools import dtype_to_ctype


class ConvergenceError(RuntimeError):
    """The residual has not become small enough."""


def _check_arrays(**arrays):
    for name, array in arrays.items():
        if not isinstance(array, gpuarray.GPUArray):
            raise TypeError(f"{name} must be a GPUArray, not {type(array).__name__}")


def _dense(array):
    """`array`, or a copy of it whose elements lie in the order of the index."""
    gpuarray._array.check_context(array)
    return packed(array, array.dtype)


class CGStateContainer:
    """What the iterations change.

    Parameters
    ----------
    operator : callable
        With `dtype` and `shape`: gives its product with a vector.
    precon : callable, optional
        An approximate inverse.
    pagelocked_allocator : callable, optional
        ``(shape, dtype)`` gives page-locked memory.
    """

    def __init__(self, operator, precon=None, pagelocked_allocator=None):
        self.operator = operator
        self.precon = IdentityOperator(operator.dtype, operator.shape[0]) if precon is None else precon
        self.pagelocked_allocator = driver.pagelocked_empty if pagelocked_allocator is None else pagelocked_allocator
        self._kernels = {}

    def _kernel(self, key, make):
        if key not in self._kernels:
            self._kernels[key] = make()
        return self._kernels[key]

    def make_lc2_kernel(self, dtype, a_is_gpu, b_is_gpu):
        """The kernel of ``out = a * x + b * y``; factors are numbers or device arrays of one element."""
        c_type = dtype_to_ctype(dtype)

        def factor(name, is_gpu):
            return (f"{c_type} *{name}", f"{name}[0]") if is_gpu else (f"{c_type} {name}", name)

        (a, a_value), (b, b_value) = factor("a", a_is_gpu), factor("b", b_is_gpu)
        return get_elwise_kernel(
            f"{a}, {c_type} *x, {b}, {c_type} *y, {c_type} *z", f"z[i] = {a_value} * x[i] + {b_value} * y[i]", "lc2"
        )

    def lc2(self, a, x, b, y, out=None):
        """``a * x + b * y``."""
        _check_arrays(x=x, y=y)
        if out is None:
            out = gpuarray.GPUArray(x.shape, x.dtype, x.allocator)
        _check_arrays(out=out)
        if not x.shape == y.shape == out.shape or not x.dtype == y.dtype == out.dtype:
            raise ValueError(
                f"x, y and out have shapes {x.shape}, {y.shape}, {out.shape} and dtypes "
                f"{x.dtype}, {y.dtype}, {out.dtype}"
            )
        a, b = (self._factor(name, factor, x.dtype) for name, factor in (("a", a), ("b", b)))
        if not out.size:
            return out
        a_is_gpu, b_is_gpu = isinstance(a, gpuarray.GPUArray), isinstance(b, gpuarray.GPUArray)
        key = x.dtype, a_is_gpu, b_is_gpu
        kernel = self._kernel(key, lambda: self.make_lc2_kernel(*key))
        x, y, result = _dense(x), _dense(y), _dense(out)
        kernel.prepared_call(
            result._grid,
            result._block,
            a.gpudata if a_is_gpu else a,
            x.gpudata,
            b.gpudata if b_is_gpu else b,
            y.gpudata,
            result.gpudata,
            result.size,
        )
        if result is not out:
            gpuarray._array.copy(out, result, None)
        return out

    @staticmethod
    def _factor(name, factor, dtype):
        if not isinstance(factor, gpuarray.GPUArray):
            return dtype.type(factor)
        gpuarray._array.check_context(factor)
        if factor.size != 1 or factor.dtype != dtype:
            raise ValueError(
                f"{name} must be one element of dtype {dtype}, not of shape {factor.shape} and dtype {factor.dtype}"
            )
        return factor

    def guarded_div_kernel(self, dtype_x, dtype_y, dtype_z):
        """The kernel of a quotient that is 0 where the divisor is 0."""
        x, y, z = (dtype_to_ctype(dtype) for dtype in (dtype_x, dtype_y, dtype_z))
        return get_elwise_kernel(
            f"{x} *x, {y} *y, {z} *z", f"z[i] = y[i] == {y}(0) ? {z}(0) : {z}(x[i] / y[i])", "guarded_divide"
        )

    def guarded_div(self, a, b):
        """``a / b``, or 0 where `b` is 0."""
        _check_arrays(a=a, b=b)
        if a.shape != b.shape:
            raise ValueError(f"a and b have shapes {a.shape} and {b.shape}")
        dtype = np.result_type(a.dtype, b.dtype)
        a, b = (_dense(array.astype(dtype, copy=False)) for array in (a, b))
        result = gpuarray.GPUArray(a.shape, dtype, a.allocator)
        if not result.size:
            return result
        kernel = self._kernel(("divide", dtype), lambda: self.guarded_div_kernel(dtype, dtype, dtype))
        kernel.prepared_call(a._grid, a._block, a.gpudata, b.gpudata, result.gpudata, a.size)
        return result

    def reset(self, rhs, x=None):
        """Begin with a right side, and a first guess; gives the square of the preconditioned residual."""
        self.rhs = rhs
        self.x = gpuarray.zeros_like(rhs) if x is None else x
        self.residual = rhs - self.operator(self.x)
        self.d = self.precon(self.residual).copy()
        self.delta = inner_product(self.residual, self.d)
        self.real_delta_queue = []
        return self.delta

    def one_iteration(self, compute_real_residual=False):
        """One step; with the option, the residual is recomputed from the solution."""
        q = self.operator(self.d)
        alpha = self.guarded_div(self.delta, inner_product(self.d, q))
        self.x = self.lc2(1, self.x, alpha, self.d)
        if compute_real_residual:
            self.residual = self.lc2(1, self.rhs, -1, self.operator(self.x))
        else:
            self.residual = self.lc2(1, self.residual, -alpha, q)
        s = self.precon(self.residual)
        before = self.delta
        delta = AsyncInnerProduct(self.residual, s, self.pagelocked_allocator)
        self.delta = delta.gpu_result
        self.d = self.lc2(1, s, self.guarded_div(self.delta, before), self.d)
        if compute_real_residual:
            self.real_delta_queue.append(delta)

    def run(self, max_iterations=None, tol=1e-7, debug_callback=None):
        """Iterate until the residual is `tol` times that of the beginning.

        Parameters
        ----------
        max_iterations : int, optional
            By default ten times the number of unknowns, at least 10.
        tol : float
        debug_callback : callable, optional
            ``(what, iterations, x, residual, d, delta)``, once an iteration; what is "it", "residual-computed"
            or "end".

        Returns
        -------
        GPUArray

        Raises
        ------
        ConvergenceError
        """
        if max_iterations is None:
            max_iterations = max(10 * self.operator.shape[0], 10)
        first = abs(self.delta.get()[()])
        goal = tol * tol * first
        every = 10
        self.residual_evaluations = 0
        callback = debug_callback or (lambda *arguments: None)
        if first == 0:
            self.iterations = 0
            if self.residual.any().get():
                raise ConvergenceError(
                    "cg failed to converge: the preconditioned residual's square is 0, though the residual is not"
                )
            return self.x
        for iteration in range(max_iterations):
            self.iterations = iteration
            compute = iteration % every == 0
            self.one_iteration(compute_real_residual=compute)
            self.residual_evaluations += compute
            state = self.x, self.residual, self.d, self.delta
            callback("residual-computed" if compute else "it", iteration, *state)
            # Those that have come are looked at; the others do not hold the iterations up.
            while self.real_delta_queue:
                value = self.real_delta_queue[0].get_host_result()
                if value is None:
                    break
                self.real_delta_queue.pop(0)
                if abs(value) <= goal:
                    # The solution has gone on since: it is as good, or is checked again.
                    if self._real_delta() <= goal:
                        self.iterations = iteration + 1
                        callback("end", iteration, *state)
                        return self.x
        self.iterations = max_iterations
        last = self._real_delta()
        if last <= goal:
            return self.x
        raise ConvergenceError(
            f"cg failed to converge: after {self.iterations} iterations the residual's square is {last}, "
            f"the aim was {goal}"
        )

    def _real_delta(self):
        self.residual_evaluations += 1
        residual = self.rhs - self.operator(self.x)
        return abs(inner_product(residual, self.precon(residual)).get()[()])


def solve_pkt_with_cg(
    pkt_spmv, b, precon=None, x=None, tol=1e-7, max_iterations=None, debug=False, pagelocked_allocator=None
):
    """The solution of a system with a `PacketedSpMV`.

    Returns
    -------
    (GPUArray, int, int)
        The solution, in the order of `b`; iterations; how often the residual was recomputed.

    Raises
    ------
    ConvergenceError
        "cg failed to converge"
    """
    check_vector("b", b, pkt_spmv.shape[0], pkt_spmv.dtype)
    if x is not None:
        check_vector("x", x, pkt_spmv.shape[0], pkt_spmv.dtype)
        x = pkt_spmv.permute(x)

    def tell(what, iteration, x, residual, d, delta):
        print(f"{what} {iteration}: squared residual {delta.get()}")

    state = CGStateContainer(pkt_spmv, precon, pagelocked_allocator)
    state.reset(pkt_spmv.permute(b), x)
    solution = state.run(max_iterations, tol, tell if debug else None)
    return pkt_spmv.unpermute(solution), state.iterations, state.residual_evaluations
