// SPDX-License-Identifier: MIT
// How large a stack has to be follows from the code: each function that does not call itself is on
// it once, and CU_LIMIT_STACK_SIZE ends the calls of others. What is estimated too low is met by
// the guard below the stack.
#include "cpu/simt/blocks/own_stacks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

#include "cpu/lower/pseudo.h"
#include "cpu/simt/analysis/calls_by_name.h"
#include "cpu/simt/analysis/dialect.h"
#include "cpu/simt/blocks/waits.h"

namespace pycuda::cpu::simt {
namespace {

/// For the executor's functions that kernels call, printf among them.
constexpr std::uint64_t executor_bytes = std::uint64_t{64} << 10;
/// What the limit counts of each call of a function that may call itself; 0 of others.
std::uint64_t metered_bytes(const llvm::Function& function) {
  return function.getFnAttributeAsParsedInteger(lower::pseudo::metered_frame);
}

/// Not less than what code without optimisation has: its variables, and a place for each value.
std::uint64_t frame_bytes(const llvm::Function& function) {
  constexpr std::uint64_t least = 256, of_value = 16;
  std::uint64_t bytes = least;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    bytes += of_value;
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable) continue;
    if (const auto size = variable->getAllocationSize(function.getDataLayout()))
      bytes += size->getFixedValue() + variable->getAlign().value();
  }
  return bytes;
}

/// What a thread may have on its stack that runs a function and all that this calls.
class StackNeed {
 public:
  explicit StackNeed(llvm::Function& function) { visit(function); }
  std::uint64_t bytes() const { return executor_bytes + sum_; }
  std::uint64_t by_stack_limit() const { return by_stack_limit_; }

 private:
  enum class Mark { Open, Closed };

  void visit(llvm::Function& function) {
    if (function.isDeclaration()) return;
    const auto [known, is_new] = marks_.try_emplace(&function, Mark::Open);
    if (!is_new) {
      assert(known->second == Mark::Closed || metered_bytes(function) != 0);
      return;
    }
    const std::uint64_t own = frame_bytes(function);
    sum_ += own;
    if (const std::uint64_t metered = metered_bytes(function); metered != 0)
      by_stack_limit_ = std::max(by_stack_limit_, llvm::divideCeil(own, metered));
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (!call) continue;
      if (llvm::Function* callee = call->getCalledFunction()) {
        visit(*callee);
      } else if (call->isIndirectCall()) {
        for (llvm::Function& other : *function.getParent())
          if (other.hasFnAttribute("ptx-address-taken")) visit(other);
      }
    }
    marks_[&function] = Mark::Closed;
  }

  llvm::DenseMap<llvm::Function*, Mark> marks_;
  std::uint64_t sum_ = 0, by_stack_limit_ = 0;
};

/// Where the thread may wait it calls the scheduler.
void call_scheduler(llvm::Function& function, unsigned& next_site) {
  llvm::Value* thread = function.getArg(0);
  for (llvm::CallInst* call : waits_of(function)) {
    llvm::IRBuilder<> b(call);
    llvm::Value* result = write_wait(b, *call, thread, next_site++, [&] {
      call_by_name(b, "pycuda_cpu_wait_on_stack", b.getVoidTy(), {thread})
          ->getCalledFunction()
          ->addFnAttr(llvm::Attribute::NoUnwind);
    });
    if (result) call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
  function.addFnAttr(waits_on_own_stack);
}

/// What the executor calls.
void write_begin(llvm::Function& body) {
  llvm::LLVMContext& context = body.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, pointer}, false);
  llvm::StringRef name = body.getName();
  name.consume_front("f.");
  llvm::Function* begin = llvm::Function::Create(type, llvm::Function::ExternalLinkage,
                                                 name + ".thread", body.getParent());
  begin->addFnAttr(llvm::Attribute::NoUnwind);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", begin));
  const StackNeed need(body);
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  call_by_name(b, "pycuda_cpu_begin_on_stack", b.getVoidTy(),
               {begin->getArg(0), begin->getArg(1), &body, b.getInt64(need.bytes()),
                b.getInt32(static_cast<std::uint32_t>(std::min(need.by_stack_limit(), most)))});
  b.CreateRetVoid();
}

}  // namespace

void run_on_own_stacks(llvm::Module& module, const Suspension& suspension) {
  unsigned next_site = 1;
  // A frame of several pages must not reach past the guard below the stack.
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) function.addFnAttr("probe-stack", "inline-asm");
  }
  const std::vector<llvm::Function*> functions = in_order_of_calls(module, suspension);
  for (llvm::Function* function : functions) call_scheduler(*function, next_site);
  for (llvm::Function* function : functions) {
    if (function->hasFnAttribute("ptx-kernel")) write_begin(*function);
  }
}

}  // namespace pycuda::cpu::simt
