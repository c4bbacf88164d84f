// SPDX-License-Identifier: MIT
// Nodes that copy memory: boxes, lines, to and from symbols.
#include "cudart/copy_box.h"
#include "cudart/graph_node_params.h"

namespace pycuda::cudart {
namespace {

/// What makes the copy of a node: `make(driver, &box)`.
template <class Make>
cudaError_t add_copy(const char* name, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, size_t count, Make&& make) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUDA_MEMCPY3D box;
    CUcontext context = nullptr;
    cudaError_t status = make(driver, &box);
    if (status == cudaSuccess) status = current_context(driver, &context);
    if (status != cudaSuccess) return status;
    return to_runtime(
        call(driver.cuGraphAddMemcpyNode, node, graph, dependencies, count, &box, context));
  });
}

template <class Make>
cudaError_t set_copy(const char* name, cudaGraphNode_t node, Make&& make) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUDA_MEMCPY3D box;
    const cudaError_t status = make(driver, &box);
    return status == cudaSuccess ? to_runtime(call(driver.cuGraphMemcpyNodeSetParams, node, &box))
                                 : status;
  });
}

template <class Make>
cudaError_t set_copy(const char* name, cudaGraphExec_t graph, cudaGraphNode_t node, Make&& make) {
  return with_context(name, [&](const DriverTable& driver) -> cudaError_t {
    CUDA_MEMCPY3D box;
    CUcontext context = nullptr;
    cudaError_t status = make(driver, &box);
    if (status == cudaSuccess) status = current_context(driver, &context);
    if (status != cudaSuccess) return status;
    return to_runtime(call(driver.cuGraphExecMemcpyNodeSetParams, graph, node, &box, context));
  });
}

auto box_of(const cudaMemcpy3DParms* copy) {
  return [=](const DriverTable& driver, CUDA_MEMCPY3D* box) {
    return copy == nullptr ? cudaErrorInvalidValue : to_box(driver, *copy, box);
  };
}

auto line_of(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return
      [=](const DriverTable&, CUDA_MEMCPY3D* box) { return to_line(dst, src, count, kind, box); };
}

auto to_symbol(const void* symbol, const void* src, size_t count, size_t offset,
               cudaMemcpyKind kind) {
  return [=](const DriverTable& driver, CUDA_MEMCPY3D* box) {
    CUdeviceptr address = 0;
    const cudaError_t status = find_symbol_range(driver, symbol, offset, count, &address);
    return status == cudaSuccess ? to_line(as<void*>(address), src, count, kind, box) : status;
  };
}

auto from_symbol(void* dst, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return [=](const DriverTable& driver, CUDA_MEMCPY3D* box) {
    CUdeviceptr address = 0;
    const cudaError_t status = find_symbol_range(driver, symbol, offset, count, &address);
    return status == cudaSuccess ? to_line(dst, as<const void*>(address), count, kind, box)
                                 : status;
  };
}

}  // namespace
}  // namespace pycuda::cudart

using namespace pycuda::cudart;

CUDART_API cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                  const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                  const cudaMemcpy3DParms* pCopyParams) {
  return add_copy("cudaGraphAddMemcpyNode", pGraphNode, graph, pDependencies, numDependencies,
                  box_of(pCopyParams));
}

CUDART_API cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                    const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                    void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return add_copy("cudaGraphAddMemcpyNode1D", pGraphNode, graph, pDependencies, numDependencies,
                  line_of(dst, src, count, kind));
}

CUDART_API cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                          const cudaGraphNode_t* pDependencies,
                                          size_t numDependencies, const void* symbol,
                                          const void* src, size_t count, size_t offset,
                                          cudaMemcpyKind kind) {
  return add_copy("cudaGraphAddMemcpyNodeToSymbol", pGraphNode, graph, pDependencies,
                  numDependencies, to_symbol(symbol, src, count, offset, kind));
}

CUDART_API cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                            const cudaGraphNode_t* pDependencies,
                                            size_t numDependencies, void* dst, const void* symbol,
                                            size_t count, size_t offset, cudaMemcpyKind kind) {
  return add_copy("cudaGraphAddMemcpyNodeFromSymbol", pGraphNode, graph, pDependencies,
                  numDependencies, from_symbol(dst, symbol, count, offset, kind));
}

CUDART_API cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
  return with_context(
      "cudaGraphMemcpyNodeGetParams", [&](const DriverTable& driver) -> cudaError_t {
        if (pNodeParams == nullptr) return cudaErrorInvalidValue;
        CUDA_MEMCPY3D box{};
        const CUresult code = driver.cuGraphMemcpyNodeGetParams.status(node, &box);
        return code == CUDA_SUCCESS ? from_box(driver, box, pNodeParams) : to_runtime(code);
      });
}

CUDART_API cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node,
                                        const cudaMemcpy3DParms* pNodeParams) {
  return set_copy("cudaGraphMemcpyNodeSetParams", node, box_of(pNodeParams));
}

CUDART_API cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src,
                                          size_t count, cudaMemcpyKind kind) {
  return set_copy("cudaGraphMemcpyNodeSetParams1D", node, line_of(dst, src, count, kind));
}

CUDART_API cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol,
                                                const void* src, size_t count, size_t offset,
                                                cudaMemcpyKind kind) {
  return set_copy("cudaGraphMemcpyNodeSetParamsToSymbol", node,
                  to_symbol(symbol, src, count, offset, kind));
}

CUDART_API cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst,
                                                  const void* symbol, size_t count, size_t offset,
                                                  cudaMemcpyKind kind) {
  return set_copy("cudaGraphMemcpyNodeSetParamsFromSymbol", node,
                  from_symbol(dst, symbol, count, offset, kind));
}

CUDART_API cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                            const cudaMemcpy3DParms* pNodeParams) {
  return set_copy("cudaGraphExecMemcpyNodeSetParams", hGraphExec, node, box_of(pNodeParams));
}

CUDART_API cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                              void* dst, const void* src, size_t count,
                                              cudaMemcpyKind kind) {
  return set_copy("cudaGraphExecMemcpyNodeSetParams1D", hGraphExec, node,
                  line_of(dst, src, count, kind));
}

CUDART_API cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec,
                                                    cudaGraphNode_t node, const void* symbol,
                                                    const void* src, size_t count, size_t offset,
                                                    cudaMemcpyKind kind) {
  return set_copy("cudaGraphExecMemcpyNodeSetParamsToSymbol", hGraphExec, node,
                  to_symbol(symbol, src, count, offset, kind));
}

CUDART_API cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec,
                                                      cudaGraphNode_t node, void* dst,
                                                      const void* symbol, size_t count,
                                                      size_t offset, cudaMemcpyKind kind) {
  return set_copy("cudaGraphExecMemcpyNodeSetParamsFromSymbol", hGraphExec, node,
                  from_symbol(dst, symbol, count, offset, kind));
}
