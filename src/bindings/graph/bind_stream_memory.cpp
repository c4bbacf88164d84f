// SPDX-License-Identifier: MIT
// Stream memory operations: of streams, in batches and as nodes of graphs.
#include <cstdint>
#include <string>
#include <utility>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/graph/graph_exec_object.h"
#include "bindings/graph/object.h"
#include "bindings/pointer/device_pointer.h"
#include "cuda/stream.h"
#include "cuda/stream_memory.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// A list of operations, and the memory that they name.
struct OperationList {
  cuda::MemoryOperations operations;
  nb::list memory;
};

template <class Value>
using Write = void (cuda::MemoryOperations::*)(CUdeviceptr, Value);
template <class Value>
using Wait = void (cuda::MemoryOperations::*)(CUdeviceptr, Value, unsigned int);

template <class Value>
void add_write(OperationList& list, Write<Value> write, nb::handle dest, nb::handle value) {
  const CUdeviceptr address = device_address(dest, "dest");
  (list.operations.*write)(address, as_integer<Value>(value, "value"));
  list.memory.append(dest);
}

template <class Value>
void add_wait(OperationList& list, Wait<Value> wait, nb::handle src, nb::handle value,
              nb::handle flags) {
  const CUdeviceptr address = device_address(src, "src");
  (list.operations.*wait)(address, as_integer<Value>(value, "value"),
                          as_integer<unsigned int>(flags, "flags"));
  list.memory.append(src);
}

void enqueue(const OperationList& list, CUstream stream) {
  for (nb::handle memory : list.memory) keep_if_captured(memory);
  without_gil([&] { list.operations.enqueue(stream); });
}

/// One operation, put into a stream.
template <class AddOne>
void enqueue_one(const cuda::Stream& stream, AddOne&& add) {
  OperationList one;
  add(one);
  const cuda::ContextScope scope(stream.context());
  enqueue(one, stream.handle());
}

GraphNodeObject add_node(const GraphObject& self, const OperationList& list,
                         nb::handle dependencies) {
  const std::shared_ptr<cuda::Graph>& graph = self.ready();
  const std::vector<CUgraphNode> after = dependency_list(*graph, dependencies);
  const CUgraphNode node = graph->add_memory_operations(list.operations, after);
  for (nb::handle memory : list.memory) keep_argument(*graph->resources(), memory);
  return {graph, node};
}

void set_node(const GraphExecObject& self, const GraphNodeObject& node, const OperationList& list) {
  self.exec().set_memory_operations(self.own(node), list.operations, kept_object(list.memory));
}

void set_graph_node(const GraphNodeObject& self, const OperationList& list) {
  const auto parameters = cuda::parameters_of(list.operations, self.graph->context()->handle());
  self.graph->driver().cuGraphBatchMemOpNodeSetParams(self.node, &parameters);
  for (nb::handle memory : list.memory) keep_argument(*self.graph->resources(), memory);
}

constexpr const char* write_text =
    "Write `value` to the word at `dest` when the stream's work before is done, and so that who "
    "sees it sees that work.\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "dest : device memory or address\n"
    "    Its first word is written; the address is a multiple of the word's size. Not managed "
    "memory.\n"
    "value : int\n"
    "\n"
    "Raises\n"
    "------\n"
    "LogicError\n"
    "    When no such memory is there.";

constexpr const char* wait_text =
    "Let what is put into the stream later wait until the word at `src` is right. Kernels, other "
    "streams, the host or another process write it.\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "src : device memory or address\n"
    "value : int\n"
    "flags : int\n"
    "    Of `stream_wait_value_flags`: at least `value`, as a counter that wraps (GEQ, the "
    "default), equal to it (EQ), one of its bits (AND), or a bit that is set in neither (NOR).";

template <class Value>
void bind_words(nb::class_<OperationList>& list, const nb::object& stream, Write<Value> write,
                Wait<Value> wait) {
  const std::string bits = std::to_string(8 * sizeof(Value));
  const std::string write_name = "write_value" + bits, wait_name = "wait_value" + bits;
  list.def(
          write_name.c_str(),
          [write](nb::handle self, nb::handle dest, nb::handle value) {
            add_write<Value>(nb::cast<OperationList&>(self), write, dest, value);
            return nb::borrow(self);
          },
          nb::arg("dest"), nb::arg("value"),
          "Add the writing of a word, as `Stream` has it; returns the list.")
      .def(
          wait_name.c_str(),
          [wait](nb::handle self, nb::handle src, nb::handle value, nb::handle flags) {
            add_wait<Value>(nb::cast<OperationList&>(self), wait, src, value, flags);
            return nb::borrow(self);
          },
          nb::arg("src"), nb::arg("value"), nb::arg("flags") = 0,
          "Add waiting for a word, as `Stream` has it; returns the list.");
  nb::cpp_function_def(
      [write](const cuda::Stream& self, nb::handle dest, nb::handle value) {
        enqueue_one(self, [&](OperationList& one) { add_write<Value>(one, write, dest, value); });
      },
      nb::scope(stream), nb::name(write_name.c_str()), nb::is_method(), nb::arg("dest"),
      nb::arg("value"), write_text);
  nb::cpp_function_def(
      [wait](const cuda::Stream& self, nb::handle src, nb::handle value, nb::handle flags) {
        enqueue_one(self,
                    [&](OperationList& one) { add_wait<Value>(one, wait, src, value, flags); });
      },
      nb::scope(stream), nb::name(wait_name.c_str()), nb::is_method(), nb::arg("src"),
      nb::arg("value"), nb::arg("flags") = 0, wait_text);
}

}  // namespace

void bind_stream_memory(nb::module_& m) {
  using Operations = cuda::MemoryOperations;
  nb::class_<OperationList> list(
      m, "MemoryOperations",
      "A list of words that a stream, or a node of a graph, writes and waits for, one after the "
      "other.\n"
      "\n"
      "Examples\n"
      "--------\n"
      ">>> words = driver.to_device(np.zeros(2, np.uint32))\n"
      ">>> operations = driver.MemoryOperations()\n"
      ">>> operations = operations.write_value32(words, 5).wait_value32(words, 5)\n"
      ">>> stream = driver.Stream()\n"
      ">>> operations.enqueue(stream)\n"
      ">>> stream.synchronize()\n"
      ">>> driver.from_device(words, 2, np.uint32)\n"
      "array([5, 0], dtype=uint32)",
      nb::dynamic_attr(), nb::is_weak_referenceable());
  list.def(nb::init<>());
  const nb::object stream_class = m.attr("Stream");
  bind_words<std::uint32_t>(list, stream_class, &Operations::write32, &Operations::wait32);
  bind_words<std::uint64_t>(list, stream_class, &Operations::write64, &Operations::wait64);
  list.def(
          "barrier",
          [](nb::handle self, nb::handle flags) {
            nb::cast<OperationList&>(self).operations.barrier(
                as_integer<unsigned int>(flags, "flags"));
            return nb::borrow(self);
          },
          nb::arg("flags") = 0,
          "Add a barrier: what comes later is seen after what came before. `flags` are of "
          "`stream_memory_barrier_flags`.")
      .def(
          "flush_remote_writes",
          [](nb::handle self) {
            nb::cast<OperationList&>(self).operations.flush_remote_writes();
            return nb::borrow(self);
          },
          "Add a flush of what other devices wrote to this one's memory.")
      .def("__len__", [](const OperationList& self) { return self.operations.all().size(); })
      .def(
          "enqueue",
          [](const OperationList& self, nb::handle stream) {
            enqueue(self, stream_argument(stream));
          },
          nb::arg("stream").none() = nb::none(),
          "Put all of them into a stream (the default one for None), without waiting.");
  nb::cpp_function_def(
      &add_node, nb::scope(m.attr("Graph")), nb::name("add_memory_operations_node"),
      nb::is_method(), nb::arg("operations"), nb::arg("dependencies").none() = nb::none(),
      "Add a `MemoryOperations`, as it is now. The graph keeps the memory alive that it names.");
  nb::cpp_function_def(&set_graph_node, nb::scope(m.attr("GraphNode")),
                       nb::name("set_memory_operations"), nb::is_method(), nb::arg("operations"),
                       "Give a node of memory operations others, for graphs that are instantiated "
                       "later.");
  nb::cpp_function_def(&set_node, nb::scope(m.attr("GraphExec")), nb::name("set_memory_operations"),
                       nb::is_method(), nb::arg("node"), nb::arg("operations"),
                       "Give a node other addresses, values and comparisons, for the same "
                       "operations in the same order, from the next launch on.");
}

}  // namespace pycuda::bindings
