// SPDX-License-Identifier: MIT
// What is written to the standard error stream, for tests of the log.
#pragma once

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <string>

/// What `work` leaves on the standard error stream: at most 4096 bytes.
template <class Work>
std::string standard_error_of(Work work) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const int before = ::dup(STDERR_FILENO);
  ::dup2(ends[1], STDERR_FILENO);
  work();
  ::dup2(before, STDERR_FILENO);
  ::close(before);
  ::close(ends[1]);
  std::array<char, 4096> text{};
  const ssize_t count = ::read(ends[0], text.data(), text.size());
  ::close(ends[0]);
  return {text.data(), static_cast<std::size_t>(count > 0 ? count : 0)};
}
