// SPDX-License-Identifier: MIT
#include "base/cxx_names.h"

#include <doctest/doctest.h>

using pycuda::base::demangled;
using pycuda::base::readable_name;

TEST_CASE("names are demangled, and nothing that is not a mangled name") {
  CHECK(demangled("_Z1fPKdi") == "f(double const*, int)");
  CHECK(demangled("k").empty());
  CHECK(demangled("f").empty());  // a type: float
  CHECK(demangled("_Zbroken").empty());
}

TEST_CASE("messages name kernels without their result and without tags") {
  CHECK(readable_name("scale") == "scale");
  CHECK(readable_name("f") == "f");
  CHECK(readable_name("_Zbroken") == "_Zbroken");
  CHECK(readable_name("_ZN1n1kIfLi3EEEvPT_") == "n::k<float, 3>(float*)");
  CHECK(readable_name("_Z3addB3abcPfi") == "add(float*, int)");
}
