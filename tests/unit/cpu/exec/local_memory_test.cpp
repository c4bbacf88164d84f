// SPDX-License-Identifier: MIT
// Local arrays lie far from everything that an index out of bounds must not meet.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>

#include "cpu/exec/fault_recovery.h"
#include "cpu/exec/frame_stack.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/local_area.h"
#include "cpu/exec/local_stack.h"

namespace pycuda::cpu::exec {
namespace {

std::uintptr_t number(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory); }

}  // namespace

TEST_CASE("what lies far below or above local memory is inaccessible") {
  install_fault_signals();  // doctest has its own
  const LocalArea::Memory memory = LocalArea::instance().allocate(1);
  REQUIRE(memory != nullptr);
  std::memset(memory.get(), 1, 4096);
  constexpr std::int64_t far = std::int64_t{8} << 30;
  for (const std::int64_t distance : {-far, far}) {
    volatile std::byte* const place = memory.get() + distance;
    if (!LocalArea::instance().spans(number(memory.get()) + static_cast<std::uint64_t>(distance)))
      continue;  // the process may not reserve so much
    CHECK(!runs_without_fault([place] { *place = std::byte{1}; }));
  }
}

TEST_CASE("memory of the local area is used again when it is free") {
  const std::byte* first = nullptr;
  {
    const LocalArea::Memory memory = LocalArea::instance().allocate(5000);
    REQUIRE(memory != nullptr);
    CHECK(memory.get_deleter().bytes == 8192);
    first = memory.get();
  }
  CHECK(LocalArea::instance().allocate(8000).get() == first);
}

TEST_CASE("a local stack goes back to where it was and is full at its end") {
  LocalStack stack;
  CHECK(stack.push(2 * LocalStack::most_bytes) == nullptr);
  std::byte* const outer = stack.push(256);
  REQUIRE(outer != nullptr);
  const std::uintptr_t mark = stack.top();
  std::byte* const inner = stack.push(1024);
  CHECK(inner + 1024 == outer);
  CHECK(stack.holds(number(inner), 1280));
  CHECK(!stack.holds(number(inner), 1281));
  stack.pop(mark);
  CHECK(!stack.holds(number(inner), 1));
  CHECK(stack.push(LocalStack::most_bytes - 256) != nullptr);
  CHECK(stack.push(256) == nullptr);
}

TEST_CASE("frames and variables of a thread lie apart and go together") {
  FrameStack stack;
  std::byte* const before = stack.push_variable(10, 1, 10);
  std::byte* const frame = stack.push(100);
  std::byte* const variable = stack.push_variable(5000, 256, 1);
  std::byte* const inner = stack.push(10000);
  REQUIRE(inner != nullptr);
  CHECK(LocalArea::instance().spans(number(variable)));
  CHECK(!LocalArea::instance().spans(number(frame)));
  CHECK(!LocalArea::instance().spans(number(inner)));
  CHECK(number(variable) % 256 == 0);
  CHECK(stack.counted_bytes() == 11);
  stack.pop(frame);
  CHECK(!stack.holds(number(inner), 1));
  CHECK(!stack.holds_in_variable(number(variable), 1));
  CHECK(stack.holds_in_variable(number(before), 10));
  CHECK(stack.counted_bytes() == 10);
  CHECK(stack.push(100) == frame);
  stack.pop(before);
  CHECK(!stack.holds(number(frame), 1));
  CHECK(stack.counted_bytes() == 0);
}

TEST_CASE("code that meets an address that is none ends there") {
  install_fault_signals();  // doctest has its own
  int reached = 0;
  CHECK(runs_without_fault([&] { ++reached; }));
  CHECK(!runs_without_fault([&] {
    *reinterpret_cast<volatile int*>(std::uintptr_t{0x1234}) = 1;
    ++reached;
  }));
  CHECK(reached == 1);
}

}  // namespace pycuda::cpu::exec
