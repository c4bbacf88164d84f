// SPDX-License-Identifier: MIT
// What kernels call: printf, malloc, checked accesses, clocks, the table of symbols.
#include "cpu/kernel_abi/runtime_calls.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <set>
#include <string>

#include "cpu/exec/device.h"
#include "cpu/exec/device_heap.h"
#include "cpu/exec/frame_stack.h"
#include "cpu/exec/printf_buffer.h"
#include "cpu/exec/printf_fifo.h"
#include "unit/cpu/exec/hand_made_threads.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;

template <class... Values>
std::string formatted(const char* format, Values... values) {
  const std::string packed = pack(values...);
  alignas(16) char arguments[256] = {};
  std::memcpy(arguments, packed.data(), packed.size());
  std::string out;
  ProgramAccesses all;
  CHECK(format_printf(out, format, arguments, all) == static_cast<int>(sizeof...(values)));
  return out;
}

/// Checks one access from a plain kernel in the caller.
std::vector<Fault> check(std::uintptr_t address, std::uint32_t bytes) {
  constexpr auto body = [](BlockFrame& block, ThreadFrame& thread) {
    pycuda_cpu_check_access(&thread, parameter<std::uint64_t>(block),
                            parameter<std::uint32_t>(block, 8), 1, no_check_site);
  };
  const Kernel kernel = plain_kernel<body>("checked");
  Faults faults;
  Stream stream(0, faults);
  stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(std::uint64_t{address}, bytes)));
  stream.synchronize();
  return faults.all();
}

}  // namespace

TEST_CASE("printf formats packed arguments as C does") {
  CHECK(formatted("plain %% text\n") == "plain % text\n");
  CHECK(formatted("%d %i %u", -5, 7, 4000000000u) == "-5 7 4000000000");
  CHECK(formatted("%x %X %o %#x", 255, 255, 8, 255) == "ff FF 10 0xff");
  CHECK(formatted("%c%c", int{'o'}, int{'k'}) == "ok");
  CHECK(formatted("%s and %s", "one", static_cast<const char*>(nullptr)) == "one and (null)");
  CHECK(formatted("%f %.2f %e %g %a", 1.5, 2.345, 1e10, 0.25, 1.0) ==
        "1.500000 2.35 1.000000e+10 0.25 0x1p+0");
  CHECK(formatted("%d %lld %d", 1, std::int64_t{-1} << 40, 2) == "1 -1099511627776 2");
  CHECK(formatted("%d %f %d", 1, 0.5, 2) == "1 0.500000 2");
  CHECK(formatted("%ld %lu %zu", std::int64_t{-1}, ~std::uint64_t{0}, std::uint64_t{9}) ==
        "-1 18446744073709551615 9");
  CHECK(formatted("%hd %hhu", 65535, 257) == "-1 1");
  CHECK(formatted("[%5d|%-5d|%05d|%+d|% d]", 42, 42, 42, 42, 42) == "[   42|42   |00042|+42| 42]");
  CHECK(formatted("[%*d|%-*d|%.*f]", 5, 42, 5, 42, 1, 2.25) == "[   42|42   |2.2]");
  CHECK(formatted("[%*d]", -4, 7) == "[7   ]");
  CHECK(formatted("[%10.3s]", "abcdef") == "[       abc]");
  CHECK(formatted("%p", reinterpret_cast<void*>(0x1234)) == "0x1234");
  CHECK(formatted("%y %") == "%y %");
  std::string out;
  ProgramAccesses all;
  CHECK(format_printf(out, nullptr, nullptr, all) == -1);
}

TEST_CASE("printf of a kernel reaches standard output by the next synchronisation, line by line") {
  std::FILE* const file = std::tmpfile();
  std::fflush(stdout);
  const int before = dup(1);
  dup2(fileno(file), 1);
  constexpr auto body = [](HandThread& t) {
    const std::int32_t arguments[2] = {static_cast<int>(t.block_x()), static_cast<int>(t.linear())};
    pycuda_cpu_vprintf(t.thread, "block %d thread %d\n", arguments);
    t.exit();
  };
  {
    Faults faults;
    Stream stream(0, faults);
    const Kernel kernel = suspending_kernel<body>("printer");
    stream.launch(request(kernel, {8, 1, 1}, {32, 1, 1}));
    stream.synchronize();
  }
  dup2(before, 1);
  close(before);
  std::rewind(file);
  std::set<std::string> lines;
  char line[100];
  while (std::fgets(line, sizeof line, file) != nullptr) lines.insert(line);
  std::fclose(file);
  CHECK(lines.size() == 256);
  CHECK(lines.count("block 7 thread 31\n") == 1);
}

TEST_CASE("printf of a bad string pointer is a fault, and printf works afterwards") {
  constexpr auto body = [](BlockFrame&, ThreadFrame& thread) {
    const std::uint64_t bad = 8;
    pycuda_cpu_vprintf(&thread, "%s", &bad);
  };
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = plain_kernel<body>("printer");
  stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}));
  stream.synchronize();
  CHECK(faults.only().kind == FaultKind::IllegalAddress);
  CHECK(formatted("%d", 3) == "3");
}

TEST_CASE("the device heap has a limit per owner and gives everything back") {
  DeviceHeap& heap = DeviceHeap::instance();
  int first = 0, second = 0;
  CHECK(heap.limit(&first) == DeviceHeap::default_limit_bytes);
  heap.set_limit(&first, 1000);
  void* const block = heap.allocate(&first, 600);
  REQUIRE(block != nullptr);
  CHECK(reinterpret_cast<std::uintptr_t>(block) % 16 == 0);
  CHECK(AddressTable::instance().find(reinterpret_cast<std::uintptr_t>(block) + 599).has_value());
  CHECK(heap.allocate(&first, 600) == nullptr);
  heap.set_limit(&first, 500);
  CHECK(heap.allocate(&first, 100) == nullptr);
  heap.set_limit(&first, 1000);
  void* const other = heap.allocate(&second, 600);
  CHECK(other != nullptr);
  CHECK(heap.release(block));
  CHECK_FALSE(heap.release(block));
  CHECK(heap.release(nullptr));
  void* const again = heap.allocate(&first, 1000);
  CHECK(again != nullptr);
  heap.release_all(&first);
  CHECK_FALSE(heap.release(again));
  heap.release_all(&second);
  CHECK(heap.allocate(&first, 0) == nullptr);
}

TEST_CASE("device malloc serves many threads at once; a wrong free is a fault") {
  constexpr auto body = [](HandThread& t) {
    auto* const memory = static_cast<int*>(pycuda_cpu_malloc(t.thread, 64));
    if (memory == nullptr) return t.exit();
    memory[15] = 1;
    t.parameter<std::atomic<int>*>()->fetch_add(1);
    pycuda_cpu_free(t.thread, memory);
    t.exit();
  };
  std::atomic<int> count{0};
  Faults faults;
  Stream stream(0, faults);
  const Kernel kernel = suspending_kernel<body>("heap");
  stream.launch(request(kernel, {64, 1, 1}, {32, 1, 1}, pack(&count)));
  stream.synchronize();
  CHECK(count == 64 * 32);
  constexpr auto wrong = [](BlockFrame&, ThreadFrame& thread) {
    pycuda_cpu_free(&thread, &thread);
  };
  const Kernel bad = plain_kernel<wrong>("wrong");
  stream.launch(request(bad, {1, 1, 1}, {1, 1, 1}));
  stream.synchronize();
  CHECK(faults.only().kind == FaultKind::IllegalAddress);
  CHECK(faults.only().message.find("device malloc did not give") != std::string::npos);
}

TEST_CASE("the checked mode finds an access one byte out of its block") {
  DeviceMemory memory(0, std::uint64_t{1} << 26);
  const auto begin =
      reinterpret_cast<std::uintptr_t>(memory.allocate(1000, MemoryKind::Device, nullptr));
  CHECK(check(begin, 16).empty());
  CHECK(check(begin + 996, 4).empty());
  for (const auto& faults : {check(begin + 1000, 4), check(begin + 1000, 1), check(begin - 4, 4)}) {
    REQUIRE(faults.size() == 1);
    CHECK(faults[0].kind == FaultKind::IllegalAddress);
    CHECK(faults[0].message.find("1000-byte block") != std::string::npos);
  }
  const auto straddling = check(begin + 992, 16);
  REQUIRE(straddling.size() == 1);
  const auto misaligned = check(begin + 2, 4);
  REQUIRE(misaligned.size() == 1);
  CHECK(misaligned[0].kind == FaultKind::MisalignedAddress);
  CHECK(check(begin + 996, 4).empty());
  memory.release(reinterpret_cast<void*>(begin));
  CHECK(check(begin + 996, 4).size() == 1);
}

TEST_CASE("the checked mode refuses ordinary host memory, also of the caller's stack") {
  int on_stack = 0;
  CHECK(check(reinterpret_cast<std::uintptr_t>(&on_stack), 4).size() == 1);
  const auto on_heap = std::make_unique<int>(0);
  CHECK(check(reinterpret_cast<std::uintptr_t>(on_heap.get()), 4).size() == 1);
}

TEST_CASE("the checked mode allows what is the block's or the thread's own") {
  constexpr auto body = [](HandThread& t) {
    const auto access = [&](const void* memory, std::uint32_t bytes) {
      pycuda_cpu_check_access(t.thread, reinterpret_cast<std::uint64_t>(memory), bytes, 0,
                              no_check_site);
    };
    const BlockFrame& block = *t.thread->block;
    access(own_shared(block), 4);
    access(own_shared(block) + 124, 4);
    access(block.launch->params, 8);
    int local = 0;
    void* const frame = pycuda_cpu_frame_push(t.thread, 100);
    void* const variable = pycuda_cpu_variable_push(t.thread, 10, 256, 0);
    CHECK(reinterpret_cast<std::uintptr_t>(variable) % 256 == 0);
    access(variable, 8);
    access(static_cast<std::byte*>(variable) + 8, 2);
    access(static_cast<std::byte*>(variable) + 9, 1);
    CHECK(pycuda_cpu_is_local(t.thread, reinterpret_cast<std::uint64_t>(frame)) == 1);
    CHECK(pycuda_cpu_is_local(t.thread, reinterpret_cast<std::uint64_t>(&local)) == 1);
    CHECK(pycuda_cpu_is_local(t.thread, reinterpret_cast<std::uint64_t>(block.shared)) == 0);
    pycuda_cpu_frame_pop(t.thread, frame);
    t.parameter<std::atomic<int>*>()->fetch_add(1);
    access(own_shared(block) + 128, 4);
    t.exit();
  };
  Kernel kernel = suspending_kernel<body>("own");
  kernel.facts.static_shared_bytes = 128;
  Faults faults;
  Stream stream(0, faults);
  std::atomic<int> passed{0};
  stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&passed)));
  stream.synchronize();
  CHECK(passed == 1);
  CHECK(faults.only().message.find("0 bytes past the end of the block's 128 bytes of shared") !=
        std::string::npos);
}

TEST_CASE("the checked mode refuses what lies one byte beyond a variable of the thread") {
  constexpr auto body = [](HandThread& t) {
    void* const variable = pycuda_cpu_variable_push(t.thread, 10, 1, 0);
    const bool pop = t.parameter<std::uint64_t>() != 0;
    if (pop) pycuda_cpu_frame_pop(t.thread, variable);
    pycuda_cpu_check_access(t.thread, reinterpret_cast<std::uint64_t>(variable) + (pop ? 0 : 10), 1,
                            1, no_check_site);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("beyond");
  for (const std::uint64_t pop : {0, 1}) {
    Faults faults;
    Stream stream(0, faults);
    stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(pop)));
    stream.synchronize();
    CHECK(faults.only().kind == FaultKind::IllegalAddress);
  }
}

TEST_CASE("variables that count use up the stack until they are popped") {
  constexpr auto body = [](HandThread& t) {
    t.thread->stack_used = 24;
    void* const first = pycuda_cpu_variable_push(t.thread, 900, 1, 1);
    pycuda_cpu_variable_push(t.thread, 100, 1, 1);
    pycuda_cpu_frame_pop(t.thread, first);
    pycuda_cpu_variable_push(t.thread, 1000, 1, 1);
    t.parameter<std::atomic<int>*>()->fetch_add(1);
    pycuda_cpu_variable_push(t.thread, 1, 1, 1);
    t.exit();
  };
  const Kernel kernel = suspending_kernel<body>("stack");
  Faults faults;
  Stream stream(0, faults);
  std::atomic<int> passed{0};
  stream.launch(request(kernel, {1, 1, 1}, {1, 1, 1}, pack(&passed)));
  stream.synchronize();
  CHECK(passed == 1);
  CHECK(faults.only().kind == FaultKind::StackOverflow);
}

TEST_CASE("the buffer of printf shows the newest output, whole and in order") {
  std::FILE* const file = std::tmpfile();
  std::fflush(stdout);
  const int before = dup(1);
  dup2(fileno(file), 1);
  PrintfFifo fifo;
  fifo.resize(20);
  CHECK(fifo.empty());
  for (const char* text : {"first\n", "second\n", "third\n", "", "fourth\n"}) fifo.write(text);
  fifo.write("longer than all that the buffer holds\n");
  CHECK_FALSE(fifo.empty());
  fifo.flush();
  CHECK(fifo.empty());
  fifo.write("again\n");
  fifo.resize(0);
  fifo.write("nothing fits\n");
  fifo.flush();
  dup2(before, 1);
  close(before);
  std::rewind(file);
  char text[100] = {};
  const std::size_t length = std::fread(text, 1, sizeof text - 1, file);
  std::fclose(file);
  CHECK(std::string(text, length) == "second\nthird\nfourth\nagain\n");
}

TEST_CASE("frames are last in, first out, over any number of chunks") {
  FrameStack stack;
  std::vector<std::byte*> frames;
  for (int i = 0; i < 500; ++i) {
    frames.push_back(stack.push(64 + i));
    REQUIRE(frames.back() != nullptr);
    std::memset(frames.back(), i, 64 + i);
    CHECK(reinterpret_cast<std::uintptr_t>(frames.back()) % 64 == 0);
  }
  CHECK(stack.holds(reinterpret_cast<std::uintptr_t>(frames[250]), 64));
  // A mark: everything pushed after it goes with it.
  stack.pop(frames[100]);
  CHECK_FALSE(stack.holds(reinterpret_cast<std::uintptr_t>(frames[100]), 64));
  CHECK(frames[99][162] == std::byte{99});
  CHECK(stack.push(10) == frames[100]);
  stack.pop(frames[0]);
  CHECK(stack.push(10) == frames[0]);
  CHECK(stack.push(FrameStack::default_most_bytes) == nullptr);
}

TEST_CASE("clocks run forward") {
  const auto clock = pycuda_cpu_clock();
  const auto timer = pycuda_cpu_globaltimer();
  CHECK(pycuda_cpu_clock() >= clock);
  CHECK(pycuda_cpu_globaltimer() >= timer);
}

TEST_CASE("every run-time symbol has a name of its own and an address") {
  std::set<std::string> names;
  for (const RuntimeSymbol& symbol : runtime_symbols()) {
    CHECK(symbol.address != nullptr);
    CHECK_MESSAGE(names.insert(symbol.name).second, symbol.name);
  }
  CHECK(names.count("pycuda_cpu_vprintf") == 1);
  CHECK(names.count("memcpy") == 1);
}

}  // namespace pycuda::cpu::exec
