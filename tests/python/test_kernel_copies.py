# SPDX-License-Identifier: MIT
"""Kernels made from expressions are pickled and copied by what they were made of."""

import copy
import pickle

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")


def reduction(kind=ReductionKernel):
    return kind(np.float32, neutral="0", reduce_expr="a+b", map_expr="s * x[i]", arguments="float *x, float s")


COPIED = {"pickle": lambda thing: pickle.loads(pickle.dumps(thing)), "copy": copy.copy, "deepcopy": copy.deepcopy}


@pytest.mark.parametrize("copied", COPIED.values(), ids=list(COPIED))
def test_a_copy_computes_the_same(copied):
    ones, numbers = gpuarray.ones(10, np.float32), gpuarray.arange(4, dtype=np.int32)
    assert float(copied(reduction())(ones, 2.0)) == 20
    assert copied(InclusiveScanKernel(np.int32, "a+b"))(numbers.copy()).get().tolist() == [0, 1, 3, 6]
    assert copied(ExclusiveScanKernel(np.int32, "a+b", 0))(numbers.copy()).get().tolist() == [0, 0, 1, 3]
    copied(ElementwiseKernel("float *x, float s", "x[i] = s"))(ones, 3.0)
    assert (ones.get() == 3).all()


class Subclass(ReductionKernel):
    pass


def test_what_a_subclass_adds_is_not_lost():
    with pytest.raises(TypeError, match="cannot pickle or copy Subclass: only a plain ReductionKernel"):
        copy.deepcopy(reduction(Subclass))
