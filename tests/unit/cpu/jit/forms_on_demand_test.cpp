// SPDX-License-Identifier: MIT
// Kernels whose first code has the forms that most launches need.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cpu/exec/gang_block.h"
#include "cpu/jit/object_cache.h"
#include "cpu/jit/program.h"
#include "unit/cpu/kernel_run.h"

namespace {

namespace jit = pycuda::cpu::jit;
using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::Kernel;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;

/// Each thread stores its number, without a look at how many there are; `first` comes before.
std::string stores(const std::string& name, const std::string& first = {}) {
  return ".visible .entry " + name +
         "(.param .u64 out) {\n  .reg .b64 %a, %d; .reg .b32 %x, %n, %c; .reg .pred %p;\n" + first +
         "  ld.param.u64 %a, [out]; mov.u32 %x, %tid.x; mov.u32 %n, %ntid.x;\n"
         "  mov.u32 %c, %ctaid.x; mad.lo.u32 %x, %n, %c, %x; mul.wide.u32 %d, %x, 4;\n"
         "  add.u64 %a, %a, %d; st.global.u32 [%a], %x;\n  ret;\n}\n";
}

jit::Options on_demand(const std::string& folder = {}) {
  jit::Options options;
  options.vectors = true;
  options.by_parts = true;
  options.cache_folder = folder;
  return options;
}

std::unique_ptr<jit::LoadedProgram> load(const std::string& body, const jit::Options& options) {
  auto program = jit::Program::compile(module_of(body), options);
  if (!program) FAIL(pycuda::cpu::ptx::to_text(program.error()));
  auto loaded = jit::LoadedProgram::load(*program, [](const jit::GlobalVariable&) -> void* {
    static char memory[4096];
    return memory;
  });
  if (!loaded) FAIL(loaded.error().message);
  return std::move(*loaded);
}

struct Folder {
  Folder() {
    char name[] = "/tmp/forms_on_demand_test_XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path))
      count += entry.is_regular_file();
    return count;
  }
  std::string path;
};

}  // namespace

TEST_CASE("a kernel's first code has whole gangs alone, and launches get what else they need") {
  const auto loaded = load(stores("store"), on_demand());
  const auto first = loaded->link_kernel(0);
  REQUIRE(first.ok());
  const Kernel& kernel = **first;
  CHECK(kernel.facts.forms == Form::Gangs);
  CHECK((kernel.run_gangs != nullptr));
  CHECK((kernel.run_block == nullptr));
  REQUIRE(kernel.on_demand != nullptr);
  CHECK(*loaded->link_form(kernel, Form::Gangs) == &kernel);
  const auto tails = loaded->link_form(kernel, Form::Tails);
  REQUIRE(tails.ok());
  CHECK(((*tails)->run_gangs != nullptr));
  CHECK(((*tails)->run_block == nullptr));
  CHECK((*tails)->facts.gang_lanes == kernel.facts.gang_lanes);
  const auto threads = loaded->link_form(kernel, Form::Threads);
  REQUIRE(threads.ok());
  CHECK(((*threads)->run_block != nullptr));
  CHECK((*threads)->facts.gang_lanes == 0);
  CHECK(*loaded->link_form(kernel, Form::Tails) == *tails);
  CHECK(kernel.on_demand->make(Form::Threads) == *threads);
  CHECK((*tails)->on_demand->make(Form::Threads) == *threads);
}

TEST_CASE("a kernel that is known to have ragged rows gets gangs for these at first") {
  std::string body = stores("store");
  body.insert(body.find("{"), ".reqntid 100, 1, 1 ");
  const auto loaded = load(body, on_demand());
  CHECK((*loaded->link_kernel(0))->facts.forms == (Forms(Form::Gangs) | Form::Tails));
}

TEST_CASE("everything is made at once where nothing is left for later, and without vectors") {
  jit::Options options = on_demand();
  options.by_parts = false;
  CHECK((*load(stores("store"), options)->link_kernel(0))->facts.forms == Forms::all());
  options = on_demand();
  options.vectors = false;
  const auto scalar = load(stores("store"), options);
  CHECK((*scalar->link_kernel(0))->facts.forms == Forms::all());
  CHECK(((*scalar->link_kernel(0))->run_block != nullptr));
  const std::string twice = ".func twice() { ret; }\n";
  const auto address =
      load(twice + stores("takes", "  mov.u64 %a, twice;\n") + stores("store"), on_demand());
  for (std::size_t number = 0; number < 2; ++number)
    CHECK((*address->link_kernel(number))->facts.forms == Forms::all());
}

TEST_CASE("forms made on demand come from the disk cache") {
  Folder folder;
  const auto make = [&](Form form) {
    const auto loaded = load(stores("store"), on_demand(folder.path));
    CHECK(loaded->link_form(**loaded->link_kernel(0), form).ok());
    return folder.files();
  };
  CHECK(make(Form::Gangs) == 1);
  CHECK(make(Form::Tails) == 2);
  CHECK(make(Form::Tails) == 2);
  CHECK(make(Form::Threads) == 3);
  CHECK(make(Form::Threads) == 3);
}

TEST_CASE("threads that ask for the same and for different forms at once get one of each") {
  const auto loaded = load(stores("store"), on_demand());
  const Kernel& kernel = **loaded->link_kernel(0);
  constexpr Form forms[] = {Form::Tails, Form::Threads, Form::Gangs};
  std::vector<const Kernel*> found(12);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = *loaded->link_form(kernel, forms[i % 3]); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i]->facts.forms.has(forms[i % 3]));
    if (i % 3 != 2) CHECK(found[i] == found[i % 3]);
  }
}

TEST_CASE("a form whose code cannot be linked fails by name when it is asked for") {
  Folder folder;
  const jit::Options options = on_demand(folder.path);
  jit::Options alone = options;
  alone.by_parts = false;
  alone.only_kernels = {"store"};
  alone.forms = Form::Tails;
  jit::CompiledProgram code;
  code.kernels.emplace_back().name = "store";
  code.object = "no object file";
  const std::string digest = jit::text_digest(module_of(stores("store")));
  jit::write_cached(folder.path, jit::cache_key(digest, alone), code);
  const auto loaded = load(stores("store"), options);
  const Kernel& kernel = **loaded->link_kernel(0);
  const auto tails = loaded->link_form(kernel, Form::Tails);
  REQUIRE_FALSE(tails.ok());
  CHECK(tails.error().stage == jit::KernelFailure::Stage::Link);
  CHECK(tails.error().message.find("kernel 'store'") == 0);
  CHECK(loaded->link_form(kernel, Form::Threads).ok());
}

TEST_CASE("a fault names its thread although the kernel's form for threads was never made") {
  // Thread 37 of block 2 stores far away.
  const std::string body =
      ".visible .entry strays(.param .u64 out) {\n  .reg .b64 %a, %d; .reg .b32 %x, %n, %c;\n"
      "  .reg .pred %p;\n  ld.param.u64 %a, [out]; mov.u32 %x, %tid.x; mov.u32 %n, %ntid.x;\n"
      "  mov.u32 %c, %ctaid.x; mad.lo.u32 %x, %n, %c, %x; mul.wide.u32 %d, %x, 4;\n"
      "  setp.eq.u32 %p, %x, 165;\n  @%p add.u64 %d, %d, 0x7000000000000000;\n"
      "  add.u64 %a, %a, %d; st.global.u32 [%a], %x;\n  ret;\n}\n";
  LoadedModule module(body, on_demand());
  REQUIRE((module.kernel("strays").run_block == nullptr));
  std::vector<std::uint32_t> out(4 * 64);
  const auto fault = module.fault_of("strays", {4, 1, 1}, {64, 1, 1}, out.data());
  REQUIRE(fault.has_value());
  CHECK(fault->message.find("block (2, 0, 0), thread (37, 0, 0)") != std::string::npos);
}
