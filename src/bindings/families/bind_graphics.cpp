// SPDX-License-Identifier: MIT
// OpenGL's buffers and images. Every call here is for the OpenGL context of the calling thread.
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <utility>

#include "bindings/base/bind.h"
#include "bindings/convert/array_argument.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "bindings/gil/resources.h"
#include "cuda/context_stack.h"
#include "cuda/gl_buffer_object.h"
#include "cuda/graphics.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

void warn_deprecated(const char* what, const char* instead) {
  if (PyErr_WarnFormat(PyExc_DeprecationWarning, 1, "%s has been deprecated: use %s", what,
                       instead) != 0) {
    throw nb::python_error();
  }
}

std::pair<CUdeviceptr, std::size_t> pointer_of(const cuda::GraphicsMapping& mapping) {
  return mapping.pointer();
}

class RegisteredMapping {
 public:
  RegisteredMapping(std::shared_ptr<cuda::GraphicsResource> resource, nb::handle stream)
      : stream_(nb::borrow(stream)) {
    const CUstream handle = stream_argument(stream);
    mapping_ = SharedReleasedWithoutGil(without_gil(
        [&] { return std::make_shared<cuda::GraphicsMapping>(std::move(resource), handle); }));
  }
  const cuda::GraphicsMapping& mapping() const { return *mapping_.shared(); }
  void unmap(nb::handle stream) {
    const CUstream handle = stream_argument(stream);
    without_gil([&] { mapping_->unmap(handle); });
  }
  void unmap_in_own_stream() { unmap(stream_); }

 private:
  nb::object stream_;  // kept: the mapping ends in it
  SharedReleasedWithoutGil<cuda::GraphicsMapping> mapping_;
};

/// The base of RegisteredBuffer and RegisteredImage.
class RegisteredObject {
 public:
  explicit RegisteredObject(std::shared_ptr<cuda::GraphicsResource> resource)
      : resource_(std::move(resource)) {}
  unsigned int gl_handle() const { return resource_->gl_name(); }
  void set_map_flags(nb::handle flags) const {
    resource_->set_map_flags(as_integer<unsigned int>(flags, "flags"));
  }
  void unregister() {
    without_gil([this] { resource_->unregister(); });
  }
  std::unique_ptr<RegisteredMapping> map(nb::handle stream) const {
    return std::make_unique<RegisteredMapping>(resource_.shared(), stream);
  }

 private:
  SharedReleasedWithoutGil<cuda::GraphicsResource> resource_;
};

struct RegisteredBuffer : RegisteredObject {
  RegisteredBuffer(unsigned int buffer, unsigned int flags)
      : RegisteredObject(
            without_gil([&] { return cuda::GraphicsResource::of_buffer(buffer, flags); })) {}
};

struct RegisteredImage : RegisteredObject {
  RegisteredImage(unsigned int image, unsigned int target, unsigned int flags)
      : RegisteredObject(
            without_gil([&] { return cuda::GraphicsResource::of_image(image, target, flags); })) {}
};

using BufferObject = SharedReleasedWithoutGil<cuda::GlBufferObject>;
using BufferObjectMapping = SharedReleasedWithoutGil<cuda::GlBufferMapping>;

void bind_registered_objects(nb::module_& m) {
  nb::class_<RegisteredMapping>(
      m, "RegisteredMapping",
      "A registered buffer or image while CUDA has it. OpenGL must not use it meanwhile.\n"
      "\n"
      "As a context manager it is unmapped at the end.",
      nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("unmap", &RegisteredMapping::unmap_in_own_stream,
           "Give it back to OpenGL, in the order of the stream of `map` or of another one.")
      .def("unmap", &RegisteredMapping::unmap, nb::arg("stream"))
      .def_prop_ro("_handle",
                   [](const RegisteredMapping& self) {
                     return reinterpret_cast<std::uintptr_t>(self.mapping().handle());
                   })
      .def(
          "device_ptr_and_size",
          [](const RegisteredMapping& self) {
            const auto [address, bytes] = pointer_of(self.mapping());
            return nb::make_tuple(address, bytes);
          },
          "The address and the bytes of a buffer.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError\n"
          "    For an image, or after `unmap`.")
      .def(
          "array",
          [](const RegisteredMapping& self, nb::handle index, nb::handle level) {
            return array_object_of(self.mapping().array(as_integer<unsigned int>(index, "index"),
                                                        as_integer<unsigned int>(level, "level")));
          },
          nb::arg("index"), nb::arg("level"),
          "The `Array` of an image: layer or face `index` of mipmap level `level`. It is valid "
          "until `unmap`.\n"
          "\n"
          "Raises\n"
          "------\n"
          "LogicError\n"
          "    For a buffer, for a layer or level that does not exist, or after `unmap`.")
      .def("__enter__", [](nb::handle self) { return nb::borrow(self); })
      .def(
          "__exit__",
          [](RegisteredMapping& self, nb::handle, nb::handle, nb::handle) {
            self.unmap_in_own_stream();
          },
          nb::arg("type").none(), nb::arg("value").none(), nb::arg("traceback").none());

  nb::class_<RegisteredObject>(m, "RegisteredObject",
                               "The base class of `RegisteredBuffer` and `RegisteredImage`.",
                               nb::dynamic_attr(), nb::is_weak_referenceable())
      .def("gl_handle", &RegisteredObject::gl_handle, "OpenGL's name of it, an int.")
      .def("unregister", &RegisteredObject::unregister,
           "End the registration now; a second call raises LogicError.")
      .def("set_map_flags", &RegisteredObject::set_map_flags, nb::arg("flags"),
           "What later mappings do, a `graphics_map_flags`.")
      .def("map", &RegisteredObject::map, nb::arg("stream").none() = nb::none(),
           "Let CUDA have it until `unmap`: a `RegisteredMapping`. What OpenGL was asked to do "
           "before is visible to work queued in `stream` after.");
  nb::class_<RegisteredBuffer, RegisteredObject>(
      m, "RegisteredBuffer",
      "An OpenGL buffer object that CUDA can map.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "bufobj : int\n"
      "    The buffer's name, of the OpenGL context that is current on this thread.\n"
      "flags : graphics_map_flags\n"
      "    `READ_ONLY`: kernels do not write to it. `WRITE_DISCARD`: they write all of it, and do "
      "not read what was there.\n"
      "\n"
      "Raises\n"
      "------\n"
      "LogicError\n"
      "    When no OpenGL context is current, or the buffer does not exist or has no storage.")
      .def(
          "__init__",
          [](RegisteredBuffer* self, nb::handle bufobj, nb::handle flags) {
            new (self) RegisteredBuffer(as_integer<unsigned int>(bufobj, "bufobj"),
                                        as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("bufobj"), nb::arg("flags") = 0);
  nb::class_<RegisteredImage, RegisteredObject>(
      m, "RegisteredImage",
      "An OpenGL texture or renderbuffer that CUDA can map, as arrays.\n"
      "\n"
      "Parameters\n"
      "----------\n"
      "handle : int\n"
      "    The image's name, of the OpenGL context that is current on this thread.\n"
      "target : int\n"
      "    `GL_TEXTURE_2D`, `GL_TEXTURE_RECTANGLE`, `GL_TEXTURE_CUBE_MAP`, `GL_TEXTURE_3D`, "
      "`GL_TEXTURE_2D_ARRAY` or `GL_RENDERBUFFER`.\n"
      "flags : graphics_map_flags or graphics_register_flags\n"
      "    `SURFACE_LDST`: kernels write to it through surfaces.\n"
      "\n"
      "Raises\n"
      "------\n"
      "LogicError\n"
      "    When no OpenGL context is current, or the image does not exist, or has another target "
      "or a format that CUDA has not.")
      .def(
          "__init__",
          [](RegisteredImage* self, nb::handle handle, nb::handle target, nb::handle flags) {
            new (self) RegisteredImage(as_integer<unsigned int>(handle, "handle"),
                                       as_integer<unsigned int>(target, "target"),
                                       as_integer<unsigned int>(flags, "flags"));
          },
          nb::arg("handle"), nb::arg("target"), nb::arg("flags") = 0);
}

void bind_buffer_objects(nb::module_& m) {
  nb::class_<BufferObjectMapping>(m, "BufferObjectMapping",
                                  "A `BufferObject` while CUDA has it. Deprecated.",
                                  nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "unmap", [](const BufferObjectMapping& self) { without_gil([&] { self->unmap(); }); },
          "Give it back to OpenGL; a second call raises LogicError.")
      .def(
          "device_ptr", [](const BufferObjectMapping& self) { return self->address(); },
          "The address, an int.")
      .def("size", [](const BufferObjectMapping& self) { return self->bytes(); }, "Bytes.");
  nb::class_<BufferObject>(m, "BufferObject",
                           "An OpenGL buffer by CUDA's oldest functions. Deprecated: use "
                           "`RegisteredBuffer`.",
                           nb::dynamic_attr(), nb::is_weak_referenceable())
      .def(
          "__init__",
          [](BufferObject* self, nb::handle handle) {
            const auto buffer = as_integer<unsigned int>(handle, "handle");
            warn_deprecated("buffer_object", "RegisteredBuffer");
            new (self) BufferObject(
                without_gil([&] { return std::make_shared<cuda::GlBufferObject>(buffer); }));
          },
          nb::arg("handle"))
      .def(
          "handle", [](const BufferObject& self) { return self->gl_name(); },
          "OpenGL's name of it, an int.")
      .def(
          "unregister", [](const BufferObject& self) { without_gil([&] { self->unregister(); }); },
          "End the registration now; a second call raises LogicError.")
      .def(
          "map",
          [](const BufferObject& self) {
            warn_deprecated("map_buffer_object", "RegisteredBuffer.map");
            return std::make_unique<BufferObjectMapping>(without_gil(
                [&] { return std::make_shared<cuda::GlBufferMapping>(self.shared()); }));
          },
          "Let CUDA have it until `unmap`: a `BufferObjectMapping`.");
}

}  // namespace

void bind_graphics(nb::module_& m) {
  bind_registered_objects(m);
  bind_buffer_objects(m);
  m.def(
      "gl_init",
      [] {
        warn_deprecated("gl_init()", "nothing in its place");
        cuda::require_context()->driver().cuGLInit();
      },
      "Did something in CUDA 2; deprecated.");
  m.def(
      "make_gl_context",
      [](const cuda::Device& dev, nb::handle flags) {
        const auto bits = as_integer<unsigned int>(flags, "flags");
        return without_gil([&] {
          cuda::ContextPtr context = cuda::Context::create_for_gl(dev, bits);
          cuda::push_context(context);
          return context;
        });
      },
      nb::arg("dev"), nb::arg("flags") = 0,
      "A new `Context`, current from now on, that can map buffers and images of the OpenGL context "
      "that is current on this thread.\n"
      "\n"
      "Raises\n"
      "------\n"
      "LogicError\n"
      "    When no OpenGL context is current.");
}

}  // namespace pycuda::bindings
