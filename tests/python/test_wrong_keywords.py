# SPDX-License-Identifier: MIT
"""Constructors and preparations that are given keywords and types that they do not take."""

import inspect

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import curandom
from pycuda._wrong_keywords import refuse_keywords
from pycuda.compiler import DynamicModule, DynamicSourceModule, SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

SCALE = "__global__ void scale(float *a, float f, int n) { if (threadIdx.x < n) a[threadIdx.x] *= f; }"

KEYWORDS = {
    "seed": (lambda: curandom.XORWOWRandomNumberGenerator(seed=3), "did you mean 'seed_getter'"),
    "seed_geter": (lambda: curandom.MRG32k3aRandomNumberGenerator(seed_geter=None), "did you mean 'seed_getter'"),
    "vector": (lambda: curandom.Sobol32RandomNumberGenerator(vector=3), "did you mean 'dir_vector'"),
    "option": (lambda: SourceModule(SCALE, option=["-O3"]), "did you mean 'options'"),
    "linkoptions": (lambda: DynamicModule(linkoptions=[]), "did you mean 'link_options'"),
    "include": (lambda: DynamicSourceModule(SCALE, include=[]), "did you mean 'include_dirs'"),
    "preambel": (lambda: ElementwiseKernel("float *a", "a[i] = 1", preambel=""), "did you mean 'preamble'"),
    "nam": (lambda: ElementwiseKernel("float *a", "a[i] = 1", nam="k"), "did you mean 'name'"),
    "stream": (
        lambda: ElementwiseKernel("float *a", "a[i] = 1", stream=None),
        "it takes arguments, operation, name, keep, options, preamble, loop_prep, after_loop",
    ),
    "reduce": (lambda: ReductionKernel(np.float32, "0", reduce="a+b"), "did you mean 'reduce_expr'"),
    "map": (lambda: ReductionKernel(np.float32, "0", "a+b", map="x[i]"), "did you mean 'map_expr'"),
    "scan": (lambda: InclusiveScanKernel(np.float32, scan="a+b"), "did you mean 'scan_expr'"),
    "initial": (lambda: ExclusiveScanKernel(np.float32, "a+b", initial=0), "it takes dtype, scan_expr, neutral"),
}


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_an_unknown_keyword_is_answered_with_the_one_that_was_meant(keyword):
    call, words = KEYWORDS[keyword]
    with pytest.raises(TypeError, match=rf"^[A-Z]\w+\(\) has no parameter '{keyword}'; {words}"):
        call()


class Seeded(curandom.XORWOWRandomNumberGenerator):
    def __init__(self, seed):
        self.seed = seed
        super().__init__(seed_getter=curandom.seed_getter_uniform)


class Plain(ReductionKernel):
    """A subclass that starts as its base does."""


def test_classes_of_programs_have_keywords_of_their_own():
    assert Seeded(seed=3).seed == 3
    with pytest.raises(TypeError, match=r"^Plain\(\) has no parameter 'map'"):
        Plain(np.float32, "0", "a+b", map="x[i]")


@pytest.mark.parametrize("cls", [SourceModule, DynamicModule, ReductionKernel, curandom.XORWOWRandomNumberGenerator])
def test_signatures_stay(cls):
    names = list(inspect.signature(cls).parameters)
    assert names == [name for name in inspect.signature(cls.__init__).parameters if name != "self"]


def test_keywords_that_are_known_pass():
    refuse_keywords("f", {"a": 1}, ("a", "b"))
    with pytest.raises(TypeError, match=r"^f\(\) has no parameter 'c'; it takes a, b$"):
        refuse_keywords("f", {"a": 1, "c": 2}, ("a", "b"))


def test_a_node_of_a_graph_has_no_such_parameter():
    node = cuda.Graph().add_kernel_node(np.intp(0), np.float32(1), np.int32(0), func=scale(), block=(1, 1, 1))
    with pytest.raises(TypeError, match=r"of a KERNEL node has no parameter 'blok'; did you mean 'block'"):
        node.set_params(blok=(2, 1, 1))


def scale():
    return SourceModule(SCALE).get_function("scale")


PREPARATIONS = {
    "a number": (5, "arg_types must be codes, such as .* not int"),
    "nothing": (None, "arg_types must be codes, such as .* not NoneType"),
    "an object": ([object()], "stand for 1 value of 8 bytes; <object .*>, neither a code .* taken for a pointer"),
    "classes of Python": (["P", float, int], "<class 'float'>, <class 'int'>, neither a code nor a NumPy dtype"),
    "another order": ((np.float32, np.int32, "P"), "8, 4 and 4 bytes, but the codes 'fiP' stand for 3 values of 4"),
    "two pointers": ([float, int], "but the codes 'PP' stand for 2 values of 8 and 8 bytes"),
}


@pytest.mark.parametrize("mistake", PREPARATIONS)
def test_types_that_a_kernel_has_not(mistake):
    codes, words = PREPARATIONS[mistake]
    with pytest.raises(TypeError, match=words):
        scale().prepare(codes)


def test_structs_may_be_given_by_their_fields():
    source = "struct S { float x; float y; }; __global__ void k(S s, int *a) { *a = s.x + s.y; }"
    kernel = SourceModule(source).get_function("k")
    result = cuda.managed_zeros(1, np.int32, mem_flags=cuda.mem_attach_flags.GLOBAL)
    for codes in ("ffP", [np.float32, np.float32, "P"]):
        kernel.prepare(codes).prepared_call((1, 1), (1, 1, 1), 1, 2, result.base.get_device_pointer())
        cuda.Context.synchronize()
        assert result[0] == 3
    kernel.prepare("16s").prepared_call(
        (1, 1), (1, 1, 1), np.float32([3, 4]).tobytes() + np.uint64(result.base.get_device_pointer()).tobytes()
    )
    cuda.Context.synchronize()
    assert result[0] == 7


def test_arguments_of_prepared_calls_in_the_wrong_places():
    kernel = scale()
    with pytest.raises(TypeError, match=r"the block is an argument of prepared_call\(grid, block, \.\.\.\)"):
        kernel.prepare("Pfi", [], (1, 1, 1))
    with pytest.raises(TypeError, match="has no parameter 'textures': it takes arg_types, texrefs"):
        kernel.prepare("Pfi", textures=[])
    kernel.prepare("Pfi")
    with pytest.raises(TypeError, match=r"takes the stream after the block: prepared_async_call\(grid, block, stream"):
        kernel.prepared_async_call((1, 1), (1, 1, 1), cuda.mem_alloc(4), 1, 0)
