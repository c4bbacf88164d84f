// SPDX-License-Identifier: MIT
// Kernels whose first code has the forms that most launches need.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/stream.h"
#include "cpu/jit/object_cache.h"
#include "cpu/jit/program.h"
#include "cpu/variants/choose.h"
#include "cpu/variants/launch_form.h"
#include "unit/cpu/jit/cache_folder.h"
#include "unit/cpu/kernel_run.h"

namespace {

namespace exec = pycuda::cpu::exec;
namespace jit = pycuda::cpu::jit;
namespace variants = pycuda::cpu::variants;
using pycuda::cpu::Dim3;
using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::Kernel;
using pycuda::cpu::testing::CacheFolder;
using pycuda::cpu::testing::module_of;
using variants::best_form;
using variants::form_of_launch;
using variants::Variant;

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

/// The first kernel with this form.
variants::Made make(const jit::LoadedProgram& loaded, Form form) {
  return loaded.table(0).make(Variant::of(form));
}

/// Each thread of a block of several rows, or one, adds to its element what row and column say.
const std::string sums =
    ".visible .entry sums(.param .u64 out) {\n  .reg .b64 %a, %d; .reg .b32 %x, %y, %n, %c, %k, "
    "%s;\n"
    "  .reg .pred %p;\n  ld.param.u64 %a, [out]; mov.u32 %x, %tid.x; mov.u32 %n, %ntid.x;\n"
    "  mov.u32 %c, %ctaid.x; mad.lo.u32 %x, %n, %c, %x; mov.u32 %y, %tid.y;\n"
    "  mad.lo.u32 %c, %y, 64, %x; mul.wide.u32 %d, %c, 4; add.u64 %a, %a, %d;\n"
    "  ld.global.u32 %s, [%a]; mov.u32 %k, 0;\n"
    "again:\n  mad.lo.u32 %s, %k, %y, %s; add.u32 %s, %s, %x; add.u32 %k, %k, 1;\n"
    "  setp.lt.u32 %p, %k, 10; @%p bra again;\n  st.global.u32 [%a], %s;\n  ret;\n}\n";

struct Sink final : exec::FaultSink {
  void report(const exec::Fault& reported) override { fault = reported; }
  bool poisoned() const override { return fault.has_value(); }
  std::optional<exec::Fault> fault;
};

/// Runs the only kernel as the driver does, in the form that the launch needs.
std::optional<exec::Fault> launch(const jit::LoadedProgram& loaded, Dim3 grid, Dim3 block,
                                  const void* out) {
  const Kernel* const kernel = *loaded.link_kernel(0);
  Sink sink;
  exec::Stream stream(0, sink);
  exec::LaunchRequest request;
  request.kernel = *variants::code_for(*kernel, grid, block);
  request.grid = grid;
  request.block = block;
  request.params.assign(reinterpret_cast<const char*>(&out), sizeof out);
  stream.launch(std::move(request));
  stream.synchronize();
  return sink.fault;
}

}  // namespace

TEST_CASE("checked code has the forms that most launches need and one for threads, or all") {
  using pycuda::cpu::Check;
  const auto loaded = load(stores("store"), on_demand());
  variants::Table& table = loaded->table(0);
  REQUIRE(loaded->link_kernel(0).ok());
  const auto likely = table.make(Variant::likely(Check::Memory));
  REQUIRE(likely.ok());
  CHECK((*likely)->facts.gang_lanes != 0);
  CHECK((*likely)->facts.forms == (Forms(Form::Gangs) | Form::Threads));
  CHECK(variants::can_run((*likely)->facts, {4, 1, 1}, {64, 1, 1}));
  CHECK(variants::can_run((*likely)->facts, {4, 1, 1}, {1, 64, 1}));
  CHECK_FALSE(variants::can_run((*likely)->facts, {4, 1, 1}, {100, 1, 1}));
  const auto all = table.make(Variant::of(Check::Memory));
  REQUIRE(all.ok());
  CHECK((*all)->facts.forms == Forms::all());
  CHECK(*all != *likely);
}

TEST_CASE("a kernel's first code has whole gangs alone, and launches get what else they need") {
  const auto loaded = load(stores("store"), on_demand());
  const auto first = loaded->link_kernel(0);
  REQUIRE(first.ok());
  const Kernel& kernel = **first;
  CHECK(kernel.facts.forms == Form::Gangs);
  CHECK((kernel.run_gangs != nullptr));
  CHECK((kernel.run_block == nullptr));
  REQUIRE(kernel.table != nullptr);
  CHECK(*make(*loaded, Form::Gangs) == &kernel);
  const auto tails = make(*loaded, Form::Tails);
  REQUIRE(tails.ok());
  CHECK(((*tails)->run_gangs != nullptr));
  CHECK(((*tails)->run_block == nullptr));
  CHECK((*tails)->facts.gang_lanes == kernel.facts.gang_lanes);
  const auto threads = make(*loaded, Form::Threads);
  REQUIRE(threads.ok());
  CHECK(((*threads)->run_block != nullptr));
  CHECK((*threads)->facts.gang_lanes == 0);
  CHECK(*make(*loaded, Form::Tails) == *tails);
  CHECK(kernel.table == (*tails)->table);
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
  CacheFolder folder;
  const auto make = [&](Form form) {
    const auto loaded = load(stores("store"), on_demand(folder.path));
    CHECK(loaded->table(0).make(Variant::of(form)).ok());
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
  REQUIRE(loaded->link_kernel(0).ok());
  constexpr Form forms[] = {Form::Tails, Form::Threads, Form::Gangs};
  std::vector<const Kernel*> found(12);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < found.size(); ++i)
    threads.emplace_back([&, i] { found[i] = *make(*loaded, forms[i % 3]); });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i]->facts.forms.has(forms[i % 3]));
    if (i % 3 != 2) CHECK(found[i] == found[i % 3]);
  }
}

TEST_CASE("a form whose code cannot be linked fails by name when it is asked for") {
  CacheFolder folder;
  const jit::Options options = on_demand(folder.path);
  jit::Options alone = options;
  alone.by_parts = false;
  alone.only_kernels = {"store"};
  alone.forms = Form::Tails;
  jit::CompiledProgram code;
  code.kernels.emplace_back().name = "store";
  code.object = "no object file";
  const std::string digest = jit::text_digest(module_of(stores("store")));
  jit::write_cached(digest, alone, code);
  const auto loaded = load(stores("store"), options);
  REQUIRE(loaded->link_kernel(0).ok());
  const auto tails = make(*loaded, Form::Tails);
  REQUIRE_FALSE(tails.ok());
  CHECK(tails.error().stage == variants::KernelFailure::Stage::Link);
  CHECK(tails.error().message.find("kernel 'store'") == 0);
  CHECK(make(*loaded, Form::Threads).ok());
}

TEST_CASE("launches of every shape get their form, and compute the same") {
  const auto rows = load(stores("store"), on_demand());
  for (const unsigned width : {128u, 50u, 16u, 3u, 1u}) {
    CAPTURE(width);
    std::vector<std::uint32_t> out(3 * width + 1, 7);
    CHECK_FALSE(launch(*rows, {3, 1, 1}, {width, 1, 1}, out.data()));
    for (std::uint32_t i = 0; i < 3 * width; ++i) CHECK(out[i] == i);
    CHECK(out.back() == 7);
  }
  const auto blocks = load(sums, on_demand());
  const Kernel& kernel = **blocks->link_kernel(0);
  REQUIRE(kernel.facts.tile_rows != 0);
  CHECK((kernel.run_tiles != nullptr));
  CHECK((kernel.run_gangs == nullptr));
  CHECK((kernel.run_block == nullptr));
  for (const Dim3 block : {Dim3{16, 16, 1}, Dim3{20, 3, 1}, Dim3{32, 1, 1}, Dim3{2, 2, 1}}) {
    CAPTURE(block.x);
    std::vector<std::uint32_t> out(std::size_t{64} * 16, 1);
    CHECK_FALSE(launch(*blocks, {2, 1, 1}, block, out.data()));
    for (std::uint32_t y = 0; y < 16; ++y) {
      for (std::uint32_t x = 0; x < 64; ++x) {
        const bool inside = y < block.y && x < 2 * block.x;
        CHECK(out[y * 64 + x] == (inside ? 1 + 10 * x + 45 * y : 1));
      }
    }
  }
}

TEST_CASE("blocks that leave lanes of the usual gangs empty run in gangs of their own size") {
  // Each thread adds up what the others of its block have written.
  const std::string text =
      ".visible .entry turns(.param .u64 out) {\n  .shared .b32 all[64]; .reg .b64 %a, %d;\n"
      "  .reg .b32 %x, %n, %c, %k, %s, %t, %at; .reg .pred %p;\n"
      "  ld.param.u64 %a, [out]; mov.u32 %x, %tid.x; mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x;\n"
      "  mad.lo.u32 %t, %c, %n, %x; mov.u32 %at, all; mad.lo.u32 %at, %x, 4, %at;\n"
      "  st.shared.u32 [%at], %t; bar.sync 0; mov.u32 %k, 0; mov.u32 %s, 0; mov.u32 %at, all;\n"
      "again:\n  ld.shared.u32 %c, [%at]; add.u32 %s, %s, %c; add.u32 %at, %at, 4;\n"
      "  add.u32 %k, %k, 1; setp.lt.u32 %p, %k, %n; @%p bra again;\n"
      "  mul.wide.u32 %d, %t, 4; add.u64 %a, %a, %d; st.global.u32 [%a], %s;\n  ret;\n}\n";
  const auto loaded = load(text, on_demand());
  const Kernel& kernel = **loaded->link_kernel(0);
  REQUIRE(kernel.facts.gang_lanes == 32);
  CHECK(best_form(kernel.facts, {4}, {32}) == Form::Gangs);
  CHECK(best_form(kernel.facts, {4}, {40}) == Form::Tails);
  CHECK(best_form(kernel.facts, {4}, {2}) == Form::Threads);
  CHECK(best_form(kernel.facts, {4}, {16}) == Form::ShortRows);
  const Kernel& narrow = **make(*loaded, Form::ShortRows);
  CHECK(narrow.facts.gang_lanes == 16);
  CHECK(form_of_launch(narrow.facts, {4}, {16}) == Form::Gangs);
  for (const unsigned width : {32u, 31u, 17u, 16u, 12u, 5u, 4u, 3u}) {
    CAPTURE(width);
    std::vector<std::uint32_t> out(4 * width);
    CHECK_FALSE(launch(*loaded, {4, 1, 1}, {width, 1, 1}, out.data()));
    for (std::uint32_t i = 0; i < out.size(); ++i) {
      const std::uint32_t first = i / width * width;
      CHECK(out[i] == width * first + width * (width - 1) / 2);
    }
  }
  // Also in the other rows of a form that everything has, and where somebody asks for a size.
  jit::Options whole = on_demand();
  whole.by_parts = false;
  const auto all = load(text, whole);
  CHECK(best_form((*all->link_kernel(0))->facts, {4}, {16}) == Form::Tails);
  jit::Options wide = on_demand();
  wide.gang_lanes = 64;
  const auto asked = load(text, wide);
  std::vector<std::uint32_t> out(32);
  CHECK_FALSE(launch(*asked, {2, 1, 1}, {16, 1, 1}, out.data()));
  CHECK(out[31] == 16 * 16 + 120);
}

TEST_CASE("blocks of eight columns run in tiles of eight") {
  const auto blocks = load(sums, on_demand());
  const Kernel& kernel = **blocks->link_kernel(0);
  REQUIRE(kernel.facts.tile_columns == 16);
  CHECK(best_form(kernel.facts, {2}, {8, 8}) == Form::SmallTiles);
  CHECK(best_form(kernel.facts, {2}, {8, 6}) == Form::Tails);
  CHECK(best_form(kernel.facts, {2}, {16, 16}) == Form::Tiles);
  const Kernel& small = **make(*blocks, Form::SmallTiles);
  CHECK(small.facts.tile_columns == 8);
  CHECK(small.facts.tile_rows == 4);
  CHECK((small.run_gangs == nullptr));
  CHECK(form_of_launch(small.facts, {2}, {8, 8}) == Form::Tiles);
  for (const unsigned asked : {0u, 16u, 32u}) {
    jit::Options options = on_demand();
    options.gang_lanes = asked;
    const auto loaded = load(sums, options);
    for (const Dim3 block : {Dim3{8, 8}, Dim3{8, 4}, Dim3{8, 16}, Dim3{8, 5}}) {
      CAPTURE(block.y);
      std::vector<std::uint32_t> out(std::size_t{64} * 16, 1);
      CHECK_FALSE(launch(*loaded, {2, 1, 1}, block, out.data()));
      for (std::uint32_t y = 0; y < 16; ++y) {
        for (std::uint32_t x = 0; x < 64; ++x)
          CHECK(out[y * 64 + x] == (y < block.y && x < 16 ? 1 + 10 * x + 45 * y : 1));
      }
    }
  }
}

TEST_CASE("threads that launch a kernel first, in different shapes, all get what they need") {
  const auto loaded = load(stores("store"), on_demand());
  std::vector<std::vector<std::uint32_t>> outs(8);
  std::vector<char> faults(outs.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < outs.size(); ++i) {
    outs[i].resize(400);
    threads.emplace_back([&, i] {
      constexpr unsigned widths[] = {64, 100, 3};
      faults[i] = launch(*loaded, {4, 1, 1}, {widths[i % 3], 1, 1}, outs[i].data()).has_value();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < outs.size(); ++i) {
    CHECK(faults[i] == 0);
    CHECK(outs[i][11] == 11);
  }
}

TEST_CASE("a fault names its thread and line although the form for threads was never made") {
  pycuda::cpu::exec::install_fault_signals();
  // Thread 37 of block 2, or 15 of block 3, stores far away.
  const std::string body =
      ".visible .entry strays(.param .u64 out) {\n  .reg .b64 %a, %d; .reg .b32 %x, %n, %c;\n"
      "  .reg .pred %p;\n  .loc 1 10 0\n  ld.param.u64 %a, [out]; mov.u32 %x, %tid.x;\n"
      "  mov.u32 %n, %ntid.x; mov.u32 %c, %ctaid.x; mad.lo.u32 %x, %n, %c, %x;\n"
      "  mul.wide.u32 %d, %x, 4; setp.eq.u32 %p, %x, 165;\n"
      "  @%p add.u64 %d, %d, 0x7000000000000000; add.u64 %a, %a, %d;\n  .loc 1 42 0\n"
      "  st.global.u32 [%a], %x;\n  .loc 1 50 0\n  ret;\n}\n.file 1 \"strays.cu\"\n";
  for (const unsigned width : {64u, 50u}) {
    CAPTURE(width);
    const auto loaded = load(body, on_demand());
    REQUIRE(((*loaded->link_kernel(0))->run_block == nullptr));
    std::vector<std::uint32_t> out(4 * 64);
    const auto fault = launch(*loaded, {4, 1, 1}, {width, 1, 1}, out.data());
    REQUIRE(fault.has_value());
    CAPTURE(fault->message);
    CHECK(fault->message.find(width == 64
                                  ? "block (2, 0, 0), thread (37, 0, 0)"
                                  : "block (3, 0, 0), thread (15, 0, 0)") != std::string::npos);
    CHECK(fault->message.find("strays.cu:42") != std::string::npos);
  }
}
