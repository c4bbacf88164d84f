# SPDX-License-Identifier: MIT
# Several source files as one of the compiler's: of the time that a file with LLVM's headers takes, half goes to templates
# of these headers, which GCC instantiates in each file anew, precompiled or not.
set(together OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(together ON)
endif()
option(PYCUDA_COMPILE_TOGETHER "Compile the source files of a group as one: builds faster, an edit takes longer" ${together})

# pycuda_compile_together(<target> <group>...): groups of sources of this folder, by their names without ending. Names of
# their anonymous namespaces meet: when the compiler says that one is defined twice, rename it, or take its file out of the
# group. A file in no group is compiled alone.
function(pycuda_compile_together target)
  if(NOT PYCUDA_COMPILE_TOGETHER)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  foreach(group IN LISTS ARGN)
    separate_arguments(names UNIX_COMMAND "${group}")
    # Paths within src/, so that ccache finds what another checkout has compiled.
    set(text "")
    foreach(name IN LISTS names)
      set(source "${CMAKE_CURRENT_SOURCE_DIR}/${name}.cpp")
      if(NOT source IN_LIST sources)
        message(FATAL_ERROR "${CMAKE_CURRENT_SOURCE_DIR}/CMakeLists.txt: ${name}.cpp is not a source of ${target}, or in two groups.")
      endif()
      foreach(property COMPILE_OPTIONS COMPILE_DEFINITIONS COMPILE_FLAGS SKIP_PRECOMPILE_HEADERS)
        get_source_file_property(own "${source}" ${property})
        if(own)
          message(FATAL_ERROR "${source} has ${property} of its own, which a group would lose: compile it alone.")
        endif()
      endforeach()
      list(REMOVE_ITEM sources "${source}")
      file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}/src" "${source}")
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    list(GET names 0 first)
    set(together "${CMAKE_CURRENT_BINARY_DIR}/together/${first}.cpp")
    file(CONFIGURE OUTPUT "${together}" CONTENT "${text}" @ONLY)
    list(APPEND sources "${together}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # To GCC a file's anonymous namespace is one of a header, and a class that has members of its types belongs to nobody.
      set_source_files_properties("${together}" PROPERTIES COMPILE_OPTIONS -Wno-subobject-linkage)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES SOURCES "${sources}")
endfunction()
