// SPDX-License-Identifier: MIT
#include "cpu/jit/debug_scopes.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace pycuda::cpu::jit {
namespace {

/// What debug information calls a function: its name in the source, and in PTX.
struct Name {
  std::string in_source;
  std::string in_ptx;
};

/// "f.k", "k.block" and "f.k.gang" are all made of the PTX function k.
Name name_of(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  name.consume_front("f.");
  const std::string in_ptx = name.split('.').first.str();
  llvm::ItaniumPartialDemangler mangled;
  if (mangled.partialDemangle(in_ptx.c_str())) return {in_ptx, in_ptx};
  std::size_t size = 0;
  const std::unique_ptr<char, decltype(&std::free)> base(
      mangled.getFunctionBaseName(nullptr, &size), &std::free);
  return {base ? base.get() : in_ptx, in_ptx};
}

struct Start {
  llvm::DIFile* file = nullptr;
  unsigned line = 0;
};

/// Where the PTX function of this name begins, or the first line that is left of another.
Start start_of(const llvm::Function& function, llvm::StringRef in_ptx) {
  Start first;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::DILocation* const location = instruction.getDebugLoc();
    if (location == nullptr || location->getLine() == 0) continue;
    const llvm::DISubprogram* const origin = location->getScope()->getSubprogram();
    if (origin->getName() == in_ptx) return {origin->getFile(), origin->getLine()};
    if (first.file == nullptr) first = {location->getFile(), location->getLine()};
  }
  return first;
}

void give_scope(llvm::Function& function, llvm::DIBuilder& builder) {
  const Name name = name_of(function);
  const auto [file, line] = start_of(function, name.in_ptx);
  if (file == nullptr) return;
  llvm::LLVMContext& context = function.getContext();
  llvm::DISubprogram* const scope = builder.createFunction(
      file, name.in_source, name.in_source == name.in_ptx ? "" : name.in_ptx, file, line,
      builder.createSubroutineType(builder.getOrCreateTypeArray({})), line, llvm::DINode::FlagZero,
      llvm::DISubprogram::SPFlagDefinition | llvm::DISubprogram::SPFlagOptimized);
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const llvm::DILocation* const location = instruction.getDebugLoc();
    if (location == nullptr) {
      // Of every call between functions with subprograms LLVM wants to know where it is.
      if (llvm::isa<llvm::CallBase>(instruction))
        instruction.setDebugLoc(llvm::DILocation::get(context, 0, 0, scope));
      continue;
    }
    llvm::DIFile* const own = location->getLine() != 0 ? location->getFile() : file;
    llvm::DIScope* const part = own == file ? static_cast<llvm::DIScope*>(scope)
                                            : llvm::DILexicalBlockFile::get(context, scope, own, 0);
    instruction.setDebugLoc(llvm::DILocation::get(context, location->getLine(), 0, part));
  }
  function.setSubprogram(scope);
}

}  // namespace

void give_debug_scopes(llvm::Module& module) {
  const auto units = module.debug_compile_units();
  if (units.empty()) return;
  module.setModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.setModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  llvm::DIBuilder builder(module, /*AllowUnresolved=*/true, *units.begin());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && function.getSubprogram() == nullptr)
      give_scope(function, builder);
  }
  builder.finalize();
}

}  // namespace pycuda::cpu::jit
