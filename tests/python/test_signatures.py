# SPDX-License-Identifier: MIT
"""`inspect.signature` knows the parameters of what programs call, as the stubs name them."""

import ast
import importlib
import inspect
import pathlib

import pycuda
import pycuda.driver as drv
import pytest

MODULES = "compiler cumath curandom driver elementwise gpuarray reduction scan tools".split()


def public_callables():
    for module in MODULES:
        contents = vars(importlib.import_module(f"pycuda.{module}"))
        for name, value in contents.items():
            if name.startswith("_") or not callable(value) or not getattr(value, "__module__", "").startswith("pycuda"):
                continue
            yield f"{module}.{name}", value
            if inspect.isclass(value):
                for attribute in vars(value):
                    member = getattr(value, attribute)
                    if not attribute.startswith("_") and callable(member) and not inspect.isclass(member):
                        yield f"{module}.{name}.{attribute}", member


def test_every_function_has_a_signature():
    seen, without = 0, []
    for name, value in public_callables():
        if inspect.isclass(value):
            continue
        seen += 1
        try:
            inspect.signature(value)
        except (TypeError, ValueError):
            without.append(name)
    assert seen > 500
    assert without == []


@pytest.mark.parametrize(
    "function, expected",
    [
        (drv.Context.set_limit, "(limit, value)"),
        (drv.Event.record, "(self, stream=None, flags=0)"),
        (drv.Event.time_since, "(self, start)"),
        (drv.Stream, "(flags=0, priority=0)"),
        (drv.memcpy_dtoh_async, "(dest, src, stream=None)"),
        (drv.pagelocked_empty, "(shape, dtype, order='C', mem_flags=0)"),
        (drv.Graph.add_kernel_node, "(self, *args, func, block, grid=(1, 1), shared=0, dependencies=None)"),
        (drv.Memcpy3D.__call__, "(*args, **kwargs)"),
        (drv.Function.launch_grid, "(self, width, height, /)"),
        (drv.DeviceAllocation.as_buffer, "(self, /, size, offset=0)"),
    ],
)
def test_signatures(function, expected):
    signature = inspect.signature(function)
    plain = [parameter.replace(annotation=parameter.empty) for parameter in signature.parameters.values()]
    assert str(inspect.Signature(plain)) == expected


def test_getters_of_properties_have_a_signature():
    getters = [
        value.fget
        for owner in vars(drv).values()
        if inspect.isclass(owner)
        for value in vars(owner).values()
        if isinstance(value, property)
    ]
    nameless = [getter for getter in getters if hasattr(getter, "__nb_signature__")]
    assert len(nameless) > 20
    for getter in nameless:
        assert list(inspect.signature(getter).parameters) == ["self"]


def test_classes_have_the_signature_of_their_init():
    assert str(inspect.signature(drv.Event)).startswith("(flags=0)")

    class OwnStream(drv.Stream):
        def __init__(self, name, flags=0):
            super().__init__(flags)

    class SameStream(drv.Stream):
        pass

    assert list(inspect.signature(OwnStream).parameters) == ["name", "flags"]
    assert list(inspect.signature(SameStream).parameters) == ["flags", "priority"]


def test_bound_methods_lack_self(driver):
    assert list(inspect.signature(drv.Device(0).get_attribute).parameters) == ["attribute"]


def test_annotations_say_something():
    signature = inspect.signature(drv.Stream.is_done)
    assert signature.return_annotation == "bool"
    assert inspect.signature(drv.memcpy_htod).parameters["dest"].annotation is inspect.Parameter.empty


def test_parameters_have_the_names_of_the_stub():
    stub = ast.parse((pathlib.Path(pycuda.__file__).parent / "_driver.pyi").read_text())
    differences, compared = [], 0
    classes = [node for node in stub.body if isinstance(node, ast.ClassDef) and not node.name.startswith("_")]
    for scope in [stub, *classes]:
        owner = drv._driver if scope is stub else getattr(drv._driver, scope.name, None)
        for node in scope.body:
            function = getattr(owner, node.name, None) if isinstance(node, ast.FunctionDef) else None
            if not hasattr(function, "__nb_signature__") or node.decorator_list and node.name.startswith("__"):
                continue
            if any(isinstance(name, ast.Name) and name.id == "overload" for name in node.decorator_list):
                continue
            found = inspect.signature(function).parameters
            if any(parameter.kind is parameter.VAR_KEYWORD for parameter in found.values()):
                continue
            given = node.args
            names = [argument.arg for argument in given.posonlyargs + given.args]
            names += [given.vararg.arg] if given.vararg else []
            names += [argument.arg for argument in given.kwonlyargs]
            compared += 1
            # What only this package calls may have other names.
            if names != list(found) and not node.name.startswith("_"):
                differences.append(
                    f"{getattr(scope, 'name', '')}.{node.name}: {names} in the stub, {list(found)} at run time"
                )
    assert compared > 150
    assert differences == []
