// SPDX-License-Identifier: MIT
// Chunks that grow with the depth of the calls.
#include "cpu/exec/frame_stack.h"

#include <algorithm>
#include <new>

namespace pycuda::cpu::exec {
namespace {
constexpr std::uint64_t frame_alignment = 64;
constexpr std::uint64_t first_chunk_bytes = 4096;
}  // namespace

void FrameStack::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, std::align_val_t{frame_alignment});
}

std::byte* FrameStack::push(std::uint64_t bytes) {
  if (bytes > limit_bytes) return nullptr;
  bytes = (std::max<std::uint64_t>(bytes, 1) + frame_alignment - 1) & ~(frame_alignment - 1);
  if (chunks_.empty() || chunks_.back().bytes - chunks_.back().used < bytes) {
    const std::uint64_t size =
        std::max(chunks_.empty() ? first_chunk_bytes : 2 * chunks_.back().bytes, bytes);
    if (total_ + bytes > limit_bytes) return nullptr;
    void* memory = ::operator new(size, std::align_val_t{frame_alignment}, std::nothrow);
    if (memory == nullptr) return nullptr;
    chunks_.push_back({std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(memory)), size, 0});
  }
  Chunk& chunk = chunks_.back();
  std::byte* const frame = chunk.memory.get() + chunk.used;
  chunk.used += bytes;
  total_ += bytes;
  return frame;
}

void FrameStack::pop(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  while (!chunks_.empty()) {
    Chunk& chunk = chunks_.back();
    const auto begin = reinterpret_cast<std::uintptr_t>(chunk.memory.get());
    const bool here = address >= begin && address - begin < chunk.used;
    const std::uint64_t left = here ? address - begin : 0;
    total_ -= chunk.used - left;
    chunk.used = left;
    if (left == 0 && chunks_.size() > 1) {
      chunks_.pop_back();
    } else if (!here) {
      return;  // `memory` was never pushed: nothing is left to pop
    }
    if (here) return;
  }
}

void FrameStack::clear() {
  if (chunks_.size() > 1) chunks_.erase(chunks_.begin() + 1, chunks_.end());
  if (!chunks_.empty()) chunks_.front().used = 0;
  total_ = 0;
}

bool FrameStack::holds(std::uintptr_t address, std::uint64_t bytes) const {
  for (const Chunk& chunk : chunks_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(chunk.memory.get());
    if (address >= begin && address - begin <= chunk.used &&
        bytes <= chunk.used - (address - begin)) {
      return true;
    }
  }
  return false;
}

}  // namespace pycuda::cpu::exec
