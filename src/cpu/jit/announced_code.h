// SPDX-License-Identifier: MIT
// Compiled code that gdb and perf have names for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/jit/perf_map.h"

namespace pycuda::cpu::jit {

/// PYCUDA_CPU_SYMBOLS: 1 gives gdb and perf the names of kernels, and gdb their source lines.
bool symbols_wanted();

/// gdb knows the object's functions and lines while this lives, by its JIT compilation interface.
/// perf finds the functions in a file (perf_map.h).
class AnnouncedCode {
 public:
  /// `address_of` says where a section of the object file lies, 0 if nowhere. Any thread.
  AnnouncedCode(const std::string& object,
                const std::function<std::uint64_t(std::string_view section)>& address_of,
                const std::vector<PlacedFunction>& functions);
  ~AnnouncedCode();
  AnnouncedCode(const AnnouncedCode&) = delete;
  AnnouncedCode& operator=(const AnnouncedCode&) = delete;

 private:
  struct Entry;
  std::unique_ptr<Entry> entry_;
};

}  // namespace pycuda::cpu::jit
