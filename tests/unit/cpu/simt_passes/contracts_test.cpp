// SPDX-License-Identifier: MIT
// What the forms of IR promise is verified, and a step that breaks its promise is named.
#include "cpu/jit/contracts.h"

#include <doctest/doctest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>

#include <array>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "cpu/jit/run_steps.h"

namespace {

namespace jit = pycuda::cpu::jit;

/// A module whose function `f` is a variant's divergent copy.
struct Copy {
  explicit Copy(const std::string& body) {
    llvm::SMDiagnostic error;
    all.lowered.module = llvm::parseAssemblyString(
        "declare void @ptx.yield(ptr)\ndefine void @f(i32 %x, i1 %c) {\n" + body + "}\n", error,
        context);
    REQUIRE_MESSAGE(all.lowered.module, error.getMessage().str());
    all.variants.push_back(
        {all.module().getFunction("f"), nullptr, 0, pycuda::cpu::simt::GangSize(32)});
  }
  void expect(jit::Ir form, const std::string& part) const {
    const std::string found = jit::violation(all, form);
    CAPTURE(found);
    if (part.empty()) {
      CHECK(found.empty());
    } else {
      CHECK(found.find(part) != std::string::npos);
    }
  }
  llvm::LLVMContext context;
  jit::Options options;
  jit::Compilation all{options, {}};
};

void make_critical_edge(const jit::Subject& subject) {
  llvm::Function& function = *subject.all.variants.front().function;
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::BasicBlock* end = &function.back();
  llvm::BasicBlock* between = llvm::BasicBlock::Create(function.getContext(), "between", &function);
  llvm::BranchInst::Create(end, between);
  entry.getTerminator()->eraseFromParent();
  llvm::BranchInst::Create(between, end, function.getArg(1), &entry);
}

void fail(const jit::Subject&) { throw std::runtime_error("out of ideas"); }

void expect_failure(const jit::Step& step, jit::Compilation& all, const std::string& text) {
  const std::array<jit::Step, 1> steps{step};
  const jit::Stage stage{"tried", nullptr, steps};
  try {
    jit::run_stage(stage, all);
    FAIL("no violation is found");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()) == text);
  }
}

}  // namespace

TEST_CASE("copies are structured, or it is said what they have") {
  using enum jit::Ir;
  Copy("ret void").expect(Structured, "");
  Copy("switch i32 %x, label %a [i32 1, label %b]\na: br label %b\nb: ret void")
      .expect(Structured, "a branch with more than two ways");
  Copy("br i1 %c, label %a, label %b\na: ret void\nb: ret void")
      .expect(Structured, "more than one return");
  Copy("br i1 %c, label %a, label %b\na: br label %b\nb: ret void")
      .expect(Structured, "f has a critical edge");
  const std::string around =
      "br i1 %c, label %a, label %b\na: br label %l\nb: br label %m\n"
      "l: br label %m\nm: br i1 %c, label %n, label %e\nn: br label %l\ne: ret void";
  Copy(around).expect(Structured, "a loop with several entries");
  Copy(around).expect(Copied, "");
}

TEST_CASE("loops of copies are simplified, and what leaves them does so in phis") {
  using enum jit::Ir;
  Copy(
      "br label %l\nl: %i = phi i32 [0, %0], [%j, %l2]\n%j = add i32 %i, 1\n"
      "br i1 %c, label %l2, label %e\nl2: br label %l\ne: ret void")
      .expect(Structured, "");
  Copy(
      "br label %l\nl: %i = phi i32 [0, %0], [%j, %l2]\n%j = add i32 %i, 1\n"
      "br i1 %c, label %l2, label %e\nl2: br label %l\ne: %u = add i32 %j, 1\nret void")
      .expect(Structured, "LCSSA");
  Copy(
      "br i1 %c, label %a, label %b\na: br label %l\nb: br label %l\n"
      "l: br i1 %c, label %l2, label %e\nl2: br label %l\ne: ret void")
      .expect(Structured, "simplified");
}

TEST_CASE("pseudo functions are gone once blocks can be called") {
  const Copy copy("call void @ptx.yield(ptr null)\nret void");
  copy.expect(jit::Ir::Vectors, "");
  copy.expect(jit::Ir::Callable, "ptx.yield");
}

TEST_CASE("a step that breaks its contract or fails is named") {
  setenv("PYCUDA_CPU_VERIFY", "1", 1);
  using enum jit::Ir;
  Copy broken("br label %a\na: ret void");
  expect_failure({"made-up", jit::On::Module, Structured, Structured, make_critical_edge},
                 broken.all, "step made-up: f has a critical edge");
  Copy failing("ret void");
  expect_failure({"made-up", jit::On::Module, Structured, Structured, fail}, failing.all,
                 "step made-up: out of ideas");
  unsetenv("PYCUDA_CPU_VERIFY");
}
