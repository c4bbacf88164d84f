// SPDX-License-Identifier: MIT
#include "cuda/capture.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <utility>
#include <vector>

#include "cuda/release_after_work.h"
#include "driver/handler_in_call.h"

namespace pycuda::cuda {
namespace {

using driver::DriverError;
using internal::on_thread;

/// Those under way, of all threads.
struct UnderWay {
  std::mutex mutex;  ///< protects `captures`
  std::vector<std::shared_ptr<Capture>> captures;
};

UnderWay& under_way() {
  static auto* all = new UnderWay;  // threads may end after static objects have
  return *all;
}

/// Those that this thread has begun, innermost last.
struct OfThread {
  std::vector<std::shared_ptr<Capture>> captures;

  OfThread() = default;
  OfThread(const OfThread&) = delete;
  OfThread& operator=(const OfThread&) = delete;
  ~OfThread() { on_thread.capture = nullptr; }

  void settle() noexcept {
    std::erase_if(captures, [](const auto& capture) {
      return capture->ended() || !capture->context()->valid();
    });
    on_thread.capture = captures.empty() ? nullptr : captures.back().get();
  }
};

/// Held shared by those who wait for a context, and exclusively by those who begin a capture: the
/// driver ends captures in a context that is waited for.
std::shared_mutex& waiting() {
  static auto* mutex = new std::shared_mutex;
  return *mutex;
}

OfThread& of_this_thread() {
  thread_local OfThread captures;
  return captures;
}

template <class Condition>
std::shared_ptr<Capture> find(Condition&& fits) noexcept {
  std::vector<std::shared_ptr<Capture>> dead;  // released outside of the lock
  UnderWay& all = under_way();
  const std::lock_guard lock(all.mutex);
  const auto gone =
      std::stable_partition(all.captures.begin(), all.captures.end(),
                            [](const auto& capture) { return capture->context()->valid(); });
  try {
    dead.assign(std::make_move_iterator(gone), std::make_move_iterator(all.captures.end()));
  } catch (...) {
    return nullptr;
  }
  all.captures.erase(gone, all.captures.end());
  internal::captures_under_way.store(static_cast<int>(all.captures.size()));
  const auto found = std::find_if(all.captures.begin(), all.captures.end(), fits);
  return found == all.captures.end() ? nullptr : *found;
}

/// This thread's innermost capture if it takes work that names no stream, in the current context.
Capture* taking_all() noexcept {
  Capture* const capture = Capture::of_thread();
  if (capture == nullptr || capture->scope() != CaptureScope::Thread) return nullptr;
  const Context* const current = on_thread.current;
  return current == nullptr || current == capture->context().get() ? capture : nullptr;
}

}  // namespace

CUstream internal::stream_in_capture(CUstream stream) noexcept {
  const Capture* const capture = taking_all();
  return capture != nullptr && capture->takes_work_of(stream) ? capture->stream() : stream;
}

void internal::refuse_to_wait(const char* routine, const char* remedy) {
  if (const Capture* const capture = taking_all()) {
    throw DriverError(capture->context()->driver(), routine, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
                      remedy);
  }
}

bool internal::is_captured(CUstream stream) noexcept {
  return Capture::of_stream(stream) != nullptr;
}

const void* internal::copy_for_graph(const void* value, std::size_t bytes, CUstream stream) {
  const std::shared_ptr<Capture> capture = Capture::of_stream(stream);
  if (!capture) return value;
  const std::shared_ptr<std::byte[]> copy = std::make_shared<std::byte[]>(bytes);
  std::memcpy(copy.get(), value, bytes);
  capture->resources()->keep(std::shared_ptr<const void>(copy, copy.get()));
  return copy.get();
}

int CaptureTolerance::relax(const driver::DriverTable& driver) noexcept {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  const CUresult code = driver.cuThreadExchangeStreamCaptureMode.status(&mode);
  return code == CUDA_SUCCESS ? static_cast<int>(mode) : unchanged;
}

void CaptureTolerance::restore(const driver::DriverTable& driver, int before) noexcept {
  auto mode = static_cast<CUstreamCaptureMode>(before);
  static_cast<void>(driver.cuThreadExchangeStreamCaptureMode.status(&mode));
}

Capture::Capture(Key, ContextPtr context, CUstream stream, CaptureScope scope,
                 std::shared_ptr<GraphResources> resources)
    : context_(std::move(context)),
      stream_(stream),
      scope_(scope),
      owns_graph_(resources == nullptr),
      resources_(resources ? std::move(resources) : std::make_shared<GraphResources>()),
      pool_(std::make_shared<DeviceMemoryPool>(DeviceBlocks{}, Keeping::ForGraph)) {
  resources_->keep(pool_);
}

Capture::~Capture() { abandon(); }

std::shared_ptr<Capture> Capture::begin(const Stream& stream, CUstreamCaptureMode mode,
                                        CaptureScope scope) {
  const ContextScope current(stream.context());
  auto capture = std::make_shared<Capture>(Key{}, stream.context(), stream.handle(), scope);
  return enter(std::move(capture), [&](const driver::DriverTable& driver, CUstream handle) {
    driver.cuStreamBeginCapture(handle, mode);
  });
}

std::shared_ptr<Capture> Capture::begin_body(const std::shared_ptr<Capture>& around, CUgraph body) {
  const ContextScope current(around->context());
  auto stream = std::make_unique<Stream>(CU_STREAM_NON_BLOCKING);
  auto capture = std::make_shared<Capture>(Key{}, around->context(), stream->handle(),
                                           CaptureScope::Thread, around->resources());
  capture->around_ = around;
  capture->own_stream_ = std::move(stream);
  return enter(std::move(capture), [&](const driver::DriverTable& driver, CUstream handle) {
    driver.cuStreamBeginCaptureToGraph(handle, body, nullptr, nullptr, 0,
                                       CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  });
}

std::shared_ptr<Capture> Capture::begin_in(const Stream& stream, const Graph& graph,
                                           Dependencies dependencies, CUstreamCaptureMode mode) {
  const ContextScope current(stream.context());
  auto capture = std::make_shared<Capture>(Key{}, stream.context(), stream.handle(),
                                           CaptureScope::Thread, graph.resources());
  return enter(std::move(capture), [&](const driver::DriverTable& driver, CUstream handle) {
    driver.cuStreamBeginCaptureToGraph(handle, graph.handle(), dependencies.data(), nullptr,
                                       dependencies.size(), mode);
  });
}

bool Capture::takes_work_of(CUstream stream) const {
  if (stream == nullptr) return true;
  for (const Capture* outer = around_.get(); outer != nullptr; outer = outer->around_.get()) {
    if (outer->stream() == stream) return true;
  }
  return false;
}

namespace {

/// The graph that a stream is captured into, and what its next node waits for.
struct CaptureTip {
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  const CUgraphEdgeData* edges = nullptr;
  std::size_t count = 0;

  explicit CaptureTip(const Capture& capture) {
    const auto& get = capture.context()->driver().cuStreamGetCaptureInfo;
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    get(capture.stream(), &status, nullptr, &graph, &nodes, &edges, &count);
    if (status == CU_STREAM_CAPTURE_STATUS_ACTIVE) return;
    throw get.error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                    "what was captured before has ended the capture");
  }
};

}  // namespace

CUgraphConditionalHandle Capture::make_condition(std::optional<unsigned int> value) const {
  const ContextScope current(context_);
  return cuda::make_condition(context_, CaptureTip(*this).graph, value);
}

Conditional Capture::add_conditional(CUgraphConditionalHandle condition,
                                     CUgraphConditionalNodeType type, unsigned int bodies) const {
  const ContextScope current(context_);
  const CaptureTip tip(*this);
  Conditional added = cuda::add_conditional(context_, tip.graph, condition, type, bodies,
                                            Dependencies(tip.nodes, tip.count), tip.edges);
  context_->driver().cuStreamUpdateCaptureDependencies(stream_, &added.node, nullptr, 1,
                                                       CU_STREAM_SET_CAPTURE_DEPENDENCIES);
  return added;
}

std::shared_ptr<Capture> Capture::enter(
    std::shared_ptr<Capture> capture,
    const std::function<void(const driver::DriverTable&, CUstream)>& begin) {
  const driver::DriverTable& driver = capture->context()->driver();
  UnderWay& all = under_way();
  OfThread& thread = of_this_thread();
  {
    const std::lock_guard lock(all.mutex);
    all.captures.reserve(all.captures.size() + 1);
  }
  thread.captures.reserve(thread.captures.size() + 1);
  const auto& begin_capture = driver.cuStreamBeginCapture;
  if (driver::HandlerInCall::any()) {  // perhaps in a wait of this thread
    throw begin_capture.error(CUDA_ERROR_NOT_PERMITTED,
                              "a signal's handler cannot begin a capture while the interrupted "
                              "call waits: set a flag, and begin it after the call");
  }
  const std::unique_lock nobody_waits(waiting());
  if (goes_into_graph(capture->stream())) {
    throw begin_capture.error(CUDA_ERROR_ILLEGAL_STATE, "the stream is captured already");
  }
  begin(driver, capture->stream());
  capture->ended_.store(false);
  if (capture->scope() == CaptureScope::Thread) {
    CUstreamCaptureMode exchanged = CU_STREAM_CAPTURE_MODE_RELAXED;
    if (driver.cuThreadExchangeStreamCaptureMode.status(&exchanged) == CUDA_SUCCESS) {
      capture->mode_before_ = exchanged;
    }
  }
  {
    const std::lock_guard lock(all.mutex);
    all.captures.push_back(capture);
    internal::captures_under_way.store(static_cast<int>(all.captures.size()));
  }
  thread.captures.push_back(capture);
  thread.settle();
  return capture;
}

Capture* Capture::of_thread() noexcept {
  Capture* const capture = on_thread.capture;
  if (capture == nullptr || (!capture->ended() && capture->context()->valid())) return capture;
  of_this_thread().settle();
  return on_thread.capture;
}

std::shared_ptr<Capture> Capture::of_stream(CUstream stream) noexcept {
  if (stream == nullptr) {
    Capture* const own = taking_all();
    return own == nullptr ? nullptr : own->weak_from_this().lock();
  }
  auto found = find([&](const auto& capture) { return capture->stream() == stream; });
  if (found) return found;
  Capture* const own = of_thread();
  if (own == nullptr) return nullptr;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult code = own->context()->driver().cuStreamIsCapturing.status(stream, &status);
  const bool joined = code == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
  return joined ? own->weak_from_this().lock() : nullptr;
}

std::shared_ptr<Capture> Capture::in_context(const Context& context) noexcept {
  if (!any_capture()) return nullptr;
  return find([&](const auto& capture) { return capture->context().get() == &context; });
}

bool Capture::wait_for_work(const Context& context, CUresult* result) noexcept {
  const std::shared_lock none_begins(waiting());
  if (in_context(context)) return false;
  const CUresult code = const_cast<Context&>(context).release(
      [&] { return context.driver().cuCtxSynchronize.status(); });
  if (result != nullptr) *result = code;
  return true;
}

void Capture::note_event() noexcept {
  UnderWay& all = under_way();
  const std::lock_guard lock(all.mutex);
  for (const auto& capture : all.captures) capture->forked_.store(true);
}

PooledDeviceMemory Capture::allocate(std::size_t bytes) {
  if (!forked_.load()) return pool_->allocate(bytes);
  const auto own = std::make_shared<DeviceMemoryPool>(DeviceBlocks{}, Keeping::ForGraph);
  resources_->keep(own);
  return own->allocate(bytes);
}

CUresult Capture::finish(CUgraph* graph) noexcept {
  const std::shared_ptr<Capture> self = weak_from_this().lock();  // the lists may be its owners
  const CUresult code = context_->release(
      [&] { return context_->driver().cuStreamEndCapture.status(stream_, graph); });
  {
    UnderWay& all = under_way();
    const std::lock_guard lock(all.mutex);
    std::erase_if(all.captures, [&](const auto& capture) { return capture.get() == this; });
    internal::captures_under_way.store(static_cast<int>(all.captures.size()));
  }
  OfThread& thread = of_this_thread();
  const bool same_thread = std::any_of(thread.captures.begin(), thread.captures.end(),
                                       [&](const auto& own) { return own.get() == this; });
  thread.settle();
  if (mode_before_ && same_thread) {
    static_cast<void>(context_->driver().cuThreadExchangeStreamCaptureMode.status(&*mode_before_));
  }
  release_after_captures();
  return code;
}

CUgraph Capture::end() {
  const auto& end_capture = context_->driver().cuStreamEndCapture;
  const ContextScope scope(context_);
  if (ended_.exchange(true)) {
    throw end_capture.error(CUDA_ERROR_ILLEGAL_STATE, "the capture has ended already");
  }
  CUgraph graph = nullptr;
  const CUresult code = finish(&graph);
  if (code == CUDA_SUCCESS && !invalidated_.load()) return graph;
  if (around_) {  // the graph is the node's
    invalidate_outer();
    throw end_capture.error(code, "in the body of a conditional node");
  }
  if (graph != nullptr && owns_graph_)
    static_cast<void>(context_->driver().cuGraphDestroy.status(graph));
  if (code != CUDA_SUCCESS) throw end_capture.error(code);
  throw end_capture.error(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED,
                          "the body of a conditional node is not complete");
}

void Capture::invalidate_outer() noexcept {
  for (Capture* outer = around_.get(); outer != nullptr; outer = outer->around_.get())
    outer->invalidated_.store(true);
}

void Capture::abandon() noexcept {
  if (ended_.exchange(true)) return;
  const ContextPtr context = context_;
  // Whatever the status: the capture may have been invalid, and has ended then as well.
  CUgraph graph = nullptr;
  static_cast<void>(finish(&graph));
  invalidate_outer();
  if (graph == nullptr || !owns_graph_) return;  // a body is its node's
  static_cast<void>(
      context->release([&] { return context->driver().cuGraphDestroy.status(graph); }));
}

void Capture::abandon(CUstream stream) noexcept {
  const auto found = find([&](const auto& capture) { return capture->stream() == stream; });
  if (found) found->abandon();
}

}  // namespace pycuda::cuda
