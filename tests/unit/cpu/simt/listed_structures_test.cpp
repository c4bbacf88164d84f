// SPDX-License-Identifier: MIT
// Structures that lists name: all parts of a lane's structure are read at once, and no byte more.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "unit/cpu/kernel_run.h"

using namespace pycuda::cpu;
using namespace pycuda::cpu::testing;

namespace {

constexpr std::uint32_t most_threads = 64, entries = 6;

/// Memory that ends where no more may be read, and begins so too.
class Fenced {
 public:
  Fenced() {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = 3 * page;
    start_ = static_cast<char*>(
        mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    REQUIRE(start_ != MAP_FAILED);
    REQUIRE(mprotect(start_ + page, page, PROT_READ | PROT_WRITE) == 0);
    first = reinterpret_cast<std::uint32_t*>(start_ + page);
    words = page / 4;
    for (std::size_t i = 0; i < words; ++i)
      first[i] = static_cast<std::uint32_t>((i + 1) * 2654435761u);
  }
  ~Fenced() { munmap(start_, bytes_); }
  Fenced(const Fenced&) = delete;
  Fenced& operator=(const Fenced&) = delete;

  std::uint32_t* first;
  std::size_t words;

 private:
  std::size_t bytes_;
  char* start_;
};

/// Mixes `parts` words, or double words, of each structure that the list names; threads skip
/// entries below 0.
std::string kernel_of(unsigned parts, unsigned bits, const std::string& step = "%rd7") {
  const std::string t = std::to_string(bits), bytes = std::to_string(bits / 8);
  std::string text =
      ".visible .entry k(.param .u64 out, .param .u64 list, .param .u64 in, .param .u32 n) {\n"
      ".reg .b64 %rd<16>; .reg .b32 %r<8>; .reg .pred %p<4>; .reg .b" +
      t +
      " %v<20>;\n"
      "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [list]; ld.param.u64 %rd3, [in];\n"
      "ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; mul.wide.u32 %rd4, %r2, " +
      bytes +
      "; add.u64 %rd1, %rd1, %rd4; mul.wide.u32 %rd4, %r2, 4; add.u64 %rd2, %rd2, %rd4;\n"
      "mul.wide.u32 %rd7, %r1, 4; mov.u32 %r3, 0; mov.b" +
      t +
      " %v0, 1;\n"
      "LOOP: ld.global.b32 %r4, [%rd2]; setp.lt.s32 %p1, %r4, 0; @%p1 bra NEXT;\n"
      "mul.lo.s32 %r5, %r4, " +
      std::to_string(parts) + "; mul.wide.s32 %rd5, %r5, " + bytes +
      "; add.u64 %rd6, %rd3, %rd5;\n";
  for (unsigned part = 0; part < parts; ++part)
    text += "ld.global.b" + t + " %v" + std::to_string(part + 1) + ", [%rd6+" +
            std::to_string(part * bits / 8) + "];\n";
  for (unsigned part = 1; part <= parts; ++part)
    text += "mul.lo.u" + t + " %v0, %v0, 31; xor.b" + t + " %v0, %v0, %v" + std::to_string(part) +
            ";\n";
  return text + "NEXT: add.u64 %rd2, %rd2, " + step +
         "; add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, " + std::to_string(entries) +
         "; @%p2 bra LOOP;\nst.global.b" + t + " [%rd1], %v0; ret; }\n";
}

}  // namespace

TEST_CASE("structures that a list names, up to the last byte of memory") {
  const Fenced fenced;
  for (const unsigned bits : {32u, 64u}) {
    for (const unsigned parts : {2u, 3u, 4u, 5u, 7u, 8u}) {
      const auto all = static_cast<std::uint32_t>(fenced.words * 4 / (parts * bits / 8));
      // The last structure ends where the memory does.
      const char* in = reinterpret_cast<const char*>(fenced.first + fenced.words) -
                       std::size_t{all} * parts * bits / 8;
      std::vector<std::int32_t> list(entries * most_threads);
      for (std::uint32_t i = 0; i < list.size(); ++i)
        list[i] = static_cast<std::int32_t>(i % 5 == 0 ? all - 1 : i * 2654435761u % all);
      for (const bool skips : {false, true}) {
        if (skips) {
          for (std::uint32_t i = 0; i < list.size(); i += 3)
            list[i] = std::int32_t{-1} - static_cast<std::int32_t>(i * 1000003);
        }
        for (const unsigned lanes : {0u, 4u, 8u, 16u, 32u, 64u}) {
          LoadedModule module(kernel_of(parts, bits), gangs_of(lanes));
          for (const std::uint32_t count : {most_threads, 40u, 7u}) {
            std::vector<std::uint64_t> found(most_threads, 7), expected(most_threads, 7);
            module.thread_by_thread = false;
            module.run("k", {1}, {count}, found.data(), list.data(), in, most_threads);
            module.thread_by_thread = true;
            module.run("k", {1}, {count}, expected.data(), list.data(), in, most_threads);
            CHECK_MESSAGE(found == expected, parts << " parts of " << bits << " bits, " << lanes
                                                   << " lanes, " << count << " threads");
          }
        }
      }
    }
  }
}

TEST_CASE("rows that threads walk some elements at a time, up to the last byte of memory") {
  const Fenced fenced;
  constexpr unsigned at_once = 4;
  for (const std::uint32_t trips : {1u, 2u, 3u}) {
    const std::uint32_t row = trips * at_once;
    std::string text =
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 row) {\n"
        ".reg .b64 %rd<8>; .reg .b32 %r<16>; .reg .pred %p<2>;\n"
        "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [row];\n"
        "mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd1, %rd1, %rd3;\n"
        "mul.lo.s32 %r3, %r2, %r1; mul.wide.s32 %rd4, %r3, 4; add.u64 %rd5, %rd2, %rd4;\n"
        "mov.u32 %r4, 0; mov.u32 %r5, 1;\nLOOP:\n";
    for (unsigned part = 0; part < at_once; ++part)
      text += "ld.global.u32 %r6, [%rd5+" + std::to_string(part * 4) +
              "]; mad.lo.u32 %r5, %r5, 31, %r6;\n";
    text += "add.u64 %rd5, %rd5, 16; add.u32 %r4, %r4, " + std::to_string(at_once) +
            "; setp.lt.u32 %p1, %r4, %r1; @%p1 bra LOOP;\nst.global.u32 [%rd1], %r5; ret; }\n";
    for (const unsigned lanes : {0u, 4u, 16u, 64u}) {
      LoadedModule module(text, gangs_of(lanes));
      for (const std::uint32_t count : {most_threads, 40u, 7u}) {
        const std::uint32_t* in = fenced.first + fenced.words - std::size_t{count} * row;
        std::vector<std::uint32_t> found(most_threads, 7), expected(most_threads, 7);
        module.thread_by_thread = false;
        module.run("k", {1}, {count}, found.data(), in, row);
        module.thread_by_thread = true;
        module.run("k", {1}, {count}, expected.data(), in, row);
        CHECK_MESSAGE(found == expected,
                      row << " elements, " << lanes << " lanes, " << count << " threads");
      }
    }
  }
}

TEST_CASE("entries of a list that lie far apart are fetched some trips before") {
  const std::string wanted = "what a later trip reads is fetched now";
  const auto fetches = [&](const std::string& text) {
    const auto plan = jit::describe_plan(module_of(text), "k", {64}, {});
    REQUIRE(plan);
    return plan->find(wanted) != std::string::npos;
  };
  CHECK(fetches(kernel_of(3, 32)));
  CHECK(fetches(kernel_of(3, 32, "8192")));
  CHECK(!fetches(kernel_of(3, 32, "256")));
  // A trip that steps on four times, each time by a number of its own.
  std::string text = kernel_of(3, 32);
  const std::string begin = "mov.u32 %r3, 0;", step = "add.u64 %rd2, %rd2, %rd7;";
  std::string made, steps;
  for (unsigned i = 8; i < 12; ++i) {
    const std::string own = "%rd" + std::to_string(i);
    made += "mad.wide.u32 " + own + ", %r1, " + std::to_string(i) + ", 4096;";
    steps += "add.u64 %rd2, %rd2, " + own + ";";
  }
  text.replace(text.find(step), step.size(), steps);
  text.replace(text.find(begin), begin.size(), begin + made);
  CHECK(fetches(text));
  // The structures lie side by side.
  text = kernel_of(3, 32);
  const std::string place = "mul.lo.s32 %r5, %r4, 3";
  text.replace(text.find(place), place.size(), "mul.lo.s32 %r5, %r2, 3");
  CHECK(!fetches(text));
}
