// SPDX-License-Identifier: MIT
#include "base/log.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <string>

using namespace pycuda::base;

namespace {

/// What `write_lines` leaves on the standard error stream.
template <class Write>
std::string standard_error_of(Write write_lines) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  write_lines();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(ends[1]);
  std::array<char, 4096> text{};
  const ssize_t count = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  return std::string(text.data(), static_cast<std::size_t>(count > 0 ? count : 0));
}

}  // namespace

TEST_CASE("a line is written when its level is asked for, and no other") {
  const std::string text = standard_error_of([] {
    log(LogLevel::Warning, "told");
    log(LogLevel::Debug, "not told");
    log(LogLevel::Quiet, "never told");
  });
  if (log_level() == LogLevel::Warning) CHECK(text == "pycuda: told\n");
}
