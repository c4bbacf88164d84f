// SPDX-License-Identifier: MIT
// Format codes of `prepare` and of pycuda._pvt_struct: those of Python's struct in native layout,
// and complex numbers.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace pycuda::bindings {

/// One value of a format: where it lies and how it is written.
struct FormatField {
  enum class Kind : std::uint8_t {
    Character,
    Bytes,
    PascalBytes,
    Bool,
    Signed,
    Unsigned,
    Float,
    Complex,
    Pointer
  };
  Kind kind;
  char code;
  std::uint32_t offset;
  std::uint32_t bytes;
};

/// A parsed format string. Native sizes and alignments; `x` is padding, a number before a code
/// repeats it (or is the length, for `s` and `p`).
class ValueFormat {
 public:
  /// Raises struct.error for a code that is unknown.
  static ValueFormat parse(std::string_view codes);

  const std::vector<FormatField>& fields() const { return fields_; }
  /// Bytes of all fields with the padding between them; nothing after the last.
  std::size_t bytes() const { return bytes_; }

 private:
  std::vector<FormatField> fields_;
  std::size_t bytes_ = 0;
};

/// Writes `value` to `destination` (the field's own bytes, its offset not added). Raises
/// struct.error when the value is of another sort or does not fit. With `exact`, bytes longer than
/// their field are an error instead of being cut.
void write_field(const FormatField& field, PyObject* value, bool exact, char* destination);

/// The value at `source`.
nanobind::object read_field(const FormatField& field, const char* source);

/// Raises struct.error with this text.
[[noreturn]] void raise_struct_error(const char* text);

}  // namespace pycuda::bindings
