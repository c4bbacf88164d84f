// SPDX-License-Identifier: MIT
#include "cpu/exec/access_counts.h"

#include <doctest/doctest.h>

#include <array>
#include <cstdint>

using namespace pycuda::cpu;
using exec::AccessCost;

namespace {

constexpr std::uint32_t all = ~0u;
constexpr CountedAccess global_word{4, CountedSpace::Global, CountedOp::Load};
constexpr CountedAccess shared_word{4, CountedSpace::Shared, CountedOp::Load};

std::array<std::uint64_t, 32> spread(std::uint64_t first, std::int64_t stride) {
  std::array<std::uint64_t, 32> addresses;
  for (std::uint32_t lane = 0; lane < 32; ++lane)
    addresses[lane] = first + lane * static_cast<std::uint64_t>(stride);
  return addresses;
}

}  // namespace

TEST_CASE("a warp's neighbouring words are four sectors, five where they begin between two") {
  CHECK(exec::cost_of_strided(global_word, all, 4096, 4) == AccessCost{4, 4});
  CHECK(exec::cost_of_strided(global_word, all, 4096 + 4, 4) == AccessCost{5, 4});
  CHECK(exec::cost_of_strided(global_word, all, 4096, 128) == AccessCost{32, 4});
  CHECK(exec::cost_of_strided(global_word, all, 4096, 0) == AccessCost{1, 1});
}

TEST_CASE("lanes that do not take part touch nothing") {
  CHECK(exec::cost_of_strided(global_word, 0xff, 4096, 4) == AccessCost{1, 1});
  CHECK(exec::cost_of_strided(global_word, 0x80000001, 4096, 4) == AccessCost{2, 1});
  CHECK(exec::cost_of_strided(shared_word, 0x5, 0, 64 * 4) == AccessCost{2, 1});
}

TEST_CASE("words of shared memory at a power of two of words meet in as few banks") {
  CHECK(exec::cost_of_strided(shared_word, all, 0, 4) == AccessCost{1, 1});
  CHECK(exec::cost_of_strided(shared_word, all, 0, 8) == AccessCost{2, 1});
  CHECK(exec::cost_of_strided(shared_word, all, 0, 128) == AccessCost{32, 1});
  CHECK(exec::cost_of_strided(shared_word, all, 0, 132) == AccessCost{1, 1});
  CHECK(exec::cost_of_strided(shared_word, all, 64, 0) == AccessCost{1, 1});
}

TEST_CASE("wide words of shared memory are served by halves and quarters of a warp") {
  const CountedAccess doubles{8, CountedSpace::Shared, CountedOp::Load};
  const CountedAccess quads{16, CountedSpace::Shared, CountedOp::Load};
  CHECK(exec::cost_of_strided(doubles, all, 0, 8) == AccessCost{2, 2});
  CHECK(exec::cost_of_strided(doubles, all, 0, 16) == AccessCost{4, 2});
  CHECK(exec::cost_of_strided(quads, all, 0, 16) == AccessCost{4, 4});
  CHECK(exec::cost_of_strided(quads, all, 0, 128) == AccessCost{32, 4});
}

TEST_CASE("wide loads of pairs of lanes that want the same are served two groups at a time") {
  const CountedAccess load{16, CountedSpace::Shared, CountedOp::Load};
  const CountedAccess store{16, CountedSpace::Shared, CountedOp::Store};
  CHECK(exec::cost_of_strided(load, all, 0, 0) == AccessCost{2, 2});
  CHECK(exec::cost_of_strided(store, all, 0, 0) == AccessCost{4, 4});
  auto addresses = spread(0, 0);
  for (std::uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = lane / 2 * 16;
  CHECK(exec::cost_of(load, all, addresses.data()) == AccessCost{2, 2});
  for (std::uint32_t lane = 0; lane < 32; ++lane) addresses[lane] = (lane & ~2u) * 16;
  CHECK(exec::cost_of(load, all, addresses.data()) == AccessCost{4, 4});
}

TEST_CASE("an atomic operation on shared memory serves lanes of one word one after the other") {
  const CountedAccess add{4, CountedSpace::Shared, CountedOp::Reduction};
  CHECK(exec::cost_of_strided(add, all, 0, 0).parts == 32);
  CHECK(exec::cost_of_strided(add, all, 0, 4).parts == 1);
}

TEST_CASE("local memory lies word by word, the lanes side by side") {
  const CountedAccess word{4, CountedSpace::Local, CountedOp::Load};
  CHECK(exec::cost_of_strided(word, all, 16, 0) == AccessCost{4, 4});
  // Each lane another element of its array.
  CHECK(exec::cost_of_strided(word, all, 0, 4) == AccessCost{32, 4});
}

TEST_CASE("what a stride gives is what its addresses give") {
  for (const CountedSpace space : {CountedSpace::Global, CountedSpace::Shared}) {
    for (const std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
      const CountedAccess access{bytes, space, CountedOp::Load};
      for (std::int64_t step = -70; step <= 70; ++step) {
        for (const std::uint64_t offset : {0u, 1u, 3u, 7u, 13u}) {
          const std::int64_t stride = step * static_cast<std::int64_t>(bytes);
          const std::uint64_t first = 65536 + offset * bytes;
          const auto addresses = spread(first, stride);
          CAPTURE(bytes);
          CAPTURE(stride);
          CAPTURE(first);
          CHECK(exec::cost_of_strided(access, all, first, stride) ==
                exec::cost_of(access, all, addresses.data()));
        }
      }
    }
  }
}
