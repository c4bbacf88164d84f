# SPDX-License-Identifier: MIT
# What the CPU driver is built with, and what of it is not here: LLVM 19, the libraries that LLVM's own configuration
# takes for granted (its package need not bring them), and the compressions of fat binaries.
set(PYCUDA_LLVM_HINTS /usr/lib/llvm-19/lib/cmake/llvm /usr/lib/llvm-19/cmake)

# Sets `missing` to the packages of Debian and Ubuntu to install, as words; empty when all is here.
function(pycuda_find_cpu_driver_needs missing)
  set(packages "")
  # Quiet: LLVM is found also where the libraries are not, and then fails without a word about packages.
  find_package(LLVM 19.1 QUIET CONFIG HINTS ${PYCUDA_LLVM_HINTS})
  if(NOT LLVM_FOUND)
    list(APPEND packages llvm-19-dev)
  endif()
  set(libraries lz4 zstd z)
  set(headers lz4.h zstd.h zlib.h)
  set(names liblz4-dev libzstd-dev zlib1g-dev)
  foreach(library header name IN ZIP_LISTS libraries headers names)
    find_library(PYCUDA_NEEDS_${library} NAMES ${library})
    find_path(PYCUDA_NEEDS_${header} ${header})
    mark_as_advanced(PYCUDA_NEEDS_${library} PYCUDA_NEEDS_${header})
    if(NOT PYCUDA_NEEDS_${library} OR NOT PYCUDA_NEEDS_${header})
      list(APPEND packages ${name})
    endif()
  endforeach()
  list(JOIN packages " " packages)
  set(${missing} "${packages}" PARENT_SCOPE)
endfunction()
