# SPDX-License-Identifier: MIT
# ccache and a fast linker, where the machine has them: LLVM makes both worth it.
find_program(PYCUDA_CCACHE ccache)
if(PYCUDA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # For precompiled headers: ccache need not know which macros and times they depend on, and tells them apart by a file
  # of ours (PrecompiledHeaders.cmake), because GCC never writes the same one twice. How often the compiler collects
  # garbage (CompilerMemory.cmake) does not change what it writes. Paths below the checkout count as relative ones, so
  # that build folders have objects in common: the wheels' are those of `./run build`.
  execute_process(COMMAND "${PYCUDA_CCACHE}" --get-config base_dir OUTPUT_VARIABLE base ERROR_QUIET
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT base)
    set(base "${PROJECT_SOURCE_DIR}")
  endif()
  set(launcher "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime
    CCACHE_PCH_EXTSUM=1 CCACHE_IGNOREOPTIONS=--param=ggc-* "CCACHE_BASEDIR=${base}" "${PYCUDA_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
endif()
find_program(PYCUDA_LLD NAMES ld.lld)
find_program(PYCUDA_MOLD NAMES mold)
if(PYCUDA_MOLD AND CMAKE_CROSSCOMPILING)
  # A cross compiler takes linkers by its machine's prefix alone, or `ld` from a folder that it is given.
  file(REAL_PATH "${PYCUDA_MOLD}" mold)
  get_filename_component(mold_folder "${mold}" DIRECTORY)
  file(REAL_PATH "${mold_folder}/../libexec/mold" mold_folder)
  if(EXISTS "${mold_folder}/ld")
    add_link_options("-B${mold_folder}")
  else()
    set(PYCUDA_MOLD OFF)
  endif()
elseif(PYCUDA_MOLD)
  add_link_options(-fuse-ld=mold)
elseif(PYCUDA_LLD AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-fuse-ld=lld)
endif()
