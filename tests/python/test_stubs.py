# SPDX-License-Identifier: MIT
"""The extension's stub names what the extension has, and nothing else."""

import ast
import pathlib

import pycuda
import pycuda._driver as extension

PACKAGE = pathlib.Path(pycuda.__file__).parent


def _definitions(body):
    names = set()
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            names.add(node.target.id)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets)
    return names


def _stub():
    return ast.parse((PACKAGE / "_driver.pyi").read_text())


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").exists()


def test_every_public_name_of_the_extension_has_a_type():
    public = {name for name in dir(extension) if not name.startswith("_")}
    assert public - _definitions(_stub().body) == set()


def test_the_stub_makes_nothing_up():
    stubs_only = {name for name in _definitions(_stub().body) if name.startswith("_")}
    for name in _definitions(_stub().body) - stubs_only:
        assert hasattr(extension, name), name


def _device_attributes():
    """A device has them as attributes, which its class does not list."""
    return {name.lower() for name in extension.device_attribute.names}


def test_every_attribute_of_a_device_has_a_type():
    device = next(node for node in _stub().body if isinstance(node, ast.ClassDef) and node.name == "Device")
    assert _device_attributes() <= _definitions(device.body)
    assert "__getattr__" not in _definitions(device.body)  # it would give a misspelt name a type


def test_members_of_classes_agree():
    classes = {node.name: node for node in _stub().body if isinstance(node, ast.ClassDef)}
    for name, node in classes.items():
        real = getattr(extension, name, None)
        if name.startswith("_") or issubclass(real, Exception):
            continue
        for member in _definitions(node.body):
            is_attribute = name == "Device" and member in _device_attributes()
            assert hasattr(real, member) or is_attribute, f"{name}.{member}"
        written = set(_definitions(node.body))
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes:
                written |= _definitions(classes[base.id].body)
                for further in classes[base.id].bases:
                    if isinstance(further, ast.Name) and further.id in classes:
                        written |= _definitions(classes[further.id].body)
        public = {member for member in vars(real) if not member.startswith("_") and member.isidentifier()}
        assert public - written == set(), name
