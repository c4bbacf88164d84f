// SPDX-License-Identifier: MIT
// Transfer functions of shapes, iterated until neither shapes nor divergence change.
#include "cpu/simt/analysis/shape.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <limits>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/constant_division.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/special_values.h"
#include "cpu/simt/analysis/warp_sites.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;
using Bounds = Shape::Bounds;

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t most_threads = 1024;
/// What ctaid * ntid + tid may reach in a dimension, less what a gang may read beyond the last
/// thread.
constexpr std::int64_t most_index = (std::int64_t{1} << 31) - 4 * most_threads;

constexpr std::uint64_t most_mask = std::uint64_t{1} << 30;

std::optional<Bounds> fitting(Wide low, Wide high, unsigned bits) {
  if (bits == 0 || bits > 64) return std::nullopt;
  const Wide limit = Wide{1} << (bits - 1);
  if (low < -limit || high >= limit) return std::nullopt;
  return Bounds{static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

unsigned bits_of(const llvm::Value& value) {
  return value.getType()->isIntegerTy() ? value.getType()->getIntegerBitWidth() : 0;
}

}  // namespace

std::int64_t Shapes::lane_stride(const llvm::AllocaInst& variable) {
  const llvm::DataLayout& layout = variable.getDataLayout();
  if (const auto element = interleaved_bytes(variable)) return static_cast<std::int64_t>(*element);
  const auto bytes = variable.getAllocationSize(layout);
  return static_cast<std::int64_t>(
      llvm::alignTo(bytes ? bytes->getFixedValue() : 0, variable.getAlign()));
}

namespace {

/// Block sizes that are constants of the kernel; larger factors are no sizes.
constexpr std::uint64_t largest_block_factor = 4096;

/// The constant that `operation` multiplies a ctaid of 32 bits with, and its axis.
std::optional<std::pair<unsigned, std::uint64_t>> block_factor(
    const llvm::BinaryOperator& operation) {
  llvm::StringRef name = special_register(operation.getOperand(0));
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  if (!name.consume_front("ctaid.") || name.size() != 1 || !constant ||
      operation.getType()->getIntegerBitWidth() != 32)
    return std::nullopt;
  std::uint64_t factor = 0;
  if (operation.getOpcode() == llvm::Instruction::Mul) factor = constant->getZExtValue();
  if (operation.getOpcode() == llvm::Instruction::Shl && constant->getValue().ult(32))
    factor = std::uint64_t{1} << constant->getZExtValue();
  if (factor == 0 || factor > largest_block_factor) return std::nullopt;
  return std::pair{static_cast<unsigned>(name.front() - 'x'), factor};
}

}  // namespace

std::uint32_t Shapes::most_blocks(unsigned axis) const {
  const std::uint64_t factor = block_factors_[axis];
  return factor == 0 ? std::numeric_limits<std::uint32_t>::max()
                     : static_cast<std::uint32_t>(most_index / static_cast<std::int64_t>(factor));
}

Shapes::Shapes(llvm::Function& function, ControlFlow& flow, GangSize size, bool trusting)
    : flow_(flow),
      layout_(function.getDataLayout()),
      size_(size),
      trusting_(trusting),
      warps_(needs_warps(function)),
      in_line_(function.hasFnAttribute(lies_in_line)),
      whole_rows_(function.hasFnAttribute(whole_rows)) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
    if (!operation || !operation->getType()->isIntegerTy()) continue;
    if (const auto factor = block_factor(*operation))
      block_factors_[factor->first] = std::max(block_factors_[factor->first], factor->second);
  }
  for (bool changed = true; changed;) {
    changed = pass(function);
    if (flow_.update()) changed = true;
  }
}

Shape Shapes::of(const llvm::Value* value) const {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(value);
      number && number->getBitWidth() <= 64)
    return Shape::uniform(Bounds{number->getSExtValue(), number->getSExtValue()});
  if (!llvm::isa<llvm::Instruction>(value)) return Shape::uniform();
  const auto found = shapes_.find(value);
  return found == shapes_.end() ? Shape::uniform() : found->second;
}

bool Shapes::pass(llvm::Function&) {
  bool changed = false;
  for (const llvm::BasicBlock* block : flow_.order()) {
    for (const llvm::Instruction& instruction : *block) {
      if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
          branch && branch->isConditional() && !of(branch->getCondition()).is_uniform()) {
        changed |= flow_.mark_divergent(*branch);
      }
      if (instruction.getType()->isVoidTy()) continue;
      Shape next = evaluate(instruction);
      if (next.is_varying()) next = of_usual_choice(instruction);
      const auto found = shapes_.find(&instruction);
      if (found != shapes_.end()) {
        // Shapes only ever get worse, so that the iteration ends.
        const Shape& old = found->second;
        if (old.is_varying() || next.is_varying() || old.stride != next.stride) {
          next = Shape::varying();
        } else {
          next = Shape::affine(next.stride, old.bounds == next.bounds ? next.bounds : std::nullopt,
                               old.by_row || next.by_row);
        }
        if (old == next) continue;
      }
      shapes_[&instruction] = next;
      changed = true;
    }
  }
  return changed;
}

bool Shapes::all_uniform(const llvm::User& user) const {
  return std::all_of(user.op_begin(), user.op_end(),
                     [&](const llvm::Use& use) { return of(use.get()).is_uniform(); });
}

/// What an instruction makes of values that are the same for a whole row is so too, if it depends
/// on nothing else and can be executed for a row that is not active.
Shape Shapes::of_operands(const llvm::Instruction& instruction) const {
  if (all_uniform(instruction)) return Shape::uniform();
  if (!size_.is_tile()) return Shape::varying();
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  const bool possible =
      call   ? call->doesNotAccessMemory() && llvm::isTriviallyVectorizable(call->getIntrinsicID())
      : load ? load->isSimple()
             : !divides(instruction) &&
                   llvm::isa<llvm::BinaryOperator, llvm::UnaryOperator, llvm::CmpInst,
                             llvm::CastInst, llvm::SelectInst>(instruction);
  const auto same = [&](const llvm::Use& use) { return of(use.get()).is_same_in_rows(); };
  return possible && std::all_of(instruction.op_begin(), instruction.op_end(), same)
             ? Shape::affine(0, std::nullopt, true)
             : Shape::varying();
}

Shape Shapes::evaluate(const llvm::Instruction& instruction) const {
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return of_phi(*phi);
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction)) {
    const Shape shape = of_binary(*operation);
    return shape.is_varying() && trusting_ ? of_agreed_division(*operation) : shape;
  }
  if (const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction))
    return of_compare(*compare);
  if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction)) return of_cast(*cast);
  if (const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return of_address(*address);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return of_call(*call);
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
    return Shape::affine(lane_stride(*variable), std::nullopt, size_.is_tile());
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction)) return Shape::varying();
  if (llvm::isa<llvm::FreezeInst>(instruction)) return of(instruction.getOperand(0));
  if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction)) {
    const Shape condition = of(choice->getCondition());
    if (!condition.is_same_in_rows()) return Shape::varying();
    const Shape yes = of(choice->getTrueValue());
    const Shape no = of(choice->getFalseValue());
    if (yes.is_varying() || no.is_varying() || yes.stride != no.stride) return Shape::varying();
    const bool by_row = condition.by_row || yes.by_row || no.by_row;
    if (!yes.bounds || !no.bounds) return Shape::affine(yes.stride, std::nullopt, by_row);
    return Shape::affine(yes.stride,
                         Bounds{std::min(yes.bounds->low, no.bounds->low),
                                std::max(yes.bounds->high, no.bounds->high)},
                         by_row);
  }
  return of_operands(instruction);
}

Shape Shapes::of_usual_choice(const llvm::Instruction& choice) const {
  const std::optional<unsigned> usual = usual_choice(choice);
  if (!usual) return Shape::varying();
  const Shape shape = of(choice.getOperand(*usual));
  return Shape::affine(shape.stride, std::nullopt, shape.by_row);
}

Shape Shapes::of_phi(const llvm::PHINode& phi) const {
  const llvm::BasicBlock& block = *phi.getParent();
  // Gangs that nobody leaves by the way are the rule: a guess keeps the shape.
  if (flow_.is_divergent_join(block) && !trusting_) return Shape::varying();
  bool first = true;
  Shape joined;
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const llvm::Value* value = phi.getIncomingValue(i);
    // A value that changes while lanes leave one by one is another one for each.
    for (const llvm::Loop* loop = flow_.loop_of(phi.getIncomingBlock(i));
         loop && !loop->contains(&block) && !trusting_; loop = loop->getParentLoop()) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
      if (flow_.is_divergent(*loop) && instruction && loop->contains(instruction))
        return Shape::varying();
    }
    if (llvm::isa<llvm::Instruction>(value) && !shapes_.contains(value)) continue;
    const Shape shape = of(value);
    if (shape.is_varying()) return shape;
    if (first) {
      joined = shape;
      first = false;
      continue;
    }
    if (joined.stride != shape.stride) return Shape::varying();
    std::optional<Bounds> bounds;
    if (joined.bounds && shape.bounds)
      bounds = Bounds{std::min(joined.bounds->low, shape.bounds->low),
                      std::max(joined.bounds->high, shape.bounds->high)};
    joined = Shape::affine(joined.stride, bounds, joined.by_row || shape.by_row);
  }
  if (flow_.is_header(&block)) joined.bounds = std::nullopt;
  return joined;
}

Shape Shapes::of_binary(const llvm::BinaryOperator& operation) const {
  const Shape left = of(operation.getOperand(0));
  const Shape right = of(operation.getOperand(1));
  const unsigned bits = bits_of(operation);
  if (left.is_varying() || right.is_varying() || bits == 0 || bits > 64)
    return of_operands(operation);
  if (block_factor(operation)) return Shape::uniform(Bounds{0, most_index});
  const bool by_row = left.by_row || right.by_row;
  const bool bounded = left.bounds && right.bounds;
  const Wide a = left.bounds ? left.bounds->low : 0, b = left.bounds ? left.bounds->high : 0;
  const Wide c = right.bounds ? right.bounds->low : 0, d = right.bounds ? right.bounds->high : 0;
  const auto bounds = [&](Wide low, Wide high) {
    return bounded ? fitting(low, high, bits) : std::nullopt;
  };
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
  switch (operation.getOpcode()) {
    case llvm::Instruction::Or:
      if (!llvm::cast<llvm::PossiblyDisjointInst>(operation).isDisjoint()) break;
      [[fallthrough]];
    case llvm::Instruction::Add:
      return Shape::affine(left.stride + right.stride, bounds(a + c, b + d), by_row);
    case llvm::Instruction::Sub:
      return Shape::affine(left.stride - right.stride, bounds(a - d, b - c), by_row);
    case llvm::Instruction::Xor:
      if (!constant || !constant->isMinusOne()) break;
      return Shape::affine(-left.stride, left.bounds ? fitting(-1 - b, -1 - a, bits) : std::nullopt,
                           by_row);
    case llvm::Instruction::Shl:
      if (!constant || constant->getValue().uge(std::min(bits, 32u))) break;
      return Shape::affine(left.stride * (std::int64_t{1} << constant->getZExtValue()),
                           bounds(a * (Wide{1} << constant->getZExtValue()),
                                  b * (Wide{1} << constant->getZExtValue())),
                           by_row);
    case llvm::Instruction::Mul: {
      const llvm::StringRef one = special_register(operation.getOperand(0)),
                            other = special_register(operation.getOperand(1));
      const llvm::StringRef block = one.starts_with("ctaid.") ? one : other,
                            size = one.starts_with("ctaid.") ? other : one;
      if (block.starts_with("ctaid.") && size.starts_with("ntid.") && block.back() == size.back())
        return Shape::uniform(Bounds{0, most_index});
      if (left.stride != 0 || right.stride != 0) {
        if (!constant || constant->getValue().getSignificantBits() > 32) break;
        return Shape::affine(left.stride * constant->getSExtValue(),
                             constant->isNegative() ? bounds(b * c, a * c) : bounds(a * c, b * c),
                             by_row);
      }
      return Shape::affine(
          0, bounds(std::min({a * c, a * d, b * c, b * d}), std::max({a * c, a * d, b * c, b * d})),
          by_row);
    }
    case llvm::Instruction::And:
      if (left.stride == 0 && constant && !constant->isNegative())
        return Shape::affine(0, Bounds{0, constant->getSExtValue()}, by_row);
      if (constant && constant->getValue().isMask() && constant->getValue().ult(most_mask) &&
          stays_within(*operation.getOperand(0), left, constant->getZExtValue() + 1))
        return Shape::affine(left.stride, Bounds{0, constant->getSExtValue()}, by_row);
      if (constant && !constant->isZero() && left.stride != 0)
        return of_mask(operation, left, constant->getValue());
      break;
    case llvm::Instruction::LShr:
    case llvm::Instruction::AShr:
    case llvm::Instruction::UDiv:
    case llvm::Instruction::SDiv:
    case llvm::Instruction::URem:
    case llvm::Instruction::SRem:
      if (const auto shape = of_division(operation, left)) return *shape;
      break;
    default:
      break;
  }
  return of_operands(operation);
}

std::optional<Shapes::Question> Shapes::question(const llvm::CallInst& call) const {
  // Operands of a comparison in another block may not reach the one that asks.
  auto* compare = llvm::dyn_cast<llvm::ICmpInst>(call.getArgOperand(0));
  if (!compare || compare->getParent() != call.getParent() || compare->isEquality())
    return std::nullopt;
  llvm::Value *left = compare->getOperand(0), *right = compare->getOperand(1);
  llvm::ICmpInst::Predicate predicate = compare->getPredicate();
  if (of(left).is_uniform()) {
    std::swap(left, right);
    predicate = llvm::ICmpInst::getSwappedPredicate(predicate);
  }
  if (lower::callee_name(call) == gang_none)
    predicate = llvm::ICmpInst::getInversePredicate(predicate);
  const auto fits = [&](const llvm::Value* value) {
    constexpr std::int64_t longest = std::int64_t{1} << 20;
    const Shape shape = of(value);
    return shape.is_affine() && (bits_of(*value) == 32 || bits_of(*value) == 64) &&
           shape.stride < longest && shape.stride > -longest;
  };
  if (!of(right).is_uniform()) return std::nullopt;
  if (fits(left))
    return Question{predicate, left, right, nullptr, llvm::ICmpInst::isSigned(predicate)};
  const auto* cast = llvm::dyn_cast<llvm::CastInst>(left);
  if (!cast || !llvm::isa<llvm::SExtInst, llvm::ZExtInst>(cast) ||
      cast->getParent() != call.getParent() || !fits(cast->getOperand(0)))
    return std::nullopt;
  return Question{predicate, cast->getOperand(0), right, cast, llvm::isa<llvm::SExtInst>(cast)};
}

/// Whether `block` runs only when all lanes were found not to wrap, since the value was computed.
/// A phi's value is one of those that come in, each checked on its way; `assumed` holds the phis on
/// the way here, which the values that go round a loop come from.
bool Shapes::is_known_not_to_wrap(const llvm::Value* value, bool is_signed,
                                  const llvm::BasicBlock& block,
                                  llvm::SmallPtrSetImpl<const llvm::Value*>& assumed) const {
  using namespace llvm::PatternMatch;
  const Shape shape = of(value);
  if (shape.is_varying()) return false;
  if (shape.bounds && (is_signed || shape.bounds->low >= 0)) return true;
  const auto says_so = [&](llvm::Value* condition, const auto& self) -> bool {
    llvm::Value *left = nullptr, *right = nullptr;
    if (match(condition, m_LogicalAnd(m_Value(left), m_Value(right))))
      return self(left, self) || self(right, self);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(condition);
    const llvm::StringRef name = lower::callee_name(*condition);
    if (name == gang_small) return llvm::is_contained(call->args(), value);
    if (name != gang_all && name != gang_none) return false;
    const std::optional<Question> found = question(*call);
    return found && found->affine == value && found->is_signed == is_signed;
  };
  const llvm::DominatorTree& dominators = flow_.dominators();
  for (const auto* node = dominators.getNode(&block); node; node = node->getIDom()) {
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
    if (!branch || branch->isUnconditional() || branch->getSuccessor(0) == branch->getSuccessor(1))
      continue;
    if (says_so(branch->getCondition(), says_so) &&
        dominators.dominates(llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(0)),
                             &block))
      return true;
  }
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  if (!phi) return false;
  if (!assumed.insert(phi).second) return true;
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    if (!is_known_not_to_wrap(phi->getIncomingValue(i), is_signed, *phi->getIncomingBlock(i),
                              assumed))
      return false;
  }
  return true;
}

Shape Shapes::of_cast(const llvm::CastInst& cast) const {
  const Shape from = of(cast.getOperand(0));
  if (from.is_varying()) return from;
  const bool same = from.is_same_in_rows();
  const auto affine = [&] { return Shape::affine(from.stride, std::nullopt, from.by_row); };
  const auto never_wraps = [&](bool is_signed) {
    llvm::SmallPtrSet<const llvm::Value*, 4> assumed;
    return !same && is_known_not_to_wrap(cast.getOperand(0), is_signed, *cast.getParent(), assumed);
  };
  const unsigned bits = bits_of(cast);
  switch (cast.getOpcode()) {
    case llvm::Instruction::SExt:
      if (same || from.bounds) return from;
      return trusting_ || never_wraps(true) ? from : Shape::varying();
    case llvm::Instruction::ZExt:
      if (from.bounds && from.bounds->low >= 0) return from;
      return same || trusting_ || never_wraps(false) ? affine() : Shape::varying();
    case llvm::Instruction::Trunc:
      return Shape::affine(
          from.stride,
          from.bounds ? fitting(from.bounds->low, from.bounds->high, bits) : std::nullopt,
          from.by_row);
    case llvm::Instruction::PtrToInt:
      return same || bits == 64 ? affine() : Shape::varying();
    case llvm::Instruction::IntToPtr:
      return same || bits_of(*cast.getOperand(0)) == 64 ? affine() : Shape::varying();
    default:
      return same ? affine() : Shape::varying();
  }
}

Shape Shapes::of_address(const llvm::GetElementPtrInst& address) const {
  const Shape sum = of(address.getPointerOperand());
  if (sum.is_varying() || address.getType()->isVectorTy()) return Shape::varying();
  std::int64_t stride = sum.stride;
  bool by_row = sum.by_row;
  for (auto step = llvm::gep_type_begin(address); step != llvm::gep_type_end(address); ++step) {
    const Shape index = of(step.getOperand());
    if (index.is_uniform()) continue;
    const unsigned bits = bits_of(*step.getOperand());
    if (index.is_varying() || step.isStruct() || bits > 64 ||
        (bits < 64 && !index.bounds && !index.is_same_in_rows()))
      return Shape::varying();
    by_row |= index.by_row;
    stride += index.stride *
              static_cast<std::int64_t>(step.getSequentialElementStride(layout_).getFixedValue());
  }
  return Shape::affine(stride, std::nullopt, by_row);
}

Shape Shapes::of_call(const llvm::CallInst& call) const {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return Shape::varying();
  if (llvm::StringRef name = special_register(&call); !name.empty()) return of_special(name);
  if (callee->getName() == pseudo::warp_op) return of_warp_operation(call);
  if (callee->getName() == pseudo::shared_base || callee->getName() == pseudo::params ||
      callee->getName() == pseudo::dynamic_shared_offset)
    return Shape::uniform();
  if (callee->getName() == gang_all || callee->getName() == gang_none ||
      callee->getName() == gang_small || callee->getName() == active_all)
    return Shape::uniform();
  if (callee->getName().starts_with(gang_first) || callee->getName().starts_with(gang_last))
    return Shape::uniform(of(call.getArgOperand(0)).bounds);
  // What a function of the program computes may depend on the thread that it is given.
  if (!callee->isDeclaration()) return Shape::varying();
  return call.doesNotAccessMemory() && !call.isConvergent() ? of_operands(call) : Shape::varying();
}

Shape Shapes::of_special(llvm::StringRef name) const {
  if (name == "tid.x") return Shape::affine(1, Bounds{0, most_threads - 1 + size_.columns});
  if (name.starts_with("tid."))
    return Shape::affine(0, Bounds{0, most_threads - 1}, name == "tid.y" && size_.is_tile());
  if (name.starts_with("ntid.")) return Shape::uniform(Bounds{1, most_threads});
  if (name == "laneid") return Shape::affine(1, Bounds{0, 31});
  if (name.starts_with("ctaid."))
    return Shape::uniform(Bounds{0, std::numeric_limits<std::int32_t>::max()});
  if (name.starts_with("lanemask.")) return Shape::varying();
  return Shape::uniform();
}

std::optional<std::uint64_t> interleaved_bytes(const llvm::AllocaInst& variable) {
  const llvm::MDNode* note = variable.getMetadata(interleaved_by_element);
  if (!note) return std::nullopt;
  return llvm::mdconst::extract<llvm::ConstantInt>(note->getOperand(0))->getZExtValue();
}

std::uint64_t bytes_of_gang(const llvm::AllocaInst& variable, unsigned lanes) {
  if (!interleaved_bytes(variable))
    return static_cast<std::uint64_t>(Shapes::lane_stride(variable)) * lanes;
  const auto bytes = variable.getAllocationSize(variable.getDataLayout());
  return (bytes ? bytes->getFixedValue() : 0) * lanes;
}

}  // namespace pycuda::cpu::simt
