// SPDX-License-Identifier: MIT
// Finding compilers, reading their logs, keeping their results: without a compiler.
#include "rtc/compiler.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "rtc/compile_log.h"
#include "rtc/fatbin_writer.h"
#include "rtc/gnu_constructs.h"
#include "rtc/host_headers.h"
#include "rtc/nvcc.h"
#include "temporary_tree.h"

namespace pycuda::rtc {
namespace {

namespace fs = std::filesystem;

/// A toolkit of this machine may complete what wheels lack.
std::vector<fs::path> first_two(const std::vector<fs::path>& folders) {
  REQUIRE(folders.size() >= 2);
  return {folders[0], folders[1]};
}

TEST_CASE("wheels are found in both layouts, the newest first, with their headers") {
  const TemporaryTree tree;
  tree.write("a/nvidia/cuda_nvrtc/lib/libnvrtc.so.12", "old");
  tree.write("a/nvidia/cuda_runtime/include/cuda_fp16.h", "");
  tree.write("b/nvidia/cu13/lib/libnvrtc.so.13", "new");
  tree.write("b/nvidia/cu13/include/cuda_fp16.h", "");
  tree.write("b/nvidia/cu13/include/cccl/cub/cub.cuh", "");
  const std::vector<fs::path> folders = {tree.path() / "a/nvidia", tree.path() / "b/nvidia",
                                         tree.path() / "none"};
  const auto found = find_nvrtc_wheels(folders);
  REQUIRE(found.size() == 2);
  CHECK(found[0].library == tree.path() / "b/nvidia/cu13/lib/libnvrtc.so.13");
  CHECK(found[0].major == 13);
  CHECK(first_two(found[0].include_folders) ==
        std::vector<fs::path>{tree.path() / "b/nvidia/cu13/include",
                              tree.path() / "b/nvidia/cu13/include/cccl"});
  CHECK(found[1].major == 12);
  CHECK(found[1].include_folders ==
        std::vector<fs::path>{tree.path() / "a/nvidia/cuda_runtime/include"});
}

TEST_CASE("headers of wheels in several folders of packages are found together") {
  const TemporaryTree tree;
  tree.write("system/nvidia/cu13/lib/libnvrtc.so.13", "");
  tree.write("system/nvidia/cu13/include/cuda_fp16.h", "");
  tree.write("user/nvidia/cu13/include/crt/mma.h", "");
  tree.write("user/nvidia/cu14/include/crt/mma.h", "of another version");
  const std::vector<fs::path> folders = {tree.path() / "user/nvidia",
                                         tree.path() / "system/nvidia"};
  const auto found = find_nvrtc_wheels(folders);
  REQUIRE(found.size() == 1);
  CHECK(first_two(found[0].include_folders) ==
        std::vector<fs::path>{tree.path() / "system/nvidia/cu13/include",
                              tree.path() / "user/nvidia/cu13/include"});
}

TEST_CASE(
    "headers that a wheel lacks come from a toolkit of the same CUDA version, the wheel's first") {
  const TemporaryTree tree;
  tree.write("nvidia/cu13/lib/libnvrtc.so.13", "");
  tree.write("nvidia/cu13/include/cuda_fp16.h", "");
  for (const char* toolkit : {"old/lib64/libnvrtc.so.12", "new/lib64/libnvrtc.so.13"}) {
    tree.write(toolkit, "");
    const fs::path root = fs::path(toolkit).parent_path().parent_path();
    for (const char* header : {"crt/host_defines.h", "cub/cub.cuh", "curand_kernel.h"})
      tree.write(root / "include" / header, "");
  }
  const std::vector<fs::path> folders = {tree.path() / "nvidia"};
  const auto headers_with = [&](const char* toolkit) {
    ::setenv("CUDA_PATH", (tree.path() / toolkit).c_str(), 1);
    const auto found = find_nvrtc_wheels(folders);
    ::unsetenv("CUDA_PATH");
    return found.at(0).include_folders;
  };
  const std::vector<fs::path> wheel = {tree.path() / "nvidia/cu13/include"};
  CHECK(headers_with("new") == std::vector<fs::path>{wheel.front(), tree.path() / "new/include"});
  CHECK(headers_with("old").front() == wheel.front());
  const auto with_old = headers_with("old");
  CHECK(std::ranges::find(with_old, tree.path() / "old/include") == with_old.end());

  for (const char* header : {"crt/host_defines.h", "cub/cub.cuh", "curand_kernel.h"})
    tree.write(std::string("nvidia/cu13/include/") + header, "");
  CHECK(headers_with("new") == wheel);
}

TEST_CASE("a wheel hides a toolkit of the same CUDA version") {
  const TemporaryTree tree;
  tree.write("nvidia/cu13/lib/libnvrtc.so.13", "wheel");
  tree.write("toolkit/lib64/libnvrtc.so.13", "toolkit");
  tree.write("toolkit/lib64/libnvrtc.so.12", "old toolkit");
  ::setenv("CUDA_PATH", (tree.path() / "toolkit").c_str(), 1);
  const std::vector<fs::path> folders = {tree.path() / "nvidia"};
  const auto found = find_nvrtc(folders);
  ::unsetenv("CUDA_PATH");
  int of_13 = 0;
  bool has_12 = false;
  for (const NvrtcInstallation& one : found) {
    if (one.major == 13) ++of_13;
    if (one.major == 12) has_12 = true;
  }
  CHECK(found.front().origin == "wheel");
  CHECK(of_13 == 1);
  CHECK(has_12);
}

TEST_CASE("PYCUDA_NVRTC is the only one when it is set, and says so when it cannot be used") {
  const TemporaryTree tree;
  tree.write("nvidia/cu13/lib/libnvrtc.so.13", "wheel");
  const fs::path file = tree.write("mine/libnvrtc.so.13", "not a library");
  ::setenv("PYCUDA_NVRTC", file.c_str(), 1);
  Compiler compiler({{tree.path() / "nvidia"}, {}});
  ::unsetenv("PYCUDA_NVRTC");
  CompileRequest request;
  request.source = "__global__ void k() {}";
  CHECK_THROWS_WITH_AS(compiler.compile(request), doctest::Contains("mine/libnvrtc.so.13"),
                       CompileError);
}

TEST_CASE("a driver older than every NVRTC gets the name of the wheel that fits") {
  const TemporaryTree tree;
  const fs::path file = tree.write("libnvrtc.so.13", "");
  ::setenv("PYCUDA_NVRTC", file.c_str(), 1);
  Compiler compiler({{}, {}});
  CompileRequest request;
  request.source = "__global__ void k() {}";
  request.device = {.capability = 90, .driver_version = 12040};
  CHECK_THROWS_WITH_AS(compiler.compile(request),
                       doctest::Contains("pip install nvidia-cuda-nvrtc-cu12"), CompileError);
  ::unsetenv("PYCUDA_NVRTC");
}

TEST_CASE("an option that cannot be served is refused with the user's options as command") {
  Compiler compiler({{}, {}});
  CompileRequest request;
  request.options = {"-lineinfo", "-m32"};
  try {
    compiler.compile(request);
    FAIL("compiled");
  } catch (const CompileError& error) {
    CHECK(std::string(error.what()).find("-m32") != std::string::npos);
    CHECK(error.command() == std::vector<std::string>{"nvrtc", "-lineinfo", "-m32", "kernel.cu"});
  }
}

TEST_CASE("a source with a NUL is refused") {
  Compiler compiler({{}, {}});
  CompileRequest request;
  request.source = std::string("int a;\0int b;", 13);
  CHECK_THROWS_AS(compiler.compile(request), CompileError);
}

TEST_CASE("an nvcc that does not exist is named") {
  Compiler compiler({{}, {}});
  CompileRequest request;
  request.nvcc = "/no/such/nvcc";
  CHECK_THROWS_WITH_AS(compiler.compile(request),
                       doctest::Contains("error invoking '/no/such/nvcc"), CompileError);
}

TEST_CASE("a program's output and status come back, and its folder is left clean") {
  const ScratchFolder folder;
  const auto output =
      run_program({"/bin/sh", "-c", "echo out; echo err >&2; pwd; exit 3"}, folder.path());
  REQUIRE(output.ok());
  CHECK(output->exit_status == 3);
  CHECK(output->standard_output == "out\n" + folder.path().string() + "\n");
  CHECK(output->standard_error == "err\n");
  CHECK(fs::is_empty(folder.path()));
  CHECK_FALSE(run_program({"/no/such/program"}, folder.path()).ok());
}

TEST_CASE("the log takes nvcc's form") {
  CHECK(clean_log(
            "ptxas info    : Function properties for k\n"
            "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
            "ptxas info    : Compile time = 7.579 ms\n\n") ==
        "ptxas info    : Function properties for k\n"
        "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n");
  CHECK(clean_log("\n\n").empty());
  CHECK(clean_log("warning: kernel.cu(5): Warning: Cannot do atomic on local memory\n") ==
        "kernel.cu(5): warning: Cannot do atomic on local memory\n");
}

TEST_CASE("what NVRTC says of precompiled headers is dropped, with the remark that follows") {
  const std::string other =
      "Warning #630-D: the initial sequence of preprocessing directives is not compatible with "
      "those of precompiled header file \"/tmp/a.pch\"\n\n";
  const std::string remark =
      "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n";
  CHECK(clean_log(other + remark + other).empty());
  const std::string own = "kernel.cu(1): warning #177-D: variable \"a\" is never used\n\n" + remark;
  CHECK(clean_log(other + own).find(own.substr(0, own.size() - 2)) != std::string::npos);
}

TEST_CASE("host code and host headers call for nvcc, a misspelt header does not") {
  CHECK(needs_host_compiler(
      "error: A function explicitly marked as a __host__ function is not allowed in JIT mode"));
  CHECK(
      needs_host_compiler("kernel.cu(1): catastrophic error: cannot open source file \"vector\""));
  CHECK_FALSE(
      needs_host_compiler("kernel.cu(1): catastrophic error: cannot open source file \"mine.h\""));
  CHECK_FALSE(needs_host_compiler("kernel.cu(1): error: identifier \"x\" is undefined"));
  CHECK(needs_host_compiler("kernel.cu(1): error: identifier \"cudaMalloc\" is undefined"));
  CHECK(needs_host_compiler("kernel.cu(1): error: namespace \"std\" has no member \"vector\""));
  CHECK(
      needs_host_compiler("kernel.cu(1): error: name followed by \"::\" must be a class\n  "
                          "cub::DeviceScan::Sum(a);\n"));
  CHECK_FALSE(needs_host_compiler("kernel.cu(1): warning: identifier \"cudaEvent\" is deprecated"));
}

TEST_CASE("GNU's own C++ is told from wrong C++") {
  const auto construct = [](const std::string& message, const std::string& line, std::size_t caret,
                            const std::string& source = "") {
    return std::string(pycuda::rtc::gnu_construct("kernel.cu(1): error: " + message + "\n  " +
                                                      line + "\n  " + std::string(caret, ' ') +
                                                      "^\n\n",
                                                  source.empty() ? line : source));
  };
  const std::string expression = "expected an expression";
  CHECK(construct(expression, "*o=(uchar3) {a,2,3};", 12) == "a compound literal");
  CHECK(construct(expression, "S s={.a=a,.b=3};", 5) == "a designated initializer");
  CHECK(construct("expected a \"}\"", "S s={ a : a};", 8) == "a designated initializer");
  CHECK(construct(expression, "*o=({int q=a; q;});", 3) == "a statement expression");
  CHECK(construct(expression, "*o=M(a,3);", 4, "#define M(a, b) ( {a; b;})") ==
        "a statement expression");
  CHECK(construct(expression, "*o=a ?: 3;", 6) == "a conditional without its second operand");
  CHECK(construct("expected a \":\"", "case 1 ... 5: *o=1;", 7) == "a range of cases");
  CHECK(construct("identifier \"__typeof__\" is undefined", "__typeof__(a) b;", 0) == "typeof");
  CHECK(construct("the size of an array must be greater than zero", "float d[0];", 8) ==
        "an array of length 0");
  CHECK(construct("incomplete type \"float []\" is not allowed", "float d[];", 6) ==
        "a member that is an array without length");
  CHECK(construct(expression, "*o = 3 + ;", 9).empty());
  CHECK(construct(expression, "if (o) { *o = ; }", 14).empty());
  CHECK(construct("expected a \":\"", "case 1; *o=1;", 6).empty());
  CHECK(construct("expected a \"}\"", "label: x = 3 : 4;", 13).empty());
  CHECK(pycuda::rtc::gnu_construct("kernel.cu(1): error: " + expression, "").empty());
}

TEST_CASE("empty headers stand in for those that only host code needs") {
  CHECK(misses_host_header("catastrophic error: cannot open source file \"sys/time.h\""));
  CHECK_FALSE(misses_host_header("catastrophic error: cannot open source file \"mine.h\""));
  CHECK_FALSE(misses_host_header("error: identifier \"x\" is undefined"));
  CHECK(misses_host_header(
      "error: \"Including <cub/device/device_scan.cuh> is not supported when\""));
  const std::string marked =
      "error: A function explicitly marked as a __host__ function is not ...";
  CHECK(misses_host_header("/cccl/cub/device/device_find.cuh(7): " + marked));
  CHECK_FALSE(misses_host_header("kernel.cu(7): " + marked));
  CHECK(misses_host_header("/include/channel_descriptor.h(134): " + marked));
  CHECK(misses_host_header("/cccl/cuda/__stream/get_stream.h(60): error: incomplete type"));
  CHECK(misses_host_header("/thrust/system/error_code.h(179): error: namespace \"std\" has no"));
  std::vector<std::string> names;
  for (const NvrtcHeader& header : empty_host_headers({"list"})) names.emplace_back(header.name);
  CHECK(std::ranges::count(names, "vector") == 1);
  CHECK(std::ranges::count(names, "list") == 0);
  CHECK(std::ranges::count(names, "cub/device/device_reduce.cuh") == 1);
  CHECK(std::ranges::count(names, "cuda/stream") == 1);
}

TEST_CASE("advice names the wheel that brings a missing header") {
  CHECK(advice("cannot open source file \"curand_kernel.h\"", true)
            .find("pip install nvidia-curand") != std::string::npos);
  CHECK(advice("error: this declaration may not have extern \"C\" linkage", true)
            .find("templates and overloads") != std::string::npos);
  CHECK(advice("cannot open source file \"cuda_fp16.h\"", true).find("nvidia-cuda-runtime") !=
        std::string::npos);
  for (const char* const none : {"cuda_fp15.h", "cuda_runtimes.h", "cooperative_group.h"})
    CHECK(advice("cannot open source file \"" + std::string(none) + "\"", true).find("pip") ==
          std::string::npos);
  CHECK(advice("cannot open source file \"cuda_profiler_api.h\"", true).find("pip") ==
        std::string::npos);
  CHECK(advice("identifier is undefined", true).empty());
  // Without one it is the program's own, or the name of a function of CUDA's.
  CHECK(advice("more than one instance of overloaded function \"sin\" has \"C\" linkage", false)
            .empty());
}

TEST_CASE("images are remembered, per folder, and the memory is bounded") {
  const TemporaryTree tree;
  CompileCache cache(4000);
  const auto image = std::make_shared<const std::string>(std::string(900, 'x'));
  for (int i = 0; i < 10; ++i) cache.store("k" + std::to_string(i), tree.path() / "cache", image);
  fs::remove_all(tree.path() / "cache");
  CHECK(cache.find("k9", tree.path() / "cache") != nullptr);
  CHECK(cache.find("k0", tree.path() / "cache") == nullptr);
  CHECK(cache.find("k9", tree.path() / "other") == nullptr);
  cache.clear_memory();
  CHECK(cache.find("k9", tree.path() / "cache") == nullptr);
}

TEST_CASE("a fatbin has nvcc's two headers, sizes and numbers in them") {
  const std::string fatbin = write_fatbin(".version 9.4\n.target sm_80\n", false, 80);
  CHECK(fatbin.substr(0, 4) == "\x50\xed\x55\xba");
  CHECK(fatbin.size() % 8 == 0);
  CHECK(static_cast<unsigned char>(fatbin[8]) == fatbin.size() - 16);
  CHECK(fatbin[16] == 1);       // PTX
  CHECK(fatbin[16 + 24] == 4);  // minor, major version
  CHECK(fatbin[16 + 26] == 9);
  CHECK(fatbin[16 + 28] == 80);
  CHECK(fatbin.substr(80, 8) == ".version");
  CHECK(fatbin.back() == '\0');
  CHECK(write_fatbin("ELF", true, 90)[16] == 2);
}

}  // namespace
}  // namespace pycuda::rtc
