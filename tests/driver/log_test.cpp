// SPDX-License-Identifier: MIT
// The log of calls that failed: callbacks, dumps, iterators.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "driver/driver.h"

using namespace driver_test;

namespace {

constexpr std::size_t largest_log = 25600;

bool has_logs() { return has_symbol("cuLogsCurrent"); }

CUlogIterator now() {
  CUlogIterator end = 0;
  REQUIRE(CU(cuLogsCurrent)(&end, 0) == CUDA_SUCCESS);
  return end;
}

std::string dump(CUlogIterator* iterator, std::size_t room = largest_log) {
  std::string text(room, '\0');
  REQUIRE(CU(cuLogsDumpToMemory)(iterator, text.data(), &room, 0) == CUDA_SUCCESS);
  REQUIRE(text[room] == '\0');
  text.resize(room);
  return text;
}

void fail_once() {
  CUdevice device = 0;
  REQUIRE(CU(cuDeviceGet)(&device, -1) == CUDA_ERROR_INVALID_DEVICE);
}

struct Heard {
  std::vector<std::string> messages;
  std::vector<CUlogLevel> levels;
};

void CUDA_CB hear(void* data, CUlogLevel level, char* message, std::size_t length) {
  auto& heard = *static_cast<Heard*>(data);
  heard.levels.push_back(level);
  heard.messages.emplace_back(message, length);
}

bool mentions(const Heard& heard, const char* text) {
  for (const std::string& message : heard.messages) {
    if (message.find(text) != std::string::npos) return true;
  }
  return false;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("a failed call leaves a message that names it") {
  if (!has_logs()) return;
  initialise();
  CUlogIterator next = now();
  CHECK(dump(&next).empty());
  fail_once();
  const std::string text = dump(&next);
  CHECK(text.find("cuDeviceGet") != std::string::npos);
  CHECK(text.back() == '\n');
  CHECK(dump(&next).empty());
  CHECK(dump(nullptr).find("cuDeviceGet") != std::string::npos);
}

TEST_CASE("what succeeds, or is not ready yet, leaves none") {
  if (!has_logs()) return;
  const CurrentContext context;
  CUlogIterator next = now();
  const DeviceBlock block(16);
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  CHECK(dump(&next).empty());
}

TEST_CASE("callbacks get the messages until they are unregistered") {
  if (!has_logs()) return;
  initialise();
  Heard first, second;
  CUlogsCallbackHandle one = nullptr, two = nullptr;
  REQUIRE(CU(cuLogsRegisterCallback)(&hear, &first, &one) == CUDA_SUCCESS);
  REQUIRE(CU(cuLogsRegisterCallback)(&hear, &second, &two) == CUDA_SUCCESS);
  fail_once();
  CHECK(mentions(first, "cuDeviceGet"));
  CHECK(first.messages == second.messages);
  CHECK(first.levels.at(0) == CU_LOG_LEVEL_ERROR);
  REQUIRE(CU(cuLogsUnregisterCallback)(one) == CUDA_SUCCESS);
  const std::size_t heard = first.messages.size();
  fail_once();
  CHECK(first.messages.size() == heard);
  CHECK(second.messages.size() == 2 * heard);
  REQUIRE(CU(cuLogsUnregisterCallback)(two) == CUDA_SUCCESS);
}

TEST_CASE("a handle of a callback is unregistered once") {
  if (!has_logs() || !is_cpu_driver()) return;
  Heard heard;
  CUlogsCallbackHandle handle = nullptr;
  REQUIRE(CU(cuLogsRegisterCallback)(&hear, &heard, &handle) == CUDA_SUCCESS);
  CHECK(CU(cuLogsUnregisterCallback)(handle) == CUDA_SUCCESS);
  CHECK(CU(cuLogsUnregisterCallback)(handle) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLogsUnregisterCallback)(nullptr) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("a thread hears of its own failures, before the call returns") {
  if (!has_logs() || !is_cpu_driver()) return;
  initialise();
  struct Shared {
    std::atomic<int> others{0};
  } shared;
  static thread_local int own = 0;
  CUlogsCallbackHandle handle = nullptr;
  const auto count = [](void* data, CUlogLevel, char* message, std::size_t length) {
    if (std::string_view(message, length).find("cuDeviceGet") == std::string_view::npos)
      ++static_cast<Shared*>(data)->others;
    ++own;
  };
  REQUIRE(CU(cuLogsRegisterCallback)(count, &shared, &handle) == CUDA_SUCCESS);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int turn = 1; turn <= 200; ++turn) {
        CUdevice device = 0;
        CU(cuDeviceGet)(&device, -1);
        if (own != turn) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(shared.others == 0);
  CHECK(CU(cuLogsUnregisterCallback)(handle) == CUDA_SUCCESS);
}

TEST_CASE("a callback may fail, end itself, and read the log") {
  if (!has_logs() || !is_cpu_driver()) return;
  initialise();
  struct Once {
    CUlogsCallbackHandle handle = nullptr;
    int calls = 0;
    std::string text;
  } once;
  const auto end_itself = [](void* data, CUlogLevel, char*, std::size_t) {
    auto& self = *static_cast<Once*>(data);
    ++self.calls;
    fail_once();
    self.text = dump(nullptr);
    CHECK(CU(cuLogsUnregisterCallback)(self.handle) == CUDA_SUCCESS);
  };
  REQUIRE(CU(cuLogsRegisterCallback)(end_itself, &once, &once.handle) == CUDA_SUCCESS);
  fail_once();
  fail_once();
  CHECK(once.calls == 1);
  CHECK(once.text.find("cuDeviceGet") != std::string::npos);
}

TEST_CASE("the oldest messages make room, and a line tells of it") {
  if (!has_logs() || !is_cpu_driver()) return;
  initialise();
  CUlogIterator next = now();
  for (int i = 0; i < 150; ++i) fail_once();
  const std::string text = dump(&next);
  CHECK(lines(text) == 101);
  CHECK(text.starts_with("[earlier messages were dropped]\n"));
  CHECK(dump(&next).empty());
}

TEST_CASE("a buffer that is too small gets the latest messages") {
  if (!has_logs() || !is_cpu_driver()) return;
  initialise();
  CUlogIterator next = now();
  for (int i = 0; i < 5; ++i) fail_once();
  CUlogIterator again = next;
  const std::string all = dump(&again);
  const std::size_t line = all.size() / 5;
  again = next;
  const std::string some = dump(&again, 3 * line + 1);
  CHECK(some.starts_with("[earlier"));
  CHECK(some.substr(some.find('\n') + 1) == all.substr(all.size() - 2 * line));
  again = next;
  std::string none(8, 'x');
  std::size_t room = none.size();
  CHECK(CU(cuLogsDumpToMemory)(&again, none.data(), &room, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(room == 0);
  CHECK(again == next);
}

TEST_CASE("a file gets the same messages") {
  if (!has_logs()) return;
  initialise();
  CUlogIterator next = now();
  fail_once();
  CUlogIterator again = next;
  const std::string expected = dump(&next);
  const std::string path = "/tmp/driver_log_" + std::to_string(getpid());
  REQUIRE(CU(cuLogsDumpToFile)(&again, path.c_str(), 0) == CUDA_SUCCESS);
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::remove(path.c_str());
  CHECK(text == expected);
  CHECK(again == next);
}

TEST_CASE("wrong arguments of the log's functions") {
  if (!has_logs()) return;
  initialise();
  CUlogIterator next = now();
  std::string text(largest_log, '\0');
  std::size_t room = text.size();
  CHECK(CU(cuLogsRegisterCallback)(nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLogsCurrent)(nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLogsCurrent)(&next, 1) == CUDA_SUCCESS);
  CHECK(CU(cuLogsDumpToMemory)(&next, nullptr, &room, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLogsDumpToMemory)(&next, text.data(), nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLogsDumpToFile)(&next, nullptr, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLogsDumpToFile)(&next, "/nowhere/at/all", 0) == CUDA_ERROR_INVALID_VALUE);
  if (!is_cpu_driver()) return;
  CUlogIterator future = now() + 1000000;
  room = text.size();
  CHECK(CU(cuLogsDumpToMemory)(&future, text.data(), &room, 0) == CUDA_ERROR_INVALID_VALUE);
}
