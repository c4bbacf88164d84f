// SPDX-License-Identifier: MIT
#include "cpu/lower/counting.h"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cpu/kernel_abi/checks.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/warp_call.h"

namespace pycuda::cpu::lower {
namespace {

using Kind = ptx::Operand::Kind;

void count_mentions(const ptx::Operand& operand, std::vector<std::uint32_t>& mentions) {
  const bool is_register = operand.kind == Kind::Register || operand.has_register_base;
  if (is_register && operand.reg < mentions.size()) ++mentions[operand.reg];
  if (operand.element && *operand.element < mentions.size()) ++mentions[*operand.element];
  for (const ptx::Operand& element : operand.elements) count_mentions(element, mentions);
}

bool ends_run(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::bra:
    case ptx::Opcode::brx:
    case ptx::Opcode::call:
    case ptx::Opcode::exit:
    case ptx::Opcode::ret:
    case ptx::Opcode::trap:
      return true;
    default:
      return false;
  }
}

bool is_branch(const ptx::Instruction& instruction) {
  return instruction.opcode == ptx::Opcode::bra || instruction.opcode == ptx::Opcode::brx;
}

enum class Operation { Add, Multiply, Fused, Other };

Operation operation_of(ptx::Opcode opcode) {
  switch (opcode) {
    case ptx::Opcode::add:
    case ptx::Opcode::sub:
      return Operation::Add;
    case ptx::Opcode::mul:
      return Operation::Multiply;
    case ptx::Opcode::fma:
    case ptx::Opcode::mad:
      return Operation::Fused;
    default:
      return Operation::Other;
  }
}

InstructionClass class_of_arithmetic(ptx::Opcode opcode, ptx::Type type) {
  using enum InstructionClass;
  const auto of = [&](InstructionClass add, InstructionClass multiply, InstructionClass fused,
                      InstructionClass other) {
    switch (operation_of(opcode)) {
      case Operation::Add:
        return add;
      case Operation::Multiply:
        return multiply;
      case Operation::Fused:
        return fused;
      case Operation::Other:
        break;
    }
    return other;
  };
  switch (type) {
    case ptx::Type::F32:
    case ptx::Type::F32x2:
      return of(Fadd, Fmul, Ffma, Fp32);
    case ptx::Type::F64:
      return of(Dadd, Dmul, Dfma, Fp64);
    case ptx::Type::F16:
    case ptx::Type::F16x2:
    case ptx::Type::BF16:
    case ptx::Type::BF16x2:
      return of(Hadd, Hmul, Hfma, Fp16);
    default:
      return Integer;
  }
}

/// Such a conversion often takes no instruction of a device, and never one that converts.
bool is_between_integers(const ptx::Instruction& instruction) {
  const std::vector<ptx::Type>& types = instruction.modifiers.types;
  return std::none_of(types.begin(), types.end(),
                      [](ptx::Type type) { return ptx::is_float(type); });
}

InstructionClass named_class(const ptx::Instruction& instruction) {
  using enum InstructionClass;
  using enum ptx::Opcode;
  switch (instruction.opcode) {
    case and_:
    case bfe:
    case bfi:
    case bfind:
    case bmsk:
    case brev:
    case clz:
    case cnot:
    case fns:
    case lop3:
    case not_:
    case or_:
    case popc:
    case prmt:
    case shf:
    case shl:
    case shr:
    case xor_:
      return Bit;
    case cvt:
      return is_between_integers(instruction) ? Misc : Conversion;
    case bar:
    case barrier:
    case bra:
    case brx:
    case call:
    case exit:
    case nanosleep:
    case ret:
    case trap:
      return Control;
    case atom:
    case cp:
    case fence:
    case ld:
    case ldmatrix:
    case ldu:
    case membar:
    case prefetch:
    case red:
    case st:
    case stmatrix:
    case suld:
    case sured:
    case sust:
    case tex:
    case tld4:
      return Memory;
    case activemask:
    case elect:
    case match:
    case movmatrix:
    case redux:
    case shfl:
    case vote:
      return BetweenThreads;
    case mov:
    case selp:
    case slct:
      return Misc;
    case ex2:
    case lg2:
    case cos:
    case sin:
    case rcp:
    case rsqrt:
    case sqrt:
    case tanh:
    default:
      return class_of_arithmetic(instruction.opcode, instruction.modifiers.type());
  }
}

/// Whether each lane has an access of its own: those of matrices are made for the warp as a whole.
bool is_of_lanes(const ptx::Instruction& instruction) {
  switch (instruction.opcode) {
    case ptx::Opcode::ldmatrix:
    case ptx::Opcode::mbarrier:
    case ptx::Opcode::stmatrix:
    case ptx::Opcode::wmma:
      return false;
    default:
      return true;
  }
}

bool is_parameter(const ptx::Instruction& instruction) {
  const bool moves = instruction.opcode == ptx::Opcode::ld || instruction.opcode == ptx::Opcode::st;
  return moves && instruction.modifiers.has_space &&
         instruction.modifiers.space == ptx::Space::Param;
}

}  // namespace

std::optional<InstructionClass> class_of(const ptx::Instruction& instruction) {
  if (instruction.opcode == ptx::Opcode::cvta || is_parameter(instruction)) return std::nullopt;
  return named_class(instruction);
}

Counting::Counting(FunctionLowering& lowering, CountedPlaces* places)
    : lowering_(lowering), places_(places) {
  if (!places_) return;
  mentions_.resize(lowering.source().registers.size());
  for (const ptx::Instruction& instruction : lowering.source().body) {
    for (const ptx::Operand& operand : instruction.operands) count_mentions(operand, mentions_);
    if (instruction.guard) ++mentions_[*instruction.guard];
    // What a call takes and gives is none of its operands.
    if (instruction.call) std::fill(mentions_.begin(), mentions_.end(), 2);
  }
}

CountedPlace& Counting::add(CountedKind kind, const ptx::Instruction& instruction,
                            std::uint32_t words) {
  CountedPlace place;
  place.kind = kind;
  place.word = places_->words;
  place.function = lowering_.module().index_of(lowering_.source());
  place.instruction = static_cast<std::uint32_t>(&instruction - lowering_.source().body.data());
  place.part = parts_++;
  place.line = instruction.source_line;
  place.file = instruction.source_file;
  places_->words += words;
  places_->places.push_back(std::move(place));
  return places_->places.back();
}

void Counting::count(WarpOp operation, llvm::Value* value, std::uint32_t how) {
  llvm::IRBuilder<>& b = lowering_.builder();
  const std::uint64_t packed = places_->places.back().word | std::uint64_t{how} << 32;
  warp_call(lowering_, operation, nullptr, value, b.getInt64(packed));
}

void Counting::start_run(const ptx::Instruction& instruction) {
  add(CountedKind::Run, instruction, words_of_run);
  count(WarpOp::CountRun, nullptr, 0);
}

void Counting::before(const ptx::Instruction& instruction) {
  if (!places_) return;
  parts_ = 0;
  if (!in_run_) {
    start_run(instruction);
    run_ = places_->places.size() - 1;
    in_run_ = true;
  }
  const auto kind = class_of(instruction);
  if (!kind) return;
  using Guard = CountedInstructions::Guard;
  const bool is_guarded = instruction.guard && !is_branch(instruction);
  std::vector<CountedInstructions>& all = places_->places[run_].instructions;
  const CountedInstructions one{instruction.source_line, instruction.source_file, *kind,
                                is_guarded ? Guard::Issued : Guard::None, 1};
  const auto same = std::find_if(all.begin(), all.end(), [&](const CountedInstructions& other) {
    return other.line == one.line && other.file == one.file && other.kind == one.kind &&
           other.guard == one.guard;
  });
  if (same == all.end()) {
    all.push_back(one);
  } else {
    ++same->count;
  }
}

void Counting::behind_guard(const ptx::Instruction& instruction) {
  if (!places_ || is_branch(instruction)) return;
  start_run(instruction);
  if (const auto kind = class_of(instruction))
    places_->places.back().instructions.push_back({instruction.source_line, instruction.source_file,
                                                   *kind, CountedInstructions::Guard::Holds, 1});
}

void Counting::after(const ptx::Instruction& instruction) {
  if (ends_run(instruction)) in_run_ = false;
}

void Counting::branch(const ptx::Instruction& instruction, llvm::Value* way) {
  if (!places_) return;
  const std::uint32_t run = places_->places[run_].word;
  add(CountedKind::Branch, instruction, words_of_branch).run = run;
  llvm::IRBuilder<>& b = lowering_.builder();
  count(WarpOp::CountBranch, b.CreateZExt(way, b.getInt64Ty()), 0);
}

/// The compiler writes "atom" also where nobody looks at the old value; the assembler makes a
/// reduction of it.
bool Counting::is_result_read(const ptx::Instruction& instruction) const {
  std::vector<ptx::Operand> results = lowering_.elements(instruction.operands[0]);
  return std::any_of(results.begin(), results.end(), [&](const ptx::Operand& result) {
    return result.kind == Kind::Register && mentions_[result.reg] > 1;
  });
}

void Counting::access(const ptx::Instruction& instruction, llvm::Value* pointer, ptx::Space space,
                      std::uint32_t bytes, std::uint32_t flags) {
  if (!places_ || !is_of_lanes(instruction)) return;
  CountedSpace counted{};
  switch (space) {
    case ptx::Space::Global:
      counted = CountedSpace::Global;
      break;
    case ptx::Space::Local:
      counted = CountedSpace::Local;
      break;
    case ptx::Space::Shared:
      counted = CountedSpace::Shared;
      break;
    case ptx::Space::Generic:
      counted = CountedSpace::Generic;
      break;
    default:
      return;
  }
  CountedAccess access{bytes, counted, CountedOp::Load};
  if (flags & AccessFlags::update) {
    const bool is_read = instruction.opcode == ptx::Opcode::atom && is_result_read(instruction);
    access.op = is_read ? CountedOp::Atomic : CountedOp::Reduction;
  } else if (flags & AccessFlags::write) {
    access.op = CountedOp::Store;
  }
  CountedPlace& place = add(CountedKind::Access, instruction, words_of(access));
  place.space = counted;
  place.op = access.op;
  place.bytes = bytes;
  place.text = instruction.text;
  llvm::IRBuilder<>& b = lowering_.builder();
  llvm::Value* address = counted == CountedSpace::Local ? local_offset(pointer)
                                                        : b.CreatePtrToInt(pointer, b.getInt64Ty());
  count(WarpOp::CountAccess, address, access.packed());
}

/// Where an address lies among the function's own variables; 0 if it lies in another's.
llvm::Value* Counting::local_offset(llvm::Value* pointer) {
  llvm::IRBuilder<>& b = lowering_.builder();
  llvm::Value* address = b.CreatePtrToInt(pointer, b.getInt64Ty());
  llvm::Value* offset = b.getInt64(0);
  std::uint64_t start = 0;
  const std::vector<ptx::Variable>& variables = lowering_.source().variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    if (variables[i].space != ptx::Space::Local) continue;
    llvm::Value* within =
        b.CreateSub(address, b.CreatePtrToInt(lowering_.variable_memory(i), b.getInt64Ty()));
    offset = b.CreateSelect(b.CreateICmpULT(within, b.getInt64(variables[i].bytes)),
                            b.CreateAdd(within, b.getInt64(start)), offset);
    start += (variables[i].bytes + 15) / 16 * 16;
  }
  return offset;
}

}  // namespace pycuda::cpu::lower
