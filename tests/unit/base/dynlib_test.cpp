// SPDX-License-Identifier: MIT
#include "base/dynlib.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <utility>

using namespace pycuda::base;

TEST_CASE("a library's functions are found by name") {
  const Result<DynamicLibrary> library = DynamicLibrary::open("libm.so.6");
  REQUIRE(library.ok());
  auto* square_root = library->function<double(double)>("sqrt");
  REQUIRE(static_cast<bool>(square_root));
  CHECK(square_root(4.0) == 2.0);
  CHECK(library->symbol("no_such_function") == nullptr);
}

TEST_CASE("a library that cannot be opened is named in the reason") {
  const Result<DynamicLibrary> library = DynamicLibrary::open("/nowhere/libabsent.so");
  REQUIRE_FALSE(library.ok());
  CHECK(library.error().message.find("/nowhere/libabsent.so") != std::string::npos);
}

TEST_CASE("a library that was moved from has no symbols") {
  Result<DynamicLibrary> library = DynamicLibrary::open("libm.so.6");
  REQUIRE(library.ok());
  const DynamicLibrary taken = std::move(*library);
  CHECK(taken.symbol("sqrt") != nullptr);
  CHECK(library->symbol("sqrt") == nullptr);
}

TEST_CASE("an address tells its file") {
  const std::string own = library_of(reinterpret_cast<const void*>(&library_of));
  CHECK(std::filesystem::exists(own));
  CHECK(library_of(nullptr).empty());
}
