// SPDX-License-Identifier: MIT
// Names of the standard library that the compiler misses, and the headers of libcu++ that have
// them.
#include "rtc/standard_names.h"

#include <doctest/doctest.h>

#include <algorithm>

namespace pycuda::rtc {
namespace {

using Texts = std::vector<std::string>;

std::string missed(const std::string& name) {
  return "kernel.cu(1): error: namespace \"std\" has no member \"" + name + "\"\n";
}

TEST_CASE("a name that is missed asks for its header, once, and then for std to have its names") {
  CHECK(headers_of_missing_names(missed("optional") + missed("nullopt") + missed("gcd")) ==
        Texts{"cuda/std/optional", "cuda/std/numeric", "pycuda_libcudacxx.h"});
  CHECK(headers_of_missing_names("error: namespace \"std\" has no member class \"span\"") ==
        Texts{"cuda/std/span", "pycuda_libcudacxx.h"});
}

TEST_CASE("traits and algorithms whose names begin alike have headers of their own") {
  CHECK(headers_of_missing_names(missed("is_invocable_v")).front() == "cuda/std/type_traits");
  CHECK(headers_of_missing_names(missed("remove_cvref_t")).front() == "cuda/std/type_traits");
  CHECK(headers_of_missing_names(missed("is_sorted")).front() == "cuda/std/algorithm");
  CHECK(headers_of_missing_names(missed("remove_if")).front() == "cuda/std/algorithm");
  CHECK(headers_of_missing_names(missed("is_eq")).front() == "cuda/std/compare");
}

TEST_CASE("a namespace within std is read from the line that the compiler quotes") {
  const std::string log =
      "kernel.cu(2): error: name followed by \"::\" must be a class or namespace name\n"
      "  *a = std::numbers::pi;\n            ^\n";
  CHECK(headers_of_missing_names(log) == Texts{"cuda/std/numbers", "pycuda_libcudacxx.h"});
}

TEST_CASE("names of hosts alone ask for nothing") {
  CHECK(headers_of_missing_names(missed("vector") + missed("cout") + missed("thread")).empty());
  CHECK(headers_of_missing_names("error: identifier \"optional\" is undefined").empty());
  CHECK(headers_of_missing_names("error: name followed by \"::\" must be a class or namespace")
            .empty());
}

}  // namespace
}  // namespace pycuda::rtc
