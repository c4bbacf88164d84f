# SPDX-License-Identifier: MIT
# Links libraries so that they load on systems older than this one: libstdc++ is linked in, and glibc's symbols are taken
# in the versions of PYCUDA_OLDEST_GLIBC (packaging/glibc). For wheels; empty links as usual.
set(PYCUDA_OLDEST_GLIBC "" CACHE STRING "The oldest glibc to load on, 2.28 for instance; empty: this system's")

if(PYCUDA_OLDEST_GLIBC)
  set(old_glibc_sources "${PROJECT_SOURCE_DIR}/packaging/glibc")
  set(old_glibc_folder "${PROJECT_BINARY_DIR}/glibc-${PYCUDA_OLDEST_GLIBC}")
  execute_process(
    COMMAND "${Python_EXECUTABLE}" "${old_glibc_sources}/make_stubs.py" "${PYCUDA_OLDEST_GLIBC}" "${old_glibc_folder}"
      "${CMAKE_C_COMPILER}"
    COMMAND_ERROR_IS_FATAL ANY)
  add_library(newer_functions OBJECT "${old_glibc_sources}/newer_functions.c")
  execute_process(COMMAND "${CMAKE_C_COMPILER}" -print-file-name=libc_nonshared.a
    OUTPUT_VARIABLE old_glibc_nonshared OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endif()

# Call it last: what comes after it on the link line would not see the old symbols.
function(pycuda_link_for_old_glibc target)
  if(PYCUDA_OLDEST_GLIBC)
    target_link_options(${target} PRIVATE -static-libstdc++ "-L${old_glibc_folder}" LINKER:--exclude-libs,ALL)
    target_link_libraries(${target} PRIVATE newer_functions
      "-Wl,--push-state,--no-as-needed" -lpthread -ldl "-Wl,--as-needed" -lm -lc -lld_linux "${old_glibc_nonshared}"
      "-Wl,--pop-state")
    # For small wheels: no symbols but those that are exported, functions of the same code once, no addresses beside those
    # of relocations. LLD must not do it: it folds the cold parts of functions by their code alone, and an exception that
    # leaves one is then unwound with another function's frame. mold compares how they are unwound, too.
    target_link_options(${target} PRIVATE LINKER:--strip-all)
    if(PYCUDA_MOLD)
      target_link_options(${target} PRIVATE LINKER:--icf=all LINKER:--no-apply-dynamic-relocs LINKER:--gc-sections)
    endif()
  endif()
endfunction()
