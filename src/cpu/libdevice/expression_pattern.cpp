// SPDX-License-Identifier: MIT
#include "cpu/libdevice/expression_pattern.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "cpu/libdevice/double_patterns.h"
#include "cpu/libdevice/float_patterns.h"
#include "cpu/libdevice/region_fingerprint.h"
#include "cpu/lower/callee_name.h"

namespace pycuda::cpu::libdevice {
namespace {

using Kind = ExpressionPattern::Kind;
using llvm::Instruction;
using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

/// Intrinsics are told from opcodes by what is added to them.
constexpr unsigned intrinsic = 1u << 16;

struct Name {
  std::string_view text;
  Kind kind;
  unsigned code;
};

constexpr Name operations[] = {
    {"abs", Kind::Operation, intrinsic + Intrinsic::fabs},
    {"neg", Kind::Operation, Instruction::FNeg},
    {"trunc", Kind::Operation, intrinsic + Intrinsic::trunc},
    {"even", Kind::Operation, intrinsic + Intrinsic::roundeven},
    {"sqrt", Kind::Operation, intrinsic + Intrinsic::sqrt},
    {"from", Kind::Operation, Instruction::SIToFP},
    {"to", Kind::Operation, intrinsic + Intrinsic::fptosi_sat},
    {"+", Kind::Operation, Instruction::FAdd},
    {"-", Kind::Operation, Instruction::FSub},
    {"*", Kind::Operation, Instruction::FMul},
    {"/", Kind::Operation, Instruction::FDiv},
    {"fma", Kind::Operation, intrinsic + Intrinsic::fma},
    {"i+", Kind::Operation, Instruction::Add},
    {"i-", Kind::Operation, Instruction::Sub},
    {"&", Kind::Operation, Instruction::And},
    {"|", Kind::Operation, Instruction::Or},
    {"^", Kind::Operation, Instruction::Xor},
    {"<<", Kind::Operation, Instruction::Shl},
    {">>", Kind::Operation, Instruction::LShr},
    {"imin", Kind::Operation, intrinsic + Intrinsic::smin},
    {"imax", Kind::Operation, intrinsic + Intrinsic::smax},
    {"?", Kind::Choice, 0},
    {"<", Kind::Compare, llvm::CmpInst::FCMP_OLT},
    {"<=", Kind::Compare, llvm::CmpInst::FCMP_OLE},
    {">", Kind::Compare, llvm::CmpInst::FCMP_OGT},
    {">=", Kind::Compare, llvm::CmpInst::FCMP_OGE},
    {"==", Kind::Compare, llvm::CmpInst::FCMP_OEQ},
    {"!=", Kind::Compare, llvm::CmpInst::FCMP_UNE},
    {"!<", Kind::Compare, llvm::CmpInst::FCMP_UGE},
    {"!<=", Kind::Compare, llvm::CmpInst::FCMP_UGT},
    {"!>", Kind::Compare, llvm::CmpInst::FCMP_ULE},
    {"!>=", Kind::Compare, llvm::CmpInst::FCMP_ULT},
    {"nan", Kind::Compare, llvm::CmpInst::FCMP_UNO},
    {"number", Kind::Compare, llvm::CmpInst::FCMP_ORD},
    {"u<", Kind::Compare, llvm::CmpInst::ICMP_ULT},
    {"u<=", Kind::Compare, llvm::CmpInst::ICMP_ULE},
    {"u>", Kind::Compare, llvm::CmpInst::ICMP_UGT},
    {"u>=", Kind::Compare, llvm::CmpInst::ICMP_UGE},
    {"i==", Kind::Compare, llvm::CmpInst::ICMP_EQ},
    {"i!=", Kind::Compare, llvm::CmpInst::ICMP_NE},
};

/// The pieces of `text` between any of `separators`.
llvm::SmallVector<std::string_view, 16> pieces(std::string_view text, std::string_view separators) {
  llvm::SmallVector<std::string_view, 16> found;
  while (!text.empty()) {
    const std::size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find_first_of(separators, begin), text.size());
    found.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
  return found;
}

/// The bits of a constant number.
bool is_bits(const Value* value, std::uint64_t bits) {
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(value))
    return integer->getValue().getZExtValue() == bits;
  const auto* real = llvm::dyn_cast<llvm::ConstantFP>(value);
  return real && real->getValueAPF().bitcastToAPInt().getZExtValue() == bits;
}

/// Of a variable of the module, as a pointer or as a number.
bool is_address(const Value* value, std::string_view symbol) {
  if (const auto* cast = llvm::dyn_cast<llvm::PtrToIntOperator>(value))
    value = cast->getPointerOperand();
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value);
  return variable && std::string_view(variable->getName()) == symbol;
}

class Match {
 public:
  Match(llvm::ArrayRef<ExpressionPattern::Node> nodes, const llvm::DominatorTree& dominators,
        FoundExpression& found)
      : nodes_(nodes), dominators_(dominators), found_(found), values_(nodes.size()) {}

  /// Whether `value` is what the node describes; `turned`: whether a condition's opposite is.
  bool is(unsigned index, Value* value, bool turned = false) {
    if (++steps_ > most_steps) return false;
    value = bare_value(value);
    const ExpressionPattern::Node& node = nodes_[index];
    if (node.kind == Kind::Constant) return is_bits(value, node.bits);
    if (node.kind == Kind::Variable) return is_address(value, node.name);
    // Conditions may be found again as their opposites.
    if (values_[index] && node.kind != Kind::Compare)
      return values_[index] == value ||
             (node.kind != Kind::Operand && values_[index] == unflushed(value));
    if (node.kind == Kind::Operand) {
      values_[index] = value;
      return true;
    }
    // A flush may be part of the pattern.
    for (;;) {
      const auto before = values_;
      const auto regions = found_.regions.size();
      if (is_operation(node, value, turned)) {
        if (!turned) values_[index] = value;
        return true;
      }
      values_ = before;
      found_.regions.truncate(regions);
      Value* inner = unflushed(value);
      if (inner == value) return false;
      value = inner;
    }
  }

  /// The same for a choice that no instruction makes.
  bool is(unsigned index, const TwoWays& choice) {
    return nodes_[index].kind == Kind::Choice && is_choice(nodes_[index], choice);
  }

  bool gives(llvm::ArrayRef<unsigned> operands) {
    for (const unsigned operand : operands) found_.operands.push_back(values_[operand]);
    return true;
  }

 private:
  static constexpr unsigned most_steps = 4000;

  static Value* unflushed(Value* value) {
    Value* inner = normal_number(value);
    if (inner != value) return bare_value(inner);
    // Of a number that has no sign.
    using namespace llvm::PatternMatch;
    Value *bits = nullptr, *kept = nullptr;
    if (match(value, m_Select(m_SpecificICmp(llvm::CmpInst::ICMP_ULT, m_Value(bits),
                                             m_SpecificInt(0x00800000)),
                              m_Zero(), m_Value(kept))) &&
        bits == kept)
      return bare_value(kept);
    if (!match(value,
               m_Select(m_SpecificICmp(llvm::CmpInst::ICMP_EQ,
                                       m_And(m_Value(bits), m_SpecificInt(0x7f800000)), m_Zero()),
                        m_And(m_Deferred(bits), m_SpecificInt(0x80000000)), m_Deferred(bits))))
      return value;
    return bare_value(bits);
  }

  bool are(llvm::ArrayRef<unsigned> nodes, llvm::ArrayRef<Value*> values) {
    const auto before = values_;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (is(nodes[i], values[i])) continue;
      values_ = before;
      return false;
    }
    return true;
  }

  bool is_operation(const ExpressionPattern::Node& node, Value* value, bool turned) {
    if (node.kind == Kind::Choice) return is_choice(node, two_ways(value));
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (!instruction) return false;
    if (node.kind == Kind::Compare) return is_comparison(node, *instruction, turned);
    if (node.kind == Kind::Region) return is_region(node, *instruction);
    auto* call = llvm::dyn_cast<llvm::CallInst>(instruction);
    if (node.kind == Kind::Call) {
      return call && lower::callee_name(*call) == node.name &&
             is(node.arguments[0], call->getArgOperand(0));
    }
    llvm::SmallVector<Value*, 3> operands;
    unsigned code = instruction->getOpcode();
    if (call) {
      if (call->getIntrinsicID() == Intrinsic::not_intrinsic) return false;
      code = intrinsic + call->getIntrinsicID();
      operands.append(call->arg_begin(), call->arg_end());
    } else {
      for (Value* operand : instruction->operands()) operands.push_back(operand);
    }
    if (node.code == Instruction::FSub && code == Instruction::FAdd)
      return is_difference(node, operands);
    if (code != node.code || operands.size() != node.arguments.size()) return false;
    if (are(node.arguments, operands)) return true;
    const bool swaps = code == intrinsic + Intrinsic::fma || instruction->isCommutative() ||
                       (call && call->isCommutative());
    if (!swaps) return false;
    std::swap(operands[0], operands[1]);
    return are(node.arguments, operands);
  }

  /// A sum with the negative of the second argument.
  bool is_difference(const ExpressionPattern::Node& node, llvm::ArrayRef<Value*> operands) {
    for (unsigned i = 0; i < 2; ++i) {
      auto* turned = llvm::dyn_cast<Instruction>(bare_value(operands[i]));
      if (turned && turned->getOpcode() == Instruction::FNeg &&
          are(node.arguments, {operands[1 - i], turned->getOperand(0)}))
        return true;
    }
    return false;
  }

  bool is_choice(const ExpressionPattern::Node& node, const std::optional<TwoWays>& ways) {
    if (!ways) return false;
    const auto before = values_;
    for (const bool turned : {false, true}) {
      Value* yes = turned ? ways->if_false : ways->if_true;
      Value* no = turned ? ways->if_true : ways->if_false;
      if (is(node.arguments[0], ways->condition, turned) && is(node.arguments[1], yes) &&
          is(node.arguments[2], no))
        return true;
      values_ = before;
    }
    return false;
  }

  bool is_comparison(const ExpressionPattern::Node& node, Instruction& instruction, bool turned) {
    auto* comparison = llvm::dyn_cast<llvm::CmpInst>(&instruction);
    if (!comparison) return false;
    const auto found = comparison->getPredicate();
    const auto predicate = static_cast<llvm::CmpInst::Predicate>(node.code);
    const auto wanted = turned ? llvm::CmpInst::getInversePredicate(predicate) : predicate;
    if (node.arguments.size() == 1)
      return found == wanted && is(node.arguments[0], comparison->getOperand(0));
    Value *left = comparison->getOperand(0), *right = comparison->getOperand(1);
    if (found == wanted && are(node.arguments, {left, right})) return true;
    return llvm::CmpInst::getSwappedPredicate(found) == wanted &&
           are(node.arguments, {right, left});
  }

  bool is_region(const ExpressionPattern::Node& node, Instruction& instruction) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction);
    if (!phi) return false;
    llvm::BasicBlock* branch = region_branch(*phi, dominators_);
    if (!branch) return false;
    const auto before = values_;
    auto* asks = llvm::cast<llvm::BranchInst>(branch->getTerminator());
    if (is(node.arguments[0], asks->getCondition()) && is_region_of(node, *phi)) {
      if (!llvm::is_contained(found_.regions, branch)) found_.regions.push_back(branch);
      return true;
    }
    values_ = before;
    return false;
  }

  bool is_part(unsigned part, unsigned whole) const {
    return part == whole || llvm::any_of(nodes_[whole].arguments,
                                         [&](unsigned next) { return is_part(part, next); });
  }

  /// What the condition has told is given: the region need not be the place that computes with it.
  bool is_region_of(const ExpressionPattern::Node& node, llvm::PHINode& phi) {
    llvm::SmallVector<Value*, 8> given;
    for (const unsigned argument : node.arguments) {
      if (is_part(argument, node.arguments[0])) given.push_back(values_[argument]);
    }
    const RegionResult region = region_result(phi, given, dominators_);
    return region.fingerprint == node.bits && region.operands.size() == node.arguments.size() &&
           are(node.arguments, region.operands);
  }

  llvm::ArrayRef<ExpressionPattern::Node> nodes_;
  const llvm::DominatorTree& dominators_;
  FoundExpression& found_;
  llvm::SmallVector<Value*, 64> values_;
  unsigned steps_ = 0;
};

}  // namespace

unsigned ExpressionPattern::add(Node node) {
  nodes_.push_back(std::move(node));
  return static_cast<unsigned>(nodes_.size() - 1);
}

unsigned ExpressionPattern::argument(std::string_view word) {
  if (word.starts_with("0x")) {
    Node node;
    node.kind = Kind::Constant;
    if (llvm::StringRef(word).getAsInteger(0, node.bits)) std::abort();
    return add(std::move(node));
  }
  for (const auto& [name, index] : names_) {
    if (name == word) return index;
  }
  Node node;
  if (word.starts_with('@')) {
    node.kind = Kind::Variable;
    node.name = "v." + std::string(word.substr(1));
  } else if (!word.starts_with('$') && !word.starts_with('%')) {
    std::abort();
  }
  const unsigned index = add(std::move(node));
  names_.emplace_back(word, index);
  if (word.starts_with('$')) operands_.push_back(index);
  return index;
}

void ExpressionPattern::statement(llvm::ArrayRef<std::string_view> words) {
  if (words.size() < 3 || words[1] != "=") std::abort();
  if (words.size() == 3) {
    names_.emplace_back(words[0], argument(words[2]));
    return;
  }
  const std::string_view operation = words[2];
  Node node;
  if (operation == "horner") {
    const unsigned x = argument(words[3]);
    unsigned sum = argument(words[4]);
    for (std::string_view coefficient : words.drop_front(5)) {
      Node step;
      step.kind = Kind::Operation;
      step.code = intrinsic + Intrinsic::fma;
      step.arguments = {sum, x, argument(coefficient)};
      sum = add(std::move(step));
    }
    result_ = sum;
    names_.emplace_back(words[0], sum);
    return;
  }
  llvm::ArrayRef<std::string_view> rest = words.drop_front(3);
  const auto* known =
      llvm::find_if(operations, [&](const Name& name) { return name.text == operation; });
  if (known != std::end(operations)) {
    node.kind = known->kind;
    node.code = known->code;
  } else if (operation == "region") {
    node.kind = Kind::Region;
    if (llvm::StringRef(rest.front()).getAsInteger(0, node.bits)) std::abort();
    rest = rest.drop_front();
  } else {
    node.kind = Kind::Call;
    node.name = operation;
  }
  for (std::string_view word : rest) node.arguments.push_back(argument(word));
  result_ = add(std::move(node));
  names_.emplace_back(words[0], result_);
}

ExpressionPattern::ExpressionPattern(std::string_view text) {
  for (std::string_view line : pieces(text, "\n")) {
    if (const auto words = pieces(line, " "); !words.empty()) statement(words);
  }
}

bool ExpressionPattern::match(Value* result, const llvm::DominatorTree& dominators,
                              FoundExpression& found) const {
  found = {};
  Match match(nodes_, dominators, found);
  return match.is(result_, result) && match.gives(operands_);
}

bool ExpressionPattern::match(const TwoWays& choice, const llvm::DominatorTree& dominators,
                              FoundExpression& found) const {
  found = {};
  Match match(nodes_, dominators, found);
  return match.is(result_, choice) && match.gives(operands_);
}

}  // namespace pycuda::cpu::libdevice
