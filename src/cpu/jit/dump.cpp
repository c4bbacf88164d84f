// SPDX-License-Identifier: MIT
#include "cpu/jit/dump.h"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <atomic>
#include <filesystem>
#include <system_error>

#include "base/env.h"

namespace pycuda::cpu::jit {

void dump(const char* stage, const llvm::Module& module) {
  static const auto folder = base::environment("PYCUDA_CPU_DUMP");
  if (!folder || folder->empty()) return;
  static std::atomic<int> count{0};
  std::error_code error;
  std::filesystem::create_directories(*folder, error);
  llvm::raw_fd_ostream file(*folder + "/" + std::to_string(count++) + "-" + stage + ".ll", error);
  if (error) {
    base::refuse_environment("PYCUDA_CPU_DUMP", *folder, "a folder that can be written to",
                             "none (" + error.message() + ")");
    return;
  }
  module.print(file, nullptr);
}

}  // namespace pycuda::cpu::jit
