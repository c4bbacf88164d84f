// SPDX-License-Identifier: MIT
#include "base/env.h"

#include <doctest/doctest.h>

#include <cstdlib>

using namespace pycuda::base;

TEST_CASE("an unset variable is not an empty one") {
  ::unsetenv("PYCUDA_TEST_VARIABLE");
  CHECK_FALSE(environment("PYCUDA_TEST_VARIABLE").has_value());
  ::setenv("PYCUDA_TEST_VARIABLE", "", 1);
  CHECK(environment("PYCUDA_TEST_VARIABLE") == "");
}

TEST_CASE("a variable is a number only as a whole") {
  ::setenv("PYCUDA_TEST_VARIABLE", "-12", 1);
  CHECK(environment_number("PYCUDA_TEST_VARIABLE") == -12);
  for (const char* text : {"", "12 ", "1.5", "x", "99999999999999999999"}) {
    ::setenv("PYCUDA_TEST_VARIABLE", text, 1);
    CHECK_FALSE(environment_number("PYCUDA_TEST_VARIABLE").has_value());
  }
}
