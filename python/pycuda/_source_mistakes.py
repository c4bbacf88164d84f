# SPDX-License-Identifier: MIT
"""What of Python, notebooks and text editors gets into CUDA sources, and what C++ has in its place."""

import re

from pycuda._atomic_mistakes import atomic_in_errors

_CELL_MAGIC = re.compile(r"^[ \t]*(%%[a-z_]\w*)", re.MULTILINE)
# Others could be a remainder that goes on in the next line.
_LINE_MAGIC = re.compile(
    r"^[ \t]*(%(?:load_ext|reload_ext|autoreload|matplotlib|timeit|time|pip|conda|run|cuda_\w+))\b", re.MULTILINE
)
_PYTHON = re.compile(
    r"^[ \t]*(?:def \w+\(.*\)[^\n;{]*:|import \w+(?: as \w+)?\s*$|from \w+ import |@cuda\.jit)", re.MULTILINE
)
_PYTHON_LOOP = re.compile(r"\b(for \w+ in [^:{;]*:|while [^({;]*:|elif\b)")
# The compiler's line, and its mark in the line below.
_MARKED = re.compile(r"error[^\n]*\n(?P<line>[^\n]+)\n(?P<indent>[ \t]*)\^")
_CALLED_VALUE = re.compile(r"of apparent call must have[^\n]*\n(?P<line>[^\n]+)\n(?P<indent>[ \t]*)\^")
_PLACEHOLDER = re.compile(r"%[sdifgr]\b|\$\w+|@\w+@?")
_POWER = re.compile(r"must be a pointer[^\n]*\n[^\n]*[\w\])] ?\*\* ?[\w(]")
_COMMA_INDEX = re.compile(r"error[^\n]*\n[^\n]*\w\[[^\[\]\n,<]+,[^\[\]\n<]+\]")
_VARIABLE_SIZE = re.compile(r"must have a constant value\n[^\n]*\b\w+ +\w+\[")
_CONSTANT_SIZE = (
    "the compiler must know the size of an array: #define N 256 or options=['-DN=256']; shared memory of a size that "
    "the call gives is extern __shared__ float x[], with shared=bytes in the call"
)
# "int tile[n]", where nothing says what n is.
_UNDECLARED_SIZE = re.compile(
    r'identifier "([a-z]\w*)" is undefined\n[^\n]*'
    r"(?:\b(?:int|unsigned|char|short|long|float|double|bool)|[234]|_t) +\w+(?:\[\w+\])*\[[^\]\n]*\b\1\b[^\]\n]*\]"
)
_PYTHON_HEAD = re.compile(r'expected a "\{"\n[^\n]*\bvoid +(\w+) *\([^\n]*\) *: *(?:\n|$)')
_NOT_CALLED = re.compile(r"expression has no effect\n[^\n]*?\b(__(?:sync|threadfence)\w*|__trap) *;")
_NUMPY = {
    "bool_": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "__half, from #include <cuda_fp16.h>",
    "float32": "float",
    "float64": "double",
    "complex64": "pycuda::complex<float>, from #include <pycuda-complex.hpp>",
    "complex128": "pycuda::complex<double>, from #include <pycuda-complex.hpp>",
}
_PYTHON_NAMES = {
    "True": "true",
    "False": "false",
    "None": "nullptr",
    "elif": "else if",
    "pass": "an empty statement, ;",
}
_OTHER_NAMES = {
    "cuda": (
        "cuda.threadIdx, cuda.grid(1) ... are Numba's: C++ has threadIdx.x, blockIdx.x and blockDim.x without it, and "
        "blockIdx.x * blockDim.x + threadIdx.x is the index"
    ),
    "math": "math is Python's module: C++ has sqrtf(x), sinf(x) ... without it",
    "rand": "kernels have no rand(): pass numbers that pycuda.curandom makes, or use curand_kernel.h",
    "complex": "pycuda::complex<float> is declared in a header: #include <pycuda-complex.hpp>",
    "len": "C++ arrays do not know their length: pass it to the kernel, int n",
    "range": "range is Python: C++ writes for (int i = 0; i < n; ++i)",
    "null": "C++ writes nullptr",
    **dict.fromkeys(("inf", "Inf", "infinity"), "C++ writes INFINITY, -INFINITY"),
    **dict.fromkeys(("nan", "NaN"), "C++ writes NAN"),
    "pi": "the number is M_PI in C++, (float)M_PI for floats",
    "exit": "a thread of a kernel ends with return; __trap() ends the launch with an error",
    **dict.fromkeys(
        ("string", "vector"),
        "kernels have arrays, of a size that the compiler knows, and pointers in place of strings and vectors",
    ),
}
_VECTOR = r"(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]"
_PARTS = "threadIdx, blockIdx, blockDim and gridDim have three parts: threadIdx.x, .y and .z"
# What the compiler says, with the line below it, and what to do; {} is the pattern's group.
_HABITS = (
    (r'no suitable conversion function from "const (?:uint3|dim3)"', _PARTS),
    (r"a __global__ function must have a void return type", "a kernel returns nothing: __global__ void name(...)"),
    (r"integral or unscoped enum type\n[^\n]*%", "% is for integers: fmodf(x, y) is the remainder of floats"),
    (r"integral or unscoped enum type\n[^\n]*\^", "^ is no power but C++'s exclusive or: write x * x, or powf(x, y)"),
    (
        r"must have pointer-to-object type[^\n]*\n[^\n]*\]\[",
        "a pointer has one index: a[row * columns + column] for two dimensions",
    ),
    (r'must have class type but it has type "[^"]*\*"', "a pointer has neither methods nor a length: pass it, int n"),
    (r"too many characters in character constant", 'C++ writes texts in double quotes, "..."'),
    (r'expected a "\("\n[^\n]*\b(if|while)\b +[^( ]', "C++ writes a condition in parentheses: {} (...)"),
    (
        r"expected an expression\n[^\n]*\b(if|while)\b *"
        r"\((?:[^()\n]|\([^()\n]*\))*\) *(?:and\b|or\b|&&|\|\|)[^\n]*",
        "the whole condition stands in parentheses: {} ((...) && (...))",
    ),
    (
        r'expected a ";"\n[^\n]*=[^;\n]+ if [^;\n]+ else ',
        "C++ writes condition ? x : y in place of x if condition else y",
    ),
    (
        r'more than one instance of overloaded function "(max|min)" matches',
        "{} takes two numbers of one type: {}(x, 1.0f) for floats, {}(n, 1) for integers",
    ),
    (
        r'a value of type "[^"*]+" cannot be assigned to an entity of type "[^"]+\*"',
        "a pointer is no number: x[i] is one of the numbers that x points to",
    ),
    (
        r"must have arithmetic or unscoped enum type\n[^\n]*READ_AND_MAP",
        "map_expr makes a number of the elements at i: x[i], not x",
    ),
    (
        r'argument of type "[^"\n]*\w \*" is incompatible with parameter of type "[^"*\n]*"\n|'
        r"must have arithmetic or unscoped enum type\n",
        "a pointer is no number: x[i] is one of the numbers that x points to",
    ),
    (
        r'identifier "[ab]" is undefined\n *out_type acc = ',
        "neutral has no a and b: it comes before reduce_expr, ReductionKernel(dtype_out, neutral, reduce_expr)",
    ),
    (
        r"operand types are: [^\n]*\b((?:u?(?:char|short|int|long|longlong)|float|double)[1-4])\b",
        "{} has no operators in CUDA: compute with its parts .x, .y ..., or define the operator in the source",
    ),
    (
        rf'class "{_VECTOR}" has no member "(?:[XYZWrgba]|re|im|real|imag|s\d)"',
        "the parts of CUDA's vectors are .x, .y, .z and .w",
    ),
    (
        r'no suitable constructor exists to convert from "[^"]*" to "(\w+[2-4])"',
        "make_{}(...) makes one of its parts",
    ),
    (
        r"must be a modifiable lvalue",
        "what is const, an expression or built in, such as threadIdx, cannot be written: a kernel's results need a "
        "pointer without const",
    ),
    (
        r"initializer not allowed for __shared__ variable",
        "the threads fill shared memory: s[threadIdx.x] = 0; __syncthreads();",
    ),
    (r'an automatic "(__\w+__)" variable', "{} variables are declared outside of functions"),
    (r"does not support exception handling", "kernels report errors in an array, or end the launch by __trap()"),
    (r'a value of type "void \*" cannot', "C++ converts a void * explicitly: (float *)malloc(n)"),
    (
        r'overloaded function "(__(?:shfl\w*|match\w*|reduce\w*)_sync)"',
        "{} takes the mask of the warp's threads first: {}(0xffffffff, x, ...)",
    ),
    (
        r'expected (?:a "\)"|an expression)\n[^\n]*\b(?:REDUCE|READ_AND_MAP|SCAN_EXPR)\(',
        "reduce_expr, map_expr and scan_expr are expressions: a + b, without ; at the end",
    ),
    (
        r'identifier "\w+" is undefined\n[^\n]*\bREDUCE\(',
        "reduce_expr calls its two numbers a and b; map_expr has the arguments, such as x[i]",
    ),
    (r'identifier "\w+" is undefined\n[^\n]*\bSCAN_EXPR\(', "scan_expr calls its two numbers a and b"),
    (
        r'identifier "(\w+)" is undefined\n *extern "C" __global__ void \w+\((?:[^\n]*, )?\1 [^\n]*unsigned long n\) ',
        "the type {} of an argument is defined in the preamble: preamble='struct {} { ... };'",
    ),
    (
        r"must have pointer-to-object type[^\n]*\n[^\n]*\bREAD_AND_MAP\(",
        "an argument that map_expr indexes is declared as a pointer: float *x",
    ),
    (
        r"invalid value for --gpu-architecture",
        "`python -m pycuda` prints the architectures that NVRTC knows; without arch= it is the device's",
    ),
    (r"return value type does not match the function type", "a void function, such as a kernel, returns nothing"),
)
# What the compiler says of a comment that begins with #: alone in its line, or behind a statement.
_HASH_LINE = re.compile(
    r"unrecognized preprocessing directive|"
    r"(?:expected a file name|extra text after expected end of preprocessing directive)\n *# +\w|"
    r"#error directive: [^\n]*\n *# +error"
)
_HASH_BEHIND = re.compile(r'"#" not expected here\n[^\n]*#')
_HASH_IN_MACRO = re.compile(r"^ *# *define\b[^\n]*\S +#(?: |$)", re.MULTILINE)
_UNDECLARED = re.compile(r'identifier "(\w+)" is undefined\n[^\n]*?(?<![.\w>])\1 *[-+*/]?=(?!=)')
_SIZES = r"(?:\w+_)?(?:n|w|h|nx|ny|width|height|depth|cols|columns|rows|stride|pitch|size|length|len|count)"
_INDEX = re.compile(rf'identifier "(?!{_SIZES}")([a-z]\w*)" is undefined\n[^\n]*\[[^\]\n]*(?<![.\w>])\1\b')
_OF_ELEMENTWISE = "size_t total_threads = "  # in the kernels of ElementwiseKernel
_HOST_CLASSES = "vector|string|map|set|list|deque|unordered_map|unordered_set|shared_ptr|unique_ptr|function|thread"
# What word processors and web pages put in place of the characters of programs.
_LOOK_ALIKE = {
    "\u00a0": "a space that does not break: type a space",
    "\u200b": "a space without width: delete it",
    "\u2018": "a curly quotation mark: type '",
    "\u2019": "a curly quotation mark: type '",
    "\u201c": 'a curly quotation mark: type "',
    "\u201d": 'a curly quotation mark: type "',
    "\u2013": "a dash: type -",
    "\u2014": "a dash: type -",
    "\u2212": "a minus sign of typography: type -",
    "\u00d7": "a multiplication sign: type *",
    "\uff08": "a full-width parenthesis: type (",
    "\uff09": "a full-width parenthesis: type )",
    "\uff1b": "a full-width semicolon: type ;",
}


def mistake_in_source(code):
    """One sentence about lines that are no CUDA C++, or "".

    Parameters
    ----------
    code : str
        A source that does not compile, without comments and strings.
    """
    if found := _CELL_MAGIC.search(code):
        return (
            f"{found[1]} is for notebooks: it belongs on the first line of a cell, above the source itself; "
            "leave it out of a string"
        )
    if found := _LINE_MAGIC.search(code):
        return f"{found[1]} is for notebooks: it belongs on a line of its own in a cell of Python, not in the source"
    if _PYTHON.search(code):
        return "the source is Python: kernels are written in CUDA C++, __global__ void name(float *a, int n) { ... }"
    if found := _PYTHON_LOOP.search(code):
        return f"{found[1]!r} is Python: C++ writes for (int i = 0; i < n; ++i) {{ ... }}, else if, printf(...)"
    for character, meaning in _LOOK_ALIKE.items():
        if character in code:
            return f"the source has the character U+{ord(character):04X}, {meaning}"
    return ""


def _advice_on_mark(output):
    """About what stands where the compiler stopped first."""
    found = _MARKED.search(output)
    at = len(found["indent"]) if found else 0
    for mark in _PLACEHOLDER.finditer(found["line"]) if found else ():
        if mark.start() - 1 <= at <= mark.end():
            return f"{mark[0]} is a placeholder of a template, which has not been filled in"
    if found and found[0].startswith('error: expected a ";"'):
        line = found["line"].encode()  # the compiler counts bytes
        if not line[:at].strip():
            return "the line before has no ; at its end"
        if line[at : at + 1] == b"}":
            return "the last statement before } has no ; at its end"
    return ""


def hash_comment_in_errors(output, source):
    """One sentence about a comment that begins with #, as in Python, or "".

    Parameters
    ----------
    output : str
        What NVRTC or nvcc said.
    source : str
    """
    if _HASH_LINE.search(output):
        return "a comment of C++ begins with //, a line that begins with # is no comment"
    if _HASH_BEHIND.search(output) or ('"#" not expected here' in output and _HASH_IN_MACRO.search(source)):
        return "a comment of C++ begins with //, not with #"
    return ""


def mistake_in_errors(output):
    """One sentence about errors whose cause is a habit from Python, or "".

    Parameters
    ----------
    output : str
        What NVRTC or nvcc said.
    """
    for name in re.findall(r'error: identifier "(\w+)" is undefined', output):
        if name in ("np", "numpy"):
            return "np is Python's name for NumPy: C++ has float, double, int, long long, unsigned char ..."
        if name in _NUMPY:
            return f"{name} is NumPy's name: in C++ it is {_NUMPY[name]}"
        if name in _PYTHON_NAMES:
            return f"{name} is Python: in C++ it is {_PYTHON_NAMES[name]}"
        if name in _OTHER_NAMES:
            return _OTHER_NAMES[name]
        if re.search(r"(?<!\{)\{" + name + r"\}(?!\})", output):
            return f"{{{name}}} looks like a placeholder of an f-string or of format(), which has not been filled in"
    if found := re.search(rf'namespace "std" has no member "({_HOST_CLASSES})"', output):
        return f"std::{found[1]} is for the host: kernels have arrays, of a size that the compiler knows, and pointers"
    if _POWER.search(output):
        return "C++ has no operator **: write x * x, or powf(x, y)"
    if re.search(r'operand types are: [^\n]*\bu?int3\b|class "(?:uint3|dim3)" has no', output):
        return _PARTS
    if _COMMA_INDEX.search(re.sub(r"\([^()\n]*\)", "", output)):
        return "C++ indexes two dimensions by a[i][j], and a pointer by a[i * columns + j], not by a[i, j]"
    if _VARIABLE_SIZE.search(output):
        return _CONSTANT_SIZE
    if "error: an array may not have elements of this type" in output:
        return "kernels take arrays as pointers: float *a, with a[row * columns + column] for two dimensions"
    if "must be a modifiable lvalue" in output and "__constant__" in output:
        return (
            "kernels only read __constant__ variables: Python writes them, memcpy_htod(module.get_global(name)[0], a)"
        )
    if found := _PYTHON_HEAD.search(output):
        return f"C++ has braces around a function's body, and no colon: void {found[1]}(...) {{ ... }}"
    if found := _CALLED_VALUE.search(output):
        called = re.match(rb"(\w+) *\(", found["line"].encode()[len(found["indent"]) :])  # the compiler counts bytes
        if called:
            name = called[1].decode()
            return f"{name} is no function: {name}[i] is element i of an array, {name} * (...) a product"
    if found := atomic_in_errors(output):
        return found
    for pattern, remedy in _HABITS:
        if found := re.search(pattern, output):
            return remedy.replace("{}", (found.groups() or ("",))[0])
    return _advice_on_mark(output)


def mistake_in_warnings(output):
    """One sentence about warnings that mean a mistake of beginners, or "".

    Parameters
    ----------
    output : str
        What NVRTC or nvcc said of a source that compiles.
    """
    if found := _NOT_CALLED.search(output):
        return f"{found[1]} without parentheses does nothing: call it, {found[1]}();"
    if "Cannot do atomic on local memory" in output:
        return (
            "an atomic operation on a variable of the thread, which no other thread sees, becomes a trap: pass a "
            "pointer to the kernel, or declare the variable __shared__"
        )
    return ""


def undeclared_in_errors(output, source):
    """One sentence about a variable without a declaration, or "".

    It is assigned, or the size or the index of an array.

    Parameters
    ----------
    output : str
        What NVRTC or nvcc said.
    source : str
    """
    if found := _UNDECLARED_SIZE.search(output):
        return f"{found[1]} is not declared, and {_CONSTANT_SIZE}"
    found = _UNDECLARED.search(output)
    if not found and (index := _INDEX.search(output)):
        if _OF_ELEMENTWISE in source:
            return f"{index[1]} is not declared: the index of an element is i, as in x[i]"
        return (
            f"{index[1]} is not declared: int {index[1]} = blockIdx.x * blockDim.x + threadIdx.x; is a thread's index"
        )
    return f"C++ declares variables with their type: int {found[1]} = ..., or float {found[1]} = ..." if found else ""
