// SPDX-License-Identifier: MIT
// Events: each record makes a new marker, so that waits mean the record that was latest at the
// call.
#include "cpu/exec/event_marker.h"

namespace pycuda::cpu::exec {

void Marker::reach() {
  std::vector<Task> tasks;
  {
    const std::unique_lock lock(mutex_);
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
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return reached_.load(std::memory_order_relaxed); });
}

Event::Event(bool timing) : state_(std::make_shared<State>(timing)) {}

bool Event::recorded() const { return state_->current() != nullptr; }

bool Event::complete() const {
  const auto marker = state_->current();
  return marker == nullptr || marker->reached();
}

void Event::synchronize() const {
  if (forked()) return;
  if (const auto marker = state_->current()) marker->wait();
}

std::optional<std::chrono::steady_clock::time_point> Event::time() const {
  const auto marker = state_->current();
  if (!state_->timing || marker == nullptr || !marker->reached()) return std::nullopt;
  return marker->time();
}

}  // namespace pycuda::cpu::exec
