# SPDX-License-Identifier: MIT
"""What `inspect.signature` answers for functions and methods of the extension.

The extension describes each function by a line of Python, such as `def record(self, stream: object = \\0)`, where
`\\0` stands for the first of its default values.
"""

import ast
import inspect
import re

_UNKNOWN = inspect.Signature(
    [
        inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
        inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
    ]
)


def _annotation(node, missing):
    text = missing if node is None else ast.unparse(node)
    # What takes any object says nothing by it.
    return missing if text in ("object", "object | None") else text


def _parameters(arguments, defaults):
    def parameter(argument, kind, default=None):
        value = inspect.Parameter.empty if default is None else defaults[int(default.id[1:])]
        return inspect.Parameter(
            argument.arg, kind, default=value, annotation=_annotation(argument.annotation, inspect.Parameter.empty)
        )

    kinds = [inspect.Parameter.POSITIONAL_ONLY] * len(arguments.posonlyargs)
    kinds += [inspect.Parameter.POSITIONAL_OR_KEYWORD] * len(arguments.args)
    positional = arguments.posonlyargs + arguments.args
    without = len(positional) - len(arguments.defaults)
    for i, (argument, kind) in enumerate(zip(positional, kinds)):
        yield parameter(argument, kind, arguments.defaults[i - without] if i >= without else None)
    if arguments.vararg:
        yield parameter(arguments.vararg, inspect.Parameter.VAR_POSITIONAL)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        yield parameter(argument, inspect.Parameter.KEYWORD_ONLY, default)
    if arguments.kwarg:
        yield parameter(arguments.kwarg, inspect.Parameter.VAR_KEYWORD)


def _of_overload(text, defaults):
    text = re.sub(r"\\(\d+)", r"_\1", text)
    # The getter of a property has no name of its own.
    definition = ast.parse(re.sub(r"^def \(", "def _(", text) + ": ...").body[0]
    return inspect.Signature(
        list(_parameters(definition.args, defaults)),
        return_annotation=_annotation(definition.returns, inspect.Signature.empty),
    )


def of_function(function):
    """The `inspect.Signature` of a function of the extension; `(*args, **kwargs)` where its overloads disagree."""
    overloads = [_of_overload(text, defaults) for text, _, defaults in function.__nb_signature__]
    if any(list(overload.parameters) != list(overloads[0].parameters) for overload in overloads):
        return _UNKNOWN
    return overloads[0]


def of_bound_method(function):
    """The same for a method of an object, without `self`."""
    whole = of_function(function)
    if whole is _UNKNOWN:
        return whole
    return whole.replace(parameters=list(whole.parameters.values())[1:])
