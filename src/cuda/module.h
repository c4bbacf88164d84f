// SPDX-License-Identifier: MIT
// Loaded device code.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/jit_options.h"
#include "cuda/owned.h"
#include "cuda/parameter_types.h"
#include "cuda/ptx_signatures.h"

namespace pycuda::cuda {

class Kernel;
class Module;
using ModulePtr = std::shared_ptr<Module>;

/// Loaded into the current context. Kernels keep it alive.
class Module : public std::enable_shared_from_this<Module> {
  struct Key {};

 public:
  /// A cubin, PTX or fatbin file.
  static ModulePtr from_file(const std::string& path);
  /// An image of the same kinds; PTX need not end in a NUL. `log`, when given, is filled success or
  /// not. On failure the driver's error log stands in the exception after " - ".
  static ModulePtr from_image(std::string_view image, const JitOptions& options = {},
                              JitLog* log = nullptr);
  /// Another's module of the current context, never unloaded here; `owner` is kept. `image`, where
  /// it is not empty, is what it was loaded from.
  static ModulePtr borrow(CUmodule handle, std::string_view image, std::shared_ptr<void> owner);

  Module(Key, ContextPtr context) : module_(std::move(context)) {}

  CUmodule handle() const { return module_.get(); }
  const ContextPtr& context() const { return module_.context(); }

  /// By its name in the module, or in C++ where only one is meant by that ("space::k",
  /// "k<float, 3>", "k(float *)"). "cuModuleGetFunction failed: named symbol not found" when the
  /// module has no such kernel.
  std::shared_ptr<Kernel> kernel(const std::string& name);
  /// Of all kernels, as the driver orders them. Throws where it cannot tell: before CUDA 12.4.
  std::vector<std::string> kernel_names() const;
  /// Of the variables in device and constant memory, as the image orders them; nothing where it
  /// does not tell: a fatbin, or a module that was loaded from a file.
  const std::optional<std::vector<std::string>>& variable_names() const { return variables_; }

  /// The kinds of a kernel's parameters; null when the image did not tell.
  const std::vector<ParameterKind>* parameter_kinds(std::string_view kernel) const;

  /// Arrays that kernels get are to be checked against their C++ types from now on: `types` has
  /// mangled instances of a template over the kernels' function types, by the kernels' names; those
  /// with mangled names have them there. Call it before any kernel is asked for.
  void check_arguments(std::map<std::string, std::string, std::less<>> types);
  /// Empty where nothing is to be checked, or the types are not known.
  std::vector<ParameterType> parameter_types(const std::string& kernel) const;

  /// Where the user's program has a source that was compiled to the module: faults on the CPU
  /// driver name the place. `file` is the compiler's name of the source; "{}" in `place` stands for
  /// a line's number, counted from `first_line`. Does nothing on other drivers.
  void set_source(const std::string& file, const std::string& place, unsigned int first_line,
                  std::string_view text);

  /// See Kernel::may_wait_for_grid(); false where the image is not PTX.
  bool may_wait_for_grid(std::string_view kernel) const { return grid_kernels_.contains(kernel); }

  /// A variable of the module. The address dies with the module.
  struct Global {
    CUdeviceptr address;
    std::size_t bytes;
  };
  /// By its name in the module, or in C++ where only one is meant by that.
  Global global(const std::string& name) const;
  CUtexref texture_reference(const std::string& name) const;
  CUsurfref surface_reference(const std::string& name) const;

  /// What `make` gives at the first call for `key`: kept until the module is unloaded, before which
  /// it goes.
  std::shared_ptr<void> keep(const std::string& key,
                             const std::function<std::shared_ptr<void>()>& make);

 private:
  /// What the image tells besides what the driver does.
  void read_image(std::string_view image);
  std::shared_ptr<Kernel> kernel_by_cplusplus_name(const std::string& name);
  Global global_by_cplusplus_name(const std::string& name) const;
  /// Of pointers to the type, as the kernels whose types are known tell it.
  ElementType element_behind(std::string_view target) const;

  Owned<&driver::DriverTable::cuModuleUnload> module_;
  std::map<std::string, std::vector<ParameterKind>, std::less<>> signatures_;  ///< from PTX
  std::map<std::string, std::string, std::less<>> kernel_types_;               ///< mangled
  std::optional<std::vector<std::string>> variables_;
  bool checks_arguments_ = false;
  std::set<std::string, std::less<>> grid_kernels_;    ///< those that may wait for a grid
  std::mutex mutex_;                                   ///< protects what is kept
  std::map<std::string, std::shared_ptr<void>> kept_;  ///< gone before `module_`
};

}  // namespace pycuda::cuda
