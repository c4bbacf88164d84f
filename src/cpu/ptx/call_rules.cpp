// SPDX-License-Identifier: MIT
// A callee reads and writes as many bytes as its own header says, so both sides must agree on them.
#include "cpu/ptx/call_rules.h"

#include "cpu/ptx/cursor.h"

namespace pycuda::cpu::ptx {
namespace {

using Broken = std::optional<std::string>;
using Kind = Operand::Kind;

/// What a .param variable or parameter that an operand names is.
struct Memory {
  std::uint64_t bytes;
  bool is_array;
};

std::optional<Memory> memory_of(const Operand& operand, const Function& caller) {
  if (operand.kind != Kind::Symbol || !operand.symbol) return std::nullopt;
  const std::uint32_t index = operand.symbol->index;
  switch (operand.symbol->kind) {
    case SymbolRef::Kind::LocalVariable: {
      const Variable& variable = caller.variables[index];
      if (variable.space != Space::Param) return std::nullopt;
      return Memory{variable.bytes, !variable.dimensions.empty() || variable.vector > 1};
    }
    case SymbolRef::Kind::Parameter:
    case SymbolRef::Kind::ReturnParameter: {
      const bool given = operand.symbol->kind == SymbolRef::Kind::Parameter;
      const Parameter& parameter = given ? caller.parameters[index] : caller.returns[index];
      return Memory{parameter.bytes, parameter.is_array || parameter.vector > 1};
    }
    default:
      return std::nullopt;
  }
}

std::string bytes_text(std::uint64_t bytes, bool is_array) {
  return (is_array ? "an array of " : "") + std::to_string(bytes) +
         (bytes == 1 ? " byte" : " bytes");
}

Broken operand_fits(const Operand& operand, const Parameter& formal, const Function& caller,
                    const std::string& which) {
  const bool in_memory = formal.is_array || formal.vector > 1;
  const auto refuse = [&](const std::string& what) -> Broken {
    return which + " is " + what + ", and the function has " + bytes_text(formal.bytes, in_memory) +
           " there";
  };
  if (operand.kind == Kind::Sink) return std::nullopt;
  if (const auto memory = memory_of(operand, caller)) {
    if (operand.offset != 0) return which + " has an offset";
    // `.b8 x[]` stands for an array of any size.
    const bool open = in_memory && formal.bytes == 0;
    if (memory->is_array == in_memory && (open || memory->bytes == formal.bytes))
      return std::nullopt;
    return refuse(bytes_text(memory->bytes, memory->is_array));
  }
  if (in_memory) return refuse("no .param variable");
  if (operand.kind != Kind::Register) return std::nullopt;
  const Register& named = caller.registers[operand.reg];
  const std::uint32_t wanted = bits_of(formal.type), given = bits_of(named.type);
  const bool is_small = wanted < 32 && formal.type != Type::Pred && named.type != Type::Pred;
  if (given == wanted || (is_small && given > wanted && given <= 32)) return std::nullopt;
  return refuse("a register of " + std::to_string(given) + (given == 1 ? " bit" : " bits"));
}

Broken fits(const Call& call, const Function& caller, const std::vector<Parameter>& returns,
            const std::vector<Parameter>& parameters, std::string_view callee) {
  if (call.results.size() != returns.size() || call.arguments.size() != parameters.size()) {
    return "the call passes " + std::to_string(call.arguments.size()) + " arguments and takes " +
           std::to_string(call.results.size()) + " results, but " + quoted(callee) + " has " +
           std::to_string(parameters.size()) + " and " + std::to_string(returns.size());
  }
  const auto check = [&](const std::vector<Operand>& operands,
                         const std::vector<Parameter>& formals, const char* noun) -> Broken {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string which =
          std::string(noun) + ' ' + std::to_string(i + 1) + " of the call of " + quoted(callee);
      if (Broken broken = operand_fits(operands[i], formals[i], caller, which)) return broken;
    }
    return std::nullopt;
  };
  if (Broken broken = check(call.results, returns, "result")) return broken;
  return check(call.arguments, parameters, "argument");
}

/// An alias is called as the function that it stands for.
const Function& called(const Module& module, std::uint32_t index) {
  for (std::size_t step = 0; step < module.functions.size() && module.functions[index].alias_of;
       ++step) {
    index = *module.functions[index].alias_of;
  }
  return module.functions[index];
}

}  // namespace

Broken broken_call_rule(const Instruction& instruction, const Function& caller,
                        const Module& module) {
  const Call& call = *instruction.call;
  const auto function_fits = [&](std::uint32_t index) {
    const Function& callee = called(module, index);
    return fits(call, caller, callee.returns, callee.parameters, callee.name);
  };
  if (call.callee.kind == Kind::Symbol) {
    if (Broken broken = function_fits(call.callee.symbol->index)) return broken;
  }
  for (const std::uint32_t target : call.targets) {
    if (Broken broken = function_fits(target)) return broken;
  }
  if (!call.prototype) return std::nullopt;
  const Prototype& prototype = caller.prototypes[*call.prototype];
  return fits(call, caller, prototype.returns, prototype.parameters, ".callprototype");
}

}  // namespace pycuda::cpu::ptx
