// SPDX-License-Identifier: MIT
// Nodes of kernels, memory sets, host functions, graphs, events and allocations.
#include "cudart/graph_node_params.h"

using namespace pycuda::cudart;

CUDART_API cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                  const cudaKernelNodeParams* pNodeParams) {
  return with_context("cudaGraphAddKernelNode", [&](const DriverTable& driver) -> cudaError_t {
    if (pNodeParams == nullptr) return cudaErrorInvalidValue;
    CUDA_KERNEL_NODE_PARAMS same;
    const cudaError_t status = to_driver_params(driver, *pNodeParams, &same);
    return status == cudaSuccess ? to_runtime(call(driver.cuGraphAddKernelNode, pGraphNode, graph,
                                                   pDependencies, numDependencies, &same))
                                 : status;
  });
}

CUDART_API cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* pNodeParams) {
  return with_context("cudaGraphKernelNodeGetParams", [&](const DriverTable& driver) {
    if (pNodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS same{};
    const CUresult code = driver.cuGraphKernelNodeGetParams.status(node, &same);
    if (code == CUDA_SUCCESS) to_runtime_params(driver, same, pNodeParams);
    return code;
  });
}

CUDART_API cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                        const cudaKernelNodeParams* pNodeParams) {
  return with_context(
      "cudaGraphKernelNodeSetParams", [&](const DriverTable& driver) -> cudaError_t {
        if (pNodeParams == nullptr) return cudaErrorInvalidValue;
        CUDA_KERNEL_NODE_PARAMS same;
        const cudaError_t status = to_driver_params(driver, *pNodeParams, &same);
        return status == cudaSuccess
                   ? to_runtime(call(driver.cuGraphKernelNodeSetParams, node, &same))
                   : status;
      });
}

CUDART_API cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                            const cudaKernelNodeParams* pNodeParams) {
  return with_context(
      "cudaGraphExecKernelNodeSetParams", [&](const DriverTable& driver) -> cudaError_t {
        if (pNodeParams == nullptr) return cudaErrorInvalidValue;
        CUDA_KERNEL_NODE_PARAMS same;
        const cudaError_t status = to_driver_params(driver, *pNodeParams, &same);
        return status == cudaSuccess ? to_runtime(call(driver.cuGraphExecKernelNodeSetParams,
                                                       hGraphExec, node, &same))
                                     : status;
      });
}

CUDART_FORWARD(cudaGraphKernelNodeGetAttribute,
               (cudaGraphNode_t hNode, cudaKernelNodeAttrID attr,
                cudaKernelNodeAttrValue* value_out),
               cuGraphKernelNodeGetAttribute, hNode, attr, value_out)
CUDART_FORWARD(cudaGraphKernelNodeSetAttribute,
               (cudaGraphNode_t hNode, cudaKernelNodeAttrID attr,
                const cudaKernelNodeAttrValue* value),
               cuGraphKernelNodeSetAttribute, hNode, attr, value)

CUDART_API cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                  const cudaMemsetParams* pMemsetParams) {
  return with_context("cudaGraphAddMemsetNode", [&](const DriverTable& driver) -> cudaError_t {
    CUcontext context = nullptr;
    const cudaError_t status = current_context(driver, &context);
    return status == cudaSuccess
               ? to_runtime(call(driver.cuGraphAddMemsetNode, pGraphNode, graph, pDependencies,
                                 numDependencies, pMemsetParams, context))
               : status;
  });
}

CUDART_API cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                            const cudaMemsetParams* pNodeParams) {
  return with_context(
      "cudaGraphExecMemsetNodeSetParams", [&](const DriverTable& driver) -> cudaError_t {
        CUcontext context = nullptr;
        const cudaError_t status = current_context(driver, &context);
        return status == cudaSuccess ? to_runtime(call(driver.cuGraphExecMemsetNodeSetParams,
                                                       hGraphExec, node, pNodeParams, context))
                                     : status;
      });
}

CUDART_FORWARD(cudaGraphMemsetNodeGetParams, (cudaGraphNode_t node, cudaMemsetParams* pNodeParams),
               cuGraphMemsetNodeGetParams, node, pNodeParams)
CUDART_FORWARD(cudaGraphMemsetNodeSetParams,
               (cudaGraphNode_t node, const cudaMemsetParams* pNodeParams),
               cuGraphMemsetNodeSetParams, node, pNodeParams)

CUDART_FORWARD(cudaGraphAddHostNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies,
                const cudaHostNodeParams* pNodeParams),
               cuGraphAddHostNode, pGraphNode, graph, pDependencies, numDependencies, pNodeParams)
CUDART_FORWARD(cudaGraphHostNodeGetParams, (cudaGraphNode_t node, cudaHostNodeParams* pNodeParams),
               cuGraphHostNodeGetParams, node, pNodeParams)
CUDART_FORWARD(cudaGraphHostNodeSetParams,
               (cudaGraphNode_t node, const cudaHostNodeParams* pNodeParams),
               cuGraphHostNodeSetParams, node, pNodeParams)
CUDART_FORWARD(cudaGraphExecHostNodeSetParams,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                const cudaHostNodeParams* pNodeParams),
               cuGraphExecHostNodeSetParams, hGraphExec, node, pNodeParams)

CUDART_FORWARD(cudaGraphAddChildGraphNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies,
                cudaGraph_t childGraph),
               cuGraphAddChildGraphNode, pGraphNode, graph, pDependencies, numDependencies,
               childGraph)
CUDART_FORWARD(cudaGraphChildGraphNodeGetGraph, (cudaGraphNode_t node, cudaGraph_t* pGraph),
               cuGraphChildGraphNodeGetGraph, node, pGraph)
CUDART_FORWARD(cudaGraphExecChildGraphNodeSetParams,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaGraph_t childGraph),
               cuGraphExecChildGraphNodeSetParams, hGraphExec, node, childGraph)
CUDART_FORWARD(cudaGraphAddEmptyNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies),
               cuGraphAddEmptyNode, pGraphNode, graph, pDependencies, numDependencies)

CUDART_FORWARD(cudaGraphAddEventRecordNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies, cudaEvent_t event),
               cuGraphAddEventRecordNode, pGraphNode, graph, pDependencies, numDependencies, event)
CUDART_FORWARD(cudaGraphEventRecordNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t* event_out),
               cuGraphEventRecordNodeGetEvent, node, event_out)
CUDART_FORWARD(cudaGraphEventRecordNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
               cuGraphEventRecordNodeSetEvent, node, event)
CUDART_FORWARD(cudaGraphExecEventRecordNodeSetEvent,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event),
               cuGraphExecEventRecordNodeSetEvent, hGraphExec, hNode, event)
CUDART_FORWARD(cudaGraphAddEventWaitNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies, cudaEvent_t event),
               cuGraphAddEventWaitNode, pGraphNode, graph, pDependencies, numDependencies, event)
CUDART_FORWARD(cudaGraphEventWaitNodeGetEvent, (cudaGraphNode_t node, cudaEvent_t* event_out),
               cuGraphEventWaitNodeGetEvent, node, event_out)
CUDART_FORWARD(cudaGraphEventWaitNodeSetEvent, (cudaGraphNode_t node, cudaEvent_t event),
               cuGraphEventWaitNodeSetEvent, node, event)
CUDART_FORWARD(cudaGraphExecEventWaitNodeSetEvent,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event),
               cuGraphExecEventWaitNodeSetEvent, hGraphExec, hNode, event)

CUDART_FORWARD(cudaGraphAddMemAllocNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies,
                cudaMemAllocNodeParams* nodeParams),
               cuGraphAddMemAllocNode, pGraphNode, graph, pDependencies, numDependencies,
               nodeParams)
CUDART_FORWARD(cudaGraphMemAllocNodeGetParams,
               (cudaGraphNode_t node, cudaMemAllocNodeParams* params_out),
               cuGraphMemAllocNodeGetParams, node, params_out)
CUDART_FORWARD(cudaGraphAddMemFreeNode,
               (cudaGraphNode_t * pGraphNode, cudaGraph_t graph,
                const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dptr),
               cuGraphAddMemFreeNode, pGraphNode, graph, pDependencies, numDependencies, dptr)
CUDART_FORWARD(cudaGraphMemFreeNodeGetParams, (cudaGraphNode_t node, void* dptr_out),
               cuGraphMemFreeNodeGetParams, node, dptr_out)
