// SPDX-License-Identifier: MIT
// Parses the body of a function.
#pragma once

#include <string_view>
#include <vector>

#include "cpu/ptx/declarations.h"
#include "cpu/ptx/opcode_table.h"
#include "cpu/ptx/parse_state.h"
#include "cpu/ptx/scopes.h"

namespace pycuda::cpu::ptx {

/// Fills a function's header and body. function_parser.cpp reads statements and directives,
/// instruction_parser.cpp instructions, operand_parser.cpp their operands,
/// call_parser.cpp calls.
class FunctionParser {
 public:
  FunctionParser(ParseState& state, Function& function);
  ~FunctionParser();
  FunctionParser(const FunctionParser&) = delete;
  FunctionParser& operator=(const FunctionParser&) = delete;

  /// Makes the parameters' names known to the body.
  void enter_parameters(const std::vector<NamedParameter>& returns,
                        const std::vector<NamedParameter>& parameters);
  /// `{ ... }`, both braces included.
  void body();

 private:
  // Statements and directives.
  void statement();
  void directive();
  void pragma();
  void require_largest_block();
  void open_scope();
  void registers();
  void register_names(const DeclarationHead& head);
  void local_variables(Space space, Linkage linkage);
  void location();
  void label();
  void branch_targets(std::string_view name, SourcePosition position);
  void call_targets(std::string_view name, SourcePosition position);
  void prototype(std::string_view name, SourcePosition position);
  void enter(std::string_view name, LocalName what, SourcePosition position);
  RegisterId new_register(std::string name, const DeclarationHead& head);
  void settle_labels();

  // Instructions.
  void instruction();
  void guard(Instruction& instruction);
  const OpcodeFacts* opcode(Instruction& instruction);
  void check(const Instruction& instruction, const OpcodeFacts& facts);
  void operands(Instruction& instruction);
  void settle_pair(Operand& operand);
  void settle_element(const Instruction& instruction, Operand& operand);
  Operand operand();
  Operand simple_operand();
  Operand constant();
  Operand named(const Token& name);
  Operand special_register(const Token& name);
  Operand symbol_operand(SymbolRef symbol, const Token& name);
  void array_element(Operand& operand, const Token& name);
  std::int64_t offset();
  void register_suffix(Operand& operand);
  Operand vector();
  Operand address();
  Operand texture_coordinates(Operand first);
  Operand label_operand(Opcode opcode);
  void branch_list_operand(Instruction& instruction);

  // Calls.
  void call(Instruction& instruction);
  std::vector<Operand> call_operands();
  void call_targets_operand(Call& call);

  ParseState& state_;
  Cursor& cursor_;
  Function& function_;
  Scopes scopes_;
  std::vector<std::vector<LabelId>> branch_lists_;
  std::vector<std::vector<std::uint32_t>> call_lists_;
  std::uint32_t source_file_ = 0, source_line_ = 0;
};

}  // namespace pycuda::cpu::ptx
