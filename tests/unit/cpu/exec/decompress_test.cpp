// SPDX-License-Identifier: MIT
// Blocks of each compression, whole, cut and damaged.
#include "cpu/exec/decompress.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <string_view>
#include <utility>
#include <vector>

using namespace pycuda::cpu::exec;

namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::string_view text =
    "row row row your boat gently down the stream, merrily merrily merrily merrily life is but a "
    "dream; row row row your boat";

// What zlib makes of the text: with codes of its own, and with the fixed ones.
const Bytes own_codes{5,   193, 129, 9,   3,   65, 8,   4,   192, 86,  182, 128, 116, 144, 106,
                      238, 120, 147, 8,   250, 11, 251, 30,  98,  247, 153, 17,  27,  98,  67,
                      108, 12,  143, 176, 185, 10, 95,  187, 43,  6,   23,  251, 70,  253, 12,
                      79,  201, 86,  190, 144, 38, 121, 12,  210, 36,  143, 65,  154, 228, 49,
                      72,  147, 60,  6,   225, 31, 131, 63,  216, 167, 176, 112, 201, 86,  190,
                      33,  54,  196, 134, 216, 24, 30,  97,  115, 213, 31};
const Bytes fixed_codes{43,  202, 47,  87,  40,  130, 226, 202, 252, 210, 34,  133, 164, 252, 196,
                        18,  133, 244, 212, 188, 146, 156, 74,  133, 148, 252, 242, 60,  133, 146,
                        140, 84,  133, 226, 146, 162, 212, 196, 92,  29,  133, 220, 212, 162, 162,
                        76,  160, 4,   46,  58,  39,  51,  45,  85,  33,  179, 88,  33,  169, 180,
                        68,  33,  81,  33,  5,   164, 201, 26,  110, 60,  138, 21,  0};
const Bytes in_snappy{120, 12,  114, 111, 119, 32,  17,  4,   160, 121, 111, 117, 114, 32,  98,
                      111, 97,  116, 32,  103, 101, 110, 116, 108, 121, 32,  100, 111, 119, 110,
                      32,  116, 104, 101, 32,  115, 116, 114, 101, 97,  109, 44,  32,  109, 101,
                      114, 114, 105, 108, 121, 99,  8,   0,   0,   0,   56,  108, 105, 102, 101,
                      32,  105, 115, 32,  98,  117, 116, 32,  97,  32,  100, 1,   53,  0,   59,
                      21,  95,  1,   103, 1,   99,  1,   99,  0,   116};
const Bytes in_lz4{68,  114, 111, 119, 32,  4,   0,   255, 26,  121, 111, 117, 114, 32,  98,  111,
                   97,  116, 32,  103, 101, 110, 116, 108, 121, 32,  100, 111, 119, 110, 32,  116,
                   104, 101, 32,  115, 116, 114, 101, 97,  109, 44,  32,  109, 101, 114, 114, 105,
                   108, 121, 8,   0,   6,   240, 0,   108, 105, 102, 101, 32,  105, 115, 32,  98,
                   117, 116, 32,  97,  32,  100, 53,  0,   16,  59,  95,  0,   0,   4,   0,   224,
                   32,  114, 111, 119, 32,  121, 111, 117, 114, 32,  98,  111, 97,  116};

const std::pair<Compression, const Bytes*> blocks[] = {
    {Compression::Deflate, &own_codes},
    {Compression::Deflate, &fixed_codes},
    {Compression::Snappy, &in_snappy},
    {Compression::Lz4, &in_lz4},
};

struct Outcome {
  bool is_whole;
  Bytes data;  ///< what was written
  bool is_inside;
};

Outcome run(Compression compression, const Bytes& block, std::size_t room) {
  constexpr unsigned char mark = 0xA5;
  Bytes to(room + 64, mark);
  std::size_t written = 0;
  const bool is_whole =
      decompress(compression, {block.data(), block.size(), to.data(), room}, &written);
  const auto end = to.begin() + static_cast<std::ptrdiff_t>(room);
  const bool is_inside = written <= room && std::all_of(end, to.end(), [](unsigned char byte) {
                           return byte == mark;
                         });
  to.resize(std::min(written, room));
  return {is_whole, to, is_inside};
}

}  // namespace

TEST_CASE("a block stands for its text") {
  for (const auto& [compression, block] : blocks) {
    for (const std::size_t more : {std::size_t{0}, std::size_t{40}}) {
      const Outcome found = run(compression, *block, text.size() + more);
      CHECK(found.is_whole);
      CHECK(found.is_inside);
      CHECK(std::ranges::equal(found.data, text));
    }
  }
}

TEST_CASE("a block that was cut, or has too little room, is not whole") {
  for (const auto& [compression, block] : blocks) {
    for (std::size_t size = 0; size < block->size(); ++size) {
      const Bytes part(block->begin(), block->begin() + static_cast<std::ptrdiff_t>(size));
      const Outcome found = run(compression, part, text.size());
      CHECK((!found.is_whole || found.data.size() < text.size()));  // LZ4 ends after any literals
      CHECK(found.is_inside);
    }
    for (std::size_t room = 0; room < text.size(); ++room) {
      const Outcome found = run(compression, *block, room);
      CHECK(!found.is_whole);
      CHECK(found.is_inside);
    }
  }
}

TEST_CASE("damaged blocks write into their room alone") {
  std::mt19937 random(1);
  for (const auto& [compression, block] : blocks) {
    for (int i = 0; i < 20000; ++i) {
      Bytes damaged = *block;
      for (int changes = 0; changes < 3; ++changes)
        damaged[random() % damaged.size()] = static_cast<unsigned char>(random());
      REQUIRE(run(compression, damaged, text.size()).is_inside);
    }
  }
}
