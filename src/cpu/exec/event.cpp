// SPDX-License-Identifier: MIT
// Events: each record makes a new marker, so that waits mean the record that was latest at the
// call.
#include "cpu/exec/event_marker.h"
#include "cpu/exec/interrupts.h"
#include "cpu/exec/last_thread.h"
#include "cpu/exec/signal_handlers.h"

namespace pycuda::cpu::exec {

namespace {

/// The program knows of the work before the marker.
void tell_host(const Marker& marker) {
  if (keeps_work_order()) HostOrder::join(marker.order());
}

}  // namespace

void Marker::reach() { reach_with({}); }

void Marker::fail(std::string why) { reach_with(std::move(why)); }

void Marker::reach_with(std::string failure) {
  std::vector<Task> tasks;
  {
    const std::unique_lock lock(mutex_);
    if (reached_.load(std::memory_order_relaxed)) return;
    failure_ = std::move(failure);
    time_ = std::chrono::steady_clock::now();
    reached_.store(true, std::memory_order_release);
    tasks.swap(waiting_);
    changed_.notify_all();
  }
  for (Task& task : tasks) WorkerPool::instance().post(std::move(task));
}

bool Marker::when_reached(Task task) {
  const std::unique_lock lock(mutex_);
  if (reached_.load(std::memory_order_relaxed)) return false;
  waiting_.push_back(std::move(task));
  return true;
}

void Marker::wait() const {
  if (reached()) return;
  const LastThreadWait wait;
  expect_interrupts();
  std::unique_lock lock(mutex_);
  const auto reached = [this] { return reached_.load(std::memory_order_relaxed); };
  for (;;) {
    const auto slice = wait_slice();
    if (slice.count() == 0) return changed_.wait(lock, reached);
    if (changed_.wait_for(lock, slice, reached)) return;
    lock.unlock();
    end_wait_slice();
    lock.lock();
  }
}

std::shared_ptr<Marker> Event::State::begin() const {
  return std::make_shared<Marker>(shared != nullptr ? shared->begin() : 0);
}

void Event::State::publish(const std::shared_ptr<Marker>& marker) {
  const std::unique_lock lock(mutex);
  latest = marker;
  if (shared != nullptr) shared->publish(marker->number());
}

void Event::State::reach(Marker& marker, bool failed) const {
  // The others first: what this process learns it may tell them.
  if (shared != nullptr) shared->finish(marker.number(), failed);
  marker.reach();
}

std::shared_ptr<Marker> Event::State::current() const {
  const std::unique_lock lock(mutex);
  if (shared == nullptr) return latest;
  const std::uint64_t number = shared->latest();
  if (number == 0) return nullptr;
  if (latest == nullptr || latest->number() != number) {
    latest = shared->await(number);
  } else if (!latest->reached()) {
    // Nobody has to wait until the thread that looks on has woken.
    shared->look_at(*latest);
  }
  return latest;
}

Event::Event(bool timing, std::shared_ptr<SharedRecords> shared)
    : state_(std::make_shared<State>(timing, std::move(shared))) {}

bool Event::recorded() const { return state_->current() != nullptr; }

bool Event::complete() const {
  const auto marker = state_->current();
  if (marker == nullptr) return true;
  if (!marker->reached()) return false;
  tell_host(*marker);
  return true;
}

void Event::synchronize() const {
  if (forked()) return;
  if (const auto marker = state_->current()) {
    marker->wait();
    tell_host(*marker);
  }
}

std::optional<std::string> Event::failure() const {
  const auto marker = state_->current();
  if (marker == nullptr || !marker->reached() || marker->failure().empty()) return std::nullopt;
  return marker->failure();
}

const std::shared_ptr<SharedRecords>& Event::shared() const { return state_->shared; }

std::optional<std::chrono::steady_clock::time_point> Event::time() const {
  const auto marker = state_->current();
  if (!state_->timing || marker == nullptr || !marker->reached()) return std::nullopt;
  tell_host(*marker);
  return marker->time();
}

}  // namespace pycuda::cpu::exec
