// SPDX-License-Identifier: MIT
// Graphs as a whole: making, asking, instantiating and launching them.
#include "cudart/graph_node_params.h"

using namespace pycuda::cudart;

CUDART_FORWARD(cudaGraphCreate, (cudaGraph_t * pGraph, unsigned int flags), cuGraphCreate, pGraph,
               flags)
CUDART_FORWARD(cudaGraphDestroy, (cudaGraph_t graph), cuGraphDestroy, graph)
CUDART_FORWARD(cudaGraphClone, (cudaGraph_t * pGraphClone, cudaGraph_t originalGraph), cuGraphClone,
               pGraphClone, originalGraph)
CUDART_FORWARD(cudaGraphNodeFindInClone,
               (cudaGraphNode_t * pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph),
               cuGraphNodeFindInClone, pNode, originalNode, clonedGraph)
CUDART_FORWARD(cudaGraphNodeGetType, (cudaGraphNode_t node, cudaGraphNodeType* pType),
               cuGraphNodeGetType, node, pType)
CUDART_FORWARD(cudaGraphGetNodes, (cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes),
               cuGraphGetNodes, graph, nodes, numNodes)
CUDART_FORWARD(cudaGraphGetRootNodes,
               (cudaGraph_t graph, cudaGraphNode_t* pRootNodes, size_t* pNumRootNodes),
               cuGraphGetRootNodes, graph, pRootNodes, pNumRootNodes)
CUDART_FORWARD(cudaGraphDestroyNode, (cudaGraphNode_t node), cuGraphDestroyNode, node)
CUDART_FORWARD(cudaGraphDebugDotPrint, (cudaGraph_t graph, const char* path, unsigned int flags),
               cuGraphDebugDotPrint, graph, path, flags)

CUDART_FORWARD(cudaGraphInstantiate,
               (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
               cuGraphInstantiateWithFlags, pGraphExec, graph, flags)
CUDART_FORWARD(cudaGraphInstantiateWithFlags,
               (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, unsigned long long flags),
               cuGraphInstantiateWithFlags, pGraphExec, graph, flags)
CUDART_FORWARD(cudaGraphInstantiateWithParams,
               (cudaGraphExec_t * pGraphExec, cudaGraph_t graph,
                cudaGraphInstantiateParams* instantiateParams),
               cuGraphInstantiateWithParams, pGraphExec, graph, instantiateParams)
CUDART_FORWARD(cudaGraphExecGetFlags, (cudaGraphExec_t graphExec, unsigned long long* flags),
               cuGraphExecGetFlags, graphExec, flags)
CUDART_FORWARD(cudaGraphExecUpdate,
               (cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                cudaGraphExecUpdateResultInfo* resultInfo),
               cuGraphExecUpdate, hGraphExec, hGraph, resultInfo)
CUDART_FORWARD(cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream), cuGraphUpload,
               graphExec, stream)
CUDART_FORWARD(cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream), cuGraphLaunch,
               graphExec, stream)
CUDART_FORWARD(cudaGraphExecDestroy, (cudaGraphExec_t graphExec), cuGraphExecDestroy, graphExec)
CUDART_FORWARD(cudaGraphNodeSetEnabled,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int isEnabled),
               cuGraphNodeSetEnabled, hGraphExec, hNode, isEnabled)
CUDART_FORWARD(cudaGraphNodeGetEnabled,
               (cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, unsigned int* isEnabled),
               cuGraphNodeGetEnabled, hGraphExec, hNode, isEnabled)

CUDART_API cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* pHandle_out,
                                            cudaGraph_t graph, unsigned int defaultLaunchValue,
                                            unsigned int flags) {
  return with_context("cudaGraphConditionalHandleCreate",
                      [&](const DriverTable& driver) -> cudaError_t {
                        CUcontext context = nullptr;
                        const cudaError_t status = current_context(driver, &context);
                        if (status != cudaSuccess) return status;
                        return to_runtime(call(driver.cuGraphConditionalHandleCreate, pHandle_out,
                                               graph, context, defaultLaunchValue, flags));
                      });
}

CUDART_API cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* nodeParams) {
  return with_context("cudaGraphNodeSetParams", [&](const DriverTable& driver) -> cudaError_t {
    if (nodeParams == nullptr) return cudaErrorInvalidValue;
    CUgraphNodeParams same;
    const cudaError_t status = to_driver_params(driver, *nodeParams, &same);
    return status == cudaSuccess ? to_runtime(call(driver.cuGraphNodeSetParams, node, &same))
                                 : status;
  });
}

CUDART_API cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                      cudaGraphNodeParams* nodeParams) {
  return with_context("cudaGraphExecNodeSetParams", [&](const DriverTable& driver) -> cudaError_t {
    if (nodeParams == nullptr) return cudaErrorInvalidValue;
    CUgraphNodeParams same;
    const cudaError_t status = to_driver_params(driver, *nodeParams, &same);
    return status == cudaSuccess
               ? to_runtime(call(driver.cuGraphExecNodeSetParams, graphExec, node, &same))
               : status;
  });
}

CUDART_FORWARD(cudaUserObjectCreate,
               (cudaUserObject_t * object_out, void* ptr, cudaHostFn_t destroy,
                unsigned int initialRefcount, unsigned int flags),
               cuUserObjectCreate, object_out, ptr, destroy, initialRefcount, flags)
CUDART_FORWARD(cudaUserObjectRetain, (cudaUserObject_t object, unsigned int count),
               cuUserObjectRetain, object, count)
CUDART_FORWARD(cudaUserObjectRelease, (cudaUserObject_t object, unsigned int count),
               cuUserObjectRelease, object, count)
CUDART_FORWARD(cudaGraphRetainUserObject,
               (cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags),
               cuGraphRetainUserObject, graph, object, count, flags)
CUDART_FORWARD(cudaGraphReleaseUserObject,
               (cudaGraph_t graph, cudaUserObject_t object, unsigned int count),
               cuGraphReleaseUserObject, graph, object, count)

CUDART_FORWARD(cudaDeviceGraphMemTrim, (int device), cuDeviceGraphMemTrim, device)
CUDART_FORWARD(cudaDeviceGetGraphMemAttribute,
               (int device, cudaGraphMemAttributeType attr, void* value),
               cuDeviceGetGraphMemAttribute, device, attr, value)
CUDART_FORWARD(cudaDeviceSetGraphMemAttribute,
               (int device, cudaGraphMemAttributeType attr, void* value),
               cuDeviceSetGraphMemAttribute, device, attr, value)
