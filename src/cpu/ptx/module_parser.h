// SPDX-License-Identifier: MIT
// Directives at module level.
#pragma once

#include <optional>
#include <string_view>

#include "cpu/ptx/declarations.h"
#include "cpu/ptx/parse_state.h"

namespace pycuda::cpu::ptx {

/// Reads the whole text into a ParseState's module.
class ModuleParser {
 public:
  explicit ModuleParser(ParseState& state);

  void run();

 private:
  void statement();
  void recover();
  void version();
  void target();
  void address_size();
  void file();
  void section(const char* begin);
  void section_data();
  void pragma();
  void alias();
  void linked(Linkage linkage);
  bool variable(std::string_view directive, Linkage linkage);
  void function(bool is_entry, Linkage linkage);
  void function_header(Function& function, std::vector<NamedParameter>& returns,
                       std::vector<NamedParameter>& parameters, std::string_view& name);
  void check_header(bool is_entry, const std::vector<NamedParameter>& returns,
                    const std::vector<NamedParameter>& parameters);
  void check_parameters(const Function& kernel);
  void performance_directives(Function& function);
  bool performance_directive(Function& function, std::string_view word);
  void extents(std::uint32_t (&values)[3]);
  void block_extents(std::uint32_t (&values)[3], const std::uint32_t (&other)[3]);
  void skip_function();
  void finish();
  void check_calls(const Function& function);

  ParseState& state_;
  Cursor& cursor_;
};

}  // namespace pycuda::cpu::ptx
