// SPDX-License-Identifier: MIT
// The names of checks.
#include "cpu/exec/check_settings.h"

#include <doctest/doctest.h>

namespace {

using namespace pycuda::cpu;

TEST_CASE("names of checks are a set") {
  CHECK(exec::parse_checks("1") == Checks(Check::Memory));
  CHECK(exec::parse_checks("0") == Checks());
  CHECK(exec::parse_checks("all") == Checks::all());
  CHECK(exec::parse_checks("race") == Checks(Check::Race));
  CHECK(exec::parse_checks("race, init") == (Checks(Check::Race) | Check::Init));
  CHECK(exec::parse_checks("memory,sync,memory") == (Checks(Check::Memory) | Check::Sync));
}

TEST_CASE("what is no name is refused") {
  for (const char* text : {"", "races", "race;sync", "race,", "2", "RACE", "memory race"})
    CHECK(!exec::parse_checks(text).has_value());
}

}  // namespace
