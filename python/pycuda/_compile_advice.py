# SPDX-License-Identifier: MIT
"""What to do about a source that does not compile, for the mistakes that beginners make most."""

import difflib
import os
import re

from pycuda._source_mistakes import hash_comment_in_errors, mistake_in_errors, mistake_in_source, undeclared_in_errors
from pycuda._source_text import code_of

# Of %-formats, string.Template and jinja; "{{x}}" is also an initialiser in C++.
_PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|\$\{\w+\}|\{\{ \w+ \}\}|\{% *(?:for|if|endfor|endif|set)\b")
_OF_OPENCL = re.compile(r"\b(__kernel|__global|__local|get_global_id)\b")
_HOST_CALL = re.compile(r"\b(cuda(?:Malloc|Memcpy|Memset|Free|DeviceSynchronize|GetLastError)\w*)\s*\(")
_DEVICE_FUNCTION = re.compile(r"__(?:global|device)__[^;{}=]*\([^;{}]*\)[^;{}=]*\{")
# Of a function, or of what is declared by one of these words.
_DEFINITION = (
    r"\bNAME\s*\([^;{}]*\)\s*\{|"
    r"^[^\n(]*\b(?:__constant__|__device__|const|constexpr|struct|enum|typedef|using)\b[^\n(]*\bNAME\b"
)
_FLOOR_DIVISION = re.compile(r"[\w\])] ?// ?\w+[\])]")
_MAIN = re.compile(r"\b(?:int|void|auto)\s+main\s*\(")
_SUMMARY = re.compile(r"\d+ (?:catastrophic )?errors? detected in the compilation of|Compilation terminated\.$")
_ERROR_PLACE = re.compile(r"\bkernel\.cu\((\d+)\): (?:catastrophic )?error")
# Where a closing brace is missing, the compiler points to the brace around the source, which the source does not show.
_WRAPPING_BRACE = re.compile(r'^[^\n]*: note [^\n]*to match this "{"\n+ *extern "C" {\n *\^\n*', re.MULTILINE)
_CANDIDATE = re.compile(r"\bnote #\d+-D: .*(?:does not match|failed deduction)", re.IGNORECASE)
_OF_GENERATED = re.compile(r"\b(?:REDUCE|READ_AND_MAP|SCAN_EXPR|INPUT_EXPR)\(")
_REMEDIES = {
    "cudaMalloc": "pycuda.driver.mem_alloc or pycuda.gpuarray allocate device memory",
    "cudaMemcpy": "pycuda.driver.In, Out and InOut, or pycuda.gpuarray, copy arrays",
    "cudaMemset": "pycuda.driver.memset_d32, or pycuda.gpuarray.zeros, fill memory",
    "cudaFree": "device memory is freed with the Python object that holds it",
    "cudaDeviceSynchronize": "pycuda.driver.Context.synchronize waits for kernels",
    "cudaGetLastError": "errors are Python exceptions",
}

_UNKNOWN_NAME = re.compile(r'error: (?:identifier "(\w+)" is undefined|namespace "(\w+)" has no member "(\w+)")')
# The compiler marks the name of a namespace, or what should be a specifier, in the line of the source, and does not
# repeat it.
_MARKED_NAME = re.compile(
    r'error: (?:name (?:followed by "::"|must be a namespace)|explicit type is missing|'
    r"this declaration has no storage class or type specifier)"
    r"[^\n]*\n([^\n]*)\n( *)\^"
)
_HEADERS = (
    (r"u?int(?:_fast|_least)?(?:8|16|32|64)_t|u?int(?:ptr|max)_t", "<cstdint>"),
    (r"(?:FLT|DBL)_[A-Z_\d]+", "<cfloat>"),
    (r"CUDART_[A-Z_\d]+", "<math_constants.h>"),
    (r"(?:__)?half2?|__float2half\w*|__half2float", "<cuda_fp16.h>"),
    (r"(?:__)?nv_bfloat16\w*|__float2bfloat16\w*|__bfloat162float", "<cuda_bf16.h>"),
    (r"__nv_fp8\w*", "<cuda_fp8.h>"),
    (r"cu(?:Float|Double)?Complex|make_cu\w+Complex|cuC\w+f?", "<cuComplex.h>"),
    (r"curand\w*", "<curand_kernel.h>"),
    (r"cooperative_groups", "<cooperative_groups.h>"),
    (r"nvcuda", "<mma.h>"),
    (r"cub", "<cub/cub.cuh>"),
    (r"pycuda", "<pycuda-complex.hpp>"),
    (r"CU[a-z]\w+|CU_[A-Z_\d]+", "<cuda.h>, which `pip install nvidia-cuda-runtime` brings in full"),
    (r"std::(?:min|max|swap|clamp)", "<algorithm>"),
    (r"std::numeric_limits", "<limits>"),
    (r"std::(complex|array|tuple)", r"<\1>"),
)

_CUDA_HEADERS = (
    "cuda_runtime.h cuda_fp16.h cuda_bf16.h cuda_fp8.h cooperative_groups.h curand_kernel.h cuComplex.h mma.h "
    "math_constants.h cub/cub.cuh thrust/complex.h pycuda-complex.hpp pycuda-helpers.hpp"
).split()
# What CUDA declares in every source and programs misspell.
_BUILT_IN = (
    "__global__ __device__ __shared__ __constant__ __host__ __managed__ __launch_bounds__ __restrict__ __forceinline__ "
    "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncwarp __syncthreads_count __threadfence "
    "__threadfence_block __threadfence_system __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync "
    "__ballot_sync __any_sync __all_sync __activemask __match_any_sync __popc __clz __ffs __brev __ldg __fmaf_rn "
    "atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor "
    "sqrtf rsqrtf sinf cosf tanf expf logf powf fabsf fmaxf fminf floorf ceilf sqrt rsqrt printf assert "
    "make_float2 make_float3 make_float4 make_int2 make_int3 make_int4 tex1Dfetch tex1D tex2D tex3D surf2Dread "
    "surf2Dwrite clock64 float2 float3 float4 int2 int3 int4 dim3"
).split()


# That programs pass to compilers most, without the dashes.
_OPTIONS = (
    "use_fast_math lineinfo generate-line-info device-debug maxrregcount ftz=true ftz=false prec-div=true "
    "prec-div=false prec-sqrt=true prec-sqrt=false fmad=true fmad=false std=c++14 std=c++17 std=c++20 extended-lambda "
    "expt-relaxed-constexpr expt-extended-lambda restrict extra-device-vectorization include-path define-macro"
).split()


def _built_in_like(name):
    """The name of CUDA's that `name` is probably meant for, or ""."""
    by_letters = {built_in.lower(): built_in for built_in in _BUILT_IN}
    found = difflib.get_close_matches(name.lower(), by_letters, 1, 0.85)
    return by_letters[found[0]] if found else ""


def is_file_name(text):
    """Whether the source is the name of a file instead of code."""
    text = text.strip()
    return "\n" not in text and (text.endswith((".cu", ".cuh", ".cpp", ".h", ".hpp", ".txt")) or os.path.isfile(text))


def _without_device_functions(code):
    """The code for the host, and what is in the bodies of functions for the device."""
    host, device, end = "", "", 0
    while head := _DEVICE_FUNCTION.search(code, end):
        depth, at = 1, head.end()
        while depth and at < len(code):
            depth += (code[at] == "{") - (code[at] == "}")
            at += 1
        host += code[end : head.end()]
        device += code[head.end() : at]
        end = at
    return host + code[end:], device


def _advice_on_kernels(code, is_dynamic):
    """One sentence about what device code launches and calls, or ""."""
    call = _HOST_CALL.search(code)
    if not is_dynamic and "<<<" in code:
        return "a kernel that launches kernels by <<<...>>> needs DynamicSourceModule instead of SourceModule"
    if not is_dynamic and call is not None:
        return f"{call[1]} in a kernel needs CUDA's device run time: DynamicSourceModule instead of SourceModule"
    if is_dynamic and re.search(r"\bcudaDeviceSynchronize\b", code):
        return (
            "kernels cannot call cudaDeviceSynchronize since CUDA 12: launch what comes after the children into the "
            "stream cudaStreamTailLaunch, or call Context.synchronize in Python"
        )
    return ""


def advice(source, is_dynamic=False):
    """One sentence about a source that is not device code alone, or "".

    Parameters
    ----------
    source : str
        As the program passed it.
    is_dynamic : bool
        Whether its kernels may launch kernels (`DynamicSourceModule`).
    """
    if is_file_name(source):
        return f"the source is the name of a file: pass its text, open({source.strip()!r}).read()"
    whole = code_of(source)
    code, device_code = _without_device_functions(whole)
    if "<<<" in code:
        return (
            "kernels are not launched by <<<...>>> here: get_function returns a kernel that Python calls, "
            "func(..., block=(256, 1, 1), grid=(n, 1))"
        )
    call = _HOST_CALL.search(code)
    if call is not None:
        name = call[1]
        remedy = next((text for start, text in _REMEDIES.items() if name.startswith(start)), "")
        return f"{name} is host code, which Python does here: {remedy}"
    if _MAIN.search(code):
        return "main() is host code: SourceModule compiles device code only, and Python does the rest"
    if found := _PLACEHOLDER.search(whole):
        return f"{found[0]} is a placeholder of a template, which has not been filled in"
    if found := _OF_OPENCL.search(whole):
        return (
            f"{found[1]} is OpenCL's: in CUDA a kernel is __global__ void, its arrays are plain pointers, its index "
            "blockIdx.x * blockDim.x + threadIdx.x"
        )
    if said := mistake_in_source(whole) or _advice_on_kernels(device_code, is_dynamic):
        return said
    found = _FLOOR_DIVISION.search(source)
    return f"// begins a comment in C++, as in {found[0]!r}: / divides integers" if found else ""


def _advice_on_order(names, source):
    """About the first of the unknown names that the source defines after all, or ""."""
    code = code_of(source)
    for name in names:
        if re.search(_DEFINITION.replace("NAME", name), code, re.M) or re.search(
            rf"^ *# *define {name}\b", source, re.M
        ):
            return f"{name} is defined further down: C++ reads from top to bottom, so move it above its first use"
    return ""


def advice_on_errors(output, source=""):
    """One sentence about the errors that a compiler reports, or "".

    Parameters
    ----------
    output : str
        What NVRTC or nvcc said.
    source : str
        What it was said of.
    """
    if found := re.search(r'cannot open source file "([^"]+)"', output):
        close = difflib.get_close_matches(found[1], _CUDA_HEADERS, 1, 0.8)
        if close and close[0] != found[1]:
            return f"there is no header {found[1]}; did you mean {close[0]}?"
    if found := re.search(r"unrecognized option (-[^ \n]+) found", output):
        close = difflib.get_close_matches(found[1].lstrip("-"), _OPTIONS, 1, 0.8)
        return f"there is no option {found[1]}; did you mean -{close[0]}?" if close else ""
    # Before what the text of a comment makes of it.
    if found := hash_comment_in_errors(output, source):
        return found
    if "error: missing closing quote" in output:
        return r'Python turns "\n" into a line break: write \\n in the source, or make it a raw string, r"""..."""'
    names = ["::".join(part for part in found if part) for found in _UNKNOWN_NAME.findall(output)]
    if {"std::cout", "cout"} & {*names}:
        return "kernels print with printf"
    for line, indent in _MARKED_NAME.findall(output):
        names += re.findall(r"^\w+", line[len(indent) :])
    if "cg" in names:
        return "cg is short for cooperative_groups: #include <cooperative_groups.h>, namespace cg = cooperative_groups;"
    for name in names:
        for pattern, header in _HEADERS:
            if found := re.fullmatch(pattern, name):
                return f"{name} is declared in a header: #include {found.expand(header)}"
    if "in" in names and "READ_AND_MAP(" in output:
        return 'without map_expr, the argument that is reduced is named in: arguments="float *in"'
    if found := mistake_in_errors(output):
        return found
    if found := _advice_on_order(names, source):
        return found
    for name in names:
        if meant := _built_in_like(name):
            return f"{name} is not declared; did you mean {meant}?"
    if found := undeclared_in_errors(output, source):
        return found
    if constant := next((name for name in names if re.fullmatch(r"[A-Z][A-Z_\d]*", name)), ""):
        return f"{constant} is not declared: #define {constant} 256 in the source, or options=['-D{constant}=256']"
    if found := re.search(r'more than one instance of overloaded function "(\w+)" has "C" linkage', output):
        return f"{found[1]} is a function of CUDA: give the kernel another name"
    if 'declaration is incompatible with previous "' in output and "extern __shared__" in output:
        return (
            "dynamic shared memory of one name has one type in a source: give each kernel's its own name, or declare "
            "extern __shared__ char bytes[] and cast it, as kernels that are templates must"
        )
    if "is not supported for this GPU architecture" in output or '"cluster_group"' in output:
        return (
            "the architecture that it is compiled for lacks it; on the CPU driver, PYCUDA_CPU_ARCH=90a in the "
            "environment makes a device with clusters"
        )
    if "annotation on lambda" in output:
        return "a lambda in device code is device code: leave out __device__"
    return ""


_MOST_ERRORS = 4


def without_summary(output):
    """A compiler's output without empty lines, lines that only count errors, and warnings beside an error."""
    lines, is_shown = [], True
    has_error = ": error" in output or ": catastrophic error" in output
    for line in _WRAPPING_BRACE.sub("", output).split("\n"):
        if has_error and not line[:1].isspace():
            is_shown = ": warning " not in line and not line.startswith("Remark: ")
        if is_shown and line.strip() and not _SUMMARY.match(line):
            lines.append(line)
    return "\n".join(_first(_telling("\n".join(lines))))


def _first(parts):
    """The parts up to the fourth error, and how many more there are: those follow from the first ones, mostly."""
    errors = [number for number, part in enumerate(parts) if ": error" in part.partition("\n")[0]]
    if len(errors) <= _MOST_ERRORS:
        return parts
    return [*parts[: errors[_MOST_ERRORS]], f"and {len(errors) - _MOST_ERRORS} more errors, in the exception's stderr"]


def _telling(output):
    """The parts of a compiler's output, each an error or a note, that do not only repeat or follow from others."""
    parts = re.split(r"\n(?=\S)", output)
    if any('error: attribute "__global__" does not apply here' in part for part in parts):
        # An unknown type among a kernel's parameters makes the compiler take the rest for a variable.
        parts = [part for part in parts if _UNKNOWN_NAME.search(part)][:1] or parts
    if sum(_CANDIDATE.search(part) is not None for part in parts) > 2:
        parts = [part for part in parts if not _CANDIDATE.search(part)]
    shown, said = [], set()
    for part in parts:
        # What a program gives as an expression stands in several places of a generated kernel.
        message = part.partition("\n")[0].partition(": ")[2] if _OF_GENERATED.search(part) else None
        if message is None or message not in said:
            shown.append(part)
        said.add(message)
    return shown


def line_of_first_error(output):
    """The line of kernel.cu that the first error of a compiler's output names; 1 if it names none."""
    found = _ERROR_PLACE.search(output)
    return 1 if found is None else int(found[1])


def without_details(command):
    """The options of a compiler's command that a program chose: without folders and what this package always adds."""
    shown = [one for one in command if not one.startswith(("-I", "-include", "-diag-suppress"))]
    return [one for one in shown if one not in ("-default-device", "-device-int128", "--generate-line-info")]
