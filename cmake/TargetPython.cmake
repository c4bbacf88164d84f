# SPDX-License-Identifier: MIT
# The Python that the extension is built for, where it is not the one that runs the build.
set(PYCUDA_PYTHON_ROOT "" CACHE PATH
  "Root of the system whose Python the extension is for, unpacked packages for instance; empty: Python_EXECUTABLE's")

# Takes headers and the suffix of extensions from there. Call it before Python is looked for.
function(pycuda_take_target_python)
  file(GLOB headers "${PYCUDA_PYTHON_ROOT}/usr/include/python3.[0-9]*/Python.h")
  list(LENGTH headers count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "PYCUDA_PYTHON_ROOT=${PYCUDA_PYTHON_ROOT} has the headers of ${count} Pythons (usr/include/python3.*); "
      "one is needed. Without the Python extension: -DPYCUDA_PYTHON=OFF.")
  endif()
  get_filename_component(include "${headers}" DIRECTORY)
  get_filename_component(name "${include}" NAME)
  file(GLOB build_values "${PYCUDA_PYTHON_ROOT}/usr/lib/${name}/_sysconfigdata_*.py")
  set(suffix_line "")
  if(build_values)
    list(GET build_values 0 build_values)
    file(STRINGS "${build_values}" suffix_line REGEX "'EXT_SUFFIX': *'[^']+'")
  endif()
  string(REGEX REPLACE ".*'EXT_SUFFIX': *'\\.([^']+)\\.so'.*" "\\1" abi "${suffix_line}")
  if(NOT suffix_line OR abi STREQUAL suffix_line)
    message(FATAL_ERROR "There is no suffix of extensions in PYCUDA_PYTHON_ROOT: "
      "${PYCUDA_PYTHON_ROOT}/usr/lib/${name}/_sysconfigdata_*.py has no EXT_SUFFIX.")
  endif()
  message(STATUS "Python to build for: ${include}, ${abi}")
  set(Python_INCLUDE_DIR "${include}" CACHE PATH "" FORCE)
  set(SKBUILD_SOABI "${abi}" CACHE STRING "" FORCE)
endfunction()

if(PYCUDA_PYTHON_ROOT AND PYCUDA_PYTHON)
  pycuda_take_target_python()
endif()
