// SPDX-License-Identifier: MIT
// The order of a module's parts: what others refer to comes first.
#include "cpu/ptx/printer.h"

#include "cpu/ptx/body_printer.h"
#include "cpu/ptx/declaration_printer.h"

namespace pycuda::cpu::ptx {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else {
      result += c;
    }
  }
  return result;
}

/// Variables in an order in which initialisers name only earlier ones, or declared ones where they
/// name each other.
class VariablePrinter {
 public:
  explicit VariablePrinter(const Module& module)
      : module_(module), states_(module.variables.size(), State::Waiting) {}

  std::string run() {
    for (std::uint32_t i = 0; i < module_.variables.size(); ++i) visit(i);
    return std::move(text_);
  }

 private:
  enum class State : std::uint8_t { Waiting, Open, Printed };

  /// Depth first, with a stack of our own: chains of initialisers can be long.
  void visit(std::uint32_t root) {
    struct Step {
      std::uint32_t variable;
      std::size_t next;
    };
    if (states_[root] != State::Waiting) return;
    std::vector<Step> steps{{root, 0}};
    states_[root] = State::Open;
    while (!steps.empty()) {
      Step& step = steps.back();
      const Variable& variable = module_.variables[step.variable];
      if (step.next == variable.initial_addresses.size()) {
        text_ += print_variable(module_, variable, variable.name);
        states_[step.variable] = State::Printed;
        steps.pop_back();
        continue;
      }
      const SymbolRef& symbol = variable.initial_addresses[step.next++].symbol;
      if (symbol.kind != SymbolRef::Kind::ModuleVariable || symbol.index == step.variable) continue;
      if (states_[symbol.index] == State::Open) declare(symbol.index);
      if (states_[symbol.index] == State::Waiting) {
        states_[symbol.index] = State::Open;
        steps.push_back({symbol.index, 0});
      }
    }
  }

  void declare(std::uint32_t index) {
    Variable declaration = module_.variables[index];
    declaration.linkage = Linkage::Extern;
    declaration.initial.clear();
    declaration.initial_addresses.clear();
    text_ += print_variable(module_, declaration, declaration.name);
  }

  const Module& module_;
  std::vector<State> states_;
  std::string text_;
};

}  // namespace

std::string print(const Module& module) {
  std::string text = ".version " + std::to_string(module.version_major) + '.' +
                     std::to_string(module.version_minor) + "\n.target " + module.target +
                     (module.independent_textures ? ", texmode_independent" : "") +
                     (module.debug ? ", debug" : "") + "\n.address_size " +
                     std::to_string(module.address_size) + "\n\n";
  for (const SourceFile& file : module.files) {
    text += ".file " + std::to_string(file.number) + " \"" + escaped(file.name) + "\"\n";
  }
  for (const Function& function : module.functions) {
    if (!function.is_entry || !function.is_defined) text += print_header(function) + ";\n";
  }
  text += VariablePrinter(module).run();
  for (const bool entries : {false, true}) {
    for (const Function& function : module.functions) {
      if (function.is_entry != entries || !function.is_defined) continue;
      text += '\n' + print_header(function) + '\n' + BodyPrinter(module, function).run();
    }
  }
  for (const Function& function : module.functions) {
    if (!function.alias_of) continue;
    text += ".alias " + function.name + ", " + module.functions[*function.alias_of].name + ";\n";
  }
  return text;
}

}  // namespace pycuda::cpu::ptx
