// SPDX-License-Identifier: MIT
// One object file's kernels, linked into this process and ready to run.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cpu/jit/link.h"
#include "cpu/jit/object_cache.h"
#include "cpu/kernel_abi/kernel.h"

namespace pycuda::cpu::jit {

/// Unlinked when destroyed.
class LinkedPart {
 public:
  using Symbols = std::vector<std::pair<std::string, void*>>;

  /// Links the object code against `symbols`, the module's variables, and finds its kernels' entry
  /// points. `streaming`: which launches may have other code for their stores. Any thread.
  static base::Result<std::unique_ptr<LinkedPart>> link(const CompiledProgram& compiled,
                                                        const Symbols& symbols,
                                                        Streaming streaming);

  std::vector<Kernel>& kernels() { return kernels_; }
  /// The kernel of this name, or null.
  Kernel* find(std::string_view name);
  /// The address of a symbol that the code defines, or null.
  void* address_of(std::string_view symbol) const { return code_->find(symbol); }

 private:
  bool bind_threads(Kernel& kernel) const;
  bool bind_gangs(Kernel& kernel) const;
  base::Result<bool> bind_kernels(const std::vector<KernelFacts>& facts, Streaming streaming);

  std::unique_ptr<LinkedObject> code_;
  std::vector<Kernel> kernels_;
};

}  // namespace pycuda::cpu::jit
