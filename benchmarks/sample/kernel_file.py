# SPDX-License-Identifier: MIT
"""Reads the kernels of the sample: one file each, with a header of arguments, CUDA and the same algorithm in C++.

A file begins with its licence, a line `// SUITE, PROGRAM: what it computes`, and a header in a comment. The line
`//---- C++` separates the CUDA text from the C++ text, whose function is called `reference`. The header's lines:

    n: 4_000_000 | 5003             a size: of the benchmark | of the test
    launch: ceil(n, 256) x 256      blocks x threads of a block, each up to three numbers
    shared: 4 * n                   bytes of dynamic shared memory
    once: a launch cannot be repeated without its inputs (it appends, say)
    a: float[n] = uniform(-1, 1)    an argument, in the kernel's order: an input
    b: float[n] -> 1e-5             a result, zero at first, and what it may differ by, relative to the largest
    c: int[n] = arange(n) -> 0      an input that the kernel changes; results that must be equal
    d: float[n] -> 1e-5, 0.01       one in a hundred may differ by more
    count: int = 2 * n              a value
    m: float(16) = uniform(0, 1)    a structure of so many values, passed by value; a pointer to them in C++
    n: int                          the size of that name as a value

Expressions are Python's, with sizes and earlier arguments by their names; see `inputs.py` for functions.
"""

import dataclasses
import pathlib
import re
import zlib
from typing import Any

import numpy as np
from inputs import Inputs

FOLDER = pathlib.Path(__file__).parent / "kernels"
SEPARATOR = "//---- C++\n"
TYPES = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "half": np.float16,
    "float": np.float32,
    "double": np.float64,
}
#: In C++; halves are their bits there.
C_TYPES = {
    "uchar": "unsigned char",
    "ushort": "unsigned short",
    "uint": "unsigned int",
    "ulong": "unsigned long",
    "half": "unsigned short",
}


class KernelFileError(Exception):
    pass


@dataclasses.dataclass(frozen=True)
class Argument:
    name: str
    type: str
    #: The number of elements; empty: a value.
    size: str
    #: What it is at first; empty: zeros.
    start: str
    #: What a result may differ by, and how many may differ more; None: not a result.
    tolerance: float | None
    may_differ: float
    #: How many values a structure has that is passed by value; empty: a plain value.
    together: str = ""


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A kernel with inputs of a size."""

    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    #: NumPy arrays and scalars, by name, in the kernel's order.
    arguments: dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Kernel:
    name: str
    suite: str
    program: str
    purpose: str
    sizes: dict[str, tuple[str, str]]
    launch: str
    shared: str
    once: bool
    arguments: tuple[Argument, ...]
    cuda: str
    native: str

    @property
    def half(self) -> str:
        return half_of(self.suite, self.program)

    @property
    def function(self) -> str:
        return re.search(r"__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s*)?(\w+)", self.cuda)[1]

    @property
    def results(self) -> list[Argument]:
        return [argument for argument in self.arguments if argument.tolerance is not None]

    def prepare(self, small: bool) -> Prepared:
        """The same inputs at each call."""
        made = Inputs(zlib.crc32(self.name.encode()))
        names = made.functions()

        def value(expression: str) -> Any:
            return eval(expression, {"__builtins__": {}}, names)

        for name, texts in self.sizes.items():
            names[name] = value(texts[small])
        arguments: dict[str, Any] = {}
        for argument in self.arguments:
            dtype = TYPES[argument.type]
            if argument.together:
                made.size = int(value(argument.together))
                values = np.array(value(argument.start), dtype)
                arguments[argument.name] = values.view([("values", dtype, made.size)])[0]
                continue
            if not argument.size:
                arguments[argument.name] = dtype(value(argument.start or argument.name))
                continue
            made.size = int(value(argument.size))
            array = np.zeros(made.size, dtype)
            if argument.start:
                start = np.asarray(value(argument.start))
                array[:] = start.reshape(-1) if start.ndim else start
            arguments[argument.name] = names[argument.name] = array
        grid, block = (value(f"({part},)") for part in self.launch.split(" x "))
        return Prepared(
            tuple(int(g) for g in (*grid, 1, 1)[:3]),
            tuple(int(b) for b in (*block, 1, 1)[:3]),
            int(value(self.shared)),
            arguments,
        )


def half_of(suite: str, program: str) -> str:
    """Rows of the validation half are not looked at while something is improved."""
    return "validation" if zlib.crc32(f"{suite}/{program}".encode()) % 2 else "development"


def read(file: pathlib.Path) -> Kernel:
    text = file.read_text()
    found = re.match(
        r"// SPDX-License-Identifier: MIT\n// ([^,\n]+), ([^:\n]+): (.+)\n/\*\n(.*?)\*/\n", text, re.DOTALL
    )
    if found is None or SEPARATOR not in text:
        raise KernelFileError(f"{file.name}: not a licence, a title, a header, CUDA, '{SEPARATOR.strip()}' and C++")
    cuda, native = text[found.end() :].split(SEPARATOR)
    sizes: dict[str, tuple[str, str]] = {}
    settings: dict[str, str] = {}
    arguments = []
    for line in found[4].splitlines():
        parts = re.fullmatch(r"(\w+): (.+)", line.strip())
        if parts is None:
            raise KernelFileError(f"{file.name}: '{line}' is not 'name: ...'")
        name, rest = parts[1], parts[2]
        typed = re.fullmatch(r"(\w+)(?:\[(.*?)\]|\((\d+)\))?(?: = (.*?))?(?: -> (.+))?", rest)
        if typed is not None and typed[1] in TYPES:
            c_type, size, together, start, allowed = (text or "" for text in typed.groups())
            limits = [float(limit) for limit in allowed.split(",")] if allowed else []
            tolerance = limits[0] if limits else None
            may_differ = limits[1] if limits[1:] else 0.0
            arguments.append(Argument(name, c_type, size, start, tolerance, may_differ, together))
        elif name in ("launch", "shared", "once"):
            settings[name] = rest
        elif rest.count(" | ") == 1:
            full, small = rest.split(" | ")
            sizes[name] = (full, small)
        else:
            raise KernelFileError(f"{file.name}: '{line}' is neither a size nor an argument nor a setting")
    return Kernel(
        file.stem,
        *found.groups()[:3],
        sizes,
        settings["launch"],
        settings.get("shared", "0"),
        "once" in settings,
        tuple(arguments),
        cuda,
        native,
    )


def read_all() -> list[Kernel]:
    return [read(file) for file in sorted(FOLDER.glob("*.cu"))]


def differs(argument: Argument, found: np.ndarray, wanted: np.ndarray) -> str:
    """How a result differs by more than its argument allows; empty if it does not."""
    if argument.tolerance == 0 and not argument.may_differ:
        wrong = int(np.count_nonzero(found != wanted))
        return f"{argument.name}: {wrong} of {wanted.size} differ" if wrong else ""
    found, wanted = found.astype(np.float64), wanted.astype(np.float64)
    if not np.isfinite(wanted).all():
        return f"{argument.name}: the C++ results are not finite"
    scale = float(np.abs(wanted).max(initial=0.0)) or 1.0
    error = np.abs(found - wanted) / scale
    wrong = int(np.count_nonzero(~(error <= argument.tolerance)))
    if wrong <= argument.may_differ * wanted.size:
        return ""
    return f"{argument.name}: {wrong} of {wanted.size} differ, by up to {np.nanmax(error):.2g}"
