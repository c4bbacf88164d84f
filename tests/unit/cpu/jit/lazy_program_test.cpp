// SPDX-License-Identifier: MIT
// Programs whose kernels are compiled when they are first asked for.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cpu/jit/object_cache.h"
#include "cpu/jit/parts.h"
#include "cpu/jit/program.h"
#include "cpu/ptx/parser.h"
#include "unit/cpu/jit/cache_folder.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;
using pycuda::cpu::testing::CacheFolder;
using Failure = pycuda::cpu::variants::KernelFailure::Stage;

const std::string header = ".version 7.0\n.target sm_80\n.address_size 64\n";

std::string kernel(const std::string& name, unsigned steps = 2, const std::string& extra = {}) {
  std::string text = ".visible .entry " + name +
                     "(.param .u64 out) {\n  .reg .b64 %a; .reg .b32 %x, %t;\n"
                     "  ld.param.u64 %a, [out]; mov.u32 %t, %tid.x; ld.global.u32 %x, [%a];\n" +
                     extra;
  for (unsigned i = 0; i < steps; ++i)
    text += "  mad.lo.u32 %x, %x, %t, " + std::to_string(i + 3) + ";\n";
  return text + "  st.global.u32 [%a], %x;\n  ret;\n}\n";
}

const std::string three = header + kernel("first") + kernel("second") + kernel("third");

std::vector<std::string> names_of(const std::vector<jit::Part>& parts) {
  std::vector<std::string> names;
  for (const jit::Part& part : parts) {
    std::string text;
    for (const std::string& name : part.kernels) text += (text.empty() ? "" : " ") + name;
    names.push_back(text + (part.at_once ? "!" : ""));
  }
  return names;
}

std::vector<std::string> parts(const std::string& text) {
  const auto parsed = ptx::parse(text);
  if (!parsed) FAIL(ptx::to_text(parsed.error()));
  return names_of(jit::parts_of(*parsed));
}

jit::Options lazily(const std::string& folder = {}) {
  jit::Options options;
  options.by_parts = true;
  options.cache_folder = folder;
  return options;
}

std::shared_ptr<const jit::Program> compile(const std::string& text, const jit::Options& options) {
  auto program = jit::Program::compile(text, options);
  if (!program) FAIL(ptx::to_text(program.error()));
  return *program;
}

std::unique_ptr<jit::LoadedProgram> load(std::shared_ptr<const jit::Program> program) {
  auto loaded =
      jit::LoadedProgram::load(std::move(program), [](const jit::GlobalVariable&) -> void* {
        static std::vector<std::unique_ptr<char[]>> memory;
        return memory.emplace_back(new char[4096]()).get();
      });
  if (!loaded) FAIL(loaded.error().message);
  return std::move(*loaded);
}

}  // namespace

TEST_CASE("each kernel is a part, but two small ones are one") {
  using Names = std::vector<std::string>;
  CHECK(parts(three) == Names{"first", "second", "third"});
  CHECK(parts(header + kernel("first")) == Names{"first"});
  CHECK(parts(header + kernel("first") + kernel("second")) == Names{"first second"});
  CHECK(parts(header + kernel("first", 300) + kernel("second")) == Names{"first", "second"});
}

TEST_CASE("kernels that use addresses of functions are one part, needed at once if variables do") {
  using Names = std::vector<std::string>;
  const std::string twice = ".func twice() { ret; }\n";
  const std::string takes = "  mov.u64 %a, twice;\n";
  const std::string calls = "  shape: .callprototype _ ();\n  call %a, (), shape;\n";
  const std::string table = ".global .align 8 .u64 table[1] = {twice};\n";
  const std::string kernels =
      kernel("first") + kernel("takes", 2, takes) + kernel("second") + kernel("calls", 2, calls);
  CHECK(parts(header + twice + kernels) == Names{"first", "takes calls", "second"});
  CHECK(parts(header + twice + table + kernels) == Names{"first", "takes calls!", "second"});
  // Nobody is seen to call what the table holds.
  CHECK(parts(header + twice + table + kernel("first") + kernel("second") + kernel("third")) ==
        Names{"first second third!"});
}

TEST_CASE("a kernel's code is made when it is asked for, once for all that load the program") {
  CacheFolder folder;
  const auto program = compile(three, lazily(folder.path));
  REQUIRE(program->kernels().size() == 3);
  CHECK(program->kernels()[1].parameters.size() == 1);
  const auto loaded = load(program);
  const auto other = load(program);
  CHECK(loaded->find_kernel("second") == nullptr);
  CHECK(folder.files() == 1);
  const auto second = loaded->link_kernel(1);
  REQUIRE(second.ok());
  CHECK((*second)->facts.name == "second");
  CHECK(loaded->find_kernel("second") == *second);
  CHECK(loaded->linked_kernel(1) == *second);
  CHECK(loaded->find_kernel("first") == nullptr);
  CHECK(other->find_kernel("second") == nullptr);
  REQUIRE(other->link_kernel(1).ok());
  CHECK(folder.files() == 2);
}

TEST_CASE("parts come from the disk cache, which has one entry for each that was asked for") {
  CacheFolder folder;
  const jit::Options options = lazily(folder.path);
  REQUIRE(load(compile(three, options))->link_kernel(2).ok());
  REQUIRE(folder.files() == 2);
  for (int round = 0; round < 3; ++round) {
    const auto program = compile(three, options);
    CHECK(program->from_cache());
    CHECK(load(program)->link_kernel(2).ok());
  }
  CHECK(folder.files() == 2);
  // What has not been asked for before is compiled from the text.
  CHECK(load(compile(three, options))->link_kernel(0).ok());
  CHECK(folder.files() == 3);
}

TEST_CASE("a kernel whose code cannot be made or linked fails when it is asked for, by name") {
  CacheFolder folder;
  const jit::Options options = lazily(folder.path);
  // The module's entry says that this can be compiled.
  const std::string nonsense = header + "nonsense";
  jit::CompiledProgram module;
  for (const char* const name : {"first", "second"}) {
    module.kernels.emplace_back().name = name;
    module.parts.push_back({{name}, false});
  }
  jit::write_cached(jit::text_digest(nonsense), options, module);
  jit::CompiledProgram code;
  code.kernels.push_back(module.kernels[1]);
  code.object = "no object file";
  jit::Options alone = options;
  alone.by_parts = false;
  alone.only_kernels = {"second"};
  alone.forms = std::nullopt;
  jit::write_cached(jit::text_digest(nonsense), alone, code);

  const auto loaded = load(compile(nonsense, options));
  for (int round = 0; round < 2; ++round) {
    const auto first = loaded->link_kernel(0);
    REQUIRE_FALSE(first.ok());
    CHECK(first.error().stage == Failure::Compile);
    CHECK(first.error().message.find("kernel 'first' could not be compiled") == 0);
    const auto second = loaded->link_kernel(1);
    REQUIRE_FALSE(second.ok());
    CHECK(second.error().stage == Failure::Link);
    CHECK(second.error().message.find("'second'") != std::string::npos);
  }
}

TEST_CASE("a module too large for quick vector forms has them put off for each of its kernels") {
  // More than 40000 instructions together, few alone.
  const std::string many =
      header + kernel("first", 30000) + kernel("second", 30000) + kernel("third", 20);
  jit::Options options = lazily();
  options.vectors = true;
  const auto loaded = load(compile(many, options));
  const auto third = loaded->link_kernel(2);
  REQUIRE(third.ok());
  CHECK((*third)->facts.gang_lanes == 0);
  const auto vectors = loaded->table(2).make(pycuda::cpu::variants::Variant::vectors());
  REQUIRE(vectors.ok());
  CHECK((*vectors)->facts.gang_lanes != 0);
}
