// SPDX-License-Identifier: MIT
// What a gang keeps in registers from trip to trip of a loop: no mask, and no number of the last
// trip's.
#include <doctest/doctest.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>

#include <string>

#include "cpu/simt/widen/widen.h"
#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::ControlFlow;
using pycuda::cpu::simt::GangSize;
using pycuda::cpu::simt::Shapes;
using pycuda::cpu::simt::Widener;
using pycuda::cpu::testing::FunctionText;

namespace {

/// A loop of 100 trips, in each of which every thread takes one of two ways by its own number.
const std::string either_way = R"(
  declare i32 @ptx.sreg.tid.x(ptr)
  define void @f(ptr %thread) {
  entry:
    %i = call i32 @ptx.sreg.tid.x(ptr %thread)
    %i.wide = zext i32 %i to i64
    %bytes = shl i64 %i.wide, 2
    %start = add i64 65536, %bytes
    br label %loop
  loop:
    %j = phi i32 [ 0, %entry ], [ %j.next, %again ]
    %place = phi i64 [ %start, %entry ], [ %next, %again ]
    %pointer = inttoptr i64 %place to ptr
    %word = load i32, ptr %pointer
    %small = icmp slt i32 %word, 100
    br i1 %small, label %multiply, label %divide
  multiply:
    %product = mul i32 %word, 3
    br label %join
  divide:
    %shifted = lshr i32 %word, 2
    br label %join
  join:
    %result = phi i32 [ %product, %multiply ], [ %shifted, %divide ]
    store i32 %result, ptr %pointer
    %next = add i64 %place, 4096
    %j.next = add i32 %j, 1
    %more = icmp slt i32 %j.next, 100
    br i1 %more, label %again, label %done
  again:
    br label %loop
  done:
    ret void
  })";

void promote(llvm::Function& function) {
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes, "mem2reg,sccp,simplifycfg"));
  passes.run(function, functions);
}

}  // namespace

TEST_CASE("a loop whose threads take two ways keeps neither masks nor what they chose") {
  for (const bool full : {true, false}) {
    FunctionText text(either_way);
    llvm::Function& source = text.function();
    const GangSize size{32};
    ControlFlow flow(source);
    const Shapes shapes(source, flow, size);
    flow.assign_owners();
    llvm::Function* gang = Widener(source, flow, shapes, shapes, size, full, {}).run("gang");
    promote(*gang);
    REQUIRE(!llvm::verifyFunction(*gang));
    const llvm::DominatorTree dominators(*gang);
    const llvm::LoopInfo loops(dominators);
    REQUIRE(loops.getTopLevelLoops().size() == 1);
    unsigned numbers = 0, vectors = 0;
    for (const llvm::PHINode& phi : loops.getTopLevelLoops().front()->getHeader()->phis())
      ++(phi.getType()->isVectorTy() ? vectors : numbers);
    CHECK(numbers == 2);
    CHECK(vectors == 0);
  }
}

TEST_CASE("a mask of a tile's rows is not put together bit by bit") {
  FunctionText text(R"(
  declare i32 @ptx.sreg.tid.x(ptr)
  declare i32 @ptx.sreg.tid.y(ptr)
  define void @f(ptr %thread) {
  entry:
    %x = call i32 @ptx.sreg.tid.x(ptr %thread)
    %y = call i32 @ptx.sreg.tid.y(ptr %thread)
    %even = and i32 %y, 1
    %stores = icmp eq i32 %even, 0
    br i1 %stores, label %store, label %done
  store:
    %x.wide = zext i32 %x to i64
    %bytes = shl i64 %x.wide, 2
    %place = add i64 65536, %bytes
    %pointer = inttoptr i64 %place to ptr
    store i32 %y, ptr %pointer
    br label %done
  done:
    ret void
  })");
  llvm::Function& source = text.function();
  const GangSize size(16, 4);
  ControlFlow flow(source);
  const Shapes shapes(source, flow, size);
  flow.assign_owners();
  llvm::Function* gang = Widener(source, flow, shapes, shapes, size, true, {}).run("gang");
  REQUIRE(!llvm::verifyFunction(*gang));
  for (const llvm::Instruction& instruction : llvm::instructions(*gang)) {
    const auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction);
    CHECK_FALSE((insert && insert->getType()->getScalarType()->isIntegerTy(1)));
  }
}
