# SPDX-License-Identifier: MIT
"""What an error says about a value that a generated kernel does not take: the argument's type in C, not its code."""

import re
import struct

from pycuda._vectors import vec
from pycuda.tools import VectorArg

# What the call of a prepared kernel says, which knows codes of types alone.
_SAID = re.compile(
    r"argument #(?P<number>\d+) \(0-based\) of kernel '.*?': (?:"
    r"code '.' needs (?P<wanted>.*), not (?P<given>[\w.]+)|"
    r"(?P<bytes>\d+) bytes were given for the (?P<room>\d+) bytes of code '.'|"
    r"(?P<value>.*) does not fit in the \d+ bytes of code '.')"
)


def _is_number(argument):
    return argument.dtype.kind != "V"


def _one_of(argument):
    """How a program makes one value of a vector's or a struct's type."""
    name = argument.declarator().rpartition(" ")[0]
    if hasattr(vec, name):
        return f"pycuda.gpuarray.vec.make_{name}(...) makes one"
    return "numpy.array((...), dtype)[()] makes one, with a dtype of its members and align=True"


def _advice(argument, value):
    """What to declare where an argument that is declared as one value got an array."""
    if isinstance(argument, VectorArg) or not hasattr(value, "__cuda_array_interface__"):
        return ""
    name, what = argument.name, "a number" if _is_number(argument) else "one value"
    return f"; '{name}' is declared as {what}: for an array declare a pointer, '*{name}', and use {name}[i]"


def wrong_value(kernel, arguments, values, error, before=0):
    """The error of a call in place of the prepared kernel's.

    Parameters
    ----------
    kernel : str
        Its name.
    arguments : list of pycuda.tools.Argument
    values : sequence
        What the program has passed for them.
    error : struct.error
    before : int, optional
        How many arguments the kernel has before these.

    Returns
    -------
    struct.error
    """
    said = _SAID.fullmatch(str(error))
    number = int(said["number"]) - before if said else -1
    if not 0 <= number < len(arguments):
        return struct.error(str(error))
    argument = arguments[number]
    text = f"argument #{number} (0-based) of kernel '{kernel}', '{argument.declarator()}', "
    advice = _advice(argument, values[number])
    if said["wanted"]:
        wanted = said["wanted"] if _is_number(argument) else "one value of its type"
        text += f"needs {wanted}, not {said['given']}"
    elif said["bytes"]:
        text += f"has {said['room']} bytes, but {said['bytes']} were given"
    else:
        text += f"is too small for {said['value']}"
    if not advice and not _is_number(argument):
        advice = f"; {_one_of(argument)}"
    return struct.error(text + advice)
