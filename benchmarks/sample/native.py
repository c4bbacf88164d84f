# SPDX-License-Identifier: MIT
"""The C++ functions of the sample's kernels as one library, with an entry for each that takes pointers to arguments."""

import pathlib
import subprocess

from kernel_file import C_TYPES, Kernel

FLAGS = ["-std=c++20", "-fopenmp", "-shared", "-fPIC"]
#: How those are compiled that kernels are compared with.
FAST = ["-O3", "-march=native"]
HEADERS = "algorithm array cmath cfloat cstdint cstring immintrin.h utility vector".split()


def source(kernels: list[Kernel]) -> str:
    parts = [f"#include <{header}>\n" for header in HEADERS]
    parts.append(
        "namespace {\n"
        "inline float from_half(unsigned short bits) { return _cvtsh_ss(bits); }\n"
        "inline unsigned short to_half(float value) { return _cvtss_sh(value, 0); }\n"
        "}\n"
    )
    for kernel in kernels:
        values = []
        for index, argument in enumerate(kernel.arguments):
            c_type = C_TYPES.get(argument.type, argument.type)
            if argument.together:
                values.append(f"(const {c_type}*)arguments[{index}]")
            else:
                values.append(f"*({c_type}{'*' if argument.size else ''}*)arguments[{index}]")
        parts.append(f"namespace sample_{kernel.name} {{\n{kernel.native}}}\n")
        parts.append(
            f'extern "C" void {kernel.name}(void** arguments) {{\n'
            f"  sample_{kernel.name}::reference({', '.join(values)});\n}}\n"
        )
    return "".join(parts)


def compile_library(kernels: list[Kernel], folder: pathlib.Path, flags: list[str]) -> pathlib.Path:
    """Compiles with g++; raises CalledProcessError, with the compiler's words printed, where that fails."""
    text, library = folder / "sample.cpp", folder / "sample.so"
    text.write_text(source(kernels))
    # Halves need F16C; every processor with AVX2 has it.
    subprocess.run(["g++", *FLAGS, "-mf16c", *flags, str(text), "-o", str(library)], check=True)
    return library
