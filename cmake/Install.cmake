# SPDX-License-Identifier: MIT
# Installs the C++ layers for find_package(pycuda_anywhere): component "development", so that a wheel can leave it out.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library and the headers of the folder that calls it.
function(pycuda_install_layer target)
  # Linkers drop unused sections and fold equal ones, not functions.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")
  target_include_directories(${target} PUBLIC
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/pycuda_anywhere>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  string(REPLACE "pycuda_" "" name ${target})
  set_property(TARGET ${target} PROPERTY EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT pycuda_anywhere
    ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  install(DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}/"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/pycuda_anywhere/${folder}" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
endfunction()

# The files that find_package reads; call it once, when the layers are known.
function(pycuda_install_package)
  set(destination "${CMAKE_INSTALL_LIBDIR}/cmake/pycuda_anywhere")
  install(TARGETS cuda_headers EXPORT pycuda_anywhere COMPONENT development)
  install(EXPORT pycuda_anywhere NAMESPACE pycuda_anywhere:: DESTINATION "${destination}"
    FILE pycuda_anywhere-targets.cmake COMPONENT development)
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/pycuda_anywhere-config.cmake.in"
    "${PROJECT_BINARY_DIR}/pycuda_anywhere-config.cmake"
    INSTALL_DESTINATION "${destination}" PATH_VARS CMAKE_INSTALL_LIBDIR)
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/pycuda_anywhere-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/pycuda_anywhere-config.cmake"
    "${PROJECT_BINARY_DIR}/pycuda_anywhere-config-version.cmake"
    DESTINATION "${destination}" COMPONENT development)
  # The CPU driver is made later, where it is made at all.
  cmake_language(DEFER DIRECTORY "${PROJECT_SOURCE_DIR}" CALL pycuda_install_cpu_driver)
endfunction()

function(pycuda_install_cpu_driver)
  if(TARGET cuda_cpu)
    install(TARGETS cuda_cpu LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
  endif()
endfunction()
