// SPDX-License-Identifier: MIT
// A function of LLVM IR from text, and how many instructions of a kind it has.
#pragma once

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/SourceMgr.h>

#include <cstdint>
#include <memory>
#include <string>

namespace pycuda::cpu::testing {

/// Bytes of the vector registers together.
inline constexpr std::uint64_t registers_of_avx512 = 32 * 64, registers_of_avx2 = 16 * 32;

class FunctionText {
 public:
  /// The function that is counted in is called f.
  explicit FunctionText(const std::string& text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(text, error, context_);
    REQUIRE_MESSAGE(module_, error.getMessage().str());
  }

  llvm::Function& function(const char* name = "f") { return *module_->getFunction(name); }

  unsigned count(unsigned opcode) {
    REQUIRE(!llvm::verifyFunction(function()));
    unsigned found = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function()))
      found += instruction.getOpcode() == opcode ? 1 : 0;
    return found;
  }

 private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

}  // namespace pycuda::cpu::testing
