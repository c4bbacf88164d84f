// SPDX-License-Identifier: MIT
// Programs in this process: memory for variables, code linked against it part by part.
#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <utility>

#include "base/cxx_names.h"
#include "cpu/jit/image.h"
#include "cpu/jit/linked_part.h"
#include "cpu/jit/program.h"
#include "cpu/jit/program_code.h"
#include "cpu/variants/launch_form.h"

namespace pycuda::cpu::jit {

using variants::Variant;
using Stage = variants::KernelFailure::Stage;

class LoadedProgram::Implementation {
 public:
  Implementation(std::shared_ptr<const Program> given, variants::Background workers)
      : program(std::move(given)),
        background(std::move(workers)),
        parts(program->implementation().part_count()),
        kernel_addresses(program->kernels().size() * kernel_address_step) {
    for (std::size_t i = 0; i < program->kernels().size(); ++i) {
      const std::string& name = program->kernels()[i].name;
      kernel_numbers.emplace(name, i);
      symbols.emplace_back(kernel_symbol(name), &kernel_addresses[i * kernel_address_step]);
      tables.emplace_back(source, background, i);
    }
  }

  struct PartState {
    std::mutex mutex;  ///< held while the part is made; protects the rest
    std::unique_ptr<LinkedPart> code;
  };

  std::shared_ptr<const Program> program;
  const variants::Background background;
  const variants::Source source{
      [this](std::size_t kernel, Variant variant) { return make(kernel, variant); },
      [this](std::size_t kernel, Variant variant) { return compilation(kernel, variant); }};
  LinkedPart::Symbols symbols;  ///< of the variables, and of kernels whose addresses are taken
  std::map<std::string, Address, std::less<>> variables;
  std::map<std::string, std::size_t, std::less<>> kernel_numbers;
  std::vector<PartState> parts;
  std::vector<std::byte> kernel_addresses;
  std::mutex mutex;                               ///< protects `more`
  std::vector<std::unique_ptr<LinkedPart>> more;  ///< what came after the first code
  std::deque<variants::Table> tables;             ///< by number

  const Program::Implementation& compiled() const { return program->implementation(); }
  const std::string& name_of(std::size_t kernel) const { return program->kernels()[kernel].name; }

  std::function<void()> compilation(std::size_t kernel, Variant variant) const {
    return [program = program, name = name_of(kernel), variant] {
      program->implementation().finish(name, variant);
    };
  }

  variants::Made make(std::size_t kernel, Variant variant) {
    const std::string& name = name_of(kernel);
    const Code code = compiled().code(name, variant);
    if (!code) return compile_failure(name, code.error());
    if (const std::string flaw = flaw_of(**code, name, variant); !flaw.empty())
      return variants::KernelFailure{Stage::Compile, "kernel '" + name + "' " + flaw};
    auto linked = LinkedPart::link(**code, symbols, Streaming::Never);
    if (!linked) return link_failure(name, linked.error().message);
    Kernel* const found = (*linked)->find(name);
    if (found == nullptr) return link_failure(name, "it is not in its code");
    // No other code checks what this one does.
    if (!variant.is_checked()) found->table = &tables[kernel];
    const std::lock_guard lock(mutex);
    more.push_back(std::move(*linked));
    return found;
  }

  /// Why code is not what its variant is for, or empty.
  std::string flaw_of(const CompiledProgram& code, const std::string& name, Variant variant) const {
    const KernelFacts* const facts = find_facts(code, name);
    if (facts == nullptr) return {};
    if (variant == Variant::vectors() && facts->gang_lanes == 0) return "has no vector code";
    if (variant != Variant::streaming()) return {};
    // One for other launches than the first code says is none.
    const Code first = compiled().part(compiled().part_of(name));
    const KernelFacts* const known = first ? find_facts(**first, name) : nullptr;
    return facts->streams && known != nullptr && facts->streamed == known->streamed
               ? std::string()
               : "has no code whose stores go past the caches";
  }

  /// Before the first launch: what the disk cache has, or whoever tests it wants at once.
  void make_at_hand(const Kernel& kernel, variants::Table& table) {
    const std::string& name = kernel.facts.name;
    const auto is_at_hand = [&](Variant variant) {
      return compiled().code_at_hand(name, variant) != nullptr;
    };
    if (kernel.facts.is_baseline && is_at_hand(Variant::vectors()))
      static_cast<void>(table.make(Variant::vectors()));
    if (kernel.streaming == Streaming::WhereverPossible ||
        (kernel.streaming != Streaming::Never && is_at_hand(Variant::streaming())))
      static_cast<void>(table.make(Variant::streaming()));
  }

  static variants::KernelFailure compile_failure(std::string_view name,
                                                 const ptx::Diagnostics& why) {
    return {Stage::Compile,
            "kernel '" + std::string(name) + "' could not be compiled: " + ptx::to_text(why)};
  }
  /// Without a name: of all code.
  static variants::KernelFailure link_failure(std::string_view name, const std::string& why) {
    return {Stage::Link,
            (name.empty() ? "the module's code" : "kernel '" + std::string(name) + "'") +
                " could not be linked: " + why};
  }

  base::Result<const LinkedPart*, variants::KernelFailure> link_part(std::size_t number,
                                                                     std::string_view asked_for) {
    PartState& state = parts[number];
    const std::lock_guard lock(state.mutex);
    if (state.code != nullptr) return state.code.get();
    const Code code = compiled().part(number);
    if (!code) return compile_failure(asked_for, code.error());
    auto made = LinkedPart::link(**code, symbols, compiled().options().streaming);
    if (!made) return link_failure(asked_for, made.error().message);
    state.code = std::move(*made);
    for (Kernel& kernel : state.code->kernels()) {
      const std::string& name = kernel.facts.name;
      const auto found = kernel_numbers.find(name);
      if (found == kernel_numbers.end() || compiled().part_of(name) != number) continue;
      variants::Table& table = tables[found->second];
      const bool has_choice = kernel.facts.is_baseline || kernel.streaming != Streaming::Never ||
                              variants::may_lack_forms(kernel.facts);
      if (has_choice) kernel.table = &table;
      make_at_hand(kernel, table);
      table.open(kernel, vector_compile_time(kernel.facts), compiled().is_being_compiled(name));
    }
    return state.code.get();
  }

  /// Of a function in one of the parts that are linked; 0: of none.
  std::uint64_t address_of(std::string_view symbol) const {
    for (const PartState& part : parts) {
      void* const address = part.code != nullptr ? part.code->address_of(symbol) : nullptr;
      if (address != nullptr) return reinterpret_cast<std::uint64_t>(address);
    }
    return 0;
  }
};

LoadedProgram::LoadedProgram(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}
LoadedProgram::~LoadedProgram() = default;

base::Result<std::unique_ptr<LoadedProgram>> LoadedProgram::load(
    std::shared_ptr<const Program> program,
    const std::function<VariableMemory(const GlobalVariable&)>& allocate,
    variants::Background background) {
  auto loaded = std::make_unique<Implementation>(std::move(program), std::move(background));
  const Program::Implementation& code = loaded->program->implementation();
  const std::vector<VariableImage>& images = code.module().images;
  std::map<std::string, std::uint64_t, std::less<>> addresses;
  std::vector<const VariableImage*> unwritten;
  for (const auto& [symbol, address] : loaded->symbols)
    addresses.emplace(symbol, reinterpret_cast<std::uint64_t>(address));
  for (const VariableImage& image : images) {
    const VariableMemory place = allocate(image.variable);
    void* const memory = place.address;
    if (memory == nullptr)
      return base::Failure{"out of memory for the variable '" +
                           base::readable_name(image.variable.name) + "'"};
    loaded->symbols.emplace_back(variable_symbol(image.variable.name), memory);
    addresses.emplace(loaded->symbols.back().first, reinterpret_cast<std::uint64_t>(memory));
    loaded->variables.emplace(image.variable.name, Address{memory, image.variable.bytes});
    if (!place.holds_value) unwritten.push_back(&image);
  }
  for (std::size_t part = 0; part < code.part_count(); ++part) {
    if (!code.is_at_once(part)) continue;
    const std::vector<Part>& parts = code.module().parts;
    const auto linked = loaded->link_part(
        part, parts.empty() ? std::string_view() : std::string_view(parts[part].kernels.front()));
    if (!linked) return base::Failure{linked.error().message};
  }
  const auto address_of = [&](std::string_view symbol) {
    const auto variable = addresses.find(symbol);
    return variable != addresses.end() ? variable->second : loaded->address_of(symbol);
  };
  for (const VariableImage* const image : unwritten) {
    auto* const memory =
        static_cast<std::byte*>(loaded->variables.find(image->variable.name)->second.address);
    write_initial_value(*image, memory, address_of);
  }
  return std::unique_ptr<LoadedProgram>(new LoadedProgram(std::move(loaded)));
}

const Kernel* LoadedProgram::linked_kernel(std::size_t number) const {
  return table(number).ready(Variant::first());
}

variants::Made LoadedProgram::link_kernel(std::size_t number) const {
  if (const Kernel* const linked = linked_kernel(number)) return linked;
  const std::string& name = implementation_->name_of(number);
  const auto part = implementation_->link_part(program()->implementation().part_of(name), name);
  if (!part) return part.error();
  const Kernel* const linked = linked_kernel(number);
  if (linked == nullptr)
    return variants::KernelFailure{Stage::Link, "kernel '" + name + "' is not in its code"};
  return linked;
}

variants::Table& LoadedProgram::table(std::size_t number) const {
  return implementation_->tables[number];
}

Checks LoadedProgram::checks() const {
  return implementation_->program->implementation().options().checks;
}

const Kernel* LoadedProgram::find_kernel(std::string_view name) const {
  const auto found = implementation_->kernel_numbers.find(name);
  return found == implementation_->kernel_numbers.end() ? nullptr : linked_kernel(found->second);
}

const std::shared_ptr<const Program>& LoadedProgram::program() const {
  return implementation_->program;
}

const std::byte* LoadedProgram::kernel_addresses() const {
  return implementation_->kernel_addresses.data();
}

std::optional<LoadedProgram::Address> LoadedProgram::find_variable(std::string_view name) const {
  const auto found = implementation_->variables.find(name);
  if (found == implementation_->variables.end()) return std::nullopt;
  return found->second;
}

}  // namespace pycuda::cpu::jit
