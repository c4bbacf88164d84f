// SPDX-License-Identifier: MIT
// Reading CU_JIT_* options and writing back their results.
#include "cpu/api/jit_options.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "cpu/api/virtual_device.h"
#include "cpu/ptx/register_limit.h"

namespace pycuda::cpu::api {

namespace {

using ptx::least_registers;
using ptx::most_registers;

/// So many that blocks of `threads` threads can be launched.
unsigned registers_for(unsigned threads) {
  constexpr unsigned step = 8;
  return std::min(DeviceLimits::registers_per_block / threads / step * step, most_registers);
}

}  // namespace

CUresult JitOptions::limit_registers(unsigned registers) {
  if (registers == 0) return CUDA_ERROR_INVALID_VALUE;
  if (registers > most_registers) {
    warnings_ += "warning: a limit of " + std::to_string(registers) +
                 " registers is ignored: there are at most " + std::to_string(most_registers) +
                 "\n";
    return CUDA_SUCCESS;
  }
  if (registers < least_registers) {
    warnings_ += "warning: a limit of " + std::to_string(registers) +
                 " registers is raised to the lower bound of " + std::to_string(least_registers) +
                 "\n";
  }
  max_registers_ = std::max(registers, least_registers);
  return CUDA_SUCCESS;
}

std::string JitOptions::register_note() const { return ptx::register_limit_note(max_registers_); }

void JitOptions::take_register_note(std::string_view ptx) {
  if (max_registers_ == 0) max_registers_ = ptx::register_limit_of(ptx);
}

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
        parsed->info_.length = {&values[i], values[i]};
        break;
      case CU_JIT_ERROR_LOG_BUFFER:
        parsed->error_.buffer = static_cast<char*>(values[i]);
        break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        parsed->error_.capacity = static_cast<unsigned>(number);
        parsed->error_.length = {&values[i], values[i]};
        break;
      case CU_JIT_LOG_VERBOSE:
        parsed->verbose_ = static_cast<int>(number) != 0;
        break;
      case CU_JIT_WALL_TIME:
        parsed->wall_time_ = {&values[i], values[i]};
        break;
      case CU_JIT_MAX_REGISTERS:
        if (const CUresult status = parsed->limit_registers(static_cast<unsigned>(number));
            status != CUDA_SUCCESS) {
          return status;
        }
        break;
      case CU_JIT_THREADS_PER_BLOCK: {
        // In: the fewest threads to compile for; out: for how many it was. All kernels run with any
        // number.
        const auto threads = static_cast<unsigned>(number);
        if (threads > DeviceLimits::threads_per_block) return CUDA_ERROR_INVALID_VALUE;
        if (threads != 0 && parsed->max_registers_ == 0)
          parsed->max_registers_ = registers_for(threads);
        break;
      }
      default:
        // The rest steers a compiler for GPUs (caching, targets): it has no meaning for this one.
        if (options[i] < 0 || options[i] >= CU_JIT_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
        break;
    }
  }
  return CUDA_SUCCESS;
}

void JitOptions::Slot::write(void* value) {
  if (place == nullptr || *place != held) return;
  *place = held = value;
}

void JitOptions::write(Log& log, std::string_view text) {
  std::size_t length = 0;
  if (log.buffer != nullptr && log.capacity != 0) {
    length = std::min(text.size(), log.capacity - 1);
    if (length != 0) std::memcpy(log.buffer, text.data(), length);
    log.buffer[length] = '\0';
  }
  // The length counts the terminator when there is any text.
  log.length.write(reinterpret_cast<void*>(length == 0 ? 0 : length + 1));
}

void JitOptions::write_logs(std::string_view info, std::string_view error) {
  write(info_, info);
  write(error_, error);
}

void JitOptions::write_wall_time(float milliseconds) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &milliseconds, sizeof bits);
  wall_time_.write(reinterpret_cast<void*>(static_cast<std::uintptr_t>(bits)));
}

}  // namespace pycuda::cpu::api
