// SPDX-License-Identifier: MIT
// The class Function: its type object, attributes and settings.
#include <Python.h>
#include <nanobind/stl/string.h>
#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/base/bind.h"
#include "bindings/base/limited_api.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/function/kernel_arguments.h"
#include "bindings/function/launch_shape.h"
#include "bindings/function/object.h"
#include "bindings/function/occupancy.h"
#include "bindings/function/state.h"
#include "bindings/function/stateful.h"
#include "bindings/gil/released.h"
#include "cuda/kernel_names.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

PyTypeObject* function_type = nullptr;

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(reinterpret_cast<FunctionObject*>(self)->dict);
  Py_VISIT(Py_TYPE(self));
  return 0;
}

int clear(PyObject* self) {
  Py_CLEAR(reinterpret_cast<FunctionObject*>(self)->dict);
  return 0;
}

void destroy(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  auto* function = reinterpret_cast<FunctionObject*>(self);
  PyObject_GC_UnTrack(self);
  if (function->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  clear(self);
  // The last kernel of a module unloads it, which waits for the device.
  std::shared_ptr<cuda::Kernel>& kernel = function->state->kernel;
  if (kernel.use_count() == 1) without_gil_if_possible([&] { kernel.reset(); });
  delete function->state;
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

/// "scale(float*, int)"; the name alone where the types are not known.
std::string signature_of(const cuda::Kernel& kernel) {
  std::string text = cuda::readable_name(kernel.name());
  if (text != kernel.name()) return text;
  try {
    const std::vector<std::string>& types = kernel.layout().type_names;
    if (types.empty()) return text;
    text += '(';
    for (const std::string& type : types) text += (text.back() == '(' ? "" : ", ") + type;
    return text + ")";
  } catch (const driver::DriverError&) {
    return text;  // after a fault the driver does not tell
  }
}

PyObject* represent(PyObject* self) {
  return python_entry([&] {
    const std::string text = signature_of(*state_of(self).kernel);
    return PyUnicode_FromFormat("<pycuda.Function %s>", text.c_str());
  });
}

CUfunction_attribute attribute_code(nb::handle attribute) {
  return as_enumerator<CUfunction_attribute>(attribute, "the attribute");
}

// Asked for by those who call __getattr__ themselves; the properties below answer everybody else.
PyObject* get_attribute_named(PyObject* self, PyObject* name) {
  return PyObject_GenericGetAttr(self, name);
}

PyObject* get_attribute(PyObject* self, PyObject* attribute) {
  return python_entry(
      [&] { return PyLong_FromLong(state_of(self).kernel->attribute(attribute_code(attribute))); });
}

PyObject* set_attribute(PyObject* self, PyObject* const* arguments, Py_ssize_t count) {
  return python_entry([&]() -> PyObject* {
    if (count != 2) {
      PyErr_SetString(PyExc_TypeError, "set_attribute() takes an attribute and a value");
      throw nb::python_error();
    }
    state_of(self).kernel->set_attribute(attribute_code(arguments[0]),
                                         as_integer<int>(arguments[1], "the value"));
    Py_RETURN_NONE;
  });
}

PyObject* set_cache_config(PyObject* self, PyObject* config) {
  return python_entry([&]() -> PyObject* {
    state_of(self).kernel->set_cache_config(
        as_enumerator<CUfunc_cache>(config, "the cache configuration"));
    Py_RETURN_NONE;
  });
}

PyObject* set_shared_config(PyObject* self, PyObject* config) {
  return python_entry([&]() -> PyObject* {
    state_of(self).kernel->set_shared_config(
        as_enumerator<CUsharedconfig>(config, "the bank configuration"));
    Py_RETURN_NONE;
  });
}

/// METH_FASTCALL | METH_KEYWORDS: the block is the only argument, with or without its name.
PyObject* plan_of(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                  PyObject* keyword_names) {
  return python_entry([&]() -> PyObject* {
    const Py_ssize_t named = keyword_names != nullptr ? NB_TUPLE_GET_SIZE(keyword_names) : 0;
    if (count + named > 1 ||
        (named == 1 &&
         PyUnicode_CompareWithASCIIString(NB_TUPLE_GET_ITEM(keyword_names, 0), "block") != 0)) {
      PyErr_SetString(PyExc_TypeError, "plan() takes one argument, block");
      throw nb::python_error();
    }
    const cuda::Dim3 block =
        count + named == 1 ? dimensions(arguments[0], "block") : cuda::Dim3{256, 1, 1};
    const cuda::Kernel& kernel = *state_of(self).kernel;
    std::string text;
    {
      const GilReleased released;  // it compiles
      text = kernel.plan(block.x, block.y, block.z);
    }
    const nb::object decoded = nb::steal(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    if (!decoded.is_valid()) throw nb::python_error();
    return nb::module_::import_("pycuda._plan")
        .attr("Plan")(decoded, nb::str(kernel.name().c_str()),
                      nb::make_tuple(block.x, block.y, block.z))
        .release()
        .ptr();
  });
}

/// METH_VARARGS | METH_KEYWORDS: a launch, made by pycuda._report.
PyObject* report_of(PyObject* self, PyObject* arguments, PyObject* keywords) {
  return python_entry([&]() -> PyObject* {
    if (keywords == nullptr || PyDict_GetItemString(keywords, "block") == nullptr) {
      PyErr_SetString(PyExc_TypeError,
                      "report() launches the kernel: pass its arguments and block=(x, y, z), such "
                      "as block=(256, 1, 1)");
      throw nb::python_error();
    }
    const nb::object make = nb::module_::import_("pycuda._report").attr("report_of_launch");
    const nb::object all = nb::make_tuple(nb::borrow(self)) + nb::borrow<nb::tuple>(arguments);
    PyObject* report = PyObject_Call(make.ptr(), all.ptr(), keywords);
    if (report == nullptr) throw nb::python_error();
    return report;
  });
}

/// k[8, 256](a) is how Numba launches.
PyObject* refuse_subscript(PyObject*, PyObject*) {
  PyErr_SetString(PyExc_TypeError,
                  "a kernel takes its launch with its arguments: func(a, block=(256, 1, 1), "
                  "grid=(8, 1))");
  return nullptr;
}

PyObject* param_set_texref(PyObject*, PyObject* texref) {
  return python_entry([&]() -> PyObject* {
    static_cast<void>(texture_references(nb::make_tuple(nb::handle(texref))));
    Py_RETURN_NONE;
  });
}

// Properties and not a tp_getattro: with that every look-up of a method would be slow.
PyObject* driver_attribute(PyObject* self, void* code) {
  return python_entry([&] {
    const auto attribute = static_cast<CUfunction_attribute>(reinterpret_cast<std::intptr_t>(code));
    try {
      return PyLong_FromLong(state_of(self).kernel->attribute(attribute));
    } catch (const driver::DriverError& error) {
      // A driver that does not know the attribute: completion, hasattr() and inspect go on.
      if (error.code() != CUDA_ERROR_INVALID_VALUE && error.code() != CUDA_ERROR_NOT_SUPPORTED)
        throw;
      throw nb::attribute_error(error.what());
    }
  });
}

PyObject* arg_format(PyObject* self, void*) {
  return python_entry([&] { return nb::object(state_of(self).prepared_codes()).release().ptr(); });
}

PyObject* texrefs(PyObject* self, void*) {
  return python_entry([&]() -> PyObject* {
    state_of(self).prepared_codes();
    return nb::object(state_of(self).texrefs).release().ptr();
  });
}

PyObject* name_of(PyObject* self, void*) {
  return PyUnicode_FromString(state_of(self).kernel->name().c_str());
}

PyObject* handle_of(PyObject* self, void*) {
  return PyLong_FromVoidPtr(reinterpret_cast<void*>(state_of(self).kernel->handle()));
}

PyGetSetDef attribute(const char* name, std::intptr_t code) {
  return {name, driver_attribute, nullptr, "An attribute of the kernel in the driver.",
          reinterpret_cast<void*>(code)};
}

template <class Method>
PyCFunction as_method(Method* method) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

constexpr const char* function_documentation =
    "A kernel. Calling it launches it.\n"
    "\n"
    "Parameters\n"
    "----------\n"
    "*args\n"
    "    The kernel's arguments: device memory (DeviceAllocation, GPUArray), Python and NumPy "
    "numbers, In, Out\n"
    "    and InOut around host arrays, and bytes or records for structs. They are checked against "
    "the kernel's\n"
    "    own parameters where the driver tells them.\n"
    "block : tuple of int\n"
    "    Threads of a block along x, y and z.\n"
    "grid : tuple of int\n"
    "    Blocks along x, y and z; (1, 1) by default.\n"
    "stream : Stream, optional\n"
    "shared : int\n"
    "    Bytes of dynamic shared memory.\n"
    "time_kernel : bool\n"
    "    Wait for the kernel and return its time in seconds.\n"
    "cooperative : bool\n"
    "    Run all blocks at once, so that the grid can synchronise "
    "(`cooperative_groups::this_grid().sync()`).\n"
    "cluster : tuple of int, optional\n"
    "    Blocks of a cluster along x, y and z; needs compute capability 9.0.\n"
    "priority : int, optional\n"
    "    Of this launch: lower numbers first.\n"
    "programmatic_dependent_launch : bool\n"
    "    The kernel may begin when the one before it in the stream allows that; needs compute "
    "capability 9.0.\n"
    "\n"
    "Raises\n"
    "------\n"
    "TypeError, OverflowError\n"
    "    When the arguments are not those of the kernel, or do not fit.\n"
    "LogicError\n"
    "    When block or grid are not possible. A kernel that fails is reported by the next call "
    "that waits.\n";

// What every launch takes besides.
#define LAUNCH_ATTRIBUTES \
  ", cooperative=False, cluster=None, priority=None, programmatic_dependent_launch=False"

PyTypeObject* make_function_type() {
  constexpr int fast = METH_FASTCALL | METH_KEYWORDS;
  static std::vector<PyMethodDef> methods = {
      {"prepare", as_method(prepare), fast,
       "prepare($self, arg_types, texrefs=None, *, block=None, shared=0" LAUNCH_ATTRIBUTES
       ")\n--\n\n"
       "Say the types of the arguments beforehand, as codes of the module struct (\"PPi\") or a "
       "list "
       "of dtypes;\nreturns the kernel, for calls of `prepared_call`."},
      {"prepared_call", as_method(prepared_call), fast,
       "prepared_call($self, grid, block, /, *args, shared_size=0" LAUNCH_ATTRIBUTES ")\n--\n\n"
       "Launch in the default stream, with arguments of the types that `prepare` was told."},
      {"prepared_async_call", as_method(prepared_async_call), fast,
       "prepared_async_call($self, grid, block, stream, /, *args, shared_size=0" LAUNCH_ATTRIBUTES
       ")\n--\n\n"
       "Launch in a stream, with arguments of the types that `prepare` was told."},
      {"prepared_timed_call", as_method(prepared_timed_call), fast,
       "prepared_timed_call($self, grid, block, /, *args, shared_size=0" LAUNCH_ATTRIBUTES
       ")\n--\n\n"
       "Launch; the result is a function that waits for the kernel and returns the seconds that it "
       "took."},
      {"get_attribute", get_attribute, METH_O,
       "get_attribute($self, attribute, /)\n--\n\nThe value of a `function_attribute`."},
      {"set_attribute", as_method(set_attribute), METH_FASTCALL,
       "set_attribute($self, attribute, value, /)\n--\n\nSet a `function_attribute`."},
      {"set_cache_config", set_cache_config, METH_O,
       "set_cache_config($self, config, /)\n--\n\nPrefer shared memory or L1, a `func_cache`."},
      {"set_shared_config", set_shared_config, METH_O,
       "set_shared_config($self, config, /)\n--\n\nSet the width of the banks, a `shared_config`."},
      {"plan", as_method(plan_of), fast,
       "plan($self, block=(256, 1, 1))\n--\n\n"
       "How the CPU driver runs the kernel in such blocks, as text: gangs, the form\nof each "
       "access "
       "and branch with its line, barriers, and what fell back to single threads. LogicError\nwith "
       "another driver."},
      {"report", as_method(report_of), METH_VARARGS | METH_KEYWORDS,
       "report($self, /, *args, block, grid=(1, 1), shared=0, checks=None)\n--\n\n"
       "Launch once on the CPU driver, count what its warps do, and return a `Report`: a page with "
       "the source,\nwhat each line costs, pictures of accesses, and what would help most. "
       "`checks` are names as in\n`pycuda.checks`; None: all of them for up to 65536 threads, none "
       "for more. Also of a kernel that ends with a fault: the report begins with it, and the "
       "context is lost.\nLogicError with another driver."},
      {"max_active_blocks", as_method(max_active_blocks), METH_VARARGS | METH_KEYWORDS,
       "max_active_blocks($self, block, shared=0)\n--\n\n"
       "How many blocks of so many threads (or of this shape), with so many bytes of dynamic\n"
       "shared memory, a multiprocessor runs at once."},
      {"suggested_block_size", as_method(suggested_block_size), METH_VARARGS | METH_KEYWORDS,
       "suggested_block_size($self, shared=0, limit=0)\n--\n\n"
       "(threads, blocks): a block size with which the kernel fills the device, and the least grid "
       "that does.\n`limit` bounds the block size; 0 is no bound but the kernel's own."},
      {"available_shared_memory", as_method(available_shared_memory), METH_VARARGS | METH_KEYWORDS,
       "available_shared_memory($self, blocks, block)\n--\n\n"
       "The bytes of dynamic shared memory per block that let so many blocks run at once on a "
       "multiprocessor."},
      {"__getattr__", get_attribute_named, METH_O, "An attribute of the driver, in small letters."},
      {"param_set_texref", param_set_texref, METH_O,
       "param_set_texref($self, texref, /)\n--\n\n"
       "Nothing needs to be done: a kernel finds the references of its module."},
  };
  const PyMethodDef* stateful = stateful_methods();
  do {
    methods.push_back(*stateful);
  } while (stateful++->ml_name != nullptr);
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", T_PYSSIZET, offsetof(FunctionObject, vectorcall), READONLY, nullptr},
      {"__dictoffset__", T_PYSSIZET, offsetof(FunctionObject, dict), READONLY, nullptr},
      {"__weaklistoffset__", T_PYSSIZET, offsetof(FunctionObject, weak_references), READONLY,
       nullptr},
      {nullptr, 0, 0, 0, nullptr},
  };
  static PyGetSetDef properties[] = {
      {"arg_format", arg_format, nullptr, "The codes that prepare() was given.", nullptr},
      {"texrefs", texrefs, nullptr, "The texture references that prepare() was given.", nullptr},
      attribute("max_threads_per_block", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
      attribute("shared_size_bytes", CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
      attribute("const_size_bytes", CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES),
      attribute("local_size_bytes", CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
      attribute("num_regs", CU_FUNC_ATTRIBUTE_NUM_REGS),
      attribute("ptx_version", CU_FUNC_ATTRIBUTE_PTX_VERSION),
      attribute("binary_version", CU_FUNC_ATTRIBUTE_BINARY_VERSION),
      attribute("cache_mode_ca", CU_FUNC_ATTRIBUTE_CACHE_MODE_CA),
      attribute("max_dynamic_shared_size_bytes", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES),
      attribute("preferred_shared_memory_carveout",
                CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT),
      {"name", name_of, nullptr, "The kernel's name in the module.", nullptr},
      {"handle", handle_of, nullptr, "The driver's handle, a number.", nullptr},
      {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr},
  };
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(function_documentation)},
      {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
      {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(clear)},
      {Py_tp_repr, reinterpret_cast<void*>(represent)},
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_mp_subscript, reinterpret_cast<void*>(refuse_subscript)},
      {Py_tp_methods, methods.data()},
      {Py_tp_members, members},
      {Py_tp_getset, properties},
      {0, nullptr},
  };
  static PyType_Spec spec = {"pycuda.driver.Function", sizeof(FunctionObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL |
                                 Py_TPFLAGS_DISALLOW_INSTANTIATION,
                             slots};
  PyObject* type = PyType_FromSpec(&spec);
  if (type == nullptr) throw nb::python_error();
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace

nb::object make_function(std::shared_ptr<cuda::Kernel> kernel) {
  auto state = std::make_unique<FunctionState>();
  state->kernel = std::move(kernel);
  auto* function = PyObject_GC_New(FunctionObject, function_type);
  if (function == nullptr) throw nb::python_error();
  function->state = state.release();
  function->vectorcall = call_function;
  function->dict = nullptr;
  function->weak_references = nullptr;
  PyObject_GC_Track(reinterpret_cast<PyObject*>(function));
  return nb::steal(reinterpret_cast<PyObject*>(function));
}

const cuda::Kernel& kernel_of_function(nb::handle function) {
  if (Py_TYPE(function.ptr()) != function_type) {
    PyErr_Format(PyExc_TypeError, "func must be a Function, not %s",
                 type_name(function.ptr()).c_str());
    throw nb::python_error();
  }
  return *state_of(function.ptr()).kernel;
}

void bind_function(nb::module_& m) {
  function_type = make_function_type();
  m.attr("Function") = nb::borrow(reinterpret_cast<PyObject*>(function_type));
  m.def("_set_handler_class", &set_handler_class);
}

}  // namespace pycuda::bindings
