// SPDX-License-Identifier: MIT
// How operations of captured streams become nodes, and what is refused meanwhile.
#include "cpu/api/capture.h"

#include <algorithm>

#include "cpu/api/capture_state.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/event.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/memory_pool.h"

namespace pycuda::cpu::api {

constinit std::atomic<unsigned> active_captures{0};

Capture::Capture(Stream& stream, CUstreamCaptureMode how, Graph* into, bool owns)
    : id(next_id()),
      mode(how),
      thread(std::this_thread::get_id()),
      origin(&stream),
      graph(into),
      owns_graph(owns) {}

Captures& Captures::instance() {
  static auto& all = *new Captures;
  return all;
}

std::shared_ptr<Capture> Captures::find(Stream& stream) const {
  const auto found = by_stream.find(&stream);
  return found != by_stream.end() ? found->second : nullptr;
}

void Captures::join(const std::shared_ptr<Capture>& capture, Stream& stream, CaptureTail tail) {
  if (capture->tails.empty()) {
    ++active_captures;
    capture->graph->in_capture = true;
  }
  capture->tails.emplace(&stream, std::move(tail));
  by_stream.emplace(&stream, capture);
  stream.begin_capture();
}

void Captures::leave(Stream& stream) {
  const auto capture = find(stream);
  if (capture == nullptr) return;
  capture->tails.erase(&stream);
  by_stream.erase(&stream);
  stream.end_capture();
}

void Captures::end(const std::shared_ptr<Capture>& capture, bool keep_graph) {
  if (capture->tails.empty()) return;
  while (!capture->tails.empty()) leave(*capture->tails.begin()->first);
  --active_captures;
  capture->graph->in_capture = false;
  if (capture->owns_graph && !keep_graph) delete capture->graph;
}

CUresult Captures::refuse_legacy(const Context& context) {
  for (const auto& [stream, capture] : by_stream) {
    if (&stream->context() == &context && stream->is_blocking()) capture->invalid = true;
  }
  return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

std::vector<GraphNode::Link> links_of(const CaptureTail& tail) {
  std::vector<GraphNode::Link> links;
  for (std::size_t i = 0; i < tail.nodes.size(); ++i) {
    GraphNode* node = registry.graph_nodes.find(tail.nodes[i]);
    if (node != nullptr) links.push_back({node, tail.edges[i]});
  }
  return links;
}

void merge(CaptureTail& into, const CaptureTail& from) {
  for (std::size_t i = 0; i < from.nodes.size(); ++i) {
    if (std::ranges::find(into.nodes, from.nodes[i]) != into.nodes.end()) continue;
    into.nodes.push_back(from.nodes[i]);
    into.edges.push_back(from.edges[i]);
  }
}

namespace {

/// Runs `body` (Capture&, CaptureTail&) for the capture that a stream is in.
template <class Body>
CUresult with_capture(Stream& stream, Body&& body) {
  Captures& all = Captures::instance();
  const std::lock_guard lock(all.mutex);
  if (stream.kind() == StreamKind::Legacy) return all.refuse_legacy(stream.context());
  const auto capture = all.find(stream);
  if (capture == nullptr) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;  // ended just now
  if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  return body(*capture, capture->tails.at(&stream));
}

GraphNode* append(const Capture& capture, CaptureTail& tail, NodeAction action) {
  GraphNode* node = capture.graph->add(std::move(action), links_of(tail));
  tail.nodes.assign(1, node->handle());
  tail.edges.assign(1, plain_edge);
  return node;
}

CUresult lose(Capture& capture, CUresult why) {
  capture.invalid = true;
  return why;
}

}  // namespace

CUresult capture(Stream& stream, NodeAction action) {
  return with_capture(stream, [&](const Capture& capture, CaptureTail& tail) -> CUresult {
    append(capture, tail, std::move(action));
    return CUDA_SUCCESS;
  });
}

CUresult capture_allocation(Stream& stream, const MemoryPool& pool, std::size_t bytes,
                            CUdeviceptr* address) {
  if (address == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (pool.place().type == CU_MEM_LOCATION_TYPE_INVALID) return CUDA_ERROR_INVALID_VALUE;
  if (pool.place().type != CU_MEM_LOCATION_TYPE_DEVICE || pool.shared() != nullptr) {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "a captured allocation is of a device's memory: the pool is of the host's, or made "
                "with handleTypes");
  }
  if (bytes == 0) {
    *address = 0;
    return CUDA_SUCCESS;
  }
  VirtualDevice& device = pool.device();
  CUDA_MEM_ALLOC_NODE_PARAMS params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  params.poolProps.location.id = device.ordinal();
  params.bytesize = bytes;
  return with_capture(stream, [&](const Capture& capture, CaptureTail& tail) -> CUresult {
    const SharedAllocation made = GraphAllocation::make(device, params);
    if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    append(capture, tail, AllocAction{made});
    *address = made->address();
    return CUDA_SUCCESS;
  });
}

CUresult capture_free(Stream& stream, CUdeviceptr address) {
  return with_capture(stream, [&](Capture& capture, CaptureTail& tail) -> CUresult {
    // Only a graph can free again and again what it does not allocate again and again.
    const SharedAllocation found = find_graph_allocation(address);
    if (found == nullptr) return lose(capture, CUDA_ERROR_INVALID_VALUE);
    append(capture, tail, FreeAction{address, found});
    return CUDA_SUCCESS;
  });
}

CUresult capture_record(Stream& stream, Event& event, unsigned flags) {
  return with_capture(stream, [&](const Capture& capture, CaptureTail& tail) -> CUresult {
    if ((flags & CU_EVENT_RECORD_EXTERNAL) != 0) {
      append(capture, tail, RecordAction{event.handle(), event.mark()});
      return CUDA_SUCCESS;
    }
    auto place = std::make_unique<CapturedPlace>();
    place->capture = Captures::instance().find(stream);
    place->tail = tail;
    event.captured = std::move(place);
    event.is_captured.store(true, std::memory_order_release);
    return CUDA_SUCCESS;
  });
}

void forget_capture(Event& event) {
  const std::lock_guard lock(Captures::instance().mutex);
  event.captured.reset();
  event.is_captured.store(false, std::memory_order_release);
}

CUresult refuse_captured_event(const Event& event) {
  const std::lock_guard lock(Captures::instance().mutex);
  if (event.captured != nullptr) {
    if (const auto capture = event.captured->capture.lock()) capture->invalid = true;
  }
  return CUDA_ERROR_CAPTURED_EVENT;
}

CUresult capture_wait(Stream& stream, Event& event, unsigned flags) {
  Captures& all = Captures::instance();
  const std::lock_guard lock(all.mutex);
  if (stream.kind() == StreamKind::Legacy && stream.in_capture())
    return all.refuse_legacy(stream.context());
  const auto own = all.find(stream);
  if (own != nullptr && own->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if ((flags & CU_EVENT_WAIT_EXTERNAL) != 0 && own != nullptr) {
    append(*own, own->tails.at(&stream), WaitAction{event.handle(), event.mark()});
    return CUDA_SUCCESS;
  }
  const auto other = event.captured != nullptr ? event.captured->capture.lock() : nullptr;
  if (own == nullptr) {
    // The work that the event stands for runs when the graph is launched, and not now.
    if (other == nullptr || other->tails.empty()) return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
    if (other->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (stream.kind() == StreamKind::Legacy)
      return lose(*other, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    all.join(other, stream, event.captured->tail);
    return CUDA_SUCCESS;
  }
  if (other == own) {
    merge(own->tails.at(&stream), event.captured->tail);
    return CUDA_SUCCESS;
  }
  if (other != nullptr && !other->tails.empty()) {
    other->invalid = true;
    return lose(*own, CUDA_ERROR_STREAM_CAPTURE_MERGE);
  }
  if (event.captured == nullptr && !event.mark()->recorded()) return CUDA_SUCCESS;
  return lose(*own, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
}

CUresult refuse_in_capture(Stream& stream) {
  return with_capture(stream, [&](Capture& capture, CaptureTail&) {
    return lose(capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  });
}

CUresult refuse_unsafe_call() {
  if (this_thread.capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED) return CUDA_SUCCESS;
  Captures& all = Captures::instance();
  const std::lock_guard lock(all.mutex);
  CUresult answer = CUDA_SUCCESS;
  for (const auto& [stream, capture] : all.by_stream) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool forbids = own ? capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                             : capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
                                   this_thread.capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (forbids) answer = lose(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  }
  return answer;
}

CUresult check_wait_in_capture(Context& context) {
  if (active_captures.load(std::memory_order_relaxed) == 0) [[likely]]
    return CUDA_SUCCESS;
  {
    Captures& all = Captures::instance();
    const std::lock_guard lock(all.mutex);
    CUresult answer = CUDA_SUCCESS;
    for (const auto& [stream, capture] : all.by_stream) {
      if (&stream->context() == &context)
        answer = lose(*capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    }
    if (answer != CUDA_SUCCESS) return answer;
  }
  return refuse_unsafe_call();
}

void forget_captured(Stream& stream) {
  Captures& all = Captures::instance();
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (capture == nullptr) return;
  if (capture->origin == &stream) {
    all.end(capture, false);
  } else {
    // What it did must be joined by the end, through another stream or an event.
    merge(capture->left, capture->tails.at(&stream));
    all.leave(stream);
  }
}

}  // namespace pycuda::cpu::api
