// SPDX-License-Identifier: MIT
// Words of host memory that kernels write: how a launch tells its caller something without a copy.
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
        : owner_(std::exchange(other.owner_, nullptr)), number_(other.number_) {}
    ~Word();
    CUdeviceptr pointer() const;
    /// After the launch's stream has been waited for.
    std::int32_t value() const;

   private:
    friend class HostWords;
    Word(HostWords& owner, std::uint32_t number) : owner_(&owner), number_(number) {}
    HostWords* owner_;
    std::uint32_t number_;
  };

  /// Makes memory for words, in the current context, when all are taken.
  Word take();

 private:
  std::int32_t* place(std::uint32_t number) const;

  std::mutex mutex_;  ///< protects the rest
  std::vector<std::unique_ptr<cuda::PageLockedMemory>> pieces_;
  std::vector<std::uint32_t> free_;
};

}  // namespace pycuda::array
