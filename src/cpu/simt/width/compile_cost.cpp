// SPDX-License-Identifier: MIT
#include "cpu/simt/width/compile_cost.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>

#include "cpu/simt/width/register_pressure.h"

namespace pycuda::cpu::simt {
namespace {

constexpr std::uint64_t wide_registers = 2048;
constexpr std::uint64_t word_bytes = 4;

std::uint64_t words_written(const llvm::Function& kernel) {
  std::uint64_t words = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const std::uint64_t bits = instruction.getType()->getPrimitiveSizeInBits().getFixedValue();
    words += std::max<std::uint64_t>(1, bits / 32);
  }
  return words;
}

}  // namespace

CompileCost::CompileCost(const llvm::Function& kernel)
    : words_written_(words_written(kernel)), live_words_(most_live_words(kernel)) {}

std::chrono::milliseconds CompileCost::time(unsigned lanes, std::uint64_t register_bytes) const {
  constexpr std::uint64_t worst_pressure = 6, registers_in_a_millisecond = 4;
  const std::uint64_t vector_bytes = register_bytes >= wide_registers ? 64 : 32;
  const std::uint64_t live = live_words_ * word_bytes * lanes;
  const std::uint64_t written =
      words_written_ * std::max<std::uint64_t>(1, word_bytes * lanes / vector_bytes);
  // In quarters: what is live seldom just fits.
  const std::uint64_t pressure =
      std::clamp<std::uint64_t>(4 * live / register_bytes, 4, 4 * worst_pressure);
  return std::chrono::milliseconds(written * pressure / 4 / registers_in_a_millisecond);
}

unsigned CompileCost::fit(unsigned lanes, unsigned narrowest, std::uint64_t register_bytes) const {
  constexpr std::chrono::seconds soon(4);
  while (lanes > narrowest && time(lanes, register_bytes) > soon) lanes /= 2;
  return lanes;
}

}  // namespace pycuda::cpu::simt
