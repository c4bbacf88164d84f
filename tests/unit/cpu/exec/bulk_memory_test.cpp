// SPDX-License-Identifier: MIT
// Copies and fills around the sizes from which they are shared and streamed.
#include "cpu/exec/bulk_memory.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/parallel_ranges.h"

namespace pycuda::cpu::exec {
namespace {

using Bytes = std::vector<unsigned char>;

constexpr std::size_t mebi = std::size_t{1} << 20;

/// No two pieces of it are alike.
Bytes numbered(std::size_t bytes) {
  Bytes made(bytes);
  std::uint32_t state = 1;
  for (unsigned char& byte : made) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<unsigned char>(state >> 24);
  }
  return made;
}

bool is_filled(const Bytes& found, std::size_t from, std::size_t bytes, unsigned char before) {
  for (std::size_t i = 0; i < from; ++i) {
    if (found[i] != before) return false;
  }
  for (std::size_t i = from + bytes; i < found.size(); ++i) {
    if (found[i] != before) return false;
  }
  return true;
}

TEST_CASE("pieces are all there is, each once, also where several threads have some") {
  const std::size_t bytes = 9 * mebi + 12345;
  const auto share = [&] {
    for (int round = 0; round < 50; ++round) {
      std::vector<std::atomic<int>> seen((bytes + 4095) / 4096);
      std::atomic<std::size_t> sum{0};
      parallel_ranges(bytes, [&](std::size_t begin, std::size_t end) {
        for (std::size_t at = begin; at < end; at += 4096) seen[at / 4096].fetch_add(1);
        sum.fetch_add(end - begin);
      });
      bool once = sum.load() == bytes;
      for (const std::atomic<int>& count : seen) once = once && count.load() == 1;
      if (!once) return false;
    }
    return true;
  };
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { right += share() ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  CHECK(right == 4);
}

TEST_CASE("more threads share out pieces than the pool has jobs") {
  std::atomic<int> whole{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 80; ++i) {
    threads.emplace_back([&] {
      std::atomic<std::size_t> sum{0};
      parallel_ranges(8 * mebi, [&](std::size_t begin, std::size_t end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        sum.fetch_add(end - begin);
      });
      whole += sum.load() == 8 * mebi ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(whole == 80);
}

TEST_CASE("copies of any size and alignment") {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, mebi, 5 * mebi + 3, 33 * mebi}) {
    const Bytes source = numbered(bytes + 70);
    for (const std::size_t to : {0, 1, 63}) {
      for (const std::size_t from : {0, 5}) {
        Bytes found(bytes + 70, 0xcd);
        copy_bytes(found.data() + to, source.data() + from, bytes);
        CHECK(std::memcmp(found.data() + to, source.data() + from, bytes) == 0);
        CHECK(is_filled(found, to, bytes, 0xcd));
      }
    }
  }
}

TEST_CASE("copies that overlap") {
  for (const std::size_t bytes : {5 * mebi, 33 * mebi}) {
    const Bytes source = numbered(bytes + 100);
    Bytes found = source;
    copy_bytes(found.data() + 100, found.data(), bytes);
    CHECK(std::memcmp(found.data() + 100, source.data(), bytes) == 0);
    found = source;
    copy_bytes(found.data(), found.data() + 100, bytes);
    CHECK(std::memcmp(found.data(), source.data() + 100, bytes) == 0);
  }
}

TEST_CASE("fills of any unit, size and alignment") {
  constexpr std::uint32_t value = 0x89abcdef;
  for (const std::size_t unit : {1, 2, 4}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{7}, 5 * mebi + 3, 33 * mebi + 1}) {
      const std::size_t bytes = count * unit;
      for (const std::size_t to : {std::size_t{0}, unit, 64 - unit}) {
        Bytes found(bytes + 128, 0x11);
        const std::size_t aligned = (~reinterpret_cast<std::uintptr_t>(found.data()) + 1) % 4 + to;
        fill_bytes(found.data() + aligned, value, unit, bytes);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i)
          wrong += std::memcmp(found.data() + aligned + i * unit, &value, unit) == 0 ? 0 : 1;
        CHECK(wrong == 0);
        CHECK(is_filled(found, aligned, bytes, 0x11));
      }
    }
  }
}

}  // namespace
TEST_CASE("copies and fills of memory that is none say so, whatever their length") {
  install_fault_signals();  // doctest has its own
  const auto nothing = reinterpret_cast<void*>(std::uintptr_t{0x1000});
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{3} << 20, std::size_t{9} << 20}) {
    std::vector<unsigned char> memory(bytes, 7);
    CHECK(!copy_bytes(nothing, memory.data(), bytes));
    CHECK(!copy_bytes(memory.data(), nothing, bytes));
    CHECK(!fill_bytes(nothing, 1, 1, bytes));
    CHECK(copy_bytes(memory.data(), memory.data(), bytes));
  }
}

}  // namespace pycuda::cpu::exec
