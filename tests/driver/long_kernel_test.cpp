// SPDX-License-Identifier: MIT
// Long kernels get their vector form in the background: while launches go on, while the module
// goes, while the process ends. The driver reads its settings early, so each scenario has a
// process.
#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr unsigned threads = 96;
// More than a gang has at once; fewer than that; so few that launches wait for forms.
constexpr unsigned many_steps = 2300, some_steps = 1800, few_steps = 400;

std::string long_kernel(unsigned steps = many_steps) {
  std::string text = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry hash(.param .u64 out, .param .u32 seed) {
  .reg .b64 %out, %a; .reg .b32 %t, %x;
  ld.param.u64 %out, [out]; ld.param.u32 %x, [seed];
  mov.u32 %t, %tid.x;
  add.u32 %x, %x, %t;
)";
  for (unsigned i = 0; i < steps; ++i)
    text += "  mul.lo.u32 %x, %x, 1664525;\n  xor.b32 %x, %x, " + std::to_string(i * 2654435761u) +
            ";\n";
  return text + R"(
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %out;
  st.global.u32 [%a], %x;
  ret;
}
.visible .entry beside() { ret; }
)";
}

unsigned hash_of(unsigned x, unsigned steps) {
  for (unsigned i = 0; i < steps; ++i) x = x * 1664525u ^ i * 2654435761u;
  return x;
}

std::string plan_of(CUfunction function) {
  using Plan = CUresult(char*, size_t*, CUfunction, unsigned, unsigned, unsigned);
  const auto plan = reinterpret_cast<Plan*>(symbol("cuCpuFunctionGetPlan"));
  std::string text(1 << 16, '\0');
  size_t bytes = text.size();
  if (plan(text.data(), &bytes, function, threads, 1, 1) != CUDA_SUCCESS) return "no plan";
  return text.c_str();
}

/// One launch; whether each thread's result is right.
bool is_right(CUfunction function, CUdeviceptr out, unsigned seed, unsigned block = threads,
              unsigned steps = many_steps) {
  void* parameters[] = {&out, &seed};
  if (CU(cuLaunchKernel)(function, 1, 1, 1, block, 1, 1, 0, nullptr, parameters, nullptr) !=
      CUDA_SUCCESS)
    return false;
  std::vector<unsigned> seen(block);
  if (CU(cuMemcpyDtoH_v2)(seen.data(), out, block * 4) != CUDA_SUCCESS) return false;
  for (unsigned i = 0; i < block; ++i) {
    if (seen[i] != hash_of(seed + i, steps)) return false;
  }
  return true;
}

/// What the driver logs from now on.
class Log {
 public:
  Log() : file_(std::tmpfile()) {
    setenv("PYCUDA_LOG", "info", 1);
    if (file_ != nullptr) dup2(fileno(file_), STDERR_FILENO);
  }
  ~Log() {
    if (file_ != nullptr) std::fclose(file_);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  bool says(const std::string& words) const {
    std::string text(1 << 16, '\0');
    const ssize_t bytes = pread(fileno(file_), text.data(), text.size(), 0);
    text.resize(bytes > 0 ? static_cast<size_t>(bytes) : 0);
    return text.find(words) != std::string::npos;
  }

 private:
  FILE* file_;
};

/// Repeats launches until the log says one of these, at intervals that leave the processors to the
/// compiler.
template <class Launches>
void launch_until(const Log& log, const char* made, Launches&& launch) {
  for (unsigned i = 0; !log.says(made) && !log.says("could not be compiled"); ++i) {
    launch(i);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

/// Launches until the vector form runs. The log says when: each plan is compiled for itself, so
/// asking for one again and again would take the processors from the form that is awaited.
void play_improves() {
  const Log log;
  const CurrentContext context;
  const std::string text = long_kernel();
  const LoadedModule module(text.c_str());
  const DeviceBlock block(threads * 4);
  const CUfunction function = module.function("hash");
  const bool later = plan_of(function).find("thread by thread until") != std::string::npos;
  std::printf("at first thread by thread: %d\n", later);
  bool right = true;
  launch_until(log, "has vector code from now on",
               [&](unsigned i) { right &= is_right(function, block.address(), i); });
  const bool runs =
      plan_of(function).find("compiled in the background, and is used now") != std::string::npos;
  std::printf("improved: %d\n", runs);
  for (unsigned i = 0; i < 20; ++i) right &= is_right(function, block.address(), i);
  // The better form is for whole gangs alone at first.
  for (unsigned i = 0; i < 20; ++i) right &= is_right(function, block.address(), i, 50);
  std::printf("right: %d\n", right);
}

/// Modules come and go while their kernels are compiled.
void play_unloads() {
  const CurrentContext context;
  const std::string text = long_kernel();
  const DeviceBlock block(threads * 4);
  bool right = true;
  for (unsigned i = 0; i < 4; ++i) {
    const LoadedModule module(text.c_str());
    right &= is_right(module.function("hash"), block.address(), i);
    std::this_thread::sleep_for(std::chrono::milliseconds(10 * i));
  }
  std::printf("right: %d\n", right);
}

/// The process ends with the compiler at work.
void play_ends() {
  const std::string text = long_kernel();
  const CurrentContext context;
  const LoadedModule module(text.c_str());
  const DeviceBlock block(threads * 4);
  const bool right = is_right(module.function("hash"), block.address(), 1);
  std::printf("right: %d\n", right);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  std::fflush(stdout);
  std::exit(0);
}

/// The process ends while another thread waits for a form.
void play_ends_waiting() {
  setenv("CUDA_MODULE_LOADING", "LAZY", 1);
  const std::string text = long_kernel(few_steps);
  const CurrentContext context;
  const LoadedModule module(text.c_str());
  const DeviceBlock block(threads * 4);
  const CUfunction function = module.function("hash");
  std::printf("right: %d\n", is_right(function, block.address(), 1, 64, few_steps));
  std::thread([&] {
    CU(cuCtxSetCurrent)(context.handle());
    is_right(function, block.address(), 2, 50, few_steps);
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::fflush(stdout);
  std::exit(0);
}

/// Blocks that are no whole gangs need code of their own.
void play_other_blocks() {
  setenv("CUDA_MODULE_LOADING", "LAZY", 1);
  const Log log;
  const CurrentContext context;
  const std::string text = long_kernel(some_steps);
  const LoadedModule module(text.c_str());
  const DeviceBlock block(threads * 4);
  const CUfunction function = module.function("hash");
  bool right = is_right(function, block.address(), 1, 64, some_steps);
  const char* const asked_for = "its form for other blocks is being compiled";
  std::printf("asked for: %d\n", log.says(asked_for));
  // Where the kernel's first code came by its deadline alone, the form is asked for once a launch
  // has ended.
  launch_until(log, asked_for, [&](unsigned i) {
    right &= is_right(function, block.address(), i, 50, some_steps);
  });
  std::printf("in a slower form: %d\n", log.says(asked_for));
  const char* const made = "has its form for other blocks from now on";
  launch_until(log, made, [&](unsigned i) {
    right &= is_right(function, block.address(), i, 50, some_steps);
    right &= is_right(function, block.address(), i, 64, some_steps);
  });
  std::printf("made: %d\n", log.says(made));
  for (unsigned i = 0; i < 20; ++i) right &= is_right(function, block.address(), i, 50, some_steps);
  std::printf("right: %d\n", right);
}

}  // namespace

bool driver_test::play_long_kernel_scenario(const std::string& name) {
  if (name.rfind("long_kernel_", 0) != 0) return false;
  setenv("PYCUDA_CPU_PATIENCE", "0", 1);
  setenv("PYCUDA_DISABLE_CACHE", "1", 1);
  if (name == "long_kernel_improves") play_improves();
  if (name == "long_kernel_unloads") play_unloads();
  if (name == "long_kernel_ends") play_ends();
  if (name == "long_kernel_ends_waiting") play_ends_waiting();
  if (name == "long_kernel_other_blocks") play_other_blocks();
  return true;
}

TEST_CASE("a long kernel that runs for long gets its vector form while launches go on") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("long_kernel_improves") ==
        "at first thread by thread: 1\nimproved: 1\nright: 1\n");
}

TEST_CASE("a module may go while a form of its kernel is made") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("long_kernel_unloads") == "right: 1\n");
}

TEST_CASE("the process may end while a form of a kernel is made") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("long_kernel_ends") == "right: 1\n");
}

TEST_CASE("the process may end while a launch waits for a form of its kernel") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("long_kernel_ends_waiting") == "right: 1\n");
}

TEST_CASE(
    "a launch does not wait for another form of a long kernel, but runs a slower one at first") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("long_kernel_other_blocks") ==
        "asked for: 0\nin a slower form: 1\nmade: 1\nright: 1\n");
}
