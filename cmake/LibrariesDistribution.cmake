# SPDX-License-Identifier: MIT
# The libraries beside the CPU driver as the Python distribution pycuda-anywhere-libraries carries them
# (packaging/libraries). Its files join the driver's folder, where programs find them by the same path.
if(PYCUDA_CPU_DISTRIBUTION)
  add_custom_target(libraries_distribution)
endif()

# pycuda_distribute_library(<target> <folder>): the distribution has the file of the target in this folder of
# pycuda_anywhere_cpu.
function(pycuda_distribute_library target folder)
  if(PYCUDA_CPU_DISTRIBUTION)
    get_target_property(type ${target} TYPE)
    set(name "$<TARGET_FILE_NAME:${target}>")
    if(type STREQUAL "SHARED_LIBRARY")
      set(name "$<TARGET_SONAME_FILE_NAME:${target}>")
    endif()
    add_dependencies(libraries_distribution ${target})
    set(kind PROGRAMS)
    if(type STREQUAL "STATIC_LIBRARY")
      set(kind FILES)
    endif()
    install(${kind} "$<TARGET_FILE:${target}>" DESTINATION "pycuda_anywhere_cpu/${folder}" RENAME "${name}"
      COMPONENT libraries_distribution)
  endif()
endfunction()
