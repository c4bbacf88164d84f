// SPDX-License-Identifier: MIT
// First every name gets its one place in the result, then definitions move there and their
// references follow.
#include "cpu/ptx/link.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "cpu/ptx/device_runtime.h"
#include "cpu/ptx/parser.h"
#include "cpu/ptx/printer.h"

namespace pycuda::cpu::ptx {
namespace {

std::string in_quotes(std::string_view name) { return '\'' + std::string(name) + '\''; }

/// How much a symbol has to say about its name: more wins, and two of the most are an error.
enum class Strength : std::uint8_t { Declared, Weak, Common, Defined };

Strength strength_of(const Variable& variable) {
  switch (variable.linkage) {
    case Linkage::Extern:
      return Strength::Declared;
    case Linkage::Weak:
      return Strength::Weak;
    case Linkage::Common:
      return Strength::Common;
    default:
      return Strength::Defined;
  }
}

Strength strength_of(const Function& function) {
  if (!function.is_defined && !function.alias_of) return Strength::Declared;
  return function.linkage == Linkage::Weak ? Strength::Weak : Strength::Defined;
}

bool same_sizes(const std::vector<Parameter>& a, const std::vector<Parameter>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.bytes == y.bytes; });
}

bool agree(const Variable& a, const Variable& b) {
  const bool dynamic_shared = a.space == Space::Shared && (a.bytes == 0 || b.bytes == 0);
  const bool sizes = a.bytes == b.bytes || a.bytes == 0 || b.bytes == 0 ||
                     (a.linkage == Linkage::Common && b.linkage == Linkage::Common);
  return a.space == b.space && (dynamic_shared || sizes);
}

/// Names of the C ABI say nothing of results: a caller may ignore those of a function, or expect
/// one of a function that has none (`Linker::match_results`).
bool agree(const Function& a, const Function& b) {
  return a.is_entry == b.is_entry &&
         (a.returns.empty() || b.returns.empty() || same_sizes(a.returns, b.returns)) &&
         same_sizes(a.parameters, b.parameters);
}

class Linker {
 public:
  Linker(const std::vector<LinkInput>& inputs, bool device_runtime)
      : inputs_(inputs), device_runtime_(device_runtime) {}

  base::Result<std::string, Diagnostics> run() {
    if (inputs_.empty()) error("there is nothing to link");
    parse_inputs();
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    merge_heads();
    for (const Module& module : modules_) reserve_names(module);
    variable_places_.resize(modules_.size());
    function_places_.resize(modules_.size());
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      place(i, modules_[i].variables, result_.variables, variables_, variable_places_[i]);
      place(i, modules_[i].functions, result_.functions, functions_, function_places_[i]);
    }
    check_kinds();
    for (std::size_t i = 0; i < modules_.size(); ++i) move_definitions(i);
    match_results();
    check_references();
    if (!diagnostics_.empty()) return std::move(diagnostics_);
    if (device_runtime_) name_device_runtime();
    return print(result_);
  }

 private:
  /// A place in the result and who fills it.
  struct Slot {
    std::size_t input = 0;
    std::uint32_t index = 0;
    Strength strength = Strength::Declared;
  };
  struct Places {
    std::unordered_map<std::string, std::uint32_t> by_name;  ///< names with linkage
    std::vector<Slot> slots;
  };

  void error(std::string message) {
    diagnostics_.push_back({Diagnostic::Severity::Error, {}, std::move(message)});
  }

  void parse_inputs() {
    for (const LinkInput& input : inputs_) {
      auto module = parse(input.ptx);
      if (module.ok()) {
        modules_.push_back(std::move(module).value());
        continue;
      }
      for (Diagnostic& diagnostic : module.error()) {
        diagnostic.message += " (in " + in_quotes(input.name) + ')';
        diagnostics_.push_back(std::move(diagnostic));
      }
    }
  }

  void merge_heads() {
    result_.address_size = modules_.front().address_size;
    for (std::size_t i = 0; i < modules_.size(); ++i) {
      const Module& module = modules_[i];
      if (std::pair(module.version_major, module.version_minor) >
          std::pair(result_.version_major, result_.version_minor)) {
        result_.version_major = module.version_major;
        result_.version_minor = module.version_minor;
      }
      if (module.architecture > result_.architecture || result_.target.empty()) {
        result_.architecture = module.architecture;
        result_.target = module.target;
      }
      result_.debug |= module.debug;
      result_.independent_textures |= module.independent_textures;
      if (module.address_size != result_.address_size) {
        error("the address size of " + in_quotes(inputs_[i].name) + " differs from that of " +
              in_quotes(inputs_[0].name));
      }
    }
  }

  /// Names with linkage keep them, so those without must not take them.
  void reserve_names(const Module& module) {
    for (const Variable& variable : module.variables) {
      if (variable.linkage != Linkage::None) taken_.insert(variable.name);
    }
    for (const Function& function : module.functions) {
      if (function.linkage != Linkage::None) taken_.insert(function.name);
    }
  }

  std::string own_name(const std::string& wanted) {
    std::string name = wanted;
    for (unsigned number = 1; !taken_.insert(name).second; ++number) {
      name = wanted + "$" + std::to_string(number);
    }
    return name;
  }

  /// Finds the place of every symbol of one input; where several compete, notes which one fills it.
  template <class Symbol>
  void place(std::size_t input, std::vector<Symbol>& symbols, std::vector<Symbol>& result,
             Places& places, std::vector<std::uint32_t>& mapping) {
    for (std::uint32_t index = 0; index < symbols.size(); ++index) {
      Symbol& symbol = symbols[index];
      const Slot slot{input, index, strength_of(symbol)};
      const auto next = static_cast<std::uint32_t>(result.size());
      bool is_new = true;
      std::uint32_t at = next;
      if (symbol.linkage == Linkage::None) {
        symbol.name = own_name(symbol.name);
      } else {
        const auto [found, inserted] = places.by_name.emplace(symbol.name, next);
        is_new = inserted;
        at = found->second;
      }
      mapping.push_back(at);
      if (is_new) {
        result.emplace_back();
        places.slots.push_back(slot);
      } else {
        compete(symbol, slot, places.slots[at]);
      }
    }
  }

  const Variable& symbol_at(const Slot& slot, const Variable*) const {
    return modules_[slot.input].variables[slot.index];
  }
  const Function& symbol_at(const Slot& slot, const Function*) const {
    return modules_[slot.input].functions[slot.index];
  }

  template <class Symbol>
  void compete(const Symbol& symbol, const Slot& challenger, Slot& holder) {
    const Symbol& held = symbol_at(holder, &symbol);
    const std::string& name = inputs_[challenger.input].name;
    const std::string& holder_name = inputs_[holder.input].name;
    if (!agree(symbol, held)) {
      error(in_quotes(symbol.name) + " is declared differently in " + in_quotes(name) + " and in " +
            in_quotes(holder_name));
      return;
    }
    if (challenger.strength == Strength::Defined && holder.strength == Strength::Defined) {
      error("multiple definition of " + in_quotes(symbol.name) + " in " + in_quotes(name) +
            ", first defined in " + in_quotes(holder_name));
      return;
    }
    if (challenger.strength > holder.strength ||
        (challenger.strength == holder.strength && prefers(symbol, held))) {
      holder = challenger;
    }
  }

  static bool prefers(const Variable& candidate, const Variable& held) {
    return candidate.linkage == Linkage::Common && candidate.bytes > held.bytes;
  }
  static bool prefers(const Function&, const Function&) { return false; }

  void check_kinds() {
    for (const auto& [name, index] : functions_.by_name) {
      if (variables_.by_name.contains(name)) {
        error(in_quotes(name) + " is a variable in one input and a function in another");
      }
    }
  }

  void move_definitions(std::size_t input) {
    Module& module = modules_[input];
    const auto files = merge_files(module);
    const auto& variable_places = variable_places_[input];
    const auto& function_places = function_places_[input];
    const auto follow = [&](SymbolRef& symbol) {
      if (symbol.kind == SymbolRef::Kind::ModuleVariable) {
        symbol.index = variable_places[symbol.index];
      } else if (symbol.kind == SymbolRef::Kind::Function) {
        symbol.index = function_places[symbol.index];
      }
    };
    for (std::uint32_t i = 0; i < module.variables.size(); ++i) {
      const std::uint32_t at = variable_places[i];
      Variable& target = result_.variables[at];
      // All declarations of dynamic shared memory count for its alignment.
      const std::uint32_t alignment = std::max(target.alignment, module.variables[i].alignment);
      if (variables_.slots[at].input == input && variables_.slots[at].index == i) {
        target = std::move(module.variables[i]);
        for (InitialAddress& address : target.initial_addresses) follow(address.symbol);
      }
      target.alignment = alignment;
    }
    for (std::uint32_t i = 0; i < module.functions.size(); ++i) {
      const std::uint32_t at = function_places[i];
      if (functions_.slots[at].input != input || functions_.slots[at].index != i) continue;
      Function& target = result_.functions[at];
      target = std::move(module.functions[i]);
      if (target.alias_of) target.alias_of = function_places[*target.alias_of];
      follow_in_body(target, files, follow, function_places);
    }
  }

  /// The numbers that the input's source files get in the result.
  std::unordered_map<std::uint32_t, std::uint32_t> merge_files(const Module& module) {
    std::unordered_map<std::uint32_t, std::uint32_t> numbers;
    for (const SourceFile& file : module.files) {
      auto& files = result_.files;
      const auto known = std::find_if(files.begin(), files.end(),
                                      [&](const auto& other) { return other.name == file.name; });
      const auto next = static_cast<std::uint32_t>(files.size()) + 1;
      numbers[file.number] = known == files.end() ? next : known->number;
      if (known == files.end()) files.push_back({next, file.name});
    }
    return numbers;
  }

  static void follow_operands(std::vector<Operand>& operands,
                              const std::function<void(SymbolRef&)>& follow) {
    for (Operand& operand : operands) {
      if (operand.symbol) follow(*operand.symbol);
      follow_operands(operand.elements, follow);
    }
  }

  static void follow_in_body(Function& function,
                             const std::unordered_map<std::uint32_t, std::uint32_t>& files,
                             const std::function<void(SymbolRef&)>& follow,
                             const std::vector<std::uint32_t>& function_places) {
    for (Instruction& instruction : function.body) {
      const auto file = files.find(instruction.source_file);
      instruction.source_file = file == files.end() ? 0 : file->second;
      if (instruction.source_file == 0) instruction.source_line = 0;
      follow_operands(instruction.operands, follow);
      if (!instruction.call) continue;
      Call& call = *instruction.call;
      if (call.callee.symbol) follow(*call.callee.symbol);
      follow_operands(call.results, follow);
      follow_operands(call.arguments, follow);
      for (std::uint32_t& target : call.targets) target = function_places[target];
    }
  }

  /// Calls take the results that the definition has. What a function without results would have
  /// given keeps any value, as a register of the GPU's would.
  void match_results() {
    Operand ignored;
    ignored.kind = Operand::Kind::Sink;
    for (Function& function : result_.functions) {
      for (Instruction& instruction : function.body) {
        if (!instruction.call || !instruction.call->callee.symbol) continue;
        Call& call = *instruction.call;
        const Function& callee = result_.functions[call.callee.symbol->index];
        if (callee.returns.empty() || call.results.empty())
          call.results.resize(callee.returns.size(), ignored);
      }
    }
  }

  /// A declaration without definition is an error where something refers to it.
  void check_references() {
    if (!diagnostics_.empty()) return;
    std::unordered_set<std::string> reported;
    const auto check = [&](const SymbolRef& symbol, std::size_t input) {
      const bool is_function = symbol.kind == SymbolRef::Kind::Function;
      if (!is_function && symbol.kind != SymbolRef::Kind::ModuleVariable) return;
      const Slot& slot = (is_function ? functions_ : variables_).slots[symbol.index];
      if (slot.strength != Strength::Declared) return;
      const std::string& name =
          is_function ? result_.functions[symbol.index].name : result_.variables[symbol.index].name;
      if (is_function && is_provided(name)) return;
      if (!is_function && result_.variables[symbol.index].space == Space::Shared) return;
      if (!reported.insert(name).second) return;
      error("undefined reference to " + in_quotes(name) + " in " + in_quotes(inputs_[input].name) +
            (is_function ? advice_on(name) : std::string()));
    };
    for (std::size_t i = 0; i < result_.variables.size(); ++i) {
      for (const InitialAddress& address : result_.variables[i].initial_addresses) {
        check(address.symbol, variables_.slots[i].input);
      }
    }
    for (std::size_t i = 0; i < result_.functions.size(); ++i) {
      const std::size_t input = functions_.slots[i].input;
      const auto check_symbol = [&](SymbolRef& symbol) { check(symbol, input); };
      for (Instruction& instruction : result_.functions[i].body) {
        follow_operands(instruction.operands, check_symbol);
        if (!instruction.call) continue;
        Call& call = *instruction.call;
        if (call.callee.symbol) check(*call.callee.symbol, input);
        follow_operands(call.results, check_symbol);
        follow_operands(call.arguments, check_symbol);
        for (const std::uint32_t target : call.targets) {
          check({SymbolRef::Kind::Function, target}, input);
        }
      }
    }
  }

  bool is_provided(std::string_view function) const {
    return is_provided_by_driver(function) ||
           (device_runtime_ && find_device_runtime(function) != nullptr);
  }

  /// What helps against an undefined function of the device run-time library; empty for others.
  static std::string advice_on(std::string_view function) {
    if (find_device_runtime(function) != nullptr)
      return ": it is a function of the device run-time library, cudadevrt, which must be linked "
             "with what launches kernels from kernels";
    if (names_device_runtime(function))
      return ": the CPU driver's device run-time library does not have it";
    if (function.starts_with("cuda"))
      return ": of the device run-time library, the CPU driver has the version that is compiled "
             "for since CUDA 12 (CDP2)";
    return {};
  }

  void name_device_runtime() {
    for (Function& function : result_.functions) {
      if (function.is_defined || function.alias_of) continue;
      if (const DeviceRuntimeFunction* known = find_device_runtime(function.name))
        function.name = linked_name(*known);
    }
  }

  const std::vector<LinkInput>& inputs_;
  const bool device_runtime_;
  std::vector<Module> modules_;
  Module result_;
  Places variables_, functions_;
  std::vector<std::vector<std::uint32_t>> variable_places_, function_places_;  ///< of each input
  std::unordered_set<std::string> taken_;
  Diagnostics diagnostics_;
};

}  // namespace

base::Result<std::string, Diagnostics> link(const std::vector<LinkInput>& inputs,
                                            bool device_runtime) {
  return Linker(inputs, device_runtime).run();
}

bool is_provided_by_driver(std::string_view function) {
  return function == "vprintf" || function == "__assertfail" || function == "malloc" ||
         function == "free" || function == "cudaGraphSetConditional";
}

}  // namespace pycuda::cpu::ptx
