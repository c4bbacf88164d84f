// SPDX-License-Identifier: MIT
// A judgement of each instruction: what its code computes in floats, and whether subnormal numbers
// can come up there that are not to be flushed.
#include "cpu/lower/processor_flushes.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>

#include <algorithm>

#include "cpu/lower/module_lowering.h"

namespace pycuda::cpu::lower {
namespace {

using ptx::Instruction;
using ptx::Opcode;
using ptx::Rounding;
using ptx::Type;

constexpr const char* denormals = "denormal-fp-math-f32";
constexpr const char* flushed = "preserve-sign,preserve-sign";

bool is_single(Type type) { return type == Type::F32 || type == Type::F32x2; }
/// Subnormal halves are normal f32 numbers, and what is computed with halves stays far from f32's
/// least.
bool is_half(Type type) { return type == Type::F16 || type == Type::F16x2; }
bool is_bfloat(Type type) { return type == Type::BF16 || type == Type::BF16x2; }

/// Directed roundings take the way through f64 and step from number to number.
bool to_nearest(Rounding rounding) {
  return rounding == Rounding::None || rounding == Rounding::Rn;
}

/// To the nearest integer or toward zero: what is subnormal gives 0, flushed or not.
bool makes_zero_of_subnormal(Rounding rounding) {
  return rounding == Rounding::Rni || rounding == Rounding::Rzi;
}

bool conversion_fits(const ptx::Modifiers& modifiers) {
  if (modifiers.types.size() != 2 || modifiers.has("scaled::n2::ue8m0")) return false;
  const Type to = modifiers.types[0], from = modifiers.types[1];
  const bool plain = !modifiers.sat && !modifiers.relu && !modifiers.satfinite;
  if (!ptx::is_float(from)) return true;
  if (!ptx::is_float(to)) {
    if (is_half(from)) return true;
    return (is_single(from) && modifiers.ftz) || makes_zero_of_subnormal(modifiers.rounding);
  }
  if (is_half(from)) return is_half(to) || to == Type::F32 || to == Type::F64;
  if (is_bfloat(from)) return to == Type::F32 && plain && !modifiers.ftz;
  if (from == Type::F64) return to == Type::F32 && modifiers.ftz && to_nearest(modifiers.rounding);
  if (!is_single(from)) return false;
  if (is_half(to)) return to_nearest(modifiers.rounding) || modifiers.rounding == Rounding::Rz;
  if (is_bfloat(to)) return plain && modifiers.rounding == Rounding::Rn;
  if (to == Type::TF32) return plain;
  return (to == Type::F32 || to == Type::F64) && modifiers.ftz;
}

/// Whether the instruction gives the same bits with the processor's flushing.
bool fits(const Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto& types = modifiers.types;
  switch (instruction.opcode) {
    case Opcode::call:
      return true;
    case Opcode::mma:
    case Opcode::wmma:
      return false;
    case Opcode::cvt:
      return conversion_fits(modifiers);
    default:
      break;
  }
  if (std::none_of(types.begin(), types.end(), ptx::is_float)) return true;
  const Type compared = types.back();
  switch (instruction.opcode) {
    // Bits alone, or functions of the run time, which see the usual mode.
    case Opcode::mov:
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st:
    case Opcode::selp:
    case Opcode::shfl:
    case Opcode::copysign:
    case Opcode::testp:
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::sust:
      return true;
    // Sums in global memory are flushed, those in shared memory are not.
    case Opcode::atom:
    case Opcode::red:
      return types.size() == 1 && types[0] == Type::F32 && modifiers.vector == 1 &&
             modifiers.space == ptx::Space::Global;
    case Opcode::set:
    case Opcode::setp:
      return is_half(compared) || (is_single(compared) && modifiers.ftz) ||
             !ptx::is_float(compared);
    case Opcode::slct:
      return !ptx::is_float(compared) || (compared == Type::F32 && modifiers.ftz);
    case Opcode::add:
    case Opcode::sub:
    case Opcode::mul:
    case Opcode::fma:
    case Opcode::mad:
    case Opcode::min:
    case Opcode::max:
    case Opcode::abs:
    case Opcode::neg:
    case Opcode::div:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::ex2:
    case Opcode::lg2:
    case Opcode::sin:
    case Opcode::cos:
      return types.size() == 1 && to_nearest(modifiers.rounding) &&
             (is_half(types[0]) || (is_single(types[0]) && modifiers.ftz));
    case Opcode::tanh:
      return types.size() == 1 && (is_half(types[0]) || types[0] == Type::F32);
    default:
      return false;
  }
}

}  // namespace

bool processor_can_flush(const ModuleLowering& lowering, const std::vector<bool>& wanted) {
  const ptx::Module& module = lowering.source();
  bool any = false;
  for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
    const ptx::Function& function = module.functions[i];
    if (!wanted[i] || !function.is_defined) continue;
    // A pointer may lead to code that was compiled for itself.
    if (lowering.calls().uses_addresses(i) || lowering.calls().address_taken(i)) return false;
    for (const Instruction& instruction : function.body) {
      if (!fits(instruction)) return false;
      any = any || instruction.modifiers.ftz;
    }
  }
  return any;
}

void let_processor_flush(llvm::Function& function) { function.addFnAttr(denormals, flushed); }

void let_processor_flush(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) let_processor_flush(function);
  }
}

bool processor_flushes(const llvm::Function& function) {
  return function.getFnAttribute(denormals).getValueAsString() == flushed;
}

void flush_like(llvm::Function& made, const llvm::Function& other) {
  if (processor_flushes(other)) let_processor_flush(made);
}

}  // namespace pycuda::cpu::lower
