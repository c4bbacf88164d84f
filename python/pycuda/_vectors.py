# SPDX-License-Identifier: MIT
"""CUDA's vector types, such as float4, as dtypes."""

import numpy as np

from pycuda.compyte.dtypes import get_or_register_dtype

_BASES = {
    "char": (np.int8, 4),
    "uchar": (np.uint8, 4),
    "short": (np.int16, 4),
    "ushort": (np.uint16, 4),
    "int": (np.int32, 4),
    "uint": (np.uint32, 4),
    "long": (np.dtype("l"), 4),
    "ulong": (np.dtype("L"), 4),
    "longlong": (np.int64, 2),
    "ulonglong": (np.uint64, 2),
    "float": (np.float32, 4),
    "double": (np.float64, 2),
}


class vec:  # noqa: N801
    """The dtypes `float4` and so on, and their makers `make_float4(x, y, z, w)`."""


def _maker(name, dtype):
    def make(*args, **kwargs):
        fields = dtype.names
        if len(args) > len(fields):
            raise TypeError(f"make_{name} takes at most {len(fields)} values")
        item = np.zeros((), dtype)
        values = dict(zip(fields, args))
        for field, value in kwargs.items():
            if field not in fields or field in values:
                raise TypeError(f"make_{name} has no component {field!r}")
            values[field] = value
        for field, value in values.items():
            try:
                item[field] = value
            except (TypeError, ValueError) as error:
                advice = f"; unpack it: make_{name}(*values)" if np.size(value) > 1 else ""
                raise TypeError(f"the component {field!r} of make_{name} is no number: {value!r}{advice}") from error
        return item

    make.__name__ = make.__qualname__ = f"make_{name}"
    make.__doc__ = f"A {name} with these values of {', '.join(dtype.names)}; 0 where none is given."
    return staticmethod(make)


def _define():
    for base, (part, most) in _BASES.items():
        for count in range(1, most + 1):
            name = f"{base}{count}"
            dtype = np.dtype([(field, part) for field in "xyzw"[:count]])
            get_or_register_dtype(name, dtype)
            setattr(vec, name, dtype)
            setattr(vec, f"make_{name}", _maker(name, dtype))


_define()
