// SPDX-License-Identifier: MIT
#include "bindings/function/prepared_format.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "bindings/base/limited_api.h"
#include "bindings/function/kernel_arguments.h"
#include "cuda/kernel_names.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

std::string code_of_dtype(nb::handle dtype) {
  auto code = nb::cast<std::string>(dtype.attr("char"));
  if (code != "V") return code;
  return std::to_string(nb::cast<std::size_t>(dtype.attr("itemsize"))) + "s";
}

/// What is neither a code nor one of NumPy's types stands for a pointer, as in the original; it is
/// added to `others`.
std::string code_of_type(nb::handle item, std::string& others) {
  const nb::module_ numpy = nb::module_::import_("numpy");
  if (nb::isinstance(item, numpy.attr("dtype"))) return code_of_dtype(item);
  if (PyType_Check(item.ptr())) {
    auto* type = reinterpret_cast<PyTypeObject*>(item.ptr());
    const nb::object number = numpy.attr("number");
    const nb::object boolean = numpy.attr("bool_");
    if (PyType_IsSubtype(type, reinterpret_cast<PyTypeObject*>(number.ptr())) || item.is(boolean)) {
      return code_of_dtype(numpy.attr("dtype")(item));
    }
  }
  others += (others.empty() ? "" : ", ") + std::string(nb::repr(item).c_str());
  return "P";
}

/// Whether a value that is not bytes goes beyond the parameter that it begins in. A parameter may
/// be several values, as a struct by its fields.
bool parts_cross_parameters(const ValueFormat& format, const cuda::KernelLayout& layout) {
  return std::ranges::any_of(format.fields(), [&](const FormatField& field) {
    if (field.kind == FormatField::Kind::Bytes || field.kind == FormatField::Kind::PascalBytes)
      return false;
    return std::ranges::any_of(layout.parameters, [&](const auto& parameter) {
      return field.offset < parameter.offset && parameter.offset < field.offset + field.bytes;
    });
  });
}

std::string describe_fields(const ValueFormat& format) {
  const std::size_t count = format.fields().size();
  std::string text = std::to_string(count) + (count == 1 ? " value" : " values");
  for (std::size_t i = 0; i < count; ++i) {
    text += i == 0 ? " of " : i + 1 == count ? " and " : ", ";
    text += std::to_string(format.fields()[i].bytes);
  }
  return count == 0 ? text : text + " bytes";
}

/// For a code that would write an integer into a floating-point parameter, or the reverse.
void check_kind(const cuda::Kernel& kernel, std::size_t index, const std::string& codes,
                FormatField::Kind code) {
  const cuda::ParameterKind kind = kernel.layout().parameters[index].kind;
  if (kind == cuda::ParameterKind::Unknown || code == FormatField::Kind::Bytes ||
      code == FormatField::Kind::PascalBytes)
    return;
  const bool wants_float = kind == cuda::ParameterKind::Float;
  if (wants_float == (code == FormatField::Kind::Float)) return;
  const std::string text = "parameter #" + std::to_string(index) + " (0-based) of kernel '" +
                           cuda::readable_name(kernel.name()) + "' is " +
                           (wants_float ? "a floating-point number" : "an integer") +
                           ", but its code in '" + codes + "' is not";
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

}  // namespace

ArgumentCodes codes_of(nb::handle arg_types) {
  if (nb::isinstance<nb::str>(arg_types)) return {nb::cast<std::string>(arg_types), {}};
  const nb::object items = nb::steal(PyObject_GetIter(arg_types.ptr()));
  if (!items.is_valid()) {
    PyErr_Clear();
    const std::string text =
        "arg_types must be codes, such as \"Pif\" for a pointer, an int and a float, or a sequence "
        "of codes and NumPy dtypes, not " +
        type_name(arg_types.ptr());
    throw nb::type_error(text.c_str());
  }
  ArgumentCodes codes;
  for (nb::handle item : nb::iter(items)) {
    codes.text += nb::isinstance<nb::str>(item) ? nb::cast<std::string>(item)
                                                : code_of_type(item, codes.taken_for_pointers);
  }
  return codes;
}

PreparedFormat fit_to_kernel(const cuda::Kernel& kernel, const ArgumentCodes& given) {
  const std::string& codes = given.text;
  const ValueFormat format = ValueFormat::parse(codes);
  PreparedFormat fitted{format.fields(), format.bytes()};
  const cuda::KernelLayout& layout = kernel.layout();
  if (!layout.known) {
    if (fitted.bytes > most_parameter_bytes) raise_struct_error("total struct size too long");
    return fitted;
  }
  bool one_by_one = fitted.fields.size() == layout.parameters.size();
  for (std::size_t i = 0; one_by_one && i < fitted.fields.size(); ++i) {
    one_by_one = fitted.fields[i].bytes == layout.parameters[i].bytes;
    fitted.fields[i].offset = static_cast<std::uint32_t>(layout.parameters[i].offset);
  }
  if (one_by_one) {
    for (std::size_t i = 0; i < fitted.fields.size(); ++i) {
      check_kind(kernel, i, codes, fitted.fields[i].kind);
    }
    fitted.bytes = layout.bytes;
    return fitted;
  }
  if (format.bytes() == layout.bytes && !parts_cross_parameters(format, layout))
    return {format.fields(), layout.bytes};
  std::string text = "kernel '" + cuda::readable_name(kernel.name()) + "' takes " +
                     describe_parameters(layout) + ", but the codes '" + codes + "' stand for " +
                     describe_fields(format);
  if (!given.taken_for_pointers.empty()) {
    text += "; " + given.taken_for_pointers +
            ", neither a code nor a NumPy dtype, was taken for a pointer";
  }
  PyErr_SetString(PyExc_TypeError, text.c_str());
  throw nb::python_error();
}

void write_prepared(const PreparedFormat& format, PyObject* const* values, std::size_t count,
                    std::byte* buffer) {
  if (count != format.fields.size()) {
    const std::string text = "kernel '" + format.kernel + "' was prepared for " +
                             std::to_string(format.fields.size()) + " arguments, but " +
                             std::to_string(count) + " were given";
    raise_struct_error(text.c_str());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const FormatField& field = format.fields[i];
    try {
      write_field(field, values[i], true, reinterpret_cast<char*>(buffer) + field.offset);
    } catch (const nb::python_error& error) {
      if (!error.matches(nb::module_::import_("struct").attr("error"))) throw;
      // Many codes of a format are alike: say which value is meant.
      const std::string text = "argument #" + std::to_string(i) + " (0-based) of kernel '" +
                               format.kernel +
                               "': " + nb::cast<std::string>(nb::str(error.value()));
      raise_struct_error(text.c_str());
    }
  }
}

}  // namespace pycuda::bindings
