// SPDX-License-Identifier: MIT
#include "cuda/graph_exec.h"

#include <string>
#include <utility>
#include <vector>

#include "cuda/capture.h"
#include "cuda/release_after_work.h"

namespace pycuda::cuda {
namespace {

/// Why the driver did not take an update; empty where it does not say.
std::string refusal(CUgraphExecUpdateResult result) {
  switch (result) {
    case CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED:
      return "the graph has other nodes or edges: instantiate it";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED:
      return "a node is of another type: instantiate the graph";
    case CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED:
    case CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE:
      return "a node has another kernel, which this driver does not exchange: instantiate the "
             "graph";
    case CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED:
    case CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED:
      return "parameters of a node differ in a way that this driver does not exchange: instantiate "
             "the graph";
    case CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED:
      return "a node is of a type that this driver does not update: instantiate the graph";
    default:
      return {};
  }
}

}  // namespace

GraphExec::GraphExec(std::shared_ptr<const Graph> graph, unsigned long long flags)
    : graph_(std::move(graph)), exec_(graph_->context()) {
  const ContextScope scope(context());
  const CaptureTolerance tolerance(exec_.driver());
  exec_.driver().cuGraphInstantiateWithFlags(exec_.out(), graph_->handle(), flags);
}

GraphExec::~GraphExec() {
  try {
    leave_to_launches();
  } catch (...) {  // no memory to hand things over: the launches are most likely done
  }
}

void GraphExec::leave_to_launches() const {
  if (!launched_.load()) return;
  if (graph_->resources()->empty() && !updated_from_ && set_arguments_.empty()) return;
  const auto kept = std::make_shared<GraphResources>();
  keep_in(*kept);
  release_after_work(context(), kept);
}

void GraphExec::keep_in(GraphResources& resources) const {
  resources.keep(graph_);
  if (updated_from_) resources.keep(updated_from_);
  for (const auto& [node, set] : set_arguments_) {
    if (set.module) resources.keep(set.module);
    if (set.kept) resources.keep(set.kept);
  }
}

void GraphExec::launch(CUstream stream) const {
  const ContextScope scope(context());
  if (any_capture()) [[unlikely]] {
    if (const std::shared_ptr<Capture> capture = Capture::of_stream(stream))
      keep_in(*capture->resources());
  }
  exec_.driver().cuGraphLaunch(handle(), stream_for_work(stream));
  launched_.store(true, std::memory_order_relaxed);
}

void GraphExec::upload(CUstream stream) const {
  const ContextScope scope(context());
  exec_.driver().cuGraphUpload(handle(), stream);
}

void GraphExec::update(std::shared_ptr<const Graph> graph) {
  const ContextScope scope(context());
  require_alive(graph->context());
  const auto& update = exec_.driver().cuGraphExecUpdate;
  CUgraphExecUpdateResultInfo result{};
  const CUresult code = update.status(handle(), graph->handle(), &result);
  if (code != CUDA_SUCCESS) throw update.error(code, refusal(result.result));
  // Launches under way may still use what the former graph kept.
  if (updated_from_) leave_to_launches();
  updated_from_ = std::move(graph);
  set_arguments_.clear();
}

void GraphExec::set_kernel(CUgraphNode node, const Kernel& kernel, const LaunchShape& shape,
                           const void* arguments, std::size_t bytes,
                           std::shared_ptr<const void> kept) {
  const ContextScope scope(kernel.context());
  const KernelNode parameters(kernel, shape, arguments, bytes);
  exec_.driver().cuGraphExecKernelNodeSetParams(handle(), node, parameters.parameters());
  set_arguments_.insert_or_assign(node, SetArguments{kernel.module(), std::move(kept)});
}

void GraphExec::set_memory_operations(CUgraphNode node, const MemoryOperations& operations,
                                      std::shared_ptr<const void> kept) {
  const CUDA_BATCH_MEM_OP_NODE_PARAMS parameters = parameters_of(operations, context()->handle());
  exec_.driver().cuGraphExecBatchMemOpNodeSetParams(handle(), node, &parameters);
  set_arguments_.insert_or_assign(node, SetArguments{nullptr, std::move(kept)});
}

void GraphExec::keep(CUgraphNode node, std::shared_ptr<const void> kept) {
  set_arguments_.insert_or_assign(node, SetArguments{nullptr, std::move(kept)});
}

void GraphExec::set_enabled(CUgraphNode node, bool enabled) {
  const ContextScope scope(context());
  exec_.driver().cuGraphNodeSetEnabled(handle(), node, enabled ? 1 : 0);
}

bool GraphExec::is_enabled(CUgraphNode node) const {
  const ContextScope scope(context());
  unsigned int enabled = 0;
  exec_.driver().cuGraphNodeGetEnabled(handle(), node, &enabled);
  return enabled != 0;
}

}  // namespace pycuda::cuda
