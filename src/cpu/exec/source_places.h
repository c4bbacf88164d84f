// SPDX-License-Identifier: MIT
// Where the sources of loaded code stand in the user's program, so that faults can name the place.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace pycuda::cpu::exec {

/// A source that was compiled to code, and where the user wrote it.
struct SourcePlace {
  std::string file;  ///< as the PTX's .file directive names it: the whole path, or its last part
  std::string text;  ///< the source
  /// How messages name a line; "{}" stands for its number: "program.py:{}".
  std::string name;
  std::uint32_t first_line = 1;  ///< the number that the source's first line has there
};

/// A line of a source: " at program.py:12", and its text without blanks at its ends.
struct SourceLine {
  std::string place;
  std::string text;  ///< empty when the source is not known
  std::string file;  ///< "program.py", or what the place says where it is not a file
  std::uint32_t line = 0;
  std::string above;  ///< up to three lines before it, trimmed alike, each with a line break
  std::string
      whole;  ///< the text if that is too long to be quoted, where it is shortened; else empty
};

/// A whole source, under the name that its lines have in SourceLine::file.
struct SourceText {
  std::string file;
  std::uint32_t first_line = 1;
  std::string text;

  auto operator<=>(const SourceText&) const = default;
};

/// A source as it can be read.
struct ReadableSource {
  std::string text;
  bool is_generated = false;  ///< its lines are not the user's
};

/// Adds a source of the code that `code` identifies (LaunchRequest::keep_alive). Any thread.
void add_source_place(const void* code, SourcePlace place);
/// Removes all sources of the code. Any thread.
void remove_source_places(const void* code) noexcept;
/// The line of a file of the code. Where no place was added, the file's own name, and its text if
/// it can be read.
SourceLine find_source_line(const void* code, const std::string& file, std::uint32_t line);
/// The source that a file of the code is, if its place was added.
std::optional<SourceText> find_source_text(const void* code, const std::string& file);
/// The same; where no place was added, the file itself if it can be read.
std::optional<ReadableSource> read_source(const void* code, const std::string& file);

}  // namespace pycuda::cpu::exec
