// SPDX-License-Identifier: MIT
// A callee reads and writes as many bytes as its own header says, so both sides must agree on them.
#include "cpu/ptx/call_rules.h"

#include "cpu/ptx/cursor.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

std::string bytes_text(std::uint64_t bytes, bool is_array) {
  return (is_array ? "an array of " : "") + std::to_string(bytes) +
         (bytes == 1 ? " byte" : " bytes");
}

/// Whether a value of type `given` is taken for one of type `wanted`, which is as wide.
bool is_of_kind(Type given, Type wanted) {
  if (given == wanted || is_untyped(given) || is_untyped(wanted)) return true;
  return is_integer(given) && is_integer(wanted);
}

/// A formal parameter and what is passed for it.
struct Passed {
  const Operand& operand;
  const Parameter& formal;
  const Function& caller;
  bool is_result;
  std::string which;  ///< "argument 1 of the call of 'f'"

  bool in_memory() const { return formal.is_array || (formal.vector > 1 && !formal.is_register); }
  Broken refuse(const std::string& what) const {
    const std::uint64_t bytes = formal.bytes;
    return which + " is " + what + ", and the function has " + bytes_text(bytes, in_memory()) +
           " there";
  }
  Broken refuse_kind(Type given) const {
    return which + " is ." + std::string(name_of(given)) + ", and the function has ." +
           std::string(name_of(formal.type)) + " there";
  }
};

Broken memory_fits(const Passed& passed) {
  const Parameter& formal = passed.formal;
  const Variable& variable = passed.caller.variables[passed.operand.symbol->index];
  const bool is_array = !variable.dimensions.empty() || variable.vector > 1;
  if (passed.operand.offset != 0) return passed.which + " has an offset";
  // `.b8 x[]` stands for an array of any size.
  const bool open = passed.in_memory() && formal.bytes == 0;
  if (is_array != passed.in_memory() || (!open && variable.bytes != formal.bytes))
    return passed.refuse(bytes_text(variable.bytes, is_array));
  if (!is_of_kind(variable.type, formal.type)) return passed.refuse_kind(variable.type);
  if (formal.is_register || variable.alignment == formal.alignment) return std::nullopt;
  return passed.which + " is aligned to " + bytes_text(variable.alignment, false) +
         ", and the function has " + std::to_string(formal.alignment) + " there";
}

Broken register_fits(const Passed& passed) {
  const Parameter& formal = passed.formal;
  const Register& named = passed.caller.registers[passed.operand.reg];
  const std::uint8_t vector = formal.is_register ? formal.vector : 1;
  if (passed.in_memory()) return passed.refuse("no .param variable");
  if (passed.operand.component >= 0)
    return passed.which + " is a component of the vector " + quoted(named.name);
  if (named.vector != vector)
    return passed.refuse(named.vector > 1 ? "a vector of " + std::to_string(named.vector)
                                          : std::string("no vector"));
  const std::uint32_t bits = bits_of(named.type);
  if (bits != bits_of(formal.type))
    return passed.refuse("a register of " + std::to_string(bits) + (bits == 1 ? " bit" : " bits"));
  if (!is_of_kind(named.type, formal.type)) return passed.refuse_kind(named.type);
  return std::nullopt;
}

Broken operand_fits(const Passed& passed) {
  const Operand& operand = passed.operand;
  const Type type = passed.formal.type;
  switch (operand.kind) {
    case Kind::Sink:
      if (passed.is_result) return std::nullopt;
      return passed.which + " is missing";
    case Kind::Register:
      return register_fits(passed);
    case Kind::Symbol: {
      const auto kind = operand.symbol->kind;
      const bool is_variable = kind == SymbolRef::Kind::LocalVariable;
      if (is_variable && passed.caller.variables[operand.symbol->index].space == Space::Param)
        return memory_fits(passed);
      if (kind == SymbolRef::Kind::Parameter || kind == SymbolRef::Kind::ReturnParameter)
        return passed.which + " is a parameter of the caller: a call takes .param variables";
      return passed.which + " is the name of something that is no .param variable";
    }
    case Kind::Integer:
    case Kind::Float: {
      if (passed.is_result) return passed.which + " is a constant";
      if (passed.in_memory() || passed.formal.vector > 1) return passed.refuse("a constant");
      const bool fits = operand.kind == Kind::Float ? is_float(type) || is_untyped(type)
                                                    : is_integer(type) || is_untyped(type);
      if (fits) return std::nullopt;
      return passed.which + " is a constant that is none of the type ." +
             std::string(name_of(type));
    }
    default:
      return passed.which + " is no register, constant or .param variable";
  }
}

Broken fits(const Call& call, const Function& caller, const std::vector<Parameter>& returns,
            const std::vector<Parameter>& parameters, std::string_view callee) {
  if (call.results.size() != returns.size() || call.arguments.size() != parameters.size()) {
    return "the call passes " + std::to_string(call.arguments.size()) + " arguments and takes " +
           std::to_string(call.results.size()) + " results, but " + quoted(callee) + " has " +
           std::to_string(parameters.size()) + " and " + std::to_string(returns.size());
  }
  const auto check = [&](const std::vector<Operand>& operands,
                         const std::vector<Parameter>& formals, bool is_result) -> Broken {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const std::string which = (is_result ? "result " : "argument ") + std::to_string(i + 1) +
                                " of the call of " + quoted(callee);
      if (Broken broken = operand_fits({operands[i], formals[i], caller, is_result, which}))
        return broken;
    }
    return std::nullopt;
  };
  if (Broken broken = check(call.results, returns, true)) return broken;
  return check(call.arguments, parameters, false);
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
