# SPDX-License-Identifier: MIT
# Products and sums of C++ are rounded one by one, on every processor. GCC would join them where each processor of the
# architecture can, as on aarch64: results would be others than on x86-64.
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_compile_options(-ffp-contract=off)
endif()
