// SPDX-License-Identifier: MIT
// What loops say of how wide gangs are best.
#include "cpu/simt/width/loop_widths.h"

#include <cstdint>
#include <string>

#include "cpu/simt/width/gang_size.h"
#include "cpu/simt/width/register_pressure.h"
#include "cpu/simt/width/scalar_is_better.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::ControlFlow;
using pycuda::cpu::simt::fit_registers;
using pycuda::cpu::simt::GangSize;
using pycuda::cpu::simt::LoopWidth;
using pycuda::cpu::simt::Shapes;
using pycuda::cpu::testing::FunctionText;
using pycuda::cpu::testing::registers_of_avx2;
using pycuda::cpu::testing::registers_of_avx512;

namespace {

/// A loop of thread %i over %in, %n and %m; `body` defines %more.
std::string loop(const std::string& body, const std::string& before = "") {
  return R"(
    declare i32 @ptx.sreg.tid.x(ptr)
    declare i32 @bar(i32) convergent
    define void @f(ptr %thread, i64 %in, i32 %n, i32 %m, i32 %seed) {
    entry:
      %i = call i32 @ptx.sreg.tid.x(ptr %thread)
)" + before +
         "br label %loop\nloop:\n" + body + R"(
      br i1 %more, label %again, label %done
    again:
      br label %loop
    done:
      ret void
    })";
}

const std::string next_trip = R"(
  %j.next = add i32 %j, 1
  %more = icmp slt i32 %j.next, %m
)";

/// The word at index %at.
const std::string read_word = R"(
  %at.wide = sext i32 %at to i64
  %bytes = shl i64 %at.wide, 2
  %place = add i64 %in, %bytes
  %pointer = inttoptr i64 %place to ptr
  %word = load i32, ptr %pointer
)";

const std::string search = loop(R"(
  %low = phi i32 [ 0, %entry ], [ %low.next, %again ]
  %high = phi i32 [ %n, %entry ], [ %high.next, %again ]
  %sum = add i32 %low, %high
  %at = lshr i32 %sum, 1
)" + read_word + R"(
  %less = icmp slt i32 %word, %i
  %behind = add i32 %at, 1
  %low.next = select i1 %less, i32 %behind, i32 %low
  %high.next = select i1 %less, i32 %high, i32 %at
  %more = icmp slt i32 %low.next, %high.next
)");

const std::string mixing = loop(R"(
  %j = phi i32 [ 0, %entry ], [ %j.next, %again ]
  %x = phi i32 [ %i, %entry ], [ %x.8, %again ]
  %x.1 = shl i32 %x, 3
  %x.2 = xor i32 %x.1, %x
  %x.3 = lshr i32 %x.2, 5
  %x.4 = xor i32 %x.3, %x.2
  %x.5 = mul i32 %x.4, %x.4
  %x.6 = add i32 %x.5, %j
  %x.7 = shl i32 %x.6, 7
  %x.8 = xor i32 %x.7, %x.6
)" + next_trip);

/// Thread i reads row i, of %m words.
const std::string rows = loop(R"(
  %j = phi i32 [ 0, %entry ], [ %j.next, %again ]
  %at = add i32 %row, %j
)" + read_word + next_trip,
                              "%row = mul i32 %i, %m\n");

/// Thread i reads column i.
const std::string columns = loop(R"(
  %j = phi i32 [ 0, %entry ], [ %j.next, %again ]
  %row = mul i32 %j, %m
  %at = add i32 %row, %i
)" + read_word + next_trip);

LoopWidth width_of(const std::string& text, std::uint64_t register_bytes = registers_of_avx512) {
  FunctionText kernel(text);
  return width_for_loops(pycuda::cpu::simt::GangWork(kernel.function(), GangSize(32)),
                         register_bytes);
}

}  // namespace

TEST_CASE("lanes that leave a loop one by one, or only compute in it, are many") {
  CHECK(width_of(search) == LoopWidth::Many);
  CHECK(width_of(mixing) == LoopWidth::Many);
}

TEST_CASE("lanes are not many where what they carry fills the registers") {
  CHECK(width_of(search, registers_of_avx2) == LoopWidth::Any);
}

TEST_CASE("lanes are not many where a loop uses again and again what would fill the registers") {
  // `count` floats of the thread, loaded before the loop and compared in it with others.
  const auto compare = [](int count) {
    std::string before, body =
                            "%j = phi i32 [ 0, %entry ], [ %j.next, %again ]\n"
                            "%f = phi float [ 0.0, %entry ], [ %s.0, %again ]\n";
    std::string last = "%f";
    for (int i = count - 1; i >= 0; --i) {
      const std::string n = std::to_string(i);
      before += "%i." + n + " = zext i32 %i to i64\n%b." + n + " = shl i64 %i." + n + ", 2\n%a." +
                n + " = add i64 %in, %b." + n + "\n%p." + n + " = inttoptr i64 %a." + n +
                " to ptr\n%q." + n + " = load float, ptr %p." + n + "\n";
      body += "%d." + n + " = fsub float %q." + n + ", 1.0\n%s." + n + " = fadd float " + last +
              ", %d." + n + "\n";
      last = "%s." + n;
    }
    return loop(body + next_trip, before);
  };
  CHECK(width_of(compare(8)) == LoopWidth::Many);
  CHECK(width_of(compare(9)) == LoopWidth::Any);
  const auto fitting = [&](int count) {
    FunctionText kernel(compare(count));
    return fit_registers(kernel.function(), 64, registers_of_avx512);
  };
  CHECK(fitting(8) == 64);
  CHECK(fitting(9) == 32);
  CHECK(fitting(17) == 16);
}

TEST_CASE("threads that read rows of their own are few") {
  CHECK(width_of(rows) == LoopWidth::Few);
  CHECK(width_of(columns) == LoopWidth::Any);
}

TEST_CASE("loops that wait for other threads leave the width to others") {
  std::string waiting = mixing;
  waiting.replace(waiting.find("%j.next = "), 0, "%waited = call i32 @bar(i32 0) convergent\n");
  CHECK(width_of(waiting) == LoopWidth::Any);
}

TEST_CASE("a list of places, of any length, is walked by each thread alone") {
  const std::string before = R"(
    %start = mul i32 %i, %seed
    %end = mul i32 %i, %m
)";
  const std::string look_up = R"(
  %other.wide = sext i32 %word to i64
  %other.bytes = shl i64 %other.wide, 2
  %other.place = add i64 %in, %other.bytes
  %other = inttoptr i64 %other.place to ptr
  store i32 %seed, ptr %other
)";
  const std::string walk = R"(
  %at = phi i32 [ %start, %entry ], [ %at.next, %again ]
)" + read_word;
  const std::string step = R"(
  %at.next = add i32 %at, 1
  %more = icmp slt i32 %at.next, %end
)";
  const auto reason_of = [](const std::string& text) {
    FunctionText kernel(text);
    return pycuda::cpu::simt::find_scalar_loop(kernel.function(), GangSize(32)).reason;
  };
  CHECK(!reason_of(loop(walk + look_up + step, before)).empty());
  CHECK(reason_of(loop(walk + step, before)).empty());

  // What all threads do for equally long in each trip, or elsewhere, is most of the work.
  const auto counting = [](const std::string& name, const std::string& from,
                           const std::string& body, const std::string& next) {
    return "  br label %" + name + "\n" + name + ":\n  %" + name + ".j = phi i32 [ 0, %" + from +
           " ], [ %" + name + ".next, %" + name + ".again ]\n" + body + "  %" + name +
           ".next = add i32 %" + name + ".j, 1\n  %" + name + ".more = icmp slt i32 %" + name +
           ".next, %m\n  br i1 %" + name + ".more, label %" + name + ".again, label %" + next +
           "\n" + name + ".again:\n  br label %" + name + "\n" + next + ":\n";
  };
  std::string sums;
  for (unsigned i = 0; i < 12; ++i)
    sums += "  %sum." + std::to_string(i) + " = xor i32 %" +
            (i == 0 ? "inner.j" : "sum." + std::to_string(i - 1)) + ", %i\n";
  const std::string within = counting("inner", "loop", "", "tail");
  CHECK(reason_of(loop(walk + look_up + within + step, before)).empty());
  std::string behind = loop(walk + look_up + step, before);
  const std::string end = "done:\n      ret void";
  REQUIRE(behind.find(end) != std::string::npos);
  behind.replace(behind.find(end), end.size(),
                 "done:\n" +
                     counting("outer", "done", counting("inner", "outer", sums, "tail"), "finish") +
                     "  ret void");
  CHECK(reason_of(behind).empty());
}

TEST_CASE("gangs read as many rows at a time as the processor reads ahead") {
  const auto lanes_with = [](unsigned streams) {
    FunctionText kernel(rows);
    pycuda::cpu::simt::KernelVariant source;
    source.function = &kernel.function();
    source.size = GangSize(32);
    source.chosen = true;
    pycuda::cpu::target::Processor processor;
    processor.register_bytes = registers_of_avx512;
    processor.streams = streams;
    source.processor = &processor;
    pycuda::cpu::KernelFacts facts;
    facts.loops = true;
    pycuda::cpu::simt::settle_lanes(source, facts);
    return source.size.lanes();
  };
  CHECK(lanes_with(16) == 16);
  CHECK(lanes_with(32) == 32);
}

namespace {

/// A variant of `kernel` for gangs of `size`, whose size is our choice.
pycuda::cpu::simt::KernelVariant variant_of(FunctionText& kernel, GangSize size,
                                            const pycuda::cpu::target::Processor& processor) {
  pycuda::cpu::simt::KernelVariant source;
  source.function = &kernel.function();
  source.size = size;
  source.chosen = true;
  source.processor = &processor;
  return source;
}

pycuda::cpu::target::Processor with_avx2() {
  pycuda::cpu::target::Processor processor;
  processor.vector_bytes = processor.mask_lanes = 32;
  processor.register_bytes = registers_of_avx2;
  return processor;
}

/// Loads `count` floats and stores them all afterwards.
std::string copies(int count) {
  std::string loads, stores;
  for (int i = 0; i < count; ++i) {
    const std::string value = "%x." + std::to_string(i);
    loads += "  " + value + " = load volatile float, ptr %out\n";
    stores += "  store volatile float " + value + ", ptr %out\n";
  }
  return "define void @f(ptr %thread, ptr %out) {\n" + loads + stores + "  ret void\n}\n";
}

}  // namespace

TEST_CASE("lanes that part by data are no more than the masks of the processor have") {
  const auto lanes_of = [](const std::string& text, GangSize size, unsigned mask_lanes) {
    FunctionText kernel(text);
    pycuda::cpu::target::Processor processor;
    processor.mask_lanes = mask_lanes;
    auto source = variant_of(kernel, size, processor);
    pycuda::cpu::simt::fit_masks(source);
    CHECK(source.size.columns >= 16);
    return source.size.lanes();
  };
  CHECK(lanes_of(search, 64, 64) == 64);
  CHECK(lanes_of(search, 64, 32) == 32);
  CHECK(lanes_of(search, {16, 4}, 32) == 32);
  CHECK(lanes_of(mixing, 64, 32) == 64);
}

TEST_CASE("tiles whose numbers take many registers each have fewer rows before they are dropped") {
  const auto processor = with_avx2();
  const auto rows_with = [&](int live) {
    FunctionText kernel(copies(live));
    auto source = variant_of(kernel, {16, 4}, processor);
    return pycuda::cpu::simt::gains_by_tiles(source) ? source.size.rows : 0;
  };
  CHECK(rows_with(3) == 4);
  CHECK(rows_with(6) == 2);
  CHECK(rows_with(8) == 0);
  // Where a number takes four registers in a tile of four rows, fewer rows do not help.
  auto wide = processor;
  wide.vector_bytes = wide.mask_lanes = 64;
  wide.register_bytes = registers_of_avx512;
  FunctionText kernel(copies(20));
  auto source = variant_of(kernel, {16, 4}, wide);
  CHECK(!pycuda::cpu::simt::gains_by_tiles(source));
}
