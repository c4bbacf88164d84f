// SPDX-License-Identifier: MIT
// Which changes an executable graph can take over.
#include <algorithm>
#include <unordered_map>

#include "cpu/api/graph_exec.h"

namespace pycuda::cpu::api {
namespace {

bool is_flat(const CUDA_MEMSET_NODE_PARAMS& spec) { return spec.height <= 1; }

bool calls_device_runtime(const KernelAction& action) {
  return action.facts->calls_device_runtime();
}

struct Compare {
  const NodeAction& want;

  CUgraphExecUpdateResult operator()(const KernelAction& have) const {
    const auto& other = std::get<KernelAction>(want);
    if (have.context != other.context ||
        (calls_device_runtime(other) && !calls_device_runtime(have)))
      return CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE;
    if (have.request.cooperative != other.request.cooperative)
      return CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED;
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
  }
  CUgraphExecUpdateResult operator()(const CopyAction& have) const {
    const auto& other = std::get<CopyAction>(want);
    return have.spec.dstMemoryType == other.spec.dstMemoryType &&
                   have.spec.srcMemoryType == other.spec.srcMemoryType
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  CUgraphExecUpdateResult operator()(const FillAction& have) const {
    const CUDA_MEMSET_NODE_PARAMS& other = std::get<FillAction>(want).spec;
    if (is_flat(have.spec) && is_flat(other)) return CU_GRAPH_EXEC_UPDATE_SUCCESS;
    return have.spec.width == other.width && have.spec.height == other.height &&
                   have.spec.pitch == other.pitch && have.spec.elementSize == other.elementSize
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  // What a graph has allocated stays where it is.
  CUgraphExecUpdateResult operator()(const AllocAction& have) const {
    return have.allocation == std::get<AllocAction>(want).allocation
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
  }
  CUgraphExecUpdateResult operator()(const FreeAction& have) const {
    return have.allocation == std::get<FreeAction>(want).allocation
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED;
  }
  // Addresses, values and flags may change, not what is done.
  CUgraphExecUpdateResult operator()(const MemoryOperationsAction& have) const {
    const auto& other = std::get<MemoryOperationsAction>(want);
    const auto type = [](const CUstreamBatchMemOpParams& operation) { return operation.operation; };
    return have.context == other.context &&
                   std::ranges::equal(have.operations, other.operations, {}, type, type)
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  template <class Parameters>
  CUgraphExecUpdateResult operator()(const SemaphoreAction<Parameters>& have) const {
    const auto& other = std::get<SemaphoreAction<Parameters>>(want);
    return have.semaphores.size() == other.semaphores.size()
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  CUgraphExecUpdateResult operator()(const ConditionalAction& have) const {
    const auto& other = std::get<ConditionalAction>(want);
    return have.context == other.context && have.type == other.type &&
                   have.bodies.size() == other.bodies.size()
               ? CU_GRAPH_EXEC_UPDATE_SUCCESS
               : CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED;
  }
  template <class Action>
  CUgraphExecUpdateResult operator()(const Action&) const {
    return CU_GRAPH_EXEC_UPDATE_SUCCESS;
  }
};

using Places = std::unordered_map<const GraphNode*, std::size_t>;

Places places_of(const Graph& graph) {
  Places places;
  for (const auto& node : graph.nodes()) places.emplace(node.get(), places.size());
  return places;
}

/// The first dependency of `want` that `have` has not at that place, or null.
const GraphNode* other_dependency(const GraphNode& have, const Places& have_places,
                                  const GraphNode& want, const Places& want_places) {
  std::vector<std::size_t> known;
  for (const GraphNode::Link& link : have.dependencies())
    known.push_back(have_places.at(link.node));
  for (const GraphNode::Link& link : want.dependencies()) {
    if (std::ranges::find(known, want_places.at(link.node)) == known.end()) return link.node;
  }
  return nullptr;
}

}  // namespace

CUgraphExecUpdateResult compare_actions(const NodeAction& have, const NodeAction& want) {
  if (have.index() != want.index()) return CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
  return std::visit(Compare{want}, have);
}

CUgraphExecUpdateResult compare_for_update(const Graph& have, const Graph& want,
                                           CUgraphExecUpdateResultInfo* info) {
  *info = CUgraphExecUpdateResultInfo{};
  const auto differs = [&](CUgraphExecUpdateResult why, const GraphNode* node,
                           const GraphNode* from) {
    *info = {why, node != nullptr ? node->handle() : nullptr,
             from != nullptr ? from->handle() : nullptr};
    return why;
  };
  if (have.nodes().size() != want.nodes().size())
    return differs(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, nullptr, nullptr);
  const Places have_places = places_of(have);
  const Places want_places = places_of(want);
  for (std::size_t i = 0; i < want.nodes().size(); ++i) {
    const GraphNode& old_node = *have.nodes()[i];
    const GraphNode& new_node = *want.nodes()[i];
    if (old_node.dependencies().size() != new_node.dependencies().size())
      return differs(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, &new_node, nullptr);
    if (const GraphNode* other = other_dependency(old_node, have_places, new_node, want_places))
      return differs(CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED, &new_node, other);
    const CUgraphExecUpdateResult result = compare_actions(old_node.action, new_node.action);
    if (result != CU_GRAPH_EXEC_UPDATE_SUCCESS) return differs(result, &new_node, nullptr);
    const auto old_inside = graphs_in(old_node.action);
    const auto new_inside = graphs_in(new_node.action);
    for (std::size_t j = 0; j < new_inside.size(); ++j) {
      const CUgraphExecUpdateResult inner =
          compare_for_update(*old_inside[j], *new_inside[j], info);
      if (inner != CU_GRAPH_EXEC_UPDATE_SUCCESS) return inner;
    }
  }
  return CU_GRAPH_EXEC_UPDATE_SUCCESS;
}

}  // namespace pycuda::cpu::api
