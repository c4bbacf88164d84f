// SPDX-License-Identifier: MIT
// What the package's Python modules need of graphs: nodes by handle, what is kept for them, the
// graphs that nodes and captures consist of; and user objects.
#include <cstdint>
#include <memory>
#include <utility>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/integers.h"
#include "bindings/function/kernel_arguments.h"
#include "bindings/function/object.h"
#include "bindings/graph/graph_exec_object.h"
#include "bindings/graph/host_node.h"
#include "bindings/graph/object.h"
#include "cuda/capture.h"
#include "driver/process_driver.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

template <class Handle>
Handle handle_of(nb::handle number) {
  return reinterpret_cast<Handle>(as_integer<std::uintptr_t>(number, "handle"));
}

/// A kernel's arguments as its parameter buffer.
nb::bytes pack_arguments(nb::handle function, const nb::args& arguments) {
  const cuda::Kernel& kernel = kernel_of_function(function);
  if (kernel.layout().known) check_argument_count(kernel, arguments.size());
  ParameterBuffer buffer(kernel.layout().known ? kernel.layout().bytes : most_parameter_bytes);
  HandlerList handlers;
  const std::size_t bytes = write_arguments(kernel, TupleItems(arguments.ptr()).data(),
                                            arguments.size(), nullptr, buffer.data(), handlers);
  refuse_handlers(handlers, "a kernel node");
  return nb::bytes(buffer.data(), bytes);
}

GraphObject graph_of_capture(const cuda::Stream& stream, nb::handle handle) {
  const auto capture = cuda::Capture::of_stream(stream.handle());
  auto resources = capture ? capture->resources() : std::make_shared<cuda::GraphResources>();
  return {std::make_shared<cuda::Graph>(
      cuda::Graph::borrow(stream.context(), handle_of<CUgraph>(handle), std::move(resources)))};
}

void destroy_node(GraphNodeObject& self) {
  self.graph->driver().cuGraphDestroyNode(self.node);
  self.node = nullptr;
}

using Kept = std::shared_ptr<const void>;

void CUDA_CB drop_kept(void* kept) { delete static_cast<Kept*>(kept); }

std::uintptr_t make_user_object(nb::handle object) {
  auto kept = std::make_unique<Kept>(kept_object(object));
  CUuserObject made = nullptr;
  driver::process_driver().cuUserObjectCreate(&made, kept.get(), drop_kept, 1,
                                              CU_USER_OBJECT_NO_DESTRUCTOR_SYNC);
  static_cast<void>(kept.release());
  return reinterpret_cast<std::uintptr_t>(made);
}

}  // namespace

void bind_graph_parts(nb::module_& m) {
  using nb::arg;
  const auto method = [&](const char* owner, const char* name, auto&& function, auto&&... extra) {
    nb::cpp_function_def(function, nb::scope(m.attr(owner)), nb::name(name), nb::is_method(),
                         extra...);
  };
  method("GraphNode", "destroy", &destroy_node,
         "Take the node out of its graph, with its dependencies. Objects that stand for it must "
         "not be used any more.");
  method("GraphNode", "_graph",
         [](const GraphNodeObject& self) { return GraphObject{self.graph}; });
  method("GraphNode", "_part", [](const GraphNodeObject& self, nb::handle handle) {
    return GraphObject{std::make_shared<cuda::Graph>(self.graph.get(), handle_of<CUgraph>(handle))};
  });
  method("Graph", "_node", [](const GraphObject& self, nb::handle handle) {
    return GraphNodeObject{self.ready(), handle_of<CUgraphNode>(handle)};
  });
  method("Graph", "_keep", [](const GraphObject& self, const nb::args& objects) {
    for (nb::handle object : objects) keep_argument(*self.ready()->resources(), object);
  });
  method("Graph", "_keep_kernel", [](const GraphObject& self, nb::handle function) {
    self.ready()->resources()->keep_kernel(kernel_of_function(function));
  });
  method("GraphExec", "_own", [](const GraphExecObject& self, const GraphNodeObject& node) {
    return reinterpret_cast<std::uintptr_t>(self.own(node));
  });
  method("GraphExec", "_keep",
         [](const GraphExecObject& self, const GraphNodeObject& node, nb::handle object) {
           self.exec().keep(self.own(node), kept_object(object));
         });
  m.def("_pack_arguments", &pack_arguments);
  m.def("_graph_of_capture", &graph_of_capture);
  m.def("_make_user_object", &make_user_object);
  m.attr("_host_node_function") = reinterpret_cast<std::uintptr_t>(&call_host_node);
}

}  // namespace pycuda::bindings
