// SPDX-License-Identifier: MIT
// Nodes from parameters of any kind.
#include "cpu/api/graph_params.h"

#include <algorithm>

#include "base/log.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/external_semaphore.h"
#include "cpu/api/graph_condition.h"
#include "cpu/api/graph_edges.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/memory_pool.h"
#include "cpu/api/virtual_device.h"

namespace pycuda::cpu::api {

CUresult refuse_in_graphs(const char* what) {
  return fail(CUDA_ERROR_NOT_SUPPORTED,
              std::string(what) + " in graphs are not supported by the CPU driver");
}

CUDA_KERNEL_NODE_PARAMS_v2 with_no_library(const CUDA_KERNEL_NODE_PARAMS_v1& params) {
  return {params.func,         params.gridDimX,  params.gridDimY,  params.gridDimZ,
          params.blockDimX,    params.blockDimY, params.blockDimZ, params.sharedMemBytes,
          params.kernelParams, params.extra,     nullptr,          nullptr};
}

CUresult make_alloc_action(CUDA_MEM_ALLOC_NODE_PARAMS* params, AllocAction* action) {
  if (params == nullptr || params->bytesize == 0) return CUDA_ERROR_INVALID_VALUE;
  const CUmemPoolProps& pool = params->poolProps;
  if (!is_pool_place(pool.allocType, pool.location) || pool.handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return CUDA_ERROR_INVALID_VALUE;
  // Nodes allocate where a device is, as on a GPU.
  if (pool.location.type == CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT &&
      pool.allocType == CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (pool.location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  VirtualDevice* device = find_device(pool.location.id);
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (params->accessDescCount != 0 && params->accessDescs == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  action->allocation = GraphAllocation::make(*device, *params);
  if (action->allocation == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  params->dptr = action->allocation->address();
  return CUDA_SUCCESS;
}

CUresult make_free_action(const Graph& graph, CUdeviceptr address, FreeAction* action) {
  const SharedAllocation found = find_graph_allocation(address);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const bool twice = std::ranges::any_of(graph.nodes(), [&](const auto& node) {
    const auto* other = std::get_if<FreeAction>(&node->action);
    return other != nullptr && other->address == address;
  });
  if (twice) return CUDA_ERROR_INVALID_VALUE;
  *action = FreeAction{address, found};
  return CUDA_SUCCESS;
}

CUresult make_child_action(CUgraph handle, ChildAction* action) {
  const Graph* graph = registry.graphs.find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (graph->has_memory_nodes() || graph->has_conditional_nodes() || graph->has_updatable_nodes())
    return CUDA_ERROR_NOT_SUPPORTED;
  action->graph = graph->clone(Graph::Kind::Child);
  return CUDA_SUCCESS;
}

namespace {

// Whether `graph` is `of` or one of the graphs in its nodes, however deep.
bool is_within(const Graph& of, const Graph* graph) {
  if (&of == graph) return true;
  return std::ranges::any_of(of.nodes(), [&](const auto& node) {
    const auto* child = std::get_if<ChildAction>(&node->action);
    return child != nullptr && is_within(*child->graph, graph);
  });
}

// The graph itself goes into the node, with its memory.
CUresult move_child(const CUDA_CHILD_GRAPH_NODE_PARAMS& params, const Graph* parent,
                    ChildAction* action) {
  Graph* graph = registry.graphs.find(params.graph);
  if (graph == nullptr || is_within(*graph, parent) || graph->kind() != Graph::Kind::Root ||
      graph->in_capture || *graph->instantiated) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (graph->has_conditional_nodes()) return CUDA_ERROR_NOT_SUPPORTED;
  graph->become_child();
  action->graph.reset(graph);
  return CUDA_SUCCESS;
}

template <class Action, class Make>
CUresult put(NodeAction* into, Make&& make) {
  Action made;
  const CUresult status = make(&made);
  if (status == CUDA_SUCCESS) *into = std::move(made);
  return status;
}

}  // namespace

CUresult make_action(CUgraphNodeParams* params, const Graph* graph, NodeAction* action) {
  if (params == nullptr || params->reserved0[0] != 0 || params->reserved0[1] != 0 ||
      params->reserved0[2] != 0 || params->reserved2 != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  switch (params->type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      const CUDA_KERNEL_NODE_PARAMS_v3& k = params->kernel;
      const CUDA_KERNEL_NODE_PARAMS_v2 same{
          k.func,      k.gridDimX,       k.gridDimY,     k.gridDimZ, k.blockDimX, k.blockDimY,
          k.blockDimZ, k.sharedMemBytes, k.kernelParams, k.extra,    k.kern,      k.ctx};
      return put<KernelAction>(action,
                               [&](KernelAction* made) { return make_kernel_action(same, made); });
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      if (params->memcpy.flags != 0 || params->memcpy.reserved != 0)
        return CUDA_ERROR_INVALID_VALUE;
      return put<CopyAction>(action, [&](CopyAction* made) {
        return make_copy_action(&params->memcpy.copyParams, params->memcpy.copyCtx, made);
      });
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const CUDA_MEMSET_NODE_PARAMS_v2& m = params->memset;
      const CUDA_MEMSET_NODE_PARAMS same{m.dst, m.pitch, m.value, m.elementSize, m.width, m.height};
      return put<FillAction>(
          action, [&](FillAction* made) { return make_fill_action(&same, m.ctx, made); });
    }
    case CU_GRAPH_NODE_TYPE_HOST:
      return put<HostAction>(action, [&](HostAction* made) {
        return make_host_action(params->host.fn, params->host.userData, made);
      });
    case CU_GRAPH_NODE_TYPE_GRAPH:
      return put<ChildAction>(action, [&](ChildAction* made) -> CUresult {
        if (params->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_CLONE)
          return make_child_action(params->graph.graph, made);
        if (params->graph.ownership != CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE || graph == nullptr)
          return CUDA_ERROR_INVALID_VALUE;
        return move_child(params->graph, graph, made);
      });
    case CU_GRAPH_NODE_TYPE_EMPTY:
      *action = EmptyAction{};
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return put<WaitAction>(action, [&](WaitAction* made) {
        return make_wait_action(params->eventWait.event, made);
      });
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return put<RecordAction>(action, [&](RecordAction* made) {
        return make_record_action(params->eventRecord.event, made);
      });
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC: {
      if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
      CUDA_MEM_ALLOC_NODE_PARAMS same{params->alloc.poolProps, params->alloc.accessDescs,
                                      params->alloc.accessDescCount, params->alloc.bytesize, 0};
      const CUresult status = put<AllocAction>(
          action, [&](AllocAction* made) { return make_alloc_action(&same, made); });
      if (status == CUDA_SUCCESS) params->alloc.dptr = same.dptr;
      return status;
    }
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
      return put<FreeAction>(action, [&](FreeAction* made) {
        return make_free_action(*graph, params->free.dptr, made);
      });
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL: {
      const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS_v2& all = params->extSemSignal;
      return put<SignalAction>(action, [&](SignalAction* made) {
        return make_semaphore_action({all.extSemArray, all.paramsArray, all.numExtSems}, made);
      });
    }
    case CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT: {
      const CUDA_EXT_SEM_WAIT_NODE_PARAMS_v2& all = params->extSemWait;
      return put<AwaitAction>(action, [&](AwaitAction* made) {
        return make_semaphore_action({all.extSemArray, all.paramsArray, all.numExtSems}, made);
      });
    }
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP: {
      const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& batch = params->memOp;
      const CUDA_BATCH_MEM_OP_NODE_PARAMS same{batch.ctx, batch.count, batch.paramArray,
                                               batch.flags};
      return put<MemoryOperationsAction>(action, [&](MemoryOperationsAction* made) {
        return make_memory_operations_action(&same, made);
      });
    }
    case CU_GRAPH_NODE_TYPE_CONDITIONAL:
      // What a node has cannot be changed.
      if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
      return put<ConditionalAction>(action, [&](ConditionalAction* made) {
        return make_conditional_action(&params->conditional, *graph, made);
      });
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult replace_action(GraphNode* node, NodeAction action) {
  if (node->action.index() != action.index()) return CUDA_ERROR_INVALID_VALUE;
  if (auto* after = std::get_if<KernelAction>(&action)) {
    copy_attributes(std::get<KernelAction>(node->action), after);
  }
  node->action = std::move(action);
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api
