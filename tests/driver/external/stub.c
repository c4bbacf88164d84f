// SPDX-License-Identifier: MIT
// What programs are linked against where there is no driver: its names, and its soname.
#define CU_SYMBOL(name, symbol, version, streams) int symbol(void);
#include "cpu/api/exported_symbols.def"
#undef CU_SYMBOL

enum { cuda_error_stub_library = 34 };

#define CU_SYMBOL(name, symbol, version, streams) \
  __attribute__((visibility("default"))) int symbol(void) { return cuda_error_stub_library; }
#include "cpu/api/exported_symbols.def"
