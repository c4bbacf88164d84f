// SPDX-License-Identifier: MIT
// All captures of the process. One lock guards them all: capturing is rare, and streams join and
// leave captures together.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "cpu/api/capture.h"
#include "cpu/api/graph.h"

namespace pycuda::cpu::api {

class Capture {
 public:
  Capture(Stream& stream, CUstreamCaptureMode mode, Graph* graph, bool owns_graph);

  const std::uint64_t id;
  const CUstreamCaptureMode mode;
  const std::thread::id thread;
  Stream* const origin;
  Graph* const graph;
  const bool owns_graph;  ///< it was not the program's before
  bool invalid = false;
  std::map<Stream*, CaptureTail> tails;  ///< of all streams in it
  CaptureTail left;  ///< of streams that were destroyed meanwhile: to be joined too
};

struct Captures {
  std::mutex mutex;  // protects the rest, each capture, and the places that events note down
  std::map<Stream*, std::shared_ptr<Capture>> by_stream;

  static Captures& instance();

  std::shared_ptr<Capture> find(Stream& stream) const;
  void join(const std::shared_ptr<Capture>& capture, Stream& stream, CaptureTail tail);
  void leave(Stream& stream);
  /// All streams leave. The graph goes too if the capture owned it and it is of no use.
  void end(const std::shared_ptr<Capture>& capture, bool keep_graph);
  /// The captures that the legacy stream of this context would have to wait for are lost.
  CUresult refuse_legacy(const Context& context);
};

/// The links for which a tail stands; nodes that are gone meanwhile are left out.
std::vector<GraphNode::Link> links_of(const CaptureTail& tail);
/// Takes over what another tail has and this one has not.
void merge(CaptureTail& into, const CaptureTail& from);

}  // namespace pycuda::cpu::api
