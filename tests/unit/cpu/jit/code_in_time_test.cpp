// SPDX-License-Identifier: MIT
// Kernels whose vector forms take too long run thread by thread until these are there.
#include "cpu/jit/code_in_time.h"

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
#include "unit/cpu/jit/cache_folder.h"
#include "unit/cpu/kernel_run.h"

namespace {

namespace exec = pycuda::cpu::exec;
namespace jit = pycuda::cpu::jit;
using pycuda::cpu::Form;
using pycuda::cpu::Kernel;
using pycuda::cpu::KernelFacts;
using pycuda::cpu::testing::CacheFolder;
using pycuda::cpu::testing::module_of;

constexpr unsigned steps = 1000;

std::string hash(const std::string& first = {}) {
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

std::uint32_t hash_of(std::uint32_t x) {
  for (unsigned i = 0; i < steps; ++i) x = x * 1664525u ^ i * 2654435761u;
  return x;
}

bool on_a_thread(std::function<void()> work) {
  std::thread(std::move(work)).detach();
  return true;
}

/// Vector forms are not made before this opens.
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

/// Nobody waits for vector forms, which are made behind the gate.
jit::Options impatient(const Gate& gate, const std::string& folder = {}) {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.cache_folder = folder;
  options.aside = on_a_thread;
  options.most_wait = std::chrono::milliseconds(0);
  options.before_vectors = gate.wait();
  return options;
}

/// Whatever is asked of another thread fails the test: nothing here may be left to one.
jit::Options without_threads() {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.aside = [](const std::function<void()>&) -> bool {
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

std::unique_ptr<jit::LoadedProgram> load(std::shared_ptr<const jit::Program> program) {
  auto loaded = jit::LoadedProgram::load(
      std::move(program), [](const jit::GlobalVariable&) -> void* { return nullptr; });
  if (!loaded) FAIL(loaded.error().message);
  return std::move(*loaded);
}

bool is_right(const Kernel& kernel, unsigned block = 64) {
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
    if (out[i] != (i < block ? hash_of(i) : 0)) return false;
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
  CHECK(facts(program).vectors_later);
  CHECK(facts(program).gang_lanes == 0);
  CHECK(program->is_being_compiled("hash"));
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  REQUIRE(kernel.forms != nullptr);
  CHECK(is_right(kernel));
  CHECK(program->plan("hash", {64, 1, 1}, false)->find("while its vector form is made") !=
        std::string::npos);
  gate.open();
  const auto better = program->compile_kernel("hash");
  REQUIRE(better.ok());
  CHECK(facts(*better).gang_lanes != 0);
  CHECK(loaded->improve(kernel, *better));
  REQUIRE(kernel.forms->better.load() != nullptr);
  CHECK(is_right(*kernel.forms->better.load()));
  CHECK(program->plan("hash", {64, 1, 1}, true)->find("and runs now") != std::string::npos);
}

TEST_CASE("forms that a late one lacks are made when launches ask for them") {
  Gate gate;
  jit::Options options = impatient(gate);
  options.by_parts = true;
  const auto program = compile(hash(), options);
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  REQUIRE(kernel.forms != nullptr);
  gate.open();
  REQUIRE(loaded->improve(kernel, *program->compile_kernel("hash")));
  const Kernel& better = *kernel.forms->better.load();
  CHECK(better.facts.forms == Form::Gangs);
  // Prepared for the first form, which alone has what it needs.
  CHECK(is_right(kernel, 50));
  CHECK(is_right(kernel, 64));
  REQUIRE(better.on_demand != nullptr);
  const Kernel* const tails = better.on_demand->make(Form::Tails);
  REQUIRE(tails != nullptr);
  CHECK(tails->facts.gang_lanes == better.facts.gang_lanes);
  CHECK(is_right(*tails, 50));
  REQUIRE(better.on_demand->make(Form::Threads) != nullptr);
}

TEST_CASE("what came late is what the disk cache keeps") {
  const CacheFolder folder;
  Gate gate;
  const auto program = compile(hash(), impatient(gate, folder.path));
  REQUIRE(program->is_being_compiled("hash"));
  gate.open();
  REQUIRE(program->compile_kernel("hash").ok());
  const auto again = compile(hash(), impatient(gate, folder.path));
  CHECK(again->from_cache());
  CHECK(facts(again).gang_lanes != 0);
  CHECK(!again->is_being_compiled("hash"));
}

TEST_CASE("parts of a module come late each for itself") {
  Gate gate;
  jit::Options options = impatient(gate);
  options.by_parts = true;
  const std::string small = ".visible .entry small() { ret; }\n";
  const auto program = compile(hash() + small + ".visible .entry other() { ret; }\n", options);
  const auto loaded = load(program);
  const Kernel& kernel = **loaded->link_kernel(0);
  CHECK(kernel.facts.vectors_later);
  CHECK(program->is_being_compiled("hash"));
  CHECK(is_right(kernel));
  gate.open();
  REQUIRE(program->compile_kernel("hash").ok());
}

TEST_CASE("a small kernel is compiled at once, however long others of its module are") {
  jit::Options options = without_threads();
  CHECK(facts(compile(".visible .entry k() { ret; }", options)).gang_lanes != 0);
  options.by_parts = true;
  const auto program = compile(hash() + ".visible .entry small() { ret; }\n", options);
  REQUIRE(program->kernels().back().name == "small");
  REQUIRE(load(program)->link_kernel(1).ok());
  CHECK(!program->is_being_compiled("small"));
}

TEST_CASE("whoever has time or no thread waits for vector forms") {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.aside = on_a_thread;
  options.most_wait = std::chrono::hours(10);
  CHECK(facts(compile(hash(), options)).gang_lanes != 0);
  options.most_wait = std::chrono::milliseconds(0);
  options.aside = [](const std::function<void()>&) { return false; };
  CHECK(facts(compile(hash(), options)).gang_lanes != 0);
}

TEST_CASE("a kernel whose warps take steps together is not waited for either") {
  const std::string exchange =
      "  st.volatile.shared.u32 [place], %x; ld.volatile.shared.u32 %t, [place];\n"
      "  mov.u32 %t, %tid.x;\n";
  Gate gate;
  const auto program = compile(hash(exchange), impatient(gate));
  CHECK(facts(program).vectors_later);
  CHECK(facts(program).suspends);
  CHECK(is_right(**load(program)->link_kernel(0)));
  gate.open();
  const auto better = program->compile_kernel("hash");
  REQUIRE(better.ok());
  CHECK(facts(*better).gang_lanes == 32);
}

TEST_CASE("what work on another thread throws comes to whoever waits for it") {
  const auto work = jit::TimedWork::begin(on_a_thread, [] { throw std::bad_alloc(); });
  CHECK_THROWS_AS(work->wait(std::chrono::seconds(0), [] { return false; }), std::bad_alloc);
  CHECK_THROWS_AS(work->wait(), std::bad_alloc);
}

TEST_CASE("work is left when it has taken its time of a processor, not before it begins") {
  std::promise<void> goes_on;
  std::atomic<bool> begun{false};
  const auto work = jit::TimedWork::begin(
      [&](std::function<void()> run) {
        return on_a_thread([&begun, run = std::move(run)] {
          // Longer than the work may take.
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          begun = true;
          run();
        });
      },
      [ready = goes_on.get_future().share()] {
        while (ready.wait_for(std::chrono::seconds(0)) != std::future_status::ready) continue;
      });
  CHECK(!work->wait(std::chrono::milliseconds(30), [] { return true; }));
  CHECK(begun);
  goes_on.set_value();
  work->wait();
}
