// SPDX-License-Identifier: MIT
// Memory and events that processes share: what another process sees is looked at in forks that use
// nothing but these classes.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>

#include "cpu/exec/device_memory.h"
#include "cpu/exec/event_marker.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/process_life.h"
#include "cpu/exec/shared_records.h"
#include "sanitizers.h"

namespace pycuda::cpu::exec {
namespace {

using Reason = PagesFailure::Reason;

/// The exit status of a process that runs `body`.
int in_other_process(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) _exit(body());
  int status = -1;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

char* allocate(DeviceMemory& memory, std::uint64_t bytes) {
  return static_cast<char*>(memory.allocate(bytes, MemoryKind::Device, nullptr));
}

}  // namespace

TEST_CASE("a shared block keeps address and contents, and its name is open to other processes") {
  DeviceMemory memory(0, 64 << 20);
  for (const std::uint64_t bytes : {100ul, 5000ul, 300000ul, 5ul << 20}) {
    CAPTURE(bytes);
    char* const block = allocate(memory, bytes);
    std::memset(block, 7, bytes);
    const auto name = memory.share(block);
    REQUIRE(name.ok());
    CHECK(block[0] == 7);
    CHECK(block[bytes - 1] == 7);
    CHECK(*memory.share(block) == *name);
    CHECK(memory.open(*name, nullptr).error().reason == Reason::Own);
    CHECK(in_other_process([&] {
            DeviceMemory others(0, 1 << 20);
            const auto opened = others.open(*name, nullptr);
            if (!opened) return 1;
            auto* const seen = static_cast<char*>(*opened);
            if (seen[0] != 7 || seen[bytes - 1] != 7) return 2;
            seen[0] = 8;
            return others.release(seen) && others.free_bytes() == 1 << 20 ? 0 : 3;
          }) == 0);
    CHECK(block[0] == 8);
    CHECK(memory.release(block));
  }
}

TEST_CASE("memory in the place of a freed block is not the other process's") {
  DeviceMemory memory(0, 64 << 20), others(1, 64 << 20);
  char* const block = allocate(memory, 5000);
  const auto name = memory.share(block);
  REQUIRE(name.ok());
  std::strcpy(block, "old");
  int ready[2], freed[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(freed) == 0);
  char byte = 0;
  const pid_t child = fork();
  if (child == 0) {
    const auto opened = others.open(*name, nullptr);
    if (write(ready[1], &byte, 1) != 1 || read(freed[0], &byte, 1) != 1 || !opened) _exit(1);
    auto* const seen = static_cast<char*>(*opened);
    const bool kept = std::strcmp(seen, "old") == 0;
    std::memset(seen, 9, 5000);
    _exit(kept && others.open(*name, nullptr).error().reason == Reason::Gone ? 0 : 2);
  }
  CHECK(read(ready[0], &byte, 1) == 1);
  CHECK(memory.release(block));
  char* const next = allocate(memory, 5000);
  CHECK(next == block);  // or this test says nothing
  CHECK(next[0] == 0);
  CHECK(write(freed[1], &byte, 1) == 1);
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(next[0] == 0);
  CHECK(next[4999] == 0);
  for (const int end : {ready[0], ready[1], freed[0], freed[1]}) close(end);
}

TEST_CASE("a block can be written to while it is made one that can be shared") {
  install_fault_signals();
  DeviceMemory memory(0, 64 << 20);
  constexpr std::uint64_t words = 100000;
  for (int round = 0; round < 20; ++round) {
    auto* const block = reinterpret_cast<std::atomic<unsigned>*>(allocate(memory, 4 * words));
    std::atomic<bool> started{false}, over{false};
    unsigned written = 0;
    std::thread writer([&] {
      while (!over) {
        ++written;
        for (std::uint64_t i = 0; i < words; i += 1000)
          block[i].fetch_add(1, std::memory_order_relaxed);
        started = true;
      }
    });
    while (!started) std::this_thread::yield();
    CHECK(memory.share(block).ok());
    over = true;
    writer.join();
    bool all = true;
    for (std::uint64_t i = 0; i < words; i += 1000) all = all && block[i].load() == written;
    CHECK(all);
    memory.release(block);
  }
}

TEST_CASE("small blocks that share pages with others have no name") {
  DeviceMemory memory(0, 1 << 30);
  for (int i = 0; i < 16384; ++i) REQUIRE(allocate(memory, 1) != nullptr);
  char* const cell = allocate(memory, 100);
  CHECK_FALSE(memory.can_share(cell));
  CHECK(memory.share(cell).error().reason == Reason::NotPermitted);
  char* const large = allocate(memory, 1 << 20);
  CHECK(memory.can_share(large));
  CHECK(memory.share(large).ok());
}

TEST_CASE("a name with a byte changed is refused") {
  DeviceMemory memory(0, 1 << 20);
  const auto name = memory.share(allocate(memory, 1000));
  REQUIRE(name.ok());
  CHECK(in_other_process([&] {
          for (std::size_t i = 0; i < sizeof *name; ++i) {
            auto bytes = std::bit_cast<std::array<unsigned char, sizeof(PagesName)>>(*name);
            bytes[i] ^= 1;
            if (SharedPages::open(std::bit_cast<PagesName>(bytes), memory_pages)) return 1;
          }
          return SharedPages::open(*name, memory_pages) ? 0 : 2;
        }) == 0);
}

TEST_CASE(
    "a process has ended when its number is another's, or when nobody has waited for it yet") {
  CHECK_FALSE(has_ended(this_process()));
  ProcessId earlier = this_process();
  earlier.started -= 1;
  CHECK(has_ended(earlier));
  int alive[2];
  REQUIRE(pipe(alive) == 0);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  close(alive[1]);
  char byte = 0;
  CHECK(read(alive[0], &byte, 1) == 0);  // its end closes the pipe
  while (!has_ended({child, 0})) usleep(1000);
  waitpid(child, nullptr, 0);
  CHECK(has_ended({child, 0}));
  close(alive[0]);
}

TEST_CASE("records of an event are reached in any order, and the latest is the one recorded last") {
  const auto records = SharedRecords::make();
  REQUIRE(records.ok());
  SharedRecords& shared = **records;
  CHECK(shared.latest() == 0);
  const std::uint64_t first = shared.begin(), second = shared.begin();
  shared.publish(second);
  shared.publish(first);
  CHECK(shared.latest() == second);
  const auto one = shared.await(first), two = shared.await(second);
  shared.finish(second, false);
  two->wait();
  CHECK(two->failure().empty());
  shared.look_at(*one);
  CHECK_FALSE(one->reached());
  shared.finish(first, true);
  one->wait();
  CHECK_FALSE(one->failure().empty());
}

TEST_CASE("a record waits for room when very many are pending") {
  const auto records = SharedRecords::make();
  REQUIRE(records.ok());
  SharedRecords& shared = **records;
  std::uint64_t last = 0;
  for (int i = 0; i < 2048; ++i) last = shared.begin();
  std::atomic<bool> begun{false};
  std::thread another([&] {
    CHECK(shared.begin() == last + 1);
    begun = true;
  });
  usleep(120'000);
  CHECK_FALSE(begun);
  shared.finish(1, false);
  another.join();
  CHECK(shared.await(1)->reached());
}

TEST_CASE("a record fails when the process ends that was to reach it") {
  const auto records = SharedRecords::make();
  REQUIRE(records.ok());
  SharedRecords& shared = **records;
  const PagesName name = *shared.name();
  CHECK(in_other_process([&] {
          const auto theirs = SharedRecords::open(name);
          if (!theirs) return 1;
          (*theirs)->publish((*theirs)->begin());
          return 0;
        }) == 0);
  const auto marker = shared.await(shared.latest());
  marker->wait();
  CHECK(marker->failure().find("has ended before") != std::string::npos);
}

}  // namespace pycuda::cpu::exec
