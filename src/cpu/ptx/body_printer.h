// SPDX-License-Identifier: MIT
// The body of one function as text.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "cpu/ptx/module.h"

namespace pycuda::cpu::ptx {

class BodyPrinter {
 public:
  BodyPrinter(const Module& module, const Function& function);

  /// `{ ... }` with a final line break.
  std::string run();

 private:
  std::string unique(std::string_view wanted);
  void choose_names();
  void registers();
  void prototypes();
  void instruction(const Instruction& instruction);
  void location(const Instruction& instruction);
  std::string operand(const Operand& operand) const;
  std::string list(const std::vector<Operand>& operands) const;
  std::string register_text(const Operand& operand) const;
  std::string symbol_text(const Operand& operand) const;
  std::string_view symbol_name(const SymbolRef& symbol) const;
  std::string call(const Instruction& instruction);

  const Module& module_;
  const Function& function_;
  std::unordered_set<std::string> used_;
  std::vector<std::string> registers_, variables_, labels_, prototypes_;
  std::uint32_t source_file_ = 0, source_line_ = 0;
  std::string text_;
};

}  // namespace pycuda::cpu::ptx
