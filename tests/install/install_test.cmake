# SPDX-License-Identifier: MIT
# Installs into an empty folder, builds the examples against it, and runs them where a driver is to be had.
set(folder "${BUILD}/tests/install/check")
file(REMOVE_RECURSE "${folder}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result COMMAND_ECHO STDOUT)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed: ${ARGN}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${folder}/prefix" --component development)
run("${CMAKE_COMMAND}" -S "${SOURCE}/examples/cpp" -B "${folder}/build" -G "${GENERATOR}"
  "-DCMAKE_PREFIX_PATH=${folder}/prefix" "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_BUILD_TYPE=${CONFIG}")
run("${CMAKE_COMMAND}" --build "${folder}/build")

# The programs find the installed CPU driver by themselves.
file(GLOB cpu_driver "${folder}/prefix/lib*/libcuda_cpu.so" "${folder}/prefix/lib/*/libcuda_cpu.so")
if(cpu_driver)
  foreach(example IN ITEMS double_and_pi multiply)
    run("${CMAKE_COMMAND}" -E env PYCUDA_DRIVER=cpu "${folder}/build/${example}")
  endforeach()
else()
  message(STATUS "no CPU driver was built: the examples were built, not run")
endif()
