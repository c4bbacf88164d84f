// SPDX-License-Identifier: MIT
// cuGraphDebugDotPrint: a graph as a file for Graphviz.
#include <fstream>
#include <sstream>

#include "base/cxx_names.h"
#include "cpu/api/graph_edges.h"
#include "cpu/api/graph_memory.h"
#include "cpu/api/module.h"
#include "cpu/exec/graph_condition.h"

namespace pycuda::cpu::api {
namespace {

constexpr unsigned all_flags = (CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS << 1) - 1;

const char* name_of(CUmemorytype type) {
  switch (type) {
    case CU_MEMORYTYPE_HOST:
      return "host";
    case CU_MEMORYTYPE_DEVICE:
      return "device";
    case CU_MEMORYTYPE_ARRAY:
      return "array";
    default:
      return "unified";
  }
}

class DotFile {
 public:
  DotFile(std::ostream& out, unsigned flags) : out_(out), flags_(flags) {}

  void write(const Graph& graph) {
    out_ << "digraph graph_" << graph.id() << " {\n  node [shape=box];\n";
    body(graph, "  ");
    out_ << "}\n";
  }

 private:
  bool tells(unsigned flag) const {
    return (flags_ & (flag | CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE)) != 0;
  }

  void body(const Graph& graph, const std::string& indent) {
    for (const auto& node : graph.nodes()) {
      out_ << indent << "n" << node->id() << " [label=\"" << label(*node) << "\"];\n";
      for (const auto& inside : graphs_in(node->action)) {
        out_ << indent << "subgraph cluster_" << inside->id() << " {\n"
             << indent << "  label=\"child of n" << node->id() << "\";\n";
        body(*inside, indent + "  ");
        out_ << indent << "}\n";
      }
    }
    for (const auto& node : graph.nodes()) {
      for (const GraphNode::Link& link : node->dependents()) {
        out_ << indent << "n" << node->id() << " -> n" << link.node->id();
        if (!is_plain(link.data)) out_ << " [style=dashed]";
        out_ << ";\n";
      }
    }
  }

  std::string label(const GraphNode& node) const {
    std::ostringstream text;
    text << "n" << node.id() << "\\n";
    std::visit([&](const auto& action) { describe(action, text); }, node.action);
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES)) text << "\\nhandle " << node.handle();
    return text.str();
  }

  static void describe(const EmptyAction&, std::ostream& text) { text << "empty"; }
  void describe(const KernelAction& action, std::ostream& text) const {
    const exec::LaunchRequest& request = action.request;
    text << "kernel " << base::readable_name(action.facts->name);
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS)) {
      text << "\\ngrid (" << request.grid.x << ", " << request.grid.y << ", " << request.grid.z
           << "), block (" << request.block.x << ", " << request.block.y << ", " << request.block.z
           << ")\\ndynamic shared memory " << request.dynamic_shared_bytes;
    }
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_ATTRIBUTES)) {
      for (const auto& [id, value] : action.attributes)
        text << "\\nattribute " << static_cast<int>(id);
    }
  }
  void describe(const CopyAction& action, std::ostream& text) const {
    const CUDA_MEMCPY3D& spec = action.spec;
    text << "memcpy " << name_of(spec.srcMemoryType) << " to " << name_of(spec.dstMemoryType);
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
      text << "\\n" << spec.WidthInBytes << " x " << spec.Height << " x " << spec.Depth << " bytes";
  }
  void describe(const FillAction& action, std::ostream& text) const {
    const CUDA_MEMSET_NODE_PARAMS& spec = action.spec;
    text << "memset";
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS)) {
      text << "\\n"
           << spec.width << " x " << spec.height << " of " << spec.elementSize << " bytes, value "
           << spec.value << "\\nat 0x" << std::hex << spec.dst << std::dec;
    }
  }
  void describe(const HostAction& action, std::ostream& text) const {
    text << "host function";
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_HOST_NODE_PARAMS))
      text << "\\nat " << reinterpret_cast<const void*>(action.function) << " with " << action.data;
  }
  static void describe(const ChildAction& action, std::ostream& text) {
    text << "graph of " << action.graph->nodes().size() << " nodes";
  }
  void describe(const RecordAction& action, std::ostream& text) const {
    text << "event record";
    event(action.handle, text);
  }
  void describe(const WaitAction& action, std::ostream& text) const {
    text << "event wait";
    event(action.handle, text);
  }
  void describe(const AllocAction& action, std::ostream& text) const {
    text << "memory allocation";
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_ALLOC_NODE_PARAMS)) {
      text << "\\n"
           << action.allocation->bytes() << " bytes at 0x" << std::hex
           << action.allocation->address() << std::dec;
    }
  }
  void describe(const FreeAction& action, std::ostream& text) const {
    text << "memory free";
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_MEM_FREE_NODE_PARAMS))
      text << "\\nat 0x" << std::hex << action.address << std::dec;
  }
  void describe(const MemoryOperationsAction& action, std::ostream& text) const {
    text << "memory operations: " << action.operations.size();
    if (!tells(CU_GRAPH_DEBUG_DOT_FLAGS_BATCH_MEM_OP_NODE_PARAMS)) return;
    for (const CUstreamBatchMemOpParams& operation : action.operations)
      text << "\\noperation " << static_cast<int>(operation.operation);
  }
  void describe(const SignalAction& action, std::ostream& text) const {
    text << "external semaphores signal";
    semaphores(action.semaphores, CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_SIGNAL_NODE_PARAMS, text);
  }
  void describe(const AwaitAction& action, std::ostream& text) const {
    text << "external semaphores wait";
    semaphores(action.semaphores, CU_GRAPH_DEBUG_DOT_FLAGS_EXT_SEMAS_WAIT_NODE_PARAMS, text);
  }
  void describe(const ConditionalAction& action, std::ostream& text) const {
    constexpr const char* names[] = {"if", "while", "switch"};
    text << names[action.type];
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_CONDITIONAL_NODE_PARAMS))
      text << "\n"
           << action.bodies.size() << " bodies, condition 0x" << std::hex
           << action.condition->handle() << std::dec;
  }
  void semaphores(const std::vector<CUexternalSemaphore>& handles, unsigned flag,
                  std::ostream& text) const {
    if (!tells(flag)) return;
    for (CUexternalSemaphore handle : handles) text << "\\nsemaphore " << handle;
  }
  void event(CUevent handle, std::ostream& text) const {
    if (tells(CU_GRAPH_DEBUG_DOT_FLAGS_EVENT_NODE_PARAMS)) text << "\\nevent " << handle;
  }

  std::ostream& out_;
  unsigned flags_;
};

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuGraphDebugDotPrint(CUgraph hGraph, const char* path, unsigned int flags) {
  return with_graph(hGraph, [&](const Graph& graph) -> CUresult {
    if (path == nullptr || (flags & ~all_flags) != 0) return CUDA_ERROR_INVALID_VALUE;
    std::ofstream file(path);
    if (!file) return CUDA_ERROR_OPERATING_SYSTEM;
    DotFile(file, flags).write(graph);
    file.close();
    return file ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
  });
}

}  // extern "C"
