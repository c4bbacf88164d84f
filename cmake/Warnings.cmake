# SPDX-License-Identifier: MIT
# The warnings of our own code. They are errors, except for `pip install`, where the compiler may be any.
# Foreign headers come in as SYSTEM.
if(SKBUILD)
  set(warnings_are_errors OFF)
else()
  set(warnings_are_errors ON)
endif()
option(PYCUDA_WARNINGS_ARE_ERRORS "Stop at a compiler warning" ${warnings_are_errors})
add_library(pycuda_warnings INTERFACE)
target_compile_options(pycuda_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wno-sign-conversion
  # C linkage is there for the names: compiled kernels call these functions, no C program does.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-return-type-c-linkage>
  # libstdc++'s stable_sort uses what libstdc++ deprecates.
  $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${PYCUDA_WARNINGS_ARE_ERRORS}>:-Werror>)
