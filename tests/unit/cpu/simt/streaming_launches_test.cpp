// SPDX-License-Identifier: MIT
// Stores past the caches: several arrays at once, launches of any size and gang, faults, and when
// the form is asked for and kept.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cpu/exec/last_level_cache.h"
#include "cpu/exec/streaming.h"
#include "cpu/jit/compile.h"
#include "cpu/jit/plan.h"
#include "cpu/jit/program_code.h"
#include "cpu/ptx/parser.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::KernelFacts;
using pycuda::cpu::Streaming;
using pycuda::cpu::exec::streamed_launches;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;
using pycuda::cpu::variants::State;
using pycuda::cpu::variants::Variant;

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;

namespace {

Options options_of(Streaming streaming) {
  Options options;
  options.vectors = true;
  options.streaming = streaming;
  return options;
}

/// Thread i < n has %i = i, %rd3 = the address of out's, %rd4 of in's and %rd5 of other's element.
std::string kernel(const std::string& body, const std::string& before = {}) {
  return before + R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u64 other, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .b32 %i; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .pred %p;
  ld.param.u64 %rd0, [out]; ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [other];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %i, %r2, %r3, %r4;
  setp.ge.s32 %p, %i, %r1; @%p bra END;
  mul.wide.s32 %rd6, %i, 4;
  add.s64 %rd3, %rd0, %rd6; add.s64 %rd4, %rd1, %rd6; add.s64 %rd5, %rd2, %rd6;
)" + body +
         "END: ret; }\n";
}

const char* const map = R"(
  ld.global.f32 %f1, [%rd4]; fma.rn.f32 %f1, %f1, %f1, 0f3F800000; st.global.f32 [%rd3], %f1;)";

/// A loop over the grid in steps of all of its threads.
const char* const grid_stride = R"(
  mov.u32 %r5, %nctaid.x; mul.lo.s32 %r5, %r5, %r3; mul.wide.s32 %rd7, %r5, 4;
LOOP:
  ld.global.f32 %f1, [%rd4]; fma.rn.f32 %f1, %f1, %f1, 0f3F800000; st.global.f32 [%rd3], %f1;
  add.s32 %i, %i, %r5; add.s64 %rd4, %rd4, %rd7; add.s64 %rd3, %rd3, %rd7;
  setp.lt.s32 %p, %i, %r1; @%p bra LOOP;)";

KernelFacts facts_of(const std::string& text) {
  const auto parsed = ptx::parse(module_of(text));
  if (!parsed) FAIL(ptx::to_text(parsed.error()));
  const auto compiled = jit::compile_module(*parsed, options_of(Streaming::InLargeLaunches));
  if (!compiled) FAIL(ptx::to_text(compiled.error()));
  const KernelFacts& facts = compiled->kernels.at(0);
  CHECK_MESSAGE(facts.gang_lanes != 0, facts.scalar_reason);
  return facts;
}

/// Where among the parameters the arrays lie that may be written past the caches.
std::vector<std::uint32_t> streamed_by(const std::string& body, const std::string& before = {}) {
  return facts_of(kernel(body, before)).streamed.arrays;
}

using Arrays = std::vector<std::uint32_t>;

/// Floats from the start of a page, and what stays unwritten round them.
class Floats {
 public:
  explicit Floats(std::size_t count, std::size_t offset = 0)
      : all_(new(std::align_val_t{4096}) float[count + offset + 64]),
        count_(count),
        first_(all_.get() + offset) {
    std::fill_n(all_.get(), count + offset + 64, untouched);
  }
  float* begin() { return first_; }
  float* end() { return first_ + count_; }
  float& operator[](std::size_t i) { return first_[i]; }
  /// Behind the end and before the begin.
  bool is_whole() const {
    return std::all_of(all_.get(), first_, [](float value) { return value == untouched; }) &&
           std::all_of(first_ + count_, first_ + count_ + 64,
                       [](float value) { return value == untouched; });
  }

 private:
  struct Release {
    void operator()(float* memory) const { ::operator delete[](memory, std::align_val_t{4096}); }
  };
  static constexpr float untouched = -77;
  std::unique_ptr<float[], Release> all_;
  std::size_t count_;
  float* first_;
};

float expected(float value) { return value * value + 1; }

}  // namespace

TEST_CASE("each array that is written in whole vectors and not read may go past the caches") {
  CHECK(streamed_by(map) == Arrays{0});
  CHECK(streamed_by(grid_stride) == Arrays{0});
  CHECK(streamed_by("st.global.f32 [%rd3], 0f3F800000;") == Arrays{0});
  // Two arrays; one of doubles.
  CHECK(streamed_by(R"(
    ld.global.f32 %f1, [%rd4]; st.global.f32 [%rd3], %f1; mul.wide.s32 %rd6, %i, 8;
    add.s64 %rd5, %rd2, %rd6; cvt.f64.f32 %d1, %f1; st.global.f64 [%rd5], %d1;)") == Arrays{0, 16});
  // The array that is read is another one than that which is written.
  CHECK(streamed_by(R"(
    ld.global.f32 %f1, [%rd4]; ld.global.f32 %f2, [%rd5]; add.f32 %f1, %f1, %f2;
    st.global.f32 [%rd3], %f1; st.global.f32 [%rd5], %f2;)") == Arrays{0});
}

TEST_CASE("nothing goes past the caches where other cores may look on") {
  const std::string write = "ld.global.f32 %f1, [%rd4]; st.global.f32 [%rd3], %f1;";
  REQUIRE(streamed_by(write) == Arrays{0});
  CHECK(streamed_by(write + "atom.global.add.u32 %r5, [%rd2], 1;") == Arrays{});
  CHECK(streamed_by(write + "red.global.add.u32 [%rd5], 1;") == Arrays{});
  CHECK(streamed_by(write + "membar.gl; st.global.f32 [%rd5], %f1;") == Arrays{});
  CHECK(streamed_by("ld.global.f32 %f1, [%rd4]; st.volatile.global.f32 [%rd3], %f1;") == Arrays{});
  CHECK(streamed_by(write + "ld.volatile.global.f32 %f2, [%rd5]; st.global.f32 [%rd3], %f2;") ==
        Arrays{});
  CHECK(streamed_by(write + "st.release.gpu.global.u32 [%rd5], %i;") == Arrays{});
}

TEST_CASE("the plan says which stores may go past the caches") {
  const auto has_note = [](const std::string& body) {
    const auto plan = jit::describe_plan(module_of(kernel(body)), "k", {256},
                                         options_of(Streaming::InLargeLaunches));
    REQUIRE(plan);
    return plan->find("non-temporal in launches") != std::string::npos;
  };
  CHECK(has_note(map));
  CHECK(
      has_note("mul.wide.s32 %rd6, %i, 8; add.s64 %rd3, %rd0, %rd6; st.global.f32 [%rd3], %f1;"
               "st.global.u32 [%rd3+4], %i;"));
  CHECK_FALSE(has_note("ld.global.f32 %f1, [%rd3]; st.global.f32 [%rd3], %f1;"));
}

TEST_CASE("stores past the caches write what others do, in launches of any size") {
  for (const char* const body : {map, grid_stride}) {
    for (const unsigned lanes : {0u, 16u, 64u}) {
      Options options = options_of(Streaming::WhereverPossible);
      options.gang_lanes = lanes;
      LoadedModule module(kernel(body), options);
      REQUIRE(module.kernel("k").table != nullptr);
      REQUIRE(module.kernel("k").table->state(Variant::streaming()) == State::Ready);
      for (const std::uint32_t block : {32u, 96u, 250u, 256u, 1024u}) {
        for (const std::uint32_t n : {1u, 15u, 16u, 250u, 1000u, 4096u, 100003u}) {
          for (const std::uint32_t offset : {0u, 1u, 4u, 16u}) {
            const std::uint32_t blocks =
                body == map ? (n + block - 1) / block : std::min(7u, (n + block - 1) / block);
            Floats in(n), out(n, offset);
            for (std::uint32_t i = 0; i < n; ++i) in[i] = static_cast<float>(i % 1021);
            const std::uint64_t before = streamed_launches();
            module.run("k", {blocks}, {block}, out.begin(), in.begin(), nullptr, n);
            const bool streamed = streamed_launches() != before;
            CHECK(streamed == (offset % 16 == 0 && block % 16 == 0));
            std::uint32_t wrong = 0;
            for (std::uint32_t i = 0; i < n; ++i) wrong += out[i] != expected(in[i]);
            CHECK_MESSAGE(wrong == 0, "block " << block << ", n " << n << ", offset " << offset);
            CHECK(out.is_whole());
          }
        }
      }
    }
  }
}

TEST_CASE("whoever waits for a launch sees all that went past the caches") {
  LoadedModule module(kernel(map), options_of(Streaming::WhereverPossible));
  constexpr std::uint32_t n = 1 << 16;
  Floats in(n), out(n);
  std::size_t wrong = 0;
  for (std::uint32_t round = 0; round < 400; ++round) {
    const auto value = static_cast<float>(round % 1000);
    std::fill(in.begin(), in.end(), value);
    module.run("k", {n / 256}, {256}, out.begin(), in.begin(), nullptr, n);
    // Backwards: what was written last is read first.
    for (std::uint32_t i = n; i-- > 0;) wrong += out[i] != expected(value);
  }
  CHECK(wrong == 0);
}

TEST_CASE("only launches that write much wait for the form, and then only theirs run it") {
  const std::uint64_t cache = pycuda::cpu::exec::dependable_cache_bytes();
  for (const char* const body : {map, grid_stride}) {
    const auto text = kernel(body);
    unsigned asked = 0;
    pycuda::cpu::variants::Background background;
    background.usual = [](const std::function<void()>&) { return false; };
    background.later = [&](const std::function<void()>&) { return ++asked == 0; };
    LoadedModule module(text, options_of(Streaming::InLargeLaunches), background);
    REQUIRE(module.kernel("k").table != nullptr);
    auto& table = *module.kernel("k").table;
    CHECK(table.state(Variant::streaming()) == State::Missing);
    table.begin_after(Variant::streaming(), std::chrono::nanoseconds(1));
    const auto n = static_cast<std::uint32_t>(cache / sizeof(float) + (1 << 20));
    constexpr std::uint32_t few = 1 << 16;
    const auto blocks = [&](std::uint32_t size) { return body == map ? size / 256 : 16; };
    Floats in(n), out(n);
    module.run("k", {blocks(few)}, {256}, out.begin(), in.begin(), nullptr, few);
    CHECK(asked == 0);
    module.run("k", {blocks(n)}, {256}, out.begin(), in.begin(), nullptr, n / 256 * 256);
    CHECK(asked == 1);
    // Once it is there, large launches run it, and only they.
    REQUIRE(table.make(Variant::streaming()).ok());
    const std::uint64_t before = streamed_launches();
    std::fill(in.begin(), in.end(), 3.0f);
    module.run("k", {blocks(few)}, {256}, out.begin(), in.begin(), nullptr, few);
    CHECK(streamed_launches() == before);
    module.run("k", {blocks(n)}, {256}, out.begin(), in.begin(), nullptr, n / 256 * 256);
    CHECK(streamed_launches() == before + 1);
    CHECK(std::all_of(out.begin(), out.begin() + n / 256 * 256,
                      [](float value) { return value == 10; }));
    CHECK(asked == 1);
  }
}

TEST_CASE("the form is kept on disk, and taken from there at once") {
  char folder[] = "/tmp/streaming_launches_test_XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  Options options = options_of(Streaming::InLargeLaunches);
  options.cache_folder = folder;
  {
    const auto program = jit::Program::compile(module_of(kernel(map)), options);
    REQUIRE(program);
    CHECK((*program)->implementation().code_at_hand("k", Variant::streaming()) == nullptr);
    LoadedModule module(kernel(map), options);
    CHECK(module.kernel("k").table->state(Variant::streaming()) == State::Missing);
    REQUIRE((*program)->implementation().code("k", Variant::streaming()).ok());
  }
  LoadedModule module(kernel(map), options);
  CHECK(module.kernel("k").table->state(Variant::streaming()) == State::Ready);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a fault in a launch whose stores go past the caches names its thread") {
  LoadedModule module(kernel(R"(
    ld.global.f32 %f1, [%rd4]; st.global.f32 [%rd3], %f1;
    setp.eq.s32 %p, %i, 700; @!%p bra END; mov.u64 %rd7, 8; st.global.f32 [%rd7], %f1;)"),
                      options_of(Streaming::WhereverPossible));
  Floats in(1024), out(1024);
  const std::uint64_t before = streamed_launches();
  const auto fault = module.fault_of("k", {4}, {256}, out.begin(), in.begin(), nullptr, 1024u);
  CHECK(streamed_launches() == before + 1);
  REQUIRE(fault);
  CHECK(fault->message.find("(188") != std::string::npos);
}
