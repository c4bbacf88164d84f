// SPDX-License-Identifier: MIT
// Programs in this process: memory for variables, code linked against it part by part.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>

#include "cpu/jit/image.h"
#include "cpu/jit/linked_part.h"
#include "cpu/jit/program.h"
#include "cpu/jit/program_code.h"

namespace pycuda::cpu::jit {

namespace {

/// A kernel that is `kernel` with this form, if there is one yet.
const Kernel* find_form(const Kernel& kernel, Form form) {
  if (kernel.facts.forms.has(form)) return &kernel;
  const auto made = [&](Form other) {
    return kernel.on_demand->made[static_cast<std::size_t>(other)].load(std::memory_order_acquire);
  };
  const Kernel* const found = made(form);
  // Gangs that may have a rest need none.
  return found == nullptr && form == Form::Gangs ? made(Form::Tails) : found;
}

}  // namespace

class LoadedProgram::Implementation {
 public:
  Implementation(std::shared_ptr<const Program> given, std::function<void(const Kernel&)> callback)
      : program(std::move(given)),
        before_use(std::move(callback)),
        parts(program->implementation().part_count()),
        linked(program->kernels().size()),
        kernel_addresses(linked.size() * kernel_address_step) {
    for (std::size_t i = 0; i < linked.size(); ++i) {
      const std::string& name = program->kernels()[i].name;
      kernel_numbers.emplace(name, i);
      symbols.emplace_back(kernel_symbol(name), &kernel_addresses[i * kernel_address_step]);
    }
  }

  struct PartState {
    std::mutex mutex;  ///< held while the part is made; protects the rest
    std::unique_ptr<LinkedPart> code;
  };

  std::shared_ptr<const Program> program;
  std::function<void(const Kernel&)> before_use;
  LinkedPart::Symbols symbols;  ///< of the variables, and of kernels whose addresses are taken
  std::map<std::string, Address, std::less<>> variables;
  std::map<std::string, std::size_t, std::less<>> kernel_numbers;
  std::vector<PartState> parts;
  std::vector<std::atomic<const Kernel*>> linked;  ///< by number
  std::vector<std::byte> kernel_addresses;
  std::mutex mutex;                               ///< protects `more`
  std::vector<std::unique_ptr<LinkedPart>> more;  ///< better forms, and those made on demand
  std::mutex checked_mutex;  ///< protects `checked`, and is held while one is made
  std::map<std::pair<std::size_t, std::uint8_t>, const Kernel*> checked;  ///< by number and checks

  void make_forms_on_demand(const Kernel& kernel) {
    kernel.on_demand->make = [this, &kernel](Form form) -> const Kernel* {
      const auto found = link_form(kernel, form);
      return found ? *found : nullptr;
    };
  }

  /// Links `code`, a program of this kernel alone, as one of `forms`. False when `fits` says no of
  /// its facts.
  bool adopt(const Kernel& kernel, KernelForms& forms, const Program& code,
             const std::function<bool(const KernelFacts&)>& fits) {
    forms.settled.store(true, std::memory_order_relaxed);
    const CompiledProgram& compiled = code.implementation().module();
    const auto facts = std::find_if(
        compiled.kernels.begin(), compiled.kernels.end(),
        [&](const KernelFacts& candidate) { return candidate.name == kernel.facts.name; });
    if (facts == compiled.kernels.end() || !fits(*facts)) return false;
    auto made = LinkedPart::link(compiled, symbols, Streaming::Never);
    if (!made) return false;
    const Kernel* const form = (*made)->find(kernel.facts.name);
    // What this one lacks is a form of the first one, if that has none of its own.
    if (form->on_demand != nullptr && kernel.on_demand != nullptr)
      form->on_demand->make = kernel.on_demand->make;
    else if (form->on_demand != nullptr)
      make_forms_on_demand(*form);
    {
      const std::lock_guard lock(mutex);
      more.push_back(std::move(*made));
    }
    forms.better.store(form, std::memory_order_release);
    return true;
  }

  /// False when `code` has no vector form of the kernel.
  bool improve(const Kernel& kernel, const Program& code) {
    return adopt(kernel, *kernel.forms, code,
                 [](const KernelFacts& facts) { return facts.gang_lanes != 0; });
  }

  /// False when `code` has no such form, or one for other launches than the kernel's facts say.
  bool add_streaming_form(const Kernel& kernel, const Program& code) {
    return adopt(kernel, *kernel.streaming, code, [&](const KernelFacts& facts) {
      return facts.streams && facts.streamed == kernel.facts.streamed;
    });
  }

  /// Before the first launch: what the disk cache has, or whoever tests it wants at once.
  void take_streaming_form(const Kernel& kernel) {
    const std::string& name = kernel.facts.name;
    auto form = program->cached_streaming_kernel(name);
    if (form == nullptr && kernel.streaming->always) {
      if (auto made = program->compile_streaming_kernel(name)) form = std::move(*made);
    }
    if (form != nullptr) add_streaming_form(kernel, *form);
  }

  base::Result<const Kernel*, KernelFailure> link_form(const Kernel& kernel, Form form) {
    const std::string& name = kernel.facts.name;
    if (const Kernel* const known = find_form(kernel, form)) return known;
    const auto compiled = program->implementation().form(name, form);
    if (!compiled) return compile_failure(name, compiled.error());
    const std::lock_guard lock(mutex);
    if (const Kernel* const known = find_form(kernel, form)) return known;
    auto made = LinkedPart::link(**compiled, symbols, Streaming::Never);
    if (!made) return link_failure(name, made.error().message);
    const Kernel* const found = (*made)->find(name);
    if (found == nullptr) return link_failure(name, "it is not in its code");
    more.push_back(std::move(*made));
    // What this one lacks is a form of the first one, too.
    if (found->on_demand != nullptr) found->on_demand->make = kernel.on_demand->make;
    kernel.on_demand->made[static_cast<std::size_t>(form)].store(found, std::memory_order_release);
    return found;
  }

  base::Result<const Kernel*, KernelFailure> link_checked(std::size_t number, Checks checks) {
    const std::string& name = program->kernels()[number].name;
    const std::lock_guard lock(checked_mutex);
    const Kernel*& known = checked[{number, checks.bits()}];
    if (known != nullptr) return known;
    const auto compiled = program->implementation().checked(name, checks);
    if (!compiled) return compile_failure(name, compiled.error());
    auto made = LinkedPart::link(**compiled, symbols, Streaming::Never);
    if (!made) return link_failure(name, made.error().message);
    const Kernel* const found = (*made)->find(name);
    if (found == nullptr) return link_failure(name, "it is not in its code");
    const std::lock_guard hold(mutex);
    more.push_back(std::move(*made));
    known = found;
    return found;
  }

  static KernelFailure compile_failure(std::string_view name, const ptx::Diagnostics& why) {
    return {KernelFailure::Stage::Compile,
            "kernel '" + std::string(name) + "' could not be compiled: " + ptx::to_text(why)};
  }
  /// Without a name: of all code.
  static KernelFailure link_failure(std::string_view name, const std::string& why) {
    return {KernelFailure::Stage::Link,
            (name.empty() ? "the module's code" : "kernel '" + std::string(name) + "'") +
                " could not be linked: " + why};
  }

  base::Result<const LinkedPart*, KernelFailure> link_part(std::size_t number,
                                                           std::string_view asked_for) {
    PartState& state = parts[number];
    const std::lock_guard lock(state.mutex);
    if (state.code != nullptr) return state.code.get();
    const auto compiled = program->implementation().part(number);
    if (!compiled) return compile_failure(asked_for, compiled.error());
    auto made =
        LinkedPart::link(**compiled, symbols, program->implementation().options().streaming);
    if (!made) return link_failure(asked_for, made.error().message);
    for (const Kernel& kernel : (*made)->kernels()) {
      if (kernel.on_demand != nullptr) make_forms_on_demand(kernel);
      if (kernel.forms != nullptr) {
        if (auto form = program->cached_kernel(kernel.facts.name)) improve(kernel, *form);
      }
      if (kernel.streaming != nullptr) take_streaming_form(kernel);
      if (before_use) before_use(kernel);
    }
    state.code = std::move(*made);
    for (const Kernel& kernel : state.code->kernels()) {
      const auto found = kernel_numbers.find(kernel.facts.name);
      if (found != kernel_numbers.end() &&
          program->implementation().part_of(kernel.facts.name) == number)
        linked[found->second].store(&kernel, std::memory_order_release);
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
    std::function<void(const Kernel&)> before_use) {
  auto loaded = std::make_unique<Implementation>(std::move(program), std::move(before_use));
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
      return base::Failure{"out of memory for the variable '" + image.variable.name + "'"};
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
  return implementation_->linked[number].load(std::memory_order_acquire);
}

base::Result<const Kernel*, KernelFailure> LoadedProgram::link_kernel(std::size_t number) const {
  if (const Kernel* const linked = linked_kernel(number)) return linked;
  const Program& program = *implementation_->program;
  const std::string& name = program.kernels()[number].name;
  const auto part = implementation_->link_part(program.implementation().part_of(name), name);
  if (!part) return part.error();
  const Kernel* const linked = linked_kernel(number);
  if (linked == nullptr)
    return KernelFailure{KernelFailure::Stage::Link, "kernel '" + name + "' is not in its code"};
  return linked;
}

base::Result<const Kernel*, KernelFailure> LoadedProgram::link_form(const Kernel& kernel,
                                                                    Form form) const {
  return implementation_->link_form(kernel, form);
}

base::Result<const Kernel*, KernelFailure> LoadedProgram::link_checked(std::size_t number,
                                                                       Checks checks) const {
  return implementation_->link_checked(number, checks);
}

Checks LoadedProgram::checks() const {
  return implementation_->program->implementation().options().checks;
}

bool LoadedProgram::improve(const Kernel& kernel,
                            const std::shared_ptr<const Program>& better) const {
  return implementation_->improve(kernel, *better);
}

bool LoadedProgram::add_streaming_form(const Kernel& kernel,
                                       const std::shared_ptr<const Program>& form) const {
  return implementation_->add_streaming_form(kernel, *form);
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
