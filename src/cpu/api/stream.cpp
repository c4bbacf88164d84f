// SPDX-License-Identifier: MIT
// The order between the legacy default stream and the others, and the stream functions without
// attributes.
#include "cpu/api/stream.h"

#include "cpu/api/capture.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/event.h"
#include "cpu/api/green_context.h"
#include "cpu/api/registry.h"
#include "cpu/exec/work_order.h"

namespace pycuda::cpu::api {

namespace {

std::string name_of(StreamKind kind, std::uint64_t id) {
  switch (kind) {
    case StreamKind::Legacy:
      return "the default stream";
    case StreamKind::PerThread:
      return "a thread's default stream";
    case StreamKind::Created:
      break;
  }
  return "stream " + std::to_string(id);
}

}  // namespace

Stream::Stream(Context& context, StreamKind kind, unsigned flags, int priority,
               std::shared_ptr<GreenContext> green)
    : context_(context),
      green_(std::move(green)),
      kind_(kind),
      flags_(flags),
      priority_(priority),
      id_(next_id()),
      queue_(context.device().ordinal(), context) {
  if (kind == StreamKind::Created) handle_ = registry.streams.insert(this);
  queue_.order().set_name(name_of(kind, id_));
}

Stream::~Stream() {
  if (in_capture() && kind_ != StreamKind::Legacy) forget_captured(*this);
  if (handle_ != nullptr) registry.streams.erase(handle_, this);
}

void Stream::begin_capture() {
  ++captures_;
  if (is_blocking()) ++default_stream().captures_;
}

void Stream::end_capture() {
  --captures_;
  if (is_blocking()) --default_stream().captures_;
}

Stream& Stream::default_stream() {
  return green_ != nullptr ? green_->default_stream() : context_.legacy_stream();
}

const exec::ProcessorSet* Stream::processors() const {
  return green_ != nullptr ? green_->processors() : nullptr;
}

bool Stream::is_detached() const { return green_ != nullptr && green_->is_gone(); }

exec::Stream& Stream::ordered() {
  if (kind_ == StreamKind::Legacy) {
    if (context_.has_blocking_streams()) join_blocking();
  } else if (is_blocking()) {
    join(default_stream());
  }
  return queue_;
}

// Always anew: what another thread has seen of `other` says nothing of what was put there since.
void Stream::join(Stream& other) {
  // Where the order of work is kept, that of what is over counts too.
  if (other.queue_.idle() && !exec::keeps_work_order()) return;
  const auto event = std::make_shared<exec::Event>(false);
  other.queue_.record(event);
  queue_.wait(event);
}

void Stream::join_blocking() {
  for (const auto& stream : context_.blocking_streams(green())) join(*stream);
}

bool Stream::idle() const {
  if (!queue_.idle()) return false;
  if (kind_ != StreamKind::Legacy || !context_.has_blocking_streams()) return true;
  for (const auto& stream : context_.blocking_streams(green())) {
    if (!stream->queue_.idle()) return false;
  }
  return true;
}

bool Stream::ask_idle() const {
  if (!idle()) return false;
  queue_.tell_host();
  if (kind_ == StreamKind::Legacy && context_.has_blocking_streams()) {
    for (const auto& stream : context_.blocking_streams(green())) stream->queue_.tell_host();
  }
  return true;
}

CUresult Stream::synchronize() {
  ordered().synchronize();
  return context_.status();
}

CUresult Stream::run(const std::function<void()>& task) {
  if (in_capture()) [[unlikely]]
    return refuse_in_capture(*this);
  exec::Stream& queue = ordered();
  if (!queue.run_if_idle(task)) {
    queue.enqueue(task);
    queue.synchronize();
    return context_.status();
  }
  queue.tell_host();
  if (!context_.printf_fifo()->empty()) {
    context_.printf_fifo()->flush();
  }
  return context_.status();
}

CUresult Stream::start(std::function<void()> task, bool small) {
  exec::Stream& queue = ordered();
  if (!small || !queue.run_if_idle(task)) queue.enqueue(std::move(task));
  return CUDA_SUCCESS;
}

int priority_within_range(int priority) {
  return std::clamp(priority, DeviceLimits::stream_priority_highest,
                    DeviceLimits::stream_priority_lowest);
}

}  // namespace pycuda::cpu::api
