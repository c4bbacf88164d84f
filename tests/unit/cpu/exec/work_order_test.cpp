// SPDX-License-Identifier: MIT
// Records of work: how long they stay.
#include "cpu/exec/work_order.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace {

using namespace pycuda::cpu::exec;

std::uint32_t begin_works(StreamOrder& stream, int count) {
  std::uint32_t latest = 0;
  for (int i = 0; i < count; ++i) latest = stream.begin()->id;
  return latest;
}

TEST_CASE("records of work that the host knows to be over go, all but the latest") {
  StreamOrder stream, other;
  const std::uint32_t over = begin_works(stream, 1);
  HostOrder::join(stream.now());
  const std::uint32_t running = begin_works(other, 1);
  begin_works(other, 9000);
  CHECK(find_work(over) == nullptr);
  CHECK(find_work(running) != nullptr);
  HostOrder::join(other.now());
  const std::uint32_t latest = begin_works(stream, 500);
  CHECK(find_work(latest) != nullptr);
  CHECK(find_work(latest - 499) != nullptr);
}

TEST_CASE("records go after the host has waited late, when there are as many as are kept") {
  StreamOrder stream;
  const std::uint32_t early = begin_works(stream, 1);
  const std::uint32_t late = begin_works(stream, 70000);
  CHECK(find_work(early) == nullptr);
  CHECK(find_work(late) != nullptr);
  HostOrder::join(stream.now());
  begin_works(stream, 10000);
  CHECK(find_work(late) == nullptr);
}

}  // namespace
