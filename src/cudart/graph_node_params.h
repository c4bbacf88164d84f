// SPDX-License-Identifier: MIT
// Parameters of graph nodes that name functions of the program or contexts.
#pragma once

#include "cudart/registered_code.h"

namespace pycuda::cudart {

cudaError_t to_driver_params(const DriverTable& driver, const cudaKernelNodeParams& params,
                             CUDA_KERNEL_NODE_PARAMS* same);
void to_runtime_params(const DriverTable& driver, const CUDA_KERNEL_NODE_PARAMS& params,
                       cudaKernelNodeParams* same);

/// The parameters of any node. Those that live in a context get the current one.
cudaError_t to_driver_params(const DriverTable& driver, const cudaGraphNodeParams& params,
                             CUgraphNodeParams* same);
/// What a driver writes into the parameters of a new node: addresses and graphs.
void copy_outputs(const CUgraphNodeParams& from, cudaGraphNodeParams* to);

/// The current context.
cudaError_t current_context(const DriverTable& driver, CUcontext* context);

/// Both of CUDA 13's cudaGraphAddNode and of CUDA 12's two.
cudaError_t add_node(const DriverTable& driver, cudaGraphNode_t* node, cudaGraph_t graph,
                     const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                     size_t count, cudaGraphNodeParams* params);

}  // namespace pycuda::cudart
