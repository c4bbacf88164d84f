// SPDX-License-Identifier: MIT
#include "cudart/calls_in_flight.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace pycuda::cudart {
namespace {

/// One for each thread that ever called, in a list that only grows: a new thread takes over the
/// record of one that has ended.
struct Record {
  std::atomic<unsigned> calls{0};  // nested ones count
  std::atomic<bool> taken{true};
  Record* next = nullptr;
};

std::atomic<Record*> records{nullptr};
std::atomic<bool> resetting{false};

/// A pointer, and not the record: destructors of a program's objects call after those of the
/// thread's.
thread_local Record* own = nullptr;
thread_local bool resets = false;

struct ThreadEnd {
  ~ThreadEnd() {
    if (own != nullptr) own->taken.store(false, std::memory_order_release);
    own = nullptr;
  }
};

Record* take_record() {
  for (Record* record = records.load(std::memory_order_acquire); record != nullptr;
       record = record->next) {
    bool taken = false;
    if (record->taken.compare_exchange_strong(taken, true)) return record;
  }
  auto* const record = new Record;
  record->next = records.load(std::memory_order_relaxed);
  while (!records.compare_exchange_weak(record->next, record)) {
  }
  return record;
}

Record& own_record() {
  if (own == nullptr) {
    own = take_record();
    thread_local const ThreadEnd end;
    (void)&end;
  }
  return *own;
}

}  // namespace

CallInFlight::CallInFlight() {
  Record& record = own_record();
  const unsigned calls = record.calls.load(std::memory_order_relaxed);
  if (calls != 0 || resets) {
    record.calls.store(calls + 1, std::memory_order_relaxed);
    return;
  }
  // Either this thread sees the reset, or the reset sees this call.
  for (;;) {
    record.calls.store(1, std::memory_order_seq_cst);
    if (!resetting.load(std::memory_order_seq_cst)) return;
    record.calls.store(0, std::memory_order_release);
    resetting.wait(true, std::memory_order_acquire);
  }
}

CallInFlight::~CallInFlight() {
  const unsigned calls = own->calls.load(std::memory_order_relaxed);
  own->calls.store(calls - 1, std::memory_order_release);
}

OnlyCall::OnlyCall() {
  static auto* one_reset = new std::mutex;
  lock_ = std::unique_lock(*one_reset);
  resets = true;
  resetting.store(true, std::memory_order_seq_cst);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  for (const Record* record = records.load(std::memory_order_seq_cst); record != nullptr;
       record = record->next) {
    while (record != own && record->calls.load(std::memory_order_seq_cst) != 0 &&
           std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

OnlyCall::~OnlyCall() {
  resetting.store(false, std::memory_order_release);
  resetting.notify_all();
  resets = false;
}

}  // namespace pycuda::cudart
