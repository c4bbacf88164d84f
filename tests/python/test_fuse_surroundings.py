# SPDX-License-Identifier: MIT
"""Variables outside of a function that `pycuda.fuse` has made one kernel of."""

import functools
import sys
import weakref

import numpy as np
import pycuda
import pytest
from test_fuse import on_device, same_bits

pytestmark = pytest.mark.usefixtures("context")


SCALE = 2.0


def doubled(a):
    return a * SCALE


def test_variables_outside_of_the_function(context, monkeypatch):
    a, shift = on_device(20), 1.0

    def moved(a):
        return doubled(a) + shift

    fused = pycuda.fuse(moved)
    same_bits(fused(a), a * 2.0 + 1.0)
    shift = 5.0
    same_bits(fused(a), a * 2.0 + 5.0)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    same_bits(fused(a), a * 3.0 + 5.0)


def outer(a):
    return doubled(a) + 1


def applied(a, function):
    return function(a)


class Model:
    scale = 1.0

    def step(self, a):
        return a * SCALE

    def __call__(self, a):
        return a


FUNCTIONS = {
    "argument": lambda a: applied_fused(a, doubled),
    "partial": pycuda.fuse(functools.partial(applied, function=doubled)),
    "method": pycuda.fuse(Model().step),
    "default": pycuda.fuse(lambda a, function=doubled: function(a)),
    "nested": pycuda.fuse(outer),
    "fused": pycuda.fuse(lambda a: doubled_fused(a)),
    "module": pycuda.fuse(lambda a: THIS.doubled(a)),
}
applied_fused, doubled_fused = pycuda.fuse(applied), pycuda.fuse(doubled)
THIS = sys.modules[__name__]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_variables_of_other_functions(context, name, monkeypatch):
    a = on_device(20)
    for scale in (2.0, 3.0):
        monkeypatch.setitem(globals(), "SCALE", scale)
        same_bits(FUNCTIONS[name](a), a * scale + 1 if name == "nested" else a * scale)


def test_variables_outside_are_not_kept_alive(context, monkeypatch):
    array = np.zeros(5)
    alive = weakref.ref(array)
    monkeypatch.setitem(globals(), "SCALE", array)
    pycuda.fuse(lambda a, size: a * SCALE.size * size)(on_device(20), 1)
    monkeypatch.undo()
    del array
    assert alive() is None
