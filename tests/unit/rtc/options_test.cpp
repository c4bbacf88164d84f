// SPDX-License-Identifier: MIT
// nvcc's options in NVRTC's terms: what passes, what is dropped, translated, refused.
#include "rtc/options.h"

#include <doctest/doctest.h>

#include "temporary_tree.h"

namespace pycuda::rtc {
namespace {

using Texts = std::vector<std::string>;

Options translated(const Texts& options) {
  auto result = translate_options(options);
  REQUIRE_MESSAGE(result.ok(), result.error().message);
  return *result;
}

Texts compiler_options(const Texts& options) { return translated(options).compiler; }

std::string architecture(const Texts& options, int capability = 0, bool takes_any_ptx = false) {
  const auto chosen =
      choose_architecture(translated(options).architectures, capability, takes_any_ptx);
  return chosen ? chosen->name() : "";
}

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

TEST_CASE("the value of a one-letter option may follow without a blank") {
  CHECK(compiler_options({"-DX=1", "-UY"}) == Texts{"-DX=1", "-UY"});
  CHECK(compiler_options({"-O3", "-t0", "-xcu", "-m64", "-lm", "-L/usr/lib"}).empty());
  CHECK(translated({"-I/a"}).include_folders == Texts{"/a"});
}

TEST_CASE("lists are separated by commas as in nvcc") {
  CHECK(compiler_options({"-DA,B=2"}) == Texts{"-DA", "-DB=2"});
  CHECK(compiler_options({"-DA=1\\,2"}) == Texts{"-DA=1,2"});
  CHECK(compiler_options({"-DA=\"x,y\""}) == Texts{"-DA=\"x,y\""});
  CHECK(compiler_options({"-DF(x,y)=x"}) == Texts{"-DF(x,y)=x"});
  CHECK(compiler_options({"-DV=1,2"}) == Texts{"-DV=1,2"});
  CHECK(compiler_options({"-UA,B"}) == Texts{"-UA", "-UB"});
  CHECK(compiler_options({"-Xptxas", "-O1 -dlcm=ca,-warn-spills"}) ==
        Texts{"--ptxas-options=-O1", "--ptxas-options=-dlcm=ca", "--ptxas-options=-warn-spills"});
  const Options options = translated({"-I/a,/b", "-isystem=/c,/d", "-include", "x.h,y.h"});
  CHECK(options.include_folders == Texts{"/a", "/b", "/c", "/d"});
  CHECK(options.pre_included == Texts{"x.h", "y.h"});
}

TEST_CASE("options that change no code are hints, which an older NVRTC goes without") {
  CHECK(translated({"-split-compile=2", "-Ofc", "max", "-err-no", "--minimal"}).hints ==
        Texts{"--split-compile=2", "-Ofc=max", "-err-no", "--minimal"});
}

TEST_CASE("a dropped option is noted with the reason") {
  const Options options = translated({"-e", "kernel", "-Xcompiler=-Wall", "-time", "t.csv"});
  REQUIRE(options.notes.size() == 3);
  CHECK(options.notes[0] ==
        "the option -e kernel is dropped: all kernels of the source are compiled");
  CHECK(options.notes[1].starts_with("the option -Xcompiler=-Wall is dropped: "));
  CHECK(options.notes[2].starts_with("the option -time t.csv is dropped: "));
}

TEST_CASE("options of the front end become NVRTC's where it has them") {
  CHECK(compiler_options({"-Xcudafe", "--diag_suppress=177"}) == Texts{"--diag-suppress=177"});
  CHECK(compiler_options({"-Xcudafe=--diag_error=20,--display_error_number"}).size() == 1);
  CHECK(compiler_options({"-Xcudafe", "--diag_suppress=177,20 --diag_warning=3"}) ==
        Texts{"--diag-suppress=177,20", "--diag-warn=3"});
  CHECK(translated({"-Xcudafe", "--promote_warnings"}).notes.size() == 1);
  CHECK(compiler_options({"-Wno-deprecated-declarations"}) == Texts{"-diag-suppress=1215,1444"});
  CHECK(compiler_options({"-nohdmoveforward"}) == Texts{"--builtin-move-forward=false"});
}

TEST_CASE("-Werror keeps the kinds of warnings that NVRTC has") {
  const Options options = translated({"-Werror", "all-warnings,default-stream-launch"});
  CHECK(options.compiler == Texts{"-Werror=all-warnings"});
  CHECK(options.notes.size() == 1);
}

TEST_CASE("-Werror refuses a kind that nvcc does not have") {
  const Texts entries = {"-Werror=all_warnings"};
  const auto refused = translate_options(entries);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message ==
        "the option -Werror=all_warnings is not supported: nvcc has no such kind of warnings; "
        "all-warnings stands for all");
}

TEST_CASE("a standard that no header of CUDA takes is raised, with a note") {
  const Options options = translated({"-std", "c++03"});
  CHECK(options.compiler == Texts{"-std=c++11"});
  CHECK(options.notes.size() == 1);
  CHECK(translated({"-std=c++14"}).notes.empty());
}

TEST_CASE("quotes for a shell around the targets of -gencode are none of their names") {
  const Options options = translated({"-gencode=arch=compute_80,code=\"sm_80,compute_80\""});
  const Options plain = translated({"-gencode=arch=compute_80,code=sm_80,compute_80"});
  REQUIRE(options.architectures.size() == plain.architectures.size());
  CHECK(options.architectures.front().name() == plain.architectures.front().name());
}

TEST_CASE("unknown options are dropped where nvcc would forward them") {
  CHECK(compiler_options({"-march=native"}) == Texts{"-march=native"});
  CHECK(compiler_options({"-march=native", "-forward-unknown-to-host-compiler"}).empty());
  CHECK(compiler_options({"--forward-unknown-opts", "-fPIC", "-DX"}) == Texts{"-DX"});
}

TEST_CASE("a file of options stands for what it holds") {
  const TemporaryTree tree;
  tree.write("more.txt", "-DB=\"x y\"\n");
  tree.write("options.txt", "# comment\n-DA=1 \"-DC=1 2\"\n -lineinfo -I d\\ e\n-optf " +
                                (tree.path() / "more.txt").string() + "\n-maxrregcount 32");
  const Options options = translated({"-optf", (tree.path() / "options.txt").string()});
  CHECK(options.compiler == Texts{"-DA=1", "-DC=1 2", "-lineinfo", "-DB=x y", "--maxrregcount=32"});
  CHECK(options.include_folders == Texts{"d e"});
  CHECK(refusal({"--options-file", "/nowhere/at/all"}).find("cannot be read") != std::string::npos);
  tree.write("circle.txt", "-optf " + (tree.path() / "circle.txt").string());
  CHECK(refusal({"-optf=" + (tree.path() / "circle.txt").string()}).find("each other") !=
        std::string::npos);
}

TEST_CASE("an architecture is read from every option that can name one") {
  CHECK(architecture({"-arch=sm_90a"}) == "sm_90a");
  CHECK(architecture({"-arch", "compute_80"}) == "compute_80");
  CHECK(architecture({"-arch=compute_80", "-code=sm_86"}) == "sm_86");
  CHECK(architecture({"-gencode", "arch=compute_80,code=sm_80"}) == "sm_80");
  CHECK(architecture({"-gencode=arch=compute_90,code=[compute_90,sm_90]"}) == "sm_90");
  CHECK(architecture({"-gencode=code=[compute_90,sm_90],arch=compute_90"}) == "sm_90");
  CHECK(architecture({"-lineinfo"}) == "");
}

TEST_CASE("native and all leave the architecture to the device") {
  for (const char* value : {"native", "all", "all-major"}) {
    const Options options = translated({std::string("-arch=") + value});
    CHECK(options.architectures.empty());
    CHECK(options.names_architecture);
  }
}

TEST_CASE("of several architectures the device gets its own") {
  const Texts several = {
      "-gencode", "arch=compute_75,code=sm_75", "-gencode", "arch=compute_80,code=sm_80",
      "-gencode", "arch=compute_90,code=sm_90", "-gencode", "arch=compute_90,code=compute_90"};
  CHECK(architecture(several, 75) == "sm_75");
  CHECK(architecture(several, 80) == "sm_80");
  CHECK(architecture(several, 86) == "sm_80");
  CHECK(architecture(several, 90) == "sm_90");
  CHECK(architecture(several, 100) == "compute_90");
  CHECK(architecture(several, 0) == "sm_90");
  CHECK(architecture(several, 80, true) == "sm_80");
  CHECK(architecture({"-arch=sm_90"}, 80) == "sm_90");
  CHECK(architecture({"-arch=compute_90", "-code=sm_90a,sm_90"}, 90) == "sm_90");
}

TEST_CASE("a refusal names the option and a remedy") {
  CHECK(refusal({"-m32"}).find("-m32") != std::string::npos);
  CHECK(refusal({"-dlto"}).find("-dlto") != std::string::npos);
  CHECK(refusal({"--preprocess"}).find("preprocess_source") != std::string::npos);
  CHECK(refusal({"-o", "out"}).find("keep=True") != std::string::npos);
  CHECK(refusal({"-Xptxas"}).find("-Xptxas") != std::string::npos);
  CHECK(refusal({"-arch=volta"}).find("volta") != std::string::npos);
  CHECK(refusal({"-arch=lto_80"}).find("lto_80") != std::string::npos);
  CHECK(refusal({"-x", "c++"}).find("-x c++") != std::string::npos);
  CHECK(refusal({"-m=32"}).find("64 bits") != std::string::npos);
  CHECK(refusal({"-gencode=code=sm_80"}).find("arch=compute_80") != std::string::npos);
  CHECK(refusal({"-sanitize=memcheck"}).find("PYCUDA_CPU_CHECK=1") != std::string::npos);
  for (const char* several : {"-lineinfo -use_fast_math", "-O3 -DX=1", "--optimize 2 -DX",
                              "-t0 -DX", "-default-stream=legacy -DX"}) {
    CHECK(refusal({several}).find("element of its own") != std::string::npos);
  }
}

TEST_CASE("architectures have three-digit numbers and suffixes") {
  CHECK(parse_architecture("sm_103a") == Architecture{true, 103, "a"});
  CHECK(parse_architecture("compute_121") == Architecture{false, 121, ""});
  for (const char* wrong : {"", "sm_", "sm_x", "80", "sm_80b", "sm80", "sm_-80"})
    CHECK_FALSE(parse_architecture(wrong));
}

}  // namespace
}  // namespace pycuda::rtc
