// SPDX-License-Identifier: MIT
// The bytes of the debug sections that PTX text carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pycuda::cpu::ptx {

/// Numbers by name: one type of map in all of this, each has much code of its own.
using NumbersByName = std::map<std::string_view, std::size_t>;

/// One section. Where an address stands, the bytes hold what is added to its symbol.
struct DebugSection {
  std::string bytes;
  std::vector<std::pair<std::size_t, std::string_view>> symbols;  ///< with their offsets, in order
  NumbersByName labels;                                           ///< offsets
};

/// Empty where there are none.
struct DebugSections {
  DebugSection info, abbrev, loc, str;
};

/// The sections of Module::debug_text, which must outlive them. Nothing if there is a form of data
/// that debuggers of PTX do not need.
std::optional<DebugSections> read_debug_sections(std::string_view text);

/// A position in a section. What is read beyond the end is 0, and `failed` afterwards.
class DebugBytes {
 public:
  explicit DebugBytes(const DebugSection& section, std::size_t at = 0)
      : DebugBytes(section, at, section.bytes.size()) {}
  DebugBytes(const DebugSection& section, std::size_t at, std::size_t end)
      : section_(&section), at_(at), end_(end), failed_(at > end) {}

  std::size_t at() const { return at_; }
  bool at_end() const { return failed_ || at_ >= end_; }
  bool failed() const { return failed_; }

  /// An integer of so many bytes, at most 8.
  std::uint64_t number(std::size_t bytes);
  /// A number of variable length (LEB128).
  std::uint64_t unsigned_number();
  std::int64_t signed_number();
  /// The text up to the next zero.
  std::string_view text();
  /// The symbol of what stands here; empty if it is a plain number.
  std::string_view symbol() const;
  void skip(std::uint64_t bytes);

 private:
  std::uint64_t leb(unsigned& bits, bool& is_negative);

  const DebugSection* section_;
  std::size_t at_, end_;
  bool failed_;
};

}  // namespace pycuda::cpu::ptx
