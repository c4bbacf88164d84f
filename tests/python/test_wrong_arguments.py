# SPDX-License-Identifier: MIT
"""What functions of the extension say about arguments that they do not take, and unknown names of modules."""

import inspect

import numpy as np
import pytest
from pycuda import _driver, gpuarray
from pycuda._wrong_arguments import message
from pycuda.compiler import SourceModule

CLASSES = [
    thing
    for name, thing in sorted(vars(_driver).items())
    if not name.startswith("_") and inspect.isclass(thing) and not issubclass(thing, (BaseException, int))
]
FUNCTIONS = [thing for name, thing in vars(_driver).items() if not name.startswith("_") and inspect.isroutine(thing)]


def complaint(call, *args, **kwargs):
    with pytest.raises((TypeError, ValueError)) as raised:
        call(*args, **kwargs)
    return str(raised.value)


def check(call):
    # Twenty arguments, and a keyword of no function: neither call does anything.
    for said in (complaint(call, *[object()] * 20), complaint(call, nonsense=1)):
        assert "incompatible function arguments" not in said and "Invoked with" not in said, said
        assert "\n" not in said and len(said) < 300, said


@pytest.mark.parametrize("made", CLASSES, ids=lambda made: made.__name__)
def test_classes_and_their_methods_refuse_in_one_line(made, context):
    check(made)
    for name in vars(made):
        method = getattr(made, name)
        if not name.startswith("_") and callable(method) and not isinstance(method, type):
            check(method)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_refuse_in_one_line(function, context):
    check(function)


@pytest.mark.parametrize(
    "call, said",
    [
        (
            lambda d: d.Stream().wait_for_event(d.Stream()),
            "Stream.wait_for_event(): event must be an Event, not Stream",
        ),
        (
            lambda d: d.Stream().wait_for_event(),
            "Stream.wait_for_event() is missing the argument 'event': call Stream.wait_for_event(event)",
        ),
        (lambda d: d.Array(3), "Array() takes no such arguments (int): call Array(descriptor)"),
        (
            lambda d: d.MipmappedArray(d.Event(), levels="all"),
            "MipmappedArray() takes no such arguments (Event, levels: str): "
            "call MipmappedArray(descriptor, levels=None)",
        ),
        (lambda d: d.Event().time_till(None), "Event.time_till(): end must be an Event, not None"),
        (lambda d: d.memcpy_htod(1), "memcpy_htod() is missing the argument 'src': call memcpy_htod(dest, src)"),
        (
            lambda d: d.Graph().instantiate(1, 2),
            "Graph.instantiate() takes at most 1 argument, but 2 were given: call Graph.instantiate(flags=0)",
        ),
        (
            lambda d: d.Graph().add_empty_node(dependecies=None),
            "Graph.add_empty_node() has no parameter 'dependecies'; did you mean 'dependencies'?",
        ),
        (lambda d: d.Graph(5), "Graph() takes no arguments, but 1 was given: call Graph()"),
        (lambda d: d.Context.push(5), "push() is a method: call it on an object of its class, not on an int"),
        (lambda d: d.Stream.synchronize(), "synchronize() is a method: call it on an object of its class"),
        (
            lambda d: d.Module("a.cubin"),
            "a Module is not made by its class: it is made by pycuda.compiler.SourceModule",
        ),
        (lambda d: d.to_device(None), "memcpy_htod(): src must not be None"),
        (lambda d: d.memcpy_dtoh(None, d.mem_alloc(8)), "memcpy_dtoh(): dest must not be None"),
        (
            lambda d: d.memcpy_dtoh(d.mem_alloc(8), np.zeros(2, np.float32)),
            "needed, not device memory: memcpy_htod(dest",
        ),
    ],
)
def test_the_message_names_the_argument_and_what_it_must_be(call, said, driver, context):
    assert said in complaint(call, driver)


def test_a_text_that_is_not_understood_stays():
    text = "f(): incompatible function arguments. The following argument types are supported:\n"
    text += "    1. f(<odd>) -> None\n\nInvoked with types: int"
    assert message(text) == text
    assert message("another text") == "another text"


@pytest.fixture
def module(context):
    return SourceModule(
        """
        texture<float, 2, cudaReadModeElementType> picture;
        surface<void, 2> canvas;
        __constant__ float table[4];
        __device__ int counter;
        namespace space { __device__ float weights[3]; }
        __global__ void k(float *a)
        {
          static __device__ int calls;
          a[0] = table[0] + ++counter + ++calls + space::weights[1] + tex2D(picture, 1.f, 2.f);
          surf2Dwrite(a[0], canvas, 0, 0);
          printf("%f", a[0]);
        }
        """
    )


def test_an_unknown_variable_is_answered_with_those_there_are(module, driver):
    with pytest.raises(driver.LogicError) as raised:
        module.get_global("tabel")
    said = str(raised.value)
    assert "no variable 'tabel': the module has " in said and said.endswith("did you mean 'table'?")
    assert "'counter'" in said and "'weights'" in said
    assert "calls" not in said and "$" not in said


def test_variables_have_their_names_of_cplusplus(context, driver):
    source = (
        "namespace space { __device__ float weights[3]; } __global__ void k(float *a) { a[0] = space::weights[1]; }"
    )
    module = SourceModule(source.replace("__global__", 'extern "C" __global__'), no_extern_c=True)
    assert module.get_global("space::weights")[1] == 12
    with pytest.raises(driver.LogicError, match="no variable 'weight': the module has 'space::weights'"):
        module.get_global("weight")


def test_unknown_references_are_answered_with_those_there_are(module, driver):
    with pytest.raises(driver.LogicError, match="no texture reference 'canvas': the module has 'picture'$"):
        module.get_texref("canvas")
    with pytest.raises(driver.LogicError, match="no surface reference 'picture': the module has 'canvas'$"):
        module.get_surfref("picture")
    plain = SourceModule("__global__ void k() {}")
    with pytest.raises(driver.LogicError, match="no texture reference 'picture': the module has no texture references"):
        plain.get_texref("picture")


def test_other_ways_to_launch_are_answered_with_ours(driver, context):
    kernel = SourceModule("__global__ void k(float *a) { a[0] = 1; }").get_function("k")
    a = gpuarray.zeros(8, np.float32)
    assert "func(a, block=(256, 1, 1), grid=(8, 1))" in complaint(lambda: kernel[1, 8](a))
    assert "block=(256, 1, 1)" in complaint(kernel.report) and "block=(256, 1, 1)" in complaint(kernel.report, a)


def test_a_device_that_is_not_there_is_named(driver):
    with pytest.raises(driver.LogicError, match="has the PCI bus id 'gpu0'; Device\\(0\\) is the first device"):
        driver.Device("gpu0")
