// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <doctest/doctest.h>

#include <string>

#include "unit/base/captured_log.h"

using namespace pycuda::base;

TEST_CASE("a line is written when its level is asked for, and no other") {
  const std::string text = standard_error_of([] {
    log(LogLevel::Warning, "told");
    log(LogLevel::Debug, "not told");
    log(LogLevel::Quiet, "never told");
  });
  if (log_level() == LogLevel::Warning) CHECK(text == "pycuda: told\n");
}
