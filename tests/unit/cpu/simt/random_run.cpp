// SPDX-License-Identifier: MIT
#include "unit/cpu/simt/random_run.h"

#include <cstdint>
#include <random>

namespace pycuda::cpu::testing {
namespace {

constexpr std::uint32_t most_threads = 2048;
constexpr std::uint32_t untouched = 0xabababab;

struct Outcome {
  std::vector<std::uint32_t> out, soa, bins;
};

Outcome run(LoadedModule& module, const char* name, const Shape& shape) {
  static const std::vector<std::uint32_t> in = [] {
    std::vector<std::uint32_t> words(RandomKernel::in_words_with_rows);
    for (std::uint32_t i = 0; i < words.size(); ++i) {
      words[i] = i * 2654435761u ^ (i << 7);
      // Small numbers and ordinary real ones, so that not every sum is noise.
      if (i % 4 == 1) words[i] %= 100;
      if (i % 8 == 3) words[i] = 0x3f000000 + (words[i] >> 7);
    }
    return words;
  }();
  REQUIRE(shape.block.y <= RandomKernel::block_rows);
  const std::uint32_t threads =
      shape.grid.x * shape.grid.y * shape.block.x * shape.block.y * shape.block.z;
  Outcome outcome{
      std::vector<std::uint32_t>(std::size_t{RandomKernel::out_words} * threads + 64, untouched),
      std::vector<std::uint32_t>(std::size_t{RandomKernel::soa_rows} * most_threads * 2 + 64,
                                 untouched),
      std::vector<std::uint32_t>(RandomKernel::bin_words)};
  module.run(name, shape.grid, shape.block, in.data(), outcome.out.data(), outcome.soa.data(),
             outcome.bins.data(), shape.n);
  return outcome;
}

std::string compare(const char* what, const std::vector<std::uint32_t>& expected,
                    const std::vector<std::uint32_t>& found) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != found[i])
      return std::string(what) + "[" + std::to_string(i) + "] is " + std::to_string(found[i]) +
             ", not " + std::to_string(expected[i]);
  }
  return {};
}

std::string compare(const Outcome& expected, const Outcome& found) {
  std::string text = compare("out", expected.out, found.out);
  if (text.empty()) text = compare("soa", expected.soa, found.soa);
  if (text.empty()) text = compare("bins", expected.bins, found.bins);
  return text;
}

}  // namespace

std::vector<Shape> random_shapes(std::uint64_t seed) {
  static const std::vector<Shape> full{{{2}, {64}, 128},   {{3}, {128}, 384}, {{1}, {256}, 256},
                                       {{2}, {512}, 1024}, {{4}, {32}, 128},  {{2}, {96}, 192}};
  static const std::vector<Shape> ragged{{{3}, {72}, 200}, {{2}, {250}, 470}, {{1}, {1000}, 999},
                                         {{2}, {96}, 177}, {{5}, {64}, 310},  {{2}, {1000}, 1500},
                                         {{3}, {17}, 40},  {{2}, {160}, 161}, {{2}, {33}, 66},
                                         {{4}, {100}, 399}};
  static const std::vector<Shape> planes{
      {{2}, {16, 4}, 120}, {{2}, {9, 5}, 77},   {{3}, {16, 16}, 700},  {{2}, {8, 8, 2}, 250},
      {{2}, {33, 3}, 190}, {{2}, {32, 8}, 512}, {{1}, {5, 7, 3}, 100}, {{2}, {20, 10}, 399}};
  // Made of whole tiles, gangs of several rows.
  static const std::vector<Shape> tiles{
      {{2}, {16, 16}, 512},   {{3}, {16, 8}, 333},   {{2}, {32, 8}, 500},  {{1}, {64, 4}, 256},
      {{2}, {16, 4, 2}, 200}, {{1}, {16, 64}, 1000}, {{1}, {32, 32}, 777}, {{2}, {48, 12}, 1152}};
  // Of rows narrower than a gang, and of warps that are no parts of rows.
  static const std::vector<Shape> narrow{
      {{2}, {8, 8}, 128},     {{3}, {8, 4}, 70},     {{1}, {8, 4, 3}, 96},   {{2}, {4, 8}, 64},
      {{1}, {8, 16, 2}, 256}, {{2}, {2, 16}, 50},    {{2}, {1, 16, 4}, 100}, {{1}, {3, 5, 17}, 251},
      {{2}, {1, 33}, 66},     {{1}, {2, 3, 30}, 170}};
  return {full[seed % full.size()], ragged[seed / 7 % ragged.size()],
          planes[seed / 3 % planes.size()], tiles[seed / 5 % tiles.size()],
          narrow[seed / 2 % narrow.size()]};
}

std::vector<Shape> shapes_across_rows(std::uint64_t seed) {
  static const std::vector<Shape> planes{
      {{2}, {16, 16}, 512}, {{3}, {33, 3}, 290}, {{2}, {1, 256}, 500}, {{2}, {24, 10}, 480},
      {{3}, {8, 8}, 192},   {{2}, {4, 4}, 32},   {{2}, {5, 25}, 249},  {{1}, {16, 32}, 512}};
  static const std::vector<Shape> volumes{{{2}, {8, 8, 8}, 1000}, {{2}, {1, 16, 16}, 512},
                                          {{2}, {5, 5, 5}, 250},  {{3}, {4, 4, 8}, 384},
                                          {{1}, {3, 5, 17}, 251}, {{2}, {16, 2, 4}, 256}};
  static const std::vector<Shape> whole{{{2}, {64}, 128},
                                        {{2}, {32, 8}, 512},
                                        {{3}, {100}, 299},
                                        {{2}, {64, 2, 2}, 512},
                                        {{1}, {256}, 256}};
  return {planes[seed % planes.size()], volumes[seed / 2 % volumes.size()],
          whole[seed / 3 % whole.size()]};
}

std::string difference(LoadedModule& module, const char* name, const Shape& shape) {
  module.thread_by_thread = true;
  const Outcome expected = run(module, name, shape);
  module.thread_by_thread = false;
  return compare(expected, run(module, name, shape));
}

std::string difference(LoadedModule& oracle, LoadedModule& module, const char* name,
                       const Shape& shape) {
  oracle.thread_by_thread = true;
  const Outcome expected = run(oracle, name, shape);
  for (const bool threads : {true, false}) {
    module.thread_by_thread = threads;
    const std::string text = compare(expected, run(module, name, shape));
    if (!text.empty()) return (threads ? "threads: " : "gangs: ") + text;
  }
  return {};
}

std::string difference_of_form(LoadedModule& oracle, LoadedModule& module, const char* name,
                               const Shape& shape) {
  return compare(run(oracle, name, shape), run(module, name, shape));
}

namespace {

std::string text_of(std::mt19937_64& random, const std::string& name, const KernelTraits& traits) {
  RandomKernel kernel(
      [&](std::uint32_t count) { return static_cast<std::uint32_t>(random() % count); });
  return kernel.text(name, traits);
}

}  // namespace

std::string warp_kernel_text(std::uint64_t seed, const std::string& name, bool every_part) {
  std::mt19937_64 random(seed);
  KernelTraits traits;
  traits.barriers = seed % 3 == 0;
  traits.warps = traits.walks = traits.whole_warps = true;
  traits.every_part = every_part;
  traits.size = 2 + static_cast<int>(random() % 4);
  return text_of(random, name, traits);
}

std::string step_kernel_text(std::uint64_t seed, const std::string& name, bool every_part,
                             bool trips) {
  std::mt19937_64 random(seed);
  KernelTraits traits;
  traits.barriers = seed % 3 == 0;
  traits.warps = traits.in_step = true;
  traits.trips = trips;
  traits.every_part = every_part;
  traits.literal_width = seed % 4 == 0 ? 16 : 0;
  traits.size = 3 + static_cast<int>(random() % 5);
  return text_of(random, name, traits);
}

std::string kernel_text(std::uint64_t seed, const std::string& name, bool warps, bool every_part,
                        Flushing flushing, bool walks, int literal_width) {
  std::mt19937_64 random(seed);
  KernelTraits traits;
  traits.literal_width = literal_width;
  traits.barriers = seed % 3 == 0;
  traits.warps = warps && seed % 5 == 0;
  traits.every_part = every_part;
  traits.pointers = flushing == Flushing::Hardly && seed % 4 == 1;
  traits.flushing = flushing;
  traits.walks = walks;
  // Mostly small: what is found in a small one is easy to read, and more fit into an hour.
  traits.size = 2 + static_cast<int>(random() % (seed % 16 == 0 ? 12 : 4));
  return text_of(random, name, traits);
}

}  // namespace pycuda::cpu::testing
