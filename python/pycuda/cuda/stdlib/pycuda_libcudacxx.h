// SPDX-License-Identifier: MIT
// libcu++'s names under the name std, for sources that use more of the standard library than this package's headers
// declare (src/rtc/standard_names.cpp).
#pragma once

extern "C++" {
namespace cuda {
namespace std {}
}  // namespace cuda
namespace std {
using namespace cuda::std;
}
}
