// SPDX-License-Identifier: MIT
// cuLaunchKernel and its relatives.
#include "cpu/api/launch.h"

#include <cstring>
#include <string>

#include "cpu/api/capture.h"
#include "cpu/api/claimed_architecture.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/event.h"
#include "cpu/api/library.h"
#include "cpu/api/occupancy.h"
#include "cpu/api/stream_guard.h"
#include "cpu/exec/block_run.h"

namespace pycuda::cpu::api {

CUresult find_function(Context& context, CUfunction handle, Function** function) {
  *function = registry.functions.find(handle);
  if (*function != nullptr) [[likely]]
    return CUDA_SUCCESS;
  KernelHandle* kernel = registry.kernels.find(reinterpret_cast<CUkernel>(handle));
  return kernel != nullptr ? kernel->function_in(context, function) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult check_size(const KernelFacts& facts, unsigned max_dynamic_shared_bytes,
                    const LaunchShape& shape) {
  using Limits = DeviceLimits;
  const auto [gx, gy, gz] = shape.grid;
  const auto [bx, by, bz] = shape.block;
  if (gx == 0 || gy == 0 || gz == 0 || bx == 0 || by == 0 || bz == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (gx > Limits::grid_x || gy > Limits::grid_y || gz > Limits::grid_z)
    return CUDA_ERROR_INVALID_VALUE;
  if (bx > Limits::block_x || by > Limits::block_y || bz > Limits::block_z)
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t threads = std::uint64_t{bx} * by * bz;
  if (threads > Limits::threads_per_block || threads > facts.max_threads)
    return CUDA_ERROR_INVALID_VALUE;
  const Dim3& required = facts.required_block;
  if (required.x != 0 && (bx != required.x || by != required.y || bz != required.z))
    return CUDA_ERROR_INVALID_VALUE;
  return shape.dynamic_shared_bytes > max_dynamic_shared_bytes ? CUDA_ERROR_INVALID_VALUE
                                                               : CUDA_SUCCESS;
}

CUresult check_shape(const Function& function, const LaunchShape& shape, Clusters* clusters) {
  CUresult status = check_size(function.facts(), function.max_dynamic_shared_bytes(), shape);
  if (status != CUDA_SUCCESS) return status;
  status = find_clusters(function.clusters(), function.allows_non_portable_clusters(), shape.grid,
                         shape.cluster, clusters);
  if (status != CUDA_SUCCESS) return status;
  if (shape.cooperative) {
    const auto [gx, gy, gz] = shape.grid;
    const auto [bx, by, bz] = shape.block;
    const std::uint64_t resident =
        std::uint64_t{blocks_per_processor(function.facts(), function.registers(), bx * by * bz,
                                           shape.dynamic_shared_bytes)} *
        static_cast<unsigned>(function.module().context().device().processor_count());
    // Each factor is checked before the next one, so that nothing overflows.
    if (gx > resident || std::uint64_t{gx} * gy > resident ||
        std::uint64_t{gx} * gy * gz > resident)
      return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
  }
  return CUDA_SUCCESS;
}

namespace {

// What a stack has touched cannot be refused: the limit is asked for as a whole, at the launch.
[[gnu::noinline]] CUresult check_stacks(const exec::LaunchRequest& request) {
  if (exec::has_room_for_stacks(request)) return CUDA_SUCCESS;
  const std::uint64_t threads = exec::threads_on_own_stacks(request);
  const std::uint64_t bytes = request.kernel->bytes_of_thread(request.stack_bytes);
  return fail(
      CUDA_ERROR_OUT_OF_MEMORY,
      "the system refuses the memory for the stacks of " + std::to_string(threads) + " threads, " +
          std::to_string(bytes) +
          " bytes each: the kernel is compiled for a debugger, and CU_LIMIT_STACK_SIZE is " +
          std::to_string(request.stack_bytes));
}

// In this file alone, so that it becomes part of its callers.
inline CUresult prepare(Function& function, Context& context, const LaunchShape& shape,
                        std::string&& params, exec::LaunchRequest* request) {
  if (&function.module().context() != &context) return CUDA_ERROR_INVALID_HANDLE;
  Clusters clusters;
  CUresult status = check_shape(function, shape, &clusters);
  if (status != CUDA_SUCCESS) return status;
  status = function.load_for(shape.grid, shape.block, &request->kernel, &request->checks);
  if (status != CUDA_SUCCESS) return status;
  request->keep_alive = function.module().image();
  request->grid = shape.grid;
  request->block = shape.block;
  request->dynamic_shared_bytes = shape.dynamic_shared_bytes;
  request->cooperative = shape.cooperative;
  request->cluster = clusters.blocks;
  request->explicit_cluster = clusters.is_explicit;
  request->stack_bytes = context.stack_bytes();
  request->processor_warps =
      claimed_architecture().threads_per_processor / DeviceLimits::warp_lanes;
  request->params = std::move(params);
  return request->kernel->own_stacks ? check_stacks(*request) : CUDA_SUCCESS;
}

[[gnu::noinline]] CUresult capture_launch(Function& function, Stream& stream,
                                          const LaunchShape& shape, std::string params) {
  if (&function.module().context() != &stream.context()) return CUDA_ERROR_INVALID_HANDLE;
  KernelAction action;
  const CUresult status = make_kernel_action(function, shape, std::move(params), &action);
  if (status != CUDA_SUCCESS) return status;
  action.request.processors = stream.processors();
  action.attributes[CU_LAUNCH_ATTRIBUTE_PRIORITY].priority = stream.priority();
  if (shape.updatable != nullptr) *shape.updatable = make_updatable(&action);
  return capture(stream, std::move(action));
}

}  // namespace

CUresult make_request(Function& function, Context& context, const LaunchShape& shape,
                      std::string params, exec::LaunchRequest* request) {
  return prepare(function, context, shape, std::move(params), request);
}

CUresult launch(Function& function, Stream& stream, const LaunchShape& shape, std::string params) {
  if (stream.in_capture()) [[unlikely]]
    return capture_launch(function, stream, shape, std::move(params));
  if (shape.updatable != nullptr) [[unlikely]]
    return fail(
        CUDA_ERROR_INVALID_VALUE,
        "CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE is for launches that a stream captures");
  if (function.facts().launches_graphs) [[unlikely]] {
    return fail(CUDA_ERROR_NOT_SUPPORTED,
                "the kernel launches graphs, so it must be a node of a graph itself");
  }
  exec::LaunchRequest request;
  const CUresult status = prepare(function, stream.context(), shape, std::move(params), &request);
  if (status != CUDA_SUCCESS) return status;
  request.processors = stream.processors();
  stream.ordered().launch(std::move(request));
  return CUDA_SUCCESS;
}

namespace {

// `extra`: name, value, name, value ... CU_LAUNCH_PARAM_END. The buffer holds the parameters as the
// kernel sees them.
CUresult pack_buffer(const KernelFacts& facts, void** extra, std::string* params) {
  const void* buffer = nullptr;
  const std::size_t* bytes = nullptr;
  for (std::size_t i = 0; extra[i] != CU_LAUNCH_PARAM_END; i += 2) {
    if (extra[i] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = extra[i + 1];
    } else if (extra[i] == CU_LAUNCH_PARAM_BUFFER_SIZE) {
      bytes = static_cast<const std::size_t*>(extra[i + 1]);
    } else {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  const std::size_t given = bytes != nullptr ? *bytes : 0;
  if (given > facts.parameter_bytes) return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (facts.parameter_bytes == 0) return CUDA_SUCCESS;
  if (buffer == nullptr || given == 0) return CUDA_ERROR_INVALID_VALUE;
  // A buffer may end early, say in the padding of the last structure: the rest is zero.
  params->assign(static_cast<const char*>(buffer), given);
  params->resize(facts.parameter_bytes);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult pack_params(const KernelFacts& facts, void** kernel_params, void** extra,
                     std::string* params) {
  if (extra != nullptr) {
    if (kernel_params != nullptr) return CUDA_ERROR_INVALID_VALUE;
    return pack_buffer(facts, extra, params);
  }
  if (facts.parameters.empty()) return CUDA_SUCCESS;
  if (kernel_params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  params->resize(facts.parameter_bytes);
  for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
    const KernelParameter& parameter = facts.parameters[i];
    if (kernel_params[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(params->data() + parameter.offset, kernel_params[i], parameter.bytes);
  }
  return CUDA_SUCCESS;
}

namespace {

CUresult launch_kernel(CUfunction handle, const LaunchShape& shape, CUstream stream_handle,
                       void** kernel_params, void** extra) {
  return with_stream(stream_handle, [&](Stream& stream) -> CUresult {
    Function* function = nullptr;
    CUresult status = find_function(stream.context(), handle, &function);
    if (status != CUDA_SUCCESS) return status;
    std::string params;
    status = pack_params(function->facts(), kernel_params, extra, &params);
    return status == CUDA_SUCCESS ? launch(*function, stream, shape, std::move(params)) : status;
  });
}

// What an attribute of cuLaunchKernelEx asks for, beyond the order and the placement that are given
// here anyway.
struct AttributeEffects {
  bool cooperative = false;
  Dim3 cluster{0, 0, 0};
  CUevent completion_event = nullptr;
  CUgraphDeviceNode* updatable = nullptr;
};

CUresult read_attribute(CUlaunchAttribute& attribute, AttributeEffects* effects) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    // Hints about caches, scheduling and overlap with the work before: running in plain order
    // honours them all.
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      effects->cooperative = attribute.value.cooperative != 0;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
      effects->cluster = cluster_of(attribute.value);
      return check_cluster_attribute(attribute.value);
    // The launch may have such clusters where the device likes them better, and need not.
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      return check_cluster_attribute(attribute.value);
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
      effects->completion_event = attribute.value.programmaticEvent.event;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
      effects->completion_event = attribute.value.launchCompletionEvent.event;
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: {
      auto& node = attribute.value.deviceUpdatableKernelNode;
      if (node.deviceUpdatable != 0) effects->updatable = &node.devNode;
      return node.deviceUpdatable == 0 || node.deviceUpdatable == 1 ? CUDA_SUCCESS
                                                                    : CUDA_ERROR_INVALID_VALUE;
    }
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                        void** kernelParams, void** extra) {
  const LaunchShape shape{
      {gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, false};
  return launch_kernel(f, shape, hStream, kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                   unsigned int gridDimZ, unsigned int blockDimX,
                                   unsigned int blockDimY, unsigned int blockDimZ,
                                   unsigned int sharedMemBytes, CUstream hStream,
                                   void** kernelParams) {
  const LaunchShape shape{
      {gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, true};
  return launch_kernel(f, shape, hStream, kernelParams, nullptr);
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** kernelParams,
                          void** extra) {
  if (config == nullptr) return with_context([](Context&) { return CUDA_ERROR_INVALID_VALUE; });
  return with_stream(config->hStream, [&](Stream& stream) -> CUresult {
    AttributeEffects effects;
    if (config->numAttrs != 0 && config->attrs == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const CUresult status = read_attribute(config->attrs[i], &effects);
      if (status != CUDA_SUCCESS) return status;
    }
    Event* completion = nullptr;
    if (effects.completion_event != nullptr) {
      completion = registry.events.find(effects.completion_event);
      if (completion == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    }
    const LaunchShape shape{{config->gridDimX, config->gridDimY, config->gridDimZ},
                            {config->blockDimX, config->blockDimY, config->blockDimZ},
                            config->sharedMemBytes,
                            effects.cooperative,
                            effects.cluster,
                            effects.updatable};
    const CUresult status = launch_kernel(f, shape, config->hStream, kernelParams, extra);
    if (status != CUDA_SUCCESS || completion == nullptr) return status;
    if (stream.in_capture()) return capture_record(stream, *completion, CU_EVENT_RECORD_DEFAULT);
    if (completion->is_captured.load(std::memory_order_acquire)) forget_capture(*completion);
    stream.ordered().record(completion->mark());
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
