// SPDX-License-Identifier: MIT
// Checking what nodes shall do, and the steps that do it.
#include "cpu/api/graph_action.h"

#include "cpu/api/copy_3d.h"
#include "cpu/api/device_memory.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/event.h"
#include "cpu/api/graph.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/green_context.h"
#include "cpu/api/host_callback.h"
#include "cpu/api/launch.h"
#include "cpu/api/stream_memory.h"
#include "cpu/exec/updatable_launch.h"

namespace pycuda::cpu::api {

CUgraphNodeType type_of(const NodeAction& action) {
  struct Type {
    CUgraphNodeType operator()(const EmptyAction&) const { return CU_GRAPH_NODE_TYPE_EMPTY; }
    CUgraphNodeType operator()(const KernelAction&) const { return CU_GRAPH_NODE_TYPE_KERNEL; }
    CUgraphNodeType operator()(const CopyAction&) const { return CU_GRAPH_NODE_TYPE_MEMCPY; }
    CUgraphNodeType operator()(const FillAction&) const { return CU_GRAPH_NODE_TYPE_MEMSET; }
    CUgraphNodeType operator()(const HostAction&) const { return CU_GRAPH_NODE_TYPE_HOST; }
    CUgraphNodeType operator()(const ChildAction&) const { return CU_GRAPH_NODE_TYPE_GRAPH; }
    CUgraphNodeType operator()(const RecordAction&) const {
      return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
    }
    CUgraphNodeType operator()(const WaitAction&) const { return CU_GRAPH_NODE_TYPE_WAIT_EVENT; }
    CUgraphNodeType operator()(const AllocAction&) const { return CU_GRAPH_NODE_TYPE_MEM_ALLOC; }
    CUgraphNodeType operator()(const FreeAction&) const { return CU_GRAPH_NODE_TYPE_MEM_FREE; }
    CUgraphNodeType operator()(const MemoryOperationsAction&) const {
      return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
    }
    CUgraphNodeType operator()(const ConditionalAction&) const {
      return CU_GRAPH_NODE_TYPE_CONDITIONAL;
    }
    CUgraphNodeType operator()(const SignalAction&) const {
      return CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL;
    }
    CUgraphNodeType operator()(const AwaitAction&) const {
      return CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT;
    }
  };
  return std::visit(Type{}, action);
}

std::vector<std::shared_ptr<Graph>> graphs_in(const NodeAction& action) {
  if (const auto* child = std::get_if<ChildAction>(&action)) return {child->graph};
  if (const auto* conditional = std::get_if<ConditionalAction>(&action)) return conditional->bodies;
  return {};
}

CUresult find_node_context(CUcontext handle, Context** context) {
  if (handle == nullptr) handle = this_thread.current;
  if (handle == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *context = registry.contexts.find(handle);
  return *context != nullptr ? (*context)->status() : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult make_kernel_action(Function& function, const LaunchShape& shape, std::string params,
                            KernelAction* action) {
  Context& context = function.module().context();
  const CUresult status =
      make_request(function, context, shape, std::move(params), &action->request);
  if (status != CUDA_SUCCESS) return status;
  if (const GreenContext* const green = current_green_context(); green != nullptr)
    action->request.processors = green->processors();
  action->facts = &function.facts();
  action->context = context.handle();
  if (action->kernel == nullptr) action->function = function.handle();
  action->directives = function.clusters();
  action->allows_non_portable_clusters = function.allows_non_portable_clusters();
  if (shape.cooperative) action->attributes[CU_LAUNCH_ATTRIBUTE_COOPERATIVE].cooperative = 1;
  if (shape.cluster.x != 0) {
    auto& cluster = action->attributes[CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION].clusterDim;
    cluster.x = shape.cluster.x;
    cluster.y = shape.cluster.y;
    cluster.z = shape.cluster.z;
  }
  return CUDA_SUCCESS;
}

CUresult make_kernel_action(const CUDA_KERNEL_NODE_PARAMS_v2& params, KernelAction* action) {
  if ((params.func == nullptr) == (params.kern == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  Context* context = nullptr;
  CUresult status = find_node_context(params.ctx, &context);
  if (status != CUDA_SUCCESS) return status;
  const CUfunction named =
      params.func != nullptr ? params.func : reinterpret_cast<CUfunction>(params.kern);
  Function* function = nullptr;
  status = find_function(*context, named, &function);
  if (status != CUDA_SUCCESS) return status;
  // A function has a context of its own, a kernel of a library has not.
  if (params.kern == nullptr && params.ctx != nullptr && &function->module().context() != context &&
      registry.functions.find(named) != nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::string packed;
  status = pack_params(function->facts(), params.kernelParams, params.extra, &packed);
  if (status != CUDA_SUCCESS) return status;
  const LaunchShape shape{{params.gridDimX, params.gridDimY, params.gridDimZ},
                          {params.blockDimX, params.blockDimY, params.blockDimZ},
                          params.sharedMemBytes,
                          false};
  action->kernel = registry.kernels.find(reinterpret_cast<CUkernel>(named)) != nullptr
                       ? reinterpret_cast<CUkernel>(named)
                       : nullptr;
  return make_kernel_action(*function, shape, std::move(packed), action);
}

CUresult renew_code(KernelAction* action, bool* is_other) {
  Context* const context = registry.contexts.find(action->context);
  const CUfunction named =
      action->kernel != nullptr ? reinterpret_cast<CUfunction>(action->kernel) : action->function;
  Function* function = nullptr;
  if (context == nullptr || find_function(*context, named, &function) != CUDA_SUCCESS ||
      &function->facts() != action->facts)
    return CUDA_SUCCESS;
  exec::LaunchRequest& request = action->request;
  const Kernel* code = nullptr;
  Checks checks;
  const CUresult status = function->load_for(request.grid, request.block, &code, &checks);
  if (status != CUDA_SUCCESS || checks == request.checks) return status;
  request.kernel = code;
  request.checks = checks;
  *is_other = true;
  return CUDA_SUCCESS;
}

CUresult make_copy_action(const CUDA_MEMCPY3D* spec, CUcontext handle, CopyAction* action) {
  if (spec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Context* context = nullptr;
  CUresult status = find_node_context(handle, &context);
  if (status != CUDA_SUCCESS) return status;
  Copy3D box(*spec);
  if (box.is_empty()) return CUDA_ERROR_INVALID_VALUE;
  status = box.validate();
  if (status != CUDA_SUCCESS) return status;
  *action = CopyAction{*spec, context->handle(), {}};
  return CUDA_SUCCESS;
}

CUresult make_fill_action(const CUDA_MEMSET_NODE_PARAMS* spec, CUcontext handle,
                          FillAction* action) {
  if (spec == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Context* context = nullptr;
  CUresult status = find_node_context(handle, &context);
  if (status != CUDA_SUCCESS) return status;
  if (spec->elementSize != 1 && spec->elementSize != 2 && spec->elementSize != 4)
    return CUDA_ERROR_INVALID_VALUE;
  if (spec->width == 0 || spec->height == 0) return CUDA_ERROR_INVALID_VALUE;
  status = check_fill(*spec);
  if (status != CUDA_SUCCESS) return status;
  *action = FillAction{*spec, context->handle()};
  return CUDA_SUCCESS;
}

CUresult make_host_action(CUhostFn function, void* data, HostAction* action) {
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *action = HostAction{function, data};
  return CUDA_SUCCESS;
}

namespace {

template <class Action>
CUresult make_event_action(CUevent handle, Action* action) {
  const Event* event = registry.events.find(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *action = Action{handle, event->mark()};
  return CUDA_SUCCESS;
}

exec::PitchedTransfer fill_box(const CUDA_MEMSET_NODE_PARAMS& spec) {
  exec::PitchedTransfer box;
  box.to = spec.dst;
  box.to_pitch = spec.pitch;
  box.fills = true;
  box.value = spec.value;
  box.element = spec.elementSize;
  box.width = spec.width * spec.elementSize;
  box.height = spec.height;
  return box;
}

exec::Sequence::Task box_task(const exec::PitchedTransfer& box) {
  return {[box](exec::FaultSink& faults) { run_pitched_transfer(box, "", "a graph", faults); }};
}

exec::Sequence::Task copy_task(const CopyAction& action) {
  if (action.run) return box_task(*action.run);
  Copy3D box(action.spec);
  // It was checked when the node was made; memory that is gone is found when the copy runs.
  if (box.validate() == CUDA_SUCCESS) return box_task(box.as_pitched_transfer());
  return {[](exec::FaultSink& faults) {
    exec::Fault fault;
    fault.kind = FaultKind::IllegalAddress;
    fault.message = "illegal memory access in a copy of a graph: the memory was freed";
    faults.report(fault);
  }};
}

}  // namespace

CUresult make_record_action(CUevent event, RecordAction* action) {
  return make_event_action(event, action);
}

CUresult make_wait_action(CUevent event, WaitAction* action) {
  return make_event_action(event, action);
}

CUresult make_memory_operations_action(const CUDA_BATCH_MEM_OP_NODE_PARAMS* params,
                                       MemoryOperationsAction* action) {
  // Unlike other nodes these name their context.
  if (params == nullptr || params->flags != 0 || params->ctx == nullptr ||
      (params->paramArray == nullptr && params->count != 0))
    return CUDA_ERROR_INVALID_VALUE;
  Context* context = nullptr;
  CUresult status = find_node_context(params->ctx, &context);
  if (status != CUDA_SUCCESS) return status;
  const MemoryOperations operations(params->paramArray, params->count);
  status = check_memory_operations(operations);
  if (status != CUDA_SUCCESS) return status;
  *action = {context->handle(), {operations.begin(), operations.end()}, params->flags};
  return CUDA_SUCCESS;
}

void append_step(const NodeAction& action, exec::Sequence* sequence) {
  struct Append {
    exec::Sequence* sequence;
    void operator()(const EmptyAction&) const {}
    void operator()(const KernelAction& kernel) const {
      sequence->steps.emplace_back(kernel.request);
    }
    void operator()(const CopyAction& copy) const { sequence->steps.emplace_back(copy_task(copy)); }
    void operator()(const FillAction& fill) const {
      sequence->steps.emplace_back(box_task(fill_box(fill.spec)));
    }
    void operator()(const HostAction& host) const {
      sequence->steps.emplace_back(exec::Sequence::Callback{[host] {
        const HostCallbackScope scope;
        host.function(host.data);
      }});
    }
    void operator()(const ChildAction&) const {}
    void operator()(const ConditionalAction&) const {}
    void operator()(const RecordAction& record) const {
      sequence->has_events = true;
      sequence->steps.emplace_back(exec::Sequence::Record{record.mark});
    }
    void operator()(const WaitAction& wait) const {
      sequence->has_events = true;
      sequence->steps.emplace_back(exec::Sequence::Wait{wait.mark});
    }
    // When memory counts as allocated is known at the launch; the block is there all the time.
    void operator()(const AllocAction&) const {}
    void operator()(const FreeAction&) const {}
    void operator()(const MemoryOperationsAction& batch) const {
      append_memory_operations(batch.operations, sequence);
    }
    void operator()(const SignalAction& signal) const {
      append_memory_operations(signal.operations, sequence);
    }
    void operator()(const AwaitAction& wait) const {
      append_memory_operations(wait.operations, sequence);
    }
  };
  std::visit(Append{sequence}, action);
}

CUresult check_node_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value) {
  switch (id) {
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
      return check_cluster_attribute(value);
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE: {
      const int updatable = value.deviceUpdatableKernelNode.deviceUpdatable;
      return updatable == 0 || updatable == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    }
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUgraphDeviceNode make_updatable(KernelAction* action) {
  auto& updates = action->request.updates;
  if (updates == nullptr) {
    const Context* const context = registry.contexts.find(action->context);
    updates = exec::UpdatableLaunch::make(
        context != nullptr ? context->device().ordinal() : 0,
        {DeviceLimits::grid_x, DeviceLimits::grid_y, DeviceLimits::grid_z});
    updates->reset(action->request);
  }
  auto& value = action->attributes[CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE];
  const auto node = reinterpret_cast<CUgraphDeviceNode>(updates->handle());
  value.deviceUpdatableKernelNode.deviceUpdatable = 1;
  value.deviceUpdatableKernelNode.devNode = node;
  return node;
}

CUresult set_node_attribute(KernelAction* action, CUlaunchAttributeID id,
                            const CUlaunchAttributeValue& value) {
  CUresult status = check_node_attribute(id, value);
  if (status != CUDA_SUCCESS) return status;
  if (id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
    if (value.deviceUpdatableKernelNode.deviceUpdatable != 0) {
      make_updatable(action);
      return CUDA_SUCCESS;
    }
    return action->request.updates == nullptr
               ? CUDA_SUCCESS
               : fail(CUDA_ERROR_INVALID_VALUE,
                      "kernels may change this node, which cannot be taken back");
  }
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
    Clusters clusters;
    status = find_clusters(action->directives, action->allows_non_portable_clusters,
                           action->request.grid, cluster_of(value), &clusters);
    if (status != CUDA_SUCCESS) return status;
    action->request.cluster = clusters.blocks;
    action->request.explicit_cluster = clusters.is_explicit;
  }
  action->attributes[id] = value;
  if (id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    action->attributes[id].priority = priority_within_range(value.priority);
  if (id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) action->request.cooperative = value.cooperative != 0;
  return CUDA_SUCCESS;
}

void copy_attributes(const KernelAction& from, KernelAction* to) {
  to->attributes = from.attributes;
  to->request.updates = from.request.updates;
  to->request.cooperative = from.request.cooperative;
  to->request.cluster = from.request.cluster;
  to->request.explicit_cluster = from.request.explicit_cluster;
}

}  // namespace pycuda::cpu::api
