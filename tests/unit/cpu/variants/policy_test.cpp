// SPDX-License-Identifier: MIT
#include "cpu/variants/policy.h"

#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <optional>

namespace {

using namespace std::chrono_literals;
using namespace pycuda::cpu::variants;

}  // namespace

TEST_CASE("baseline code runs for as long as vector code takes to compile, times the patience") {
  CHECK(run_time_before(Variant::vectors(), 4s, 1, false) == 4s);
  CHECK(run_time_before(Variant::vectors(), 4s, 2.5, false) == 10s);
  CHECK(run_time_before(Variant::vectors(), 4s, 0, false) == 1ns);
  CHECK(run_time_before(Variant::vectors(), 4s, 1e9, false) ==
        std::chrono::nanoseconds(1000000000000000000));
}

TEST_CASE("what is being compiled already is linked at once") {
  CHECK(run_time_before(Variant::vectors(), 4s, 5, true) == 1ns);
}

TEST_CASE("stores past the caches have to pay for the time of compiling with a third of the time") {
  CHECK(run_time_before(Variant::streaming(), 4s, 1, false) == 12s);
}

TEST_CASE("without patience nothing is compiled later, and launches wait for their forms") {
  for (const double patience : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    CHECK(run_time_before(Variant::vectors(), 4s, patience, false) == std::nullopt);
    CHECK(run_time_before(Variant::streaming(), 4s, patience, false) == std::nullopt);
    CHECK(deadline_of(4s, patience) == std::nullopt);
  }
}

TEST_CASE("launches compile short forms themselves, wait for others, and do not for long ones") {
  CHECK(deadline_of(50ms, 1) == std::nullopt);
  CHECK(deadline_of(400ms, 1) == 500ms);
  CHECK(deadline_of(2s, 1) == 0s);
}
