// SPDX-License-Identifier: MIT
// Graphs that can be launched.
#include <cstdint>
#include <memory>
#include <utility>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/function/kernel_arguments.h"
#include "bindings/function/launch_shape.h"
#include "bindings/gil/released.h"
#include "bindings/graph/graph_exec_object.h"
#include "bindings/graph/object.h"
#include "cuda/graph_exec.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

GraphExecObject instantiate(const GraphObject& graph, nb::handle flags) {
  return {graph.ready(), as_integer<unsigned long long>(flags, "flags")};
}

void launch(const GraphExecObject& self, nb::handle stream) {
  CUstream queue = stream_argument(stream);
  without_gil([&] { self.exec().launch(queue); });
}

void set_arguments(const GraphExecObject& self, const GraphNodeObject& node,
                   PyObject* const* values, std::size_t count) {
  const CUgraphNode own = self.own(node);
  const auto [kernel, shape] = cuda::kernel_of_node(*node.graph, own);
  const cuda::KernelLayout& layout = kernel->layout();
  if (layout.known) check_argument_count(*kernel, count);
  ParameterBuffer buffer(layout.known ? layout.bytes : most_parameter_bytes);
  HandlerList handlers;
  const std::size_t bytes =
      write_arguments(*kernel, values, count, nullptr, buffer.data(), handlers);
  refuse_handlers(handlers, "a kernel node");
  self.exec().set_kernel(own, *kernel, shape, buffer.data(), bytes, kept_arguments(values, count));
}

void set_kernel_arguments(const GraphExecObject& self, const GraphNodeObject& node,
                          const nb::args& arguments) {
  set_arguments(self, node, TupleItems(arguments.ptr()).data(), arguments.size());
}

void batched_set_kernel_node_arguments(const GraphExecObject& self, const nb::dict& changes) {
  for (const auto& [node, parameters] : changes) {
    const nb::object given = nb::hasattr(parameters, "args") ? nb::object(parameters.attr("args"))
                                                             : nb::borrow(parameters);
    const nb::object arguments = nb::steal(PySequence_Tuple(given.ptr()));
    if (!arguments.is_valid()) throw nb::python_error();
    set_arguments(self, nb::cast<const GraphNodeObject&>(node), TupleItems(arguments.ptr()).data(),
                  nb::len(arguments));
  }
}

}  // namespace

void bind_graph_exec(nb::module_& m) {
  using nb::arg;
  nb::class_<GraphExecObject> exec(
      m, "GraphExec",
      "A graph made ready to be launched: ``graph.instantiate()``. It keeps alive what the graph "
      "keeps, and waits for its launches when it goes.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "graph : Graph\n"
      "flags : int\n"
      "    Of `graph_instantiate_flags`.",
      nb::dynamic_attr(), nb::is_weak_referenceable());
  exec.def(
          "__init__",
          [](GraphExecObject* self, const GraphObject& graph, nb::handle flags) {
            new (self) GraphExecObject(instantiate(graph, flags));
          },
          arg("graph"), arg("flags") = 0)
      .def_prop_ro(
          "handle",
          [](const GraphExecObject& self) {
            return reinterpret_cast<std::uintptr_t>(self.exec().handle());
          },
          "The driver's handle, a number.")
      .def("launch", &launch, arg("stream").none() = nb::none(),
           "Put all of it into a stream (the default one for None), without waiting. One launch is "
           "done before the next one of the same object begins.")
      .def(
          "upload",
          [](const GraphExecObject& self, nb::handle stream) {
            CUstream queue = stream_argument(stream);
            without_gil([&] { self.exec().upload(queue); });
          },
          arg("stream").none() = nb::none(),
          "Do in a stream what the first launch would have to do before.")
      .def(
          "update",
          [](const GraphExecObject& self, const GraphObject& graph) {
            without_gil([&] { self.exec().update(graph.ready()); });
          },
          arg("graph"),
          "Take the arguments, addresses and sizes of a graph with the same nodes and edges: much "
          "faster than to instantiate it.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError\n"
          "    When the graphs differ in more than that.")
      .def("set_kernel_arguments", &set_kernel_arguments, arg("node"), arg("args"),
           "Give a kernel node other arguments, all of them, from the next launch on.\n"
           "\n"
           "Parameters\n"
           "----------\n"
           "node : GraphNode\n"
           "    Of the graph that this was instantiated from.\n"
           "*args\n"
           "    What a call of the kernel takes, but for In, Out and InOut.")
      .def("batched_set_kernel_node_arguments", &batched_set_kernel_node_arguments, arg("changes"),
           "The same for several nodes: a dict from nodes to `KernelNodeParams` or sequences.")
      .def(
          "set_enabled",
          [](const GraphExecObject& self, const GraphNodeObject& node, bool enabled) {
            self.exec().set_enabled(self.own(node), enabled);
          },
          arg("node"), arg("enabled") = true,
          "Let a kernel, copy or fill node do its work, or nothing, from the next launch on.")
      .def(
          "is_enabled",
          [](const GraphExecObject& self, const GraphNodeObject& node) {
            return self.exec().is_enabled(self.own(node));
          },
          arg("node"), "Whether a node does its work.");

  const nb::object graph = m.attr("Graph");
  for (const char* name : {"instantiate", "get_exec_graph"}) {
    nb::cpp_function_def(&instantiate, nb::scope(graph), nb::name(name), nb::is_method(),
                         arg("flags") = 0, "Make the graph ready to be launched: a `GraphExec`.");
  }
}

}  // namespace pycuda::bindings
