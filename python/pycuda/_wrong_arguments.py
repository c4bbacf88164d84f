# SPDX-License-Identifier: MIT
"""What a function of the extension says about arguments that it does not take.

The extension's own text lists signatures and the types of the arguments, on five lines or more. `message` makes one
sentence of it, which names the argument, what it must be and what it is.
"""

import ast
import difflib
import re

# nanobind's text: the function's name, a signature for each form, the types of the arguments.
_TEXT = re.compile(
    r"(?P<name>\w*)\(\): incompatible function arguments\. The following argument types are supported:\n"
    r"(?P<forms>.*)\n\nInvoked with types: ?(?P<given>.*)\Z",
    re.DOTALL,
)
_LONGEST_FORM = 160
_KEYWORDS = re.compile(r"(?:, |^)kwargs = \{ (.*) \}\Z", re.DOTALL)
_WORDS = {
    "str": "a string",
    "int": "an integer",
    "bool": "a boolean",
    "float": "a number",
    "bytes": "bytes",
    "tuple": "a tuple",
    "list": "a list",
    "dict": "a dictionary",
    "None": "None",
}


# What makes objects of the classes without a constructor.
_MADE_BY = {
    "Context": "Device.make_context(), or by import pycuda.autoinit",
    "Module": "pycuda.compiler.SourceModule, module_from_file() or module_from_buffer()",
    "GraphNode": "the add_ methods of Graph",
    "GraphBody": "the if_, while_ and switch methods of Graph",
    "GraphCondition": "Graph.condition()",
    "GraphExec": "Graph.instantiate()",
    "PagelockedHostAllocation": "pagelocked_empty()",
    "AlignedHostAllocation": "aligned_empty()",
    "RegisteredHostMemory": "register_host_memory()",
    "PooledDeviceAllocation": "DeviceMemoryPool.allocate()",
    "PooledHostAllocation": "PageLockedMemoryPool.allocate()",
    "ReservedAddresses": "mem_reserve()",
    "SMResource": "SMResource.of_device() and its split()",
    "ExternalBuffer": "ExternalMemory.map()",
    "RegisteredMapping": "the map() of RegisteredBuffer and RegisteredImage",
    "BufferObjectMapping": "BufferObject.map()",
    "StreamCapture": "Stream.capture() or Graph.capture()",
    "StreamOrderedAllocation": "StreamOrderedMemoryPool.allocate()",
    "SurfaceReference": "Module.get_surfref()",
    "TensorMap": "TensorMap.tiled() or TensorMap.im2col()",
}


def _last_name(dotted):
    return "None" if dotted == "NoneType" else re.sub(r"[\w.]*\.", "", dotted)


def _with_article(name):
    return f"{'an' if name[:1] in 'AEIOUaeiou' else 'a'} {name}"


def _in_words(annotation):
    alternatives = [_last_name(part.strip()) for part in annotation.split("|")]
    words = [_WORDS.get(name) or _with_article(name) for name in alternatives]
    return " or ".join(words)


def _accepts(annotation, given):
    """Whether a parameter may take the type, as far as their names tell."""
    if annotation in ("", "object", "object | None"):
        return True
    alternatives = [_last_name(part.strip()) for part in annotation.split("|")]
    accepted = {"float": {"float", "int"}, "int": {"int", "bool"}}
    return any(_last_name(given) in accepted.get(name, {name}) for name in alternatives)


def _may_be_none(annotation):
    return annotation is not None and "None" in ast.unparse(annotation).split(" | ")


def _parameters(form):
    """A form's parameters as ast.arguments, without `self`; and whether there was one."""
    arguments = ast.parse(f"def {re.sub(r'^ *[0-9]+[.] ', '', form)}: ...").body[0].args
    positional = arguments.posonlyargs + arguments.args
    has_self = bool(positional) and positional[0].arg == "self"
    if has_self:
        del (arguments.posonlyargs or arguments.args)[0]
    return arguments, has_self


def _as_called(name, arguments):
    """The form as a user types it, with its defaults but without types."""
    every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs
    for argument in [*every, *filter(None, (arguments.vararg, arguments.kwarg))]:
        argument.annotation = None
    # A slash says something about C++ alone.
    arguments.args, arguments.posonlyargs = arguments.posonlyargs + arguments.args, []
    form = f"{name}({ast.unparse(arguments).replace('pycuda._driver.', '')})"
    if len(form) <= _LONGEST_FORM:
        return form
    needed = arguments.args[: len(arguments.args) - len(arguments.defaults)]
    return f"{name}({', '.join(argument.arg for argument in needed)}, ...)"


def _counted(number, word):
    return f"{number or 'no'} {word}{'' if number == 1 else 's'}"


def _misfit(arguments, positional, keywords):
    """What is wrong with a call of one form, and whether the form itself should be shown."""
    parameters = arguments.posonlyargs + arguments.args
    names = [parameter.arg for parameter in parameters]
    if len(positional) > len(names) and not arguments.vararg:
        was = "was" if len(positional) == 1 else "were"
        most = "at most " if arguments.defaults else ""
        return f"takes {most}{_counted(len(names), 'argument')}, but {len(positional)} {was} given", True
    by_name = names + [parameter.arg for parameter in arguments.kwonlyargs]
    for name in keywords if not arguments.kwarg else ():
        if name not in by_name:
            close = difflib.get_close_matches(name, by_name, 1)
            if close:
                return f"has no parameter '{name}'; did you mean '{close[0]}'?", False
            return f"has no parameter '{name}'", True
        if name in names[: len(positional)]:
            return f"got the argument '{name}' twice", True
    needed = names[len(positional) : len(names) - len(arguments.defaults)]
    needed += [p.arg for p, default in zip(arguments.kwonlyargs, arguments.kw_defaults) if default is None]
    missing = [f"'{name}'" for name in needed if name not in keywords]
    if missing:
        return f"is missing the argument{'s'[: len(missing) - 1]} {' and '.join(missing)}", True
    bound = list(zip(parameters, positional))
    bound += [(p, keywords[p.arg]) for p in parameters + arguments.kwonlyargs if p.arg in keywords]
    wrong = []
    for parameter, given in bound:
        annotation = ast.unparse(parameter.annotation) if parameter.annotation else ""
        if not _accepts(annotation, given):
            wrong.append(f"{parameter.arg} must be {_in_words(annotation)}, not {_last_name(given)}")
    if wrong:
        return ": " + "; ".join(wrong), False
    # The extension takes None only where a signature has it.
    nothing = [p.arg for p, given in bound if _last_name(given) == "None" and not _may_be_none(p.annotation)]
    if nothing:
        return f": {' and '.join(nothing)} must not be None", False
    numbers = [p.arg for p, _ in bound if p.annotation and re.search(r"\b(int|float)\b", ast.unparse(p.annotation))]
    return f"was given a value for {' or '.join(numbers)} that is out of range" if numbers else None, True


def no_constructor(name):
    """The sentence for a class whose objects functions make."""
    name = _last_name(name)
    made_by = _MADE_BY.get(name, "functions of pycuda.driver")
    return f"{_with_article(name)} is not made by its class: it is made by {made_by}"


def message(text):
    """The sentence for nanobind's text; the text itself if it is not understood."""
    found = _TEXT.search(text)
    if found is None:
        return text
    given = found["given"]
    marked = _KEYWORDS.search(given)
    keywords = dict(part.split(": ", 1) for part in marked[1].split(", ")) if marked else {}
    positional = [part for part in given[: marked.start() if marked else None].split(", ") if part]
    try:
        forms = [_parameters(form) for form in found["forms"].splitlines()]
    except SyntaxError:
        return text
    name = found["name"]
    is_method = all(has_self for _, has_self in forms)
    owner = _last_name(positional.pop(0)) if is_method and positional else ""
    if owner:
        name = owner if name == "__init__" else f"{owner}.{name}"
    if len(forms) > 1:
        types = [*map(_last_name, positional), *(f"{key}: {_last_name(of)}" for key, of in keywords.items())]
        # Forms may differ in types alone.
        listed = " or ".join(dict.fromkeys(_as_called(name, arguments) for arguments, _ in forms))
        return f"{name}() takes no such arguments ({', '.join(types)}): call {listed}"
    ((arguments, _),) = forms
    said, shows_form = _misfit(arguments, positional, keywords)
    if said is None:
        of = f", not on {_with_article(owner)}" if owner else ""
        return f"{found['name']}() is a method: call it on an object of its class{of}"
    whole = f"{name}(){'' if said.startswith(':') else ' '}{said}"
    return f"{whole}: call {_as_called(name, arguments)}" if shows_form else whole
