# SPDX-License-Identifier: MIT
# Most code of the package runs once in a program, or before work that takes much longer. Made for size it takes half the
# place, and compiles faster. What every launch, copy, allocation and array operation runs through is made for speed.

# pycuda_optimize_for_size(<target> [EXCEPT <patterns>...]): the sources of the target, except those whose path in its
# folder matches a pattern: these are objects of the target <target>_for_speed. Call it when the target has its options.
function(pycuda_optimize_for_size target)
  cmake_parse_arguments(arg "" "" "EXCEPT" ${ARGN})
  if(arg_EXCEPT)
    get_target_property(sources ${target} SOURCES)
    list(JOIN arg_EXCEPT "|" except)
    set(for_speed ${sources})
    list(FILTER for_speed INCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/(${except})\\.cpp$")
    list(REMOVE_ITEM sources ${for_speed})
    # A target of its own, because all files of a precompiled header are optimized alike. It takes the properties that
    # the target has at this point.
    add_library(${target}_for_speed OBJECT ${for_speed})
    foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS CXX_VISIBILITY_PRESET INCLUDE_DIRECTORIES LINK_LIBRARIES)
      get_target_property(value ${target} ${property})
      if(value)
        set_target_properties(${target}_for_speed PROPERTIES ${property} "${value}")
      endif()
    endforeach()
    set_target_properties(${target} PROPERTIES SOURCES "${sources};$<TARGET_OBJECTS:${target}_for_speed>")
  endif()
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
endfunction()

# pycuda_optimize_less(<target>): our passes that run while kernels are compiled: 2 % of the time of a compilation, the rest
# is LLVM's. With -O1 GCC takes a quarter less time for them. Call it before pycuda_precompile.
function(pycuda_optimize_less target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()
