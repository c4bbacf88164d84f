// SPDX-License-Identifier: MIT
// A module: a program linked into one context, with memory for its variables and a handle for each
// kernel.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/managed_variables.h"
#include "cpu/api/virtual_device.h"
#include "cpu/jit/program.h"
#include "cpu/kernel_abi/kernel.h"
#include "cpu/ptx/cluster_directives.h"
#include "cpu/variants/variant.h"

namespace pycuda::cpu::api {

class Context;
class KernelAddresses;
class Module;
class SamplerReference;
class TextureReference;

/// A launch's grid in blocks and its blocks in threads.
struct LaunchBlocks {
  Dim3 grid, block;
};

/// The code and the variables' memory. Launches that are queued hold it, so it may outlive its
/// module.
class ModuleImage : public std::enable_shared_from_this<ModuleImage> {
 public:
  /// Managed variables are `managed`'s, if given, and otherwise the image's own.
  /// NOT enough memory: OUT_OF_MEMORY, with null.
  static CUresult load(Context& context, const std::shared_ptr<const jit::Program>& program,
                       unsigned max_registers, std::shared_ptr<ManagedVariables> managed,
                       std::shared_ptr<const ModuleImage>* image);
  ModuleImage(VirtualDevice& device, unsigned max_registers,
              std::shared_ptr<ManagedVariables> managed)
      : device_(device), max_registers_(max_registers), managed_(std::move(managed)) {}
  ~ModuleImage();
  ModuleImage(const ModuleImage&) = delete;
  ModuleImage& operator=(const ModuleImage&) = delete;

  const jit::LoadedProgram& code() const { return *code_; }
  /// The kernel of this number in the program, compiled and linked if it is not yet: blocking then;
  /// any thread. INVALID_PTX where no code can be made of it, INVALID_IMAGE where that cannot be
  /// linked; the log says why.
  CUresult load_kernel(std::size_t number, const Kernel** kernel) const;
  /// The same for all kernels that kernels of the module may launch, with the checks wanted now.
  CUresult load_launched_kernels() const;
  /// The same in code of this variant, which does other checks than the module's own.
  CUresult load_checked(std::size_t number, variants::Variant variant, const Kernel** kernel) const;
  /// The same in code that does the checks wanted now, for launches of this size, or null: of any.
  /// Null in `kernel` where these are the module's own, or no such code can be made, which the log
  /// says; `checks`: those of the code.
  CUresult load_wanted(std::size_t number, const LaunchBlocks* size, const Kernel** kernel,
                       Checks* checks) const;
  /// Puts in place of a kernel's code, which lacks a form, the one that runs launches of this size
  /// now (variants::code_for). As load_kernel otherwise.
  CUresult load_form(const Dim3& grid, const Dim3& block, const Kernel** kernel) const;
  unsigned max_registers() const { return max_registers_; }
  const KernelFacts& facts(std::size_t number) const { return code_->program()->kernels()[number]; }
  /// Dynamic shared memory that launches of the kernel may ask for, by the host or by kernels.
  unsigned max_dynamic_shared_bytes(std::size_t number) const {
    return static_cast<unsigned>(max_dynamic_shared_[number].load(std::memory_order_relaxed));
  }
  void set_max_dynamic_shared_bytes(std::size_t number, int bytes) const {
    max_dynamic_shared_[number].store(bytes, std::memory_order_relaxed);
  }

 private:
  bool is_likely_size(std::size_t number, const LaunchBlocks& size) const;
  jit::VariableMemory place(const jit::GlobalVariable& variable, Context& context);

  VirtualDevice& device_;
  unsigned max_registers_;
  std::shared_ptr<ManagedVariables> managed_;  // of a library; null for other modules
  std::shared_ptr<KernelAddresses> kernel_addresses_;
  mutable std::vector<std::atomic<int>> max_dynamic_shared_;  // by the kernel's number
  std::vector<void*> memory_;
  std::unique_ptr<jit::LoadedProgram> code_;  // unlinked before its memory goes
};

/// A kernel of a module: what CUfunction stands for.
class Function {
 public:
  /// `number`: of the kernel in the module's program.
  Function(Module& module, std::size_t number);
  ~Function();
  Function(const Function&) = delete;
  Function& operator=(const Function&) = delete;

  Module& module() const { return module_; }
  std::size_t number() const { return number_; }
  /// What the PTX says of the kernel: there is no need to load it for that.
  const KernelFacts& facts() const { return facts_; }
  /// Null while the kernel is not loaded.
  const Kernel* kernel() const;
  /// Loads the kernel if it is not yet (ModuleImage::load_kernel), and those it may launch.
  CUresult load(const Kernel** kernel) const;
  /// The same with code for launches of this size, which does the checks that are wanted now.
  CUresult load_for(const Dim3& grid, const Dim3& block, const Kernel** kernel,
                    Checks* checks) const;
  CUfunction handle() const { return handle_; }
  /// What the PTX says of its clusters, or the program where that says nothing
  /// (CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH and its like).
  ptx::ClusterDirectives clusters() const;

  CUresult get(CUfunction_attribute attribute, int* value) const;
  /// Of a thread: what the PTX says, within the limit that the module was loaded with.
  unsigned registers() const;
  CUresult set(CUfunction_attribute attribute, int value);
  /// Dynamic shared memory that a launch may ask for.
  unsigned max_dynamic_shared_bytes() const;
  /// CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED.
  bool allows_non_portable_clusters() const { return non_portable_clusters_ != 0; }

  /// The launch that the functions of before CUDA 4 build up step by step.
  struct PendingLaunch {
    std::mutex mutex;  // protects the rest
    Dim3 block{0, 0, 0};
    unsigned dynamic_shared_bytes = 0;
    std::string params;
  };
  PendingLaunch& pending() { return pending_; }

 private:
  Module& module_;
  std::size_t number_;
  const KernelFacts& facts_;
  const ptx::ClusterDirectives clusters_;
  mutable std::atomic<const Kernel*> kernel_{nullptr};  // once it is known to be loaded
  mutable std::atomic<bool> launched_are_loaded_;
  std::atomic<int> carveout_{-1};
  std::atomic<int> non_portable_clusters_{0};
  std::atomic<int> cluster_scheduling_{0};
  std::array<std::atomic<int>, 3> required_cluster_{};  ///< where the PTX requires none
  PendingLaunch pending_;
  CUfunction handle_;
};

/// In shared pointers alone: a call that uses a module keeps it, even if it is unloaded meanwhile.
class Module : public std::enable_shared_from_this<Module> {
 public:
  Module(Context& context, std::shared_ptr<const ModuleImage> image, bool of_library);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  /// The module of this handle, which stays as long as the result does; null where there is none.
  static std::shared_ptr<Module> share(CUmodule handle);
  /// Its handle is none from now on.
  void retire();

  Context& context() const { return context_; }
  CUmodule handle() const { return handle_; }
  const std::shared_ptr<const ModuleImage>& image() const { return image_; }
  /// Belongs to a CUlibrary, which alone may unload it.
  bool is_of_library() const { return of_library_; }
  const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
  Function* find_function(std::string_view name) const;
  /// The texture or the surface reference of this name, or null.
  TextureReference* find_reference(std::string_view name, bool surface) const;

 private:
  void make_references();

  Context& context_;
  std::shared_ptr<const ModuleImage> image_;
  bool of_library_;
  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<std::unique_ptr<TextureReference>> references_;
  std::vector<std::unique_ptr<SamplerReference>> samplers_;
  CUmodule handle_;
};

/// Of a thread: what the PTX says, within the limit that the module was loaded with (0: none).
/// Launch bounds of the kernel's own come before that.
unsigned registers_within(const KernelFacts& facts, unsigned max_registers);
/// The attributes that follow from a kernel's facts and the limit of registers that its module was
/// loaded with (0: none); INVALID_VALUE for any other.
CUresult fact_attribute(const KernelFacts& facts, const ptx::ClusterDirectives& clusters,
                        unsigned max_registers, CUfunction_attribute attribute, int* value);
/// Checks a value for an attribute that can be set.
CUresult check_attribute(const KernelFacts& facts, CUfunction_attribute attribute, int value);
/// Shared memory left for a launch of this kernel without opting in to more.
int default_dynamic_shared_bytes(const KernelFacts& facts);

/// Loads `program` into `context`, which owns the module from then on. `max_registers`: see
/// JitOptions. `managed` is given for modules of libraries alone.
CUresult load_module(Context& context, const std::shared_ptr<const jit::Program>& program,
                     unsigned max_registers, std::shared_ptr<ManagedVariables> managed,
                     Module** module);

}  // namespace pycuda::cpu::api
