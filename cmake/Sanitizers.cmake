# SPDX-License-Identifier: MIT
if(PYCUDA_SANITIZE)
  list(JOIN PYCUDA_SANITIZE "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all -g)
  add_link_options(-fsanitize=${sanitizers})
endif()
