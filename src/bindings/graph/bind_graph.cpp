// SPDX-License-Identifier: MIT
// Graphs: made node by node, looked at and copied.
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/enumeration.h"
#include "bindings/convert/integers.h"
#include "bindings/function/kernel_arguments.h"
#include "bindings/function/launch_shape.h"
#include "bindings/function/object.h"
#include "bindings/graph/host_node.h"
#include "bindings/graph/object.h"
#include "bindings/pointer/allocation_object.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/device_memory.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// A node about to be added: the graph and what comes before the node.
struct Addition {
  const std::shared_ptr<cuda::Graph>& graph;
  std::vector<CUgraphNode> after;

  Addition(const GraphObject& self, nb::handle dependencies)
      : graph(self.ready()), after(dependency_list(*graph, dependencies)) {}
  void keep(nb::handle argument) const { keep_argument(*graph->resources(), argument); }
  static GraphNodeObject made(const std::shared_ptr<cuda::Graph>& graph, CUgraphNode node) {
    return {graph, node};
  }
};

GraphNodeObject add_kernel_node(const GraphObject& self, const nb::args& arguments, nb::handle func,
                                nb::handle block, nb::handle grid, nb::handle shared,
                                nb::handle dependencies) {
  const Addition addition(self, dependencies);
  const cuda::Kernel& kernel = kernel_of_function(func);
  cuda::LaunchShape shape;
  shape.block = dimensions(block.ptr(), "block");
  shape.grid = dimensions(grid.ptr(), "grid");
  shape.shared_bytes = as_integer<unsigned int>(shared, "shared");
  const std::size_t count = arguments.size();
  if (kernel.layout().known) check_argument_count(kernel, count);
  ParameterBuffer buffer(kernel.layout().known ? kernel.layout().bytes : most_parameter_bytes);
  HandlerList handlers;
  const TupleItems items(arguments.ptr());
  PyObject* const* values = items.data();
  const std::size_t bytes =
      write_arguments(kernel, values, count, nullptr, buffer.data(), handlers);
  refuse_handlers(handlers, "a kernel node");
  const CUgraphNode node =
      addition.graph->add_kernel(kernel, shape, buffer.data(), bytes, addition.after);
  for (std::size_t i = 0; i < count; ++i) addition.keep(values[i]);
  return Addition::made(addition.graph, node);
}

/// How much of a host buffer is copied: all, or `size` bytes of it.
std::size_t copied_bytes(const Buffer& host, nb::handle size) {
  if (size.is_none()) return host.bytes();
  const auto bytes = as_integer<std::size_t>(size, "size");
  if (bytes > host.bytes()) {
    PyErr_Format(PyExc_ValueError, "size is %zu bytes, the host memory has %zu", bytes,
                 host.bytes());
    throw nb::python_error();
  }
  return bytes;
}

GraphNodeObject add_memcpy_htod_node(const GraphObject& self, nb::handle dest, nb::handle src,
                                     nb::handle size, nb::handle dependencies) {
  const Addition addition(self, dependencies);
  const CUdeviceptr destination = device_address(dest, "dest");
  const Buffer source = Buffer::read(src.ptr());
  const CUgraphNode node = addition.graph->add_copy_to_device(
      destination, source.data(), copied_bytes(source, size), addition.after);
  addition.keep(dest);
  addition.keep(src);
  return Addition::made(addition.graph, node);
}

GraphNodeObject add_memcpy_dtoh_node(const GraphObject& self, nb::handle dest, nb::handle src,
                                     nb::handle size, nb::handle dependencies) {
  const Addition addition(self, dependencies);
  const Buffer destination = Buffer::write(dest.ptr());
  const CUdeviceptr source = device_address(src, "src");
  const CUgraphNode node = addition.graph->add_copy_to_host(
      destination.data(), source, copied_bytes(destination, size), addition.after);
  addition.keep(dest);
  addition.keep(src);
  return Addition::made(addition.graph, node);
}

GraphNodeObject add_memcpy_dtod_node(const GraphObject& self, nb::handle dest, nb::handle src,
                                     nb::handle size, nb::handle dependencies) {
  const Addition addition(self, dependencies);
  const CUgraphNode node =
      addition.graph->add_copy_on_device(device_address(dest, "dest"), device_address(src, "src"),
                                         as_integer<std::size_t>(size, "size"), addition.after);
  addition.keep(dest);
  addition.keep(src);
  return Addition::made(addition.graph, node);
}

GraphNodeObject add_memset_node(const GraphObject& self, nb::handle dest, nb::handle data,
                                nb::handle size, nb::handle dependencies, nb::handle element_size) {
  const Addition addition(self, dependencies);
  cuda::FillNode fill{};
  fill.destination = device_address(dest, "dest");
  fill.element_bytes = as_integer<unsigned int>(element_size, "element_size");
  switch (fill.element_bytes) {
    case 1:
      fill.value = as_integer<std::uint8_t>(data, "data");
      break;
    case 2:
      fill.value = as_integer<std::uint16_t>(data, "data");
      break;
    case 4:
      fill.value = as_integer<std::uint32_t>(data, "data");
      break;
    default:
      PyErr_Format(PyExc_ValueError, "element_size must be 1, 2 or 4 bytes, not %u",
                   fill.element_bytes);
      throw nb::python_error();
  }
  fill.count = as_integer<std::size_t>(size, "size");
  const CUgraphNode node = addition.graph->add_fill(fill, addition.after);
  addition.keep(dest);
  return Addition::made(addition.graph, node);
}

GraphNodeObject add_host_node(const GraphObject& self, nb::handle function,
                              nb::handle dependencies) {
  const Addition addition(self, dependencies);
  if (PyCallable_Check(function.ptr()) == 0) {
    PyErr_Format(PyExc_TypeError, "a host node needs a function, not %s",
                 type_name(function.ptr()).c_str());
    throw nb::python_error();
  }
  addition.graph->resources()->keep_once(function.ptr(), [&] { return kept_object(function); });
  return Addition::made(addition.graph,
                        addition.graph->add_host(call_host_node, function.ptr(), addition.after));
}

GraphNodeObject add_child_graph_node(const GraphObject& self, const GraphObject& child,
                                     nb::handle dependencies) {
  const Addition addition(self, dependencies);
  return Addition::made(addition.graph, addition.graph->add_child(*child.ready(), addition.after));
}

GraphNodeObject add_empty_node(const GraphObject& self, nb::handle dependencies) {
  const Addition addition(self, dependencies);
  return Addition::made(addition.graph, addition.graph->add_empty(addition.after));
}

const cuda::Event& event_argument(nb::handle event) {
  if (nb::isinstance<cuda::Event>(event) && nb::inst_ready(event))
    return *nb::inst_ptr<cuda::Event>(event);
  PyErr_Format(PyExc_TypeError, "an event must be an Event, not %s",
               type_name(event.ptr()).c_str());
  throw nb::python_error();
}

GraphNodeObject add_event_record_node(const GraphObject& self, nb::handle event,
                                      nb::handle dependencies) {
  const Addition addition(self, dependencies);
  const CUgraphNode node = addition.graph->add_event_record(event_argument(event), addition.after);
  addition.keep(event);
  return Addition::made(addition.graph, node);
}

GraphNodeObject add_event_wait_node(const GraphObject& self, nb::handle event,
                                    nb::handle dependencies) {
  const Addition addition(self, dependencies);
  const CUgraphNode node = addition.graph->add_event_wait(event_argument(event), addition.after);
  addition.keep(event);
  return Addition::made(addition.graph, node);
}

// The memory is there before and after: the node only stands for the order.
nb::object add_memalloc_node(const GraphObject& self, nb::handle size, nb::handle dependencies) {
  const Addition addition(self, dependencies);
  const auto bytes = as_integer<std::size_t>(size, "size");
  const cuda::ContextScope scope(addition.graph->context());
  const nb::object memory = make_allocation(cuda::DeviceMemory(bytes));
  addition.keep(memory);
  return nb::make_tuple(Addition::made(addition.graph, addition.graph->add_empty(addition.after)),
                        memory);
}

GraphNodeObject add_memfree_node(const GraphObject& self, nb::handle, nb::handle dependencies) {
  return add_empty_node(self, dependencies);
}

nb::list node_list(const std::shared_ptr<cuda::Graph>& graph,
                   const std::vector<CUgraphNode>& nodes) {
  nb::list list;
  for (CUgraphNode node : nodes) list.append(GraphNodeObject{graph, node});
  return list;
}

nb::list edge_list(const GraphObject& self) {
  const std::shared_ptr<cuda::Graph>& graph = self.ready();
  nb::list list;
  for (const auto& [from, to] : graph->edges()) {
    list.append(nb::make_tuple(GraphNodeObject{graph, from}, GraphNodeObject{graph, to}));
  }
  return list;
}

std::string path_of(nb::handle path) {
  return nb::cast<std::string>(nb::module_::import_("os").attr("fspath")(path));
}

/// A file of its own while this lives.
class TemporaryFile {
 public:
  TemporaryFile() : path_(std::filesystem::temp_directory_path() / "pycuda-graph-XXXXXX") {
    const int descriptor = ::mkstemp(path_.data());
    if (descriptor < 0) {
      PyErr_SetFromErrno(PyExc_OSError);
      throw nb::python_error();
    }
    ::close(descriptor);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string debug_dot(const GraphObject& self, nb::handle path, bool verbose) {
  const cuda::Graph& graph = *self.ready();
  const unsigned int flags = verbose ? CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE : 0;
  return graph.print_dot(path.is_none() ? TemporaryFile().path() : path_of(path), flags);
}

std::string type_name(CUgraphNodeType type) {
  const nb::object member = member_of("graph_node_type", type);
  return nb::hasattr(member, "name") ? nb::cast<std::string>(nb::str(member.attr("name")))
                                     : std::to_string(static_cast<int>(type));
}

std::string node_text(const GraphNodeObject& self) {
  const CUgraphNodeType type = self.graph->type_of(self.node);
  std::string text = "<pycuda.GraphNode " + type_name(type);
  if (type == CU_GRAPH_NODE_TYPE_KERNEL) {
    try {
      text += " '" + cuda::kernel_of_node(*self.graph, self.node).first->name() + "'";
    } catch (const driver::DriverError&) {  // a kernel of another library's
    }
  }
  return text + ">";
}

std::string graph_text(const GraphObject& self) {
  if (!self.graph) return "<pycuda.Graph, being captured>";
  const std::size_t nodes = self.graph->nodes().size();
  return "<pycuda.Graph of " + std::to_string(nodes) + (nodes == 1 ? " node>" : " nodes>");
}

bool same_node(const GraphNodeObject& self, nb::handle other) {
  return nb::isinstance<GraphNodeObject>(other) &&
         nb::cast<const GraphNodeObject&>(other).node == self.node;
}

void bind_node(nb::module_& m) {
  nb::class_<GraphNodeObject>(
      m, "GraphNode",
      "A node of a graph. Nodes are equal when they are the same one of the same graph.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro(
          "type",
          [](const GraphNodeObject& self) {
            return member_of("graph_node_type", self.graph->type_of(self.node));
          },
          "What it does, a `graph_node_type`.")
      .def_prop_ro(
          "dependencies",
          [](const GraphNodeObject& self) {
            return node_list(self.graph.get(), self.graph->dependencies_of(self.node));
          },
          "The nodes that it waits for.")
      .def_prop_ro(
          "dependents",
          [](const GraphNodeObject& self) {
            return node_list(self.graph.get(), self.graph->dependents_of(self.node));
          },
          "The nodes that wait for it.")
      .def_prop_ro(
          "handle",
          [](const GraphNodeObject& self) { return reinterpret_cast<std::uintptr_t>(self.node); },
          "The driver's handle, a number.")
      .def("__eq__", &same_node, nb::arg("other").none())
      .def(
          "__ne__",
          [](const GraphNodeObject& self, nb::handle other) { return !same_node(self, other); },
          nb::arg("other").none())
      .def("__hash__",
           [](const GraphNodeObject& self) { return reinterpret_cast<std::uintptr_t>(self.node); })
      .def("__repr__", &node_text);
}

void bind_additions(nb::class_<GraphObject>& graph) {
  using nb::arg;
  const auto dependencies = [] { return arg("dependencies").none() = nb::none(); };
  graph
      .def("add_kernel_node", &add_kernel_node, arg("args"), nb::kw_only(), arg("func"),
           arg("block"), arg("grid") = nb::make_tuple(1, 1), arg("shared") = 0, dependencies(),
           "Add a launch; the arguments are what a call of `func` takes, but for In, Out and "
           "InOut.\n"
           "\n"
           "The graph keeps arrays and allocations among the arguments alive, not what bare "
           "addresses stand for.\n"
           "\n"
           "Parameters\n"
           "----------\n"
           "*args\n"
           "    The kernel's arguments.\n"
           "func : Function\n"
           "block, grid : tuple of int\n"
           "shared : int\n"
           "    Bytes of dynamic shared memory.\n"
           "dependencies : GraphNode or sequence of GraphNode, optional\n"
           "    What must be done before.\n"
           "\n"
           "Returns\n"
           "-------\n"
           "GraphNode\n")
      .def("add_memcpy_htod_node", &add_memcpy_htod_node, arg("dest"), arg("src"),
           arg("size").none() = nb::none(), dependencies(),
           "Add a copy from the host, of all bytes of `src` or the first `size`. They are read at "
           "each launch; the graph keeps both sides alive.")
      .def("add_memcpy_dtoh_node", &add_memcpy_dtoh_node, arg("dest"), arg("src"),
           arg("size").none() = nb::none(), dependencies(),
           "Add a copy to the host, of as many bytes as `dest` has, or `size`. The graph keeps "
           "both sides alive.")
      .def("add_memcpy_dtod_node", &add_memcpy_dtod_node, arg("dest"), arg("src"), arg("size"),
           dependencies(), "Add a copy of `size` bytes on the device.")
      .def("add_memset_node", &add_memset_node, arg("dest"), arg("data"), arg("size"),
           dependencies(), arg("element_size") = 1,
           "Add a fill of `size` elements of `element_size` bytes (1, 2 or 4) with `data`.")
      .def("add_host_node", &add_host_node, arg("function"), dependencies(),
           "Add a call of a Python function without arguments.\n"
           "\n"
           "It runs on a thread of the driver's, and what waits for it waits for the GIL too. It "
           "must "
           "not use the driver: no copies, no launches. "
           "What it lets go of last is freed some time after it. What it raises is printed. A "
           "function that "
           "refers to "
           "the graph itself keeps it for good. Python's collector of cycles is off while such a "
           "function runs, in all threads, and afterwards as it was before.")
      .def("add_child_graph_node", &add_child_graph_node, arg("graph"), dependencies(),
           "Add all nodes of another graph, as they are now, as one node.")
      .def("add_empty_node", &add_empty_node, dependencies(),
           "Add a node that does nothing: for many nodes that wait for many others.")
      .def("add_event_record_node", &add_event_record_node, arg("event"), dependencies(),
           "Add the recording of an event.")
      .def("add_event_wait_node", &add_event_wait_node, arg("event"), dependencies(),
           "Add waiting for an event, as it was recorded last when the graph is launched.")
      .def("add_memalloc_node", &add_memalloc_node, arg("size"), dependencies(),
           "Allocate `size` bytes of memory that lives as long as the graph; returns an empty node "
           "and the memory.")
      .def("add_memfree_node", &add_memfree_node, arg("memory"), dependencies(),
           "Add an empty node: memory of `add_memalloc_node` goes with the graph.");
}

}  // namespace

const std::shared_ptr<cuda::Graph>& GraphObject::ready() const {
  if (!graph) {
    throw driver::DriverError("Graph", CUDA_ERROR_INVALID_VALUE,
                              "the graph is there when its capture has ended without an error");
  }
  return graph.get();
}

std::vector<CUgraphNode> dependency_list(const cuda::Graph& graph, nb::handle dependencies) {
  std::vector<CUgraphNode> nodes;
  const auto add = [&](nb::handle item) {
    if (!nb::isinstance<GraphNodeObject>(item)) {
      PyErr_Format(PyExc_TypeError, "dependencies must be nodes of the graph, not %s",
                   type_name(item.ptr()).c_str());
      throw nb::python_error();
    }
    const auto& node = nb::cast<const GraphNodeObject&>(item);
    if (node.graph.get().get() != &graph) throw nb::value_error("the node is of another graph");
    nodes.push_back(node.node);
  };
  if (dependencies.is_none()) return nodes;
  if (nb::isinstance<GraphNodeObject>(dependencies)) {
    add(dependencies);
    return nodes;
  }
  for (nb::handle item : nb::iter(dependencies)) add(item);
  return nodes;
}

void bind_graph(nb::module_& m) {
  bind_node(m);
  nb::class_<GraphObject> graph(
      m, "Graph",
      "Work on the device and what each piece of it waits for, put together once and launched "
      "many times: far cheaper than launching the pieces.\n"
      "\n"
      "Made node by node, or captured: ``with stream.capture() as graph:``. It keeps what its "
      "nodes refer to alive, for as long as it or anything\n"
      "instantiated from it lives: arrays and allocations that were arguments, host arrays that "
      "are copied, modules, and all memory that was\n"
      "made or freed while it was captured. Bare addresses keep nothing alive.",
      nb::dynamic_attr(), nb::is_weak_referenceable());
  bind_additions(graph);
  graph
      .def("__init__",
           [](GraphObject* self) { new (self) GraphObject{std::make_shared<cuda::Graph>()}; })
      .def_prop_ro(
          "handle",
          [](const GraphObject& self) {
            return reinterpret_cast<std::uintptr_t>(self.ready()->handle());
          },
          "The driver's handle, a number.")
      .def_prop_ro(
          "nodes",
          [](const GraphObject& self) { return node_list(self.ready(), self.ready()->nodes()); },
          "A list of its nodes.")
      .def_prop_ro("edges", &edge_list,
                   "Pairs of nodes, of which the second waits for the first, in a list.")
      .def(
          "clone",
          [](const GraphObject& self) {
            return GraphObject{std::make_shared<cuda::Graph>(self.ready()->clone())};
          },
          "A copy with nodes of its own.")
      .def(
          "find_in_clone",
          [](const GraphObject& self, const GraphNodeObject& node) {
            return GraphNodeObject{self.ready(), self.ready()->find_copy_of(node.node)};
          },
          nb::arg("node"), "In a clone: its copy of a node of the original.")
      .def("debug_dot", &debug_dot, nb::arg("path").none() = nb::none(), nb::arg("verbose") = false,
           "The graph in the language of Graphviz, a str; written to a file, too, where a path is "
           "given.")
      .def(
          "debug_dot_print",
          [](const GraphObject& self, nb::handle path, nb::handle flags) {
            self.ready()->print_dot(path_of(path), as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("path"), nb::arg("flags") = 0,
          "Write the graph to a file in the language of Graphviz; `flags` are the driver's.")
      .def("__repr__", &graph_text);
}

}  // namespace pycuda::bindings
