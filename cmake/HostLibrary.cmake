# SPDX-License-Identifier: MIT
# A library of CUDA whose work the host does, for each version of its soname. version.cpp, which has the number, is
# compiled for each of them, all other files of the folder once.

# pycuda_host_library(<name> PREFIX <of exported symbols> MAJORS <versions>...): makes the targets <name><version>.
function(pycuda_host_library name)
  cmake_parse_arguments(arg "" "PREFIX" "MAJORS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  set(version_source "${CMAKE_CURRENT_SOURCE_DIR}/version.cpp")
  list(REMOVE_ITEM sources "${version_source}")
  add_library(${name}_objects OBJECT ${sources})
  pycuda_compile_host_library(${name}_objects)
  string(TOUPPER ${name} upper)
  foreach(major ${arg_MAJORS})
    set(target ${name}${major})
    add_library(${target} SHARED "${version_source}" $<TARGET_OBJECTS:${name}_objects>)
    pycuda_compile_host_library(${target})
    target_compile_definitions(${target} PRIVATE PYCUDA_${upper}_MAJOR=${major})
    # Every symbol has the version that NVIDIA's has: programs linked with either library run with the other.
    set(exports "${CMAKE_CURRENT_BINARY_DIR}/${target}.map")
    file(CONFIGURE OUTPUT "${exports}" CONTENT
      "lib${name}.so.${major} {\n  global:\n    ${arg_PREFIX}*;\n  local: *;\n};\n" @ONLY)
    set_target_properties(${target} PROPERTIES
      OUTPUT_NAME ${name} SOVERSION ${major} LINK_DEPENDS "${exports}"
      LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/lib/${name}/${major}")
    target_link_options(${target} PRIVATE
      "LINKER:--version-script=${exports}" LINKER:--exclude-libs,ALL LINKER:-Bsymbolic LINKER:--gc-sections)
    if(NOT PYCUDA_SANITIZE)
      target_link_options(${target} PRIVATE LINKER:-z,defs)
    endif()
    pycuda_distribute_library(${target} driver)
    pycuda_link_for_old_glibc(${target})
  endforeach()
endfunction()

function(pycuda_compile_host_library target)
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/src")
  target_link_libraries(${target} PRIVATE pycuda_hostblas pycuda_hostwork pycuda_base cuda_headers pycuda_warnings Threads::Threads
    ${CMAKE_DL_LIBS})
  # With a section each, the linker drops functions that nobody calls and folds those of the same code.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  if(PYCUDA_SANITIZE MATCHES "undefined")
    # C programs may pass any number as an enumerator; it is looked at before it is believed.
    target_compile_options(${target} PRIVATE -fno-sanitize=enum)
  endif()
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET default)
endfunction()
