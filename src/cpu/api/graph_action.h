// SPDX-License-Identifier: MIT
// What a node of a graph does: its parameters as the program gave them, checked, and the step that
// a launch runs. Made by the functions that add nodes, and by operations in a captured stream.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/exec/pitched_transfer.h"
#include "cpu/exec/stream.h"
#include "cpu/ptx/cluster_directives.h"

namespace pycuda::cpu::api {

class Context;
class Event;
class Function;
class Graph;
class GraphAllocation;
struct LaunchShape;

using LaunchAttributes = std::map<CUlaunchAttributeID, CUlaunchAttributeValue>;

struct EmptyAction {};

struct KernelAction {
  CUfunction function = nullptr;  ///< as given: one of the two is null
  CUkernel kernel = nullptr;
  CUcontext context = nullptr;
  const KernelFacts* facts = nullptr;  ///< of the code that the request keeps alive
  exec::LaunchRequest request;         ///< holds the arguments
  LaunchAttributes attributes;
  ptx::ClusterDirectives directives;
  bool allows_non_portable_clusters = false;
};

struct CopyAction {
  CUDA_MEMCPY3D spec{};
  CUcontext context = nullptr;
  /// For what the structure cannot say: runs of bytes in arrays of several rows.
  std::optional<exec::PitchedTransfer> run;
};

struct FillAction {
  CUDA_MEMSET_NODE_PARAMS spec{};
  CUcontext context = nullptr;
};

struct HostAction {
  CUhostFn function = nullptr;
  void* data = nullptr;
};

struct ChildAction {
  std::shared_ptr<Graph> graph;
};

struct RecordAction {
  CUevent handle = nullptr;
  std::shared_ptr<exec::Event> mark;
};

struct WaitAction {
  CUevent handle = nullptr;
  std::shared_ptr<exec::Event> mark;
};

struct AllocAction {
  std::shared_ptr<GraphAllocation> allocation;
};

struct FreeAction {
  CUdeviceptr address = 0;
  std::shared_ptr<GraphAllocation> allocation;
};

struct MemoryOperationsAction {
  CUcontext context = nullptr;
  std::vector<CUstreamBatchMemOpParams> operations;
  unsigned flags = 0;
};

/// Signals external semaphores, or waits for them.
template <class Parameters>
struct SemaphoreAction {
  CUcontext context = nullptr;
  std::vector<CUexternalSemaphore> semaphores;
  std::vector<Parameters> parameters;
  std::vector<CUstreamBatchMemOpParams> operations;  ///< what that is in their memory
};
using SignalAction = SemaphoreAction<CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS>;
using AwaitAction = SemaphoreAction<CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS>;

/// One of its bodies runs, or none, or the only one again and again.
struct ConditionalAction {
  CUcontext context = nullptr;
  std::shared_ptr<exec::GraphCondition> condition;
  CUgraphConditionalNodeType type = CU_GRAPH_COND_TYPE_IF;
  std::vector<std::shared_ptr<Graph>> bodies;
  std::shared_ptr<std::vector<CUgraph>> handles;  ///< of the bodies, for the program
};

using NodeAction =
    std::variant<EmptyAction, KernelAction, CopyAction, FillAction, HostAction, ChildAction,
                 RecordAction, WaitAction, AllocAction, FreeAction, MemoryOperationsAction,
                 ConditionalAction, SignalAction, AwaitAction>;

/// The graphs that a node runs itself: those of a child graph and of a conditional node's bodies.
std::vector<std::shared_ptr<Graph>> graphs_in(const NodeAction& action);

CUgraphNodeType type_of(const NodeAction& action);

/// Each checks as the asynchronous function of its name does.
CUresult make_kernel_action(const CUDA_KERNEL_NODE_PARAMS_v2& params, KernelAction* action);
CUresult make_kernel_action(Function& function, const LaunchShape& shape, std::string params,
                            KernelAction* action);
/// Gives the node's launches the code for the checks that are wanted now. What is no longer loaded
/// keeps the code that it has.
CUresult renew_code(KernelAction* action, bool* is_other);
CUresult make_copy_action(const CUDA_MEMCPY3D* spec, CUcontext context, CopyAction* action);
CUresult make_fill_action(const CUDA_MEMSET_NODE_PARAMS* spec, CUcontext context,
                          FillAction* action);
CUresult make_host_action(CUhostFn function, void* data, HostAction* action);
CUresult make_record_action(CUevent event, RecordAction* action);
CUresult make_wait_action(CUevent event, WaitAction* action);
CUresult make_memory_operations_action(const CUDA_BATCH_MEM_OP_NODE_PARAMS* params,
                                       MemoryOperationsAction* action);

/// Adds what a launch runs for this node alone (nothing for nodes of graphs).
void append_step(const NodeAction& action, exec::Sequence* sequence);

/// The context that a graph's node of these parameters works in: the current one for null.
CUresult find_node_context(CUcontext handle, Context** context);

/// Whether a kernel's node may have this attribute, and its value.
CUresult check_node_attribute(CUlaunchAttributeID id, const CUlaunchAttributeValue& value);
/// Gives a node an attribute, if it may have it.
CUresult set_node_attribute(KernelAction* action, CUlaunchAttributeID id,
                            const CUlaunchAttributeValue& value);
/// Lets kernels change the node from now on; what they name it by.
CUgraphDeviceNode make_updatable(KernelAction* action);
/// All attributes of another kernel's node.
void copy_attributes(const KernelAction& from, KernelAction* to);

}  // namespace pycuda::cpu::api
