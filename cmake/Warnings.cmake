# SPDX-License-Identifier: MIT
# The warnings of our own code; they are errors, but not to those who install with a compiler that we do not know.
# Foreign headers come in as SYSTEM.
add_library(pycuda_warnings INTERFACE)
target_compile_options(pycuda_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wno-sign-conversion
  # C linkage is there for the names: compiled kernels call these functions, no C program does.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-return-type-c-linkage>
  # libstdc++'s stable_sort uses what libstdc++ deprecates.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<NOT:$<BOOL:${SKBUILD}>>:-Werror>)
