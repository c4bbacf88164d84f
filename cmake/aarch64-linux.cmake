# SPDX-License-Identifier: MIT
# A toolchain file: builds for Linux on aarch64 with Debian's cross compiler, and runs programs of the build under
# QEMU. PYCUDA_SYSROOT is a folder with Debian's arm64 packages of LLVM 19, lz4, zstd, zlib and Python's headers,
# unpacked (tools/aarch64_sysroot.sh makes it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES PYCUDA_SYSROOT)
set(CMAKE_FIND_ROOT_PATH "${PYCUDA_SYSROOT}")
set(PYCUDA_PYTHON_ROOT "${PYCUDA_SYSROOT}" CACHE PATH "")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu)
