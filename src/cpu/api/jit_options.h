// SPDX-License-Identifier: MIT
// The CU_JIT_* options of module loading and linking: what goes in, and the logs that come out.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cpu/api/cuda_abi.h"

namespace pycuda::cpu::api {

/// Option values are integers in pointers; results are written back into the program's array, and
/// logs into its buffers.
class JitOptions {
 public:
  JitOptions() = default;
  /// Checks and takes the options; INVALID_VALUE for one that CUDA 13.0 does not have.
  static CUresult parse(unsigned count, const CUjit_option* options, void** values,
                        JitOptions* parsed);

  bool verbose() const { return verbose_; }
  /// What a kernel may have of registers that has no launch bounds of its own; 0: any number.
  unsigned max_registers() const { return max_registers_; }
  /// A line for the head of linked PTX, which carries the limit to where the image is loaded; and
  /// taking it from there.
  std::string register_note() const;
  void take_register_note(std::string_view ptx);
  /// What the program is to know of the limits that it asked for.
  const std::string& warnings() const { return warnings_; }
  /// Whether the program gave a buffer that shows it why something is refused.
  bool has_error_log() const { return error_.buffer != nullptr && error_.capacity != 0; }
  /// Puts text into the log buffers, if the program gave any, and says how long it is. Both logs
  /// are written whole.
  void write_logs(std::string_view info, std::string_view error);
  void write_wall_time(float milliseconds);

 private:
  /// Where the program wants to find a result. It may use the memory for something else once the
  /// call is over that took the options: results are written only while these hold what it gave.
  struct Slot {
    void** place = nullptr;
    void* held = nullptr;  // what was given, or written last
    void write(void* value);
  };
  struct Log {
    char* buffer = nullptr;
    std::size_t capacity = 0;
    Slot length;
  };
  static void write(Log& log, std::string_view text);

  Log info_;
  Log error_;
  Slot wall_time_;
  bool verbose_ = false;
  CUresult limit_registers(unsigned registers);
  unsigned max_registers_ = 0;
  std::string warnings_;
};

}  // namespace pycuda::cpu::api
