// SPDX-License-Identifier: MIT
// The exported symbols as data, for cuGetProcAddress.
#pragma once

#include <span>

namespace pycuda::cpu::api {

enum class StreamZero { Legacy, PerThread };

struct ExportedSymbol {
  const char* name;    ///< what cuGetProcAddress is asked for
  const char* symbol;  ///< the exported function
  int version;         ///< CUDA version that brought it
  StreamZero streams;
  void* address;
};

/// In the order of exported_symbols.def: the lines of one name are together, older versions first.
std::span<const ExportedSymbol> exported_symbols();

}  // namespace pycuda::cpu::api
