# SPDX-License-Identifier: MIT
# GCC collects garbage when its memory has grown by 30 to 100 % since the last time, and starts at 128 MB at the most. Files
# with LLVM's precompiled headers begin above that, and collecting takes up to a fifth of their time. With these numbers
# they hardly collect at all, and need a tenth more memory: the largest 860 MB.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(
    $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=300> $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=500000>)
endif()
