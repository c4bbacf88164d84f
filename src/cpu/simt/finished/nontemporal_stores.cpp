// SPDX-License-Identifier: MIT
// A store past the caches is for what nobody reads soon: it saves reading the line that it
// overwrites. So the array must not be read in the kernel, nor a line be written twice.

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/Alignment.h>

#include <algorithm>
#include <optional>

#include "cpu/lower/callee_name.h"
#include "cpu/lower/line_notes.h"
#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/access_extents.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/analysis/known_multiples.h"
#include "cpu/simt/analysis/plan_traffic.h"
#include "cpu/simt/analysis/slice.h"
#include "cpu/simt/finished/finished_passes.h"
#include "cpu/simt/widen/widen.h"

namespace pycuda::cpu::simt {

namespace pseudo = lower::pseudo;

namespace {

constexpr unsigned line_bits = 6;
constexpr std::uint64_t line_bytes = 1 << line_bits;
constexpr std::uint32_t address_bytes = 8;

/// What an address is computed from.
struct Sources {
  llvm::SmallVector<std::uint32_t, 4> parameters;  ///< those that may be addresses
  bool is_known = false;                           ///< these, or variables
};

Sources sources_of(const llvm::Value& address) {
  Sources found;
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  llvm::SmallVector<const llvm::Value*, 32> left{&address};
  while (!left.empty()) {
    const llvm::Value* value = left.pop_back_val();
    if (!seen.insert(value).second) continue;
    if (llvm::isa<llvm::AllocaInst, llvm::Argument, llvm::GlobalValue>(value)) {
      found.is_known = true;
    } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(value)) {
      const auto parameter = parameter_read_by(*load);
      const llvm::DataLayout& layout = load->getDataLayout();
      if (!parameter || layout.getTypeStoreSize(load->getType()) != address_bytes) continue;
      found.is_known = true;
      if (!llvm::is_contained(found.parameters, *parameter)) found.parameters.push_back(*parameter);
    } else if (const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
               call && !llvm::isa<llvm::IntrinsicInst>(call)) {
      found.is_known |= lower::callee_name(*call) == pseudo::shared_base;
    } else if (const auto* user = llvm::dyn_cast<llvm::User>(value)) {
      left.append(user->value_op_begin(), user->value_op_end());
    }
  }
  return found;
}

/// The address of what `instruction` reads, or null if it reads nothing. `is_plain` false:
/// it does what no other core may see late.
const llvm::Value* address_read(const llvm::Instruction& instruction, bool& is_plain) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    is_plain = load->isSimple();
    return load->getPointerOperand();
  }
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    is_plain = store->isSimple() || lower::is_line_note(*store);
    return nullptr;
  }
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) {
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call)) {
      switch (intrinsic->getIntrinsicID()) {
        case llvm::Intrinsic::masked_load:
        case llvm::Intrinsic::masked_gather:
        case llvm::Intrinsic::masked_expandload:
          return intrinsic->getArgOperand(0);
        case llvm::Intrinsic::masked_store:
        case llvm::Intrinsic::masked_scatter:
        case llvm::Intrinsic::masked_compressstore:
        case llvm::Intrinsic::prefetch:
        case llvm::Intrinsic::assume:
          return nullptr;
        default:
          break;
      }
    }
    const llvm::StringRef name = lower::callee_name(*call);
    is_plain = call->doesNotAccessMemory() || call->onlyAccessesInaccessibleMemory() ||
               name == pseudo::barrier_sync || name == gang_pause;
    return nullptr;
  }
  is_plain = !instruction.mayReadOrWriteMemory();
  return nullptr;
}

/// Whether each trip of all loops round `store` writes somewhere else.
bool moves_in_loops(const llvm::StoreInst& store, const llvm::LoopInfo& loops) {
  for (const llvm::Loop* loop = loops.getLoopFor(store.getParent()); loop;
       loop = loop->getParentLoop()) {
    const auto moves = [&](const llvm::Instruction& value) {
      if (!loop->contains(&value)) return Slice::Past;
      return llvm::isa<llvm::PHINode>(value) && value.getParent() == loop->getHeader()
                 ? Slice::Found
                 : Slice::Through;
    };
    if (!find_in_slice({store.getPointerOperand()}, moves, all_of_slice)) return false;
  }
  return true;
}

void tell(const llvm::StoreInst& store, std::vector<PlanNote>& notes) {
  const PlanNote place = note_of(store, PlanNote::Kind::Access, {});
  for (PlanNote& note : notes) {
    constexpr const char* past = "; non-temporal in launches that write more than the caches hold";
    if (note.kind == place.kind && note.function == place.function &&
        note.instruction == place.instruction && place.instruction != 0 &&
        note.form.find(past) == std::string::npos)
      note.form += past;
  }
}

struct Candidate {
  llvm::Instruction* access;  ///< a plain load or store of a vector
  std::uint32_t parameter;
};

llvm::StoreInst* store_of(const Candidate& candidate) {
  return llvm::dyn_cast<llvm::StoreInst>(candidate.access);
}

/// Every plain access of vectors to an array; those whose array is not known are left out. Nothing
/// when the kernel does what stores past the caches might come too late for. `read`: the parameters
/// through which it reads in any way.
std::optional<std::vector<Candidate>> candidates_in(llvm::Function& gang,
                                                    std::vector<std::uint32_t>& read) {
  std::vector<Candidate> candidates;
  llvm::SmallVector<const llvm::Value*, 16> addresses;
  bool writes = false;
  for (llvm::Instruction& instruction : llvm::instructions(gang)) {
    bool is_plain = true;
    if (const llvm::Value* address = address_read(instruction, is_plain)) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || !parameter_read_by(*load)) addresses.push_back(address);
    }
    if (!is_plain) return std::nullopt;
    if (!llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) ||
        !llvm::getLoadStoreType(&instruction)->isVectorTy())
      continue;
    if (const auto base = base_parameter(*llvm::getLoadStorePointerOperand(&instruction))) {
      candidates.push_back({&instruction, *base});
      writes |= llvm::isa<llvm::StoreInst>(instruction);
    }
  }
  if (!writes) return std::nullopt;
  for (const llvm::Value* address : addresses) {
    const Sources sources = sources_of(*address);
    if (!sources.is_known) return std::nullopt;
    read.insert(read.end(), sources.parameters.begin(), sources.parameters.end());
  }
  return candidates;
}

void mark(llvm::StoreInst& store) {
  llvm::LLVMContext& context = store.getContext();
  store.setAlignment(llvm::Align(line_bytes));
  store.setMetadata(llvm::LLVMContext::MD_nontemporal,
                    llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(
                                                   llvm::Type::getInt32Ty(context), 1))));
}

void add_conditions(StreamedStores& all, const StreamedStores& conditions) {
  for (const StreamedStores::Multiple& condition : conditions.multiples) {
    const auto known =
        std::find_if(all.multiples.begin(), all.multiples.end(), [&](const auto& other) {
          return other.parameter == condition.parameter && other.bytes == condition.bytes;
        });
    if (known == all.multiples.end()) {
      all.multiples.push_back(condition);
    } else {
      known->multiple = std::max(known->multiple, condition.multiple);
    }
  }
  all.block_multiple = std::max(all.block_multiple, conditions.block_multiple);
}

}  // namespace

void mark_nontemporal_stores(llvm::Function& gang, GangSize size, bool stream,
                             StreamedStores& streamed, std::vector<PlanNote>* notes) {
  std::vector<std::uint32_t> read;
  const auto candidates = candidates_in(gang, read);
  if (!candidates) return;
  const llvm::DataLayout& layout = gang.getDataLayout();
  const llvm::DominatorTree dominators(gang);
  const llvm::LoopInfo loops(dominators);
  std::vector<std::uint32_t> asked, written;
  for (const Candidate& candidate : *candidates) {
    const std::uint32_t parameter = candidate.parameter;
    if (!store_of(candidate) || llvm::is_contained(asked, parameter) ||
        llvm::is_contained(read, parameter))
      continue;
    asked.push_back(parameter);
    // All of the array's or none: lines that are written both ways go to memory twice.
    KnownMultiples multiples(layout, size.columns);
    const bool fits = llvm::all_of(*candidates, [&](const Candidate& other) {
      if (other.parameter != parameter) return true;
      const llvm::StoreInst& store = *store_of(other);
      return layout.getTypeStoreSize(store.getValueOperand()->getType()) % line_bytes == 0 &&
             moves_in_loops(store, loops) &&
             multiples.require(*store.getPointerOperand(), line_bits);
    });
    if (!fits) continue;
    written.push_back(parameter);
    add_conditions(streamed, multiples.conditions());
    if (!llvm::is_contained(streamed.arrays, parameter)) streamed.arrays.push_back(parameter);
  }
  if (written.empty()) return;
  const std::size_t first = streamed.accesses.size();
  for (const Candidate& candidate : *candidates) {
    llvm::StoreInst* store = store_of(candidate);
    const bool goes_past = store && llvm::is_contained(written, candidate.parameter);
    add_access(*candidate.access, candidate.parameter, loops, size.lanes(), goes_past, first,
               streamed);
    if (!goes_past) continue;
    if (notes) tell(*store, *notes);
    if (stream) mark(*store);
  }
}

}  // namespace pycuda::cpu::simt
