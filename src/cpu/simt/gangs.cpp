// SPDX-License-Identifier: MIT
// Which kernels the vector path takes, and how it makes them ready.
#include "cpu/simt/gangs.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/Local.h>

#include <algorithm>
#include <cassert>
#include <optional>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/cluster.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/arithmetic/wide_integers.h"
#include "cpu/simt/barrier_reductions.h"
#include "cpu/simt/forms.h"
#include "cpu/simt/fused_blocks.h"
#include "cpu/simt/gang_size.h"
#include "cpu/simt/lanes/call_targets.h"
#include "cpu/simt/lanes/carried_sums.h"
#include "cpu/simt/lanes/compile_cost.h"
#include "cpu/simt/lanes/dialect.h"
#include "cpu/simt/lanes/divergence.h"
#include "cpu/simt/lanes/guards.h"
#include "cpu/simt/lanes/lane_functions.h"
#include "cpu/simt/lanes/lone_walks.h"
#include "cpu/simt/lanes/rolled_loops.h"
#include "cpu/simt/lanes/same_quotients.h"
#include "cpu/simt/lanes/shape.h"
#include "cpu/simt/lanes/special_values.h"
#include "cpu/simt/lanes/unshared_accesses.h"
#include "cpu/simt/lanes/warp_sites.h"
#include "cpu/simt/suspension.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

constexpr std::uint64_t most_local_bytes = 4096;
/// Modules with more instructions have many kernels, of which most are never launched: those that
/// are longer than the second number wait.
constexpr unsigned large_module = 10000;
/// Of the gangs whose width is our choice.
constexpr unsigned narrowest_chosen = 16;
constexpr unsigned longest_of_large_module = 500;

llvm::CallInst* next_inlinable(llvm::Function& function, const CallTargets& targets) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee || callee->isDeclaration() || targets.recurses(*callee)) continue;
    if (!callee->getName().starts_with(pseudo::update_prefix)) return call;
  }
  return nullptr;
}

enum class Inlined { All, TooLong, Impossible };

/// But for functions that call themselves.
Inlined inline_all(llvm::Function& function, const CallTargets& targets, unsigned longest) {
  do {
    while (llvm::CallInst* call = next_inlinable(function, targets)) {
      if (function.getInstructionCount() > longest) return Inlined::TooLong;
      llvm::InlineFunctionInfo info;
      if (!llvm::InlineFunction(*call, info).isSuccess()) return Inlined::Impossible;
    }
  } while (name_call_targets(function, targets));
  return function.getInstructionCount() <= longest ? Inlined::All : Inlined::TooLong;
}

/// What recognised functions left behind would count as the kernel's own.
void drop_dead(llvm::Function& function) {
  llvm::SmallVector<llvm::WeakTrackingVH, 64> all;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    all.emplace_back(&instruction);
  llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(all);
}

bool is_supported(llvm::Type* type) {
  if (auto* parts = llvm::dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type* part : parts->elements()) {
      if (part->isStructTy() || !is_supported(part)) return false;
    }
    return true;
  }
  return type->isVoidTy() || type->isPointerTy() || type->isFloatingPointTy() ||
         (type->isIntegerTy() && type->getIntegerBitWidth() <= 64);
}

std::string has_no_form(const llvm::Type& type) {
  std::string text = "a value of type ";
  llvm::raw_string_ostream(text) << type;
  return text + ", which has no vector form";
}

/// Why `instruction` keeps its kernel on the scalar path; empty if it does not.
std::string obstacle(const llvm::Instruction& instruction, const Suspension& suspension) {
  if (!is_supported(instruction.getType())) return has_no_form(*instruction.getType());
  for (const llvm::Use& operand : instruction.operands()) {
    llvm::Type* type = operand->getType();
    if (!type->isLabelTy() && !type->isMetadataTy() && !is_supported(type))
      return has_no_form(*type);
  }
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
    const auto bytes = variable->getAllocationSize(instruction.getModule()->getDataLayout());
    if (!variable->isStaticAlloca() || !bytes || bytes->getFixedValue() > most_local_bytes)
      return "a large array in local memory";
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call) return {};
  const llvm::Function* callee = call->getCalledFunction();
  if (call->isInlineAsm()) return "inline assembly";
  // Other calls are made for one lane after the other, which none of them can leave in between.
  if (suspension.is_suspending_call(*call))
    return callee ? "a call of a function that calls itself and waits"
                  : "a call through a pointer, where functions wait";
  if (!callee) return {};
  llvm::StringRef name = callee->getName();
  if (name == "pycuda_cpu_frame_push" || name == "pycuda_cpu_frame_pop")
    return "a stack of its own";
  if (name.starts_with(lower::cluster_call_prefix)) return "other blocks of its cluster";
  if (name == "pycuda_cpu_is_local") return "a question of where an address lies";
  if (!name.starts_with("ptx.")) return {};
  if (name == pseudo::barrier_sync) {
    const auto* id = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(1));
    const auto* count = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
    return id && id->isZero() && count && count->isZero() ? "" : "a named barrier";
  }
  if (name == pseudo::yield) return "a loop that waits for other threads";
  if (name == pseudo::barrier_arrive || name == pseudo::barrier_reduce)
    return "a barrier that counts or reduces";
  if (name == pseudo::exit) return "the end of a thread within a call";
  return {};
}

bool has_call(const llvm::Function& function, llvm::StringRef name) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (lower::callee_name(instruction) == name) return true;
  }
  return false;
}

std::string obstacle(llvm::Function& function, const ControlFlow& flow, const Shapes& shapes,
                     const Suspension& suspension) {
  std::optional<WarpSites> sites;
  if (needs_warps(function) || has_barriers(function)) sites.emplace(function, flow, shapes);
  for (const llvm::BasicBlock* block : flow.order()) {
    const llvm::Instruction* end = block->getTerminator();
    if (!llvm::isa<llvm::BranchInst, llvm::ReturnInst, llvm::UnreachableInst>(end))
      return "its control flow";
    if (const llvm::Loop* loop = flow.loop_of(block); loop && (!loop->isLoopSimplifyForm()))
      return "its control flow";
    for (const llvm::Instruction& instruction : *block) {
      if (std::string found = obstacle(instruction, suspension); !found.empty()) return found;
      const llvm::StringRef name = lower::callee_name(instruction);
      // Lanes that have exited are not waited for.
      if (name == pseudo::barrier_sync && !sites->is_whole(*block) &&
          flow.owner(*block) != &function.getEntryBlock())
        return "a barrier in divergent control flow";
      if (name == pseudo::warp_op) {
        std::string found = sites->obstacle(llvm::cast<llvm::CallBase>(instruction));
        if (!found.empty()) return found;
      }
    }
  }
  return {};
}

/// Writes the gang's function, or says why there is none.
std::string widen(const GangSource& whole, llvm::Function& source, const Suspension& suspension,
                  bool full, const llvm::Twine& name, Plan* plan, llvm::Function*& gang,
                  Dim3& most_blocks) {
  const GangSize size = whole.size;
  ControlFlow flow(source);
  const Shapes shapes(source, flow, size);
  most_blocks = {std::min(most_blocks.x, shapes.most_blocks(0)),
                 std::min(most_blocks.y, shapes.most_blocks(1)),
                 std::min(most_blocks.z, shapes.most_blocks(2))};
  flow.assign_owners();
  ControlFlow guessed_flow(source);
  const Shapes guesses(source, guessed_flow, size, true);
  if (std::string found = obstacle(source, flow, shapes, suspension); !found.empty()) return found;
  Widener widener(source, flow, shapes, guesses, size, full, whole.processor.fetch_distance);
  if (plan) widener.record_in(*plan);
  gang = widener.run(name);
  inline_lane_functions(*gang);
  if (!llvm::verifyFunction(*gang)) return {};
  assert(false && "the vector form is no valid IR");
  gang->eraseFromParent();
  gang = nullptr;
  return "an internal error";
}

constexpr const char* rolled_note =
    "loops that were unrolled go trip by trip: lanes leave them at different ones";
constexpr const char* turns_note =
    "lanes that make one trip more than others go through such loops in two turns";
constexpr const char* full_gang_note =
    "a gang that passes a guard as a whole goes on without masks";

constexpr const char* narrow_note =
    "arithmetic on bytes and halves in 16 bits where these hold the results";

constexpr const char* lone_walk_note = "leaves the loop that threads walk for different lengths";

/// The form for tiles, if the kernel has one for other gangs.
void widen_tile(GangSource& source, const Suspension& suspension, KernelFacts& facts, Plan* plan) {
  if (facts.gang_lanes == 0) return;
  const std::string name = "f." + facts.name + ".tile";
  const auto write = [&](llvm::Function* from, llvm::Function*& tile) {
    Plan own;
    const bool done = from && widen(source, *from, suspension, true, name, plan ? &own : nullptr,
                                    tile, facts.most_gang_blocks)
                                  .empty();
    if (plan) {
      plan->tile_notes = std::move(own.notes);
      plan->tile_work = own.work;
    }
    return done;
  };
  llvm::Function* tile = nullptr;
  if (write(source.open, tile)) {
    if (plan && source.guarded)
      plan->tile_notes.push_back({PlanNote::Kind::Other, full_gang_note, {}, 0});
  } else if (!write(source.function, tile)) {
    return;
  }
  if (plan && source.narrow != 0)
    plan->tile_notes.push_back({PlanNote::Kind::Other, narrow_note, {}, 0});
  facts.tile_columns = source.size.columns;
  facts.tile_rows = source.size.rows;
}

LoneWalk find_lone_walk(const GangSource& source) {
  ControlFlow flow(*source.function), guessed_flow(*source.function);
  const Shapes shapes(*source.function, flow, source.size);
  const Shapes guesses(*source.function, guessed_flow, source.size, true);
  return find_lone_walk(*source.function, flow, shapes, guesses);
}

/// Why threads are better left alone, noted in the plan; empty if they are not.
std::string reason_for_lone_walks(const GangSource& source, Plan* plan) {
  if (!source.chosen || source.size.is_tile()) return {};
  const LoneWalk walk = find_lone_walk(source);
  if (plan && walk.leaves)
    plan->notes = {note_of(*walk.leaves, PlanNote::Kind::Branch, lone_walk_note)};
  return walk.reason;
}

std::string widen(GangSource& source, const Suspension& suspension, KernelFacts& facts,
                  Plan* plan) {
  const std::string name = "f." + facts.name;
  const bool rows = walks_rows(source, facts);
  llvm::Function *full = nullptr, *tail = nullptr;
  const auto write = [&](llvm::Function& from, bool whole, Plan* into, llvm::Function*& gang) {
    return widen(source, from, suspension, whole, name + (whole ? ".gang" : ".tail"), into, gang,
                 facts.most_gang_blocks);
  };
  std::string reason = write(*source.function, false, nullptr, tail);
  if (!reason.empty()) return reason;
  if (source.open && write(*source.open, true, plan, full).empty()) {
    if (plan && source.guarded)
      plan->notes.push_back({PlanNote::Kind::Other, full_gang_note, {}, 0});
    if (plan && source.turns) plan->notes.push_back({PlanNote::Kind::Other, turns_note, {}, 0});
  } else {
    if (plan) *plan = {};
    reason = write(*source.function, true, plan, full);
  }
  if (!reason.empty()) {
    tail->eraseFromParent();
    return reason;
  }
  if (plan && source.rolled) plan->notes.push_back({PlanNote::Kind::Other, rolled_note, {}, 0});
  if (plan && source.narrow != 0)
    plan->notes.push_back({PlanNote::Kind::Other, narrow_note, {}, 0});
  facts.gang_lanes = source.size.lanes();
  facts.strides_over_grid = has_call(*full, gang_pause);
  facts.gangs_suspend = facts.strides_over_grid || has_barriers(*full);
  facts.gangs_are_warps = source.warps;
  facts.waits_in_blocks = source.warps || has_barriers(*full);
  std::optional<std::uint32_t> fusible;
  if (!full->hasFnAttribute(lies_in_line)) fusible = fusible_block_size(*source.function);
  facts.fuses_blocks = fusible.has_value();
  facts.fusible_block = fusible.value_or(0);
  facts.walks_rows = fusible && rows && !facts.gangs_suspend;
  return {};
}

/// PTX's own vectors, of which single values are made before anything is widened.
bool is_of_vectors(const llvm::Instruction& instruction) {
  return instruction.getType()->isVectorTy() ||
         llvm::any_of(instruction.operand_values(),
                      [](const llvm::Value* operand) { return operand->getType()->isVectorTy(); });
}

/// For later, unless it is plain already that there is no vector form.
void postpone(const llvm::Function& kernel, const Suspension& suspension, KernelFacts& facts) {
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call && call->getCalledFunction() && !call->getCalledFunction()->isDeclaration()) continue;
    if (is_of_vectors(instruction)) continue;
    facts.scalar_reason = obstacle(instruction, suspension);
    if (!facts.scalar_reason.empty()) return;
  }
  facts.is_baseline = true;
}

/// Whether a kernel whose gangs are warps runs in blocks of whole ones alone.
bool has_whole_rows(KernelFacts facts, const std::optional<Forms>& forms) {
  facts.gang_lanes = warp_lanes;
  facts.gangs_are_warps = true;
  return !kept_forms(facts, forms).has(Form::Tails);
}

}  // namespace

std::vector<GangSource> copy_for_gangs(llvm::Module& module, std::vector<KernelFacts>& facts,
                                       const GangSizes& wanted, const std::optional<Forms>& forms,
                                       unsigned longest, const Processor& processor) {
  std::vector<GangSource> sources;
  const Suspension suspension(module);
  const CallTargets targets(module);
  if (longest <= longest_at_once && module.getInstructionCount() > large_module)
    longest = std::min(longest, longest_of_large_module);
  for (std::size_t i = 0; i < facts.size(); ++i) {
    llvm::Function* kernel = module.getFunction("f." + facts[i].name);
    if (!kernel || kernel->isDeclaration() || facts[i].max_threads < narrowest_gang_row) continue;
    if (kernel->getInstructionCount() > longest) {
      postpone(*kernel, suspension, facts[i]);
      continue;
    }
    llvm::ValueToValueMapTy map;
    llvm::Function* copy = llvm::CloneFunction(kernel, map);
    copy->setName(kernel->getName() + ".copy");
    const Inlined inlined = inline_all(*copy, targets, longest);
    if (inlined == Inlined::TooLong) postpone(*kernel, suspension, facts[i]);
    if (inlined == Inlined::All) {
      drop_dead(*copy);
      split_wide_integers(*copy);
      expand_barrier_reductions(*copy);
      unmark_inlined_accesses(*copy);
      facts[i].line_width = literal_block_width(*copy);
      if (wanted.line != Line::None)
        lay_in_line(*copy, wanted.line, wanted.line == Line::OnePlane ? facts[i].line_width : 0);
      const bool warps = needs_warps(*copy);
      const bool choose = wanted.lanes == 0;
      unsigned chosen = wanted.lanes;
      std::optional<CompileCost> cost;
      if (choose) {
        cost.emplace(*copy);
        chosen = fit_registers(*copy, choose_lanes(*copy, facts[i]), processor.register_bytes);
        chosen = cost->fit(chosen, narrowest_chosen, processor.register_bytes);
        if (longest <= longest_at_once && !warps &&
            cost->time(chosen, processor.register_bytes) > longest_time_at_once) {
          copy->eraseFromParent();
          facts[i].is_baseline = true;
          continue;
        }
      }
      sources.push_back({copy, nullptr, i, warps ? warp_lanes : chosen, warps, choose});
      if (warps && wanted.line == Line::None && has_whole_rows(facts[i], forms))
        copy->addFnAttr(whole_rows);
      if (wanted.line != Line::None) continue;
      GangSize tile = wanted.tile.value_or(
          choose_tile(*copy, facts[i], wanted.lanes, processor.register_bytes));
      if (choose && !wanted.tile && tile.is_tile())
        tile.rows = cost->fit(tile.lanes(), tile.columns, processor.register_bytes) / tile.columns;
      if (warps || !tile.is_tile() || !reads_special_register(*copy, "tid.y")) continue;
      llvm::ValueToValueMapTy tile_map;
      llvm::Function* tile_copy = llvm::CloneFunction(copy, tile_map);
      tile_copy->setName(kernel->getName() + ".tile.copy");
      sources.push_back({tile_copy, nullptr, i, tile, false, choose});
    } else {
      copy->eraseFromParent();
    }
  }
  for (GangSource& source : sources) source.processor = processor;
  return sources;
}

void drop_tiles(std::vector<GangSource>& sources) {
  std::erase_if(sources, [](GangSource& source) {
    if (!source.size.is_tile() || gains_by_tiles(source)) return false;
    source.function->eraseFromParent();
    return true;
  });
}

namespace {

/// As ptx-opt finds it in a dump.
void name_uniform(const GangSource& source, llvm::Function& copy) {
  copy.setName(source.function->getName() + ".uniform");
}

}  // namespace

void choose_width(GangSource& source, const KernelFacts& facts) {
  if (!settle_rows(source, facts)) settle_lanes(source, facts);
}

void version_uniform_branches(GangSource& source) {
  source.open = open_guards(*source.function, source.size);
  if (source.open) name_uniform(source, *source.open);
  source.guarded = source.open != nullptr;
}

std::vector<GangSource*> open_quotients(std::vector<GangSource>& sources) {
  std::vector<GangSource*> opened;
  for (GangSource& source : sources) {
    llvm::Function* open = source.open;
    if (!open) {
      llvm::ValueToValueMapTy map;
      open = llvm::CloneFunction(source.function, map);
    }
    const Quotients wanted = source.size.is_tile() ? Quotients::OfLoops : Quotients::All;
    if (const OpenedQuotients quotients = open_quotients(*open, source.size, wanted);
        quotients.any) {
      source.turns = quotients.in_turns;
      source.open = open;
      name_uniform(source, *open);
      source.guarded = true;
      opened.push_back(&source);
    } else if (!source.open) {
      open->eraseFromParent();
    }
  }
  return opened;
}

std::vector<GangSource*> roll_loops(const std::vector<GangSource*>& sources) {
  std::vector<GangSource*> rolled;
  llvm::copy_if(sources, std::back_inserter(rolled), [](GangSource* source) {
    const bool changed = source->warps && roll_loops(*source->function, source->size);
    source->rolled |= changed;
    return changed;
  });
  return rolled;
}

std::vector<GangSource*> open_more_quotients(const std::vector<GangSource*>& sources) {
  std::vector<GangSource*> opened;
  for (GangSource* source : sources) {
    const OpenedQuotients quotients =
        open_quotients(*source->open, source->size, Quotients::OfLoops);
    source->turns |= quotients.in_turns;
    if (quotients.any) opened.push_back(source);
  }
  return opened;
}

void reopen_guards(const std::vector<GangSource*>& sources) {
  for (GangSource* source : sources) {
    llvm::Function* again = open_guards(*source->open, source->size);
    if (!again) continue;
    source->open->eraseFromParent();
    source->open = again;
    name_uniform(*source, *again);
  }
}

void copy_uniform(GangSource& source) {
  if (source.open) return;
  llvm::ValueToValueMapTy map;
  source.open = llvm::CloneFunction(source.function, map);
  name_uniform(source, *source.open);
}

void choose_scalar(GangSource& source, Plan* plan) {
  source.scalar_reason = reason_for_lone_walks(source, plan);
}

void widen_variant(GangSource& source, const Suspension& suspension, KernelFacts& facts,
                   Plan* plan) {
  if (source.size.is_tile()) {
    widen_tile(source, suspension, facts, plan);
  } else {
    facts.scalar_reason = source.scalar_reason.empty() ? widen(source, suspension, facts, plan)
                                                       : source.scalar_reason;
  }
}

void erase_copies(std::vector<GangSource>& sources) {
  for (const GangSource& source : sources) {
    source.function->eraseFromParent();
    if (source.open) source.open->eraseFromParent();
  }
  sources.clear();
}

}  // namespace pycuda::cpu::simt
