// SPDX-License-Identifier: MIT
// nvcc's options in NVRTC's terms: what passes, what is dropped, translated, refused.
#include "rtc/options.h"

#include <doctest/doctest.h>

namespace pycuda::rtc {
namespace {

using Texts = std::vector<std::string>;

Options translated(const Texts& options) {
  auto result = translate_options(options);
  REQUIRE_MESSAGE(result.ok(), result.error().message);
  return *result;
}

Texts compiler_options(const Texts& options) { return translated(options).compiler; }

std::string refusal(const Texts& options) {
  const auto result = translate_options(options);
  REQUIRE_FALSE(result.ok());
  return result.error().message;
}

TEST_CASE("options that NVRTC knows pass as they are") {
  CHECK(compiler_options({"-use_fast_math", "-lineinfo", "-G", "-w"}) ==
        Texts{"-use_fast_math", "-lineinfo", "-G", "-w"});
  CHECK(compiler_options({"--some-new-option=3"}) == Texts{"--some-new-option=3"});
}

TEST_CASE("options of the host compiler and the linker are dropped with their values") {
  CHECK(
      compiler_options({"-O3", "-g", "-m64", "--verbose", "--keep", "-x", "cu", "-cubin"}).empty());
  CHECK(compiler_options({"-Xcompiler", "-Wall", "--compiler-options", "-fPIC", "-ccbin=g++"})
            .empty());
  CHECK(
      compiler_options({"-lcudadevrt", "-L/usr/lib", "-Xnvlink", "-v", "--cudart=static"}).empty());
  CHECK(compiler_options(
            {"--expt-relaxed-constexpr", "--extended-lambda", "-default-stream", "per-thread"})
            .empty());
}

TEST_CASE("-g next to -G leaves -G") { CHECK(compiler_options({"-g", "-G"}) == Texts{"-G"}); }

TEST_CASE("two-word options become one word") {
  CHECK(compiler_options({"-D", "X=1", "-maxrregcount", "32", "-std", "c++17", "-rdc", "true"}) ==
        Texts{"-DX=1", "--maxrregcount=32", "-std=c++17", "-rdc=true"});
  CHECK(compiler_options({"-D X=1"}) == Texts{"-DX=1"});
  CHECK(compiler_options({"-DNAME=\"a b\""}) == Texts{"-DNAME=\"a b\""});
}

TEST_CASE("include folders are gathered, system ones last") {
  const Options options =
      translated({"-isystem", "/sys", "-I/a", "-I", "/b", "--include-path=/c", "-include", "x.h"});
  CHECK(options.include_folders == Texts{"/a", "/b", "/c", "/sys"});
  CHECK(options.pre_included == Texts{"x.h"});
  CHECK(options.compiler.empty());
}

TEST_CASE("all spellings of the register report ask for it once") {
  for (const Texts& spelling : {Texts{"--ptxas-options=-v"}, Texts{"-Xptxas", "-v"},
                                Texts{"-Xptxas=-v"}, Texts{"-Xptxas -v"}, Texts{"-res-usage"},
                                Texts{"--resource-usage"}, Texts{"--ptxas-options=--verbose"}}) {
    const Options options = translated(spelling);
    CHECK(options.ptxas_report);
    CHECK(options.compiler.size() == 1);
    CHECK(options.compiler.front().starts_with("--ptxas-options=-"));
  }
  const Options both = translated({"-Xptxas=-v,-O3", "-res-usage"});
  CHECK(both.compiler == Texts{"--ptxas-options=-v", "--ptxas-options=-O3"});
}

TEST_CASE("an architecture is read from every option that can name one") {
  CHECK(translated({"-arch=sm_90a"}).architecture->name() == "sm_90a");
  CHECK(translated({"-arch", "compute_80"}).architecture->name() == "compute_80");
  CHECK(translated({"-arch=compute_80", "-code=sm_86"}).architecture->name() == "sm_86");
  CHECK(translated({"-gencode", "arch=compute_80,code=sm_80"}).architecture->name() == "sm_80");
  CHECK(translated({"-gencode=arch=compute_90,code=[compute_90,sm_90]"}).architecture->name() ==
        "sm_90");
  CHECK_FALSE(translated({"-arch=native"}).architecture.has_value());
  CHECK_FALSE(translated({"-lineinfo"}).architecture.has_value());
}

TEST_CASE("a refusal names the option") {
  CHECK(refusal({"-m32"}).find("-m32") != std::string::npos);
  CHECK(refusal({"-dlto"}).find("-dlto") != std::string::npos);
  CHECK(refusal({"--preprocess"}).find("--preprocess") != std::string::npos);
  CHECK(refusal({"-o", "out"}).find("-o") != std::string::npos);
  CHECK(refusal({"-Xptxas"}).find("-Xptxas") != std::string::npos);
  CHECK(refusal({"-arch=volta"}).find("volta") != std::string::npos);
}

TEST_CASE("architectures have three-digit numbers and suffixes") {
  CHECK(parse_architecture("sm_103a") == Architecture{true, 103, "a"});
  CHECK(parse_architecture("compute_121") == Architecture{false, 121, ""});
  for (const char* wrong : {"", "sm_", "sm_x", "80", "sm_80b", "sm80", "sm_-80"})
    CHECK_FALSE(parse_architecture(wrong));
}

}  // namespace
}  // namespace pycuda::rtc
