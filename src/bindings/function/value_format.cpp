// SPDX-License-Identifier: MIT
#include "bindings/function/value_format.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <complex>
#include <cstring>
#include <optional>
#include <string>

#include "bindings/base/limited_api.h"
#include "bindings/convert/buffer.h"
#include "bindings/convert/byte_values.h"
#include "bindings/pointer/device_pointer.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using Kind = FormatField::Kind;

struct CodeTraits {
  char code;
  Kind kind;
  std::uint32_t bytes;
  std::uint32_t alignment;
};

template <class T>
constexpr CodeTraits traits(char code, Kind kind) {
  return {code, kind, sizeof(T), alignof(T)};
}

constexpr CodeTraits code_table[] = {
    traits<char>('c', Kind::Character),
    traits<signed char>('b', Kind::Signed),
    traits<unsigned char>('B', Kind::Unsigned),
    traits<bool>('?', Kind::Bool),
    traits<short>('h', Kind::Signed),
    traits<unsigned short>('H', Kind::Unsigned),
    traits<int>('i', Kind::Signed),
    traits<unsigned int>('I', Kind::Unsigned),
    traits<long>('l', Kind::Signed),
    traits<unsigned long>('L', Kind::Unsigned),
    traits<Py_ssize_t>('n', Kind::Signed),
    traits<std::size_t>('N', Kind::Unsigned),
    traits<long long>('q', Kind::Signed),
    traits<unsigned long long>('Q', Kind::Unsigned),
    {'e', Kind::Float, 2, 2},
    traits<float>('f', Kind::Float),
    traits<double>('d', Kind::Float),
    traits<std::complex<float>>('F', Kind::Complex),
    traits<std::complex<double>>('D', Kind::Complex),
    traits<void*>('P', Kind::Pointer),
};

const CodeTraits* find_code(char code) {
  const auto* found = std::find_if(std::begin(code_table), std::end(code_table),
                                   [code](const CodeTraits& entry) { return entry.code == code; });
  return found == std::end(code_table) ? nullptr : found;
}

// Complex numbers are aligned like their parts.
static_assert(alignof(std::complex<float>) == 4 && alignof(std::complex<double>) == 8);

constexpr std::size_t most_bytes = std::size_t{1} << 20;

[[noreturn]] void raise_wrong_sort(const FormatField& field, PyObject* value, const char* wanted) {
  PyErr_Clear();
  const std::string text =
      std::string("code '") + field.code + "' needs " + wanted + ", not " + type_name(value);
  raise_struct_error(text.c_str());
}

void check_written(Written written, const FormatField& field, PyObject* value, const char* wanted) {
  if (written == Written::Yes) return;
  if (written == Written::Failed) raise_wrong_sort(field, value, wanted);
  const nb::object shown = nb::steal(PyObject_Repr(value));
  const std::string text = (shown.is_valid() ? nb::cast<std::string>(shown) : "the value") +
                           " does not fit in the " + std::to_string(field.bytes) +
                           " bytes of code '" + field.code + "'";
  PyErr_Clear();
  raise_struct_error(text.c_str());
}

void write_indexed(const FormatField& field, PyObject* value, bool is_signed, char* destination) {
  if (PyLong_Check(value)) {
    check_written(write_integer_as(value, field.bytes, is_signed, destination), field, value,
                  "an integer");
    return;
  }
  if (field.bytes == sizeof(CUdeviceptr)) {
    // Pointers are often declared as np.intp.
    if (const std::optional<CUdeviceptr> pointer = pointer_held_by(value)) {
      std::memcpy(destination, &*pointer, sizeof *pointer);
      return;
    }
  }
  const nb::object number = nb::steal(PyNumber_Index(value));
  if (!number.is_valid()) raise_wrong_sort(field, value, "an integer");
  check_written(write_integer_as(number.ptr(), field.bytes, is_signed, destination), field, value,
                "an integer");
}

void write_bytes(const FormatField& field, PyObject* value, bool exact, char* destination) {
  const std::optional<Buffer> source = Buffer::try_read(value);
  if (!source) raise_wrong_sort(field, value, "bytes or another contiguous buffer");
  const bool pascal = field.kind == Kind::PascalBytes;
  const std::size_t room =
      pascal ? (field.bytes == 0 ? 0 : std::min(field.bytes - 1, 255u)) : field.bytes;
  if (exact && source->bytes() > room) {
    const std::string text = std::to_string(source->bytes()) + " bytes were given for the " +
                             std::to_string(room) + " bytes of code '" + field.code + "'";
    raise_struct_error(text.c_str());
  }
  const std::size_t used = std::min(room, source->bytes());
  std::memset(destination, 0, field.bytes);
  if (pascal && field.bytes > 0) *destination = static_cast<char>(used);
  if (used > 0) std::memcpy(destination + (pascal ? 1 : 0), source->data(), used);
}

}  // namespace

void raise_struct_error(const char* text) {
  const nb::object error = nb::module_::import_("struct").attr("error");
  PyErr_SetString(error.ptr(), text);
  throw nb::python_error();
}

ValueFormat ValueFormat::parse(std::string_view codes) {
  ValueFormat format;
  std::size_t at = 0;
  while (at < codes.size()) {
    if (codes[at] == ' ') {
      ++at;
      continue;
    }
    std::size_t count = 1;
    if (codes[at] >= '0' && codes[at] <= '9') {
      count = 0;
      for (; at < codes.size() && codes[at] >= '0' && codes[at] <= '9'; ++at) {
        count = 10 * count + static_cast<std::size_t>(codes[at] - '0');
        if (count > most_bytes) raise_struct_error("total struct size too long");
      }
      if (at == codes.size()) raise_struct_error("repeat count given without format specifier");
    }
    const char code = codes[at++];
    if (code == 'x') {
      format.bytes_ += count;
    } else if (code == 's' || code == 'p') {
      format.fields_.push_back({code == 's' ? Kind::Bytes : Kind::PascalBytes, code,
                                static_cast<std::uint32_t>(format.bytes_),
                                static_cast<std::uint32_t>(count)});
      format.bytes_ += count;
    } else {
      const CodeTraits* found = find_code(code);
      if (found == nullptr) {
        const std::string text = "bad char in struct format: '" + std::string(1, code) +
                                 "'; P is a pointer, i an int, f a float, d a double";
        raise_struct_error(text.c_str());
      }
      // As in struct, a count of zero still aligns.
      format.bytes_ = (format.bytes_ + found->alignment - 1) / found->alignment * found->alignment;
      for (std::size_t i = 0; i < count && format.bytes_ <= most_bytes; ++i) {
        format.fields_.push_back(
            {found->kind, code, static_cast<std::uint32_t>(format.bytes_), found->bytes});
        format.bytes_ += found->bytes;
      }
    }
    if (format.bytes_ > most_bytes) raise_struct_error("total struct size too long");
  }
  return format;
}

void write_field(const FormatField& field, PyObject* value, bool exact, char* destination) {
  switch (field.kind) {
    case Kind::Pointer: {
      if (PyLong_CheckExact(value)) {
        check_written(write_integer(value, field.bytes, destination), field, value, "an integer");
        return;
      }
      if (const std::optional<CUdeviceptr> pointer = pointer_held_by(value)) {
        std::memcpy(destination, &*pointer, sizeof *pointer);
        return;
      }
      // Any 64 bits are a pointer: negative numbers too, as in C.
      const nb::object number = nb::steal(PyNumber_Index(value));
      if (!number.is_valid()) {
        const bool has = PyObject_HasAttrString(value, "gpudata") == 1;
        raise_wrong_sort(field, value,
                         has ? "a device pointer, its gpudata" : "a device pointer or an integer");
      }
      check_written(write_integer(number.ptr(), field.bytes, destination), field, value,
                    "an integer");
      return;
    }
    case Kind::Signed:
      write_indexed(field, value, true, destination);
      return;
    case Kind::Unsigned:
      write_indexed(field, value, false, destination);
      return;
    case Kind::Float: {
      // An address has an index, which is no value of the memory there.
      const bool is_number = PyFloat_Check(value) || PyLong_Check(value);
      if (!is_number && pointer_held_by(value)) raise_wrong_sort(field, value, "a number");
      const double number = PyFloat_AsDouble(value);
      if (number == -1.0 && PyErr_Occurred()) raise_wrong_sort(field, value, "a number");
      check_written(write_float(number, field.bytes, destination), field, value, "a number");
      return;
    }
    case Kind::Complex: {
      const std::complex<double> number = complex_value(value);
      if (number.real() == -1.0 && PyErr_Occurred()) raise_wrong_sort(field, value, "a number");
      check_written(write_complex(number.real(), number.imag(), field.bytes, destination), field,
                    value, "a number");
      return;
    }
    case Kind::Bool: {
      const int truth = PyObject_IsTrue(value);
      if (truth < 0) throw nb::python_error();
      *destination = static_cast<char>(truth);
      return;
    }
    case Kind::Character: {
      if (!PyBytes_Check(value) || PyBytes_Size(value) != 1) {
        raise_wrong_sort(field, value, "bytes of length 1");
      }
      *destination = PyBytes_AsString(value)[0];
      return;
    }
    case Kind::Bytes:
    case Kind::PascalBytes:
      write_bytes(field, value, exact, destination);
      return;
  }
}

nb::object read_field(const FormatField& field, const char* source) {
  std::uint64_t bits = 0;
  switch (field.kind) {
    case Kind::Signed: {
      std::memcpy(&bits, source, field.bytes);
      const unsigned shift = 64 - 8 * field.bytes;
      return nb::int_(static_cast<std::int64_t>(bits << shift) >> shift);
    }
    case Kind::Unsigned:
    case Kind::Pointer:
      std::memcpy(&bits, source, field.bytes);
      return nb::int_(bits);
    case Kind::Bool:
      return nb::bool_(*source != 0);
    case Kind::Character:
      return nb::bytes(source, 1);
    case Kind::Bytes:
      return nb::bytes(source, field.bytes);
    case Kind::PascalBytes: {
      if (field.bytes == 0) return nb::bytes("", 0);
      const std::size_t length =
          std::min<std::size_t>(static_cast<unsigned char>(*source), field.bytes - 1);
      return nb::bytes(source + 1, length);
    }
    case Kind::Float:
    case Kind::Complex:
      break;
  }
  if (field.kind == Kind::Float) return nb::float_(read_float(source, field.bytes));
  const std::size_t half = field.bytes / 2;
  return nb::steal(
      PyComplex_FromDoubles(read_float(source, half), read_float(source + half, half)));
}

}  // namespace pycuda::bindings
