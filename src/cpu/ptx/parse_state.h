// SPDX-License-Identifier: MIT
// What the parts of the parser share: the text, the module so far and its names.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cpu/ptx/accepted_forms.h"
#include "cpu/ptx/callers_places.h"
#include "cpu/ptx/cursor.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

struct ParseState {
  explicit ParseState(std::string_view text) : cursor(text), callers_places(text) {}

  Cursor cursor;
  CallersPlaces callers_places;
  Module module;
  AcceptedForms accepted_forms;
  std::unordered_map<std::string_view, SymbolRef>
      symbols;  ///< names of the module; they point into the text

  struct Unknown {
    std::uint32_t function;
    SourcePosition position;
  };
  std::vector<Unknown> unknown;  ///< functions that were used before any declaration; see `symbol`

  /// What a name means in the function that is being read, before the module is asked. Empty
  /// between functions.
  std::function<std::optional<SymbolRef>(std::string_view)> local_symbol;
  std::vector<std::uint32_t> scoped;  ///< variables of the module that functions declare

  /// The name that a range of names has for one of them, as `r1` is one of `r<4>`; it lives as long
  /// as this.
  std::string_view name_in_range(std::string_view prefix, std::uint64_t number) {
    return names_of_ranges.emplace_back(std::string(prefix) + std::to_string(number));
  }
  std::deque<std::string> names_of_ranges;

  /// The module's variable or function of that name. A name not seen yet becomes a function without
  /// declaration, which a later one may supply.
  SymbolRef symbol(std::string_view name, SourcePosition position);

  /// Enters a variable, or makes it the definition of one that was declared .extern. Reports
  /// clashes.
  void declare_variable(Variable variable, std::string_view name);

  /// Adds a .global or .const variable that `function` declares, which only its scope knows by its
  /// name. Returns its index.
  std::uint32_t add_scoped_variable(Variable variable, std::string_view function);
  /// Gives those variables names that nothing else in the module has.
  void name_scoped_variables();

  /// Enters a function's header, or merges it with its earlier declarations; reports clashes and
  /// differing signatures. Returns its index, or nothing when it cannot be that function.
  std::optional<std::uint32_t> declare_function(const Function& header, std::string_view name,
                                                bool has_body);
};

}  // namespace pycuda::cpu::ptx
