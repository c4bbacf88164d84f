# SPDX-License-Identifier: MIT
"""Arguments of generated kernels: their declarations, what is passed for them, and checks of both.

A kernel sees a vector as a pointer where the order of its elements in memory is the order of the
index, and else as an object with the same ``x[i]`` that computes addresses from lengths and strides.
"""

from __future__ import annotations

import re
import warnings

import numpy as np

from pycuda import _driver
from pycuda._source_places import user_frame
from pycuda.compyte.array import c_contiguous_strides, is_c_contiguous_strides, is_f_contiguous_strides
from pycuda.tools import ScalarArg, VectorArg, dtype_to_ctype, parse_c_arg

_ArrayBase = _driver._ArrayBase
_INTEGERS = "iub"
_check_context = _driver._array.check_context


def with_headers(preamble, *texts):
    """The preamble behind the header of float16, if one of the texts names that type."""
    needs = any(re.search(r"\b(__)?half2?\b", text) for text in texts)
    return "#include <cuda_fp16.h>\n" + preamble if needs else preamble


_KEYWORDS = frozenset(
    """alignas alignof and asm auto bool break case catch char class const constexpr continue decltype default delete do
    double else enum explicit extern false float for friend goto if inline int long mutable namespace new noexcept not
    nullptr operator or private protected public register return short signed sizeof static struct switch template this
    throw true try typedef typeid typename union unsigned using virtual void volatile while xor""".split()
)


def check_kernel_name(name, suffix=""):
    """Refuse a name that, with what is put behind it, a function in C++ cannot have."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a kernel must be a string, not {type(name).__name__}")
    if not re.fullmatch(r"[A-Za-z_]\w*", name + suffix, re.ASCII) or name + suffix in _KEYWORDS:
        # CuPy's kernels have their results in a list of their own, and code that names no elements.
        is_code = "=" in name or " " in name
        raise ValueError(
            f"{name!r} cannot be the name of a kernel, which is a function in C++: letters, digits and _ are allowed,"
            f" and no keyword{'. The code comes before the name, and results are arguments' if is_code else ''}"
        )


def check_expressions(**expressions):
    """Refuse code that is not a string, such as a lambda."""
    for name, code in expressions.items():
        if code is not None and not isinstance(code, str):
            raise TypeError(f"{name} must be a string of C++, such as 'a + b', not {type(code).__name__}")


def in_cxx(number):
    """A number as C++ writes it, where the name that Python has for it is unknown."""
    if isinstance(number, (float, np.floating)) and not np.isfinite(number):
        return "NAN" if np.isnan(number) else "INFINITY" if number > 0 else "-INFINITY"
    return number


def check_argument_names(name, arguments, used):
    """Refuse arguments of the same name, and names that the generated kernel uses itself."""
    names = [argument.name for argument in arguments]
    for argument in names:
        if argument in used or argument in _KEYWORDS:
            raise ValueError(f"{name}: an argument is named '{argument}', which is taken: give it another name")
        if names.count(argument) > 1:
            raise ValueError(f"{name}: two arguments are named '{argument}'")


STRIDED_VECTOR = """
template <class T, int Axes>
struct pycuda_strided {
  char *base;
  size_t lengths[Axes];
  long long strides[Axes];
  __device__ T &operator[](size_t i) const {
    char *place = base;
#pragma unroll
    for (int axis = Axes - 1; axis > 0; --axis) {
      const size_t rest = i / lengths[axis];
      place += (long long)(i - rest * lengths[axis]) * strides[axis];
      i = rest;
    }
    return *(T *)(place + (long long)i * strides[0]);
  }
  __device__ T &operator*() const { return (*this)[0]; }
};
"""


def parse_arguments(arguments):
    """A new list of arguments, from C declarations or from a sequence of arguments."""
    if isinstance(arguments, str):
        return [parse_c_arg(text) for text in _split_at_commas(arguments)]
    arguments = list(arguments)
    if any(isinstance(argument, str) for argument in arguments):
        raise TypeError(f"arguments of C++ are one string: {', '.join(map(str, arguments))!r}")
    return arguments


def _split_at_commas(text):
    """The parts between commas that are not inside of brackets."""
    parts, depth, part = [], 0, ""
    for character in text:
        depth += (character in "<([") - (character in ">)]")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [*parts, part]


def struct_chars(arguments):
    """The codes for `Function.prepare`."""
    return "".join(argument.struct_char for argument in arguments)


def elementwise_names(arguments, body, elsewhere):
    """The vectors that `body` uses as ``name[i]`` only: they must have as many elements as the first.

    None of them when `body` compares `i` with something: then it may guard its accesses itself.
    """
    if re.search(r"\bi\s*(?:[<>%]|[!=]=)|(?:[<>]|[!=<>]=)\s*i\b", body):
        return frozenset()
    names = set()
    for argument in arguments:
        if not isinstance(argument, VectorArg):
            continue
        word = rf"\b{re.escape(argument.name)}\b"
        uses = len(re.findall(word, body))
        plain = len(re.findall(word + r"\s*\[\s*i\s*\]", body))
        if uses and uses == plain and not re.search(word, elsewhere):
            names.add(argument.name)
    return frozenset(names)


def _sort_of_number(dtype):
    """Numbers of one sort are compared by their sizes: "plain" ones, "complex" ones. Bytes and structs have none."""
    if dtype.kind == "c":
        return "complex"
    return "plain" if dtype.kind == "b" or (dtype.kind in "iuf" and dtype.itemsize > 1) else ""


class Vector:
    """What is known of a vector that was passed: where it is, its shape and strides."""

    __slots__ = ("argument", "c_order", "dtype", "f_order", "pointer", "shape", "size", "strides")

    def __init__(self, argument, value):
        self.argument = argument
        if isinstance(value, _ArrayBase):
            _check_context(value)
        try:
            self.shape, self.dtype, self.size = value.shape, value.dtype, value.size
            # The address says less than the owner object, and is made faster.
            self.pointer = (value.ptr if hasattr(value, "ptr") else value.gpudata) if self.size else 0
            flags = value.flags
            self.c_order, self.f_order = flags.c_contiguous, flags.f_contiguous
            self.strides = value.strides
        except AttributeError:
            self._read_interface(argument, value)

    def _read_interface(self, argument, value):
        interface = getattr(value, "__cuda_array_interface__", None)
        if interface is None or isinstance(value, np.ndarray):
            kind = type(value).__name__
            raise TypeError(
                f"argument '{argument.name}' must be an array on the device, not {kind}: to_gpu copies one"
            ) from None
        self.shape = tuple(interface["shape"])
        self.dtype = np.dtype(interface["typestr"])
        self.size = int(np.prod(self.shape, dtype=np.int64))
        self.pointer = interface["data"][0]
        itemsize = self.dtype.itemsize
        strides = interface.get("strides")
        self.strides = tuple(strides or c_contiguous_strides(itemsize, self.shape))
        self.c_order = is_c_contiguous_strides(self.strides, itemsize, self.shape)
        self.f_order = is_f_contiguous_strides(self.strides, itemsize, self.shape)

    def check_byte_order(self):
        """Refuse numbers that the device would read backwards."""
        if not self.dtype.isnative and self.dtype.fields is None:
            raise TypeError(
                f"argument '{self.argument.name}' is an array of {self.dtype}, whose byte order is not the device's: "
                f"convert it on the host, before to_gpu, with astype(numpy.{self.dtype.newbyteorder('=')})"
            )

    def check_dtype(self):
        """Refuse elements of another size than declared. Others are read as what was declared, as through a pointer.

        Where that is not a number of about the same value, which may be a mistake, a UserWarning is issued.
        """
        declared, given = self.argument.dtype, self.dtype
        if declared.itemsize == given.itemsize:
            kinds = {_INTEGERS if kind in _INTEGERS else kind for kind in (declared.kind, given.kind)}
            if len(kinds) > 1 and "V" not in kinds:
                warnings.warn(
                    f"argument '{self.argument.name}' is declared as {declared}, the array has dtype {given}: "
                    f"its bits are read as {declared}",
                    stacklevel=user_frame()[1],
                )
            return
        if declared.fields is not None:
            raise TypeError(
                f"argument '{self.argument.name}' is declared as {dtype_to_ctype(declared)} of {declared.itemsize} "
                f"bytes, the array has dtype {given}: give it one of the declared dtype, or declare the argument as "
                "the array is"
            )
        raise TypeError(
            f"argument '{self.argument.name}' is declared as {declared}, the array has dtype {given}: convert the "
            f"array with astype(numpy.{declared}), or declare the argument as the array is"
        )

    def check_number_size(self):
        """Refuse numbers of another size than declared, as kernels of a `SourceModule` do.

        For vectors of which it is not known that they are read element by element: bytes and structs may be read as
        anything, complex numbers as two others.
        """
        declared, given = self.argument.dtype, self.dtype
        if declared.itemsize != given.itemsize and _sort_of_number(declared) == _sort_of_number(given) != "":
            self.check_dtype()


class Call:
    """The arguments of one call, checked.

    Attributes
    ----------
    size : int
        The elements that are computed: as many as the first vector has, or fewer.
    layout : tuple
        What the kernel must be compiled for: of each argument None, or its number of axes and
        whether it shares its lengths with others. Empty when all vectors are plain pointers.
    packed : list
        The values for the launch.
    """

    def __init__(self, name, arguments, values, same_length, sized=True, whole=True):
        if len(values) != len(arguments):
            expected = ", ".join(argument.name for argument in arguments)
            plural, were = "" if len(arguments) == 1 else "s", "was" if len(values) == 1 else "were"
            raise TypeError(f"{name} takes {len(arguments)} argument{plural} ({expected}), {len(values)} {were} given")
        vectors = [
            Vector(argument, value) if isinstance(argument, VectorArg) else None
            for argument, value in zip(arguments, values)
        ]
        given = [vector for vector in vectors if vector is not None]
        assert given, f"{name} can only be used with at least one vector argument"
        self.size = given[0].size
        self.same_length = [vector for vector in given if vector.argument.name in same_length]
        for vector in given:
            vector.check_byte_order()
            if vector not in self.same_length:
                vector.check_number_size()
        for vector in self.same_length:
            vector.check_dtype()
        if sized:
            self._check_lengths(name, given[0])
            if whole:
                self._warn_of_rests(name, given[0])
        self._choose_layout(name, vectors)
        self.packed = []
        for vector, value in zip(vectors, values):
            self.packed.append(value if vector is None else vector.pointer)
        self.packed += self._extents

    def _check_lengths(self, name, first):
        """The first vector's length is the number of elements: others may be longer, but not shorter.

        Unless the first is used otherwise too, as in ``difference[i] = x[i + 1] - x[i]``: then theirs count.
        """
        if first not in self.same_length:
            self.size = min([first.size, *(vector.size for vector in self.same_length)])
            return
        for vector in self.same_length:
            if vector.size < first.size:
                raise ValueError(
                    f"{name}: '{vector.argument.name}' has shape {vector.shape}, "
                    f"'{first.argument.name}' has shape {first.shape}"
                )

    def _warn_of_rests(self, name, first):
        """Longer vectors are used in part, as by the original, which says nothing."""
        for vector in self.same_length:
            if vector.size > self.size > 0:
                rest, flat = vector.size - self.size, "" if len(vector.shape) == 1 else ".ravel()"
                shortest = next((one for one in self.same_length if one.size == self.size), first)
                warnings.warn(
                    f"{name} computes {self.size} element{'' if self.size == 1 else 's'}, as many as "
                    f"'{shortest.argument.name}' has, and leaves out the other {rest} of '{vector.argument.name}': "
                    f"pass its first {self.size} alone, {vector.argument.name}{flat}[:{self.size}], if this is "
                    "intended",
                    stacklevel=user_frame()[1],
                )

    def _choose_layout(self, name, vectors):
        self.layout, self._extents = (), []
        group = self.same_length
        plain = all(vector.c_order for vector in group) or all(vector.f_order for vector in group)
        alone = [v for v in vectors if v is not None and v not in group and not (v.c_order or v.f_order)]
        if plain and not alone:
            return
        shared = ()
        if not plain:
            for vector in group:
                if vector.shape != group[0].shape:
                    raise ValueError(
                        f"{name}: '{vector.argument.name}' has shape {vector.shape}, '{group[0].argument.name}' has "
                        f"shape {group[0].shape}; arrays that are not contiguous must have equal shapes"
                    )
            shared, collapsed = collapse(group[0].shape, [vector.strides for vector in group])
            self._extents += shared
        layout = []
        for vector in vectors:
            if vector is None or (plain if vector in group else vector not in alone):
                layout.append(None)
            elif vector in group:
                layout.append((len(shared), True))
                self._extents += collapsed[group.index(vector)]
            else:
                lengths, (strides,) = collapse(vector.shape, [vector.strides])
                layout.append((len(lengths), False))
                self._extents += [*lengths, *strides]
        self.layout = tuple(layout)


def collapse(shape, strides):
    """Lengths and strides of the same elements in the same order with as few axes as possible."""
    lengths, steps = [], [[] for _ in strides]
    for axis, length in enumerate(shape):
        if length == 1:
            continue
        if lengths and all(step[-1] == own[axis] * length for step, own in zip(steps, strides)):
            lengths[-1] *= length
            for step, own in zip(steps, strides):
                step[-1] = own[axis]
        else:
            lengths.append(length)
            for step, own in zip(steps, strides):
                step.append(own[axis])
    if not lengths:
        return [1], [[0] for _ in strides]
    return lengths, steps


def extent_arguments(arguments, layout):
    """The arguments that a layout adds: lengths and strides, in the order of `Call.packed`."""
    added = []
    shared = next((axes for entry in layout if entry for axes, share in [entry] if share), 0)
    added += [ScalarArg(np.uintp, f"pycuda_length{axis}") for axis in range(shared)]
    for argument, entry in zip(arguments, layout):
        if entry is None:
            continue
        axes, share = entry
        if not share:
            added += [ScalarArg(np.uintp, f"{argument.name}_length{axis}") for axis in range(axes)]
        added += [ScalarArg(np.intp, f"{argument.name}_stride{axis}") for axis in range(axes)]
    return added


def declarations(arguments, layout):
    """The C declarations of the arguments and of what the layout adds."""
    entries = layout or (None,) * len(arguments)
    texts = [
        argument.declarator() if entry is None else f"char *{argument.name}_base"
        for argument, entry in zip(arguments, entries)
    ]
    return ", ".join(texts + [argument.declarator() for argument in extent_arguments(arguments, layout)])


def strided_objects(arguments, layout):
    """The C code that defines the vectors that are no pointers."""
    lines = []
    for argument, entry in zip(arguments, layout):
        if entry is None:
            continue
        axes, share = entry
        prefix = "pycuda" if share else argument.name
        lengths = ", ".join(f"{prefix}_length{axis}" for axis in range(axes))
        strides = ", ".join(f"{argument.name}_stride{axis}" for axis in range(axes))
        kind = f"pycuda_strided<{dtype_to_ctype(argument.dtype)}, {axes}>"
        lines.append(f"const {kind} {argument.name} = {{{argument.name}_base, {{{lengths}}}, {{{strides}}}}};")
    return "\n".join(lines)
