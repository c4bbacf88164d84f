// SPDX-License-Identifier: MIT
// A library: a program of no particular context, loaded into each context that asks; and its
// kernels.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "cpu/api/cuda_abi.h"
#include "cpu/api/module.h"
#include "cpu/jit/program.h"

namespace pycuda::cpu::api {

class Library;

/// What CUkernel stands for: a kernel of a library, in whatever context.
class KernelHandle {
 public:
  KernelHandle(Library& library, const KernelFacts& facts);
  ~KernelHandle();
  KernelHandle(const KernelHandle&) = delete;
  KernelHandle& operator=(const KernelHandle&) = delete;

  Library& library() const { return library_; }
  const KernelFacts& facts() const { return facts_; }
  CUkernel handle() const { return handle_; }
  /// The function in `context`, where the library is loaded if it is not yet.
  CUresult function_in(Context& context, Function** function);

 private:
  Library& library_;
  const KernelFacts& facts_;
  CUkernel handle_;
};

class Library {
 public:
  Library(std::shared_ptr<const jit::Program> program, unsigned max_registers);
  /// Unloads the modules of all contexts.
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  CUlibrary handle() const { return handle_; }
  const jit::Program& program() const { return *program_; }
  const std::vector<std::unique_ptr<KernelHandle>>& kernels() const { return kernels_; }
  KernelHandle* find_kernel(std::string_view name) const;
  /// The module in `context`, loaded if it is not yet.
  CUresult module_in(Context& context, Module** module);

  /// Attributes that hold on a device for all its contexts, also later ones.
  CUresult set_attribute(const KernelHandle& kernel, CUdevice device,
                         CUfunction_attribute attribute, int value);
  CUresult get_attribute(const KernelHandle& kernel, CUdevice device,
                         CUfunction_attribute attribute, int* value);

 private:
  struct Setting {
    const KernelHandle* kernel;
    CUdevice device;
    CUfunction_attribute attribute;
    auto operator<=>(const Setting&) const = default;
  };

  std::shared_ptr<const jit::Program> program_;
  unsigned max_registers_;
  std::shared_ptr<ManagedVariables> managed_ = std::make_shared<ManagedVariables>();
  std::vector<std::unique_ptr<KernelHandle>> kernels_;
  std::mutex mutex_;  // protects what follows
  std::map<std::uint64_t, CUmodule>
      modules_;  // by the context's id; a module may have gone with its context
  std::map<Setting, int> settings_;
  CUlibrary handle_;
};

}  // namespace pycuda::cpu::api
