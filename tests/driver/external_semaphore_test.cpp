// SPDX-License-Identifier: MIT
// External semaphores: what is refused, and on the CPU driver, whose semaphores are words in files,
// streams and graphs that signal them and wait for them.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

/// A file of a word, mapped here; the descriptor that is given away is another one.
class SharedWord {
 public:
  SharedWord() : descriptor_(memfd_create("semaphore", MFD_CLOEXEC)) {
    REQUIRE(ftruncate(descriptor_, 8) == 0);
    word_ = static_cast<std::uint64_t*>(
        mmap(nullptr, 8, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0));
  }
  ~SharedWord() {
    munmap(word_, 8);
    close(descriptor_);
  }
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;
  int give() const { return dup(descriptor_); }
  std::uint64_t value() const { return __atomic_load_n(word_, __ATOMIC_ACQUIRE); }
  void set(std::uint64_t value) const { __atomic_store_n(word_, value, __ATOMIC_RELEASE); }

 private:
  int descriptor_;
  std::uint64_t* word_;
};

CUresult import(CUexternalSemaphore* semaphore, CUexternalSemaphoreHandleType type,
                int descriptor) {
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = type;
  description.handle.fd = descriptor;
  return CU(cuImportExternalSemaphore)(semaphore, &description);
}

class Imported {
 public:
  Imported(const SharedWord& word, CUexternalSemaphoreHandleType type) {
    REQUIRE(import(&handle_, type, word.give()) == CUDA_SUCCESS);
  }
  ~Imported() { CU(cuDestroyExternalSemaphore)(handle_); }
  Imported(const Imported&) = delete;
  Imported& operator=(const Imported&) = delete;

  CUresult signal(std::uint64_t value, CUstream stream) const {
    const auto parameters = signal_of(value);
    return CU(cuSignalExternalSemaphoresAsync)(&handle_, &parameters, 1, stream);
  }
  CUresult wait(std::uint64_t value, CUstream stream) const {
    CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS parameters{};
    parameters.params.fence.value = value;
    return CU(cuWaitExternalSemaphoresAsync)(&handle_, &parameters, 1, stream);
  }
  static CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal_of(std::uint64_t value) {
    CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters{};
    parameters.params.fence.value = value;
    return parameters;
  }
  CUexternalSemaphore handle() const { return handle_; }

 private:
  CUexternalSemaphore handle_ = nullptr;
};

class TestStream {
 public:
  TestStream() { REQUIRE(CU(cuStreamCreate)(&handle_, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS); }
  ~TestStream() { CU(cuStreamDestroy_v2)(handle_); }
  TestStream(const TestStream&) = delete;
  TestStream& operator=(const TestStream&) = delete;
  operator CUstream() const { return handle_; }

 private:
  CUstream handle_ = nullptr;
};

constexpr auto timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
constexpr auto binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;

}  // namespace

TEST_CASE("an external semaphore that there cannot be is refused") {
  const CurrentContext context;
  CUexternalSemaphore semaphore = nullptr;
  CHECK(CU(cuImportExternalSemaphore)(&semaphore, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = binary;
  description.handle.fd = -1;
  CHECK(CU(cuImportExternalSemaphore)(nullptr, &description) == CUDA_ERROR_INVALID_VALUE);
  CHECK(import(&semaphore, outside<CUexternalSemaphoreHandleType>(99), -1) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(import(&semaphore, timeline, -1) != CUDA_SUCCESS);
  CHECK(semaphore == nullptr);
}

TEST_CASE("a file that cannot be mapped is no semaphore") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  CUexternalSemaphore semaphore = nullptr;
  const int empty = memfd_create("empty", MFD_CLOEXEC);
  CHECK(import(&semaphore, timeline, empty) == CUDA_ERROR_UNKNOWN);
  close(empty);
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK(import(&semaphore, timeline, ends[0]) == CUDA_ERROR_UNKNOWN);
  close(ends[0]);
  close(ends[1]);
  CHECK(import(&semaphore, CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_D3D12_FENCE, 0) ==
        CUDA_ERROR_NOT_SUPPORTED);
  CHECK(CU(cuDestroyExternalSemaphore)(nullptr) == CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("a stream waits until a timeline has come so far") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const SharedWord word;
  const Imported semaphore(word, timeline);
  const TestStream waiting, other;
  CHECK(semaphore.wait(3, waiting) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(waiting) == CUDA_ERROR_NOT_READY);
  CHECK(semaphore.signal(2, other) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(other) == CUDA_SUCCESS);
  CHECK(word.value() == 2);
  CHECK(CU(cuStreamQuery)(waiting) == CUDA_ERROR_NOT_READY);
  word.set(7);  // as another process would
  CHECK(CU(cuStreamSynchronize)(waiting) == CUDA_SUCCESS);
  CHECK(word.value() == 7);
}

TEST_CASE("a wait takes the signal of a binary semaphore") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const SharedWord word;
  const Imported semaphore(word, binary);
  const TestStream stream;
  CHECK(semaphore.signal(0, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(word.value() == 1);
  CHECK(semaphore.wait(0, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(word.value() == 0);
}

TEST_CASE("lists of semaphores, flags and handles are checked") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const SharedWord word;
  const Imported semaphore(word, timeline);
  const TestStream stream;
  const CUexternalSemaphore handle = semaphore.handle();
  auto parameters = Imported::signal_of(1);
  const auto signal = CU(cuSignalExternalSemaphoresAsync);
  CHECK(signal(nullptr, &parameters, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(signal(&handle, nullptr, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(signal(&handle, &parameters, 0, stream) == CUDA_SUCCESS);
  const CUexternalSemaphore none = nullptr;
  CHECK(signal(&none, &parameters, 1, stream) == CUDA_ERROR_INVALID_HANDLE);
  parameters.flags = 99;
  CHECK(signal(&handle, &parameters, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(word.value() == 0);
}

TEST_CASE("nodes of graphs signal semaphores and wait for them") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const SharedWord begin, end;
  const Imported first(begin, timeline), last(end, timeline);
  CUgraph graph = nullptr;
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  CUexternalSemaphore awaited = first.handle(), signalled = last.handle();
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait{};
  wait.params.fence.value = 1;
  const CUDA_EXT_SEM_WAIT_NODE_PARAMS wait_params{&awaited, &wait, 1};
  const auto signal = Imported::signal_of(5);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS signal_params{&signalled, &signal, 1};
  CUgraphNode waits = nullptr, signals = nullptr;
  REQUIRE(CU(cuGraphAddExternalSemaphoresWaitNode)(&waits, graph, nullptr, 0, &wait_params) ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuGraphAddExternalSemaphoresSignalNode)(&signals, graph, &waits, 1, &signal_params) ==
          CUDA_SUCCESS);
  CUgraphNodeType type{};
  CHECK(CU(cuGraphNodeGetType)(signals, &type) == CUDA_SUCCESS);
  CHECK(type == CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL);
  CUDA_EXT_SEM_SIGNAL_NODE_PARAMS told{};
  CHECK(CU(cuGraphExternalSemaphoresSignalNodeGetParams)(signals, &told) == CUDA_SUCCESS);
  CHECK(told.numExtSems == 1);
  CHECK(told.extSemArray[0] == last.handle());
  CHECK(told.paramsArray[0].params.fence.value == 5);
  CUDA_EXT_SEM_WAIT_NODE_PARAMS waited{};
  CHECK(CU(cuGraphExternalSemaphoresWaitNodeGetParams)(waits, &waited) == CUDA_SUCCESS);
  CHECK(waited.paramsArray[0].params.fence.value == 1);
  CHECK(CU(cuGraphExternalSemaphoresWaitNodeGetParams)(signals, &waited) ==
        CUDA_ERROR_INVALID_VALUE);

  CUgraphExec exec = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  const TestStream stream;
  CHECK(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_NOT_READY);
  begin.set(1);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(end.value() == 5);

  const auto later = Imported::signal_of(9);
  signal_params.paramsArray = &later;
  CHECK(CU(cuGraphExecExternalSemaphoresSignalNodeSetParams)(exec, signals, &signal_params) ==
        CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(end.value() == 9);

  wait.params.fence.value = 100;
  CHECK(CU(cuGraphExecExternalSemaphoresWaitNodeSetParams)(exec, waits, &wait_params) ==
        CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_NOT_READY);
  begin.set(100);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuGraphExternalSemaphoresWaitNodeSetParams)(waits, &wait_params) == CUDA_SUCCESS);
  CHECK(CU(cuGraphExternalSemaphoresWaitNodeGetParams)(waits, &waited) == CUDA_SUCCESS);
  CHECK(waited.paramsArray[0].params.fence.value == 100);
  CHECK(CU(cuGraphExternalSemaphoresWaitNodeSetParams)(signals, &wait_params) ==
        CUDA_ERROR_INVALID_VALUE);

  signal_params.numExtSems = 0;  // as many as before
  CHECK(CU(cuGraphExecExternalSemaphoresSignalNodeSetParams)(exec, signals, &signal_params) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphExternalSemaphoresSignalNodeSetParams)(signals, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CU(cuGraphExecDestroy)(exec);
  CU(cuGraphDestroy)(graph);
}

TEST_CASE("semaphores of a captured stream become nodes") {
  if (!is_cpu_driver()) return;
  const CurrentContext context;
  const SharedWord word;
  const Imported semaphore(word, timeline);
  const TestStream stream;
  REQUIRE(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(semaphore.signal(4, stream) == CUDA_SUCCESS);
  CHECK(semaphore.wait(4, stream) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  REQUIRE(CU(cuStreamEndCapture)(stream, &graph) == CUDA_SUCCESS);
  CHECK(word.value() == 0);
  std::size_t count = 0;
  CHECK(CU(cuGraphGetNodes)(graph, nullptr, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CUgraphExec exec = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(word.value() == 4);
  CU(cuGraphExecDestroy)(exec);
  CU(cuGraphDestroy)(graph);
}
