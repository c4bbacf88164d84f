// SPDX-License-Identifier: MIT
// A function's variables of the source, while it becomes LLVM IR: where debuggers find them.
#pragma once

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/lower/source_information.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

class FunctionLowering;

/// Marks the variables' memory: it stays on the thread's own stack.
inline constexpr const char* source_variables = "source-variables";

/// Variables in registers are copied to memory of the function's frame whenever they change. That
/// memory also holds the addresses of those that lie elsewhere, and of the thread.
class SourceFrame {
 public:
  /// Null where nothing is known of the function, or it has too many variables.
  static std::unique_ptr<SourceFrame> of(FunctionLowering& lowering, SourceInformation& known);

  llvm::DISubprogram* subprogram() const { return scopes_.front().scope->getSubprogram(); }
  /// Behind the function's own variables: the memory and its declarations.
  void open();
  /// Before and after each instruction, by number.
  void before(std::uint32_t instruction);
  void after(std::uint32_t instruction);
  /// A register is written.
  void note_written(ptx::RegisterId reg) { written_.push_back(reg); }
  /// Before the function returns.
  void close();
  llvm::DILocation* location(std::uint32_t instruction) const;

 private:
  struct Scope {
    llvm::DILocalScope* scope;
    llvm::DILocation* inlined_at;
    unsigned line;
    unsigned parameters = 0;
  };
  /// Where a variable's memory says that it is.
  struct Declared {
    llvm::DILocalVariable* variable;
    std::size_t scope;
    std::vector<std::uint64_t> address;  ///< a DWARF expression, from the memory on
  };
  /// A variable that is in a register from one instruction to another.
  struct InRegister {
    std::uint64_t place;
    ptx::RegisterId reg;
    std::uint32_t begin, end;
  };

  /// From the first instruction that uses a variable to the one behind the last, in the code of a
  /// function, whose scope is given.
  struct Span {
    std::size_t function;
    std::uint32_t begin, end;
  };

  SourceFrame(FunctionLowering& lowering, SourceInformation& known);
  bool collect(const ptx::DebugEntry& entry);
  bool is_too_much() const;
  void find_jumps();
  void find_body();
  void enter(const ptx::DebugEntry& entry, std::size_t scope);
  void enter_block(const ptx::DebugEntry& entry, std::size_t scope);
  void enter_inlined(const ptx::DebugEntry& entry, std::size_t scope);
  std::size_t add_scope(const ptx::DebugEntry& entry, Scope scope);
  void add_variable(const ptx::DebugEntry& entry, std::size_t scope);
  bool add_constant(const ptx::DebugEntry& entry, llvm::DILocalVariable* variable,
                    std::size_t scope);
  void add_registers(const std::vector<ptx::DebugRange>& ranges, llvm::DILocalVariable* variable,
                     std::size_t scope);
  void add_memory(const ptx::DebugPlace& place, llvm::DILocalVariable* variable, std::size_t scope);
  void add_symbol(const ptx::Variable& variable, const ptx::SymbolRef& symbol);
  void declare_symbol(const ptx::Variable& variable, const ptx::SymbolRef& symbol,
                      const std::string& name, llvm::DIType* type, std::size_t scope);
  std::vector<Span> spans_of(const ptx::SymbolRef& symbol) const;
  std::size_t add_block(Span span);
  void add_symbols();
  void add_indexes(std::size_t scope);
  std::uint64_t add_place(std::uint64_t bytes);
  std::uint64_t address_place(llvm::Value* address);
  std::optional<std::uint64_t> shared_offset(std::string_view symbol) const;
  std::uint32_t index_of(std::string_view label, std::uint32_t otherwise) const;
  llvm::Value* at(std::uint64_t place);
  void store(llvm::Value* value, std::uint64_t place);
  void copy(const InRegister& variable);

  FunctionLowering& lowering_;
  SourceInformation& known_;
  ptx::NumbersByName labels_, registers_;  ///< the instructions behind labels
  std::vector<bool> is_jumped_to_;
  std::vector<Scope> scopes_;
  std::vector<std::size_t> scope_of_;  ///< by instruction
  std::uint32_t body_begin_ = 0;  ///< the instruction behind those that put parameters in place
  /// Of variables that outlive their function, by this one's scope.
  std::set<std::pair<std::size_t, std::string>> own_names_;
  std::vector<Declared> declared_;
  std::vector<InRegister> in_registers_;
  /// Numbers of in_registers_: by register, and what is copied before each instruction.
  std::vector<std::vector<std::size_t>> by_register_, copies_;
  std::size_t copy_count_ = 0;
  std::uint64_t work_ = 0;                                      ///< steps taken so far
  std::vector<std::pair<std::uint64_t, llvm::Value*>> stored_;  ///< at the start, by place
  std::vector<ptx::RegisterId> written_;
  std::uint64_t bytes_;
  llvm::AllocaInst* memory_ = nullptr;
};

}  // namespace pycuda::cpu::lower
