// SPDX-License-Identifier: MIT
#include "cpu/lower/source_information.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/log.h"
#include "cpu/ptx/dwarf.h"

namespace pycuda::cpu::lower {

namespace dwarf = ptx::dwarf;

std::unique_ptr<SourceInformation> SourceInformation::read(const ptx::Module& source,
                                                           llvm::Module& target) {
  if (source.debug_text.empty()) return nullptr;
  auto sections = ptx::read_debug_sections(source.debug_text);
  auto entries = sections ? ptx::DebugEntries::read(std::move(*sections)) : std::nullopt;
  if (!entries) {
    base::log(base::LogLevel::Warning,
              "the debug information of a module cannot be read: gdb shows its kernels' lines, and "
              "no variables");
    return nullptr;
  }
  std::unique_ptr<SourceInformation> made(
      new SourceInformation(source, target, std::move(*entries)));
  return made->describes_variables() ? std::move(made) : nullptr;
}

SourceInformation::SourceInformation(const ptx::Module& source, llvm::Module& target,
                                     ptx::DebugEntries entries)
    : entries_(std::move(entries)),
      builder_(target),
      types_(source, entries_, builder_, target.getContext()),
      subprograms_(entries_.all().size()),
      first_file_(source.files.empty() ? builder_.createFile("ptx", "")
                                       : builder_.createFile(source.files.front().name, "")) {
  // As of clang, whose code generator this is, gdb believes where a function's prologue ends.
  builder_.createCompileUnit(llvm::dwarf::DW_LANG_C_plus_plus, first_file_, "clang (of PTX)",
                             /*isOptimized=*/false, "", 0);
  for (const std::size_t index : entries_.outermost()) {
    const ptx::DebugEntry& entry = entries_.all()[index];
    const std::string_view label = entry.symbol(dwarf::at_low_pc);
    if (entry.tag == dwarf::tag_subprogram && !label.empty()) by_label_.emplace(label, index);
    const ptx::DebugValue* const place = entry.find(dwarf::at_location);
    if (entry.tag != dwarf::tag_variable || place == nullptr ||
        place->kind != ptx::DebugValue::Kind::Block)
      continue;
    for (const ptx::DebugRange& range : entries_.places_of(entry))
      by_symbol_.emplace(range.place.symbol, index);
  }
}

/// Information of lines alone names functions, too.
bool SourceInformation::describes_variables() const {
  return std::ranges::any_of(entries_.all(), [](const ptx::DebugEntry& entry) {
    return (entry.tag == dwarf::tag_variable || entry.tag == dwarf::tag_formal_parameter) &&
           entry.find(dwarf::at_location) != nullptr;
  });
}

const ptx::DebugEntry* SourceInformation::entry_of(const ptx::Function& function) const {
  for (const ptx::Label& label : function.labels) {
    const auto found = by_label_.find(label.name);
    if (found != by_label_.end()) return &entries_.all()[found->second];
  }
  return nullptr;
}

const ptx::DebugEntry& SourceInformation::origin_of(const ptx::DebugEntry& entry) const {
  const ptx::DebugEntry* named = &entry;
  for (int steps = 0; steps < 4 && named->find(dwarf::at_name) == nullptr; ++steps) {
    const ptx::DebugValue* origin = named->find(dwarf::at_abstract_origin);
    if (origin == nullptr) origin = named->find(dwarf::at_specification);
    const ptx::DebugEntry* const there = origin != nullptr ? entries_.at(origin->number) : nullptr;
    if (there == nullptr) break;
    named = there;
  }
  return *named;
}

llvm::DIType* SourceInformation::type_of_symbol(std::string_view symbol) {
  const auto found = by_symbol_.find(symbol);
  return found != by_symbol_.end() ? types_.type_of(entries_.all()[found->second]) : nullptr;
}

llvm::DISubprogram* SourceInformation::subprogram_of(const ptx::DebugEntry& entry) {
  const ptx::DebugEntry& named = origin_of(entry);
  // The function itself, and what other functions have of it inlined, are not the same to LLVM.
  llvm::DISubprogram*& known =
      subprograms_[entries_.number_of(entry.tag == dwarf::tag_subprogram ? entry : named)];
  if (known != nullptr) return known;
  std::vector<llvm::Metadata*> signature{types_.type_of(named)};
  for (const std::size_t child : named.children) {
    const ptx::DebugEntry& one = entries_.all()[child];
    if (one.tag == dwarf::tag_formal_parameter) signature.push_back(types_.type_of(origin_of(one)));
  }
  llvm::DIFile* file = types_.file_of(named);
  if (file == nullptr) file = first_file_;
  const auto line = static_cast<unsigned>(named.number(dwarf::at_decl_line));
  std::string_view linkage = named.text(dwarf::at_mips_linkage_name);
  if (linkage.empty()) linkage = named.text(dwarf::at_linkage_name);
  const std::string_view name = named.text(dwarf::at_name);
  known = builder_.createFunction(
      file, name, linkage == name ? std::string_view() : linkage, file, line,
      builder_.createSubroutineType(builder_.getOrCreateTypeArray(signature)), line,
      llvm::DINode::FlagPrototyped, llvm::DISubprogram::SPFlagDefinition);
  return known;
}

}  // namespace pycuda::cpu::lower
