# SPDX-License-Identifier: MIT
"""What to do about atomic operations on types that CUDA has none for."""

import re

_INTEGERS = ("int", "unsigned int", "unsigned long long")
_TYPES = {
    "Add": (*_INTEGERS, "float", "double", "__half", "__half2", "__nv_bfloat16", "__nv_bfloat162"),
    "Sub": ("int", "unsigned int"),
    "Exch": (*_INTEGERS, "float"),
    **dict.fromkeys(("Min", "Max"), (*_INTEGERS, "long long")),
    **dict.fromkeys(("And", "Or", "Xor"), _INTEGERS),
    "CAS": (*_INTEGERS, "unsigned short"),
    **dict.fromkeys(("Inc", "Dec"), ("unsigned int",)),
}
_OVERLOADED = re.compile(
    r'overloaded function "(atomic(\w+?)(?:_block|_system)?)" matches[^\n]*\n *argument types are: \(([^,\n]*)'
)
_COUNTING = re.compile(
    r'argument of type "([^"\n]*)" is incompatible with parameter of type "unsigned int \*"\n'
    r"[^\n]*\b(atomic(Inc|Dec))\b"
)
_SMALL = re.compile(r"char|short|bool")
_HALVES = {"__half": "7.0", "__nv_bfloat16": "8.0"}


def _instead(name, kind, number):
    """What does the same for numbers of a type that the operation does not take."""
    if _SMALL.search(number):
        return "make it an array of int"
    if kind == "Sub" and number in _HALVES:
        return f"atomicAdd(&a[i], -x) subtracts from compute capability {_HALVES[number]} on"
    if number in _HALVES:
        return "make it an array of float, or use a loop with atomicCAS on the bits (unsigned short)"
    if kind == "Sub":
        address = "(unsigned long long *)&a[i]" if number == "long long" else "&a[i]"
        return f"atomicAdd({address}, -x) subtracts"
    if kind in ("Inc", "Dec"):
        return f"atomicAdd(&a[i], {1 if kind == 'Inc' else -1}) counts other numbers"
    if "long" in number:
        return f"cast the address, {name}((unsigned long long *)&a[i], ...)"
    return "use a reduction, or a loop with atomicCAS on the bits (__float_as_int, __double_as_longlong)"


def atomic_in_errors(output):
    """One sentence about an atomic operation whose arguments do not fit, or "".

    Parameters
    ----------
    output : str
        What NVRTC or nvcc said.
    """
    if found := _OVERLOADED.search(output):
        name, kind, argument = found.groups()
    elif found := _COUNTING.search(output):
        argument, name, kind = found.groups()
    else:
        return ""
    takes = _TYPES.get(kind, ())
    number = argument.removesuffix("*").replace("volatile", "").strip()
    if number.endswith("*") and (of_pointer := re.search(rf"\b{name}\s*\(\s*&\s*(\w+)\s*,", output)):
        pointer = of_pointer[1]
        return f"{pointer} is an address already, and &{pointer} that of the pointer: write {name}({pointer}, ...)"
    if not takes or not argument.endswith("*") or number in takes:
        return f"{name} takes an address, as in {name}(&a[i], 1), of numbers of one type"
    if number.startswith("const "):
        return f"{name} writes what its address points to, which is const"
    types = " and ".join(filter(None, (", ".join(takes[:-1]), takes[-1])))
    return f"{name} takes addresses of {types}, not of {number}: {_instead(name, kind, number)}"
