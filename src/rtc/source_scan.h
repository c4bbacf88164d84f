// SPDX-License-Identifier: MIT
// What the preprocessor would see of a source, without running it: includes, conditions, where the
// code begins.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rtc/kernel_names.h"
#include "rtc/struct_attributes.h"

namespace pycuda::rtc {

/// One `#include` line, or one file that a `__has_include` asks for.
struct IncludeLine {
  std::string name;
  bool angled = false;         ///< <name>, not "name"
  bool question = false;       ///< from __has_include
  bool unconditional = false;  ///< in no #if but the file's own include guard
  std::size_t begin = 0;       ///< offset of the '#'
  std::size_t end = 0;         ///< offset behind the line's newline
  std::size_t line = 0;        ///< the line number of the '#', from 1
  std::size_t outermost = 0;   ///< offset of the '#' of the outermost #if around it, or `begin`
  std::size_t outermost_line = 0;
};

struct SourceScan {
  std::vector<IncludeLine> includes;
  /// An include whose file is named by a macro: which file that is, only the compiler knows.
  bool has_computed_include = false;

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  /// The first token that is neither a comment nor part of a directive; `kNone` when there is none.
  std::size_t first_code = kNone;
  std::size_t first_code_line = 0;
  /// The '#' of the outermost #if around the first code, or `first_code` itself.
  std::size_t first_code_outermost = kNone;
  std::size_t first_code_outermost_line = 0;
  /// A `texture<` or `surface<` that the source does not define itself: the templates that CUDA C++
  /// had before version 12. In the program's text and in its macros.
  bool uses_references = false;
  /// Offsets of those among them that begin a declaration.
  std::vector<std::size_t> reference_declarations;
  std::vector<StructAttribute> struct_attributes;
  /// Kernels that are no templates, as KernelNameFinder finds them.
  std::vector<std::string> kernels;
  /// Where `extern "C"` makes their names plain.
  std::vector<std::size_t> kernel_places;
  /// Offsets of the empty lines in no condition and no comment that come before the first code.
  std::vector<std::size_t> blank_lines;
};

/// Reads `source` once. Comments, strings (raw ones too) and continued lines are understood; bad
/// input is read as far as it makes sense.
SourceScan scan_source(std::string_view source);

}  // namespace pycuda::rtc
