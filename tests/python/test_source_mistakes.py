# SPDX-License-Identifier: MIT
"""What of Python, notebooks and text editors gets into sources: the error says what C++ has in its place."""

import numpy as np
import pytest
from pycuda import gpuarray
from pycuda._compile_advice import advice, advice_on_errors
from pycuda.compiler import SourceModule
from pycuda.driver import CompileError
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import get_or_register_dtype

KERNEL = "__global__ void f(float *a, int n) { a[threadIdx.x] = n; }\n"


def kernel(body, parameters="float *a, int n"):
    return f"__global__ void f({parameters}) {{ {body} }}\n"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("%%cuda\n" + KERNEL, "%%cuda is for notebooks: it belongs on the first line of a cell, above the source"),
        ("\n  %%writefile k.cu\n" + KERNEL, "%%writefile is for notebooks"),
        ("%load_ext pycuda\n" + KERNEL, "%load_ext is for notebooks: .* in a cell of Python"),
        (kernel("a[0] = {n_max};"), "{n_max} looks like a placeholder of an f-string"),
        (kernel("a[0] = %d;"), "%d is a placeholder"),
        (kernel("a[0] = $n;"), r"\$n is a placeholder"),
        (kernel("a[0] = @n@;"), "@n@ is a placeholder"),
        ("def f(a):\n    a[0] = 1\n", r"the source is Python: .*__global__ void"),
        (kernel("for i in range(4): a[i] = 1;"), r"is Python: C\+\+ writes for \(int i"),
        (kernel("if (n > 1 && True) a[0] = 1;"), "True is Python: .* true"),
        (kernel("a[0] = a[1]**2;"), r"no operator \*\*: .*powf"),
        (kernel("", "float32 *a"), "float32 is NumPy's name: .* float"),
        (kernel("", "np.float32 *a"), "np is Python's name"),
        (kernel("", "uint8 *a"), "unsigned char"),
        (kernel("", "complex<float> *a"), "#include <pycuda-complex.hpp>"),
        (kernel("a[0] = len(a);"), "do not know their length"),
        (kernel("a[threadIdx] = 1;"), r"three parts: threadIdx\.x"),
        (kernel("a[threadIdx.i] = 1;"), "three parts"),
        (kernel("float x[n]; a[0] = x[0];"), "extern __shared__ float x"),
        (kernel("", "float a[][]"), r"a\[row \* columns \+ column\]"),
        ("__constant__ float c; " + kernel("c = 1;"), r"only read __constant__ variables: .*get_global"),
        (kernel("x = a[0]; a[1] = x;"), r"declares variables with their type: int x = \.\.\., or float x"),
        (kernel("a[i] = 1;"), r"i is not declared: int i = blockIdx\.x \* blockDim\.x \+ threadIdx\.x; is a thread's"),
        (kernel("a[n * row + 1] = 1;"), "row is not declared: int row = blockIdx"),
        (kernel("a[cuda.threadIdx.x] = 1;"), r"cuda\.threadIdx, cuda\.grid\(1\) \.\.\. are Numba's: .* threadIdx\.x"),
        (kernel("int i = cuda.grid(1); a[i] = 1;"), "Numba's"),
        (kernel("a[0] = sqrtf(a);"), r"a pointer is no number: x\[i\]"),
        (kernel("a[0] = 2 * a;"), r"a pointer is no number: x\[i\]"),
        (kernel("atomicAdd(&a, 1.0f);"), r"a is an address already, and &a that of the pointer: write atomicAdd\(a, "),
        (kernel("atomicInc(&p, 9);", "unsigned *p"), r"p is an address already, .*: write atomicInc\(p, \.\.\.\)"),
        (kernel("for (i = 0; i < n; ++i) a[i] = 1;"), r"int i = \.\.\."),
        (kernel("total += a[0];"), r"int total = \.\.\."),
        (kernel("\n# set\na[0] = 1;"), "a comment of C\\+\\+ begins with //"),
        (kernel("\n# don't set\na[0] = 1;"), "a comment of C\\+\\+ begins with //"),
        (kernel("a[0] = 1; # set\n"), "a comment of C\\+\\+ begins with //, not with #"),
        (kernel("a[0] = 1; # don't\n"), "a comment of C\\+\\+ begins with //, not with #"),
        (kernel("", "float *a, # the array\n int n"), "a comment of C\\+\\+ begins with //, not with #"),
        ("#define N 4 # threads\n" + kernel("a[0] = N;"), "a comment of C\\+\\+ begins with //, not with #"),
        ("# if n is small\n" + KERNEL, "a line that begins with # is no comment"),
        ("# 2 threads\n" + KERNEL, "a line that begins with # is no comment"),
        ("# include this\n" + KERNEL, "a line that begins with # is no comment"),
        (kernel("a[n//2] = 1;"), "// begins a comment in C\\+\\+, as in 'n//2]': / divides integers"),
        (kernel("a[0] = a[1]^2;"), "exclusive or: write x \\* x"),
        (kernel("a[0][1] = 2;"), r"a pointer has one index: a\[row \* columns \+ column\]"),
        (kernel("a[0] = a.size();"), "neither methods nor a length: pass it, int n"),
        (kernel("atomicAdd(a[0], 1.0f);"), r"atomicAdd takes an address, as in atomicAdd\(&a\[i\], 1\)"),
        (
            kernel("atomicMax(a, 1.0f);"),
            "atomicMax takes addresses of int, .* long long, not of float: .*atomicCAS",
        ),
        (kernel("atomicSub(&a[1], 1.0f);"), r"int and unsigned int, not of float: atomicAdd\(&a\[i\], -x\) subtracts"),
        (
            kernel("atomicAdd(a, 1);", "long long *a"),
            r"not of long long: .*atomicAdd\(\(unsigned long long \*\)&a",
        ),
        (kernel("atomicOr(a, 1);", "unsigned char *a"), "not of unsigned char: make it an array of int"),
        (
            "#include <cuda_fp16.h>\n" + kernel("atomicSub(a, a[1]);", "__half *a"),
            r"not of __half: atomicAdd\(&a\[i\], -x\) subtracts from compute capability 7\.0 on",
        ),
        (
            "#include <cuda_bf16.h>\n" + kernel("atomicMax(a, a[1]);", "__nv_bfloat16 *a"),
            r"not of __nv_bfloat16: make it an array of float, or use a loop with atomicCAS .*\(unsigned short\)",
        ),
        (kernel("atomicInc(a, 9);", "int *a"), r"atomicInc takes addresses of unsigned int, not of int: atomicAdd\("),
        (kernel("int tile[m]; a[0] = tile[n];"), "m is not declared, and the compiler must know the size of an array"),
        (kernel("__shared__ float tile[3][m + 1]; a[0] = tile[n][0];"), "m is not declared, and the compiler must"),
        ("__global__ void f(float *a):\n{\n  a[0] = 1;\n}\n", r"braces .* and no colon: void f\(\.\.\.\) { \.\.\. }"),
        ("__global__ void f(float *a):\n    a[0] = 1;\n", r"no colon: void f\("),
        (kernel("int blocks = gridDim;"), r"three parts: threadIdx\.x"),
        (kernel("printf('hello');"), 'texts in double quotes, "..."'),
        (kernel("if n > 1 { a[0] = 1; }"), r"a condition in parentheses: if \(\.\.\.\)"),
        (kernel("if (n > 1) and (f(n) < 3) a[0] = 1;"), r"whole condition stands in parentheses: if \(\(\.\.\.\) && "),
        (kernel("while (n > 1) || (n < 3) --n;"), r"whole condition stands in parentheses: while \("),
        (kernel("a(n) = 1;"), r"a is no function: a\[i\] is element i of an array, a \* \(\.\.\.\) a product"),
        (kernel("float ä = 1; a[0] = ä + n(2 + 3);"), r"n is no function: n\[i\]"),
        (kernel("a[0] = n if n > 1 else 2;"), r"condition \? x : y"),
        (kernel("return a[0];"), "a void function, such as a kernel, returns nothing"),
        (kernel("a[0] = max(n, 2.0);"), r"max takes two numbers of one type: max\(x, 1.0f\)"),
        (
            kernel("a[0] = g(2);") + "__device__ float g(float x)\n{ return x; }",
            "g is defined further down: .* move it above",
        ),
        (kernel("a[0] = c[0];") + "__constant__ float c[4];", "c is defined further down"),
        (kernel("a[0] = N;") + "#define N 4\n", "N is defined further down"),
        (kernel("a = 1;"), r"a pointer is no number: x\[i\] is one"),
        (kernel("a[0] = math.sqrt(2);"), "math is Python's module"),
        (kernel("a[0] = rand();"), r"no rand\(\): pass numbers that pycuda\.curandom makes"),
        ("#include <vector>\n" + kernel("std::vector<int> v;"), "std::vector is for the host"),
        (kernel("printf(\u201chi\u201d);"), 'U\\+201C, a curly quotation mark: type "'),
        (kernel("\u00a0a[0] = 1;"), r"U\+00A0, a space that does not break"),
        (kernel("a[0] = 1 \u2212 n;"), r"U\+2212, a minus sign of typography"),
        (kernel("a[0] = 1"), "the last statement before } has no ; at its end"),
        (
            kernel("/* \u00e4\u00f6\u00fc\u00e4\u00f6\u00fc */ a[0] = 1"),
            "the last statement before } has no ; at its end",
        ),
        (kernel("\n  a[0] = 1\n  a[1] = 2;\n"), "the line before has no ; at its end"),
        (kernel("\n\ta[0] = 1\n\ta[1] = 2;\n"), "the line before has no ; at its end"),
        (kernel("\n  a[0] = 1\n"), "the line before has no ; at its end"),
        (kernel("__shared__ float t[3][4]; t[n, n + 1] = 2;"), r"indexes two dimensions by a\[i\]\[j\]"),
        (kernel("__shared__ float t[3][4]; a[0] = t[min(n, 3), threadIdx.x];"), r"by a\[i\]\[j\]"),
    ],
)
def test_what_c_has_in_its_place_is_named(context, source, words):
    with pytest.raises(CompileError, match=words) as caught:
        SourceModule(source)
    assert str(caught.value).index("error") < str(caught.value).index("compilation of")  # the compiler's words first


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "a[0] = 1;\n __syncthreads;\n a[1] = 2;",
            r"what to do: __syncthreads .*: call it, __syncthreads\(\);",
        ),
        (
            "int i;\n atomicAdd(&i, 1);\n a[0] = i;",
            "Cannot do atomic .*what to do: .* variable of the thread",
        ),
    ],
)
def test_warnings_of_mistakes_say_what_to_do(context, body, words):
    with pytest.warns(UserWarning, match=f"(?s){words}"):
        SourceModule(kernel(body), cache_dir=False)


def test_an_option_that_is_misspelt(context):
    with pytest.raises(CompileError, match="there is no option -use_fast_maths; did you mean -use_fast_math?"):
        SourceModule(KERNEL, options=["-use_fast_maths"])
    with pytest.raises(CompileError, match="the option -o has no value: it follows as the next element\n"):
        SourceModule(KERNEL, options=["-o"])


def test_an_unknown_architecture(context):
    with pytest.warns(UserWarning), pytest.raises(CompileError, match="prints the architectures that NVRTC knows"):
        SourceModule(KERNEL, arch="sm_987")


@pytest.mark.parametrize(
    ("operation", "words"),
    [
        ("y = sqrtf(x)", r"a pointer is no number: x\[i\]"),
        ("y[i] = 2 * x", r"a pointer is no number: x\[i\]"),
        ("y[i] = x[j]", r"j is not declared: the index of an element is i, as in x\[i\]"),
    ],
)
def test_operations_that_name_no_element(context, operation, words):
    x = gpuarray.zeros(4, np.float32)
    with pytest.raises(CompileError, match=words):
        ElementwiseKernel("float *x, float *y", operation)(x, x)


def test_numba_s_names_are_no_reason_to_try_nvcc(context):
    with pytest.raises(CompileError) as caught:
        SourceModule(kernel("a[cuda.threadIdx.x] = 1;"))
    assert "nvcc was tried" not in str(caught.value)
    assert str(caught.value).count("cuda.threadIdx.x") == 1


def test_a_struct_that_the_preamble_lacks(context):
    dtype = get_or_register_dtype("missing_pt", np.dtype([("x", np.float32), ("y", np.int32)]))
    kernel = ElementwiseKernel("missing_pt *p, float *o", "o[i] = p[i].x")
    with pytest.raises(CompileError, match=r"preamble='struct missing_pt \{ ... \};'"):
        kernel(gpuarray.zeros(4, dtype), gpuarray.zeros(4, np.float32))


@pytest.mark.parametrize(
    "source",
    [
        KERNEL,
        "__device__ int rest(int a, int b) { return a\n  %b; }\n" + KERNEL,
        "__device__ float power(float **x) { return **x; } // x**2, {n}, %d, \u201cquoted\u201d\n" + KERNEL,
        "struct A { int x; };\nclass B : public A { };\n" + KERNEL,
        "__device__ int sum(const int (&x)[4]) { int s = 0; for (int y : x) s += y; return s; }\n" + KERNEL,
        '__device__ const char *text = "%%cuda def f(a): $n @n@";\n' + KERNEL,
    ],
)
def test_sources_of_c_need_no_advice(source):
    assert advice(source) == ""


@pytest.mark.parametrize(
    "output",
    [
        'kernel.cu(1): error: operand of "*" must be a pointer but has type "int"\n  x = **y;\n      ^',
        "kernel.cu(1): error: expression must have a constant value\n  case n: break;\n       ^",
        'kernel.cu(1): error: identifier "n" is undefined\n  int a[] = {{n}};\n              ^',
        'kernel.cu(1): error: class "float3" has no member "i"\n  a.i\n    ^',
        'kernel.cu(1): error: expected a ";"\n  int x y = 3;\n        ^',
        "kernel.cu(3): error: extra text after expected end of preprocessing directive\n  #endif FAST\n         ^",
        'kernel.cu(2): error: "#" not expected here\n  a[0] = NAME(x);\n         ^',
        "kernel.cu(1): error: no such thing\n  x = f(a[i], b[j]);\n      ^",
    ],
)
def test_other_errors_of_the_same_words_are_left_to_the_compiler(output):
    assert advice_on_errors(output) == ""
