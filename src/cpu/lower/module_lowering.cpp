// SPDX-License-Identifier: MIT
// Symbols and signatures of a module.
#include "cpu/lower/module_lowering.h"

#include <llvm/IR/DIBuilder.h>

#include <algorithm>
#include <string>

#include "cpu/lower/processor_flushes.h"
#include "cpu/lower/pseudo.h"

namespace pycuda::cpu::lower {

ModuleLowering::ModuleLowering(const ptx::Module& source, llvm::Module& target,
                               const Options& options, ptx::Diagnostics& diagnostics)
    : source_(source),
      target_(target),
      options_(options),
      diagnostics_(diagnostics),
      calls_(source),
      shared_(source, calls_, options.checks.part_variables()),
      functions_(source.functions.size(), nullptr),
      variables_(source.variables.size(), nullptr),
      kernel_addresses_(source.functions.size(), nullptr) {
  if (options.variables) source_information_ = SourceInformation::read(source, target);
}

Signature ModuleLowering::signature(const std::vector<ptx::Parameter>& returns,
                                    const std::vector<ptx::Parameter>& parameters) {
  llvm::LLVMContext& context = target_.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  const auto scalar = [&](const ptx::Parameter& parameter) -> llvm::Type* {
    return llvm::Type::getIntNTy(context, std::max(1u, ptx::bits_of(parameter.type)));
  };
  Signature result;
  std::vector<llvm::Type*> arguments{pointer};
  std::vector<llvm::Type*> results;
  for (std::uint32_t i = 0; i < returns.size(); ++i) {
    if (returns[i].is_array || returns[i].vector > 1) {
      result.memory_returns.push_back(i);
      arguments.push_back(pointer);
    } else {
      result.scalar_returns.push_back(i);
      results.push_back(scalar(returns[i]));
    }
  }
  for (const ptx::Parameter& parameter : parameters) {
    arguments.push_back(parameter.is_array || parameter.vector > 1 ? pointer : scalar(parameter));
  }
  llvm::Type* type = results.empty()       ? llvm::Type::getVoidTy(context)
                     : results.size() == 1 ? results.front()
                                           : llvm::StructType::get(context, results);
  result.type = llvm::FunctionType::get(type, arguments, false);
  return result;
}

llvm::Function* ModuleLowering::function(std::uint32_t index) {
  llvm::Function*& slot = functions_[index];
  if (slot) return slot;
  const ptx::Function& function = source_.functions[index];
  llvm::FunctionType* type =
      function.is_entry
          ? llvm::FunctionType::get(llvm::Type::getVoidTy(target_.getContext()),
                                    {llvm::PointerType::get(target_.getContext(), 0)}, false)
          : signature(function.returns, function.parameters).type;
  // An address that is taken may be written to memory by the loader, which looks it up by name.
  const auto linkage = calls_.address_taken(index) ? llvm::Function::ExternalLinkage
                                                   : llvm::Function::InternalLinkage;
  slot = llvm::Function::Create(type, linkage, "f." + function.name, target_);
  set_attributes(*slot);
  if (calls_.address_taken(index)) slot->addFnAttr("ptx-address-taken");
  if (function.is_entry) slot->addFnAttr("ptx-kernel");
  return slot;
}

llvm::Function* ModuleLowering::own_function(llvm::FunctionType* type, const std::string& name) {
  llvm::Function* const made =
      llvm::Function::Create(type, llvm::Function::InternalLinkage, name, target_);
  set_attributes(*made);
  return made;
}

void ModuleLowering::set_attributes(llvm::Function& function) const {
  function.addFnAttr(llvm::Attribute::NoUnwind);
  if (processor_flushes_) let_processor_flush(function);
  // A stray access is a fault, not undefined behaviour.
  function.addFnAttr(llvm::Attribute::NullPointerIsValid);
  function.getArg(0)->setName("thread");
  function.addParamAttr(0, llvm::Attribute::NonNull);
  function.addParamAttr(0, llvm::Attribute::NoUndef);
}

llvm::DIFile* ModuleLowering::file_of(const ptx::Instruction& instruction) {
  const auto file = std::find_if(source_.files.begin(), source_.files.end(),
                                 [&](const ptx::SourceFile& candidate) {
                                   return candidate.number == instruction.source_file;
                                 });
  if (instruction.source_line == 0 || file == source_.files.end()) return nullptr;
  return llvm::DIFile::get(target_.getContext(), file->name, "");
}

llvm::DISubprogram* ModuleLowering::scope_of(const ptx::Function& source,
                                             const llvm::Function& function) {
  if (options_.locations == Locations::None) return nullptr;
  llvm::DIBuilder builder(target_, /*AllowUnresolved=*/true, unit_);
  llvm::DIFile* file = nullptr;
  unsigned line = 0;
  for (const ptx::Instruction& instruction : source.body) {
    file = file_of(instruction);
    if (file == nullptr) continue;
    line = instruction.source_line;
    break;
  }
  if (file == nullptr) file = builder.createFile("ptx", "");
  if (unit_ == nullptr)
    unit_ = builder.createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus, file, "ptx", true, "", 0);
  const llvm::StringRef name = function.getName().drop_front(2);  // "f."
  llvm::DISubprogram* const scope = builder.createFunction(
      file, name, name, file, line, builder.createSubroutineType(builder.getOrCreateTypeArray({})),
      line, llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  builder.finalizeSubprogram(scope);
  return scope;
}

llvm::DILocation* ModuleLowering::location(const ptx::Function& source,
                                           const ptx::Instruction& instruction,
                                           llvm::DISubprogram* scope) {
  llvm::LLVMContext& context = target_.getContext();
  if (options_.locations == Locations::Instructions) {
    const auto number = static_cast<unsigned>(&instruction - source.body.data()) + 1;
    return llvm::DILocation::get(context, number, 0, scope);
  }
  llvm::DIFile* const file = file_of(instruction);
  if (file == nullptr) return llvm::DILocation::get(context, 0, 0, scope);
  return llvm::DILocation::get(context, instruction.source_line, 0,
                               llvm::DILexicalBlockFile::get(context, scope, file, 0));
}

llvm::GlobalVariable* ModuleLowering::kernel_address(std::uint32_t index) {
  llvm::GlobalVariable*& slot = kernel_addresses_[index];
  if (slot) return slot;
  llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(target_.getContext()), 0);
  slot = new llvm::GlobalVariable(target_, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                  "k." + source_.functions[index].name);
  return slot;
}

llvm::GlobalVariable* ModuleLowering::variable(std::uint32_t index) {
  llvm::GlobalVariable*& slot = variables_[index];
  if (slot) return slot;
  const ptx::Variable& variable = source_.variables[index];
  // The true size stays out of the IR: neighbouring variables of one allocation are reached through
  // each other in real code, and an opaque external array lets LLVM assume nothing about that.
  llvm::Type* type = llvm::ArrayType::get(llvm::Type::getInt8Ty(target_.getContext()), 0);
  slot = new llvm::GlobalVariable(target_, type, false, llvm::GlobalValue::ExternalLinkage, nullptr,
                                  "v." + variable.name);
  slot->addAttribute(pseudo::variable_bytes, std::to_string(variable.bytes));
  return slot;
}

void ModuleLowering::error(ptx::SourcePosition position, std::string message) {
  diagnostics_.push_back({ptx::Diagnostic::Severity::Error, position, std::move(message)});
}

std::vector<std::uint32_t> parameter_offsets(const ptx::Function& kernel) {
  std::vector<std::uint32_t> offsets;
  std::uint64_t end = 0;
  for (const ptx::Parameter& parameter : kernel.parameters) {
    const std::uint64_t alignment = std::max<std::uint64_t>(parameter.alignment, 1);
    end = (end + alignment - 1) / alignment * alignment;
    offsets.push_back(static_cast<std::uint32_t>(end));
    end += parameter.bytes;
  }
  offsets.push_back(static_cast<std::uint32_t>(end));
  return offsets;
}

}  // namespace pycuda::cpu::lower
