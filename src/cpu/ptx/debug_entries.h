// SPDX-License-Identifier: MIT
// DWARF's entries in the debug sections of PTX: versions 2 to 4, as CUDA's compilers write them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/ptx/debug_sections.h"

namespace pycuda::cpu::ptx {

struct DebugValue {
  enum class Kind : std::uint8_t { Number, Text, Block } kind = Kind::Number;
  std::uint64_t number = 0;  ///< of a reference: the entry's offset
  std::string_view symbol;   ///< of an address
  std::string_view text;
  std::size_t begin = 0, end = 0;  ///< of a block: in the section of the entries
};

struct DebugEntry {
  std::uint64_t offset = 0, tag = 0;
  std::vector<std::pair<std::uint64_t, DebugValue>> attributes;
  std::vector<std::size_t> children;  ///< numbers

  const DebugValue* find(std::uint64_t attribute) const;
  std::uint64_t number(std::uint64_t attribute, std::uint64_t otherwise = 0) const;
  std::string_view text(std::uint64_t attribute) const;
  std::string_view symbol(std::uint64_t attribute) const;
};

/// Where a variable is: in a register, or so many bytes behind a symbol.
struct DebugPlace {
  std::string reg;
  std::string_view symbol;
  std::uint64_t offset = 0;
};

/// From one label of a function to another; both empty: in the whole function.
struct DebugRange {
  std::string_view begin, end;
  DebugPlace place;
};

class DebugEntries {
 public:
  /// What takes more to read, because much refers to the same, was written by no compiler.
  static constexpr std::size_t most_steps = 5'000'000;

  /// Nothing if they break off, or are of a form that is not known.
  static std::optional<DebugEntries> read(DebugSections sections);

  const std::vector<DebugEntry>& all() const { return entries_; }
  std::size_t number_of(const DebugEntry& entry) const {
    return static_cast<std::size_t>(&entry - entries_.data());
  }
  /// The numbers of those that are in no other but a compilation unit.
  const std::vector<std::size_t>& outermost() const { return outermost_; }
  /// The entry that a reference names; null if there is none.
  const DebugEntry* at(std::uint64_t offset) const;
  /// The places that a variable has; those are left out that are neither registers nor memory, and
  /// those beyond most_steps of all variables.
  std::vector<DebugRange> places_of(const DebugEntry& variable) const;
  /// The offset of a member in its structure, or none.
  std::optional<std::uint64_t> offset_of(const DebugEntry& member) const;

 private:
  bool read_unit(DebugBytes& in);
  std::optional<DebugPlace> place_at(DebugBytes in) const;

  DebugSections sections_;
  std::vector<DebugEntry> entries_;
  std::vector<std::size_t> outermost_;
  std::size_t attributes_ = 0;     ///< of all entries
  mutable std::size_t steps_ = 0;  ///< taken so far
};

}  // namespace pycuda::cpu::ptx
