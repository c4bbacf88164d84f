// SPDX-License-Identifier: MIT
// Programs linked into contexts.
#include "cpu/api/module.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/log.h"
#include "cpu/api/background.h"
#include "cpu/api/context.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/interruptible_compile.h"
#include "cpu/api/registry.h"
#include "cpu/api/texture_reference.h"
#include "cpu/exec/check_settings.h"
#include "cpu/exec/source_places.h"
#include "cpu/jit/program_code.h"
#include "cpu/variants/choose.h"
#include "cpu/variants/launch_form.h"

namespace pycuda::cpu::api {
namespace {

/// Held while a module is looked up to be kept, and while a handle goes: who finds a module finds
/// one that still is.
constinit std::mutex retiring;

CUresult result_of(const variants::KernelFailure& failure) {
  return fail(failure.stage == variants::KernelFailure::Stage::Compile ? CUDA_ERROR_INVALID_PTX
                                                                       : CUDA_ERROR_INVALID_IMAGE,
              failure.message);
}

/// What `make`, which may be interrupted, gives. All that it uses by value: it goes on then.
template <class Make>
CUresult kernel_of(Make make, const Kernel** kernel) {
  const std::optional<variants::Made> made = made_before_interrupt(std::move(make));
  if (!made) return CUDA_ERROR_TIMEOUT;
  if (!*made) return result_of(made->error());
  *kernel = **made;
  return CUDA_SUCCESS;
}

/// Functions that have addresses are there once: another copy of them would not be theirs. Says so
/// once for each kernel of a program.
[[gnu::noinline]] void tell_unchecked(const std::shared_ptr<const jit::Program>& program,
                                      const std::string& kernel) {
  using Told = std::map<std::weak_ptr<const jit::Program>, std::set<std::string>,
                        std::owner_less<std::weak_ptr<const jit::Program>>>;
  static std::mutex mutex;
  static auto& told = *new Told;
  const std::lock_guard lock(mutex);
  std::erase_if(told, [](const auto& entry) { return entry.first.expired(); });
  if (told[program].insert(kernel).second)
    base::log(base::LogLevel::Warning,
              "kernel '" + kernel +
                  "' calls functions by their addresses and is not checked: set PYCUDA_CPU_CHECK "
                  "before the program starts");
}

}  // namespace

CUresult ModuleImage::load(Context& context, const std::shared_ptr<const jit::Program>& program,
                           unsigned max_registers, std::shared_ptr<ManagedVariables> managed,
                           std::shared_ptr<const ModuleImage>* image) {
  const auto alone = managed != nullptr ? managed->lock_loading() : std::unique_lock<std::mutex>();
  auto loading = std::make_shared<ModuleImage>(context.device(), max_registers, std::move(managed));
  bool out_of_memory = false;
  auto code = jit::LoadedProgram::load(
      program,
      [&](const jit::GlobalVariable& variable) {
        const jit::VariableMemory memory = loading->place(variable, context);
        out_of_memory = out_of_memory || memory.address == nullptr;
        return memory;
      },
      background_of(loading));
  if (!code) {
    if (out_of_memory) return CUDA_ERROR_OUT_OF_MEMORY;
    return fail(CUDA_ERROR_INVALID_IMAGE, code.error().message);
  }
  if (loading->managed_ != nullptr) loading->managed_->mark_written();
  loading->code_ = std::move(code).value();
  const std::vector<KernelFacts>& kernels = program->kernels();
  loading->max_dynamic_shared_ = std::vector<std::atomic<int>>(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i)
    loading->set_max_dynamic_shared_bytes(i, default_dynamic_shared_bytes(kernels[i]));
  loading->kernel_addresses_ = context.device_runtime()->addresses();
  loading->kernel_addresses_->add(loading->code_->kernel_addresses(),
                                  kernels.size() * jit::LoadedProgram::kernel_address_step,
                                  loading);
  *image = std::move(loading);
  return CUDA_SUCCESS;
}

jit::VariableMemory ModuleImage::place(const jit::GlobalVariable& variable, Context& context) {
  if (variable.is_managed && managed_ != nullptr) return managed_->place(variable, device_);
  const exec::MemoryKind kind = variable.is_managed ? exec::MemoryKind::Managed
                                : variable.is_const ? exec::MemoryKind::ModuleConstant
                                                    : exec::MemoryKind::ModuleGlobal;
  // An empty array has an address too.
  const std::uint64_t bytes = std::max<std::uint64_t>(variable.bytes, 1);
  void* const memory =
      device_.memory().allocate(bytes, kind, context.handle(), std::max(variable.alignment, 256u));
  if (memory != nullptr) memory_.push_back(memory);
  return memory;
}

ModuleImage::~ModuleImage() {
  if (kernel_addresses_ != nullptr) kernel_addresses_->remove(code_->kernel_addresses());
  exec::remove_source_places(this);
  code_.reset();
  for (void* memory : memory_) device_.memory().release(memory);
}

CUresult ModuleImage::load_kernel(std::size_t number, const Kernel** kernel) const {
  // The module may be unloaded meanwhile.
  return kernel_of([held = shared_from_this(), number] { return held->code().link_kernel(number); },
                   kernel);
}

CUresult ModuleImage::load_checked(std::size_t number, variants::Variant variant,
                                   const Kernel** kernel) const {
  // What may be interrupted is left to another thread, which takes longer than a small launch.
  if (const Kernel* const known = code().table(number).ready(variant)) {
    *kernel = known;
    return CUDA_SUCCESS;
  }
  return kernel_of([held = shared_from_this(), number,
                    variant] { return held->code().table(number).make(variant); },
                   kernel);
}

/// Whether checked code in the forms that most launches need, and thread by thread, is expected to
/// run these, as the kernel's first code would. Where it cannot, compiling it is in vain.
bool ModuleImage::is_likely_size(std::size_t number, const LaunchBlocks& size) const {
  const Kernel* const first = code().linked_kernel(number);
  if (first == nullptr || first->facts.is_baseline) return false;
  const Form form = variants::form_of_launch(first->facts, size.grid, size.block);
  return form == Form::Threads || first->facts.forms.has(form);
}

CUresult ModuleImage::load_wanted(std::size_t number, const LaunchBlocks* size,
                                  const Kernel** kernel, Checks* checks) const {
  *kernel = nullptr;
  *checks = exec::wanted_checks();
  if (*checks == code().checks()) return CUDA_SUCCESS;
  if (checks->any()) {
    const std::string& name = facts(number).name;
    if (code().program()->implementation().may_be_copied(name)) {
      const auto all = variants::Variant::of(*checks);
      // What is counted depends on the width of gangs, which first code may choose otherwise.
      const bool may_be_likely = size != nullptr && !checks->has(Check::Counters) &&
                                 code().table(number).ready(all) == nullptr;
      if (may_be_likely && is_likely_size(number, *size)) {
        const CUresult status = load_checked(number, variants::Variant::likely(*checks), kernel);
        if (status != CUDA_SUCCESS || variants::can_run((*kernel)->facts, size->grid, size->block))
          return status;
      }
      return load_checked(number, all, kernel);
    }
    tell_unchecked(code().program(), name);
  }
  // Code that checks what nobody asks for any longer.
  *checks = code().checks();
  return CUDA_SUCCESS;
}

CUresult ModuleImage::load_form(const Dim3& grid, const Dim3& block, const Kernel** kernel) const {
  return kernel_of([held = shared_from_this(), code = *kernel, grid,
                    block] { return variants::code_for(*code, grid, block); },
                   kernel);
}

CUresult ModuleImage::load_launched_kernels() const {
  const std::vector<KernelFacts>& kernels = code_->program()->kernels();
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const Kernel* loaded = nullptr;
    Checks checks;
    if (!kernels[i].launched_by_kernels) continue;
    CUresult status = load_wanted(i, nullptr, &loaded, &checks);
    if (status == CUDA_SUCCESS && loaded == nullptr) status = load_kernel(i, &loaded);
    if (status != CUDA_SUCCESS) return status;
  }
  return CUDA_SUCCESS;
}

Function::Function(Module& module, std::size_t number)
    : module_(module),
      number_(number),
      facts_(module.image()->code().program()->kernels()[number]),
      clusters_(module.image()->code().program()->implementation().clusters_of(facts_.name)),
      launched_are_loaded_(!facts_.calls_device_runtime()),
      handle_(registry.functions.insert(this)) {}

ptx::ClusterDirectives Function::clusters() const {
  ptx::ClusterDirectives directives = clusters_;
  if (directives.required[0] != 0) return directives;
  for (std::size_t i = 0; i < required_cluster_.size(); ++i)
    directives.required[i] = static_cast<std::uint32_t>(required_cluster_[i].load());
  return directives;
}

unsigned Function::registers() const {
  return registers_within(facts_, module_.image()->max_registers());
}

const Kernel* Function::kernel() const {
  const Kernel* known = kernel_.load(std::memory_order_acquire);
  if (known == nullptr) {
    known = module_.image()->code().linked_kernel(number_);
    kernel_.store(known, std::memory_order_release);
  }
  return known;
}

unsigned Function::max_dynamic_shared_bytes() const {
  return module_.image()->max_dynamic_shared_bytes(number_);
}

CUresult Function::load(const Kernel** kernel) const {
  if (!launched_are_loaded_.load(std::memory_order_acquire)) {
    const CUresult status = module_.image()->load_launched_kernels();
    if (status != CUDA_SUCCESS) return status;
    launched_are_loaded_.store(true, std::memory_order_release);
  }
  *kernel = this->kernel();
  return *kernel != nullptr ? CUDA_SUCCESS : module_.image()->load_kernel(number_, kernel);
}

CUresult Function::load_for(const Dim3& grid, const Dim3& block, const Kernel** kernel,
                            Checks* checks) const {
  *checks = exec::wanted_checks();
  if (*checks != module_.image()->code().checks()) [[unlikely]] {
    const LaunchBlocks size{grid, block};
    const CUresult status = module_.image()->load_wanted(number_, &size, kernel, checks);
    if (status != CUDA_SUCCESS) return status;
    if (*kernel != nullptr)
      return facts_.calls_device_runtime() ? module_.image()->load_launched_kernels()
                                           : CUDA_SUCCESS;
  }
  const CUresult status = load(kernel);
  if (status != CUDA_SUCCESS || (*kernel)->table == nullptr) return status;
  const variants::Choice choice = variants::choose(**kernel, grid, block);
  // Other work than on forms is for when the kernel has run for long.
  if (choice.work && choice.work->is_form()) [[unlikely]]
    return module_.image()->load_form(grid, block, kernel);
  *kernel = choice.code;
  return CUDA_SUCCESS;
}

Function::~Function() { registry.functions.erase(handle_, this); }

CUresult Function::get(CUfunction_attribute attribute, int* value) const {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(max_dynamic_shared_bytes());
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = carveout_;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *value = non_portable_clusters_;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = cluster_scheduling_;
      return CUDA_SUCCESS;
    default:
      return fact_attribute(facts_, clusters(), module_.image()->max_registers(), attribute, value);
  }
}

CUresult Function::set(CUfunction_attribute attribute, int value) {
  const CUresult status = check_attribute(facts_, attribute, value);
  if (status != CUDA_SUCCESS) return status;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      module_.image()->set_max_dynamic_shared_bytes(number_, value);
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      non_portable_clusters_ = value != 0 ? 1 : 0;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      if (clusters_.required[0] != 0) return CUDA_ERROR_INVALID_VALUE;
      required_cluster_[static_cast<std::size_t>(attribute -
                                                 CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH)] = value;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      cluster_scheduling_ = value;
      break;
    default:
      carveout_ = value;
  }
  return CUDA_SUCCESS;
}

Module::Module(Context& context, std::shared_ptr<const ModuleImage> image, bool of_library)
    : context_(context), image_(std::move(image)), of_library_(of_library) {
  for (std::size_t i = 0; i < image_->code().program()->kernels().size(); ++i)
    functions_.push_back(std::make_unique<Function>(*this, i));
  make_references();
  handle_ = registry.modules.insert(this);
}

void Module::make_references() {
  const jit::LoadedProgram& code = image_->code();
  for (const jit::GlobalVariable& variable : code.program()->variables()) {
    if (variable.reference == jit::ReferenceKind::None) continue;
    std::uint64_t number = 0;
    if (variable.reference == jit::ReferenceKind::Sampler) {
      samplers_.push_back(std::make_unique<SamplerReference>(variable.properties));
      number = samplers_.back()->number();
    } else {
      const bool surface = variable.reference == jit::ReferenceKind::Surface;
      references_.push_back(std::make_unique<TextureReference>(context_, variable.name, surface,
                                                               variable.properties));
      number = references_.back()->number();
    }
    std::memcpy(code.find_variable(variable.name)->address, &number, sizeof number);
  }
}

Module::~Module() { retire(); }

std::shared_ptr<Module> Module::share(CUmodule handle) {
  const std::lock_guard lock(retiring);
  Module* const module = registry.modules.find(handle);
  return module != nullptr ? module->weak_from_this().lock() : nullptr;
}

void Module::retire() {
  const std::lock_guard lock(retiring);
  registry.modules.erase(handle_, this);
}

Function* Module::find_function(std::string_view name) const {
  const auto found = std::find_if(functions_.begin(), functions_.end(), [&](const auto& function) {
    return function->facts().name == name;
  });
  return found != functions_.end() ? found->get() : nullptr;
}

TextureReference* Module::find_reference(std::string_view name, bool surface) const {
  for (const auto& reference : references_) {
    if (reference->is_surface() == surface && reference->name() == name) return reference.get();
  }
  return nullptr;
}

int default_dynamic_shared_bytes(const KernelFacts& facts) {
  constexpr unsigned limit = DeviceLimits::shared_bytes_per_block;
  const unsigned declared = facts.declared_shared_bytes();
  return declared < limit ? static_cast<int>(limit - declared) : 0;
}

unsigned registers_within(const KernelFacts& facts, unsigned max_registers) {
  const bool has_bounds =
      facts.max_threads != DeviceLimits::threads_per_block || facts.required_block.x != 0;
  return max_registers != 0 && !has_bounds ? std::min<unsigned>(facts.registers, max_registers)
                                           : facts.registers;
}

CUresult fact_attribute(const KernelFacts& facts, const ptx::ClusterDirectives& clusters,
                        unsigned max_registers, CUfunction_attribute attribute, int* value) {
  const bool has_clusters = claimed_architecture().has_clusters();
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(facts.max_threads);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(facts.declared_shared_bytes());
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
      *value = static_cast<int>(facts.const_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(facts.local_bytes);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = static_cast<int>(registers_within(facts, max_registers));
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = static_cast<int>(facts.target);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = static_cast<int>(claimed_architecture().capability);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *value = has_clusters && clusters.is_explicit ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      *value = has_clusters ? static_cast<int>(clusters.required[0]) : 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      *value = has_clusters ? static_cast<int>(clusters.required[1]) : 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *value = has_clusters ? static_cast<int>(clusters.required[2]) : 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      *value = 0;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult check_attribute(const KernelFacts& facts, CUfunction_attribute attribute, int value) {
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES: {
      const auto limit = std::int64_t{claimed_architecture().shared_bytes_per_block_optin};
      return value >= 0 && value <= limit - facts.declared_shared_bytes()
                 ? CUDA_SUCCESS
                 : CUDA_ERROR_INVALID_VALUE;
    }
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return value >= -1 && value <= 100 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      return claimed_architecture().has_clusters() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      return claimed_architecture().has_clusters() && value >= 0 ? CUDA_SUCCESS
                                                                 : CUDA_ERROR_INVALID_VALUE;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return claimed_architecture().has_clusters() &&
                     value >= CU_CLUSTER_SCHEDULING_POLICY_DEFAULT &&
                     value <= CU_CLUSTER_SCHEDULING_POLICY_LOAD_BALANCING
                 ? CUDA_SUCCESS
                 : CUDA_ERROR_INVALID_VALUE;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult load_module(Context& context, const std::shared_ptr<const jit::Program>& program,
                     unsigned max_registers, std::shared_ptr<ManagedVariables> managed,
                     Module** module) {
  const bool of_library = managed != nullptr;
  std::shared_ptr<const ModuleImage> image;
  const CUresult status =
      ModuleImage::load(context, program, max_registers, std::move(managed), &image);
  if (status != CUDA_SUCCESS) return status;
  auto made = std::make_shared<Module>(context, std::move(image), of_library);
  *module = made.get();
  context.adopt(std::move(made));
  return CUDA_SUCCESS;
}

}  // namespace pycuda::cpu::api
