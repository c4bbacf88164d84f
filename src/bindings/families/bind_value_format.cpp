// SPDX-License-Identifier: MIT
// pycuda._pvt_struct: Python's struct with complex numbers and half precision.
#include <nanobind/stl/string.h>

#include <memory>
#include <string>
#include <vector>

#include "bindings/base/bind.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/integers.h"
#include "bindings/function/value_format.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// A compiled format string.
class Struct {
 public:
  explicit Struct(std::string codes)
      : codes_(std::move(codes)), format_(ValueFormat::parse(codes_)) {}

  const std::string& codes() const { return codes_; }
  std::size_t bytes() const { return format_.bytes(); }

  nb::bytes pack(const nb::args& values) const {
    std::vector<char> packed(bytes());
    write(values, 0, packed.data());
    return nb::bytes(packed.data(), packed.size());
  }

  // The buffer and the offset come first among the arguments, as in struct.
  void pack_into(const nb::args& arguments) const {
    if (arguments.size() < 2) raise_struct_error("pack_into expected buffer argument and offset");
    const Buffer target = Buffer::write(nb::handle(arguments[0]).ptr());
    const std::size_t offset = start_in(target, arguments[1], "pack_into");
    write(arguments, 2, static_cast<char*>(target.data()) + offset);
  }

  nb::tuple unpack(nb::handle buffer) const {
    const Buffer source = Buffer::read(buffer.ptr());
    if (source.bytes() != bytes()) {
      raise_struct_error(
          ("unpack requires a buffer of " + std::to_string(bytes()) + " bytes").c_str());
    }
    return read(static_cast<const char*>(source.data()));
  }

  nb::tuple unpack_from(nb::handle buffer, nb::handle offset) const {
    const Buffer source = Buffer::read(buffer.ptr());
    const std::size_t start = start_in(source, offset, "unpack_from");
    return read(static_cast<const char*>(source.data()) + start);
  }

 private:
  void write(const nb::args& values, std::size_t skipped, char* destination) const {
    const std::size_t given = values.size() - skipped;
    if (given != format_.fields().size()) {
      const std::string text = "pack requires exactly " + std::to_string(format_.fields().size()) +
                               " arguments, but " + std::to_string(given) + " were given";
      raise_struct_error(text.c_str());
    }
    for (std::size_t i = 0; i < given; ++i) {
      const FormatField& field = format_.fields()[i];
      write_field(field, nb::handle(values[i + skipped]).ptr(), false, destination + field.offset);
    }
  }

  nb::tuple read(const char* source) const {
    nb::list values;
    for (const FormatField& field : format_.fields()) {
      values.append(read_field(field, source + field.offset));
    }
    return nb::tuple(values);
  }

  std::size_t start_in(const Buffer& buffer, nb::handle offset, const char* routine) const {
    auto start = as_integer<Py_ssize_t>(offset, "offset");
    const auto length = static_cast<Py_ssize_t>(buffer.bytes());
    if (start < 0) start += length;
    if (start < 0 || start > length || buffer.bytes() - static_cast<std::size_t>(start) < bytes()) {
      const std::string text = std::string(routine) + " requires a buffer of at least " +
                               std::to_string(bytes()) + " bytes after the offset";
      raise_struct_error(text.c_str());
    }
    return static_cast<std::size_t>(start);
  }

  std::string codes_;
  ValueFormat format_;
};

}  // namespace

void bind_value_format(nb::module_& m) {
  nb::class_<Struct>(m, "_Struct")
      .def("__init__",
           [](Struct* self, nb::handle format) {
             const bool text = nb::isinstance<nb::str>(format);
             new (self) Struct(text ? nb::cast<std::string>(format)
                                    : std::string(nb::cast<nb::bytes>(format).c_str()));
           })
      .def_prop_ro("format", &Struct::codes)
      .def_prop_ro("size", &Struct::bytes)
      .def("pack", &Struct::pack)
      .def("pack_into", &Struct::pack_into)
      .def("unpack", &Struct::unpack, nb::arg("buffer"))
      .def("unpack_from", &Struct::unpack_from, nb::arg("buffer"), nb::arg("offset") = 0);
}

}  // namespace pycuda::bindings
