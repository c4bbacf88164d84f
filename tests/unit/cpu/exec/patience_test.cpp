// SPDX-License-Identifier: MIT
#include "cpu/exec/patience.h"

#include <doctest/doctest.h>

namespace pycuda::cpu::exec {

using Time = Patience::Clock::time_point;
using std::chrono::seconds;

TEST_CASE("patience runs out once, when nothing has advanced for long") {
  Patience patience(seconds(10));
  const Time begin{seconds(1000)};
  CHECK(!patience.runs_out(begin));
  CHECK(!patience.runs_out(begin + seconds(9)));
  CHECK(patience.runs_out(begin + seconds(10)));
  CHECK(!patience.runs_out(begin + seconds(50)));
}

TEST_CASE("patience does not run out with what goes on") {
  Patience patience(seconds(10));
  Time now{seconds(1000)};
  for (int i = 0; i < 10; ++i, now += seconds(10)) {
    CHECK(!patience.runs_out(now));
    patience.renew();
  }
  CHECK(!patience.runs_out(now));
  CHECK(!patience.runs_out(now + seconds(5)));
}

}  // namespace pycuda::cpu::exec
