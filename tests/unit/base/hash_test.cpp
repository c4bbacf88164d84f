// SPDX-License-Identifier: MIT
// The content hash: stable, sensitive to every bit, and aware of where pieces end.
#include "base/hash.h"

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <set>
#include <string>

namespace pycuda::base {
namespace {

TEST_CASE("the same pieces give the same hash, now and on every machine") {
  CHECK(Hash().add("kernel").add(std::uint64_t{80}).hex() ==
        Hash().add("kernel").add(std::uint64_t{80}).hex());
  CHECK(Hash().add("__global__ void f() {}").hex() == "568cbbb9e8ca190ad7bb5f0654ead44b");
}

TEST_CASE("pieces are told apart by where they end") {
  CHECK(Hash().add("ab").add("c").hex() != Hash().add("a").add("bc").hex());
  CHECK(Hash().add("").hex() != Hash().hex());
  CHECK(Hash().add("").add("a").hex() != Hash().add("a").add("").hex());
  CHECK(Hash().add(std::string_view("\0", 1)).hex() !=
        Hash().add(std::string_view("\0\0", 2)).hex());
}

TEST_CASE("a number is not the text of the same bytes") {
  CHECK(Hash().add(std::uint64_t{1}).hex() !=
        Hash().add(std::string_view("\1\0\0\0\0\0\0\0", 8)).hex());
  CHECK(Hash().add(std::uint64_t{0}).hex() != Hash().add("").hex());
}

TEST_CASE("one flipped bit anywhere changes about half of the hash") {
  std::string text(100, 'x');
  const std::string before = Hash().add(text).hex();
  for (std::size_t bit = 0; bit < text.size() * 8; ++bit) {
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
    const std::string after = Hash().add(text).hex();
    int changed = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto digit = [](char c) {
        return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
      };
      changed += std::popcount(digit(before[i]) ^ digit(after[i]));
    }
    CHECK(changed > 30);
    CHECK(changed < 98);
    text[bit / 8] = static_cast<char>(text[bit / 8] ^ (1 << (bit % 8)));
  }
}

TEST_CASE("ten thousand similar sources have ten thousand hashes") {
  std::set<std::string> seen;
  for (std::uint64_t i = 0; i < 10000; ++i)
    seen.insert(Hash().add(std::string(i % 37, 'a')).add(i).hex());
  CHECK(seen.size() == 10000);
}

}  // namespace
}  // namespace pycuda::base
