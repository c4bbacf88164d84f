# SPDX-License-Identifier: MIT
"""Sources as they come from files: marks, other encodings, names beyond ASCII."""

import shutil

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda.compiler import SourceModule, preprocess_source

pytestmark = pytest.mark.usefixtures("context")

BODY = "__global__ void k(int *o) { o[0] = 7; }\n"


def first(source, name="k", **keywords):
    result = np.zeros(1, np.int32)
    SourceModule(source, **keywords).get_function(name)(cuda.Out(result), block=(1, 1, 1))
    return result[0]


@pytest.mark.parametrize("extern_c", [True, False])
@pytest.mark.parametrize(
    "source",
    [
        "\ufeff" + BODY,
        b"\xef\xbb\xbf" + BODY.encode(),
        "\ufeff#include <cmath>\n// a mark before a directive\n" + BODY,
        b"// caf\xe9\n" + BODY.encode(),
        b"/* \xff\xfe\x80 */ " + BODY.encode(),
        b"// \xff\n" + BODY.encode(),
        "// \ud800 alone\n" + BODY,
        b"// na\xefve, as os.fsdecode reads it\n".decode("utf-8", "surrogateescape") + BODY,
        "// 漢字 größe\r\n" + BODY.replace("\n", "\r\n"),
        bytearray(b"// \xa4\n" + BODY.encode()),
    ],
)
def test_what_stands_in_comments_and_before_the_source_does_not_matter(source, extern_c):
    if not extern_c:
        text = b'extern "C" __global__' if isinstance(source, (bytes, bytearray)) else 'extern "C" __global__'
        source = source.replace(text[-10:], text)
    assert first(source, no_extern_c=not extern_c) == 7


@pytest.mark.parametrize(
    "source",
    [
        "__global__ void k(int *größe) { größe[0] = 7; }",
        "#define π 7\n__global__ void k(int *o) { o[0] = π; }",
        "struct 点 { int x; };\n__global__ void k(int *o) { 点 p = {7}; o[0] = p.x; }",
        "__device__ int next(int ẞ) { return ẞ + 1; }\n__global__ void k(int *o) { o[0] = next(6); }",
        "__global__ void k(int *o) { int 𝛼 = 7; o[0] = 𝛼; }",
    ],
)
def test_names_may_have_letters_of_any_script(source):
    assert first(source) == 7


@pytest.mark.parametrize(
    ("literal", "value"),
    [(b'"caf\xe9"[3] & 255', 0xE9), (b"'\xff' & 255", 0xFF), ('"é"[0] & 255'.encode(), 0xC3), (b"1'000 // \xe9", 1000)],
)
def test_bytes_in_literals_stay_what_they_are(literal, value):
    assert first(b"__global__ void k(int *o) { o[0] = " + literal + b"\n; }") == value


def test_lines_in_errors_stay_those_of_the_source():
    with pytest.raises(cuda.CompileError, match=r"kernel.cu\(3\)"):
        SourceModule(b"\xef\xbb\xbf// \xe9\n\n__global__ void k() { nothing; }\n")


def test_a_header_may_begin_with_a_mark(tmp_path):
    (tmp_path / "seven.h").write_bytes(b"\xef\xbb\xbf// caf\xe9\n#define SEVEN 7\n")
    assert first('#include "seven.h"\n__global__ void k(int *o) { o[0] = SEVEN; }', include_dirs=[str(tmp_path)]) == 7


def test_device_functions_have_ascii_names_as_with_nvcc():
    with pytest.raises(cuda.CompileError, match="not allowed in device entity name"):
        SourceModule("__device__ int größe(int x) { return x; }\n__global__ void k(int *o) { o[0] = größe(6); }")


@pytest.mark.parametrize("source", [b"// caf\xe9\nint a = ONE;\n", "// \ud800\nint a = ONE;\n"])
def test_sources_in_other_encodings_are_preprocessed(source):
    if not any(shutil.which(program) for program in ("c++", "g++", "clang++")):
        pytest.skip("needs a C++ compiler")
    assert "int a = 1;" in preprocess_source(source, ["-DONE=1"], "nvcc")
