// SPDX-License-Identifier: MIT
// Words of host memory that kernels write: how a launch returns a value without a copy.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "cuda/host_memory.h"

namespace pycuda::array {

/// Of one context. Threads may take words at the same time.
class HostWords {
 public:
  /// One word, 0 at first. Its kernels have run, or never will, when it goes back.
  class Word {
   public:
    Word(Word&& other) noexcept
        : owner_(std::exchange(other.owner_, nullptr)), place_(other.place_) {}
    ~Word();
    /// Devices see the host's memory at its own address.
    CUdeviceptr pointer() const { return reinterpret_cast<CUdeviceptr>(place_); }
    /// After the launch's stream has been waited for.
    std::int32_t value() const { return *place_; }

   private:
    friend class HostWords;
    Word(HostWords& owner, volatile std::int32_t* place) : owner_(&owner), place_(place) {}
    HostWords* owner_;
    volatile std::int32_t* place_;
  };

  /// Makes memory for words, in the current context, when all are taken.
  Word take();

 private:
  std::mutex mutex_;  ///< protects the rest
  std::vector<std::unique_ptr<cuda::PageLockedMemory>> pieces_;
  std::vector<volatile std::int32_t*> free_;
};

}  // namespace pycuda::array
