// SPDX-License-Identifier: MIT
// Stream capture: operations in captured streams become nodes of a graph. A stream has a flag for
// it (Stream::in_capture), so that other streams pay for one test.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/graph_action.h"
#include "cpu/api/stream.h"

namespace pycuda::cpu::api {

class Capture;

/// The nodes that the next one of a captured stream depends on, as NVIDIA's functions give them.
struct CaptureTail {
  std::vector<CUgraphNode> nodes;
  std::vector<CUgraphEdgeData> edges;
};

/// Where in a capture an event was recorded.
struct CapturedPlace {
  std::weak_ptr<Capture> capture;
  CaptureTail tail;
};

/// How many captures are going on in the process.
extern constinit std::atomic<unsigned> active_captures;

/// Adds a node to a stream of which `in_capture` is true. For the legacy stream that means that it
/// would wait for a captured one: the captures are then lost, and the answer says why.
CUresult capture(Stream& stream, NodeAction action);
/// The same for memory that the graph allocates or frees. A graph allocates where `pool` does if
/// that is a device, for this process alone.
CUresult capture_allocation(Stream& stream, const MemoryPool& pool, std::size_t bytes,
                            CUdeviceptr* address);
CUresult capture_free(Stream& stream, CUdeviceptr address);
/// The same for events. `capture_wait` also where the event was recorded in a captured stream, and
/// the stream is not captured: from then on it is.
CUresult capture_record(Stream& stream, Event& event, unsigned flags);
/// The event is recorded outside of captures again.
void forget_capture(Event& event);
/// The answer to questions about a captured event, which lose the capture.
CUresult refuse_captured_event(const Event& event);
CUresult capture_wait(Stream& stream, Event& event, unsigned flags);
/// For a call that may not be made for a captured stream: the capture is lost.
CUresult refuse_in_capture(Stream& stream);

/// For calls that may make or end what a captured stream knows nothing of: whether a capture that
/// is going on allows it to this thread. It is lost if not.
CUresult refuse_unsafe_call();
inline CUresult check_unsafe_call() {
  if (active_captures.load(std::memory_order_relaxed) == 0) [[likely]]
    return CUDA_SUCCESS;
  return refuse_unsafe_call();
}
/// The same for calls that wait for work of `stream`.
inline CUresult check_call_in_capture(Stream& stream) {
  if (active_captures.load(std::memory_order_relaxed) == 0) [[likely]]
    return CUDA_SUCCESS;
  return stream.in_capture() ? refuse_in_capture(stream) : refuse_unsafe_call();
}
/// For calls that wait for all streams of a context.
CUresult check_wait_in_capture(Context& context);

/// The stream ends: so does what it captures.
void forget_captured(Stream& stream);

}  // namespace pycuda::cpu::api
