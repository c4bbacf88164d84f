// SPDX-License-Identifier: MIT
// Names of CUDA's compilers: a function's stack is a variable (__local_depot0), its variables are
// so many bytes behind its start. Registers are named by a function's .reg directives.
#include "cpu/lower/source_frame.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "cpu/kernel_abi/frames.h"
#include "cpu/lower/accessed_type.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/ptx/dwarf.h"

namespace pycuda::cpu::lower {
namespace {

namespace dwarf = ptx::dwarf;
using llvm::dwarf::DW_OP_deref;
using llvm::dwarf::DW_OP_plus_uconst;

constexpr std::uint64_t word_bytes = 8, own_place = 0, thread_place = word_bytes;
/// More would take too long to compile, or make frames too large for a thread's stack.
constexpr std::size_t most_copies = 50'000;
constexpr std::uint64_t most_bytes = std::uint64_t{64} * 1024;
/// What no compiler writes would take for ever.
constexpr std::uint64_t most_work = 10'000'000;

/// From the frame's memory to the field of a structure, through the pointers before it.
std::vector<std::uint64_t> field_behind(std::initializer_list<std::size_t> offsets) {
  std::vector<std::uint64_t> address{DW_OP_plus_uconst, thread_place};
  for (const std::size_t offset : offsets)
    address.insert(address.end(), {DW_OP_deref, DW_OP_plus_uconst, offset});
  return address;
}

std::uint32_t clamped(std::uint64_t line) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(line, 0xffffffff));
}

}  // namespace

std::unique_ptr<SourceFrame> SourceFrame::of(FunctionLowering& lowering, SourceInformation& known) {
  const ptx::DebugEntry* const entry = known.entry_of(lowering.source());
  if (entry == nullptr) return nullptr;
  std::unique_ptr<SourceFrame> made(new SourceFrame(lowering, known));
  return made->collect(*entry) ? std::move(made) : nullptr;
}

SourceFrame::SourceFrame(FunctionLowering& lowering, SourceInformation& known)
    : lowering_(lowering), known_(known), bytes_(thread_place + word_bytes) {
  const ptx::Function& source = lowering.source();
  for (const ptx::Label& label : source.labels) labels_.emplace(label.name, label.instruction);
  for (ptx::RegisterId i = 0; i < source.registers.size(); ++i)
    registers_.emplace(source.registers[i].name, i);
  find_jumps();
}

/// A register of a variable may be another one before a jump than behind it.
void SourceFrame::find_jumps() {
  const ptx::Function& source = lowering_.source();
  is_jumped_to_.assign(source.body.size() + 1, false);
  const auto note = [&](ptx::LabelId label) {
    is_jumped_to_[std::min<std::size_t>(source.labels[label].instruction, source.body.size())] =
        true;
  };
  for (const ptx::Instruction& instruction : source.body) {
    for (const ptx::LabelId target : instruction.targets) note(target);
    for (const ptx::Operand& operand : instruction.operands)
      if (operand.kind == ptx::Operand::Kind::Label) note(operand.label);
  }
}

bool SourceFrame::collect(const ptx::DebugEntry& entry) {
  llvm::DISubprogram* const function = known_.subprogram_of(entry);
  scope_of_.assign(lowering_.source().body.size() + 1, 0);
  copies_.resize(scope_of_.size());
  by_register_.resize(lowering_.source().registers.size());
  scopes_.push_back({function, nullptr, function->getLine()});
  enter(entry, 0);
  find_body();
  add_symbols();
  add_indexes(0);
  return !is_too_much();
}

bool SourceFrame::is_too_much() const {
  return copy_count_ > most_copies || bytes_ > most_bytes || work_ > most_work;
}

/// Debuggers that stop at a function do so where its parameters are in place.
void SourceFrame::find_body() {
  using enum ptx::Opcode;
  const std::vector<ptx::Instruction>& body = lowering_.source().body;
  while (body_begin_ < body.size()) {
    const ptx::Instruction& next = body[body_begin_];
    const bool moves =
        next.opcode == ld || next.opcode == st || next.opcode == mov || next.opcode == cvta;
    if (!moves || scope_of_[body_begin_] != 0 || next.source_line != scopes_.front().line) break;
    ++body_begin_;
  }
}

void SourceFrame::enter(const ptx::DebugEntry& entry, std::size_t scope) {
  for (const std::size_t child : entry.children) {
    const ptx::DebugEntry& one = known_.entries().all()[child];
    ++work_;
    if (is_too_much()) return;
    switch (one.tag) {
      case dwarf::tag_variable:
      case dwarf::tag_formal_parameter:
        add_variable(one, scope);
        break;
      case dwarf::tag_lexical_block:
        enter_block(one, scope);
        break;
      case dwarf::tag_inlined_subroutine:
        enter_inlined(one, scope);
        break;
      default:
        break;
    }
  }
}

void SourceFrame::enter_block(const ptx::DebugEntry& entry, std::size_t scope) {
  const Scope& outer = scopes_[scope];
  unsigned line = outer.line;
  for (const std::size_t child : entry.children) {
    const ptx::DebugEntry& one = known_.origin_of(known_.entries().all()[child]);
    if (const std::uint64_t own = one.number(dwarf::at_decl_line)) {
      line = clamped(own);
      break;
    }
  }
  llvm::DILexicalBlock* const block =
      known_.builder().createLexicalBlock(outer.scope, outer.scope->getFile(), line, 0);
  enter(entry, add_scope(entry, {block, outer.inlined_at, line}));
}

void SourceFrame::enter_inlined(const ptx::DebugEntry& entry, std::size_t scope) {
  llvm::DISubprogram* const callee = known_.subprogram_of(entry);
  const Scope& caller = scopes_[scope];
  auto* const call =
      llvm::DILocation::getDistinct(lowering_.context(), clamped(entry.number(dwarf::at_call_line)),
                                    0, caller.scope, caller.inlined_at);
  const std::size_t inner = add_scope(entry, {callee, call, callee->getLine()});
  enter(entry, inner);
  add_indexes(inner);
}

std::size_t SourceFrame::add_scope(const ptx::DebugEntry& entry, Scope scope) {
  const auto count = static_cast<std::uint32_t>(scope_of_.size());
  const std::uint32_t begin = index_of(entry.symbol(dwarf::at_low_pc), count);
  const std::uint32_t end = index_of(entry.symbol(dwarf::at_high_pc), begin);
  scopes_.push_back(scope);
  work_ += end > begin ? end - begin : 0;
  for (std::uint32_t i = begin; i < std::min(end, count); ++i) scope_of_[i] = scopes_.size() - 1;
  return scopes_.size() - 1;
}

std::uint32_t SourceFrame::index_of(std::string_view label, std::uint32_t otherwise) const {
  const auto found = labels_.find(label);
  return found != labels_.end() ? static_cast<std::uint32_t>(found->second) : otherwise;
}

std::uint64_t SourceFrame::add_place(std::uint64_t bytes) {
  const std::uint64_t place = bytes_;
  bytes_ += (std::min(bytes, most_bytes) + word_bytes - 1) / word_bytes * word_bytes;
  return place;
}

void SourceFrame::add_variable(const ptx::DebugEntry& entry, std::size_t scope) {
  const ptx::DebugEntry& named = known_.origin_of(entry);
  const std::string name = source_name(named.text(dwarf::at_name));
  llvm::DIType* const type = known_.types().type_of(named);
  if (name.empty() || type == nullptr) return;
  llvm::DILocalScope* const of = scopes_[scope].scope;
  llvm::DIFile* const file = known_.types().file_of(named);
  const unsigned line = clamped(named.number(dwarf::at_decl_line));
  llvm::DIBuilder& builder = known_.builder();
  // Also one that is nowhere; of inlined calls each would be another.
  const bool stays = scopes_[scope].inlined_at == nullptr;
  llvm::DILocalVariable* const variable =
      entry.tag == dwarf::tag_formal_parameter
          ? builder.createParameterVariable(of, name, ++scopes_[scope].parameters, file, line, type,
                                            stays)
          : builder.createAutoVariable(of, name, file, line, type, stays);
  if (add_constant(entry, variable, scope)) return;
  const std::vector<ptx::DebugRange> ranges = known_.entries().places_of(entry);
  work_ += ranges.size();
  if (ranges.size() == 1 && !ranges.front().place.symbol.empty()) {
    add_memory(ranges.front().place, variable, scope);
  } else if (!ranges.empty()) {
    add_registers(ranges, variable, scope);
  }
}

bool SourceFrame::add_constant(const ptx::DebugEntry& entry, llvm::DILocalVariable* variable,
                               std::size_t scope) {
  const ptx::DebugValue* const value = entry.find(dwarf::at_const_value);
  if (value == nullptr || value->kind != ptx::DebugValue::Kind::Number) return false;
  const std::uint64_t place = add_place(word_bytes);
  stored_.emplace_back(place, lowering_.builder().getInt64(value->number));
  declared_.push_back({variable, scope, {DW_OP_plus_uconst, place}});
  return true;
}

void SourceFrame::add_registers(const std::vector<ptx::DebugRange>& ranges,
                                llvm::DILocalVariable* variable, std::size_t scope) {
  constexpr std::uint64_t widest_register = 16;
  const std::uint64_t bytes = variable->getType()->getSizeInBits() / 8;
  const std::uint64_t place = add_place(std::max(bytes, widest_register));
  const auto count = static_cast<std::uint32_t>(scope_of_.size());
  bool is_known = false;
  for (const ptx::DebugRange& range : ranges) {
    const auto found = registers_.find(range.place.reg);
    if (found == registers_.end() || lowering_.source().registers[found->second].vector > 1)
      continue;
    const std::size_t number = in_registers_.size();
    const std::uint32_t begin = index_of(range.begin, 0);
    const std::uint32_t end = std::min(index_of(range.end, count), count);
    in_registers_.push_back({place, static_cast<ptx::RegisterId>(found->second), begin, end});
    by_register_[found->second].push_back(number);
    is_known = true;
    if (range.begin.empty() || is_too_much()) continue;
    work_ += end > begin ? end - begin : 0;
    for (std::uint32_t i = begin; i < end && copy_count_ <= most_copies; ++i) {
      if (i != begin && !is_jumped_to_[i]) continue;
      copies_[i].push_back(number);
      ++copy_count_;
    }
  }
  if (is_known) declared_.push_back({variable, scope, {DW_OP_plus_uconst, place}});
}

std::uint64_t SourceFrame::address_place(llvm::Value* address) {
  for (const auto& [place, known] : stored_) {
    if (known == address) return place;
  }
  stored_.emplace_back(add_place(word_bytes), address);
  return stored_.back().first;
}

void SourceFrame::add_memory(const ptx::DebugPlace& place, llvm::DILocalVariable* variable,
                             std::size_t scope) {
  const ptx::Function& source = lowering_.source();
  const auto declare = [&](llvm::Value* address) {
    declared_.push_back({variable,
                         scope,
                         {DW_OP_plus_uconst, address_place(address), DW_OP_deref, DW_OP_plus_uconst,
                          place.offset}});
  };
  for (std::uint32_t i = 0; i < source.variables.size(); ++i) {
    llvm::Value* const memory = lowering_.variable_memory(i);
    if (source.variables[i].name != place.symbol || memory == nullptr) continue;
    declare(memory);
    return;
  }
  for (std::uint32_t i = 0; i < source.parameters.size(); ++i) {
    if (source.parameters[i].name != place.symbol) continue;
    declare(lowering_.parameter_memory(i));
    return;
  }
  ModuleLowering& module = lowering_.module();
  for (const std::uint32_t i : module.calls().variables(module.index_of(source))) {
    const ptx::Variable& candidate = module.source().variables[i];
    if (candidate.name != place.symbol || candidate.space == ptx::Space::Shared) continue;
    declare(module.variable(i));
    return;
  }
  if (const auto offset = shared_offset(place.symbol)) {
    auto address =
        field_behind({offsetof(ThreadFrame, block), offsetof(BlockFrame, shared), *offset});
    address.back() += place.offset;
    declared_.push_back({variable, scope, std::move(address)});
  }
}

std::optional<std::uint64_t> SourceFrame::shared_offset(std::string_view symbol) const {
  const ModuleLowering& module = lowering_.module();
  const ptx::Function& source = lowering_.source();
  for (std::uint32_t i = 0; i < source.variables.size(); ++i) {
    if (source.variables[i].space == ptx::Space::Shared && source.variables[i].name == symbol)
      return module.shared().function_offset(module.index_of(source), i);
  }
  const std::vector<ptx::Variable>& variables = module.source().variables;
  for (std::uint32_t i = 0; i < variables.size(); ++i) {
    if (variables[i].space == ptx::Space::Shared && variables[i].name == symbol &&
        !is_dynamic_shared(variables[i]))
      return module.shared().module_offset(i);
  }
  return std::nullopt;
}

/// A variable of the file, or one that the compilers say nothing of but its name: a shared one, and
/// the function's own that outlive it (mangled as _ZZ, function, E, name).
void SourceFrame::add_symbol(const ptx::Variable& variable, const ptx::SymbolRef& symbol) {
  std::string name = source_name(variable.name);
  if (const std::size_t colons = name.rfind("::"); colons != std::string::npos)
    name.erase(0, colons + 2);
  if (llvm::DIType* const type = known_.type_of_symbol(variable.name))
    return declare_symbol(variable, symbol, name, type, 0);
  const bool is_own = variable.name.starts_with("_ZZ");
  if (variable.space != ptx::Space::Shared && !is_own) return;
  llvm::DIType* const type =
      known_.types().of_variable(variable, accessed_type(lowering_.source(), symbol));
  if (!is_own) return declare_symbol(variable, symbol, name, type, 0);
  work_ += lowering_.source().body.size();
  if (is_too_much()) return;
  for (const Span& span : spans_of(symbol)) {
    const bool is_first = own_names_.emplace(span.function, name).second;
    declare_symbol(variable, symbol, name, type, is_first ? span.function : add_block(span));
  }
}

void SourceFrame::declare_symbol(const ptx::Variable& variable, const ptx::SymbolRef& symbol,
                                 const std::string& name, llvm::DIType* type, std::size_t scope) {
  llvm::DILocalVariable* const declared =
      known_.builder().createAutoVariable(scopes_[scope].scope, name, nullptr, 0, type);
  if (!is_dynamic_shared(variable)) return add_memory({{}, variable.name, 0}, declared, scope);
  // The launch says where it lies.
  llvm::IRBuilder<>& b = lowering_.builder();
  llvm::Value* const address =
      b.CreateGEP(b.getInt8Ty(), lowering_.shared_base(), lowering_.symbol_address(symbol, 0));
  declared_.push_back({declared, scope, {DW_OP_plus_uconst, address_place(address), DW_OP_deref}});
}

/// By the functions whose code uses a variable, this one and what it has inlined.
std::vector<SourceFrame::Span> SourceFrame::spans_of(const ptx::SymbolRef& symbol) const {
  std::vector<Span> spans;
  const std::vector<bool> uses = uses_of(lowering_.source(), symbol);
  for (std::uint32_t i = 0; i < uses.size(); ++i) {
    if (!uses[i]) continue;
    const Scope& at = scopes_[scope_of_[i]];
    const auto function = static_cast<std::size_t>(
        std::ranges::find_if(scopes_,
                             [&](const Scope& one) {
                               return one.scope == at.scope->getSubprogram() &&
                                      one.inlined_at == at.inlined_at;
                             }) -
        scopes_.begin());
    const auto known = std::ranges::find(spans, function, &Span::function);
    if (known == spans.end())
      spans.push_back({function, i, i + 1});
    else
      known->end = i + 1;
  }
  return spans;
}

/// A block of the source that nothing is said of: in it a name is that of another variable.
std::size_t SourceFrame::add_block(Span span) {
  const std::vector<ptx::Instruction>& body = lowering_.source().body;
  // The last line goes on.
  while (span.end < body.size() && body[span.end].source_line == body[span.end - 1].source_line)
    ++span.end;
  const std::size_t outer = scope_of_[span.begin];
  Scope inner = scopes_[outer];
  inner.line = body[span.begin].source_line;
  inner.scope =
      known_.builder().createLexicalBlock(inner.scope, inner.scope->getFile(), inner.line, 0);
  scopes_.push_back(inner);
  work_ += span.end - span.begin;
  for (std::uint32_t i = span.begin; i < span.end; ++i) {
    if (scope_of_[i] == outer) scope_of_[i] = scopes_.size() - 1;
  }
  return scopes_.size() - 1;
}

/// Those that the function uses.
void SourceFrame::add_symbols() {
  const ptx::Function& source = lowering_.source();
  for (std::uint32_t i = 0; i < source.variables.size(); ++i) {
    if (source.variables[i].space == ptx::Space::Shared)
      add_symbol(source.variables[i], {ptx::SymbolRef::Kind::LocalVariable, i});
  }
  const ModuleLowering& module = lowering_.module();
  for (const std::uint32_t index : module.calls().variables(module.index_of(source)))
    add_symbol(module.source().variables[index], {ptx::SymbolRef::Kind::ModuleVariable, index});
}

/// Which thread it is that has stopped.
void SourceFrame::add_indexes(std::size_t scope) {
  const auto add = [&](const char* name, std::initializer_list<std::size_t> offsets) {
    auto* const variable = known_.builder().createAutoVariable(scopes_[scope].scope, name, nullptr,
                                                               0, known_.types().triple());
    declared_.push_back({variable, scope, field_behind(offsets)});
  };
  constexpr std::size_t block = offsetof(ThreadFrame, block), launch = offsetof(BlockFrame, launch);
  add("threadIdx", {offsetof(ThreadFrame, tid)});
  add("blockIdx", {block, offsetof(BlockFrame, ctaid)});
  add("blockDim", {block, launch, offsetof(LaunchFrame, block)});
  add("gridDim", {block, launch, offsetof(LaunchFrame, grid)});
}

llvm::Value* SourceFrame::at(std::uint64_t place) {
  llvm::IRBuilder<>& b = lowering_.builder();
  return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory_, place);
}

/// Volatile: nothing reads it but debuggers.
void SourceFrame::store(llvm::Value* value, std::uint64_t place) {
  lowering_.builder().CreateAlignedStore(value, at(place), llvm::Align(word_bytes),
                                         /*isVolatile=*/true);
}

void SourceFrame::open() {
  llvm::IRBuilder<>& b = lowering_.builder();
  llvm::LLVMContext& context = lowering_.context();
  memory_ = lowering_.entry_alloca(llvm::ArrayType::get(b.getInt8Ty(), bytes_), "source.variables");
  memory_->setAlignment(llvm::Align(word_bytes));
  memory_->setMetadata(source_variables, llvm::MDNode::get(context, {}));
  lowering_.target()->setSubprogram(subprogram());
  b.SetCurrentDebugLocation(llvm::DILocation::get(context, 0, 0, subprogram()));
  b.CreateMemSet(memory_, b.getInt8(0), bytes_, llvm::Align(word_bytes), /*isVolatile=*/true);
  // Whose address is in memory is not taken apart.
  store(memory_, own_place);
  store(lowering_.thread(), thread_place);
  for (const auto& [place, value] : stored_) store(value, place);
  for (const auto& [variable, scope, address] : declared_) {
    const Scope& in = scopes_[scope];
    known_.builder().insertDeclare(
        memory_, variable, known_.builder().createExpression(address),
        llvm::DILocation::get(context, variable->getLine(), 0, in.scope, in.inlined_at),
        b.GetInsertBlock());
  }
}

void SourceFrame::copy(const InRegister& variable) {
  llvm::IRBuilder<>& b = lowering_.builder();
  llvm::AllocaInst* const reg = lowering_.register_memory(variable.reg);
  llvm::Value* value = b.CreateLoad(reg->getAllocatedType(), reg);
  if (value->getType()->isIntegerTy(1)) value = b.CreateZExt(value, b.getInt8Ty());
  store(value, variable.place);
}

void SourceFrame::before(std::uint32_t instruction) {
  // What was written before this label belongs to the line before it.
  for (const std::size_t number : copies_[instruction]) {
    if (is_jumped_to_[instruction])
      lowering_.builder().SetCurrentDebugLocation(location(instruction));
    copy(in_registers_[number]);
  }
}

void SourceFrame::after(std::uint32_t instruction) {
  for (const ptx::RegisterId reg : written_) {
    for (const std::size_t number : by_register_[reg]) {
      const InRegister& variable = in_registers_[number];
      if (variable.begin <= instruction && instruction < variable.end) copy(variable);
    }
  }
  written_.clear();
}

/// Read once more, it lasts as long as the function, also where that is a coroutine.
void SourceFrame::close() {
  llvm::IRBuilder<>& b = lowering_.builder();
  b.CreateAlignedLoad(b.getInt64Ty(), at(own_place), llvm::Align(word_bytes), /*isVolatile=*/true);
}

llvm::DILocation* SourceFrame::location(std::uint32_t instruction) const {
  const std::vector<ptx::Instruction>& body = lowering_.source().body;
  const Scope& in = scopes_[scope_of_[std::min<std::size_t>(instruction, body.size())]];
  llvm::DILocalScope* scope = in.scope;
  unsigned line = 0;
  if (instruction < body.size() && instruction >= body_begin_) {
    line = body[instruction].source_line;
    llvm::DIFile* const file = known_.types().file(body[instruction].source_file);
    if (file == nullptr) line = 0;
    if (line != 0 && file != scope->getFile())
      scope = llvm::DILexicalBlockFile::get(lowering_.context(), scope, file, 0);
  }
  return llvm::DILocation::get(lowering_.context(), line, 0, scope, in.inlined_at);
}

}  // namespace pycuda::cpu::lower
