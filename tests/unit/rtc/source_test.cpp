// SPDX-License-Identifier: MIT
// Reading a source's includes and putting it into extern "C" without moving its lines.
#include <doctest/doctest.h>

#include <algorithm>

#include "rtc/file_constants.h"
#include "rtc/include_paths.h"
#include "rtc/source_scan.h"
#include "rtc/source_wrap.h"
#include "temporary_tree.h"

namespace pycuda::rtc {
namespace {

std::vector<std::string> include_names(std::string_view source) {
  std::vector<std::string> names;
  for (const IncludeLine& include : scan_source(source).includes) names.push_back(include.name);
  return names;
}

using Texts = std::vector<std::string>;

TEST_CASE("includes are found where the preprocessor finds them") {
  CHECK(include_names("#include <a.h>\n  #  include \"b.h\" // c\n/* x */ #include <c.h>\n") ==
        Texts{"a.h", "b.h", "c.h"});
  CHECK(include_names("#inclu\\\nde <a.h>\n") == Texts{"a.h"});
  CHECK(include_names("#include <a.h>") == Texts{"a.h"});
}

TEST_CASE("what looks like an include in comments and strings is none") {
  CHECK(include_names("// #include <a.h>\n/*\n#include <b.h>\n*/").empty());
  CHECK(include_names("const char* s = \"\\\n#include <a.h>\\n\";").empty());
  CHECK(include_names("auto s = R\"x(\n#include <a.h>\n)\" )x\";\n#include <b.h>\n") ==
        Texts{"b.h"});
  CHECK(include_names("int big = 1'000'000;\n#include <b.h>\n") == Texts{"b.h"});
  CHECK(include_names("// continued \\\n#include <a.h>\n").empty());
  CHECK(include_names("int x; #include <a.h>\n").empty());
}

TEST_CASE("__has_include is a question, a macro's include is not exact") {
  const SourceScan scan =
      scan_source("#if __has_include(<a.h>) && defined(X)\n#include NAME\n#endif\n");
  REQUIRE(scan.includes.size() == 1);
  CHECK(scan.includes.front().question);
  CHECK(scan.has_computed_include);
}

TEST_CASE("an include guard is no condition, other #ifs are") {
  const SourceScan guarded = scan_source(
      "#ifndef X_H\n#define X_H\n#include <a.h>\n#if B\n#include <b.h>\n#endif\n#endif\n");
  REQUIRE(guarded.includes.size() == 2);
  CHECK(guarded.includes[0].unconditional);
  CHECK_FALSE(guarded.includes[1].unconditional);
  CHECK_FALSE(scan_source("#ifndef __CUDACC_RTC__\n#include <a.h>\n#endif\n")
                  .includes.front()
                  .unconditional);
}

TEST_CASE("unfinished input is read to its end") {
  for (const char* text : {"\"abc", "/* abc", "R\"x(abc", "#include", "#include <", "#", "#if (",
                           "\\", "'", "R\"", "#include \"a"}) {
    scan_source(text);
  }
  CHECK(scan_source("").includes.empty());
}

/// User headers in user/, NVIDIA's in cuda/.
struct Headers : TemporaryTree {
  IncludePaths paths{{path() / "user"}, {path() / "own"}, {path() / "cuda"}, {}};
  Headers() {
    write("user/kernels.h", "#pragma once\n#include <cuda_fp16.h>\n__global__ void k();\n");
    write("cuda/cuda_fp16.h", "template <class T> struct x {};\n");
    write("own/stdint.h", "typedef int int32_t;\n");
  }
  std::string wrap(const std::string& source) const {
    const SourceScan scan = scan_source(source);
    return wrap_extern_c(source, scan, paths,
                         follow_includes(scan, {}, paths).cuda_headers_of_user_headers)
        .text;
  }
};

/// The line of `text` that holds `what`, as the compiler counts: #line counts, too.
std::size_t line_of(const std::string& text, const std::string& what) {
  std::size_t line = 1;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string one = text.substr(begin, end - begin);
    if (one.find(what) != std::string::npos) return line;
    line = one.starts_with("#line ") ? std::stoul(one.substr(6)) : line + 1;
    begin = end + 1;
  }
  return 0;
}

TEST_CASE("lines of the user's code keep their numbers, however the source begins") {
  const Headers headers;
  for (const std::string before :
       {"", "\n", "\n\n", "// c\n", "/* a\n b */ ", "#define X 1\n", "#include <cuda_fp16.h>\n",
        "#include <kernels.h>\n", "#include <stdint.h>\n\n",
        "#if A\n#include <cuda_fp16.h>\n#endif\n", "int early;\n#include <cuda_fp16.h>\n",
        "#ifdef A\nint early;\n#endif\n#include <cuda_fp16.h>\n", "#include \\\n<cuda_fp16.h>\n"}) {
    CAPTURE(before);
    const std::string source = before + "int target;\nint last;";
    const std::string wrapped = headers.wrap(source);
    CHECK(line_of(wrapped, "int target") == line_of(source, "int target"));
    CHECK(line_of(wrapped, "int last") == line_of(source, "int last"));
    CHECK(std::count(wrapped.begin(), wrapped.end(), '{') ==
          std::count(wrapped.begin(), wrapped.end(), '}'));
  }
}

TEST_CASE("a source without code may end in the middle of a comment or a directive") {
  const Headers headers;
  for (const std::string source :
       {"// c", "#define X 1", "#if A\n#endif", "#include <cuda_fp16.h> // c", "/* c */ // d"}) {
    CAPTURE(source);
    CHECK(headers.wrap(source).starts_with(source + "\nextern"));
  }
}

TEST_CASE("NVIDIA's headers stand outside of extern C, the user's inside") {
  const Headers headers;
  const std::string leading = headers.wrap("#include <cuda_fp16.h>\n__global__ void k();\n");
  CHECK(leading.find("cuda_fp16.h") < leading.find("extern"));
  const std::string user = headers.wrap("#include <stdint.h>\n#include <kernels.h>\n");
  CHECK(user.find("#include <kernels.h>") > user.find("extern \"C\""));
  CHECK(user.find("#include <cuda_fp16.h>") < user.find("extern \"C\""));
  const std::string late = headers.wrap("int a;\n#include <cuda_fp16.h>\nint b;\n");
  CHECK(late.find("extern \"C++\" {\n#line 2\n#include <cuda_fp16.h>\n}\n#line 3\nint b;") !=
        std::string::npos);
}

TEST_CASE("the log shows the user's line, not the opening before it") {
  const std::string log =
      "kernel.cu(1): error: x\n  extern\"C\"{ int a = foo;\n                     ^\n";
  CHECK(unwrap_log(log) == "kernel.cu(1): error: x\n  int a = foo;\n          ^\n");
}

TEST_CASE(
    "the fingerprint changes with the content of a header at any depth, and with which file is "
    "meant") {
  const Headers headers;
  headers.write("user/outer.h", "#include \"deep/inner.h\"\n");
  headers.write("user/deep/inner.h", "#define N 1\n");
  const auto fingerprint = [&] {
    return *follow_includes(scan_source("#include <outer.h>\n"), {}, headers.paths).fingerprint;
  };
  const std::string before = fingerprint();
  CHECK(fingerprint() == before);
  headers.write("user/deep/inner.h", "#define N 2\n");
  const std::string changed = fingerprint();
  CHECK(changed != before);
  headers.write("user/deep/deep/inner.h", "#define N 1\n");
  CHECK(fingerprint() == changed);
  headers.write("user/unrelated.h", "");
  CHECK(fingerprint() == changed);
}

TEST_CASE("a header that appears earlier in the path changes the fingerprint") {
  const Headers headers;
  const auto fingerprint = [&] {
    return *follow_includes(scan_source("#include <stdint.h>\n"), {}, headers.paths).fingerprint;
  };
  const std::string before = fingerprint();
  headers.write("user/stdint.h", "typedef int int32_t;\n");
  CHECK(fingerprint() != before);
}

TEST_CASE("headers that include each other end") {
  const Headers headers;
  headers.write("user/a.h", "#include \"b.h\"\n");
  headers.write("user/b.h", "#include \"a.h\"\n");
  CHECK(follow_includes(scan_source("#include \"a.h\"\n"), {}, headers.paths)
            .fingerprint.has_value());
}

TEST_CASE("an include named by a macro cannot be fingerprinted") {
  const Headers headers;
  CHECK_FALSE(
      follow_includes(scan_source("#include FILE\n"), {}, headers.paths).fingerprint.has_value());
}

TEST_CASE("files of -include options count, and a changed wheel too") {
  const Headers headers;
  const std::string before = *follow_includes({}, {"kernels.h"}, headers.paths).fingerprint;
  CHECK(before != *follow_includes({}, {}, headers.paths).fingerprint);
  std::filesystem::remove(headers.path() / "cuda/cuda_fp16.h");
  headers.write("cuda/cuda_fp16.h", "// another version\n");
  CHECK(before != *follow_includes({}, {"kernels.h"}, headers.paths).fingerprint);
}

TEST_CASE("texture and surface references get a place in constant memory") {
  const auto placed = [](std::string_view source) {
    return place_references(source, scan_source(source));
  };
  CHECK(placed("texture<float, 2> t;\nextern surface<void, 2> s;") ==
        "__constant__/**/ texture<float, 2> t;\nextern __constant__/**/ surface<void, 2> s;");
  CHECK(placed("int a;\n#define N 1\ntexture <int> t;") ==
        "int a;\n#define N 1\n__constant__/**/ texture <int> t;");
  for (const std::string_view unchanged :
       {"__device__ int f(texture<int> t) { return texture < 3; }",
        "void f() { bool b = texture<3; }", "// texture<int> t;\n\"texture<int>\"",
        "my::texture<int> t;", "template <class T> struct texture {}; texture<int> t;"}) {
    CHECK(placed(unchanged) == unchanged);
  }
  CHECK(scan_source("typedef texture<int> T;").uses_references);
  CHECK(scan_source("#define TEXTURE texture<int>\n").uses_references);
  CHECK_FALSE(scan_source("struct texture; texture<int> *t;").uses_references);
}

TEST_CASE("attributes behind a struct's brace move behind its keyword") {
  const auto placed = [](std::string_view source) {
    return place_struct_attributes(source, scan_source(source).struct_attributes);
  };
  CHECK(placed("typedef struct {\n  int x;\n} __align__(16) A;") ==
        "typedef struct/*}*/__align__(16)/*{*/ {\n  int x;\n}               A;");
  CHECK(placed("struct A : B<int> { int f() { return 1; } }\n"
               "__attribute__((aligned(\n8))) __align__(8) a;") ==
        "struct/*}*/__attribute__((aligned( 8))) __align__(8)/*{*/ A : B<int> "
        "{ int f() { return 1; } }\n                       \n                  a;");
  CHECK(placed("#define ALIGN(n) __align__(n)\n#define PACKED __attribute__((packed))\n"
               "union U { struct { int x; } PACKED s; } ALIGN(4 * (2)) u;") ==
        "#define ALIGN(n) __align__(n)\n#define PACKED __attribute__((packed))\n"
        "union/*}*/ALIGN(4 * (2))/*{*/ U { struct/*}*/PACKED/*{*/ { int x; }        s; } "
        "               u;");
  for (const std::string_view unchanged :
       {"struct __align__(8) A { int x; } a;", "struct A { int x; } a __align__(8);",
        "struct A f(int x) { return {}; } __attribute__((noinline)) int g();",
        "template <class T> T f(T x) { return x; } __attribute__((noinline)) int g();",
        "struct A a = { 1 }; __align__(8) int b;",
        "enum class E { one } __attribute__((unused)) e;", "struct A { int x; } ALIGN(8) a;",
        "// struct { int x; } __align__(8) a;"}) {
    CHECK(placed(unchanged) == unchanged);
  }
  CHECK(unwrap_log("k.cu(1): error: x\n  struct/*}*/__align__(8)/*{*/ A { int x }\n"
                   "                                        ^\n") ==
        "k.cu(1): error: x\n  struct A { int x }\n                  ^\n");
}

TEST_CASE("a log quotes references as they were written") {
  CHECK(unwrap_log("k.cu(1): error: x\n  __constant__/**/ texture<float> t;\n"
                   "                                   ^\n") ==
        "k.cu(1): error: x\n  texture<float> t;\n                  ^\n");
}

TEST_CASE("constants of a file become constant expressions, other constants stay") {
  CHECK(with_constant_expressions("extern \"C\" {\n  const float a = 1, b = a;\n}") ==
        "extern \"C\" {\n  constexpr float a = 1, b = a;\n}");
  CHECK(with_constant_expressions("static const unsigned long n = 2; // const int x = 1;\n") ==
        "static constexpr unsigned long n = 2; // const int x = 1;\n");
  for (const std::string_view same :
       {"__global__ void k(float *a) { const float b = a[0]; }", "struct s { const int x = 3; };",
        "__constant__ const float c = 1;", "const float *p = 0;", "const float t[2] = {1, 2};",
        "#define A \\\n const int x = 1;\n", "const char *s = \"const int x = 1;\";",
        "/* const int", "const Mine m = 1;", "\"open"}) {
    CHECK(with_constant_expressions(same) == same);
  }
}

TEST_CASE("a log quotes constants of a file as they were written") {
  const std::string written = "const int a = 1;\n  static const float b = 2 * a;\nint x = 3\n";
  const std::string compiled = with_constant_expressions(written);
  REQUIRE(compiled.find("static constexpr float b") != std::string::npos);
  const auto log = [](const std::string& first, const std::string& second) {
    return "k.cu(1): warning: a\n  " + first + "\n\nk.cu(2): warning: b\n    " + second +
           "\nk.cu(3): error: x\n  int x = 3\n          ^\n";
  };
  CHECK(with_written_lines(log("constexpr int a = 1;\n                ^",
                               "static constexpr float b = 2 * a;\n                           ^"),
                           compiled, written) ==
        log("const int a = 1;\n            ^",
            "static const float b = 2 * a;\n                       ^"));
  CHECK(with_written_lines("k.cu(1): error", compiled, written) == "k.cu(1): error");
}

}  // namespace
}  // namespace pycuda::rtc
