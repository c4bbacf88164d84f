// SPDX-License-Identifier: MIT
#include "cpu/target/ternlog_repair.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/TargetInstrInfo.h>
#include <llvm/CodeGen/TargetSubtargetInfo.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <cstdint>
#include <optional>
#include <string>

#include "cpu/target/target.h"
#include "cpu/target/target_machine.h"

namespace pycuda::cpu::target {
namespace {

/// `a ? b : c` with its operands in the orders of LLVM's transforms, the faulty ones last.
enum Table : std::uint8_t {
  InOrder = 0xCA,
  Order321 = 0xD8,
  Order213 = 0xE2,
  Order132 = 0xAC,
  Order231 = 0xB8,
  Order312 = 0xE4
};

/// Calls `visit` with the truth table of every VPTERNLOG that merges under a mask and reads memory.
class MaskedLogicPass : public llvm::MachineFunctionPass {
 public:
  MaskedLogicPass() : MachineFunctionPass(identity) {}

  llvm::StringRef getPassName() const override { return "Masked three-input logic"; }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::BitVector& wanted = opcodes(*function.getSubtarget().getInstrInfo());
    bool changed = false;
    for (llvm::MachineBasicBlock& block : function) {
      for (llvm::MachineInstr& instruction : block) {
        if (!wanted.test(instruction.getOpcode())) continue;
        llvm::MachineOperand& table =
            instruction.getOperand(instruction.getNumExplicitOperands() - 1);
        const auto before = static_cast<std::uint8_t>(table.getImm());
        const std::uint8_t after = visit(before);
        if (after == before) continue;
        table.setImm(after);
        changed = true;
      }
    }
    return changed;
  }

 protected:
  virtual std::uint8_t visit(std::uint8_t table) = 0;

 private:
  /// VPTERNLOG{D,Q}Z{,128,256}{rmik,rmbik}: the processor's own list of opcodes is no public
  /// header.
  static const llvm::BitVector& opcodes(const llvm::TargetInstrInfo& instructions) {
    static const llvm::BitVector found = [&] {
      llvm::BitVector set(instructions.getNumOpcodes());
      for (unsigned opcode = 0; opcode < instructions.getNumOpcodes(); ++opcode) {
        const llvm::StringRef name = instructions.getName(opcode);
        if (name.starts_with("VPTERNLOG") && (name.ends_with("rmik") || name.ends_with("rmbik")))
          set.set(opcode);
      }
      return set;
    }();
    return found;
  }

  static inline char identity = 0;
};

class Repair final : public MaskedLogicPass {
  std::uint8_t visit(std::uint8_t table) override {
    switch (table) {
      case InOrder:
      case Order321:
      case Order213:
      case Order132:
        return table;
      case Order231:
        return Order312;
      case Order312:
        return Order231;
      default:
        llvm::report_fatal_error("masked three-input logic that is no choice by bits");
    }
  }
};

class Probe final : public MaskedLogicPass {
 public:
  explicit Probe(std::optional<std::uint8_t>& found) : found_(found) {}

 private:
  std::uint8_t visit(std::uint8_t table) override {
    found_ = table;
    return table;
  }
  std::optional<std::uint8_t>& found_;
};

/// Whether LLVM gives `mask ? ((x & c) | (y & ~c)) : x`, with the constant c in memory, the table
/// of another order. A probe that shows nothing is taken for a fault: the repair then sees what it
/// does not expect, if there is anything to see.
bool permutes_wrongly(const Processor& processor, llvm::TargetMachine& target, Emit emit) {
  llvm::LLVMContext context;
  llvm::Module module("probe", context);
  module.setTargetTriple(processor.triple);
  module.setDataLayout(target.createDataLayout());
  llvm::IRBuilder<> b(context);
  auto* const vector = llvm::FixedVectorType::get(b.getInt32Ty(), 4);
  auto* const type =
      llvm::FunctionType::get(vector, {vector, vector, b.getInt8Ty()}, /*isVarArg=*/false);
  llvm::Function* const function =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "probe", module);
  b.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  llvm::Value* const x = function->getArg(0);
  llvm::Value* const y = function->getArg(1);
  llvm::Value* const lanes = b.CreateBitCast(b.CreateTrunc(function->getArg(2), b.getIntNTy(4)),
                                             llvm::FixedVectorType::get(b.getInt1Ty(), 4));
  const auto splat = [&](std::uint32_t bits) {
    return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(4), b.getInt32(bits));
  };
  llvm::Value* const chosen =
      b.CreateOr(b.CreateAnd(x, splat(0x7fffffff)), b.CreateAnd(y, splat(0x80000000)));
  b.CreateRet(b.CreateSelect(lanes, chosen, x));
  set_target_attributes(module, processor);
  std::optional<std::uint8_t> table;
  llvm::SmallVector<char, 0> object;
  if (!emit(module, target, std::make_unique<Probe>(table), object)) return true;
  return table != Order312;
}

}  // namespace

std::unique_ptr<llvm::MachineFunctionPass> repair_of_ternary_logic(const Processor& processor,
                                                                   llvm::TargetMachine& target,
                                                                   Emit emit) {
  if (!processor.native_operations) return nullptr;
  static const bool needed = permutes_wrongly(processor, target, emit);
  if (!needed) return nullptr;
  return std::make_unique<Repair>();
}

}  // namespace pycuda::cpu::target
