# SPDX-License-Identifier: MIT
# LLVM 19, linked statically and hidden, so that another LLVM in the process does not matter.
pycuda_find_cpu_driver_needs(missing)
if(missing)
  message(FATAL_ERROR "Not all is here that the CPU driver is built with. On Debian and Ubuntu: apt-get install ${missing}. "
    "Without the CPU driver: -DPYCUDA_CPU_DRIVER=OFF.")
endif()
find_package(LLVM 19.1 REQUIRED CONFIG HINTS ${PYCUDA_LLVM_HINTS})
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION}: ${LLVM_DIR}")
add_library(llvm_19 INTERFACE)
target_include_directories(llvm_19 SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(llvm_19 INTERFACE ${llvm_definitions})
# Debian's LLVM is built without RTTI; our classes that derive from LLVM's must agree.
target_compile_options(llvm_19 INTERFACE -fno-rtti)
# `native` is what LLVM was built for.
llvm_map_components_to_libnames(llvm_libraries jitlink passes native coroutines irreader)
target_link_libraries(llvm_19 INTERFACE ${llvm_libraries})
