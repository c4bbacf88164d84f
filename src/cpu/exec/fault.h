// SPDX-License-Identifier: MIT
// Why a kernel was stopped, and who receives that.
#pragma once

#include <cstdint>
#include <string>

#include "cpu/kernel_abi/frames.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {

/// Why a kernel was stopped, for cuCtxSynchronize's status and for the message.
struct Fault {
  FaultKind kind{};
  std::string kernel;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::uint64_t address = 0;
  bool block_known = false, thread_known = false;
  std::uint32_t source_line = 0, source_file = 0;  ///< of the thread; 0: not known
  std::string what, detail;                        ///< parts of the message
  /// The whole story in one or two sentences: kernel, block, thread, line, address, nearest
  /// allocation.
  std::string message;
};

class DeviceRuntime;
class PrintfFifo;

/// Gets faults; a context implements it and becomes sticky. Called on a worker, or in the thread
/// that launches when a small kernel ran there.
class FaultSink {
 public:
  virtual ~FaultSink() = default;
  virtual void report(const Fault& fault) = 0;
  /// True once a fault was reported: queued work is then dropped, not run. Any thread.
  virtual bool poisoned() const = 0;
  /// Where the output of its kernels waits to be shown; null: it is shown at once.
  virtual PrintfFifo* printf_fifo() { return nullptr; }
  /// What kernels that launch kernels need; null: there can be none.
  virtual DeviceRuntime* device_runtime() { return nullptr; }
};

}  // namespace pycuda::cpu::exec
