// SPDX-License-Identifier: MIT
#include "base/env.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

using namespace pycuda::base;

TEST_CASE("an unset variable is not an empty one") {
  ::unsetenv("PYCUDA_TEST_VARIABLE");
  CHECK_FALSE(environment("PYCUDA_TEST_VARIABLE").has_value());
  ::setenv("PYCUDA_TEST_VARIABLE", "", 1);
  CHECK(environment("PYCUDA_TEST_VARIABLE") == "");
}

namespace {

const char* const variable = "PYCUDA_TEST_VARIABLE";

void set(const char* text) { ::setenv(variable, text, 1); }

}  // namespace

TEST_CASE("a number has bounds, and none is what is empty or outside of them") {
  const auto number = [](const char* text) {
    set(text);
    return environment_integer(variable, 1, 64, "1");
  };
  CHECK(number("1") == 1);
  CHECK(number("64") == 64);
  for (const char* text :
       {"", "0", "65", "-1", "1e1", "1.5", " 2", "2 ", "+2", "0x2", "x", "99999999999999999999"})
    CHECK_FALSE(number(text).has_value());
}

TEST_CASE("a decimal number may have a fraction and an exponent, and is a number") {
  const auto number = [](const char* text) {
    set(text);
    return environment_decimal(variable, -10, 1e9, "1");
  };
  CHECK(number("0.25") == 0.25);
  CHECK(number("-1") == -1);
  CHECK(number("1e3") == 1000);
  for (const char* text : {"", "abc", "5s", "nan", "inf", "-11", "1e10", "1,5"})
    CHECK_FALSE(number(text).has_value());
}

TEST_CASE("a choice is one of the words, a switch 0 or 1") {
  set("avx2");
  CHECK(environment_choice(variable, {"sse2", "avx2"}, "sse2") == "avx2");
  for (const char* text : {"", "AVX2", "avx2 ", "avx"}) {
    set(text);
    CHECK_FALSE(environment_choice(variable, {"sse2", "avx2"}, "sse2").has_value());
  }
  set("1");
  CHECK(environment_switch(variable, false));
  set("0");
  CHECK_FALSE(environment_switch(variable, true));
  for (const char* text : {"", "yes", "2", "true"}) {
    set(text);
    CHECK(environment_switch(variable, true));
    CHECK_FALSE(environment_switch(variable, false));
  }
}

TEST_CASE("a refusal names the variable, its value, what is allowed and what is used") {
  CHECK(environment_refusal("PYCUDA_X", "99", "a whole number from 1 to 64", "1") ==
        "PYCUDA_X=99 is not understood: it may be a whole number from 1 to 64; used instead: 1");
}
