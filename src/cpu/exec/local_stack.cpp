// SPDX-License-Identifier: MIT
#include "cpu/exec/local_stack.h"

namespace pycuda::cpu::exec {

std::byte* LocalStack::push(std::uint64_t bytes) {
  if (memory_ == nullptr) {
    memory_ = LocalArea::instance().allocate(most_bytes);
    if (memory_ == nullptr) return nullptr;
    end_ = top_ = reinterpret_cast<std::uintptr_t>(memory_.get()) + most_bytes;
  }
  const std::uint64_t room = top_ - reinterpret_cast<std::uintptr_t>(memory_.get());
  if (bytes > room) return nullptr;
  top_ -= bytes;
  return reinterpret_cast<std::byte*>(top_);
}

bool LocalStack::holds(std::uintptr_t address, std::uint64_t bytes) const {
  return top_ != 0 && address >= top_ && address < end_ && bytes <= end_ - address;
}

}  // namespace pycuda::cpu::exec
