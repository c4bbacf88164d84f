// SPDX-License-Identifier: MIT
// Memory and events that processes share. The other process is this program again; it gets the
// handles in its environment, says by its output what the driver answered, and does what is to be
// seen here.
#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <future>
#include <iterator>
#include <string>
#include <thread>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

constexpr const char* variable = "PYCUDA_TEST_HANDLES";
constexpr unsigned peer = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
constexpr unsigned shared_event = CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING;

void say(const char* what, long long value) {
  std::printf("%s %lld\n", what, value);
  std::fflush(stdout);
}

template <class Handle>
std::string hexadecimal(const Handle& handle) {
  std::string text;
  for (const char byte : handle.reserved) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(byte));
    text += digits.data();
  }
  return text;
}

/// The handle number `index` of those that the other process left.
template <class Handle>
Handle given(std::size_t index) {
  Handle handle{};
  const std::string text = std::getenv(variable);
  for (std::size_t i = 0; i < sizeof handle; ++i) {
    const std::string digits = text.substr(index * 2 * sizeof handle + 2 * i, 2);
    handle.reserved[i] = static_cast<char>(std::strtoul(digits.c_str(), nullptr, 16));
  }
  return handle;
}

std::string run_other_process(const std::string& scenario, const std::string& handles) {
  setenv(variable, handles.c_str(), 1);
  std::string output = run_scenario(scenario);
  unsetenv(variable);
  return output;
}

CUipcMemHandle handle_of(CUdeviceptr memory) {
  CUipcMemHandle handle{};
  REQUIRE(CU(cuIpcGetMemHandle)(&handle, memory) == CUDA_SUCCESS);
  return handle;
}

unsigned word_at(CUdeviceptr memory) {
  unsigned word = 0;
  CU(cuMemcpyDtoH_v2)(&word, memory, sizeof word);
  return word;
}

/// Waits until `memory` holds `value`, which another process writes; false if it cannot be read.
bool comes(CUdeviceptr memory, unsigned value, CUstream stream) {
  for (unsigned word = 0;; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
    if (CU(cuMemcpyDtoHAsync_v2)(&word, memory, sizeof word, stream) != CUDA_SUCCESS) return false;
    if (CU(cuStreamSynchronize)(stream) != CUDA_SUCCESS) return false;
    if (word == value) return true;
  }
}

unsigned may_be_shared(CUdeviceptr memory) {
  unsigned capable = 9;
  CU(cuPointerGetAttribute)(&capable, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE, memory);
  return capable;
}

void play_memory() {
  const CurrentContext context;
  const auto handle = given<CUipcMemHandle>(0);
  CUdeviceptr memory = 0, again = 0, base = 0;
  size_t bytes = 0;
  say("open", CU(cuIpcOpenMemHandle_v2)(&memory, handle, peer));
  say("again", CU(cuIpcOpenMemHandle_v2)(&again, handle, peer));
  say("same", memory == again);
  say("range", CU(cuMemGetAddressRange_v2)(&base, &bytes, memory + 40));
  say("base", base == memory);
  say("bytes", static_cast<long long>(bytes));
  say("word", word_at(memory + 96));
  const LoadedModule module(kernels_ptx);
  CUdeviceptr to = memory + 100;
  unsigned value = 43;
  void* parameters[] = {&to, &value};
  say("launch", CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, nullptr,
                                   parameters, nullptr));
  say("synchronize", CU(cuCtxSynchronize)());
  CUipcMemHandle own{};
  say("handle of it", CU(cuIpcGetMemHandle)(&own, memory));
  say("capable", may_be_shared(memory));
  say("free", CU(cuMemFree_v2)(memory));
  say("close inside", CU(cuIpcCloseMemHandle)(memory + 4));
  say("close", CU(cuIpcCloseMemHandle)(memory));
  say("still there", word_at(memory + 100));
  say("close again", CU(cuIpcCloseMemHandle)(memory));
  say("closed", CU(cuIpcCloseMemHandle)(memory));
  say("gone", CU(cuMemGetAddressRange_v2)(&base, &bytes, memory));
  say("anew", CU(cuIpcOpenMemHandle_v2)(&memory, handle, peer));
  say("word", word_at(memory + 100));  // left open: the context's end closes it
}

void play_wrong_handles() {
  const CurrentContext context;
  CUdeviceptr memory = 0;
  CUevent event = nullptr;
  const auto freed = given<CUipcMemHandle>(0), live = given<CUipcMemHandle>(1);
  CUipcMemHandle garbage{};
  CUipcEventHandle no_event{};
  std::memset(&garbage, 'x', sizeof garbage);
  std::memset(&no_event, 'x', sizeof no_event);
  say("freed", CU(cuIpcOpenMemHandle_v2)(&memory, freed, peer) != CUDA_SUCCESS);
  say("garbage", CU(cuIpcOpenMemHandle_v2)(&memory, garbage, peer));
  say("zeros", CU(cuIpcOpenMemHandle_v2)(&memory, CUipcMemHandle{}, peer) != CUDA_SUCCESS);
  say("no flags", CU(cuIpcOpenMemHandle_v2)(&memory, live, 0));
  say("other flags", CU(cuIpcOpenMemHandle_v2)(&memory, live, 2));
  say("no event", CU(cuIpcOpenEventHandle)(&event, no_event) != CUDA_SUCCESS);
  CUipcEventHandle of_memory{};
  std::memcpy(&of_memory, &live, sizeof live);
  say("memory as event", CU(cuIpcOpenEventHandle)(&event, of_memory) != CUDA_SUCCESS);
  say("right", CU(cuIpcOpenMemHandle_v2)(&memory, live, peer));
}

// Shared: word 0 says how far each side is, word 1 is the work that an event stands behind.
void play_event() {
  const CurrentContext context;
  CUdeviceptr memory = 0;
  CUevent event = nullptr;
  CUstream stream = nullptr, other = nullptr;
  say("memory", CU(cuIpcOpenMemHandle_v2)(&memory, given<CUipcMemHandle>(0), peer));
  say("open", CU(cuIpcOpenEventHandle)(&event, given<CUipcEventHandle>(1)));
  CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING);
  CU(cuStreamCreate)(&other, CU_STREAM_NON_BLOCKING);
  say("pending", CU(cuEventQuery)(event));
  // What comes behind the other process's work in a stream of this one.
  unsigned word = 0;
  say("wait", CU(cuStreamWaitEvent)(stream, event, 0));
  say("copy", CU(cuMemcpyDtoDAsync_v2)(memory + 8, memory + 4, 4, stream));
  say("stream", CU(cuStreamQuery)(stream));
  CU(cuMemsetD32Async)(memory, 1, 1, other);
  CU(cuStreamSynchronize)(other);
  say("synchronize", CU(cuEventSynchronize)(event));
  CU(cuMemcpyDtoHAsync_v2)(&word, memory + 4, 4, other);
  CU(cuStreamSynchronize)(other);
  say("seen by the host", word);
  CU(cuStreamSynchronize)(stream);
  CU(cuMemcpyDtoHAsync_v2)(&word, memory + 8, 4, other);
  CU(cuStreamSynchronize)(other);
  say("seen by the stream", word);
  say("reached", CU(cuEventQuery)(event));
  float milliseconds = 0;
  say("time", CU(cuEventElapsedTime)(&milliseconds, event, event));
  CUipcEventHandle own{};
  say("handle of it", CU(cuIpcGetEventHandle)(&own, event));
  // And the other way round.
  CU(cuMemsetD32Async)(memory + 4, 78, 1, stream);
  say("record", CU(cuEventRecord)(event, stream));
  CU(cuStreamSynchronize)(stream);
  CU(cuMemsetD32Async)(memory, 2, 1, other);
  CU(cuStreamSynchronize)(other);
  say("destroy", CU(cuEventDestroy_v2)(event));
}

std::size_t descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

bool driver_test::play_ipc_scenario(const std::string& name) {
  if (name == "ipc_memory") {
    play_memory();
  } else if (name == "ipc_wrong_handles") {
    play_wrong_handles();
  } else if (name == "ipc_event") {
    play_event();
  } else {
    return false;
  }
  return true;
}

TEST_CASE("memory is opened by another process, whose kernels use it") {
  const CurrentContext context;
  const DeviceBlock small(1000), large(size_t{5} << 20);
  for (const auto& [block, bytes] : {std::pair(&small, 1000LL), std::pair(&large, 5LL << 20)}) {
    CAPTURE(bytes);
    CU(cuMemsetD32_v2)(block->address(), 42, 32);
    const std::string output =
        run_other_process("ipc_memory", hexadecimal(handle_of(block->address() + 96)));
    CHECK(output == "open 0\nagain 0\nsame 1\nrange 0\nbase 1\nbytes " + std::to_string(bytes) +
                        "\nword 42\nlaunch 0\nsynchronize 0\nhandle of it 1\ncapable 0\nfree 1\n"
                        "close inside 1\nclose 0\nstill there 43\nclose again 0\nclosed 1\n"
                        "gone 500\nanew 0\nword 43\n");
    CHECK(word_at(block->address() + 100) == 43);
    CHECK(word_at(block->address() + 104) == 42);
  }
}

TEST_CASE("a block has one handle, and one in its place another") {
  const CurrentContext context;
  CUdeviceptr first = 0, second = 0;
  CU(cuMemAlloc_v2)(&first, 1000);
  const CUipcMemHandle handle = handle_of(first);
  CHECK(hexadecimal(handle_of(first)) == hexadecimal(handle));
  CHECK(hexadecimal(handle_of(first + 999)) == hexadecimal(handle));
  CU(cuMemFree_v2)(first);
  CU(cuMemAlloc_v2)(&second, 1000);
  CHECK(hexadecimal(handle_of(second)) != hexadecimal(handle));
  CU(cuMemFree_v2)(second);
}

TEST_CASE("the process that made a handle cannot open it") {
  const CurrentContext context;
  const DeviceBlock block(64);
  CUdeviceptr memory = 0;
  CHECK(CU(cuIpcOpenMemHandle_v2)(&memory, handle_of(block.address()), peer) ==
        CUDA_ERROR_INVALID_CONTEXT);
  CHECK(CU(cuIpcCloseMemHandle)(block.address()) == CUDA_ERROR_INVALID_VALUE);
  CUevent event = nullptr, opened = nullptr;
  CUipcEventHandle handle{};
  REQUIRE(CU(cuEventCreate)(&event, shared_event) == CUDA_SUCCESS);
  CHECK(CU(cuIpcGetEventHandle)(&handle, event) == CUDA_SUCCESS);
  CHECK(CU(cuIpcOpenEventHandle)(&opened, handle) == CUDA_ERROR_INVALID_CONTEXT);
  CU(cuEventDestroy_v2)(event);
}

TEST_CASE("only memory of cuMemAlloc has a handle, and its attribute says so") {
  const CurrentContext context;
  CUdeviceptr memory = 0, managed = 0, pool = 0;
  size_t pitch = 0;
  void* host = nullptr;
  CUipcMemHandle handle{};
  const auto refused = [&](CUdeviceptr address) {
    CAPTURE(address);
    CHECK(CU(cuIpcGetMemHandle)(&handle, address) == CUDA_ERROR_INVALID_VALUE);
    CHECK(may_be_shared(address) == 0);
  };
  REQUIRE(CU(cuMemAllocPitch_v2)(&memory, &pitch, 40, 3, 4) == CUDA_SUCCESS);
  CHECK(may_be_shared(memory) == 1);
  CHECK(CU(cuIpcGetMemHandle)(&handle, memory) == CUDA_SUCCESS);
  CHECK(CU(cuIpcGetMemHandle)(nullptr, memory) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuIpcGetMemHandle)(&handle, 0) == CUDA_ERROR_INVALID_VALUE);
  CU(cuMemFree_v2)(memory);
  REQUIRE(CU(cuMemAllocManaged)(&managed, 64, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS);
  refused(managed);
  CU(cuMemFree_v2)(managed);
  REQUIRE(CU(cuMemHostAlloc)(&host, 64, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS);
  refused(reinterpret_cast<CUdeviceptr>(host));
  CU(cuMemFreeHost)(host);
  REQUIRE(CU(cuMemAllocAsync)(&pool, 64, nullptr) == CUDA_SUCCESS);
  refused(pool);
  CU(cuMemFreeAsync)(pool, nullptr);
}

TEST_CASE("wrong handles are refused, and the next right one is not") {
  const CurrentContext context;
  CUdeviceptr freed = 0;
  CU(cuMemAlloc_v2)(&freed, size_t{4} << 20);
  const CUipcMemHandle stale = handle_of(freed);
  CU(cuMemFree_v2)(freed);
  const DeviceBlock block(64);
  CHECK(run_other_process("ipc_wrong_handles",
                          hexadecimal(stale) + hexadecimal(handle_of(block.address()))) ==
        "freed 1\ngarbage 1\nzeros 1\nno flags 1\nother flags 1\nno event 1\nmemory as event 1\n"
        "right 0\n");
}

TEST_CASE("events of processes have no timing, and others have no handle") {
  const CurrentContext context;
  CUevent event = nullptr;
  CUipcEventHandle handle{};
  CHECK(CU(cuEventCreate)(&event, CU_EVENT_INTERPROCESS) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(CU(cuEventCreate)(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS);
  CHECK(CU(cuIpcGetEventHandle)(&handle, event) == CUDA_ERROR_INVALID_HANDLE);
  CU(cuEventDestroy_v2)(event);
  int supported = -1;
  CU(cuDeviceGetAttribute)(&supported, CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 0);
  CHECK(supported == 1);
}

TEST_CASE("an event that one process records is waited for by host and streams of another") {
  const CurrentContext context;
  const DeviceBlock block(12);
  const CUdeviceptr memory = block.address();
  CUevent event = nullptr;
  CUipcEventHandle handle{};
  CUstream stream = nullptr, other = nullptr;
  CU(cuMemsetD32_v2)(memory, 0, 3);
  REQUIRE(CU(cuEventCreate)(&event, shared_event) == CUDA_SUCCESS);
  REQUIRE(CU(cuIpcGetEventHandle)(&handle, event) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamCreate)(&other, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  const std::string handles = hexadecimal(handle_of(memory)) + hexadecimal(handle);

  static std::atomic<bool> let_go;
  let_go = false;
  const CUhostFn hold = [](void*) {
    while (!let_go) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  CU(cuLaunchHostFunc)(stream, hold, nullptr);
  CU(cuMemsetD32Async)(memory + 4, 77, 1, stream);
  CHECK(CU(cuEventRecord)(event, stream) == CUDA_SUCCESS);
  auto partner = std::async([&] { return run_other_process("ipc_event", handles); });
  CHECK(comes(memory, 1, other));
  CHECK(CU(cuEventQuery)(event) == CUDA_ERROR_NOT_READY);
  // Time for a wait that does not wait to be noticed.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  let_go = true;
  CHECK(comes(memory, 2, other));
  // The latest record is the other process's now, and reached.
  CHECK(CU(cuEventQuery)(event) == CUDA_SUCCESS);
  CHECK(CU(cuEventSynchronize)(event) == CUDA_SUCCESS);
  CHECK(CU(cuStreamWaitEvent)(other, event, 0) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(other) == CUDA_SUCCESS);
  CHECK(word_at(memory + 4) == 78);
  CHECK(partner.get() ==
        "memory 0\nopen 0\npending 600\nwait 0\ncopy 0\nstream 600\nsynchronize 0\n"
        "seen by the host 77\nseen by the stream 77\nreached 0\ntime 400\nhandle of it 400\n"
        "record 0\ndestroy 0\n");
  CU(cuStreamDestroy_v2)(stream);
  CU(cuStreamDestroy_v2)(other);
  CU(cuEventDestroy_v2)(event);
}

TEST_CASE("sharing leaves no descriptors behind") {
  if (!is_cpu_driver()) return;  // NVIDIA's keeps what it likes
  std::size_t before = 0;
  {
    const CurrentContext context;
    CU(cuCtxSynchronize)();
    before = descriptors();
    for (int i = 0; i < 50; ++i) {
      CUdeviceptr memory = 0;
      CUevent event = nullptr;
      CU(cuMemAlloc_v2)(&memory, i % 2 == 0 ? 1000 : size_t{1} << 20);
      handle_of(memory);
      if (i == 49) break;  // what is left ends with the context
      CU(cuMemFree_v2)(memory);
      CU(cuEventCreate)(&event, shared_event);
      CU(cuEventDestroy_v2)(event);
      CHECK(descriptors() == before);
    }
    CHECK(descriptors() == before + 1);
  }
  CHECK(descriptors() == before);
}
