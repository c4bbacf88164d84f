# SPDX-License-Identifier: MIT
# ccache and a fast linker, where the machine has them: LLVM makes both worth it.
find_program(PYCUDA_CCACHE ccache)
if(PYCUDA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${PYCUDA_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PYCUDA_CCACHE}")
endif()
find_program(PYCUDA_LLD NAMES ld.lld-19 ld.lld)
find_program(PYCUDA_MOLD NAMES mold)
if(PYCUDA_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(PYCUDA_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-fuse-ld=lld)
endif()
