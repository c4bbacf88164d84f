# SPDX-License-Identifier: MIT
if(PYCUDA_SANITIZE)
  list(JOIN PYCUDA_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all -g)
  add_link_options(-fsanitize=${sanitizers})
  if(PYCUDA_SANITIZE MATCHES "undefined")
    # The compiler's half has no type information, as LLVM has none, and makes objects of types that both halves use.
    add_compile_options(-fno-sanitize=vptr)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND PYCUDA_SANITIZE MATCHES "thread")
    # TSan knows no fences: what ours order are atomics, about which it says nothing.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-tsan>)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC inlines differently then and takes LLVM's own pair of `operator new` and `delete` for a mismatch.
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-mismatched-new-delete>)
  endif()
endif()
