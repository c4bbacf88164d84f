// SPDX-License-Identifier: MIT
// The functions that compiled kernels call: faults, printf, malloc, frames, clocks.
#include "cpu/kernel_abi/runtime_calls.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "cpu/exec/device_heap.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/local_memory.h"
#include "cpu/exec/printf_buffer.h"
#include "cpu/exec/printf_fifo.h"
#include "cpu/exec/probe_process.h"
#include "cpu/exec/program_accesses.h"
#include "cpu/exec/stream.h"
#include "cpu/exec/unwritten.h"
#include "cpu/processor/float_control.h"
#include "cpu/processor/instructions.h"

namespace pycuda::cpu::exec {
namespace {

LaunchContext& launch_of(const ThreadFrame& thread) {
  return *static_cast<LaunchContext*>(thread.block->launch->launch);
}

FaultRecord record_of(ThreadFrame* thread, FaultKind kind) {
  FaultRecord record;
  record.kind = kind;
  record.thread = thread;
  return record;
}

/// Text of device code with characters of 1, 2 or 4 bytes, cut to what fits.
void copy_text(char* out, std::size_t space, const char* text, std::uint64_t char_size) {
  std::size_t used = 0;
  for (; text != nullptr && used + 1 < space; ++used, text += char_size) {
    std::uint32_t letter = 0;
    std::memcpy(&letter, text, std::min<std::uint64_t>(char_size, sizeof letter));
    if (letter == 0) break;
    out[used] = letter < 128 ? static_cast<char>(letter) : '?';
  }
  out[used] = '\0';
}

void show(const ThreadFrame& thread, const std::string& text) {
  if (PrintfFifo* const fifo = launch_of(thread).faults.printf_fifo()) {
    fifo->write(text);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
}

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::FaultKind;
using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;
namespace processor = pycuda::cpu::processor;

extern "C" {

void pycuda_cpu_fault(ThreadFrame* thread, std::uint32_t kind, std::uint64_t address) {
  exec::FaultRecord record = exec::record_of(thread, static_cast<FaultKind>(kind));
  record.address = address;
  record.address_known = address != 0;
  exec::KernelEntry::of_this_thread().raise(record);
}

void pycuda_cpu_trap(ThreadFrame* thread) {
  exec::KernelEntry::of_this_thread().raise(exec::record_of(thread, FaultKind::Trap));
}

void pycuda_cpu_assert_fail(ThreadFrame* thread, const char* message, const char* file,
                            std::uint32_t line, const char* function, std::uint64_t char_size) {
  exec::FaultRecord record = exec::record_of(thread, FaultKind::Assert);
  char texts[3][160];
  const char* const sources[3] = {file, function, message};
  if (char_size != 1 && char_size != 2 && char_size != 4) char_size = 1;
  exec::ProgramAccesses accesses(thread);
  for (int i = 0; i < 3; ++i) {
    constexpr std::size_t most = sizeof texts[0] - 1;
    if (sources[i] != nullptr) {
      const exec::RuntimeScope scope;  // else an interrupt could leave the address table locked
      accesses.allows_text(sources[i], char_size, most, "an assertion (its texts)");
    }
    accesses.raise_failure();
    exec::copy_text(texts[i], sizeof texts[i], sources[i], char_size);
  }
  std::snprintf(record.detail, sizeof record.detail, "%s:%u: %s: Assertion `%s' failed.", texts[0],
                line, texts[1], texts[2]);
  exec::KernelEntry::of_this_thread().raise(record);
}

std::int32_t pycuda_cpu_vprintf(ThreadFrame* thread, const char* format, const void* arguments) {
  if (exec::in_probe_process()) return 0;
  // The buffer outlives a fault: a bad pointer among the arguments leaves from inside.
  thread_local std::string buffer;
  exec::ProgramAccesses accesses(thread);
  std::int32_t count = 0;
  {
    const exec::RuntimeScope scope;
    const processor::UsualFloats usual;
    buffer.clear();
    count = exec::format_printf(buffer, format, arguments, accesses);
    if (!accesses.failed()) exec::show(*thread, buffer);
  }
  accesses.raise_failure();
  return count;
}

void* pycuda_cpu_malloc(ThreadFrame* thread, std::uint64_t bytes) {
  const exec::RuntimeScope scope;
  return exec::DeviceHeap::instance().allocate(&exec::launch_of(*thread).faults, bytes);
}

void pycuda_cpu_free(ThreadFrame* thread, void* memory) {
  bool released = false;
  {
    const exec::RuntimeScope scope;
    released = exec::DeviceHeap::instance().release(memory);
  }
  if (released) return;
  exec::FaultRecord record = exec::record_of(thread, FaultKind::IllegalAddress);
  record.address = reinterpret_cast<std::uint64_t>(memory);
  record.address_known = true;
  std::snprintf(record.detail, sizeof record.detail,
                "free of memory that device malloc did not give, or a second free");
  exec::KernelEntry::of_this_thread().raise(record);
}

void* pycuda_cpu_frame_push(ThreadFrame* thread, std::uint64_t bytes) {
  void* memory = nullptr;
  {
    const exec::RuntimeScope scope;
    memory = exec::frames_of(*thread).push(bytes, exec::most_frame_bytes(*thread));
  }
  if (memory == nullptr) {
    exec::KernelEntry::of_this_thread().raise(exec::record_of(thread, FaultKind::StackOverflow));
  }
  return memory;
}

void* pycuda_cpu_variable_push(ThreadFrame* thread, std::uint64_t bytes, std::uint32_t alignment,
                               std::uint32_t counts) {
  void* memory = nullptr;
  {
    const exec::RuntimeScope scope;
    exec::FrameStack& frames = exec::frames_of(*thread);
    const std::uint64_t stack = thread->block->launch->stack_bytes;
    const std::uint64_t used = thread->stack_used + frames.counted_bytes();
    if (counts == 0 || (used <= stack && bytes <= stack - used)) {
      const std::uint64_t most =
          counts != 0 ? exec::most_frame_bytes(*thread) + bytes : exec::most_variable_bytes;
      memory = frames.push_variable(bytes, alignment, counts != 0 ? bytes : 0, most);
    }
  }
  if (memory == nullptr) {
    exec::KernelEntry::of_this_thread().raise(exec::record_of(thread, FaultKind::StackOverflow));
  }
  const auto& launch = *static_cast<const exec::LaunchContext*>(thread->block->launch->launch);
  if (launch.request.checks.has(pycuda::cpu::Check::Init)) exec::fill_unwritten(memory, bytes);
  return memory;
}

void* pycuda_cpu_local_push(std::uint64_t bytes) {
  exec::KernelEntry& entry = exec::KernelEntry::of_this_thread();
  // The first one takes memory, which must not be left half done.
  std::byte* const memory = [&] {
    const exec::RuntimeScope scope;
    return entry.local_stack().push(bytes);
  }();
  if (memory == nullptr) entry.raise(exec::record_of(entry.thread(), FaultKind::StackOverflow));
  return memory;
}

void pycuda_cpu_local_pop(void* memory, std::uint64_t bytes) {
  exec::KernelEntry::of_this_thread().local_stack().pop(reinterpret_cast<std::uintptr_t>(memory) +
                                                        bytes);
}

void pycuda_cpu_frame_pop(ThreadFrame* thread, void* memory) {
  const exec::RuntimeScope scope;
  exec::frames_of(*thread).pop(memory);
}

std::uint64_t pycuda_cpu_clock() { return processor::ticks(); }

std::uint64_t pycuda_cpu_globaltimer() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

void pycuda_cpu_nanosleep(ThreadFrame* thread, std::uint32_t nanoseconds) {
  // Between 0 and twice the time is legal. Threads of a block run one after the other: if each
  // slept, the block would sleep a thousand times.
  if (thread->linear != 0) return;
  const timespec time{0, static_cast<long>(std::min(nanoseconds, 1000000u))};
  nanosleep(&time, nullptr);
}

}  // extern "C"
