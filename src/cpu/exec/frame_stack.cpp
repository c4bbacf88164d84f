// SPDX-License-Identifier: MIT
// Chunks that grow with the depth of the calls.
#include "cpu/exec/frame_stack.h"

#include <algorithm>
#include <new>
#include <utility>

namespace pycuda::cpu::exec {
namespace {
constexpr std::uint64_t frame_alignment = 64;
constexpr std::uint64_t first_chunk_bytes = 4096;

bool inside(std::uintptr_t address, std::uint64_t bytes, std::uintptr_t begin, std::uint64_t size) {
  return address >= begin && address - begin <= size && bytes <= size - (address - begin);
}

std::uint64_t rounded(std::uint64_t bytes) {
  return (std::max<std::uint64_t>(bytes, 1) + frame_alignment - 1) & ~(frame_alignment - 1);
}

/// `bytes` of the last chunk, or of a new one that `allocate` gives; null when it gives none.
template <class Chunks, class Allocate>
std::byte* take(Chunks& chunks, std::uint64_t bytes, Allocate allocate) {
  if (chunks.empty() || chunks.back().bytes - chunks.back().used < bytes) {
    const std::uint64_t size =
        std::max(chunks.empty() ? first_chunk_bytes : 2 * chunks.back().bytes, bytes);
    auto memory = allocate(size);
    if (memory == nullptr) return nullptr;
    chunks.push_back({std::move(memory), size, 0});
  }
  auto& chunk = chunks.back();
  std::byte* const begin = chunk.memory.get() + chunk.used;
  chunk.used += bytes;
  return begin;
}

template <class Chunks>
void keep_first(Chunks& chunks) {
  if (chunks.size() > 1) chunks.erase(chunks.begin() + 1, chunks.end());
  if (!chunks.empty()) chunks.front().used = 0;
}

template <class Chunks>
bool in_use(const Chunks& chunks, std::uintptr_t address, std::uint64_t bytes) {
  return std::any_of(chunks.begin(), chunks.end(), [&](const auto& chunk) {
    return inside(address, bytes, reinterpret_cast<std::uintptr_t>(chunk.memory.get()), chunk.used);
  });
}

}  // namespace

void FrameStack::Free::operator()(std::byte* memory) const {
  ::operator delete(memory, std::align_val_t{frame_alignment});
}

std::byte* FrameStack::push(std::uint64_t bytes, std::uint64_t most) {
  if (bytes > most) return nullptr;
  bytes = rounded(bytes);
  if (total_ + bytes > most) return nullptr;
  std::byte* const frame = take(frames_, bytes, [](std::uint64_t size) {
    return std::unique_ptr<std::byte, Free>(static_cast<std::byte*>(
        ::operator new(size, std::align_val_t{frame_alignment}, std::nothrow)));
  });
  if (frame != nullptr) total_ += bytes;
  return frame;
}

std::byte* FrameStack::push_variable(std::uint64_t bytes, std::uint64_t alignment,
                                     std::uint64_t counted, std::uint64_t most) {
  const std::uint64_t slack = alignment > frame_alignment ? alignment : 0;
  if (bytes > most || slack > most) return nullptr;
  const std::uint64_t taken = rounded(bytes + slack);
  if (total_ + taken > most) return nullptr;
  std::byte* const memory = take(variable_memory_, taken, [](std::uint64_t size) {
    return LocalArea::instance().allocate(size);
  });
  if (memory == nullptr) return nullptr;
  total_ += taken;
  const auto raw = reinterpret_cast<std::uintptr_t>(memory);
  const std::uint64_t skipped = slack == 0 ? 0 : ((raw + slack - 1) & ~(slack - 1)) - raw;
  variables_.push_back({{raw + skipped, bytes},
                        counted,
                        taken,
                        frames_.size(),
                        frames_.empty() ? 0 : frames_.back().used});
  counted_ += counted;
  return memory + skipped;
}

void FrameStack::forget_last_variable() {
  const Placed& last = variables_.back();
  counted_ -= last.counted;
  total_ -= last.taken;
  variable_memory_.back().used -= last.taken;
  if (variable_memory_.back().used == 0 && variable_memory_.size() > 1) variable_memory_.pop_back();
  variables_.pop_back();
}

void FrameStack::forget_variables(std::size_t chunks, std::uint64_t used) {
  while (!variables_.empty()) {
    const Placed& last = variables_.back();
    if (last.frame_chunks < chunks || (last.frame_chunks == chunks && last.frames_used <= used))
      return;
    forget_last_variable();
  }
}

void FrameStack::pop_variables_from(std::size_t index) {
  const Placed first = variables_[index];
  while (variables_.size() > index) forget_last_variable();
  while (!frames_.empty()) {
    auto& chunk = frames_.back();
    const bool later = frames_.size() > first.frame_chunks;
    const std::uint64_t left = later ? 0 : first.frames_used;
    total_ -= chunk.used - left;
    chunk.used = left;
    if (!later || frames_.size() == 1) return;
    frames_.pop_back();
  }
}

void FrameStack::pop(const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (LocalArea::instance().spans(address)) {
    const auto placed =
        std::find_if(variables_.rbegin(), variables_.rend(),
                     [&](const Placed& each) { return each.variable.begin == address; });
    if (placed != variables_.rend()) {
      pop_variables_from(static_cast<std::size_t>(variables_.rend() - placed) - 1);
      return;
    }
  }
  while (!frames_.empty()) {
    auto& chunk = frames_.back();
    const auto begin = reinterpret_cast<std::uintptr_t>(chunk.memory.get());
    const bool here = address >= begin && address - begin < chunk.used;
    const std::uint64_t left = here ? address - begin : 0;
    forget_variables(frames_.size(), left);
    total_ -= chunk.used - left;
    chunk.used = left;
    if (left == 0 && frames_.size() > 1) {
      frames_.pop_back();
    } else if (!here) {
      return;  // `memory` was never pushed: nothing is left to pop
    }
    if (here) return;
  }
}

void FrameStack::clear() {
  keep_first(frames_);
  keep_first(variable_memory_);
  variables_.clear();
  total_ = 0;
  counted_ = 0;
}

void FrameStack::prepare() {
  constexpr std::size_t few = 8;
  variables_.reserve(few);
  variable_memory_.reserve(few);
  push_variable(1, 1, 0);
  clear();
}

bool FrameStack::holds(std::uintptr_t address, std::uint64_t bytes) const {
  return in_use(frames_, address, bytes) || in_use(variable_memory_, address, bytes);
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
