// SPDX-License-Identifier: MIT
// Chunks that grow with the depth of the calls.
#include "cpu/exec/frame_stack.h"

#include <algorithm>
#include <new>

namespace pycuda::cpu::exec {
namespace {
constexpr std::uint64_t frame_alignment = 64;
constexpr std::uint64_t first_chunk_bytes = 4096;

bool inside(std::uintptr_t address, std::uint64_t bytes, std::uintptr_t begin, std::uint64_t size) {
  return address >= begin && address - begin <= size && bytes <= size - (address - begin);
}

}  // namespace

void FrameStack::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, std::align_val_t{frame_alignment});
}

std::byte* FrameStack::push(std::uint64_t bytes, std::uint64_t most) {
  if (bytes > most) return nullptr;
  bytes = (std::max<std::uint64_t>(bytes, 1) + frame_alignment - 1) & ~(frame_alignment - 1);
  if (total_ + bytes > most) return nullptr;
  if (chunks_.empty() || chunks_.back().bytes - chunks_.back().used < bytes) {
    const std::uint64_t size =
        std::max(chunks_.empty() ? first_chunk_bytes : 2 * chunks_.back().bytes, bytes);
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

std::byte* FrameStack::push_variable(std::uint64_t bytes, std::uint64_t alignment,
                                     std::uint64_t counted, std::uint64_t most) {
  const std::uint64_t slack = alignment > frame_alignment ? alignment : 0;
  if (bytes > most || slack > most) return nullptr;
  std::byte* const memory = push(bytes + slack, most);
  if (memory == nullptr) return nullptr;
  const auto raw = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t skipped = slack == 0 ? 0 : ((raw + slack - 1) & ~(slack - 1)) - raw;
  const Chunk& chunk = chunks_.back();
  variables_.push_back({{raw + skipped, bytes},
                        counted,
                        chunks_.size() - 1,
                        static_cast<std::uint64_t>(memory - chunk.memory.get())});
  counted_ += counted;
  return memory + skipped;
}

void FrameStack::forget_variables(std::size_t chunk, std::uint64_t offset) {
  while (!variables_.empty()) {
    const Placed& last = variables_.back();
    if (last.chunk < chunk || (last.chunk == chunk && last.offset < offset)) return;
    counted_ -= last.counted;
    variables_.pop_back();
  }
}

void FrameStack::pop(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  while (!chunks_.empty()) {
    Chunk& chunk = chunks_.back();
    const auto begin = reinterpret_cast<std::uintptr_t>(chunk.memory.get());
    const bool here = address >= begin && address - begin < chunk.used;
    const std::uint64_t left = here ? address - begin : 0;
    forget_variables(chunks_.size() - 1, left);
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
  variables_.clear();
  total_ = 0;
  counted_ = 0;
}

bool FrameStack::holds(std::uintptr_t address, std::uint64_t bytes) const {
  return std::any_of(chunks_.begin(), chunks_.end(), [&](const Chunk& chunk) {
    return inside(address, bytes, reinterpret_cast<std::uintptr_t>(chunk.memory.get()), chunk.used);
  });
}

bool FrameStack::holds_in_variable(std::uintptr_t address, std::uint64_t bytes) const {
  // The latest frame's variables are asked for most.
  return std::any_of(variables_.rbegin(), variables_.rend(), [&](const Placed& placed) {
    return inside(address, bytes, placed.variable.begin, placed.variable.bytes);
  });
}

FrameStack::Variable FrameStack::nearest_variable(std::uintptr_t address) const {
  const auto distance = [&](const Variable& variable) -> std::uintptr_t {
    if (address < variable.begin) return variable.begin - address;
    const std::uintptr_t offset = address - variable.begin;
    return offset < variable.bytes ? 0 : offset - variable.bytes;
  };
  Variable best;
  for (const Placed& placed : variables_) {
    if (best.bytes == 0 || distance(placed.variable) < distance(best)) best = placed.variable;
  }
  return best;
}

}  // namespace pycuda::cpu::exec
