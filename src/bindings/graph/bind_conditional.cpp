// SPDX-License-Identifier: MIT
// Conditional nodes of graphs: Graph.condition, if_, if_else, while_ and switch, and the bodies
// that `with` fills, node by node or with what the thread captures.
#include <memory>
#include <optional>
#include <utility>

#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
#include "bindings/gil/released.h"
#include "bindings/graph/object.h"
#include "cuda/capture.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

struct GraphCondition {
  CUgraphConditionalHandle handle;
};

/// The capture whose result `graph` will be. Throws where that has ended, and while the thread
/// captures something else.
std::shared_ptr<cuda::Capture> capture_of(const GraphObject& graph) {
  std::shared_ptr<cuda::Capture> capture = graph.capture.lock();
  if (!capture || capture->ended()) static_cast<void>(graph.ready());
  if (!capture || cuda::Capture::of_thread() != capture.get()) {
    throw driver::DriverError(
        "Graph", CUDA_ERROR_ILLEGAL_STATE,
        "this thread captures another graph now; inside the body of a conditional "
        "node use the graph that the `with` statement gave");
  }
  return capture;
}

/// One of the graphs that a conditional node chooses from.
class GraphBody {
 public:
  GraphBody(nb::object parent, CUgraphNode node, CUgraph body)
      : parent_(std::move(parent)), node_(node), body_(body) {}
  GraphBody(GraphBody&&) = default;
  GraphBody(const GraphBody&) = delete;
  GraphBody& operator=(const GraphBody&) = delete;
  ~GraphBody() {
    if (!capture_) return;
    without_gil_if_possible([this] {
      capture_->abandon();
      capture_.reset();
    });
  }

  GraphNodeObject node() const { return {parent().ready(), node_}; }

  nb::object enter() {
    if (parent().graph) {
      if (!graph_.is_valid()) {
        graph_ = nb::cast(GraphObject{std::make_shared<cuda::Graph>(parent().graph.get(), body_)});
      }
      return graph_;
    }
    if (graph_.is_valid()) {
      throw driver::DriverError("GraphBody", CUDA_ERROR_ILLEGAL_STATE,
                                "the body has been captured already");
    }
    const std::shared_ptr<cuda::Capture> around = capture_of(parent());
    capture_ = without_gil([&] { return cuda::Capture::begin_body(around, body_); });
    graph_ = nb::cast(GraphObject{{}, capture_});
    return graph_;
  }

  void exit(bool failed) {
    std::shared_ptr<cuda::Capture> capture = std::move(capture_);
    if (!capture) return;
    without_gil([&] {
      const std::shared_ptr<cuda::Capture> own = std::move(capture);
      if (failed) {
        own->abandon();
      } else {
        static_cast<void>(own->end());
      }
    });
  }

 private:
  const GraphObject& parent() const { return nb::cast<const GraphObject&>(parent_); }

  nb::object parent_;
  CUgraphNode node_;
  CUgraph body_;
  nb::object graph_;
  std::shared_ptr<cuda::Capture> capture_;
};

GraphCondition make_condition(const GraphObject& self, nb::handle value) {
  std::optional<unsigned int> start;
  if (!value.is_none()) start = as_integer<unsigned int>(value, "value");
  if (!self.graph) return {capture_of(self)->make_condition(start)};
  const cuda::ContextScope scope(self.graph->context());
  return {cuda::make_condition(self.graph->context(), self.graph->handle(), start)};
}

cuda::Conditional add(const GraphObject& self, const GraphCondition& condition,
                      CUgraphConditionalNodeType type, unsigned int bodies,
                      nb::handle dependencies) {
  if (self.graph) {
    const cuda::ContextScope scope(self.graph->context());
    return self.graph->add_conditional(condition.handle, type, bodies,
                                       dependency_list(*self.graph, dependencies));
  }
  const std::shared_ptr<cuda::Capture> capture = capture_of(self);
  if (!dependencies.is_none()) {
    throw nb::value_error(
        "a conditional node that is captured waits for what was captured before, and takes no "
        "dependencies");
  }
  return capture->add_conditional(condition.handle, type, bodies);
}

GraphBody one_body(nb::object graph, const GraphCondition& condition,
                   CUgraphConditionalNodeType type, nb::handle dependencies) {
  const auto& self = nb::cast<const GraphObject&>(graph);
  const cuda::Conditional added = add(self, condition, type, 1, dependencies);
  return {std::move(graph), added.node, added.bodies[0]};
}

nb::object all_bodies(const nb::object& graph, const GraphCondition& condition,
                      CUgraphConditionalNodeType type, unsigned int count,
                      nb::handle dependencies) {
  const auto& self = nb::cast<const GraphObject&>(graph);
  const cuda::Conditional added = add(self, condition, type, count, dependencies);
  nb::list bodies;
  for (CUgraph body : added.bodies) bodies.append(GraphBody(graph, added.node, body));
  return nb::tuple(bodies);
}

}  // namespace

void bind_conditional(nb::module_& m) {
  using nb::arg;
  nb::class_<GraphCondition>(
      m, "GraphCondition",
      "A number that kernels set and that decides what a conditional node of a graph runs: "
      "`Graph.condition`.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def_prop_ro(
          "handle", [](const GraphCondition& self) { return self.handle; },
          "What a kernel takes as its `cudaGraphConditionalHandle`, a number.");
  nb::class_<GraphBody>(m, "GraphBody",
                        "What a conditional node of a graph runs, or not: a graph that the "
                        "statement `with` gives, to be filled.",
                        nb::dynamic_attr())
      .def_prop_ro("node", &GraphBody::node,
                   "The conditional node, for others to depend on. In a capture, after its end.")
      .def("__enter__", &GraphBody::enter)
      .def(
          "__exit__",
          [](GraphBody& self, nb::handle type, nb::handle, nb::handle) {
            self.exit(!type.is_none());
          },
          arg("type").none(), arg("value").none(), arg("traceback").none());

  const nb::object graph = m.attr("Graph");
  const auto method = [&](const char* name, auto&& function, auto&&... extra) {
    nb::cpp_function_def(function, nb::scope(graph), nb::name(name), nb::is_method(), extra...);
  };
  const auto dependencies = [] { return arg("dependencies").none() = nb::none(); };
  method("condition", &make_condition, arg("value").none() = 1,
         "A condition for a conditional node of this graph, or of a body in it. One node can have "
         "it, and one must.\n"
         "\n"
         "A kernel that takes `GraphCondition.handle` as a `cudaGraphConditionalHandle` sets it by "
         "``cudaGraphSetConditional(handle, value)``.\n"
         "\n"
         "Parameters\n"
         "----------\n"
         "value : int or None\n"
         "    What it is when a launch of the graph begins. With None it keeps what the launch "
         "before left.\n"
         "\n"
         "Returns\n"
         "-------\n"
         "GraphCondition\n");
  method(
      "while_",
      [](nb::object self, const GraphCondition& condition, nb::handle after) {
        return one_body(std::move(self), condition, CU_GRAPH_COND_TYPE_WHILE, after);
      },
      arg("condition"), dependencies(),
      "Add a loop: ``with graph.while_(condition) as body:``. The body runs again and again until "
      "the condition is 0.\n"
      "\n"
      "In a graph that is made node by node, add nodes to `body`. While a stream is captured, what "
      "this thread puts into that stream, or into none, becomes the body.\n"
      "A body has kernels, copies, fills, child graphs and conditional nodes. The graph can be "
      "instantiated once at a time, and not be copied.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "condition : GraphCondition\n"
      "dependencies : GraphNode or sequence of GraphNode, optional\n"
      "    What must be done before. Not while a stream is captured: all captured before is.\n"
      "\n"
      "Returns\n"
      "-------\n"
      "GraphBody\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> halve = compiler.SourceModule('''\n"
      "... __device__ void cudaGraphSetConditional(cudaGraphConditionalHandle, unsigned);\n"
      "... __global__ void halve(float *x, cudaGraphConditionalHandle more) {\n"
      "...   *x /= 2;\n"
      "...   cudaGraphSetConditional(more, *x >= 1);\n"
      "... }''').get_function('halve')\n"
      ">>> x = gpuarray.to_gpu(np.float32([100]))\n"
      ">>> graph = driver.Graph()\n"
      ">>> more = graph.condition()\n"
      ">>> with graph.while_(more) as body:\n"
      "...     node = body.add_kernel_node(x, more.handle, func=halve, block=(1, 1, 1))\n"
      ">>> graph.instantiate().launch()\n"
      ">>> x.get()\n"
      "array([0.78125], dtype=float32)");
  method(
      "if_",
      [](nb::object self, const GraphCondition& condition, nb::handle after) {
        return one_body(std::move(self), condition, CU_GRAPH_COND_TYPE_IF, after);
      },
      arg("condition"), dependencies(),
      "Add a body that runs when the condition is not 0: as `while_`, but once.");
  method(
      "if_else",
      [](const nb::object& self, const GraphCondition& condition, nb::handle after) {
        return all_bodies(self, condition, CU_GRAPH_COND_TYPE_IF, 2, after);
      },
      arg("condition"), dependencies(),
      "Add two bodies, a tuple: the first runs when the condition is not 0, else the second. As "
      "`while_` otherwise. It needs CUDA 12.8.");
  method(
      "switch",
      [](const nb::object& self, const GraphCondition& condition, nb::handle count,
         nb::handle after) {
        const auto bodies = as_integer<unsigned int>(count, "count");
        return all_bodies(self, condition, CU_GRAPH_COND_TYPE_SWITCH, bodies, after);
      },
      arg("condition"), arg("count"), dependencies(),
      "Add `count` bodies, a tuple: that of the condition's number runs, and none where the number "
      "is too great. As `while_` otherwise. It needs CUDA 12.8.");
}

}  // namespace pycuda::bindings
