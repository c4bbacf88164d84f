// SPDX-License-Identifier: MIT
// Loading modules, and what is in them.
#include "cuda/module.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cuda/kernel.h"

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

/// A module's kernels, at most so many. Throws where the driver cannot tell them: before CUDA 12.4.
std::vector<std::string> names_of_kernels(const driver::DriverTable& driver, CUmodule module,
                                          unsigned int most) {
  unsigned int count = 0;
  driver.cuModuleGetFunctionCount(&count, module);
  std::vector<CUfunction> functions(std::min(count, most));
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

/// The names of a module's kernels, for a message: empty where the driver cannot tell them.
std::string kernels_in(const driver::DriverTable& driver, CUmodule module) {
  constexpr unsigned int kMost = 8;
  try {
    unsigned int count = 0;
    driver.cuModuleGetFunctionCount(&count, module);
    if (count == 0) return "the module has no kernels";
    std::string text;
    for (const std::string& name : names_of_kernels(driver, module, kMost)) {
      text += text.empty() ? "the module has " : ", ";
      text += "'" + name + "'";
    }
    if (count > kMost) text += " and " + std::to_string(count - kMost) + " more";
    return text;
  } catch (const driver::DriverError&) {
    return {};
  }
}

}  // namespace

ModulePtr Module::from_file(const std::string& path) {
  auto module = std::make_shared<Module>(Key{}, require_context());
  module->module_.driver().cuModuleLoad(module->module_.out(), path.c_str());
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
  const CUresult code =
      load.status(module->module_.out(), start, call.count(), call.keys(), call.values());
  if (log != nullptr) *log = call.log();
  if (code != CUDA_SUCCESS) throw load.error(code, call.log().errors);
  if (!has_own_length(image)) module->signatures_ = read_signatures(terminated.c_str());
  return module;
}

std::shared_ptr<Kernel> Module::kernel(const std::string& name) {
  const ContextScope scope(context());
  CUfunction handle = nullptr;
  const auto& get_function = module_.driver().cuModuleGetFunction;
  const CUresult code = get_function.status(&handle, this->handle(), name.c_str());
  if (code == CUDA_ERROR_NOT_FOUND) {
    const std::string known = kernels_in(module_.driver(), this->handle());
    throw get_function.error(code,
                             "no kernel '" + name + "'" + (known.empty() ? "" : ": " + known));
  }
  if (code != CUDA_SUCCESS) throw get_function.error(code);
  return std::make_shared<Kernel>(Kernel::Key{}, shared_from_this(), handle, name);
}

std::vector<std::string> Module::kernel_names() const {
  const ContextScope scope(context());
  return names_of_kernels(module_.driver(), handle(), std::numeric_limits<unsigned int>::max());
}

const std::vector<ParameterKind>* Module::parameter_kinds(std::string_view kernel) const {
  const auto found = signatures_.find(kernel);
  return found == signatures_.end() ? nullptr : &found->second;
}

Module::Global Module::global(const std::string& name) const {
  const ContextScope scope(context());
  Global global{};
  const auto& look_up = module_.driver().cuModuleGetGlobal;
  const CUresult code = look_up.status(&global.address, &global.bytes, handle(), name.c_str());
  if (code == CUDA_ERROR_NOT_FOUND) throw look_up.error(code, "no variable '" + name + "'");
  if (code != CUDA_SUCCESS) throw look_up.error(code);
  return global;
}

CUtexref Module::texture_reference(const std::string& name) const {
  const ContextScope scope(context());
  CUtexref reference = nullptr;
  module_.driver().cuModuleGetTexRef(&reference, handle(), name.c_str());
  return reference;
}

CUsurfref Module::surface_reference(const std::string& name) const {
  const ContextScope scope(context());
  CUsurfref reference = nullptr;
  module_.driver().cuModuleGetSurfRef(&reference, handle(), name.c_str());
  return reference;
}

std::shared_ptr<void> Module::keep(const std::string& key,
                                   const std::function<std::shared_ptr<void>()>& make) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<void>& kept = kept_[key];
  if (!kept) kept = make();
  return kept;
}

}  // namespace pycuda::cuda
