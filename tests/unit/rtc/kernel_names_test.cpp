// SPDX-License-Identifier: MIT
// Kernels that a source declares, and the names that the compiler gives back.
#include "rtc/kernel_names.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "rtc/name_expressions.h"
#include "rtc/source_characters.h"
#include "rtc/source_scan.h"
#include "rtc/source_wrap.h"

using namespace pycuda::rtc;
using Names = std::vector<std::string>;

namespace {

Names kernels_of(const char* source) { return scan_source(source).kernels; }

std::size_t linkages(const std::string& source) { return scan_source(source).kernel_places.size(); }

}  // namespace

TEST_CASE("kernels are found however they are declared") {
  CHECK(kernels_of("__global__ void k(int a) {}") == Names{"k"});
  CHECK(kernels_of("void __global__ k(int a);") == Names{"k"});
  CHECK(kernels_of("static __global__ __launch_bounds__(128, f(2)) void k(int a) {}") ==
        Names{"k"});
  CHECK(kernels_of("extern \"C\" __global__ void __attribute__((used)) k() {}") == Names{"k"});
  CHECK(kernels_of("extern \"C\" { __global__ void a() {} }\n__global__ void b() {}") ==
        Names{"a", "b"});
  CHECK(kernels_of("__global__ void k(int);\n__global__ void k(int a) {}") == Names{"k"});
  CHECK(kernels_of("// __global__ void no() {}\n/* __global__ void no() {} */ const char *s = "
                   "\"__global__ void no() {}\"; __global__ void yes() {}") == Names{"yes"});
}

TEST_CASE("enumerations are found where overloads may name them") {
  CHECK(kernels_of("enum e { a }; enum class c : short { b }; enum struct s : std::uint8_t;") ==
        Names{"enum e", "enum c", "enum s"});
  CHECK(kernels_of("namespace n { enum e : int { a }; __global__ void k(e *b) {} }") ==
        Names{"enum n::e", "n::k"});
  CHECK(kernels_of("enum { a }; enum e x = a; enum n::f : int { b }; enum e g() { return a; }")
            .empty());
  CHECK(kernels_of("struct s { enum e { a }; }; void f() { enum e { a }; }").empty());
  CHECK(kernels_of("template <enum e V> __global__ void k(int *a) {}").empty());
}

TEST_CASE("kernels in namespaces have qualified names") {
  CHECK(
      kernels_of("namespace a { namespace b { __global__ void k() {} } __global__ void l() {} }") ==
      Names{"a::b::k", "a::l"});
  CHECK(kernels_of("namespace a::b { __global__ void k() {} }") == Names{"a::b::k"});
  CHECK(kernels_of("namespace { __global__ void k() {} }") == Names{"k"});
  CHECK(kernels_of("inline namespace v1 { __global__ void k() {} }") == Names{"v1::k"});
  CHECK(kernels_of("using namespace a; __global__ void k() {}") == Names{"k"});
}

TEST_CASE("templates, members and what is not understood are left out") {
  CHECK(kernels_of("template <class T> __global__ void k(T *a) {}").empty());
  CHECK(kernels_of("template __global__ void k<int>(int *);").empty());
  CHECK(kernels_of("struct s { friend __global__ void k(); };").empty());
  CHECK(kernels_of("__global__ void n::k() {}").empty());
  CHECK(kernels_of("#define K(name) __global__ void name() {}\n").empty());
  CHECK(kernels_of("__global__").empty());
  CHECK(kernels_of("__global__ (").empty());
  CHECK(kernels_of("} } __global__ void k() {}") == Names{"k"});
}

TEST_CASE("C linkage is put before kernels that can have it") {
  CHECK(linkages("__global__ void k() {}") == 1);
  CHECK(linkages("static __global__ void k() {}") == 0);
  CHECK(linkages("extern \"C\" __global__ void k() {}") == 0);
  CHECK(linkages("extern __global__ void k();") == 0);
  CHECK(linkages("template <class T> __global__ void k() {}") == 0);
  const std::string source = "int a;\nvoid __global__ k() {}\n";
  CHECK(link_kernels_as_c(source, scan_source(source)) ==
        "int a;\nextern\"C\"/**/ void __global__ k() {}\n");
}

TEST_CASE("what the cache holds is an image with names behind it") {
  const NamePairs names = {{"k<int, 3>", "_Z1k"}, {"pycuda_type_of<decltype(::a::b)>", "_Z2"}};
  const std::string image(
      "\x7f"
      "ELF\0\n\t",
      7);
  const std::string entry = cache_entry(image, names);
  std::shared_ptr<const std::string> read;
  NamePairs read_names;
  REQUIRE(read_cache_entry(entry, read, read_names));
  CHECK(*read == image);
  CHECK(read_names == names);
  CHECK(kernel_types(names) == NamePairs{{"b", "_Z2"}});
  CHECK(plain_names(names) == NamePairs{{"k<int, 3>", "_Z1k"}});
  CHECK(!read_cache_entry("short", read, read_names));
  CHECK(!read_cache_entry(entry.substr(0, entry.size() - 3), read, read_names));
}

TEST_CASE("kernels of one name in several namespaces have a type where it is the same") {
  const auto named = [](const std::string& kernel) {
    return "pycuda_type_of<decltype(::" + kernel + ")>";
  };
  const NamePairs names = {{named("k"), "_Z1"},       {named("n::k"), "_Z2"},
                           {named("m::k"), "_Z1"},    {named("same"), "_Z3"},
                           {named("n::same"), "_Z3"}, {named("n::t<m::e>"), "_Z4"}};
  CHECK(kernel_types(names) == NamePairs{{"same", "_Z3"}, {"t<m::e>", "_Z4"}});
}

TEST_CASE("characters beyond ASCII become what the compiler reads") {
  CHECK(readable_source("\xef\xbb\xbfint a;") == "int a;");
  CHECK(readable_source("int gr\xc3\xb6\xc3\x9f"
                        "e;") == "int gr\\u00f6\\u00dfe;");
  CHECK(readable_source("\xf0\x9d\x9b\xbc = 1") == "\\U0001d6fc = 1");
  CHECK(readable_source("// \xff \xc3\xb6\nx") == "// ? \xc3\xb6\nx");
  CHECK(readable_source("/* \xe9 */ \"\xe9\xc3\xb6\" '\\\\' '\xff'") ==
        "/* ? */ \"\\351\xc3\xb6\" '\\\\' '\\377'");
  CHECK(readable_source("R\"(\xe9)\" 1'000 \"\xe9") == "R\"(\xe9)\" 1'000 \"\\351");
  CHECK(readable_source("// \\\n\xff\n\xc3\xb6") == "// \\\n?\n\\u00f6");
  for (const char* odd :
       {"\xff", "\xc3", "\"\xff", "'\\", "//\xff", "/*\xff", "R\"\xff", "R\"(\xff"}) {
    CHECK(!readable_source(odd).empty());
  }
}
