// SPDX-License-Identifier: MIT
// Words of memory that streams write and wait for: order, comparisons, batches, nodes of graphs.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver.h"
#include "driver/kernels.h"

using namespace driver_test;

namespace {

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

/// Words of device memory, all zero.
class Words {
 public:
  explicit Words(std::size_t count) : block_(4 * count) {
    CU(cuMemsetD32_v2)(block_.address(), 0, count);
  }
  CUdeviceptr at(std::size_t index) const { return block_.address() + 4 * index; }
  unsigned value(std::size_t index) const {
    unsigned word = 0;
    CU(cuMemcpyDtoHAsync_v2)(&word, at(index), sizeof word, aside_);
    CU(cuStreamSynchronize)(aside_);
    return word;
  }

 private:
  TestStream aside_;
  DeviceBlock block_;
};

CUresult write32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags = 0) {
  return CU(cuStreamWriteValue32_v2)(stream, address, value, flags);
}

CUresult wait32(CUstream stream, CUdeviceptr address, cuuint32_t value, unsigned flags) {
  return CU(cuStreamWaitValue32_v2)(stream, address, value, flags);
}

CUstreamBatchMemOpParams operation(CUstreamBatchMemOpType type, CUdeviceptr address,
                                   cuuint64_t value, unsigned flags = 0) {
  CUstreamBatchMemOpParams made{};
  made.writeValue.operation = type;
  made.writeValue.address = address;
  made.writeValue.value64 = value;
  made.writeValue.flags = flags;
  return made;
}

/// Time for a wait that does not wait to be noticed.
void give_time() { std::this_thread::sleep_for(std::chrono::milliseconds(30)); }

}  // namespace

TEST_CASE("a device says that its streams write and wait for words") {
  initialise();
  for (const CUdevice_attribute name : {CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS,
                                        CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR}) {
    int can = -1;
    CHECK(CU(cuDeviceGetAttribute)(&can, name, 0) == CUDA_SUCCESS);
    CHECK(can == 1);
  }
}

TEST_CASE("a stream writes words in its order") {
  const CurrentContext context;
  const TestStream stream;
  const Words words(8);
  CHECK(CU(cuMemsetD32Async)(words.at(0), 1, 8, stream) == CUDA_SUCCESS);
  CHECK(write32(stream, words.at(1), 0xfffffffe) == CUDA_SUCCESS);
  CHECK(write32(stream, words.at(2), 3) == CUDA_SUCCESS);
  CHECK(CU(cuStreamWriteValue64_v2)(stream, words.at(4), 0x500000004, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyDtoDAsync_v2)(words.at(6), words.at(2), 4, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  const unsigned expected[] = {1, 0xfffffffe, 3, 1, 4, 5, 3, 1};
  for (std::size_t i = 0; i < 8; ++i) {
    CAPTURE(i);
    CHECK(words.value(i) == expected[i]);
  }
}

TEST_CASE("a stream waits until another one has written, and its later work waits with it") {
  const CurrentContext context;
  const TestStream waits, writes;
  const Words words(3);
  CHECK(wait32(waits, words.at(0), 7, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyDtoDAsync_v2)(words.at(2), words.at(1), 4, waits) == CUDA_SUCCESS);
  give_time();
  CHECK(CU(cuStreamQuery)(waits) == CUDA_ERROR_NOT_READY);
  CHECK(words.value(2) == 0);
  CHECK(write32(writes, words.at(1), 5) == CUDA_SUCCESS);
  CHECK(write32(writes, words.at(0), 7) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(waits) == CUDA_SUCCESS);
  CHECK(words.value(2) == 5);
}

TEST_CASE("a stream waits for what a kernel and for what the host writes") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const TestStream waits, launches;
  const Words words(1);
  void* pinned = nullptr;
  REQUIRE(CU(cuMemHostAlloc)(&pinned, 8, CU_MEMHOSTALLOC_DEVICEMAP) == CUDA_SUCCESS);
  auto* const host = static_cast<std::atomic<unsigned>*>(pinned);
  host->store(0);
  const auto mapped = reinterpret_cast<CUdeviceptr>(pinned);
  CHECK(wait32(waits, words.at(0), 43, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
  CHECK(wait32(waits, mapped, 44, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
  CHECK(write32(waits, mapped + 4, 45) == CUDA_SUCCESS);
  CUdeviceptr to = words.at(0);
  unsigned value = 43;
  void* parameters[] = {&to, &value};
  CHECK(CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, launches, parameters,
                           nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(launches) == CUDA_SUCCESS);
  give_time();
  CHECK(CU(cuStreamQuery)(waits) == CUDA_ERROR_NOT_READY);
  host->store(44);
  CHECK(CU(cuStreamSynchronize)(waits) == CUDA_SUCCESS);
  CHECK(host[1].load() == 45);
  CHECK(CU(cuMemFreeHost)(pinned) == CUDA_SUCCESS);
}

TEST_CASE("each comparison lets go at the words that it should") {
  const CurrentContext context;
  const TestStream stream, other;
  struct Case {
    const char* name;
    unsigned flags;
    unsigned value, blocks, lets_go;
  };
  const Case cases[] = {
      {"at least", CU_STREAM_WAIT_VALUE_GEQ, 5, 4, 6},
      {"at least, counted round", CU_STREAM_WAIT_VALUE_GEQ, 5, 0xfffffff0, 0x7fffffff},
      {"at least, before the round is full", CU_STREAM_WAIT_VALUE_GEQ, 0xfffffff0, 0xffffffef, 3},
      {"equal", CU_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
      {"a bit", CU_STREAM_WAIT_VALUE_AND, 6, 9, 4},
      {"a bit in neither", CU_STREAM_WAIT_VALUE_NOR, 0x0000ffff, 0xffff0000, 0xfffe0000}};
  for (const Case& it : cases) {
    const std::string name = it.name;
    CAPTURE(name);
    // What a GPU makes of this one has not been recorded.
    if (it.flags == CU_STREAM_WAIT_VALUE_NOR && !is_cpu_driver()) continue;
    const Words words(1);
    CHECK(write32(other, words.at(0), it.blocks) == CUDA_SUCCESS);
    CHECK(CU(cuStreamSynchronize)(other) == CUDA_SUCCESS);
    CHECK(wait32(stream, words.at(0), it.value, it.flags) == CUDA_SUCCESS);
    give_time();
    CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_NOT_READY);
    CHECK(write32(other, words.at(0), it.lets_go) == CUDA_SUCCESS);
    CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  }
}

TEST_CASE("words of 64 bits are compared whole") {
  const CurrentContext context;
  const TestStream stream, other;
  const Words words(2);
  const auto wait64 = CU(cuStreamWaitValue64_v2);
  CHECK(wait64(stream, words.at(0), 0x300000000, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_SUCCESS);
  CHECK(wait64(stream, words.at(0), 0x300000001, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
  CHECK(wait64(stream, words.at(0), 0x100000000, CU_STREAM_WAIT_VALUE_AND) == CUDA_SUCCESS);
  CHECK(write32(other, words.at(0), 1) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(other) == CUDA_SUCCESS);
  give_time();
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_NOT_READY);
  CHECK(write32(other, words.at(1), 3) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
}

TEST_CASE("streams that wait keep no others from kernels and callbacks") {
  const CurrentContext context;
  const LoadedModule module(kernels_ptx);
  const Words words(2);
  // On a GPU streams share a few queues, and whoever is behind a wait in one of them waits too.
  std::vector<CUstream> waiting(is_cpu_driver() ? 200 : 2);
  for (CUstream& stream : waiting) {
    REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
    CHECK(wait32(stream, words.at(0), 1, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
  }
  const TestStream works;
  CUdeviceptr to = words.at(1);
  unsigned value = 9;
  void* parameters[] = {&to, &value};
  const CUhostFn nothing = [](void*) {};
  CHECK(CU(cuLaunchHostFunc)(works, nothing, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuLaunchKernel)(module.function("store"), 1, 1, 1, 1, 1, 1, 0, works, parameters,
                           nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(works) == CUDA_SUCCESS);
  CHECK(words.value(1) == 9);
  CHECK(write32(works, words.at(0), 1) == CUDA_SUCCESS);
  for (CUstream stream : waiting) {
    CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
    CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  }
}

TEST_CASE("a batch is done in its order, and not at all when one of it is wrong") {
  const CurrentContext context;
  const TestStream stream;
  const Words words(4);
  const auto batch = CU(cuStreamBatchMemOp_v2);
  CUstreamBatchMemOpParams barrier{};
  barrier.memoryBarrier.operation = CU_STREAM_MEM_OP_BARRIER;
  CUstreamBatchMemOpParams good[] = {
      operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, words.at(0), 11),
      operation(CU_STREAM_MEM_OP_WAIT_VALUE_32, words.at(0), 11, CU_STREAM_WAIT_VALUE_EQ), barrier,
      operation(CU_STREAM_MEM_OP_WRITE_VALUE_64, words.at(2), 0x200000001)};
  CHECK(batch(stream, 4, good, 0) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(words.value(0) == 11);
  CHECK(words.value(2) == 1);
  CHECK(words.value(3) == 2);
  CUstreamBatchMemOpParams bad[] = {operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, words.at(0), 12),
                                    operation(outside<CUstreamBatchMemOpType>(7), words.at(0), 13)};
  CHECK(batch(stream, 2, bad, 0) == CUDA_ERROR_INVALID_VALUE);
  bad[1] = operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, words.at(0) + 2, 13);
  CHECK(batch(stream, 2, bad, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(batch(stream, 4, good, 1) == CUDA_ERROR_INVALID_VALUE);
  // NVIDIA's driver may read a list that is not there.
  if (is_cpu_driver()) CHECK(batch(stream, 1, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(words.value(0) == 11);
}

TEST_CASE("wrong addresses and flags are refused") {
  const CurrentContext context;
  const TestStream stream;
  const Words words(4);
  CHECK(write32(stream, 0, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(write32(stream, words.at(0) + 2, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(write32(stream, words.at(0), 1, CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER) ==
        CUDA_ERROR_INVALID_VALUE);
  unsigned pageable = 0;
  CHECK(write32(stream, reinterpret_cast<CUdeviceptr>(&pageable), 1) == CUDA_ERROR_INVALID_VALUE);
  CUdeviceptr managed = 0;
  REQUIRE(CU(cuMemAllocManaged)(&managed, 64, CU_MEM_ATTACH_GLOBAL) == CUDA_SUCCESS);
  CHECK(write32(stream, managed, 1) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemFree_v2)(managed) == CUDA_SUCCESS);
  CHECK(CU(cuStreamWriteValue32)(stream, words.at(0), 1, 0) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(CU(cuStreamWriteValue64_v2)(stream, words.at(1), 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(wait32(stream, 0, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(wait32(stream, words.at(0) + 1, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(wait32(stream, words.at(0), 1, 4) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamWaitValue64_v2)(stream, words.at(1), 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
}

TEST_CASE("a node of a graph writes and waits, and is changed within limits") {
  const CurrentContext context;
  const TestStream stream;
  const Words words(4);
  CUgraph graph = nullptr;
  CUgraphNode node = nullptr, none = nullptr;
  REQUIRE(CU(cuGraphCreate)(&graph, 0) == CUDA_SUCCESS);
  CUstreamBatchMemOpParams operations[] = {
      operation(CU_STREAM_MEM_OP_WAIT_VALUE_32, words.at(0), 1, CU_STREAM_WAIT_VALUE_GEQ),
      operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, words.at(1), 21)};
  CUDA_BATCH_MEM_OP_NODE_PARAMS parameters{context.handle(), 2, operations, 0};
  REQUIRE(CU(cuGraphAddBatchMemOpNode)(&node, graph, nullptr, 0, &parameters) == CUDA_SUCCESS);
  CHECK(CU(cuGraphAddBatchMemOpNode)(&none, graph, nullptr, 0, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CUDA_BATCH_MEM_OP_NODE_PARAMS nowhere = parameters;
  nowhere.ctx = nullptr;
  CHECK(CU(cuGraphAddBatchMemOpNode)(&none, graph, nullptr, 0, &nowhere) ==
        CUDA_ERROR_INVALID_VALUE);
  CUgraphNodeType type{};
  CHECK(CU(cuGraphNodeGetType)(node, &type) == CUDA_SUCCESS);
  CHECK(type == CU_GRAPH_NODE_TYPE_BATCH_MEM_OP);
  CUDA_BATCH_MEM_OP_NODE_PARAMS told{};
  CHECK(CU(cuGraphBatchMemOpNodeGetParams)(node, &told) == CUDA_SUCCESS);
  CHECK(told.ctx == context.handle());
  REQUIRE(told.count == 2);
  CHECK(told.paramArray[1].writeValue.value == 21);

  CUgraphExec exec = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  give_time();
  CHECK(CU(cuStreamQuery)(stream) == CUDA_ERROR_NOT_READY);
  const TestStream other;
  CHECK(write32(other, words.at(0), 1) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(words.value(1) == 21);

  operations[1] = operation(CU_STREAM_MEM_OP_WRITE_VALUE_32, words.at(2), 22);
  CHECK(CU(cuGraphExecBatchMemOpNodeSetParams)(exec, node, &parameters) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(words.value(1) == 21);
  CHECK(words.value(2) == 22);
  parameters.count = 1;
  CHECK(CU(cuGraphExecBatchMemOpNodeSetParams)(exec, node, &parameters) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGraphBatchMemOpNodeSetParams)(node, &parameters) == CUDA_SUCCESS);
  CHECK(CU(cuGraphBatchMemOpNodeGetParams)(node, &told) == CUDA_SUCCESS);
  CHECK(told.count == 1);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
}

TEST_CASE("a captured stream's writes and waits become nodes") {
  const CurrentContext context;
  const TestStream stream;
  const Words words(2);
  REQUIRE(CU(cuStreamBeginCapture_v2)(stream, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(write32(stream, words.at(0), 5) == CUDA_SUCCESS);
  CHECK(wait32(stream, words.at(0), 5, CU_STREAM_WAIT_VALUE_EQ) == CUDA_SUCCESS);
  CUgraph graph = nullptr;
  REQUIRE(CU(cuStreamEndCapture)(stream, &graph) == CUDA_SUCCESS);
  CHECK(words.value(0) == 0);
  std::size_t count = 0;
  CHECK(CU(cuGraphGetNodes)(graph, nullptr, &count) == CUDA_SUCCESS);
  CHECK(count == 2);
  CUgraphExec exec = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&exec, graph, 0) == CUDA_SUCCESS);
  CHECK(CU(cuGraphLaunch)(exec, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(words.value(0) == 5);
  CHECK(CU(cuGraphExecDestroy)(exec) == CUDA_SUCCESS);
  CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
}
