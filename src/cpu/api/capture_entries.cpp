// SPDX-License-Identifier: MIT
// cuStreamBeginCapture, cuStreamEndCapture and what can be asked and changed between them.
#include <algorithm>

#include "cpu/api/capture_state.h"
#include "cpu/api/graph_edges.h"
#include "cpu/api/stream_guard.h"

namespace pycuda::cpu::api {
namespace {

bool is_mode(CUstreamCaptureMode mode) {
  return mode == CU_STREAM_CAPTURE_MODE_GLOBAL || mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL ||
         mode == CU_STREAM_CAPTURE_MODE_RELAXED;
}

/// As with_stream; also the per-thread stream can be captured, but not the legacy one.
CUresult begin(CUstream handle, CUstreamCaptureMode mode, Graph* graph, const CaptureTail& tail) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (!is_mode(mode)) return CUDA_ERROR_INVALID_VALUE;
    if (stream.kind() == StreamKind::Legacy) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    Captures& all = Captures::instance();
    const std::lock_guard lock(all.mutex);
    if (all.find(stream) != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    std::unique_ptr<Graph> made;
    if (graph == nullptr) {
      made = std::make_unique<Graph>(Graph::Kind::Root);
    } else if (graph->in_capture) {
      return CUDA_ERROR_ILLEGAL_STATE;
    }
    const bool owns = made != nullptr;
    all.join(std::make_shared<Capture>(stream, mode, owns ? made.get() : graph, owns), stream,
             tail);
    static_cast<void>(made.release());
    return CUDA_SUCCESS;
  });
}

/// Whether all that other streams did comes before the next node of the stream that began.
bool all_joined(const Capture& capture) {
  const auto reached = links_of(capture.tails.at(capture.origin));
  const auto is_joined = [&](const CaptureTail& tail) {
    return std::ranges::all_of(links_of(tail), [&](const GraphNode::Link& last) {
      return std::ranges::any_of(
          reached, [&](const auto& link) { return link.node->depends_on(*last.node); });
    });
  };
  return is_joined(capture.left) && std::ranges::all_of(capture.tails, [&](const auto& entry) {
           return entry.first == capture.origin || is_joined(entry.second);
         });
}

CUresult end(Stream& stream, CUgraph* graph) {
  Captures& all = Captures::instance();
  const std::lock_guard lock(all.mutex);
  const auto capture = all.find(stream);
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  // A graph that the program has already needs no place to be told in.
  if (graph == nullptr && capture->owns_graph) return CUDA_ERROR_INVALID_VALUE;
  if (capture->origin != &stream) {
    capture->invalid = true;
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED &&
      capture->thread != std::this_thread::get_id()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  CUresult status = CUDA_SUCCESS;
  if (capture->invalid) {
    status = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  } else if (!all_joined(*capture)) {
    status = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  }
  if (status == CUDA_SUCCESS && graph != nullptr) *graph = capture->graph->handle();
  all.end(capture, status == CUDA_SUCCESS);
  return status;
}

struct CaptureInfo {
  CUstreamCaptureStatus* status;
  cuuint64_t* id;
  CUgraph* graph;
  const CUgraphNode** nodes;
  const CUgraphEdgeData** edges;
  std::size_t* count;
  bool tells_edges;
};

CUresult tell(CUstream handle, const CaptureInfo& info) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (info.status == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *info.status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (!stream.in_capture()) return CUDA_SUCCESS;
    if (stream.kind() == StreamKind::Legacy) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    Captures& all = Captures::instance();
    const std::lock_guard lock(all.mutex);
    const auto capture = all.find(stream);
    if (capture == nullptr) return CUDA_SUCCESS;
    if (capture->invalid) {
      *info.status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
      return CUDA_SUCCESS;
    }
    *info.status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
    const CaptureTail& tail = capture->tails.at(&stream);
    if (info.id != nullptr) *info.id = capture->id;
    if (info.graph != nullptr) *info.graph = capture->graph->handle();
    if (info.nodes != nullptr) {
      if (!info.tells_edges || info.edges == nullptr) {
        for (const CUgraphEdgeData& edge : tail.edges) {
          if (!is_plain(edge)) return CUDA_ERROR_LOSSY_QUERY;
        }
      }
      *info.nodes = tail.nodes.data();
    }
    if (info.edges != nullptr) *info.edges = tail.edges.data();
    if (info.count != nullptr) *info.count = tail.nodes.size();
    return CUDA_SUCCESS;
  });
}

CUresult read_tail(const Graph& graph, const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                   std::size_t count, CaptureTail* tail) {
  std::vector<GraphNode::Link> links;
  const CUresult status = read_edges(graph, nodes, edges, count, &links);
  if (status != CUDA_SUCCESS) return status;
  for (const GraphNode::Link& link : links) {
    tail->nodes.push_back(link.node->handle());
    tail->edges.push_back(link.data);
  }
  return CUDA_SUCCESS;
}

CUresult update(CUstream handle, const CUgraphNode* nodes, const CUgraphEdgeData* edges,
                std::size_t count, unsigned flags) {
  return with_stream(handle, [&](Stream& stream) -> CUresult {
    if (flags != CU_STREAM_ADD_CAPTURE_DEPENDENCIES && flags != CU_STREAM_SET_CAPTURE_DEPENDENCIES)
      return CUDA_ERROR_INVALID_VALUE;
    Captures& all = Captures::instance();
    const std::lock_guard lock(all.mutex);
    const auto capture = all.find(stream);
    if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
    if (capture->invalid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    CaptureTail tail;
    const CUresult status = read_tail(*capture->graph, nodes, edges, count, &tail);
    if (status != CUDA_SUCCESS) return status;
    CaptureTail& own = capture->tails.at(&stream);
    if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES) own = CaptureTail{};
    merge(own, tail);
    return CUDA_SUCCESS;
  });
}

}  // namespace

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuStreamBeginCapture_v2(CUstream hStream, CUstreamCaptureMode mode) {
  return begin(hStream, mode, nullptr, {});
}

CUresult cuStreamBeginCapture(CUstream hStream) {
  return begin(hStream, CU_STREAM_CAPTURE_MODE_GLOBAL, nullptr, {});
}

CUresult cuStreamBeginCaptureToGraph(CUstream hStream, CUgraph hGraph,
                                     const CUgraphNode* dependencies,
                                     const CUgraphEdgeData* dependencyData, size_t numDependencies,
                                     CUstreamCaptureMode mode) {
  return with_context([&](Context&) -> CUresult {
    Graph* graph = registry.graphs.find(hGraph);
    if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CaptureTail tail;
    const CUresult status = read_tail(*graph, dependencies, dependencyData, numDependencies, &tail);
    return status == CUDA_SUCCESS ? begin(hStream, mode, graph, tail) : status;
  });
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  return with_driver([&]() -> CUresult {
    if (mode == nullptr || !is_mode(*mode)) return CUDA_ERROR_INVALID_VALUE;
    const CUstreamCaptureMode before = this_thread.capture_mode;
    this_thread.capture_mode = *mode;
    *mode = before;
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamEndCapture(CUstream hStream, CUgraph* phGraph) {
  return with_stream(hStream, [&](Stream& stream) -> CUresult {
    if (phGraph != nullptr) *phGraph = nullptr;
    return end(stream, phGraph);
  });
}

CUresult cuStreamIsCapturing(CUstream hStream, CUstreamCaptureStatus* captureStatus) {
  return tell(hStream, {captureStatus, nullptr, nullptr, nullptr, nullptr, nullptr, true});
}

CUresult cuStreamGetCaptureInfo(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                cuuint64_t* id_out) {
  return tell(hStream, {captureStatus_out, id_out, nullptr, nullptr, nullptr, nullptr, true});
}

CUresult cuStreamGetCaptureInfo_v2(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   size_t* numDependencies_out) {
  return tell(hStream, {captureStatus_out, id_out, graph_out, dependencies_out, nullptr,
                        numDependencies_out, false});
}

CUresult cuStreamGetCaptureInfo_v3(CUstream hStream, CUstreamCaptureStatus* captureStatus_out,
                                   cuuint64_t* id_out, CUgraph* graph_out,
                                   const CUgraphNode** dependencies_out,
                                   const CUgraphEdgeData** edgeData_out,
                                   size_t* numDependencies_out) {
  return tell(hStream, {captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
                        numDependencies_out, true});
}

CUresult cuStreamUpdateCaptureDependencies(CUstream hStream, CUgraphNode* dependencies,
                                           size_t numDependencies, unsigned int flags) {
  return update(hStream, dependencies, nullptr, numDependencies, flags);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream hStream, CUgraphNode* dependencies,
                                              const CUgraphEdgeData* dependencyData,
                                              size_t numDependencies, unsigned int flags) {
  return update(hStream, dependencies, dependencyData, numDependencies, flags);
}

}  // extern "C"
