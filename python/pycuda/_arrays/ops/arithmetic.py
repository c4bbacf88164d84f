# SPDX-License-Identifier: MIT
"""PyCUDA's methods of arithmetic besides the operators, which are slots of the arrays' base class."""

from pycuda import _driver, driver

_apply = _driver._array.apply


def mul_add(self, selffac, other, otherfac, add_timer=None, stream=None, out=None):
    """``selffac * self + otherfac * other``.

    `add_timer` is called with the number of elements that are read and written, and a function that waits and
    returns the seconds it took.
    """
    if add_timer is None:
        return _apply("mul_add", (selffac, self, otherfac, other), out, None, stream)
    start, end = driver.Event(), driver.Event()
    start.record(stream)
    result = _apply("mul_add", (selffac, self, otherfac, other), out, None, stream)
    end.record(stream)

    def seconds():
        end.synchronize()
        return end.time_since(start) * 1e-3

    add_timer(3 * self.size, seconds)
    return result


def axpbyz(self, selffac, other, otherfac, out, add_timer=None, stream=None):
    return self.mul_add(selffac, other, otherfac, add_timer, stream, out)


def axpbz(self, selffac, other, out, stream=None):
    """``out = selffac * self + other``."""
    return _apply("mul_add", (selffac, self, 1, other), out, None, stream)


def elwise_multiply(self, other, out, stream=None):
    return _apply("multiply", (self, other), out, None, stream)


def rdiv_scalar(self, other, out, stream=None):
    return _apply("true_divide", (other, self), out, None, stream)


def div(self, other, out, stream=None):
    return _apply("true_divide", (self, other), out, None, stream)


def power(self, other, new):
    """``self ** other``, in a new array or in place."""
    if new:
        return self**other
    self **= other
    return self
