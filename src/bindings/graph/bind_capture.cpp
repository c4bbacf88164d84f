// SPDX-License-Identifier: MIT
// What captures a stream's work into a graph: methods of Stream, and what `with` takes.
#include <memory>
#include <utility>
#include <vector>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/enumerators.h"
#include "bindings/gil/released.h"
#include "bindings/graph/host_node.h"
#include "bindings/graph/object.h"
#include "cuda/capture.h"
#include "cuda/stream.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

std::shared_ptr<cuda::Capture> begin(nb::handle stream, CUstreamCaptureMode mode,
                                     cuda::CaptureScope scope) {
  const auto& queue = nb::cast<const cuda::Stream&>(stream);
  return without_gil([&] { return cuda::Capture::begin(queue, mode, scope); });
}

/// What a capture kept goes without the GIL, should it fail.
std::shared_ptr<cuda::Graph> end(std::shared_ptr<cuda::Capture> capture) {
  return without_gil([&] {
    const std::shared_ptr<cuda::Capture> own = std::move(capture);
    CUgraph graph = own->end();
    return std::make_shared<cuda::Graph>(own->context(), graph, own->resources());
  });
}

CUstreamCaptureMode mode_of(nb::handle mode) {
  return as_enumerator<CUstreamCaptureMode>(mode, "the mode");
}

/// `with stream.capture() as graph:`, or `with graph.capture(stream):`
class StreamCapture {
 public:
  StreamCapture(nb::object stream, CUstreamCaptureMode mode)
      : stream_(std::move(stream)), mode_(mode) {}
  StreamCapture(nb::object graph, nb::object stream, std::vector<CUgraphNode> dependencies,
                CUstreamCaptureMode mode)
      : stream_(std::move(stream)),
        mode_(mode),
        into_(std::move(graph)),
        dependencies_(std::move(dependencies)) {}
  StreamCapture(StreamCapture&&) = default;
  StreamCapture(const StreamCapture&) = delete;
  StreamCapture& operator=(const StreamCapture&) = delete;
  ~StreamCapture() {
    if (!capture_) return;
    without_gil_if_possible([this] {
      capture_->abandon();
      capture_.reset();
    });
  }

  nb::object enter() {
    if (capture_) {
      throw driver::DriverError("Stream.capture", CUDA_ERROR_ILLEGAL_STATE,
                                "the capture has begun already");
    }
    if (into_.is_valid()) {
      graph_ = into_;
      const auto& queue = nb::cast<const cuda::Stream&>(stream_);
      const cuda::Graph& graph = *nb::cast<GraphObject&>(into_).ready();
      capture_ =
          without_gil([&] { return cuda::Capture::begin_in(queue, graph, dependencies_, mode_); });
    } else {
      graph_ = nb::cast(GraphObject{});
      capture_ = begin(stream_, mode_, cuda::CaptureScope::Thread);
      nb::cast<GraphObject&>(graph_).capture = capture_;
    }
    keep_argument(*capture_->resources(), stream_);
    return graph_;
  }
  void exit(bool failed) {
    std::shared_ptr<cuda::Capture> capture = std::move(capture_);
    const nb::object graph = std::move(graph_);
    if (!capture) return;
    if (!failed && into_.is_valid()) {
      without_gil([&] {
        const std::shared_ptr<cuda::Capture> own = std::move(capture);
        own->end();
      });
      return;
    }
    if (!failed) {
      nb::cast<GraphObject&>(graph).graph = end(std::move(capture));
      return;
    }
    without_gil([&] {
      capture->abandon();
      capture.reset();
    });
  }

 private:
  nb::object stream_;
  CUstreamCaptureMode mode_;
  nb::object into_;  // null: a new graph
  std::vector<CUgraphNode> dependencies_;
  std::shared_ptr<cuda::Capture> capture_;
  nb::object graph_;
};

void begin_capture(nb::handle stream, nb::handle mode) {
  static_cast<void>(begin(stream, mode_of(mode), cuda::CaptureScope::Stream));
}

// The graph keeps the stream from here on. Had the capture kept it, a stream that nobody has any
// more would be captured for ever, and nobody could wait for its context.
GraphObject end_capture(nb::handle stream) {
  const auto& self = nb::cast<const cuda::Stream&>(stream);
  if (std::shared_ptr<cuda::Capture> capture = cuda::Capture::of_stream(self.handle());
      capture && capture->stream() == self.handle()) {
    keep_argument(*capture->resources(), stream);
    return {end(std::move(capture))};
  }
  // Another library's capture: the driver says if there is none at all.
  const cuda::ContextScope scope(self.context());
  CUgraph graph = nullptr;
  self.context()->driver().cuStreamEndCapture(self.handle(), &graph);
  return {std::make_shared<cuda::Graph>(self.context(), graph,
                                        std::make_shared<cuda::GraphResources>())};
}

void launch_host_function(const cuda::Stream& self, nb::handle function) {
  if (PyCallable_Check(function.ptr()) == 0) {
    PyErr_Format(PyExc_TypeError, "a stream runs a function, not %s",
                 type_name(function.ptr()).c_str());
    throw nb::python_error();
  }
  const cuda::ContextScope scope(self.context());
  const auto& launch = self.context()->driver().cuLaunchHostFunc;
  if (const auto capture = cuda::Capture::of_stream(self.handle())) {
    keep_argument(*capture->resources(), function);
    launch(cuda::stream_for_work(self.handle()), call_host_node, function.ptr());
    return;
  }
  function.inc_ref();
  try {
    without_gil([&] { launch(self.handle(), call_host_function_once, function.ptr()); });
  } catch (...) {
    function.dec_ref();
    throw;
  }
}

}  // namespace

void bind_capture(nb::module_& m) {
  using nb::arg;
  nb::class_<StreamCapture>(m, "StreamCapture", nb::dynamic_attr(),
                            "A capture to come, or under way: what `Stream.capture` returns, for "
                            "the statement `with`.")
      .def("__enter__", &StreamCapture::enter)
      .def(
          "__exit__",
          [](StreamCapture& self, nb::handle type, nb::handle, nb::handle) {
            self.exit(!type.is_none());
          },
          arg("type").none(), arg("value").none(), arg("traceback").none());

  const nb::object stream = m.attr("Stream");
  const nb::object modes = m.attr("capture_mode");
  const auto method = [&](const char* name, auto&& function, auto&&... extra) {
    nb::cpp_function_def(function, nb::scope(stream), nb::name(name), nb::is_method(), extra...);
  };
  method(
      "capture",
      [](nb::object self, nb::handle mode) {
        return StreamCapture(std::move(self), mode_of(mode));
      },
      arg("mode") = nb::object(modes.attr("THREAD_LOCAL")),
      "Capture instead of run: ``with stream.capture() as graph:``.\n"
      "\n"
      "In the block, what this thread puts into this stream, and what it puts into none, becomes "
      "nodes of the graph; so do other streams that wait\n"
      "for an event recorded in this one, which must be joined again. Nothing of it runs. What "
      "waits for results cannot be captured and raises LogicError:\n"
      "`memcpy_dtoh`, `GPUArray.get`, In and Out, `Context.synchronize`. The graph is complete "
      "after the block; an exception ends the capture and drops\n"
      "what there was of it.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "mode : capture_mode\n"
      "    Whom the driver keeps from calls that might wait, such as allocations: with "
      "THREAD_LOCAL and RELAXED nobody, with GLOBAL other\n"
      "    threads.\n");
  nb::cpp_function_def(
      [](nb::object self, nb::object queue, nb::handle dependencies, nb::handle mode) {
        const GraphObject& graph = nb::cast<const GraphObject&>(self);
        static_cast<void>(nb::cast<const cuda::Stream&>(queue));
        auto nodes = dependency_list(*graph.ready(), dependencies);
        return StreamCapture(std::move(self), std::move(queue), std::move(nodes), mode_of(mode));
      },
      nb::scope(m.attr("Graph")), nb::name("capture"), nb::is_method(), arg("stream"),
      arg("dependencies").none() = nb::none(), arg("mode") = nb::object(modes.attr("THREAD_LOCAL")),
      "Add what a stream would do to the graph: ``with graph.capture(stream):``. Needs CUDA 12.3.\n"
      "\n"
      "As `Stream.capture`, but the nodes come into this graph, among those that it has. An "
      "exception in the block ends the capture; what was captured before it stays.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "stream : Stream\n"
      "dependencies : GraphNode or sequence of GraphNode, optional\n"
      "    What the first nodes wait for.\n"
      "mode : capture_mode\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> graph, stream = driver.Graph(), driver.Stream()\n"
      ">>> memory = driver.mem_alloc(8)\n"
      ">>> zeros = graph.add_memset_node(memory, 0, 2, element_size=4)\n"
      ">>> with graph.capture(stream, zeros):\n"
      "...     driver.memset_d32_async(memory, 7, 1, stream)\n"
      ">>> graph.instantiate().launch()\n"
      ">>> driver.from_device(memory, 2, np.int32)\n"
      "array([7, 0], dtype=int32)");
  method("begin_capture", &begin_capture, arg("mode") = nb::object(modes.attr("GLOBAL")),
         "Capture what is put into this stream, from now to `end_capture`, instead of running it. "
         "Work that names no stream is not taken: `capture` does that.\n"
         "\n"
         "Parameters\n"
         "----------\n"
         "mode : capture_mode\n"
         "    Whom the driver keeps meanwhile from calls that might wait: every thread, this one, "
         "or nobody (RELAXED).");
  method(
      "end_capture", &end_capture,
      "End the capture that `begin_capture` began.\n"
      "\n"
      "Returns\n"
      "-------\n"
      "Graph\n"
      "\n"
      "Raises\n"
      "------\n"
      "LogicError\n"
      "    When something that was done meanwhile cannot be captured. The stream is usable again "
      "all the same.");
  method("launch_host_function", &launch_host_function, arg("function"),
         "Call a Python function without arguments when the stream's work before is done.\n"
         "\n"
         "It runs on a thread of the driver's, and what comes later in the stream waits for it, "
         "and so for the GIL. It must not use the driver: no copies, no launches. What it raises "
         "is printed. While the stream is captured it becomes a host node.\n"
         "\n"
         "Examples\n"
         "--------\n"
         ">>> stream, order = driver.Stream(), []\n"
         ">>> stream.launch_host_function(lambda: order.append('called'))\n"
         ">>> stream.synchronize()\n"
         ">>> order\n"
         "['called']");
  method(
      "is_capturing",
      [](const cuda::Stream& self) {
        return self.capture_status() != CU_STREAM_CAPTURE_STATUS_NONE;
      },
      "Whether the stream's work is captured instead of being run.");
}

}  // namespace pycuda::bindings
