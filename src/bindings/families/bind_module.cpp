// SPDX-License-Identifier: MIT
// Modules and the linker.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/array/keeping.h"
#include "bindings/base/bind.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/enumerators.h"
#include "bindings/convert/integers.h"
#include "bindings/function/object.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "cuda/linker.h"
#include "cuda/module.h"
#include "cuda/texture.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using ModuleObject = SharedReleasedWithoutGil<cuda::Module>;

cuda::JitOptions read_options(nb::handle options) {
  cuda::JitOptions read;
  if (options.is_none()) return read;
  for (nb::handle option : nb::iter(options)) {
    read.emplace_back(as_enumerator<CUjit_option>(option[0], "the option"),
                      as_integer<std::uintptr_t>(option[1], "the option's value"));
  }
  return read;
}

/// Text or a buffer, as bytes.
class Image {
 public:
  explicit Image(nb::handle object) {
    if (nb::isinstance<nb::str>(object)) {
      text_ = nb::cast<std::string>(object);
    } else {
      buffer_.emplace(Buffer::read(object.ptr()));
    }
  }
  std::string_view bytes() const {
    return buffer_ ? std::string_view(static_cast<const char*>(buffer_->data()), buffer_->bytes())
                   : std::string_view(text_);
  }

 private:
  std::string text_;
  std::optional<Buffer> buffer_;
};

// Logs come from the compiler, in whatever encoding its source had. Their last line ends where the
// text does, as that of other messages.
nb::object text_of(const std::string& log) {
  const std::size_t end = log.find_last_not_of('\n') + 1;
  return nb::steal(PyUnicode_DecodeUTF8(log.data(), static_cast<Py_ssize_t>(end), "replace"));
}

void tell(nb::handle message_handler, bool success, const cuda::JitLog& log) {
  if (message_handler.is_none()) return;
  message_handler(success, text_of(log.information), text_of(log.errors));
}

ModuleObject module_from_buffer(nb::handle buffer, nb::handle options, nb::handle message_handler) {
  const Image image(buffer);
  const cuda::JitOptions jit_options = read_options(options);
  cuda::JitLog log;
  ModuleObject module;
  try {
    without_gil(
        [&] { module = ModuleObject(cuda::Module::from_image(image.bytes(), jit_options, &log)); });
  } catch (const driver::DriverError&) {
    tell(message_handler, false, log);
    throw;
  }
  tell(message_handler, true, log);
  return module;
}

/// A linker with its message handler, which hears of the end, good or bad.
class LinkerObject {
 public:
  LinkerObject(nb::object message_handler, const cuda::JitOptions& options)
      : message_handler_(std::move(message_handler)), linker_(options) {}

  template <class Action>
  auto run(Action&& action) {
    try {
      return without_gil([&] { return action(linker_); });
    } catch (const driver::DriverError&) {
      tell(message_handler_, false, linker_.log());
      throw;
    }
  }
  ModuleObject link_module() {
    ModuleObject module =
        run([](cuda::Linker& linker) { return ModuleObject(linker.link_module()); });
    tell(message_handler_, true, linker_.log());
    return module;
  }

 private:
  nb::object message_handler_;
  cuda::Linker linker_;
};

}  // namespace

void bind_module(nb::module_& m) {
  nb::class_<ModuleObject>(m, "Module", "Code loaded into a context: kernels and variables.",
                           nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "get_function",
          [](const ModuleObject& self, const std::string& name) {
            return make_function(
                without_gil([&] { return self->kernel(name); }));  // it may compile
          },
          nb::arg("name"),
          "A kernel, by its name in the module.\n"
          "\n"
          "Returns\n"
          "-------\n"
          "Function\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError\n"
          "    When the module has none of that name. Names of C++ are mangled unless the source "
          "says `extern \"C\"`.")
      .def(
          "_kernel_names", [](const ModuleObject& self) { return self->kernel_names(); },
          "The names of all kernels; an Error with drivers before CUDA 12.4.")
      .def(
          "_check_arguments",
          [](const ModuleObject& self, const nb::dict& types) {
            std::map<std::string, std::string, std::less<>> by_name;
            for (const auto& [name, type] : types) {
              by_name.emplace(nb::cast<std::string>(name), nb::cast<std::string>(type));
            }
            self->check_arguments(std::move(by_name));
          },
          nb::arg("types"),
          "Check arrays against the kernels' types, mangled; before any kernel is asked for.")
      .def(
          "_set_source",
          [](const ModuleObject& self, const std::string& file, const std::string& place,
             unsigned int first_line, const nb::bytes& text) {
            self->set_source(file, place, first_line, {text.c_str(), text.size()});
          },
          nb::arg("file"), nb::arg("place"), nb::arg("first_line"), nb::arg("text"),
          "Name the place of a source in faults: '{}' in `place` stands for a line's number.")
      .def(
          "get_global",
          [](const ModuleObject& self, const std::string& name) {
            const cuda::Module::Global global = self->global(name);
            return nb::make_tuple(global.address, global.bytes);
          },
          nb::arg("name"),
          "Address and size in bytes of a `__device__` or `__constant__` variable, as (int, int); "
          "LogicError when there is none.")
      .def(
          "get_texref",
          [](const ModuleObject& self, const std::string& name) {
            return without_gil([&] {
              return released_without_gil(cuda::TextureReference::of(self.shared(), name));
            });
          },
          nb::arg("name"),
          "The `TextureReference` that the module declares; LogicError when there is none of that "
          "name.")
      .def(
          "get_surfref",
          [](const ModuleObject& self, const std::string& name) {
            return without_gil([&] {
              return released_without_gil(cuda::SurfaceReference::of(self.shared(), name));
            });
          },
          nb::arg("name"), "The `SurfaceReference` that the module declares.");

  m.def(
      "module_from_file",
      [](nb::handle filename) {
        const nb::object path = nb::steal(PyOS_FSPath(filename.ptr()));
        if (!path.is_valid()) throw nb::python_error();
        const nb::object encoded =
            nb::isinstance<nb::str>(path) ? nb::steal(PyUnicode_EncodeFSDefault(path.ptr())) : path;
        if (!encoded.is_valid()) throw nb::python_error();
        const std::string name = nb::cast<nb::bytes>(encoded).c_str();
        return without_gil([&] { return ModuleObject(cuda::Module::from_file(name)); });
      },
      nb::arg("filename"),
      "Load a cubin, PTX or fat binary from a file into the current context; returns a `Module`.");
  m.def("module_from_buffer", &module_from_buffer, nb::arg("buffer"),
        nb::arg("options") = nb::make_tuple(), nb::arg("message_handler").none() = nb::none(),
        "Load a cubin, PTX or fat binary into the current context.\n"
        "\n"
        "Parameters\n"
        "----------\n"
        "buffer : bytes-like or str\n"
        "options : iterable of (jit_option, int)\n"
        "message_handler : callable, optional\n"
        "    Called as (succeeded, info, errors) with what the driver's compiler wrote.\n"
        "\n"
        "Returns\n"
        "-------\n"
        "Module\n"
        "\n"
        "Raises\n"
        "------\n"
        "LogicError, RuntimeError\n"
        "    When the driver refuses it; the message has its log.");

  m.def("_module_of_function",
        [](nb::handle function) { return ModuleObject(kernel_of_function(function).module()); });
  m.def(
      "_borrow_module",
      [](nb::handle handle, nb::handle image, nb::handle owner) {
        auto* const borrowed =
            reinterpret_cast<CUmodule>(as_integer<std::uintptr_t>(handle, "handle"));
        std::optional<Image> code;
        if (!image.is_none()) code.emplace(image);
        return ModuleObject(
            cuda::Module::borrow(borrowed, code ? code->bytes() : std::string_view(),
                                 std::const_pointer_cast<void>(kept_object(owner))));
      },
      nb::arg("handle"), nb::arg("image").none(), nb::arg("owner"));

  nb::class_<LinkerObject>(m, "Linker", nb::dynamic_attr(),
                           "Links cubins, PTX and libraries to one module.\n"
                           "\n"
                           "Parameters\n"
                           "----------\n"
                           "message_handler : callable, optional\n"
                           "    Called as (succeeded, info, errors) with what the linker wrote.\n"
                           "options : iterable of (jit_option, int), optional\n"
                           "log_verbose : bool")
      .def(
          "__init__",
          [](LinkerObject* self, nb::object message_handler, nb::handle options, bool log_verbose) {
            cuda::JitOptions jit_options = read_options(options);
            if (log_verbose) jit_options.emplace_back(CU_JIT_LOG_VERBOSE, 1);
            new (self) LinkerObject(std::move(message_handler), jit_options);
          },
          nb::arg("message_handler").none() = nb::none(), nb::arg("options").none() = nb::none(),
          nb::arg("log_verbose") = false)
      .def(
          "add_data",
          [](LinkerObject& self, nb::handle data, nb::handle input_type, const std::string& name) {
            const Image image(data);
            const auto type = as_enumerator<CUjitInputType>(input_type, "the input type");
            self.run([&](cuda::Linker& linker) { linker.add_data(image.bytes(), type, name); });
          },
          nb::arg("data"), nb::arg("input_type"), nb::arg("name") = "unknown",
          "Add a part that is in memory; `input_type` is a `jit_input_type`, `name` stands in "
          "messages.")
      .def(
          "add_file",
          [](LinkerObject& self, const std::string& filename, nb::handle input_type) {
            const auto type = as_enumerator<CUjitInputType>(input_type, "the input type");
            self.run([&](cuda::Linker& linker) { linker.add_file(filename, type); });
          },
          nb::arg("filename"), nb::arg("input_type"), "Add a part that is in a file.")
      .def("link_module", &LinkerObject::link_module,
           "Link the parts, load the result into the current context, and return the `Module`.");
}

}  // namespace pycuda::bindings
