// SPDX-License-Identifier: MIT
// Memory of other processes that a context has opened.
#pragma once

#include <cstddef>
#include <mutex>
#include <unordered_map>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/shared_pages.h"

namespace pycuda::cpu::api {

class Context;

/// Counts how often each block is open: it is mapped once. Any thread. What is left open is
/// released with the context's other memory.
class OpenedMemory {
 public:
  explicit OpenedMemory(Context& context) : context_(context) {}
  CUresult open(const exec::PagesName& name, CUdeviceptr* pointer);
  /// Blocks, the last time, until the context's work is done. INVALID_VALUE for memory that is not
  /// open here.
  CUresult close(CUdeviceptr pointer);

 private:
  struct Block {
    exec::PagesName name;
    std::size_t times;
  };
  Context& context_;
  std::mutex mutex_;  // protects blocks_
  std::unordered_map<CUdeviceptr, Block> blocks_;
};

/// What a handle of another process is refused with, and the reason in the log.
CUresult refuse_pages(const exec::PagesFailure& failure, CUresult no_name);

}  // namespace pycuda::cpu::api
