// SPDX-License-Identifier: MIT
// Which allocation a stray address is said to be near to.
#include "cpu/exec/address_table.h"

#include <doctest/doctest.h>

#include <cstdint>

namespace {

using namespace pycuda::cpu::exec;

/// Takes it out of the process's table in the end. Nothing else of the process is near.
class Entered {
 public:
  Entered(std::uintptr_t begin, std::uint64_t bytes, MemoryKind kind) : begin_(begin) {
    AddressTable::instance().insert({begin, bytes, kind, 0, nullptr, 0});
  }
  ~Entered() { AddressTable::instance().remove(begin_); }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  std::uintptr_t begin_;
};

constexpr std::uintptr_t area = std::uintptr_t{1} << 45;

std::uintptr_t near(std::uintptr_t offset) {
  const auto found = AddressTable::instance().nearest(area + offset);
  return found ? found->begin - area : 0;
}

}  // namespace

TEST_CASE("the nearer of two blocks is named") {
  const Entered first(area + 1000, 100, MemoryKind::Device);
  const Entered second(area + 5000, 100, MemoryKind::Device);
  CHECK(near(1050) == 1000);
  CHECK(near(2000) == 1000);
  CHECK(near(4000) == 5000);
  CHECK(near(9000) == 5000);
  CHECK(near(0) == 1000);
}

TEST_CASE("small variables of modules and the executor's own memory stand aside") {
  const Entered array(area + 1000, 100, MemoryKind::Device);
  const Entered variable(area + 5000, 4, MemoryKind::ModuleGlobal);
  const Entered table(area + 6000, 400, MemoryKind::ModuleGlobal);
  const Entered barrier(area + 7000, 64, MemoryKind::GridWorkspace);
  const Entered parameters(area + 8000, 8, MemoryKind::LaunchParameters);
  CHECK(near(5003) == 5000);
  CHECK(near(5006) == 5000);
  CHECK(near(4998) == 5000);
  CHECK(near(4900) == 1000);
  CHECK(near(5100) == 1000);
  CHECK(near(5700) == 6000);
  CHECK(near(6700) == 6000);
  CHECK(near(7010) == 1000);
  CHECK(near(8008) == 8000);
  CHECK(near(8100) == 1000);
}

TEST_CASE("what is gone is named until other memory takes its place") {
  const auto& table = AddressTable::instance();
  {
    const Entered array(area + 1000, 2000, MemoryKind::Device);
  }
  REQUIRE(table.removed(area + 2500));
  CHECK(table.removed(area + 2500)->begin == area + 1000);
  {
    const Entered barrier(area + 1200, 64, MemoryKind::GridWorkspace);
    CHECK(table.removed(area + 2500));
  }
  for (const std::uintptr_t begin : {900, 1000, 2000, 2960}) {
    const Entered other(area + begin, 150, MemoryKind::Device);
    CHECK_FALSE(table.removed(area + 2500));
  }
  const Entered before(area + 800, 200, MemoryKind::Device);
  const Entered behind(area + 3000, 100, MemoryKind::Device);
  CHECK(table.removed(area + 2500));
}
