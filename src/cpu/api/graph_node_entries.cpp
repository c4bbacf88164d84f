// SPDX-License-Identifier: MIT
// cuGraph*Node*: asking nodes for their parameters and attributes, and changing them.
#include "cpu/api/error_detail.h"
#include "cpu/api/graph_edges.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/graph_params.h"

namespace pycuda::cpu::api {
namespace {

/// Fills in what both versions of the structure have.
template <class Params>
void tell_kernel(GraphNode& node, KernelAction& action, Params* params) {
  const exec::LaunchRequest& request = action.request;
  node.argument_pointers.clear();
  for (const KernelParameter& parameter : action.facts->parameters)
    node.argument_pointers.push_back(action.request.params.data() + parameter.offset);
  *params = Params{};
  params->func = action.function;
  params->gridDimX = request.grid.x;
  params->gridDimY = request.grid.y;
  params->gridDimZ = request.grid.z;
  params->blockDimX = request.block.x;
  params->blockDimY = request.block.y;
  params->blockDimZ = request.block.z;
  params->sharedMemBytes = request.dynamic_shared_bytes;
  params->kernelParams = node.argument_pointers.empty() ? nullptr : node.argument_pointers.data();
}

/// Gives a node other parameters: `make` (Action*).
template <class Action, class Make>
CUresult change_node(CUgraphNode handle, Make&& make) noexcept {
  return with_action<Action>(handle, [&](GraphNode& node, Action&) -> CUresult {
    Action made;
    const CUresult status = make(&made);
    return status == CUDA_SUCCESS ? replace_action(&node, std::move(made)) : status;
  });
}

CUresult change_kernel(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS_v2& params) {
  return change_node<KernelAction>(
      handle, [&](KernelAction* action) { return make_kernel_action(params, action); });
}

template <class Action>
CUresult tell_event(CUgraphNode handle, CUevent* event) {
  return with_action<Action>(handle, [&](GraphNode&, const Action& action) -> CUresult {
    if (event == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *event = action.handle;
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return with_action<KernelAction>(hNode, [&](GraphNode& node, KernelAction& action) -> CUresult {
    if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
    tell_kernel(node, action, nodeParams);
    nodeParams->kern = action.kernel;
    nodeParams->ctx = action.context;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return with_action<KernelAction>(hNode, [&](GraphNode& node, KernelAction& action) -> CUresult {
    if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
    tell_kernel(node, action, nodeParams);
    if (action.kernel != nullptr) nodeParams->func = reinterpret_cast<CUfunction>(action.kernel);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode,
                                       const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return with_driver([] { return CUDA_ERROR_INVALID_VALUE; });
  return change_kernel(hNode, *nodeParams);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode,
                                    const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  if (nodeParams == nullptr) return with_driver([] { return CUDA_ERROR_INVALID_VALUE; });
  return change_kernel(hNode, with_no_library(*nodeParams));
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       CUkernelNodeAttrValue* value_out) {
  return with_action<KernelAction>(hNode, [&](GraphNode&, const KernelAction& action) -> CUresult {
    if (value_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = check_node_attribute(attr, {});
    if (status != CUDA_SUCCESS) return status;
    const auto found = action.attributes.find(attr);
    *value_out = found != action.attributes.end() ? found->second : CUkernelNodeAttrValue{};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr,
                                       const CUkernelNodeAttrValue* value) {
  return with_action<KernelAction>(hNode, [&](GraphNode&, KernelAction& action) -> CUresult {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult status = set_node_attribute(&action, attr, *value);
    // The handle comes back in the value that asks for it.
    const bool gives = attr == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE &&
                       value->deviceUpdatableKernelNode.deviceUpdatable == 1;
    if (status == CUDA_SUCCESS && gives)
      const_cast<CUkernelNodeAttrValue*>(value)->deviceUpdatableKernelNode.devNode =
          make_updatable(&action);
    return status;
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  return with_action<KernelAction>(src, [&](GraphNode&, const KernelAction& from) {
    return with_action<KernelAction>(dst, [&](GraphNode&, KernelAction& to) -> CUresult {
      if (from.request.updates != nullptr || to.request.updates != nullptr) {
        return fail(CUDA_ERROR_INVALID_VALUE,
                    "attributes of a node that kernels may change cannot be copied");
      }
      copy_attributes(from, &to);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return with_action<CopyAction>(hNode, [&](GraphNode&, const CopyAction& action) -> CUresult {
    if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *nodeParams = action.spec;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return with_action<CopyAction>(hNode, [&](GraphNode& node, const CopyAction& before) -> CUresult {
    CopyAction made;
    const CUresult status = make_copy_action(nodeParams, before.context, &made);
    return status == CUDA_SUCCESS ? replace_action(&node, made) : status;
  });
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return with_action<FillAction>(hNode, [&](GraphNode&, const FillAction& action) -> CUresult {
    if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *nodeParams = action.spec;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return with_action<FillAction>(hNode, [&](GraphNode& node, const FillAction& before) -> CUresult {
    FillAction made;
    const CUresult status = make_fill_action(nodeParams, before.context, &made);
    return status == CUDA_SUCCESS ? replace_action(&node, made) : status;
  });
}

CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return with_action<HostAction>(hNode, [&](GraphNode&, const HostAction& action) -> CUresult {
    if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *nodeParams = CUDA_HOST_NODE_PARAMS{action.function, action.data};
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return change_node<HostAction>(hNode, [&](HostAction* action) {
    return nodeParams != nullptr ? make_host_action(nodeParams->fn, nodeParams->userData, action)
                                 : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return with_action<ChildAction>(hNode, [&](GraphNode&, const ChildAction& action) -> CUresult {
    if (phGraph == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *phGraph = action.graph->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return tell_event<RecordAction>(hNode, event_out);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return change_node<RecordAction>(
      hNode, [&](RecordAction* action) { return make_record_action(event, action); });
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return tell_event<WaitAction>(hNode, event_out);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return change_node<WaitAction>(
      hNode, [&](WaitAction* action) { return make_wait_action(event, action); });
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return with_action<AllocAction>(hNode, [&](GraphNode&, const AllocAction& action) -> CUresult {
    if (params_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *params_out = action.allocation->params();
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
  return with_action<FreeAction>(hNode, [&](GraphNode&, const FreeAction& action) -> CUresult {
    if (dptr_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *dptr_out = action.address;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode,
                                        CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return with_action<MemoryOperationsAction>(
      hNode, [&](GraphNode&, MemoryOperationsAction& action) -> CUresult {
        if (nodeParams_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
        // The array is the node's own, as with NVIDIA's driver.
        *nodeParams_out = {action.context, static_cast<unsigned>(action.operations.size()),
                           action.operations.data(), action.flags};
        return CUDA_SUCCESS;
      });
}

CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode,
                                        const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return change_node<MemoryOperationsAction>(hNode, [&](MemoryOperationsAction* action) {
    return make_memory_operations_action(nodeParams, action);
  });
}

CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  return with_node(hNode, [&](GraphNode& node) -> CUresult {
    if (nodeParams == nullptr || nodeParams->type != node.type()) return CUDA_ERROR_INVALID_VALUE;
    NodeAction made;
    const CUresult status = make_action(nodeParams, nullptr, &made);
    return status == CUDA_SUCCESS ? replace_action(&node, std::move(made)) : status;
  });
}

}  // extern "C"
