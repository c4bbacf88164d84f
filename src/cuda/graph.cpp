// SPDX-License-Identifier: MIT
#include "cuda/graph.h"

#include "base/read_file.h"
#include "cuda/kernel_names.h"

namespace pycuda::cuda {
namespace {

/// What a function gives that tells the number first and then fills so many.
template <class Query>
std::vector<CUgraphNode> all_nodes(Query&& query) {
  std::size_t count = 0;
  query(nullptr, &count);
  std::vector<CUgraphNode> nodes(count);
  if (count != 0) query(nodes.data(), &count);
  nodes.resize(count);
  return nodes;
}

CUDA_MEMCPY3D row_of(std::size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.WidthInBytes = bytes;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

void copy_from(CUDA_MEMCPY3D& copy, CUdeviceptr source) {
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = source;
}

void copy_to(CUDA_MEMCPY3D& copy, CUdeviceptr destination) {
  copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.dstDevice = destination;
}

}  // namespace

Graph::Graph() : resources_(std::make_shared<GraphResources>()), graph_(require_context()) {
  graph_.driver().cuGraphCreate(graph_.out(), 0);
}

Graph::Graph(ContextPtr context, CUgraph handle, std::shared_ptr<GraphResources> resources)
    : resources_(std::move(resources)), graph_(std::move(context)) {
  *graph_.out() = handle;
}

Graph::Graph(std::shared_ptr<const Graph> parent, CUgraph body)
    : resources_(parent->resources()),
      parent_(std::move(parent)),
      graph_(decltype(graph_)::borrow(parent_->context(), body)) {}

Graph Graph::borrow(const ContextPtr& context, CUgraph handle,
                    std::shared_ptr<GraphResources> resources) {
  Graph borrowed(context, nullptr, std::move(resources));
  borrowed.graph_ = decltype(graph_)::borrow(context, handle);
  return borrowed;
}

Graph Graph::clone() const {
  const ContextScope scope(context());
  Graph copy(context(), nullptr, resources_);
  driver().cuGraphClone(copy.graph_.out(), handle());
  return copy;
}

CUgraphNode Graph::find_copy_of(CUgraphNode node) const {
  CUgraphNode copy = nullptr;
  driver().cuGraphNodeFindInClone(&copy, node, handle());
  return copy;
}

std::vector<CUgraphNode> Graph::nodes() const {
  return all_nodes([&](CUgraphNode* nodes, std::size_t* count) {
    driver().cuGraphGetNodes(handle(), nodes, count);
  });
}

std::vector<std::pair<CUgraphNode, CUgraphNode>> Graph::edges() const {
  std::size_t count = 0;
  driver().cuGraphGetEdges(handle(), nullptr, nullptr, nullptr, &count);
  std::vector<CUgraphNode> from(count);
  std::vector<CUgraphNode> to(count);
  std::vector<CUgraphEdgeData> data(count);
  if (count != 0) {
    driver().cuGraphGetEdges(handle(), from.data(), to.data(), data.data(), &count);
  }
  std::vector<std::pair<CUgraphNode, CUgraphNode>> edges;
  edges.reserve(count);
  for (std::size_t i = 0; i < count; ++i) edges.emplace_back(from[i], to[i]);
  return edges;
}

std::vector<CUgraphNode> Graph::dependencies_of(CUgraphNode node) const {
  std::vector<CUgraphEdgeData> data;
  return all_nodes([&](CUgraphNode* nodes, std::size_t* count) {
    data.resize(*count);
    driver().cuGraphNodeGetDependencies(node, nodes, nodes == nullptr ? nullptr : data.data(),
                                        count);
  });
}

std::vector<CUgraphNode> Graph::dependents_of(CUgraphNode node) const {
  std::vector<CUgraphEdgeData> data;
  return all_nodes([&](CUgraphNode* nodes, std::size_t* count) {
    data.resize(*count);
    driver().cuGraphNodeGetDependentNodes(node, nodes, nodes == nullptr ? nullptr : data.data(),
                                          count);
  });
}

CUgraphNodeType Graph::type_of(CUgraphNode node) const {
  CUgraphNodeType type{};
  driver().cuGraphNodeGetType(node, &type);
  return type;
}

std::string Graph::print_dot(const std::string& path, unsigned int flags) const {
  const ContextScope scope(context());
  driver().cuGraphDebugDotPrint(handle(), path.c_str(), flags);
  return base::read_file(path).value_or("");
}

CUgraphNode Graph::add_kernel(const Kernel& kernel, const LaunchShape& shape, const void* arguments,
                              std::size_t bytes, Dependencies after) {
  const ContextScope scope(kernel.context());
  const KernelNode node(kernel, shape, arguments, bytes);
  CUgraphNode added = nullptr;
  const auto& add = driver().cuGraphAddKernelNode;
  const CUresult code = add.status(&added, handle(), after.data(), after.size(), node.parameters());
  if (code != CUDA_SUCCESS) throw add.error(code, "kernel " + readable_name(kernel.name()));
  resources_->keep_kernel(kernel);
  return added;
}

CUgraphNode Graph::add_copy(const CUDA_MEMCPY3D& copy, Dependencies after) {
  const ContextScope scope(context());
  CUgraphNode added = nullptr;
  driver().cuGraphAddMemcpyNode(&added, handle(), after.data(), after.size(), &copy,
                                context()->handle());
  return added;
}

CUgraphNode Graph::add_copy_to_device(CUdeviceptr destination, const void* source,
                                      std::size_t bytes, Dependencies after) {
  CUDA_MEMCPY3D copy = row_of(bytes);
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = source;
  copy_to(copy, destination);
  return add_copy(copy, after);
}

CUgraphNode Graph::add_copy_to_host(void* destination, CUdeviceptr source, std::size_t bytes,
                                    Dependencies after) {
  CUDA_MEMCPY3D copy = row_of(bytes);
  copy_from(copy, source);
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = destination;
  return add_copy(copy, after);
}

CUgraphNode Graph::add_copy_on_device(CUdeviceptr destination, CUdeviceptr source,
                                      std::size_t bytes, Dependencies after) {
  CUDA_MEMCPY3D copy = row_of(bytes);
  copy_from(copy, source);
  copy_to(copy, destination);
  return add_copy(copy, after);
}

CUgraphNode Graph::add_fill(const FillNode& fill, Dependencies after) {
  const ContextScope scope(context());
  CUDA_MEMSET_NODE_PARAMS parameters{};
  parameters.dst = fill.destination;
  parameters.value = fill.value;
  parameters.elementSize = fill.element_bytes;
  parameters.width = fill.count;
  parameters.height = 1;
  CUgraphNode added = nullptr;
  driver().cuGraphAddMemsetNode(&added, handle(), after.data(), after.size(), &parameters,
                                context()->handle());
  return added;
}

CUgraphNode Graph::add_host(CUhostFn function, void* data, Dependencies after) {
  CUDA_HOST_NODE_PARAMS parameters{};
  parameters.fn = function;
  parameters.userData = data;
  CUgraphNode added = nullptr;
  driver().cuGraphAddHostNode(&added, handle(), after.data(), after.size(), &parameters);
  return added;
}

CUgraphNode Graph::add_child(const Graph& child, Dependencies after) {
  require_alive(child.context());
  CUgraphNode added = nullptr;
  driver().cuGraphAddChildGraphNode(&added, handle(), after.data(), after.size(), child.handle());
  if (child.resources() != resources_) resources_->keep(child.resources());
  return added;
}

CUgraphNode Graph::add_empty(Dependencies after) {
  CUgraphNode added = nullptr;
  driver().cuGraphAddEmptyNode(&added, handle(), after.data(), after.size());
  return added;
}

CUgraphNode Graph::add_event_record(const Event& event, Dependencies after) {
  require_alive(event.context());
  CUgraphNode added = nullptr;
  driver().cuGraphAddEventRecordNode(&added, handle(), after.data(), after.size(), event.handle());
  return added;
}

CUgraphNode Graph::add_event_wait(const Event& event, Dependencies after) {
  require_alive(event.context());
  CUgraphNode added = nullptr;
  driver().cuGraphAddEventWaitNode(&added, handle(), after.data(), after.size(), event.handle());
  return added;
}

CUgraphNode Graph::add_memory_operations(const MemoryOperations& operations, Dependencies after) {
  const CUDA_BATCH_MEM_OP_NODE_PARAMS parameters = parameters_of(operations, context()->handle());
  CUgraphNode added = nullptr;
  driver().cuGraphAddBatchMemOpNode(&added, handle(), after.data(), after.size(), &parameters);
  return added;
}

Conditional Graph::add_conditional(CUgraphConditionalHandle condition,
                                   CUgraphConditionalNodeType type, unsigned int bodies,
                                   Dependencies after) {
  return cuda::add_conditional(context(), handle(), condition, type, bodies, after, nullptr);
}

CUgraphConditionalHandle make_condition(const ContextPtr& context, CUgraph graph,
                                        std::optional<unsigned int> value) {
  CUgraphConditionalHandle condition = 0;
  context->driver().cuGraphConditionalHandleCreate(&condition, graph, context->handle(),
                                                   value.value_or(0),
                                                   value ? CU_GRAPH_COND_ASSIGN_DEFAULT : 0);
  return condition;
}

Conditional add_conditional(const ContextPtr& context, CUgraph graph,
                            CUgraphConditionalHandle condition, CUgraphConditionalNodeType type,
                            unsigned int bodies, Dependencies after, const CUgraphEdgeData* edges) {
  CUgraphNodeParams parameters{};
  parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  parameters.conditional.handle = condition;
  parameters.conditional.type = type;
  parameters.conditional.size = bodies;
  parameters.conditional.ctx = context->handle();
  Conditional added;
  context->driver().cuGraphAddNode(&added.node, graph, after.data(), edges, after.size(),
                                   &parameters);
  added.bodies.assign(parameters.conditional.phGraph_out,
                      parameters.conditional.phGraph_out + bodies);
  return added;
}

CUDA_BATCH_MEM_OP_NODE_PARAMS parameters_of(const MemoryOperations& operations, CUcontext context) {
  const std::vector<CUstreamBatchMemOpParams>& all = operations.all();
  // The driver copies them.
  return {context, static_cast<unsigned int>(all.size()),
          const_cast<CUstreamBatchMemOpParams*>(all.data()), 0};
}

KernelNode::KernelNode(const Kernel& kernel, const LaunchShape& shape, const void* arguments,
                       std::size_t bytes)
    : bytes_(bytes),
      extra_{CU_LAUNCH_PARAM_BUFFER_POINTER, const_cast<void*>(arguments),
             CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes_, CU_LAUNCH_PARAM_END} {
  parameters_.func = kernel.handle();
  parameters_.gridDimX = shape.grid.x;
  parameters_.gridDimY = shape.grid.y;
  parameters_.gridDimZ = shape.grid.z;
  parameters_.blockDimX = shape.block.x;
  parameters_.blockDimY = shape.block.y;
  parameters_.blockDimZ = shape.block.z;
  parameters_.sharedMemBytes = shape.shared_bytes;
  if (kernel.layout().known) {
    auto* const buffer = static_cast<std::byte*>(const_cast<void*>(arguments));
    for (const KernelParameter& parameter : kernel.layout().parameters) {
      values_.push_back(buffer + parameter.offset);
    }
    parameters_.kernelParams = values_.data();
  } else if (bytes != 0) {
    parameters_.extra = extra_;
  }
}

std::pair<std::shared_ptr<Kernel>, LaunchShape> kernel_of_node(const Graph& graph,
                                                               CUgraphNode node) {
  const auto& get = graph.driver().cuGraphKernelNodeGetParams;
  const ContextScope scope(graph.context());
  CUDA_KERNEL_NODE_PARAMS parameters{};
  get(node, &parameters);
  CUfunction function = parameters.func;
  if (function == nullptr && parameters.kern != nullptr) {
    graph.driver().cuKernelGetFunction(&function, parameters.kern);
  }
  std::shared_ptr<Kernel> kernel = graph.resources()->kernel(function);
  const char* name = nullptr;
  // The driver may give a handle of its own.
  if (!kernel && graph.driver().cuFuncGetName.status(&name, function) == CUDA_SUCCESS) {
    kernel = graph.resources()->kernel(std::string(name));
  }
  if (!kernel) {
    throw get.error(CUDA_ERROR_NOT_FOUND,
                    "the node's kernel was not launched by this package, and so its parameters are "
                    "not known");
  }
  return {kernel,
          {{parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ},
           {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ},
           parameters.sharedMemBytes,
           nullptr}};
}

}  // namespace pycuda::cuda
