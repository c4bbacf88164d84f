# SPDX-License-Identifier: MIT
# LLVM's headers, parsed once for all files that include them: parsing them was 40 % of the time that these compile for.
# Source files include what they need all the same, so that they compile without.
set(precompile OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(precompile ON)
endif()
option(PYCUDA_PRECOMPILED_HEADERS "Precompile the headers of LLVM" ${precompile})

set(pycuda_llvm_headers
  <algorithm> <cstdint> <functional> <map> <memory> <optional> <set> <string> <string_view> <unordered_map> <utility>
  <vector>
  <llvm/IR/Module.h> <llvm/IR/Instructions.h> <llvm/IR/IRBuilder.h> <llvm/IR/InstIterator.h>
  <llvm/IR/IntrinsicInst.h> <llvm/IR/Dominators.h> <llvm/IR/PatternMatch.h>
  <llvm/Analysis/ValueTracking.h> <llvm/Analysis/LoopInfo.h> <llvm/ADT/STLExtras.h>)

# The first target that calls it makes the headers, with its own options; the others must have the same.
function(pycuda_precompile_llvm target)
  if(NOT PYCUDA_PRECOMPILED_HEADERS OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  get_property(maker GLOBAL PROPERTY PYCUDA_LLVM_HEADERS_OF)
  if(maker)
    target_precompile_headers(${target} REUSE_FROM ${maker})
  else()
    target_precompile_headers(${target} PRIVATE ${pycuda_llvm_headers})
    set_property(GLOBAL PROPERTY PYCUDA_LLVM_HEADERS_OF ${target})
    string(SHA256 sum "${pycuda_llvm_headers} ${LLVM_PACKAGE_VERSION} ${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION}")
    file(WRITE "${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum" "${sum}")
  endif()
  target_compile_options(${target} PRIVATE -fpch-preprocess  # ccache asks for it
    # In precompiled headers GCC forgets which of them are the system's, and warns of std::string's own copies.
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endfunction()
