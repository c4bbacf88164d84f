# SPDX-License-Identifier: MIT
# The headers of other projects that most files of a folder include, parsed once for all of them: parsing them is 40 to
# 90 % of the time that these files compile for. Source files include what they need all the same, so that they compile
# without. Headers of our own are not among them: an edit would compile the whole folder again.
set(precompile OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompile ON)
endif()
option(PYCUDA_PRECOMPILED_HEADERS "Precompile the headers of LLVM, CUDA, nanobind, doctest and the standard library" ${precompile})

set(pycuda_standard_headers
  <algorithm> <array> <atomic> <bit> <chrono> <cstddef> <cstdint> <cstring> <functional> <limits> <map> <memory> <mutex>
  <optional> <span> <string> <string_view> <system_error> <unordered_map> <utility> <variant> <vector>)
# cuda.h as src/driver/cuda_types.h and src/cpu/api/cuda_abi.h include it: functions keep the names of their ABI.
set(cuda_header "${PROJECT_BINARY_DIR}/cuda_without_renaming.h")
file(CONFIGURE OUTPUT "${cuda_header}" CONTENT "#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n" @ONLY)
file(SHA256 "${PYCUDA_CUDA_INCLUDE}/cuda.h" pycuda_cuda_header_sum)
set(pycuda_cuda_headers ${pycuda_standard_headers} "${cuda_header}")
set(pycuda_test_headers ${pycuda_standard_headers} <doctest/doctest.h>)
set(pycuda_python_headers ${pycuda_standard_headers}
  <nanobind/nanobind.h> <nanobind/stl/optional.h> <nanobind/stl/shared_ptr.h> <nanobind/stl/string.h>
  <nanobind/stl/unique_ptr.h> <nanobind/stl/vector.h> "${cuda_header}")
set(pycuda_llvm_headers
  <algorithm> <cstdint> <functional> <map> <memory> <optional> <set> <string> <string_view> <unordered_map> <utility>
  <vector>
  <llvm/IR/Module.h> <llvm/IR/Instructions.h> <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h>
  <llvm/IR/IntrinsicInst.h> <llvm/IR/Dominators.h> <llvm/IR/PatternMatch.h>
  <llvm/Analysis/ValueTracking.h> <llvm/Analysis/LoopInfo.h> <llvm/ADT/STLExtras.h>)
set(pycuda_llvm_test_headers ${pycuda_llvm_headers} <doctest/doctest.h>)

# pycuda_precompile(<target> standard | cuda | python | llvm | test | llvm_test): the first target of a set and of the same options
# makes the headers; the others take them.
function(pycuda_precompile target set)
  if(NOT PYCUDA_PRECOMPILED_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  # What GCC wants to be the same.
  get_target_property(type ${target} TYPE)
  get_target_property(options ${target} COMPILE_OPTIONS)
  set(property "PYCUDA_PRECOMPILED_${set}_${type}_${options}")
  get_property(maker GLOBAL PROPERTY "${property}")
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    set(headers ${pycuda_${set}_headers})
    target_precompile_headers(${target} PRIVATE ${headers})
    set_property(GLOBAL PROPERTY "${property}" ${target})
    string(REPLACE "${PROJECT_BINARY_DIR}" "${pycuda_cuda_header_sum}" headers_by_content "${headers}")
    string(SHA256 sum "${headers_by_content} ${LLVM_PACKAGE_VERSION} ${Python_VERSION} ${nanobind_VERSION}
      ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION}")
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum" "${sum}")
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess  # ccache asks for it
    # In precompiled headers GCC forgets which of them are the system's, and warns of std::string's own copies.
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endfunction()
