// SPDX-License-Identifier: MIT
// What the last thread of a program does not wait for, and what it does.
#include "cpu/exec/last_thread.h"

#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "cpu/exec/memory_wait.h"
#include "cpu/exec/shared_mappings.h"
#include "cpu/exec/stream.h"
#include "unit/cpu/exec/faults_of_kernels.h"
#include "unit/cpu/exec/test_kernels.h"

namespace pycuda::cpu::exec {
namespace {

using namespace tests;
using Word = std::atomic<std::uint32_t>;

/// Long enough for a wait that is given up to be given up before.
constexpr auto a_while = std::chrono::milliseconds(30);

MemoryCondition becomes_one(const Word& word) {
  return {reinterpret_cast<std::uintptr_t>(&word), 1, 4, MemoryCondition::Comparison::Equal};
}

void write_one(Word& word) { write_word(reinterpret_cast<std::uintptr_t>(&word), 1, 4); }

void wait_as_last_thread(Stream& stream) {
  set_last_thread(true);
  stream.synchronize();
  set_last_thread(false);
}

/// A word in a page that other processes may share.
class SharedWord {
 public:
  SharedWord()
      : page_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    REQUIRE(page_ != MAP_FAILED);
  }
  SharedWord(const SharedWord&) = delete;
  SharedWord& operator=(const SharedWord&) = delete;
  ~SharedWord() { munmap(page_, bytes); }
  Word& word() { return *static_cast<Word*>(page_); }

 private:
  static constexpr std::size_t bytes = 4096;
  void* const page_;
};

}  // namespace

TEST_CASE("the last thread gives up values that nothing is left to write") {
  Faults faults;
  Word word{0}, other{0};
  std::atomic<bool> went_on{false};
  Stream stream(0, faults), beside(0, faults);
  // Two that wait for each other are waited for by nobody else.
  stream.wait(becomes_one(word));
  stream.enqueue([&] {
    went_on = true;
    write_one(other);
  });
  beside.wait(becomes_one(other));
  beside.enqueue([&] { write_one(word); });
  wait_as_last_thread(stream);
  beside.synchronize();
  CHECK_FALSE(went_on);
  REQUIRE(!faults.all().empty());
  CHECK(faults.all().front().kind == FaultKind::Timeout);
  CHECK(contains(faults.all().front().message, "was given up when the program ended"));
}

TEST_CASE("the last thread waits for values that queued work writes, wherever it runs") {
  constexpr int hops = 200;
  Faults faults;
  Word word{0};
  std::atomic<bool> go{false};
  Stream stream(0, faults), writes(0, faults);
  stream.wait(becomes_one(word));
  writes.enqueue_callback([&] {
    while (!go) std::this_thread::yield();
    std::this_thread::sleep_for(a_while);
  });
  for (int i = 0; i < hops; ++i) {
    writes.enqueue([] {});
    writes.enqueue_callback([] {});
  }
  writes.enqueue([&] { write_one(word); });
  go = true;
  wait_as_last_thread(stream);
  CHECK(faults.all().empty());
}

TEST_CASE("a thread that is not the last waits for what others write") {
  Faults faults;
  Word word{0};
  Stream stream(0, faults);
  stream.wait(becomes_one(word));
  set_last_thread(true);
  std::thread waits([&] { stream.synchronize(); });
  std::this_thread::sleep_for(a_while);
  write_one(word);
  waits.join();
  set_last_thread(false);
  CHECK(faults.all().empty());
}

TEST_CASE("the last thread may still write a value itself, as long as it does not wait") {
  Faults faults;
  Word word{0};
  Stream stream(0, faults);
  stream.wait(becomes_one(word));
  set_last_thread(true);
  std::this_thread::sleep_for(a_while);
  write_one(word);
  set_last_thread(false);
  stream.synchronize();
  CHECK(faults.all().empty());
}

TEST_CASE(
    "the last thread waits for values that another process may write, and what they let run") {
  Faults faults;
  SharedWord shared;
  Word own{0};
  Stream first(0, faults), second(0, faults);
  first.wait(becomes_one(shared.word()));
  first.enqueue([&] { write_one(own); });
  second.wait(becomes_one(own));
  const pid_t process = fork();
  if (process == 0) {
    usleep(std::chrono::microseconds(a_while).count());
    shared.word().store(1);
    _exit(0);
  }
  REQUIRE(process > 0);
  wait_as_last_thread(second);
  waitpid(process, nullptr, 0);
  CHECK(faults.all().empty());
}

TEST_CASE("memory that other processes may have mapped is known") {
  SharedWord shared;
  Word own{0};
  const auto place = [](const Word& word) { return reinterpret_cast<std::uintptr_t>(&word); };
  CHECK(may_be_shared({place(shared.word())}));
  CHECK(may_be_shared({place(own), place(shared.word())}));
  CHECK_FALSE(may_be_shared({place(own)}));
  CHECK_FALSE(may_be_shared({}));
}

}  // namespace pycuda::cpu::exec
