# SPDX-License-Identifier: MIT
# The CPU driver as the Python distribution pycuda-anywhere-cpu carries it (packaging/cpu). Its soname is NVIDIA's, so
# that programs which ask for libcuda.so.1 get it once it is loaded. Wheels hold no symbolic links: the other names are
# tiny libraries that need nothing but libcuda.so.1 beside them.
set(driver_folder pycuda_anywhere_cpu/driver)
set_target_properties(cuda_cpu PROPERTIES NO_SONAME ON)
target_link_options(cuda_cpu PRIVATE LINKER:-soname,libcuda.so.1)
install(FILES "$<TARGET_FILE:cuda_cpu>" DESTINATION ${driver_folder} RENAME libcuda.so.1
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE
  COMPONENT cpu_distribution)

set(other_names "${CMAKE_CURRENT_BINARY_DIR}/other-names")
# A step of its own: both libraries are linked with it, at the same time.
add_custom_command(OUTPUT "${other_names}/libcuda.so.1"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${other_names}"
  COMMAND "${CMAKE_COMMAND}" -E create_symlink "$<TARGET_FILE:cuda_cpu>" "${other_names}/libcuda.so.1"
  DEPENDS cuda_cpu VERBATIM)
foreach(name libcuda.so libcuda_cpu.so)
  add_custom_command(OUTPUT "${other_names}/${name}"
    COMMAND "${CMAKE_C_COMPILER}" -shared -nostdlib -s -Wl,-soname,${name} "-Wl,-rpath,$ORIGIN" -Wl,--no-as-needed
      -Wl,--enable-new-dtags -o "${other_names}/${name}" -L "${other_names}" -l:libcuda.so.1
    DEPENDS cuda_cpu "${other_names}/libcuda.so.1" VERBATIM)
  list(APPEND other_files "${other_names}/${name}")
endforeach()
add_custom_target(cpu_distribution ALL DEPENDS ${other_files})
install(FILES ${other_files} DESTINATION ${driver_folder} COMPONENT cpu_distribution
  PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
