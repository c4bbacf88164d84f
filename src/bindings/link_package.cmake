# SPDX-License-Identifier: MIT
# Mirrors the files of SOURCE in DESTINATION as symbolic links; links to files that are gone go, too.
file(GLOB_RECURSE files RELATIVE "${SOURCE}" "${SOURCE}/*")
foreach(file IN LISTS files)
  if(file MATCHES "__pycache__|\\.pyc$")
    continue()
  endif()
  get_filename_component(folder "${DESTINATION}/${file}" DIRECTORY)
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${SOURCE}/${file}" "${DESTINATION}/${file}" SYMBOLIC)
endforeach()

file(GLOB_RECURSE links "${DESTINATION}/*")
foreach(link IN LISTS links)
  if(IS_SYMLINK "${link}" AND NOT EXISTS "${link}")
    file(REMOVE "${link}")
  endif()
endforeach()
