// SPDX-License-Identifier: MIT
// Loading modules, and what is in them.
#include "cuda/module.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/cxx_names.h"
#include "cuda/declared_reference.h"
#include "cuda/device_memory.h"
#include "cuda/grid_launches.h"
#include "cuda/kernel.h"
#include "cuda/kernel_names.h"
#include "cuda/variable_names.h"

namespace pycuda::cuda {
namespace {

/// ELF (a cubin) and fatbins carry their length; everything else is read up to a NUL.
bool has_own_length(std::string_view image) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  constexpr std::string_view kFatbin = "\x50\xed\x55\xba";
  constexpr std::string_view kFatbinWrapper = "\xb1\x43\x62\x46";
  return image.starts_with(kElf) || image.starts_with(kFatbin) || image.starts_with(kFatbinWrapper);
}

/// Whether a parameter's type is a name of the source's own: a struct's or an enumeration's.
bool may_be_enumeration(std::string_view type) {
  return plain_number(type).kind == ElementType::Kind::Any && vector_type(type).count == 0 &&
         complex_number(type).kind == ElementType::Kind::Any;
}

/// A module's kernels. Throws where the driver cannot tell them: before CUDA 12.4.
std::vector<std::string> names_of_kernels(const driver::DriverTable& driver, CUmodule module) {
  unsigned int count = 0;
  driver.cuModuleGetFunctionCount(&count, module);
  std::vector<CUfunction> functions(count);
  if (functions.empty()) return {};
  driver.cuModuleEnumerateFunctions(functions.data(), static_cast<unsigned int>(functions.size()),
                                    module);
  std::vector<std::string> names;
  for (CUfunction function : functions) {
    const char* name = nullptr;
    driver.cuFuncGetName(&name, function);
    names.emplace_back(name);
  }
  return names;
}

/// Calls `attempt`, which answers a status, with the context current: once more when memory was
/// short and could be had, then once more when what is set aside for modules has been freed.
template <class Attempt>
CUresult with_memory_for_code(const ContextPtr& context, Attempt&& attempt) {
  CUresult code = attempt();
  if (code == CUDA_ERROR_OUT_OF_MEMORY && relieve_memory_pressure()) {
    // The hook ran foreign code, which may have left another context current.
    const ContextScope scope(context);
    code = attempt();
  }
  if (code != CUDA_ERROR_OUT_OF_MEMORY) return code;
  const ContextScope scope(context);
  return context->free_module_reserve() ? attempt() : code;
}

/// What is wrong with an image that is the source of a kernel.
std::string advice_on_image(std::string_view image) {
  if (image.find("__global__") == std::string_view::npos || image.find(".version") < image.size())
    return {};
  return "this is a source: pycuda.compiler.SourceModule compiles it";
}

/// The reference of this name, which `look_up` finds. `kind` is the word for it, `mark` what its
/// variable has.
template <class Reference, class LookUp>
Reference find_reference(const Module& module, const LookUp& look_up, const std::string& name,
                         const char* kind, std::uint64_t mark) {
  const ContextScope scope(module.context());
  Reference reference = nullptr;
  const CUresult code = look_up.status(&reference, module.handle(), name.c_str());
  if (code == CUDA_ERROR_NOT_FOUND)
    throw look_up.error(code, no_such_symbol(kind, declared_references(module, mark), name));
  if (code != CUDA_SUCCESS) throw look_up.error(code);
  return reference;
}

}  // namespace

ModulePtr Module::from_file(const std::string& path) {
  auto module = std::make_shared<Module>(Key{}, require_context());
  const auto& load = module->module_.driver().cuModuleLoad;
  const CUresult code = with_memory_for_code(
      module->context(), [&] { return load.status(module->module_.out(), path.c_str()); });
  if (code != CUDA_SUCCESS) {
    const bool is_source = path.ends_with(".cu") && code != CUDA_ERROR_FILE_NOT_FOUND;
    throw load.error(code, "'" + path + "'" +
                               (is_source ? ", a source: pycuda.compiler.SourceModule(open(path)."
                                            "read()) compiles it"
                                          : ""));
  }
  return module;
}

ModulePtr Module::from_image(std::string_view image, const JitOptions& options, JitLog* log) {
  auto module = std::make_shared<Module>(Key{}, require_context());
  std::string terminated;
  const void* start = image.data();
  if (!has_own_length(image)) {
    terminated = image;
    start = terminated.c_str();
  }
  const auto& load = module->module_.driver().cuModuleLoadDataEx;
  JitCall call(options);
  const CUresult code = with_memory_for_code(module->context(), [&] {
    return load.status(module->module_.out(), start, call.count(), call.keys(), call.values());
  });
  if (log != nullptr) *log = call.log();
  if (code != CUDA_SUCCESS) {
    const std::string advice = has_own_length(image) ? std::string() : advice_on_image(image);
    throw load.error(code, advice.empty() ? call.log().errors : advice);
  }
  module->read_image(image);
  return module;
}

ModulePtr Module::borrow(CUmodule handle, std::string_view image, std::shared_ptr<void> owner) {
  const ContextPtr context = require_context();
  auto module = std::make_shared<Module>(Key{}, context);
  module->module_ = decltype(module_)::borrow(context, handle);
  if (!image.empty()) module->read_image(image);
  module->kept_["owner"] = std::move(owner);
  return module;
}

void Module::read_image(std::string_view image) {
  variables_ = names_of_variables(image);
  if (has_own_length(image)) return;
  const std::string terminated(image);
  signatures_ = read_signatures(terminated.c_str());
  grid_kernels_ = kernels_that_wait_for_grid(terminated);
}

std::shared_ptr<Kernel> Module::kernel(const std::string& name) {
  const ContextScope scope(context());
  CUfunction handle = nullptr;
  const auto& get_function = module_.driver().cuModuleGetFunction;
  const CUresult code = with_memory_for_code(
      context(), [&] { return get_function.status(&handle, this->handle(), name.c_str()); });
  if (code == CUDA_ERROR_NOT_FOUND) return kernel_by_cplusplus_name(name);
  if (code != CUDA_SUCCESS) throw get_function.error(code);
  return std::make_shared<Kernel>(Kernel::Key{}, shared_from_this(), handle, name);
}

std::shared_ptr<Kernel> Module::kernel_by_cplusplus_name(const std::string& name) {
  const auto& get_function = module_.driver().cuModuleGetFunction;
  std::vector<std::string> names;
  try {
    names = kernel_names();
  } catch (const driver::DriverError&) {
    throw get_function.error(CUDA_ERROR_NOT_FOUND, "no kernel '" + name + "'");
  }
  const std::vector<std::string> found = symbols_named(names, name);
  if (found.size() == 1 && found.front() != name) return kernel(found.front());
  throw get_function.error(CUDA_ERROR_NOT_FOUND, found.size() > 1
                                                     ? ambiguous_symbol("kernel", found, name)
                                                     : no_such_symbol("kernel", names, name));
}

std::vector<std::string> Module::kernel_names() const {
  const ContextScope scope(context());
  return names_of_kernels(module_.driver(), handle());
}

const std::vector<ParameterKind>* Module::parameter_kinds(std::string_view kernel) const {
  const auto found = signatures_.find(kernel);
  return found == signatures_.end() ? nullptr : &found->second;
}

void Module::check_arguments(std::map<std::string, std::string, std::less<>> types) {
  kernel_types_ = std::move(types);
  checks_arguments_ = true;
}

std::vector<ParameterType> Module::parameter_types(const std::string& kernel) const {
  if (!checks_arguments_) return {};
  const auto found = kernel_types_.find(kernel);
  if (found != kernel_types_.end()) return read_type_arguments(base::demangled(found->second));
  std::vector<ParameterType> types = read_parameter_types(base::demangled(kernel));
  // A mangled name does not tell which number an enumeration is.
  for (ParameterType& type : types) {
    if (type.element.kind != ElementType::Kind::Any) continue;
    const std::string_view target = pointer_target(type.text);
    if (!target.empty()) {
      type.element = element_behind(target);
    } else if (may_be_enumeration(type.text)) {
      const bool is_known = element_behind(type.text).kind == ElementType::Kind::Integer;
      type.enumeration =
          is_known ? ParameterType::Enumeration::Yes : ParameterType::Enumeration::Perhaps;
    }
  }
  return types;
}

ElementType Module::element_behind(std::string_view target) const {
  for (const auto& [kernel, mangled] : kernel_types_) {
    for (const ParameterType& known : read_type_arguments(base::demangled(mangled))) {
      if (pointer_target(known.text) == target) return known.element;
    }
  }
  return {};
}

void Module::set_source(const std::string& file, const std::string& place, unsigned int first_line,
                        std::string_view text) {
  const driver::DriverTable& driver = module_.driver();
  if (driver.set_source == nullptr) return;
  const ContextScope scope(context());
  const CUresult code = driver.set_source(handle(), file.c_str(), place.c_str(), first_line,
                                          text.data(), text.size());
  if (code != CUDA_SUCCESS) throw driver::DriverError(driver, "cuCpuModuleSetSource", code);
}

Module::Global Module::global(const std::string& name) const {
  const ContextScope scope(context());
  Global global{};
  const auto& look_up = module_.driver().cuModuleGetGlobal;
  const CUresult code = look_up.status(&global.address, &global.bytes, handle(), name.c_str());
  if (code == CUDA_ERROR_NOT_FOUND) return global_by_cplusplus_name(name);
  if (code != CUDA_SUCCESS) throw look_up.error(code);
  return global;
}

Module::Global Module::global_by_cplusplus_name(const std::string& name) const {
  const auto& look_up = module_.driver().cuModuleGetGlobal;
  if (!variables_) throw look_up.error(CUDA_ERROR_NOT_FOUND, "no variable '" + name + "'");
  const std::vector<std::string> found = symbols_named(*variables_, name);
  if (found.size() == 1 && found.front() != name) return global(found.front());
  throw look_up.error(CUDA_ERROR_NOT_FOUND, found.size() > 1
                                                ? ambiguous_symbol("variable", found, name)
                                                : no_such_symbol("variable", *variables_, name));
}

CUtexref Module::texture_reference(const std::string& name) const {
  return find_reference<CUtexref>(*this, module_.driver().cuModuleGetTexRef, name,
                                  "texture reference", DeclaredReference::kTexture);
}

CUsurfref Module::surface_reference(const std::string& name) const {
  return find_reference<CUsurfref>(*this, module_.driver().cuModuleGetSurfRef, name,
                                   "surface reference", DeclaredReference::kSurface);
}

std::shared_ptr<void> Module::keep(const std::string& key,
                                   const std::function<std::shared_ptr<void>()>& make) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<void>& kept = kept_[key];
  if (!kept) kept = make();
  return kept;
}

}  // namespace pycuda::cuda
