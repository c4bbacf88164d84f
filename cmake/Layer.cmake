# SPDX-License-Identifier: MIT
# One CMake target per folder of src/: pycuda_layer(<target> [LINK <targets>...]
# [PRIVATE <targets>...]) makes a static library of its *.cpp; PRIVATE ones are not seen by those who link it.
function(pycuda_layer target)
  cmake_parse_arguments(arg "" "" "LINK;PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(sources)
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
    target_link_libraries(${target} PUBLIC ${arg_LINK} Threads::Threads ${CMAKE_DL_LIBS}
      PRIVATE $<BUILD_INTERFACE:pycuda_warnings> ${arg_PRIVATE})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>)
    target_link_libraries(${target} INTERFACE ${arg_LINK})
  endif()
endfunction()

# pycuda_unit_tests(<target> LINK <targets>... [APART <pattern>]): one doctest program of the *_test.cpp files of a folder
# of tests/unit. The test cases of the pattern run as a test of their own, so that a long program takes two cores.
function(pycuda_unit_tests target)
  cmake_parse_arguments(arg "" "APART" "LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(sources)
    pycuda_doctest_main(main)
    add_executable(${target} ${sources} ${main})
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests")
    target_link_libraries(${target} PRIVATE ${arg_LINK} pycuda_warnings)
    pycuda_compile_tests_together(${target})
    if("${arg_LINK}" MATCHES "llvm")
      pycuda_precompile(${target} llvm_test)
    else()
      pycuda_precompile(${target} test)
    endif()
    if(arg_APART)
      add_test(NAME ${target}_apart COMMAND ${target} "--test-case=${arg_APART}")
      add_test(NAME ${target} COMMAND ${target} "--test-case-exclude=${arg_APART}")
      set_tests_properties(${target} ${target}_apart PROPERTIES COST 100)  # begin with the longest
      set_property(TEST ${target}_apart APPEND PROPERTY ENVIRONMENT "PYCUDA_CPU_VERIFY=1")
    else()
      add_test(NAME ${target} COMMAND ${target})
    endif()
    # An internal error of the vector path fails the test instead of leaving a kernel to the scalar path.
    set_property(TEST ${target} APPEND PROPERTY ENVIRONMENT "PYCUDA_CPU_VERIFY=1")
  endif()
endfunction()

# The entry point of test programs, compiled once for all of them.
function(pycuda_doctest_main objects)
  if(NOT TARGET doctest_main)
    add_library(doctest_main OBJECT "${PROJECT_SOURCE_DIR}/tests/unit/doctest_main.cpp")
  endif()
  set(${objects} $<TARGET_OBJECTS:doctest_main> PARENT_SCOPE)
endfunction()
