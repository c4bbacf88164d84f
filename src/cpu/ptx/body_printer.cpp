// SPDX-License-Identifier: MIT
// A function has one scope here, so every name in it must differ from all others and from the
// module's.
#include "cpu/ptx/body_printer.h"

#include <cstdio>

#include "cpu/ptx/declaration_printer.h"
#include "cpu/ptx/special_registers.h"

namespace pycuda::cpu::ptx {
namespace {

std::string join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace

BodyPrinter::BodyPrinter(const Module& module, const Function& function)
    : module_(module), function_(function) {
  for (const Variable& variable : module.variables) used_.insert(variable.name);
  for (const Function& other : module.functions) used_.insert(other.name);
  used_.insert("WARP_SZ");
}

std::string BodyPrinter::unique(std::string_view wanted) {
  std::string name(wanted);
  for (unsigned number = 1; find_special_register(name) || !used_.insert(name).second; ++number) {
    name = std::string(wanted) + '_' + std::to_string(number);
  }
  return name;
}

void BodyPrinter::choose_names() {
  registers_.resize(function_.registers.size());
  // Parameters keep their names: the header was printed with them.
  for (const auto* list : {&function_.returns, &function_.parameters}) {
    for (const Parameter& parameter : *list) {
      used_.insert(parameter.name);
      if (parameter.is_register) registers_[parameter.reg] = parameter.name;
    }
  }
  for (std::size_t i = 0; i < registers_.size(); ++i) {
    if (registers_[i].empty()) registers_[i] = unique(function_.registers[i].name);
  }
  for (const Variable& variable : function_.variables) variables_.push_back(unique(variable.name));
  for (const Label& label : function_.labels) labels_.push_back(unique(label.name));
  for (std::size_t i = 0; i < function_.prototypes.size(); ++i) {
    prototypes_.push_back(unique("prototype_" + std::to_string(i)));
  }
}

/// Neighbours %r0, %r1, ... of one type become a range.
void BodyPrinter::registers() {
  std::size_t at = 0;
  for (const auto* list : {&function_.returns, &function_.parameters}) {
    for (const Parameter& parameter : *list) at += parameter.is_register ? 1 : 0;
  }
  while (at < registers_.size()) {
    const Register& first = function_.registers[at];
    const std::string& name = registers_[at];
    std::size_t count = 1;
    if (name.size() > 1 && name.back() == '0') {
      const std::string prefix = name.substr(0, name.size() - 1);
      // A range and a register of one name would clash in other readers.
      const bool free = !used_.contains(prefix);
      while (free && at + count < registers_.size() &&
             registers_[at + count] == prefix + std::to_string(count) &&
             function_.registers[at + count].type == first.type &&
             function_.registers[at + count].vector == first.vector) {
        ++count;
      }
    }
    text_ += "\t.reg ";
    if (first.vector > 1) text_ += ".v" + std::to_string(first.vector) + ' ';
    text_ += '.' + std::string(name_of(first.type)) + ' ';
    text_ += count > 1 ? name.substr(0, name.size() - 1) + '<' + std::to_string(count) + '>' : name;
    text_ += ";\n";
    at += count;
  }
}

void BodyPrinter::prototypes() {
  for (std::size_t i = 0; i < prototypes_.size(); ++i) {
    const Prototype& prototype = function_.prototypes[i];
    text_ += prototypes_[i] + ": .callprototype ";
    if (!prototype.returns.empty()) text_ += print_parameters(prototype.returns) + ' ';
    text_ += "_ " + print_parameters(prototype.parameters) + ";\n";
  }
}

std::string BodyPrinter::run() {
  choose_names();
  text_ = "{\n";
  registers();
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    text_ += '\t' + print_variable(module_, function_.variables[i], variables_[i]);
  }
  prototypes();
  // Labels are in the order of their numbers, not of their places.
  std::vector<std::vector<std::size_t>> labels_at(function_.body.size() + 1);
  for (std::size_t i = 0; i < labels_.size(); ++i) {
    labels_at[function_.labels[i].instruction].push_back(i);
  }
  for (std::size_t i = 0; i <= function_.body.size(); ++i) {
    for (const std::size_t label : labels_at[i]) {
      text_ += labels_[label] + ":\n";
      if (function_.labels[label].keeps_trips) text_ += "\t.pragma \"nounroll\";\n";
    }
    if (i < function_.body.size()) instruction(function_.body[i]);
  }
  text_ += "}\n";
  return std::move(text_);
}

void BodyPrinter::location(const Instruction& instruction) {
  if (instruction.source_file == source_file_ && instruction.source_line == source_line_) return;
  source_file_ = instruction.source_file;
  source_line_ = instruction.source_line;
  text_ += "\t.loc " + std::to_string(source_file_) + ' ' + std::to_string(source_line_) + " 0\n";
}

void BodyPrinter::instruction(const Instruction& instruction) {
  location(instruction);
  std::string operands;
  if (instruction.call) {
    operands = call(instruction);
  } else if (instruction.opcode == Opcode::brx) {
    const std::string name = unique("targets_0");
    std::vector<std::string> targets;
    targets.reserve(instruction.targets.size());
    for (const LabelId target : instruction.targets) targets.push_back(labels_[target]);
    text_ += name + ": .branchtargets " + join(targets) + ";\n";
    operands = list(instruction.operands) + ", " + name;
  } else {
    operands = list(instruction.operands);
  }
  text_ += '\t';
  if (instruction.guard) {
    text_ += (instruction.guard_negated ? "@!" : "@") + registers_[*instruction.guard] + ' ';
  }
  text_ += instruction.text;
  if (!operands.empty()) text_ += ' ' + operands;
  text_ += ";\n";
}

std::string BodyPrinter::call(const Instruction& instruction) {
  const Call& parts = *instruction.call;
  std::string text;
  if (!parts.results.empty()) text = '(' + list(parts.results) + "), ";
  text += operand(parts.callee);
  if (!parts.arguments.empty()) text += ", (" + list(parts.arguments) + ')';
  if (parts.prototype) text += ", " + prototypes_[*parts.prototype];
  if (!parts.targets.empty()) {
    const std::string name = unique("targets_0");
    std::vector<std::string> targets;
    targets.reserve(parts.targets.size());
    for (const std::uint32_t target : parts.targets) {
      targets.push_back(module_.functions[target].name);
    }
    text_ += name + ": .calltargets " + join(targets) + ";\n";
    text += ", " + name;
  }
  return text;
}

std::string BodyPrinter::list(const std::vector<Operand>& operands) const {
  std::string text;
  for (const Operand& entry : operands) {
    if (!text.empty()) text += ", ";
    text += operand(entry);
  }
  return text;
}

std::string_view BodyPrinter::symbol_name(const SymbolRef& symbol) const {
  switch (symbol.kind) {
    case SymbolRef::Kind::ModuleVariable:
      return module_.variables[symbol.index].name;
    case SymbolRef::Kind::LocalVariable:
      return variables_[symbol.index];
    case SymbolRef::Kind::Parameter:
      return function_.parameters[symbol.index].name;
    case SymbolRef::Kind::ReturnParameter:
      return function_.returns[symbol.index].name;
    case SymbolRef::Kind::Function:
      return module_.functions[symbol.index].name;
  }
  return "";
}

std::string BodyPrinter::register_text(const Operand& operand) const {
  std::string text = registers_[operand.reg];
  if (operand.component >= 0) text += std::string(".") + "xyzw"[operand.component];
  if (operand.selector.unit != Selector::Unit::None) {
    text += operand.selector.unit == Selector::Unit::Byte ? ".b" : ".h";
    for (unsigned i = 0; i < operand.selector.count; ++i) {
      text += static_cast<char>('0' + operand.selector.indices[i]);
    }
  }
  return text;
}

std::string BodyPrinter::symbol_text(const Operand& operand) const {
  const std::string_view name = symbol_name(*operand.symbol);
  if (operand.element_bytes == 0) return with_offset(name, operand.offset);
  const std::int64_t index = operand.offset / static_cast<std::int64_t>(operand.element_bytes);
  return std::string(name) + '[' +
         (operand.element ? with_offset(registers_[*operand.element], index)
                          : std::to_string(index)) +
         ']';
}

std::string BodyPrinter::operand(const Operand& operand) const {
  char digits[24];
  switch (operand.kind) {
    case Operand::Kind::None:
      return "";
    case Operand::Kind::Sink:
      return "_";
    case Operand::Kind::Register: {
      const bool predicate = function_.registers[operand.reg].type == Type::Pred;
      return (operand.negated ? (predicate ? "!" : "-") : "") +
             with_offset(register_text(operand), operand.offset);
    }
    case Operand::Kind::Special:
      return name_of(operand.special, operand.index);
    case Operand::Kind::Integer:
      return operand.is_unsigned_literal ? std::to_string(operand.bits) + 'U'
                                         : std::to_string(static_cast<std::int64_t>(operand.bits));
    case Operand::Kind::Float:
      if (operand.literal == Type::F32) {
        std::snprintf(digits, sizeof digits, "0f%08X", static_cast<unsigned>(operand.bits));
      } else {
        std::snprintf(digits, sizeof digits, "0d%016llX",
                      static_cast<unsigned long long>(operand.bits));
      }
      return digits;
    case Operand::Kind::Symbol:
      return symbol_text(operand);
    case Operand::Kind::Address:
      if (operand.has_register_base) {
        return '[' + with_offset(register_text(operand), operand.offset) + ']';
      }
      if (!operand.symbol) return '[' + std::to_string(operand.offset) + ']';
      if (operand.element_bytes != 0) return symbol_text(operand);
      return '[' + symbol_text(operand) + ']';
    case Operand::Kind::Vector:
      return '{' + list(operand.elements) + '}';
    case Operand::Kind::Pair:
      return this->operand(operand.elements[0]) + '|' + this->operand(operand.elements[1]);
    case Operand::Kind::Label:
      return labels_[operand.label];
    case Operand::Kind::TexCoords:
      return '[' + list(operand.elements) + ']';
  }
  return "";
}

}  // namespace pycuda::cpu::ptx
