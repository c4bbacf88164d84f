# SPDX-License-Identifier: MIT
# Finds cuda.h: types and enumerations only, nothing of CUDA is linked. Looked for in PYCUDA_CUDA_INCLUDE, in the wheel
# nvidia-cuda-runtime of the chosen Python, and last in a toolkit.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module Development.SABIModule)
if(NOT PYCUDA_CUDA_INCLUDE)
  execute_process(
    COMMAND "${Python_EXECUTABLE}" -c
      "import glob, sys, sysconfig, site; places = {*sys.path, sysconfig.get_paths()['purelib'], *site.getsitepackages(), site.getusersitepackages()}; print(next(iter(sorted(h for p in places for h in glob.glob(p + '/nvidia/cu1[3-9]/include/cuda.h'))), ''))"
    OUTPUT_VARIABLE wheel_header OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(wheel_header)
    get_filename_component(wheel_include "${wheel_header}" DIRECTORY)
  endif()
  find_path(PYCUDA_CUDA_INCLUDE cuda.h
    HINTS ${wheel_include} PATHS /usr/local/cuda/include /opt/cuda/include NO_CMAKE_FIND_ROOT_PATH)
endif()
if(NOT PYCUDA_CUDA_INCLUDE)
  message(FATAL_ERROR "cuda.h was not found. `pip install nvidia-cuda-runtime` brings it, or set -DPYCUDA_CUDA_INCLUDE=<folder>.")
endif()
message(STATUS "CUDA headers: ${PYCUDA_CUDA_INCLUDE}")
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE
  $<BUILD_INTERFACE:${PYCUDA_CUDA_INCLUDE}>)
