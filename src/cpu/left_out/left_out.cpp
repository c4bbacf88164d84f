// SPDX-License-Identifier: MIT
#include <llvm/Support/ErrorHandling.h>

#include <array>
#include <string>

namespace {

/// As LLVM itself fails: the compilation ends with this error, the process goes on.
[[noreturn]] void report(const char* symbol) {
  llvm::report_fatal_error(("the driver is linked without " + std::string(symbol) +
                            ": please report this with the kernel")
                               .c_str());
}

using VirtualFunction = void (*)();

/// More than any of the classes has.
constexpr std::size_t kMostVirtualFunctions = 64;
using VirtualTable = std::array<VirtualFunction, kMostVirtualFunctions>;

consteval VirtualTable all_the_same(VirtualFunction function) {
  VirtualTable table{};
  table.fill(function);
  return table;
}

}  // namespace

// Their arguments do not matter to them, and the callers expect no more of a result than the macro
// says.
#define NEVER(symbol) \
  extern "C" void __wrap_##symbol() { report(#symbol); }
#define NOTHING(symbol) \
  extern "C" void __wrap_##symbol() {}
#define NULL_POINTER(symbol) \
  extern "C" void* __wrap_##symbol() { return nullptr; }
#define TABLE(symbol)                                                 \
  extern "C" {                                                        \
  extern const VirtualTable __wrap_##symbol;                          \
  constexpr VirtualTable __wrap_##symbol =                            \
      all_the_same([] { report("a virtual function of " #symbol); }); \
  }
#include "cpu/left_out/left_out.def"
