// SPDX-License-Identifier: MIT
#include "cpu/api/graph_condition.h"

#include <algorithm>

#include "cpu/api/error_detail.h"
#include "cpu/api/graph_edges.h"
#include "cpu/exec/graph_condition.h"

namespace pycuda::cpu::api {
namespace {

bool is_body_count(CUgraphConditionalNodeType type, unsigned count) {
  switch (type) {
    case CU_GRAPH_COND_TYPE_IF:
      return count == 1 || count == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
      return count == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
      return count != 0;
    default:
      return false;
  }
}

/// More bodies than any program has: the number is no garbage.
constexpr unsigned most_bodies = 1u << 20;

std::shared_ptr<OwnCondition> find_condition(const Graph& graph, CUgraphConditionalHandle handle) {
  for (const Graph* owner = &graph; owner != nullptr; owner = owner->parent()) {
    const auto found = std::ranges::find_if(
        owner->conditions, [&](const auto& own) { return own->condition->handle() == handle; });
    if (found != owner->conditions.end()) return *found;
  }
  return nullptr;
}

/// What the bodies of conditional nodes may not have, in words; null for what they may.
const char* foreign_to_bodies(const NodeAction& action) {
  struct Name {
    const char* operator()(const EmptyAction&) const { return nullptr; }
    const char* operator()(const KernelAction&) const { return nullptr; }
    const char* operator()(const CopyAction&) const { return nullptr; }
    const char* operator()(const FillAction&) const { return nullptr; }
    const char* operator()(const ConditionalAction&) const { return nullptr; }
    const char* operator()(const HostAction&) const { return "a host function"; }
    const char* operator()(const RecordAction&) const { return "an event's record"; }
    const char* operator()(const WaitAction&) const { return "a wait for an event"; }
    const char* operator()(const AllocAction&) const { return "an allocation"; }
    const char* operator()(const FreeAction&) const { return "a free"; }
    const char* operator()(const MemoryOperationsAction&) const { return "memory operations"; }
    const char* operator()(const SignalAction&) const { return "an external semaphore's signal"; }
    const char* operator()(const AwaitAction&) const { return "a wait for an external semaphore"; }
    const char* operator()(const ChildAction& child) const {
      for (const auto& node : child.graph->nodes()) {
        if (const char* name = foreign_to_bodies(node->action)) return name;
      }
      return nullptr;
    }
  };
  return std::visit(Name{}, action);
}

CUresult check_body(const Graph& body) {
  for (const auto& node : body.nodes()) {
    if (const char* name = foreign_to_bodies(node->action)) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  std::string(name) +
                      " cannot be in the body of a graph's conditional node: kernels, "
                      "copies, fills, child graphs and conditional nodes can");
    }
  }
  return check_bodies(body);
}

}  // namespace

CUresult check_bodies(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    const auto* conditional = std::get_if<ConditionalAction>(&node->action);
    if (conditional == nullptr) continue;
    for (const auto& body : conditional->bodies) {
      const CUresult status = check_body(*body);
      if (status != CUDA_SUCCESS) return status;
    }
  }
  return CUDA_SUCCESS;
}

bool uses_all_conditions(const Graph& graph) {
  return std::ranges::all_of(graph.conditions, [](const auto& own) { return own->used; }) &&
         std::ranges::all_of(graph.nodes(), [](const auto& node) {
           const auto* conditional = std::get_if<ConditionalAction>(&node->action);
           return conditional == nullptr ||
                  std::ranges::all_of(conditional->bodies,
                                      [](const auto& body) { return uses_all_conditions(*body); });
         });
}

CUresult make_conditional_action(CUDA_CONDITIONAL_NODE_PARAMS* params, const Graph& graph,
                                 ConditionalAction* action) {
  if (!is_body_count(params->type, params->size) || params->size > most_bodies)
    return CUDA_ERROR_INVALID_VALUE;
  Context* context = nullptr;
  const CUresult status = find_node_context(params->ctx, &context);
  if (status != CUDA_SUCCESS) return status;
  const std::shared_ptr<OwnCondition> own = find_condition(graph, params->handle);
  if (own == nullptr || own->used || own->context != context->handle())
    return CUDA_ERROR_INVALID_VALUE;
  action->context = context->handle();
  action->condition = own->condition;
  action->type = params->type;
  action->handles = std::make_shared<std::vector<CUgraph>>();
  for (unsigned i = 0; i < params->size; ++i) {
    action->bodies.push_back(std::make_shared<Graph>(Graph::Kind::Child, &graph));
    action->handles->push_back(action->bodies.back()->handle());
  }
  params->phGraph_out = action->handles->data();
  own->used = true;
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph,
                                        CUcontext ctx, unsigned int defaultLaunchValue,
                                        unsigned int flags) {
  return with_graph(hGraph, [&](Graph& graph) -> CUresult {
    if (pHandle_out == nullptr || (flags & ~unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT}) != 0)
      return CUDA_ERROR_INVALID_VALUE;
    // As on a GPU, null does not stand for the current context here.
    if (ctx == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    Context* context = nullptr;
    const CUresult status = find_node_context(ctx, &context);
    if (status != CUDA_SUCCESS) return status;
    auto own = std::make_shared<OwnCondition>();
    own->condition = std::make_shared<pycuda::cpu::exec::GraphCondition>(
        defaultLaunchValue, (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0);
    own->context = context->handle();
    *pHandle_out = own->condition->handle();
    graph.conditions.push_back(std::move(own));
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
