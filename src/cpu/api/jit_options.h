// SPDX-License-Identifier: MIT
// The CU_JIT_* options of module loading and linking: what goes in, and the logs that come out.
#pragma once

#include <cstddef>
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
  /// Whether the program gave a buffer that shows it why something is refused.
  bool has_error_log() const { return error_.buffer != nullptr && error_.capacity != 0; }
  /// Puts text into the log buffers, if the program gave any, and says how long it is. Both logs
  /// are written whole.
  void write_logs(std::string_view info, std::string_view error);
  void write_wall_time(float milliseconds);

 private:
  struct Log {
    char* buffer = nullptr;
    std::size_t capacity = 0;
    void** length = nullptr;  // where the program wants to find the length
  };
  static void write(Log& log, std::string_view text);

  Log info_;
  Log error_;
  void** wall_time_ = nullptr;
  bool verbose_ = false;
};

}  // namespace pycuda::cpu::api
