// SPDX-License-Identifier: MIT
// Launching kernels: what is checked, and how parameters are packed.
#pragma once

#include <string>

#include "cpu/api/cluster.h"
#include "cpu/api/cuda_abi.h"
#include "cpu/api/module.h"
#include "cpu/api/stream.h"

namespace pycuda::cpu::api {

struct LaunchShape {
  Dim3 grid;
  Dim3 block;
  unsigned dynamic_shared_bytes = 0;
  bool cooperative = false;
  Dim3 cluster{0, 0, 0};  ///< the launch's attribute; zeros: it has none
  /// Of a launch that is captured: its node is one that kernels may change, and its handle for them
  /// goes there.
  CUgraphDeviceNode* updatable = nullptr;
};

/// The function a launch names: a CUfunction, or a CUkernel, which stands for its function in
/// `context`.
CUresult find_function(Context& context, CUfunction handle, Function** function);

/// Checks grid, block and shared memory against the kernel and the device: what launches by kernels
/// must fit as well.
CUresult check_size(const KernelFacts& facts, unsigned max_dynamic_shared_bytes,
                    const LaunchShape& shape);

/// Checks the shape against the kernel and the device, as a GPU's driver does.
CUresult check_shape(const Function& function, const LaunchShape& shape, Clusters* clusters);

/// What a launch of this function needs, checked; the parameters are packed already. INVALID_HANDLE
/// for a function of another context.
CUresult make_request(Function& function, Context& context, const LaunchShape& shape,
                      std::string params, exec::LaunchRequest* request);

/// Queues the kernel with parameters that are packed already.
CUresult launch(Function& function, Stream& stream, const LaunchShape& shape, std::string params);

/// Packs the parameters of either argument style.
CUresult pack_params(const KernelFacts& facts, void** kernel_params, void** extra,
                     std::string* params);

}  // namespace pycuda::cpu::api
