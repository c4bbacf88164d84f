// SPDX-License-Identifier: MIT
// Reading CU_JIT_* options and writing back their results.
#include "cpu/api/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pycuda::cpu::api {

CUresult JitOptions::parse(unsigned count, const CUjit_option* options, void** values,
                           JitOptions* parsed) {
  if (count != 0 && (options == nullptr || values == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(values[i]);
    switch (options[i]) {
      case CU_JIT_INFO_LOG_BUFFER:
        parsed->info_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        parsed->info_.capacity = static_cast<unsigned>(number);
        parsed->info_.length = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        parsed->error_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        parsed->error_.capacity = static_cast<unsigned>(number);
        parsed->error_.length = &values[i];
        break;
      case CU_JIT_LOG_VERBOSE:
        parsed->verbose_ = static_cast<int>(number) != 0;
        break;
      case CU_JIT_WALL_TIME:
        parsed->wall_time_ = &values[i];
        break;
      case CU_JIT_THREADS_PER_BLOCK:
        // In: the fewest threads to compile for; out: for how many it was. All kernels run with any
        // number.
        if (static_cast<unsigned>(number) > 1024) return CUDA_ERROR_INVALID_VALUE;
        break;
      default:
        // The rest steers a compiler for GPUs (registers, caching, targets): it has no meaning for
        // this one.
        if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
        break;
    }
  }
  return CUDA_SUCCESS;
}

void JitOptions::write(Log& log, std::string_view text) {
  std::size_t length = 0;
  if (log.buffer != nullptr && log.capacity != 0) {
    length = std::min(text.size(), log.capacity - 1);
    if (length != 0) std::memcpy(log.buffer, text.data(), length);
    log.buffer[length] = '\0';
  }
  // The length counts the terminator when there is any text.
  if (log.length != nullptr) *log.length = reinterpret_cast<void*>(length == 0 ? 0 : length + 1);
}

void JitOptions::write_logs(std::string_view info, std::string_view error) {
  write(info_, info);
  write(error_, error);
}

void JitOptions::write_wall_time(float milliseconds) {
  if (wall_time_ == nullptr) return;
  std::uint32_t bits = 0;
  std::memcpy(&bits, &milliseconds, sizeof bits);
  *wall_time_ = reinterpret_cast<void*>(static_cast<std::uintptr_t>(bits));
}

}  // namespace pycuda::cpu::api
