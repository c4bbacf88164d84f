// SPDX-License-Identifier: MIT
// A 128-bit content hash for cache keys (not for secrets).
#include "base/hash.h"

#include <bit>
#include <cstring>

namespace pycuda::base {
namespace {

constexpr std::uint64_t kOdd0 = 0x9e3779b97f4a7c15u;
constexpr std::uint64_t kOdd1 = 0xc2b2ae3d27d4eb4fu;
constexpr std::uint64_t kOdd2 = 0xd6e8feb86659fd93u;

using State = std::array<std::uint64_t, 2>;

/// One word in. For a given word the step is a bijection of the state, so nothing already hashed is
/// lost.
void step(State& state, std::uint64_t word) {
  word *= kOdd2;
  word ^= word >> 32;
  auto& [a, b] = state;
  a = std::rotl((a ^ word) * kOdd0, 29) + b;
  b = std::rotl((b + word) * kOdd1, 31) ^ a;
}

std::uint64_t little_endian_word(const std::byte* bytes, std::size_t count) {
  std::uint64_t word = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&word, bytes, count);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      word |= std::to_integer<std::uint64_t>(bytes[i]) << (8 * i);
    }
  }
  return word;
}

void append_hex(std::string& text, std::uint64_t number) {
  for (int shift = 60; shift >= 0; shift -= 4) {
    text.push_back("0123456789abcdef"[(number >> shift) & 15]);
  }
}

}  // namespace

Hash& Hash::add(std::span<const std::byte> piece) {
  State state = state_;
  step(state, piece.size() ^ kOdd1);
  const std::byte* bytes = piece.data();
  std::size_t left = piece.size();
  for (; left >= 8; left -= 8, bytes += 8) step(state, little_endian_word(bytes, 8));
  if (left != 0) step(state, little_endian_word(bytes, left));
  state_ = state;
  return *this;
}

Hash& Hash::add(std::string_view piece) {
  return add(std::as_bytes(std::span(piece.data(), piece.size())));
}

Hash& Hash::add(std::uint64_t number) {
  step(state_, kOdd0);  // so that a number is not a piece of that length
  step(state_, number);
  return *this;
}

std::string Hash::hex() const {
  State state = state_;
  for (std::uint64_t round = 1; round <= 4; ++round) step(state, round);
  std::string text;
  text.reserve(32);
  append_hex(text, state[0]);
  append_hex(text, state[1]);
  return text;
}

}  // namespace pycuda::base
