// SPDX-License-Identifier: MIT
// Which builtins NVRTC works with, where LD_LIBRARY_PATH names others (the test's settings see to
// that).
#include <doctest/doctest.h>

#include "rtc/nvrtc.h"

namespace pycuda::rtc {

TEST_CASE("NVRTC gets the builtins of its own folder, whatever the library path names") {
  const base::Result<Nvrtc> nvrtc = Nvrtc::open(FAKE_NVRTC);
  REQUIRE(nvrtc.ok());
  CHECK(nvrtc->major() == 99);
  CHECK(nvrtc->compile("", "", {}, false).image == "wheel");
}

}  // namespace pycuda::rtc
