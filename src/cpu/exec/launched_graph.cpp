// SPDX-License-Identifier: MIT
#include "cpu/exec/launched_graph.h"

#include <algorithm>
#include <utility>

namespace pycuda::cpu::exec {

DeviceError GraphScope::add_tail(LaunchableGraph graph) {
  const std::lock_guard lock(mutex_);
  if (tails_.size() >= most_tails) return DeviceError::InvalidValue;
  const bool itself = graph.handle == graph_;
  if (itself ? again_ : graph.in_flight->exchange(true)) return DeviceError::InvalidValue;
  if (itself) graph.in_flight->store(again_ = true);
  tails_.push_back(std::move(graph));
  return DeviceError::Success;
}

DeviceError GraphScope::fire(const LaunchableGraph& graph) {
  const std::lock_guard lock(mutex_);
  if (fired_ >= most_fired) return DeviceError::InvalidValue;
  if (graph.handle == graph_ || graph.in_flight->exchange(true)) return DeviceError::InvalidValue;
  ++fired_;
  return DeviceError::Success;
}

std::deque<LaunchableGraph> GraphScope::take_tails() {
  const std::lock_guard lock(mutex_);
  again_ = false;
  return std::exchange(tails_, {});
}

GraphLine::GraphLine(FaultSink& faults, std::deque<LaunchableGraph> graphs,
                     std::shared_ptr<const WorkClock> before, Finished finished)
    : faults_(faults),
      graphs_(std::move(graphs)),
      before_(std::move(before)),
      finished_(std::move(finished)) {}

void GraphLine::start(FaultSink& faults, std::deque<LaunchableGraph> graphs,
                      std::shared_ptr<const WorkClock> before, Finished finished) {
  const auto line = std::make_shared<GraphLine>(faults, std::move(graphs), std::move(before),
                                                std::move(finished));
  WorkerPool::instance().post(line->go_on_task());
}

Task GraphLine::go_on_task() {
  return {[](const std::shared_ptr<void>& subject) {
            std::static_pointer_cast<GraphLine>(subject)->go_on();
          },
          shared_from_this()};
}

void GraphLine::go_on() {
  if (run_ != nullptr) leave();
  while (!graphs_.empty()) {
    const LaunchableGraph next = std::move(graphs_.front());
    graphs_.pop_front();
    if (!run(next)) return;
    leave();
  }
  // The context may be gone as soon as somebody knows of the end.
  const Finished finished = std::move(finished_);
  finished(before_);
}

bool GraphLine::run(const LaunchableGraph& graph) {
  now_ = graph;
  run_ = std::make_shared<SequenceRun>();
  run_->stream = std::make_shared<Stream::State>(faults_);
  run_->stream->take();
  run_->set_sequence(graph.sequence);
  run_->leaves_tails = true;
  if (before_ != nullptr) {
    run_->stream->order.set_name("a graph that a kernel launched");
    run_->stream->order.join(before_);
  }
  return advance(run_) || !run_->end.when_reached(go_on_task());
}

void GraphLine::leave() {
  bool comes_again = false;
  if (run_->scope != nullptr) {
    std::deque<LaunchableGraph> tails = run_->scope->take_tails();
    comes_again =
        std::ranges::any_of(tails, [&](const auto& tail) { return tail.handle == now_.handle; });
    graphs_.insert(graphs_.begin(), std::make_move_iterator(tails.begin()),
                   std::make_move_iterator(tails.end()));
  }
  if (before_ != nullptr) before_ = run_->end.order();
  if (!comes_again) now_.in_flight->store(false);
  run_ = nullptr;
  now_ = {};
}

}  // namespace pycuda::cpu::exec
