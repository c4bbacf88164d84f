// SPDX-License-Identifier: MIT
// Kernels whose vector forms take too long run thread by thread until these are there.
#include "cpu/jit/deadline_compile.h"

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "cpu/exec/stream.h"
#include "cpu/jit/program_code.h"
#include "cpu/variants/choose.h"
#include "unit/cpu/jit/cache_folder.h"
#include "unit/cpu/kernel_run.h"
#include "unit/cpu/variants/late_thread.h"

namespace {

namespace exec = pycuda::cpu::exec;
namespace jit = pycuda::cpu::jit;
using pycuda::cpu::Form;
using pycuda::cpu::Kernel;
using pycuda::cpu::KernelFacts;
using pycuda::cpu::testing::CacheFolder;
using pycuda::cpu::testing::module_of;
using pycuda::cpu::variants::choose;
using pycuda::cpu::variants::code_for;
using pycuda::cpu::variants::State;
using pycuda::cpu::variants::Variant;
using pycuda::cpu::variants::testing::LateThread;

constexpr unsigned usual_steps = 1000;

std::string hash(const std::string& first = {}, unsigned steps = usual_steps) {
  std::string text = R"(.visible .entry hash(.param .u64 out) {
  .reg .b64 %out, %a; .reg .b32 %t, %x; .shared .align 4 .b32 place;
  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %x, %t;
)" + first;
  for (unsigned i = 0; i < steps; ++i)
    text += "  mul.lo.u32 %x, %x, 1664525;\n  xor.b32 %x, %x, " + std::to_string(i * 2654435761u) +
            ";\n";
  return text + R"(
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %out; st.global.u32 [%a], %x;
  ret;
})";
}

std::uint32_t hash_of(std::uint32_t x, unsigned steps) {
  for (unsigned i = 0; i < steps; ++i) x = x * 1664525u ^ i * 2654435761u;
  return x;
}

bool on_a_thread(std::function<void()> work) {
  std::thread(std::move(work)).detach();
  return true;
}

/// Nothing that takes long is made before this opens.
class Gate {
 public:
  void open() { promise_.set_value(); }
  std::function<void()> wait() const {
    return [opened = opened_] { opened.wait(); };
  }

 private:
  std::promise<void> promise_;
  std::shared_future<void> opened_ = promise_.get_future().share();
};

/// Nobody waits for what is made behind the gate.
jit::Options impatient(const Gate& gate, const std::string& folder = {}) {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.cache_folder = folder;
  options.background = on_a_thread;
  options.deadline = std::chrono::milliseconds(0);
  options.before_vectors = options.before_code = gate.wait();
  return options;
}

/// Whatever is asked of another thread fails the test: nothing here may be left to one.
jit::Options without_threads() {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.background = [](const std::function<void()>&) -> bool {
    FAIL("left to a thread");
    return false;
  };
  return options;
}

std::shared_ptr<const jit::Program> compile(const std::string& body, const jit::Options& options) {
  auto program = jit::Program::compile(module_of(body), options);
  if (!program) FAIL(pycuda::cpu::ptx::to_text(program.error()));
  return *program;
}

std::unique_ptr<jit::LoadedProgram> load(std::shared_ptr<const jit::Program> program,
                                         pycuda::cpu::variants::Background background = {}) {
  auto loaded = jit::LoadedProgram::load(
      std::move(program), [](const jit::GlobalVariable&) -> void* { return nullptr; },
      std::move(background));
  if (!loaded) FAIL(loaded.error().message);
  return std::move(*loaded);
}

bool is_right(const Kernel& kernel, unsigned block = 64, unsigned steps = usual_steps) {
  struct Sink final : exec::FaultSink {
    void report(const exec::Fault&) override { faulted = true; }
    bool poisoned() const override { return faulted; }
    bool faulted = false;
  } sink;
  std::array<std::uint32_t, 64> out{};
  const void* const address = out.data();
  exec::Stream stream(0, sink);
  exec::LaunchRequest request;
  request.kernel = &kernel;
  request.grid = {1, 1, 1};
  request.block = {block, 1, 1};
  request.params.assign(reinterpret_cast<const char*>(&address), sizeof address);
  stream.launch(std::move(request));
  stream.synchronize();
  if (sink.faulted) return false;
  for (std::uint32_t i = 0; i < out.size(); ++i) {
    if (out[i] != (i < block ? hash_of(i, steps) : 0)) return false;
  }
  return true;
}

const KernelFacts& facts(const std::shared_ptr<const jit::Program>& program) {
  return program->kernels().front();
}

}  // namespace

TEST_CASE("a kernel whose vector form takes too long runs thread by thread until it is there") {
  Gate gate;
  const auto program = compile(hash(), impatient(gate));
  CHECK(facts(program).is_makeshift);
  CHECK(facts(program).gang_lanes == 0);
  CHECK(program->implementation().is_being_compiled("hash"));
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  REQUIRE(kernel.table != nullptr);
  CHECK(kernel.table->state(Variant::usual()) == State::Missing);
  CHECK(is_right(kernel));
  CHECK(program->plan("hash", {64, 1, 1}, State::Missing)
            ->find("while its vector form is compiled") != std::string::npos);
  gate.open();
  const auto vectors = kernel.table->make(Variant::usual());
  REQUIRE(vectors.ok());
  CHECK((*vectors)->facts.gang_lanes != 0);
  CHECK(is_right(kernel));
  CHECK(is_right(**vectors));
  CHECK(program->plan("hash", {64, 1, 1}, State::Ready)->find("and is used now") !=
        std::string::npos);
}

TEST_CASE("forms that a late one lacks are made when launches ask for them") {
  Gate gate;
  jit::Options options = impatient(gate);
  options.by_parts = true;
  const auto program = compile(hash(), options);
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  REQUIRE(kernel.table != nullptr);
  gate.open();
  const auto vectors = kernel.table->make(Variant::usual());
  REQUIRE(vectors.ok());
  CHECK((*vectors)->facts.forms == Form::Gangs);
  // Prepared for the baseline code, which alone has what it needs.
  CHECK(is_right(kernel, 50));
  CHECK(is_right(kernel, 64));
  const auto tails = code_for(kernel, {1, 1, 1}, {50, 1, 1});
  REQUIRE(tails.ok());
  CHECK((*tails)->facts.gang_lanes == (*vectors)->facts.gang_lanes);
  CHECK((*tails)->facts.forms.has(Form::Tails));
  CHECK(is_right(**tails, 50));
  // From now on that runs what was prepared for the baseline code.
  CHECK(choose(kernel, {1, 1, 1}, {50, 1, 1}).code == *tails);
  // Threads one by one are what the makeshift has, and run better code from now on.
  const auto threads = code_for(kernel, {1, 1, 1}, {1, 1, 1});
  REQUIRE(threads.ok());
  CHECK(*threads != &kernel);
  CHECK_FALSE((*threads)->facts.is_makeshift);
  CHECK(is_right(**threads, 1));
  CHECK(choose(kernel, {1, 1, 1}, {1, 1, 1}).code == *threads);
}

TEST_CASE("a launch does not wait for more code than the first for longer than its deadline") {
  const CacheFolder folder;
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.by_parts = true;
  options.cache_folder = folder.path;
  REQUIRE(facts(compile(hash(), options)).gang_lanes != 0);
  for (const Variant variant :
       {Variant::of(Form::Threads), Variant::of(pycuda::cpu::Check::Memory)}) {
    Gate gate;
    jit::Options late = impatient(gate, folder.path);
    late.by_parts = true;
    const auto program = compile(hash(), late);
    LateThread thread;
    const auto owner = std::make_shared<int>();
    const auto loaded = load(program, {thread.spawn(), thread.spawn(), {}, 1, owner});
    const Kernel& kernel = **loaded->link_kernel(0);
    REQUIRE_FALSE(kernel.facts.is_baseline);
    const auto makeshift = kernel.table->make(variant);
    REQUIRE(makeshift.ok());
    CHECK((*makeshift)->facts.is_makeshift);
    // Code that checks would refuse the test's own memory.
    const auto is_right_or_checked = [&](const Kernel& made) {
      return variant.is_checked() || is_right(made, 1);
    };
    CHECK(is_right_or_checked(**makeshift));
    // Whoever loads the program once more does not wait either.
    const auto again = load(program, {thread.spawn(), thread.spawn(), {}, 1, owner});
    const Kernel& other = **again->link_kernel(0);
    CHECK((*other.table->make(variant))->facts.is_makeshift);
    gate.open();
    CHECK(thread.waiting.size() == 2);
    thread.run_all();
    for (const Kernel* const loaded_kernel : {&kernel, &other}) {
      const Kernel& made = *loaded_kernel->table->ready(variant);
      CHECK_FALSE(made.facts.is_makeshift);
      CHECK(is_right_or_checked(made));
    }
  }
}

TEST_CASE("code that checks is not left for other code of its kernel") {
  constexpr unsigned many = 2050;
  const auto program = compile(hash({}, many), pycuda::cpu::testing::vectors(true));
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  REQUIRE(kernel.facts.is_baseline);
  const auto checked = kernel.table->make(Variant::of(pycuda::cpu::Check::Memory));
  REQUIRE(checked.ok());
  REQUIRE(kernel.table->make(Variant::vectors()).ok());
  CHECK(choose(**checked, {1, 1, 1}, {64, 1, 1}).code == *checked);
}

TEST_CASE("what came late is what the disk cache keeps") {
  const CacheFolder folder;
  Gate gate;
  const auto program = compile(hash(), impatient(gate, folder.path));
  REQUIRE(program->implementation().is_being_compiled("hash"));
  gate.open();
  REQUIRE(program->implementation().code("hash", Variant::usual()).ok());
  const auto again = compile(hash(), impatient(gate, folder.path));
  CHECK(again->from_cache());
  CHECK(facts(again).gang_lanes != 0);
  CHECK(!again->implementation().is_being_compiled("hash"));
}

TEST_CASE("parts of a module come late each for itself") {
  Gate gate;
  jit::Options options = impatient(gate);
  options.by_parts = true;
  const std::string small = ".visible .entry small() { ret; }\n";
  const auto program = compile(hash() + small + ".visible .entry other() { ret; }\n", options);
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  CHECK(kernel.facts.is_baseline);
  CHECK(program->implementation().is_being_compiled("hash"));
  CHECK(is_right(kernel));
  gate.open();
  REQUIRE(program->implementation().code("hash", Variant::usual()).ok());
}

TEST_CASE("a small kernel is compiled at once, however long others of its module are") {
  jit::Options options = without_threads();
  CHECK(facts(compile(".visible .entry k() { ret; }", options)).gang_lanes != 0);
  options.by_parts = true;
  const auto program = compile(hash() + ".visible .entry small() { ret; }\n", options);
  REQUIRE(program->kernels().back().name == "small");
  REQUIRE(load(program)->link_kernel(1).ok());
  CHECK(!program->implementation().is_being_compiled("small"));
}

TEST_CASE("whoever has time or no thread waits for vector forms") {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.background = on_a_thread;
  options.deadline = std::chrono::hours(10);
  CHECK(facts(compile(hash(), options)).gang_lanes != 0);
  options.deadline = std::chrono::milliseconds(0);
  options.background = [](const std::function<void()>&) { return false; };
  CHECK(facts(compile(hash(), options)).gang_lanes != 0);
}

TEST_CASE("a kernel whose warps take steps together is not waited for either") {
  const std::string exchange =
      "  st.volatile.shared.u32 [place], %x; ld.volatile.shared.u32 %t, [place];\n"
      "  mov.u32 %t, %tid.x;\n";
  Gate gate;
  const auto program = compile(hash(exchange), impatient(gate));
  CHECK(facts(program).is_makeshift);
  CHECK(facts(program).suspends);
  CHECK(is_right(**load(program)->link_kernel(0)));
  gate.open();
  const auto vectors = program->implementation().code("hash", Variant::usual());
  REQUIRE(vectors.ok());
  CHECK((*vectors)->kernels.front().gang_lanes == 32);
}

TEST_CASE("a kernel that is never run in vectors is not waited for either") {
  const std::string named_barrier = "  bar.sync 1, 64;\n";
  Gate gate;
  const auto program = compile(hash(named_barrier), impatient(gate));
  CHECK(facts(program).is_makeshift);
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  CHECK(is_right(kernel));
  CHECK(choose(kernel, {1, 1, 1}, {64, 1, 1}).work == Variant::usual());
  gate.open();
  const auto usual = kernel.table->make(Variant::usual());
  REQUIRE(usual.ok());
  CHECK((*usual)->facts.gang_lanes == 0);
  CHECK_FALSE((*usual)->facts.is_baseline);
  const auto choice = choose(kernel, {1, 1, 1}, {64, 1, 1});
  CHECK(choice.code == *usual);
  CHECK_FALSE(choice.work.has_value());
  CHECK(is_right(**usual));
}

TEST_CASE("without vectors there is a makeshift too") {
  Gate gate;
  jit::Options options = impatient(gate);
  options.vectors = false;
  const auto program = compile(hash(), options);
  CHECK(facts(program).is_makeshift);
  CHECK(is_right(**load(program)->link_kernel(0)));
  gate.open();
  const auto usual = program->implementation().code("hash", Variant::usual());
  REQUIRE(usual.ok());
  CHECK_FALSE((*usual)->kernels.front().is_baseline);
}

TEST_CASE("a kernel that is too long for vectors at once goes from one code to the next") {
  constexpr unsigned many = 2050;
  Gate gate;
  const auto program = compile(hash({}, many), impatient(gate));
  CHECK(facts(program).is_makeshift);
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  CHECK(is_right(kernel, 64, many));
  gate.open();
  const auto usual = kernel.table->make(Variant::usual());
  REQUIRE(usual.ok());
  CHECK((*usual)->facts.is_baseline);
  CHECK_FALSE((*usual)->facts.is_makeshift);
  CHECK(kernel.table->vector_state() == State::Missing);
  const auto choice = choose(kernel, {1, 1, 1}, {64, 1, 1});
  CHECK(choice.code == *usual);
  CHECK(choice.work == Variant::vectors());
  CHECK(is_right(**usual, 64, many));
  const auto vectors = kernel.table->make(Variant::vectors());
  REQUIRE(vectors.ok());
  CHECK((*vectors)->facts.gang_lanes != 0);
  CHECK(kernel.table->vector_state() == State::Ready);
  CHECK(choose(kernel, {1, 1, 1}, {64, 1, 1}).code == *vectors);
  CHECK(is_right(**vectors, 64, many));
}

TEST_CASE("code that is certain to take long is not waited for at all") {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.background = on_a_thread;
  options.deadline = std::chrono::hours(10);
  options.most_cost = 1000;
  std::promise<void> left;
  options.before_emission = [done = left.get_future().share()](std::uint64_t cost) {
    CHECK(cost > 1000);
    done.wait();
  };
  const auto program = compile(hash(), options);
  CHECK(facts(program).is_makeshift);
  left.set_value();
  const auto usual = program->implementation().code("hash", Variant::usual());
  REQUIRE(usual.ok());
  CHECK((*usual)->kernels.front().gang_lanes != 0);
}

TEST_CASE("baseline code on disk is not taken for a module's code") {
  const CacheFolder folder;
  Gate gate;
  const auto first = compile(hash(), impatient(gate, folder.path));
  // Another process, which knows from the disk that the deadline passes.
  jit::Options options = impatient(gate, folder.path);
  options.deadline = std::chrono::hours(10);
  const auto again = compile(hash(), options);
  CHECK(facts(again).is_makeshift);
  CHECK(again->implementation().is_being_compiled("hash"));
  CHECK(is_right(**load(again)->link_kernel(0)));
  gate.open();
  CHECK((*again->implementation().code("hash", Variant::usual()))->kernels.front().gang_lanes != 0);
  // Nobody writes to the folder any more when it goes.
  CHECK(first->implementation().code("hash", Variant::usual()).ok());
  const auto last = compile(hash(), options);
  CHECK(last->from_cache());
  CHECK_FALSE(facts(last).is_baseline);
}

TEST_CASE("code without vectors that comes late takes the place of baseline code") {
  // Compiled with the other one, which calls a function by its address; one thread has no gang.
  const std::string called =
      ".func twice() { ret; }\n.visible .entry alone() .maxntid 1, 1, 1 {\n  .reg .b64 %a;\n"
      "  mov.u64 %a, twice;\n  ret;\n}\n";
  Gate gate;
  const auto program = compile(called + hash(), impatient(gate));
  const auto loaded = load(program);
  REQUIRE(program->kernels().front().name == "alone");
  const Kernel& kernel = **loaded->link_kernel(0);
  REQUIRE(kernel.facts.is_baseline);
  gate.open();
  const auto late = kernel.table->make(Variant::usual());
  REQUIRE(late.ok());
  CHECK_FALSE((*late)->facts.is_baseline);
  CHECK((*late)->facts.gang_lanes == 0);
  CHECK(choose(kernel, {1, 1, 1}, {1, 1, 1}).code == *late);
}
