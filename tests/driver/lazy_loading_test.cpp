// SPDX-License-Identifier: MIT
// Kernels that are compiled when they are first asked for: what is known before, what is shared,
// and what happens on several threads. The driver reads CUDA_MODULE_LOADING once, so each scenario
// has a process.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

const std::string header = ".version 7.0\n.target sm_80\n.address_size 64\n";

/// `count_up` and `read` share a variable; `keep` stores the address of `twice` in another one and
/// `call` calls through that, and says whether the address is the one that it and the table know.
const std::string shared_things = header + R"(
.visible .global .align 4 .u32 counter = 5;
.global .align 8 .u64 kept;
.func (.param .u32 out) twice(.param .u32 in) {
  .reg .b32 %x;
  ld.param.u32 %x, [in]; shl.b32 %x, %x, 1; st.param.u32 [out], %x;
  ret;
}
.global .align 8 .u64 table[2] = {twice, counter};
.visible .entry count_up() {
  .reg .b32 %x;
  ld.global.u32 %x, [counter]; add.u32 %x, %x, 1; st.global.u32 [counter], %x;
  ret;
}
.visible .entry read(.param .u64 out) {
  .reg .b64 %out; .reg .b32 %x;
  ld.param.u64 %out, [out];
  ld.global.u32 %x, [counter]; st.global.u32 [%out], %x;
  ret;
}
.visible .entry keep() {
  .reg .b64 %f;
  mov.u64 %f, twice; st.global.u64 [kept], %f;
  ret;
}
.visible .entry call(.param .u64 out) {
  .reg .b64 %out, %f, %g, %t; .reg .b32 %x, %y; .reg .pred %p;
  ld.param.u64 %out, [out];
  ld.global.u64 %f, [kept];
  { .param .u32 in; .param .u32 result;
    st.param.u32 [in], 21;
    prototype: .callprototype (.param .u32 _) _ (.param .u32 _);
    call (result), %f, (in), prototype;
    ld.param.u32 %x, [result]; }
  st.global.u32 [%out], %x;
  mov.u64 %g, twice; ld.global.u64 %t, [table];
  setp.eq.u64 %p, %f, %g; selp.u32 %x, 1, 0, %p; st.global.u32 [%out+4], %x;
  setp.eq.u64 %p, %f, %t; selp.u32 %x, 1, 0, %p; st.global.u32 [%out+8], %x;
  ret;
}
)";

/// `kernels` of them, named k0 and so on, each with `steps` of a hash of `seed`.
std::string hashes(unsigned kernels, unsigned steps) {
  std::string text = header;
  for (unsigned k = 0; k < kernels; ++k) {
    text += ".visible .entry k" + std::to_string(k) +
            "(.param .u64 out, .param .u32 seed) {\n"
            "  .reg .b64 %out; .reg .b32 %x;\n"
            "  ld.param.u64 %out, [out]; ld.param.u32 %x, [seed];\n";
    for (unsigned i = 0; i < steps; ++i)
      text += "  mul.lo.u32 %x, %x, 1664525;\n  xor.b32 %x, %x, " +
              std::to_string((k + i) * 2654435761u) + ";\n";
    text += "  st.global.u32 [%out], %x;\n  ret;\n}\n";
  }
  return text;
}

unsigned hash_of(unsigned kernel, unsigned steps, unsigned x) {
  for (unsigned i = 0; i < steps; ++i) x = x * 1664525u ^ (kernel + i) * 2654435761u;
  return x;
}

std::vector<CUfunction> functions_of(CUmodule module) {
  unsigned count = 0;
  CU(cuModuleGetFunctionCount)(&count, module);
  std::vector<CUfunction> functions(count);
  CU(cuModuleEnumerateFunctions)(functions.data(), count, module);
  return functions;
}

bool is_loaded(CUfunction function) {
  CUfunctionLoadingState state{};
  CU(cuFuncIsLoaded)(&state, function);
  return state == CU_FUNCTION_LOADING_STATE_LOADED;
}

/// As many digits as there are functions.
std::string loaded(const std::vector<CUfunction>& functions) {
  std::string digits;
  for (CUfunction function : functions) digits += is_loaded(function) ? '1' : '0';
  return digits;
}

CUresult launch(CUfunction function, std::vector<void*> parameters = {}) {
  return CU(cuLaunchKernel)(function, 1, 1, 1, 1, 1, 1, 0, nullptr,
                            parameters.empty() ? nullptr : parameters.data(), nullptr);
}

void play_states() {
  const CurrentContext context;
  const LoadedModule module(shared_things.c_str());
  CUmoduleLoadingMode mode{};
  CU(cuModuleGetLoadingMode)(&mode);
  std::printf("mode %d\n", static_cast<int>(mode));
  const std::vector<CUfunction> functions = functions_of(module.handle());
  std::printf("loaded %s\n", loaded(functions).c_str());
  int threads = 0, registers = 0;
  const CUresult known =
      CU(cuFuncGetAttribute)(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, functions[1]);
  size_t offset = 0, bytes = 0;
  CU(cuFuncGetParamInfo)(functions[1], 0, &offset, &bytes);
  CU(cuFuncGetAttribute)(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, functions[1]);
  std::printf("attributes %d %d %zu\n", known, threads, bytes);
  std::printf("still %s\n", loaded(functions).c_str());
  module.function("read");
  std::printf("asked for %s\n", loaded(functions).c_str());
  int later = 0;
  CU(cuFuncGetAttribute)(&later, CU_FUNC_ATTRIBUTE_NUM_REGS, functions[1]);
  std::printf("registers %d\n", later - registers);
  // What is refused loads nothing.
  const CUresult refused =
      CU(cuLaunchKernel)(functions[0], 1, 1, 1, 2048, 1, 1, 0, nullptr, nullptr, nullptr);
  std::printf("refused %d %s\n", refused, loaded(functions).c_str());
  CUresult status = launch(functions[0]);
  std::printf("launch %d %s\n", status, loaded(functions).c_str());
}

void play_load() {
  const CurrentContext context;
  const LoadedModule module(hashes(3, 10).c_str());
  const std::vector<CUfunction> functions = functions_of(module.handle());
  const CUresult status = CU(cuFuncLoad)(functions[2]);
  const CUresult again = CU(cuFuncLoad)(functions[2]);
  std::printf("%d %d %s\n", status, again, loaded(functions).c_str());
}

void play_shared() {
  const CurrentContext context;
  const LoadedModule module(shared_things.c_str());
  CUdeviceptr counter = 0;
  unsigned value = 40;
  CU(cuModuleGetGlobal_v2)(&counter, nullptr, module.handle(), "counter");
  CU(cuMemcpyHtoD_v2)(counter, &value, sizeof value);
  const DeviceBlock block(16);
  CUdeviceptr out = block.address();
  unsigned seen[3] = {};
  launch(module.function("count_up"));
  launch(module.function("read"), {&out});
  CU(cuMemcpyDtoH_v2)(seen, out, 4);
  std::printf("counter %u\n", seen[0]);
  launch(module.function("keep"));
  launch(module.function("call"), {&out});
  CU(cuMemcpyDtoH_v2)(seen, out, 12);
  std::printf("called %u, same address %u %u\n", seen[0], seen[1], seen[2]);
}

void play_errors() {
  const CurrentContext context;
  std::string log(4096, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  const auto load = [&](const std::string& kernel) {
    log.assign(4096, '\0');
    void* values[] = {log.data(), reinterpret_cast<void*>(log.size())};
    CUmodule module = nullptr;
    const std::string text = hashes(3, 10) + kernel;
    return CU(cuModuleLoadDataEx)(&module, text.c_str(), 2, options, values);
  };
  const auto named = [&](const char* text) { return log.find(text) != std::string::npos; };
  CUresult status = load(".visible .entry bad() { frobnicate.u32 %r1; ret; }\n");
  std::printf("syntax %d %d\n", status, named("frobnicate"));
  status = load(".visible .entry bad() { .reg .b32 %r; wmma.nothing %r; ret; }\n");
  std::printf("unsupported %d %d\n", status, named("wmma"));
  status = load(".extern .func absent();\n.visible .entry bad() { call.uni absent, (); ret; }\n");
  std::printf("function %d %d\n", status, named("absent"));
  status = load(".extern .global .u32 nowhere;\n");
  std::printf("variable %d %d\n", status, named("nowhere"));
}

/// Some threads ask for each kernel of a module, and each kernel is asked for by two of them.
void play_threads() {
  constexpr unsigned kernels = 4, steps = 200;
  const CurrentContext context;
  const LoadedModule module(hashes(kernels, steps).c_str());
  const std::vector<CUfunction> functions = functions_of(module.handle());
  const DeviceBlock block(4 * 2 * kernels);
  std::vector<unsigned> seen(2 * kernels);
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 2 * kernels; ++t) {
    threads.emplace_back([&, t] {
      CU(cuCtxSetCurrent)(context.handle());
      CUdeviceptr out = block.address() + 4 * t;
      unsigned seed = t;
      launch(functions[t % kernels], {&out, &seed});
    });
  }
  for (std::thread& thread : threads) thread.join();
  CU(cuMemcpyDtoH_v2)(seen.data(), block.address(), seen.size() * 4);
  bool right = true;
  for (unsigned t = 0; t < seen.size(); ++t)
    right = right && seen[t] == hash_of(t % kernels, steps, t);
  std::printf("right %d, loaded %s\n", right, loaded(functions).c_str());
}

/// The module goes while another thread's kernel of it is compiled.
void play_unload() {
  const CurrentContext context;
  const std::string text = hashes(3, 1900);
  CUresult unloaded = CUDA_ERROR_UNKNOWN;
  CUresult asked = CUDA_ERROR_UNKNOWN;
  // The thread may come too late, to a handle that is none any more, or be done too soon.
  for (bool meanwhile = false; !meanwhile;) {
    CUmodule module = nullptr;
    CU(cuModuleLoadData)(&module, text.c_str());
    std::atomic<bool> asking{false};
    std::atomic<bool> answered{false};
    std::thread thread([&] {
      CU(cuCtxSetCurrent)(context.handle());
      CUfunction function = nullptr;
      asking = true;
      asked = CU(cuModuleGetFunction)(&function, module, "k1");
      answered = true;
    });
    while (!asking) std::this_thread::yield();
    unloaded = CU(cuModuleUnload)(module);
    const bool in_time = !answered;
    thread.join();
    meanwhile = in_time && asked != CUDA_ERROR_INVALID_HANDLE;
  }
  std::printf("unloaded %d, asked %d\n", unloaded, asked);
}

void play_library() {
  const CurrentContext context;
  CUlibrary library = nullptr;
  const std::string text = hashes(3, 100);
  CU(cuLibraryLoadData)(&library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  CUmodule module = nullptr;
  CU(cuLibraryGetModule)(&module, library);
  const std::vector<CUfunction> functions = functions_of(module);
  CUkernel first = nullptr, second = nullptr;
  CU(cuLibraryGetKernel)(&first, library, "k0");
  CU(cuLibraryGetKernel)(&second, library, "k1");
  std::printf("kernels %s\n", loaded(functions).c_str());
  CUfunction function = nullptr;
  CU(cuKernelGetFunction)(&function, first);
  std::printf("function %d %s\n", function == functions[0], loaded(functions).c_str());
  const DeviceBlock block(4);
  CUdeviceptr out = block.address();
  unsigned seed = 3, seen = 0;
  launch(reinterpret_cast<CUfunction>(second), {&out, &seed});
  CU(cuMemcpyDtoH_v2)(&seen, out, 4);
  std::printf("launch %d %s\n", seen == hash_of(1, 100, 3), loaded(functions).c_str());
  std::printf("unload %d\n", CU(cuLibraryUnload)(library));
}

}  // namespace

bool driver_test::play_lazy_scenario(const std::string& name) {
  if (name.rfind("lazy_", 0) != 0 && name.rfind("eager_", 0) != 0) return false;
  setenv("CUDA_MODULE_LOADING", name[0] == 'l' ? "LAZY" : "EAGER", 1);
  setenv("PYCUDA_DISABLE_CACHE", "1", 1);
  const std::string scenario = name.substr(name.find('_') + 1);
  if (scenario == "states") play_states();
  if (scenario == "load") play_load();
  if (scenario == "shared") play_shared();
  if (scenario == "errors") play_errors();
  if (scenario == "threads") play_threads();
  if (scenario == "unload") play_unload();
  if (scenario == "library") play_library();
  return true;
}

TEST_CASE("a kernel is loaded when it is asked for or launched, and known before") {
  if (!is_cpu_driver()) return;
  // The two that take the address of a function are one, and there as soon as the module is: a
  // variable holds such an address.
  CHECK(run_scenario("lazy_states") ==
        "mode 2\nloaded 0011\nattributes 0 1024 8\nstill 0011\nasked for 0111\nregisters 0\n"
        "refused 1 0111\nlaunch 0 1111\n");
}

TEST_CASE("a function can be told to load") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("lazy_load") == "0 0 001\n");
}

TEST_CASE("modules load whole where CUDA_MODULE_LOADING asks for it") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("eager_states") ==
        "mode 1\nloaded 1111\nattributes 0 1024 8\nstill 1111\nasked for 1111\nregisters 0\n"
        "refused 1 1111\nlaunch 0 1111\n");
}

TEST_CASE("kernels that are loaded one by one share variables and functions' addresses") {
  const char* const expected = "counter 41\ncalled 42, same address 1 1\n";
  CHECK(run_scenario("lazy_shared") == expected);
  CHECK(run_scenario("eager_shared") == expected);
}

TEST_CASE("what is wrong with any kernel is told when the module is loaded") {
  if (!is_cpu_driver()) return;
  const std::string eager = run_scenario("eager_errors");
  CHECK(run_scenario("lazy_errors") == eager);
  CHECK(eager == "syntax 218 1\nunsupported 218 1\nfunction 218 1\nvariable 218 1\n");
}

TEST_CASE("several threads load kernels of one module at once") {
  CHECK(run_scenario("lazy_threads") == "right 1, loaded 1111\n");
}

TEST_CASE("a module may go while a kernel of it is compiled for another thread") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("lazy_unload") == "unloaded 0, asked 0\n");
}

TEST_CASE("kernels of a library are loaded when their functions are asked for or launched") {
  if (!is_cpu_driver()) return;
  CHECK(run_scenario("lazy_library") == "kernels 000\nfunction 1 100\nlaunch 1 110\nunload 0\n");
}
