// SPDX-License-Identifier: MIT
// The state while one PTX function becomes LLVM IR: what emitters read operands from and write
// results to.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/IRBuilder.h>

#include <memory>
#include <string>
#include <vector>

#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/lower/counting.h"
#include "cpu/lower/module_lowering.h"
#include "cpu/lower/promote_registers.h"
#include "cpu/lower/shared_expansions.h"
#include "cpu/lower/source_frame.h"
#include "cpu/ptx/module.h"

namespace pycuda::cpu::lower {

/// What an access does, for the checks.
struct AccessNote {
  std::uint32_t flags = 0;  ///< AccessFlags
  llvm::Value* low =
      nullptr;  ///< i64: what is written, if that is known and no longer than 16 bytes
  llvm::Value* high = nullptr;
};
inline constexpr AccessNote plain_read{};
inline constexpr AccessNote plain_write{AccessFlags::write};

/// Values have the LLVM type of their PTX type (`type_of`): integers and untyped bits are iN
/// whatever their sign, f16 is half, bf16 bfloat, f16x2 <2 x half>, bf16x2 <2 x bfloat>, u16x2 and
/// s16x2 <2 x i16>, f32x2 <2 x float>, tf32 i32, fp8 formats i8 and their pairs i16, predicates i1.
/// Registers hold bits: reading one at another type of its width reinterprets them. No fast-math
/// flag is ever set.
class FunctionLowering {
 public:
  FunctionLowering(ModuleLowering& module, const ptx::Function& source, llvm::Function* target);

  /// Emits the whole body. Errors are collected in the module's diagnostics.
  void run();

  llvm::IRBuilder<>& builder() { return builder_; }
  llvm::LLVMContext& context() { return builder_.getContext(); }
  ModuleLowering& module() { return module_; }
  const ptx::Function& source() const { return source_; }
  llvm::Function* target() { return target_; }
  /// The ThreadFrame of the CUDA thread that runs the function.
  llvm::Value* thread() { return target_->getArg(0); }

  // --- types ---
  llvm::Type* type_of(ptx::Type type);
  llvm::IntegerType* int_type(unsigned bits) { return builder_.getIntNTy(bits); }

  // --- operands ---
  /// The operand's value as `type`. A register that is wider is truncated, a narrower one
  /// zero-extended. Integer literals are cut to the type's width (as bits for f16 and bf16, as a
  /// number for f32 and f64); float literals are rounded to the type. Symbols are addresses,
  /// special registers are read. Negated operands are negated.
  llvm::Value* read(const ptx::Operand& operand, ptx::Type type);
  /// The same as plain bits: an iN.
  llvm::Value* read_bits(const ptx::Operand& operand, unsigned bits);
  /// Writes a register (also a component of a vector register, or nothing for `_`). `value` may
  /// have any type of at most 128 bits; it is reinterpreted as bits and truncated, zero-extended
  /// or, if `sign_extend`, sign-extended to the register's width.
  void write(const ptx::Operand& operand, llvm::Value* value, bool sign_extend = false);
  /// The scalar operands of {a, b, ...}, or of a whole vector register, or the operand itself.
  std::vector<ptx::Operand> elements(const ptx::Operand& operand) const;
  /// Bits of the register that the operand names, or 0 if it names none.
  unsigned register_bits(const ptx::Operand& operand) const;
  llvm::AllocaInst* register_memory(ptx::RegisterId reg) { return registers_[reg].memory; }

  /// The carry flag CC.CF as an i1.
  llvm::Value* carry();
  void set_carry(llvm::Value* flag);

  // --- calls ---
  /// Calls a function of the run time that computes its result from its arguments alone.
  llvm::Value* pure_call(llvm::StringRef name, llvm::Type* result,
                         llvm::ArrayRef<llvm::Value*> arguments);
  /// Calls a function of the run time (or of C) that may read and write memory. Does not add the
  /// thread.
  llvm::CallInst* runtime_call(llvm::StringRef name, llvm::Type* result,
                               llvm::ArrayRef<llvm::Value*> arguments);
  /// Calls a pseudo function (pseudo.h) with `thread()` first. Those that suspend are convergent
  /// and noduplicate.
  llvm::CallInst* pseudo_call(llvm::StringRef name, llvm::Type* result,
                              llvm::ArrayRef<llvm::Value*> arguments, bool suspends);

  // --- control ---
  llvm::BasicBlock* new_block(const llvm::Twine& name = "");
  llvm::BasicBlock* label_block(ptx::LabelId label);
  /// Where `ret` goes (for a kernel also `exit`).
  llvm::BasicBlock* return_block() { return return_block_; }
  /// Moves the builder to a fresh block after a terminator: what follows up to the next label
  /// cannot be reached.
  void start_unreachable_block();

  // --- addresses ---
  /// Memory of a variable declared in the function (.local, .param).
  llvm::Value* variable_memory(std::uint32_t index);
  /// Memory of parameter or return parameter number `index`.
  llvm::Value* parameter_memory(std::uint32_t index);
  llvm::Value* return_memory(std::uint32_t index);
  /// A symbol's address: a pointer for host addresses, an i64 offset for .shared.
  llvm::Value* symbol_address(const ptx::SymbolRef& symbol, std::int64_t offset);
  /// The same for a Symbol or Address operand with a symbol, which may be an element of an array.
  llvm::Value* operand_address(const ptx::Operand& operand);
  /// Whether `address` is a register of 32 bits in a space whose pointers have 64 here.
  bool is_narrow(const ptx::Operand& address, ptx::Space space) const;
  /// The host pointer of such an operand: that of the variable which has this address.
  llvm::Value* narrow_pointer(const ptx::Operand& address, ptx::Space space);
  /// The space that a symbol's memory lies in.
  ptx::Space symbol_space(const ptx::SymbolRef& symbol) const;
  /// The host pointer of an Address operand in `space`, and nothing else: no checks.
  llvm::Value* pointer_to(const ptx::Operand& address, ptx::Space space);
  /// The host pointer of an access of `bytes` bytes; emits line tracking, the test of the alignment
  /// and the checks that are wanted.
  llvm::Value* access(const ptx::Operand& address, ptx::Space space, std::uint32_t bytes,
                      const AccessNote& note);
  /// The parts of `access` for a pointer that is already there.
  void guard_access(llvm::Value* pointer, ptx::Space space, std::uint32_t bytes,
                    std::uint32_t alignment, const AccessNote& note);
  /// Tells the checks of an access, if they ask for it.
  void note_access(llvm::Value* pointer, ptx::Space space, std::uint32_t bytes,
                   const AccessNote& note);
  /// The AccessFlags of a load that calls note_read.
  std::uint32_t read_flags() const;
  /// Tells the check for uninitialised reads, if that is wanted, what a load has read: `low` begins
  /// with it, up to a word.
  void note_read(const ptx::Operand& address, ptx::Space space, llvm::Value* pointer,
                 std::uint32_t bytes, std::uint32_t flags, llvm::Value* low);
  bool is_noted(ptx::Space space) const;
  /// A fault unless `pointer` is a multiple of `alignment`.
  void check_alignment(llvm::Value* pointer, std::uint32_t alignment);
  /// The same for an address (an i64) whose accesses are aligned if `tested` (an i64) is.
  void check_alignment(llvm::Value* address, llvm::Value* tested, std::uint32_t alignment);
  llvm::Value* shared_base();
  /// Whether a generic address (an i64) lies in the block's shared window.
  llvm::Value* is_in_shared(llvm::Value* address);
  /// Notes the instruction's source line in the ThreadFrame, if lines are tracked.
  void track_line();
  /// What has been called has noted lines of its own.
  void forget_line() { tracked_line_ = 0; }
  /// Ends the launch with a fault; terminates the current block.
  void fault(FaultKind kind, llvm::Value* address);

  /// alloca and stacksave were used: the thread's extra stack is reset on return.
  llvm::Value* stack_mark();
  /// Memory on that stack that device code has by address, popped on return.
  llvm::Value* push_variable(llvm::Value* bytes, std::uint32_t alignment, bool counts);

  /// AccessFlags::copy if the load is one of a structure that is copied, else 0.
  std::uint32_t copy_flag(const ptx::Instruction& load) const {
    const auto number = static_cast<std::size_t>(&load - source_.body.data());
    return number < copied_loads_.size() && copied_loads_[number] ? AccessFlags::copy : 0;
  }

  Counting& counting() { return counting_; }

  // --- errors ---
  /// Reports an error at the current instruction: "'<text>': <message>".
  void fail(const std::string& message);

  /// Calls `body` with the builder at the start of `function`, a function of ours that takes the
  /// thread first, as `thread()` says meanwhile. `body` emits all of it and uses no operands.
  void emit_apart(llvm::Function& function, llvm::function_ref<void()> body);

  /// An alloca in the entry block.
  llvm::AllocaInst* entry_alloca(llvm::Type* type, const llvm::Twine& name = "");

 private:
  /// A variable's memory and size.
  struct Piece {
    llvm::Value* memory;
    std::uint64_t bytes;
  };
  std::vector<Piece> pieces_of(ptx::Space space);
  void make_registers();
  void make_parameters();
  void copy_vector(const ptx::Parameter& parameter, llvm::Value* memory, bool to_register);
  void make_variables();
  void make_blocks();
  void make_source_frame();
  void emit_body();
  void emit_instruction(const ptx::Instruction& instruction);
  void emit_unguarded(const ptx::Instruction& instruction);
  /// Where threads whose guard does not hold go on.
  void end_guarded();
  void share_long_expansions();
  void emit_return();
  llvm::Value* read_register(const ptx::Operand& operand, unsigned bits);
  llvm::Value* read_special(const ptx::Operand& operand, unsigned bits);
  llvm::Value* register_slot(const ptx::Operand& operand);
  llvm::Value* aligned_alloca(std::uint64_t bytes, std::uint32_t alignment,
                              const llvm::Twine& name);
  /// Counts the frames of functions that may call themselves, up to the stack's limit.
  void meter_stack();
  llvm::Value* thread_field(std::size_t offset);

  ModuleLowering& module_;
  const ptx::Function& source_;
  llvm::Function* target_;
  llvm::IRBuilder<> builder_;
  const ptx::Instruction* current_ = nullptr;
  llvm::DISubprogram* scope_ = nullptr;
  std::unique_ptr<SourceFrame> source_frame_;  ///< where debuggers are to see variables
  llvm::BasicBlock* entry_ = nullptr;
  llvm::BasicBlock* return_block_ = nullptr;
  llvm::BasicBlock* behind_guard_ = nullptr;  ///< while guarded instructions are made
  llvm::AllocaInst* carry_ = nullptr;
  llvm::Value* stack_mark_ = nullptr;
  llvm::Value* stack_before_ =
      nullptr;  ///< ThreadFrame::stack_used of the caller, if it is metered
  std::vector<RegisterSlot> registers_;
  std::vector<llvm::Value*> variables_;
  std::vector<llvm::Value*> parameters_;
  std::vector<llvm::Value*> returns_;
  std::vector<llvm::BasicBlock*> label_blocks_;
  std::vector<Expansion> expansions_;
  std::uint32_t tracked_line_ = 0, tracked_file_ = 0;
  std::vector<bool> copied_loads_;  ///< by instruction, where that is asked for
  Counting counting_;
};

}  // namespace pycuda::cpu::lower
