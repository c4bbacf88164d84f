// SPDX-License-Identifier: MIT
// Trees of operations over extended bytes and halves. First from the leaves on: in which range each
// value lies. Then from the uses back: what is worth it. Then the narrow operations.

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cpu/simt/numbers/number_passes.h"

namespace pycuda::cpu::simt {
namespace {

using llvm::Instruction;
namespace pm = llvm::PatternMatch;

constexpr unsigned byte_bits = 8, half_bits = 16, word_bits = 32;

/// What a value may be, as a signed number of its own type.
using Range = llvm::ConstantRange;

bool is_natural(const Range& range) { return range.isAllNonNegative(); }
bool fits_unsigned(const Range& range, unsigned bits) {
  return is_natural(range) && range.getSignedMax().getActiveBits() <= bits;
}
bool fits_signed(const Range& range, unsigned bits) {
  return range.getSignedMin().getSignificantBits() <= bits &&
         range.getSignedMax().getSignificantBits() <= bits;
}
bool fits(const Range& range, unsigned bits) {
  return fits_unsigned(range, bits) || fits_signed(range, bits);
}

/// The same in `bits`, if these hold all of it as signed numbers.
std::optional<Range> in_bits(const Range& range, unsigned bits) {
  if (range.isEmptySet() || range.isSignWrappedSet() || !fits_signed(range, bits))
    return std::nullopt;
  return Range::getNonEmpty(range.getSignedMin().sextOrTrunc(bits),
                            range.getSignedMax().sextOrTrunc(bits) + 1);
}

/// x * factor >> shift, or x / factor if there is no shift.
struct Quotient {
  llvm::Value* of = nullptr;
  std::uint64_t factor = 1;
  unsigned shift = 0;

  std::uint64_t operator()(std::uint64_t x) const {
    return shift == 0 ? x / factor : (x * factor) >> shift;
  }
};

/// What the upper half of a product with a half is the same as `quotient` of numbers up to `most`.
std::optional<std::uint16_t> half_factor(const Quotient& quotient, std::uint64_t most) {
  // The last number gives the factor to within a few; the smallest one that is large enough is
  // best.
  const std::uint64_t last = quotient(most);
  if (last == 0 || last > most / 2) return std::nullopt;
  const std::uint64_t first = (last << half_bits) / most;
  for (std::uint64_t factor = first; factor <= first + (1u << half_bits) / most + 1; ++factor) {
    if (factor >= 1u << half_bits) break;
    bool same = true;
    for (std::uint64_t x = 0; x <= most && same; ++x) same = quotient(x) == x * factor >> half_bits;
    if (same) return static_cast<std::uint16_t>(factor);
  }
  return std::nullopt;
}

class Narrower {
 public:
  explicit Narrower(llvm::Function& function)
      : function_(function), layout_(function.getDataLayout()) {}

  unsigned run() {
    const llvm::ReversePostOrderTraversal<llvm::Function*> blocks(&function_);
    std::vector<Instruction*> order;
    for (llvm::BasicBlock* block : blocks) {
      for (Instruction& instruction : *block) {
        if (instruction.getType()->isIntegerTy()) order.push_back(&instruction);
      }
    }
    for (Instruction* instruction : order) find_range(*instruction);
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (!is_worth_it(**it)) continue;
      worth_.insert(*it);
      for (llvm::Value* source : sources_of(**it, forms_.lookup(*it))) wanted_.insert(source);
    }
    for (Instruction* instruction : order) {
      if (worth_.contains(instruction)) narrow(*instruction);
    }
    llvm::SmallVector<llvm::WeakTrackingVH, 16> perhaps_dead;
    for (const auto& [wide, extension] : replaced_) wide->replaceAllUsesWith(extension);
    for (const auto& [wide, extension] : replaced_) {
      perhaps_dead.emplace_back(wide);
      perhaps_dead.emplace_back(extension);
    }
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(perhaps_dead);
    return static_cast<unsigned>(replaced_.size());
  }

 private:
  static unsigned bits_of(const llvm::Value& value) {
    return value.getType()->getIntegerBitWidth();
  }

  std::optional<Range> range_of(const llvm::Value* value) const {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      if (constant->getBitWidth() > 64) return std::nullopt;
      return Range(constant->getValue());
    }
    const auto found = ranges_.find(value);
    return found == ranges_.end() ? std::nullopt : std::optional(found->second);
  }

  /// A byte or a half that becomes a word.
  static bool is_leaf(const llvm::Value* value) {
    const auto* cast = llvm::dyn_cast<llvm::CastInst>(value);
    if (!cast || !(llvm::isa<llvm::ZExtInst>(cast) || llvm::isa<llvm::SExtInst>(cast)))
      return false;
    const unsigned bits = cast->getSrcTy()->getScalarSizeInBits();
    return (bits == byte_bits || bits == half_bits) && bits_of(*cast) >= word_bits;
  }

  /// A cast of a word that does not change the number.
  bool is_copy(const Instruction& instruction) const {
    if (!llvm::isa<llvm::CastInst>(instruction) || is_leaf(&instruction)) return false;
    const std::optional<Range> from = range_of(instruction.getOperand(0));
    if (!from || bits_of(instruction) < word_bits) return false;
    return llvm::isa<llvm::SExtInst>(instruction) ||
           (llvm::isa<llvm::ZExtInst>(instruction) && is_natural(*from)) ||
           (llvm::isa<llvm::TruncInst>(instruction) && fits_signed(*from, bits_of(instruction)));
  }

  /// What `value` is the sign extension of the lower half of, by two shifts, if that changes
  /// nothing.
  llvm::Value* shifted_up_and_down(Instruction& value) const {
    llvm::Value* from = nullptr;
    std::uint64_t up = 0, down = 0;
    if (!pm::match(&value, pm::m_AShr(pm::m_Shl(pm::m_Value(from), pm::m_ConstantInt(up)),
                                      pm::m_ConstantInt(down))) ||
        up != down || up == 0 || up >= bits_of(value))
      return nullptr;
    const std::optional<Range> range = range_of(from);
    return range && fits_signed(*range, bits_of(value) - static_cast<unsigned>(up)) ? from
                                                                                    : nullptr;
  }

  /// A value of which `value` is a quotient that halves can compute, and the factor.
  std::optional<Quotient> quotient_of(Instruction& value) const {
    Quotient quotient;
    std::uint64_t shift = 0;
    llvm::Value* product = nullptr;
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
    if (!operation) return std::nullopt;
    if (operation->getOpcode() == Instruction::UDiv ||
        operation->getOpcode() == Instruction::SDiv) {
      if (!pm::match(operation->getOperand(1), pm::m_ConstantInt(quotient.factor)) ||
          quotient.factor < 2 || quotient.factor >= 1u << half_bits)
        return std::nullopt;
      quotient.of = operation->getOperand(0);
    } else {
      // A shift of a shift that is a quotient is one as well.
      product = &value;
      std::uint64_t each = 0;
      llvm::Value* from = nullptr;
      while (pm::match(product, pm::m_Shr(pm::m_Value(from), pm::m_ConstantInt(each))) ||
             (shift > 0 && pm::match(product, pm::m_Trunc(pm::m_Value(from))))) {
        if (llvm::isa<llvm::TruncInst>(product)) {
          if (!is_copy(*llvm::cast<Instruction>(product))) return std::nullopt;
        } else {
          if (each >= bits_of(*product)) return std::nullopt;
          shift += each;
        }
        product = from;
      }
      if (shift == 0 || shift > 62 ||
          !pm::match(product,
                     pm::m_Mul(pm::m_Value(quotient.of), pm::m_ConstantInt(quotient.factor))))
        return std::nullopt;
      // The product itself must be exact.
      const std::optional<Range> range = range_of(product);
      if (!range || !is_natural(*range)) return std::nullopt;
      quotient.shift = static_cast<unsigned>(shift);
    }
    const std::optional<Range> range = range_of(quotient.of);
    if (!range || !fits_unsigned(*range, half_bits)) return std::nullopt;
    return quotient;
  }

  void find_range(Instruction& value) {
    if (const std::optional<Range> range = made_range(value)) ranges_.emplace(&value, *range);
    if (const unsigned bits = narrow_bits(value)) forms_[&value] = bits;
  }

  std::optional<Range> made_range(Instruction& value) const {
    const unsigned bits = bits_of(value);
    if (bits < word_bits || bits > 64) return std::nullopt;
    if (is_leaf(&value)) {
      const llvm::Value* from = value.getOperand(0);
      const bool is_signed = llvm::isa<llvm::SExtInst>(value);
      const Range known = Range::fromKnownBits(llvm::computeKnownBits(from, layout_), is_signed);
      return is_signed ? known.signExtend(bits) : known.zeroExtend(bits);
    }
    if (is_copy(value)) return in_bits(*range_of(value.getOperand(0)), bits);
    if (llvm::Value* same = shifted_up_and_down(value)) return range_of(same);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&value)) {
      const auto a = range_of(select->getTrueValue()), b = range_of(select->getFalseValue());
      return a && b ? std::optional(a->unionWith(*b, Range::Signed)) : std::nullopt;
    }
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&value)) return call_range(*call);
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value);
    return operation ? operation_range(*operation) : std::nullopt;
  }

  std::optional<Range> operation_range(const llvm::BinaryOperator& operation) const {
    const unsigned bits = bits_of(operation);
    auto opcode = operation.getOpcode();
    const auto a = range_of(operation.getOperand(0)), b = range_of(operation.getOperand(1));
    if (!b || (!a && opcode != Instruction::And)) return std::nullopt;
    const bool natural = a && is_natural(*a);
    const auto* fixed = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
    const bool shifts = fixed && fixed->getValue().ult(bits);
    // Of twice as many bits: what wraps is seen there.
    const Range left = a.value_or(Range::getFull(bits)).signExtend(2 * bits);
    Range right = b->signExtend(2 * bits);
    bool is_known = true;
    switch (opcode) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Mul:
        break;
      case Instruction::Shl:
        is_known = shifts;
        if (shifts) right = Range(llvm::APInt(2 * bits, 1).shl(fixed->getValue()));
        opcode = Instruction::Mul;
        break;
      case Instruction::LShr:
        is_known = shifts && natural;
        break;
      case Instruction::AShr:
        is_known = shifts;
        break;
      case Instruction::And:
        is_known = is_natural(*b);
        break;
      case Instruction::Or:
      case Instruction::Xor:
        is_known = natural && is_natural(*b);
        break;
      case Instruction::UDiv:
      case Instruction::SDiv:
        is_known = natural && fixed && fixed->getValue().isStrictlyPositive();
        break;
      default:
        is_known = false;
    }
    return is_known ? in_bits(left.binaryOp(opcode, right), bits) : std::nullopt;
  }

  std::optional<Range> call_range(const llvm::IntrinsicInst& call) const {
    const auto a = range_of(call.getArgOperand(0));
    if (!a) return std::nullopt;
    if (call.getIntrinsicID() == llvm::Intrinsic::abs)
      return in_bits(a->signExtend(2 * bits_of(call)).abs(), bits_of(call));
    const auto* bound = llvm::dyn_cast<llvm::MinMaxIntrinsic>(&call);
    const auto b = bound ? range_of(bound->getRHS()) : std::nullopt;
    if (!b || !(bound->isSigned() || (is_natural(*a) && is_natural(*b)))) return std::nullopt;
    return Range::intrinsic(call.getIntrinsicID(), {*a, *b});
  }

  /// The bits that the narrow form of `instruction` has; 0 if it has none.
  unsigned narrow_bits(Instruction& instruction) const {
    const unsigned own = bits_of(instruction);
    const std::optional<Range> range = range_of(&instruction);
    if (!range || own < word_bits) return 0;
    if (is_leaf(&instruction)) return half_bits;
    for (const unsigned bits : {half_bits, word_bits}) {
      if (bits < own && fits(*range, bits) && operands_fit(instruction, bits)) return bits;
    }
    return 0;
  }

  /// Whether `value` has a form of at most `bits`.
  bool has_form(const llvm::Value* value, unsigned bits) const {
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return range_of(constant) && fits(*range_of(constant), bits);
    const auto found = forms_.find(value);
    return found != forms_.end() && found->second <= bits;
  }

  /// The values whose narrow forms the narrow form of `instruction` is made of.
  llvm::SmallVector<llvm::Value*, 2> sources_of(Instruction& instruction, unsigned bits) const {
    if (is_leaf(&instruction)) return {};
    if (is_copy(instruction)) return {instruction.getOperand(0)};
    if (llvm::Value* same = shifted_up_and_down(instruction)) return {same};
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return {select->getTrueValue(), select->getFalseValue()};
    if (bits == half_bits) {
      const std::optional<Quotient> quotient = quotient_of(instruction);
      if (quotient && has_form(quotient->of, bits) && factor_of(*quotient)) return {quotient->of};
    }
    // Only a shift's first operand, and of abs the one that is a number.
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (instruction.isShift() || (call && call->getIntrinsicID() == llvm::Intrinsic::abs))
      return {instruction.getOperand(0)};
    return {instruction.getOperand(0), instruction.getOperand(1)};
  }

  /// Whether an operation of `bits` on the narrow operands is right.
  bool operands_fit(Instruction& instruction, unsigned bits) const {
    const llvm::SmallVector<llvm::Value*, 2> sources = sources_of(instruction, bits);
    if (!llvm::all_of(sources, [&](const llvm::Value* source) { return has_form(source, bits); }))
      return false;
    const auto all_signed = [&] {
      return llvm::all_of(
          sources, [&](const llvm::Value* source) { return fits_signed(*range_of(source), bits); });
    };
    if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
      return all_signed() || (call->getIntrinsicID() != llvm::Intrinsic::abs && are_natural(*call));
    const bool divides = instruction.getOpcode() == Instruction::UDiv ||
                         instruction.getOpcode() == Instruction::SDiv;
    return !divides || sources.size() == 1;
  }

  std::optional<std::uint16_t> factor_of(const Quotient& quotient) const {
    return half_factor(quotient, range_of(quotient.of)->getSignedMax().getZExtValue());
  }

  bool are_natural(const llvm::IntrinsicInst& call) const {
    return is_natural(*range_of(call.getArgOperand(0))) &&
           is_natural(*range_of(call.getArgOperand(1)));
  }

  /// Sums and products always are; the others where their narrow result is of use, not only as a
  /// part of an address.
  bool is_worth_it(const Instruction& instruction) const {
    const auto found = forms_.find(&instruction);
    if (found == forms_.end() || is_leaf(&instruction)) return false;
    const unsigned opcode = instruction.getOpcode();
    if (opcode == Instruction::Add || opcode == Instruction::Mul) return true;
    return wanted_.contains(&instruction) ||
           llvm::any_of(instruction.users(), [](const llvm::User* user) {
             const auto* cast = llvm::dyn_cast<llvm::TruncInst>(user);
             return cast && bits_of(*cast) <= half_bits;
           });
  }

  /// `value`'s narrow form in `bits`.
  llvm::Value* operand(llvm::Value* value, unsigned bits, llvm::IRBuilder<>& b) {
    llvm::Type* type = b.getIntNTy(bits);
    if (const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value))
      return llvm::ConstantInt::get(type, constant->getValue().trunc(bits));
    llvm::Value*& known = narrow_[{value, bits}];
    if (known) return known;
    auto* const instruction = llvm::cast<Instruction>(value);
    if (is_leaf(value)) {
      llvm::IRBuilder<> at(instruction);
      known = at.CreateIntCast(instruction->getOperand(0), type, llvm::isa<llvm::SExtInst>(value));
      return known;
    }
    // It is there in fewer bits: the half follows the operation.
    llvm::Value* half = narrow_.lookup({value, half_bits});
    llvm::IRBuilder<> at(instruction);
    llvm::Value* wider = at.CreateIntCast(half, type, !is_natural(*range_of(value)));
    narrow_[{value, bits}] = wider;
    return wider;
  }

  void narrow(Instruction& instruction) {
    const unsigned bits = forms_.lookup(&instruction);
    llvm::IRBuilder<> b(&instruction);
    llvm::Value* result = make(instruction, bits, b);
    narrow_[{&instruction, bits}] = result;
    replaced_.emplace_back(&instruction, b.CreateIntCast(result, instruction.getType(),
                                                         !is_natural(*range_of(&instruction))));
  }

  llvm::Value* make(Instruction& instruction, unsigned bits, llvm::IRBuilder<>& b) {
    if (is_copy(instruction)) return operand(instruction.getOperand(0), bits, b);
    if (llvm::Value* same = shifted_up_and_down(instruction)) return operand(same, bits, b);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return b.CreateSelect(select->getCondition(), operand(select->getTrueValue(), bits, b),
                            operand(select->getFalseValue(), bits, b));
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
      llvm::Intrinsic::ID id = call->getIntrinsicID();
      llvm::Value* first = operand(call->getArgOperand(0), bits, b);
      if (id == llvm::Intrinsic::abs) return b.CreateBinaryIntrinsic(id, first, b.getFalse());
      if (are_natural(*call))
        id = id == llvm::Intrinsic::smin   ? llvm::Intrinsic::umin
             : id == llvm::Intrinsic::smax ? llvm::Intrinsic::umax
                                           : id;
      return b.CreateBinaryIntrinsic(id, first, operand(call->getArgOperand(1), bits, b));
    }
    const auto opcode = static_cast<Instruction::BinaryOps>(instruction.getOpcode());
    if (bits == half_bits) {
      const std::optional<Quotient> quotient = quotient_of(instruction);
      const auto factor =
          quotient && has_form(quotient->of, bits) ? factor_of(*quotient) : std::nullopt;
      if (factor)
        return b.CreateIntrinsic(
            llvm::Intrinsic::umul_fix, {b.getInt16Ty()},
            {operand(quotient->of, bits, b), b.getInt16(*factor), b.getInt32(half_bits)});
    }
    llvm::Value* first = operand(instruction.getOperand(0), bits, b);
    if (!instruction.isShift())
      return b.CreateBinOp(opcode, first, operand(instruction.getOperand(1), bits, b));
    const bool natural = is_natural(*range_of(instruction.getOperand(0)));
    std::uint64_t count = llvm::cast<llvm::ConstantInt>(instruction.getOperand(1))->getZExtValue();
    if (count >= bits && (natural || opcode == Instruction::Shl)) return b.getIntN(bits, 0);
    count = std::min<std::uint64_t>(count, bits - 1);
    if (opcode == Instruction::Shl) return b.CreateShl(first, count);
    return natural ? b.CreateLShr(first, count) : b.CreateAShr(first, count);
  }

  llvm::Function& function_;
  const llvm::DataLayout& layout_;
  std::unordered_map<const llvm::Value*, Range> ranges_;
  llvm::DenseMap<const llvm::Value*, unsigned> forms_;
  llvm::DenseSet<const Instruction*> worth_;
  llvm::DenseSet<const llvm::Value*> wanted_;  ///< in their narrow form
  llvm::DenseMap<std::pair<llvm::Value*, unsigned>, llvm::Value*> narrow_;
  std::vector<std::pair<Instruction*, llvm::Value*>> replaced_;
};

}  // namespace

unsigned narrow_integers(llvm::Function& function) { return Narrower(function).run(); }

}  // namespace pycuda::cpu::simt
