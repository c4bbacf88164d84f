// SPDX-License-Identifier: MIT
// Stores past the caches: which kernels have them, for which launches, and that data is where it
// should be.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cpu/exec/address_table.h"
#include "cpu/exec/streaming.h"
#include "cpu/jit/compile.h"
#include "cpu/ptx/parser.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::Kernel;
using pycuda::cpu::KernelFacts;
using pycuda::cpu::StreamedStores;
using pycuda::cpu::Streaming;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::variants::State;
using pycuda::cpu::variants::Variant;
namespace exec = pycuda::cpu::exec;
namespace jit = pycuda::cpu::jit;

namespace {

jit::Options streaming(Streaming wanted) {
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.streaming = wanted;
  return options;
}

const std::string start = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n, .param .u32 width) {
  .reg .b64 %in, %out, %a, %b; .reg .b32 %n, %w, %i, %s, %x, %y, %r<9>; .reg .pred %p;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  ld.param.u32 %w, [width];
  mov.u32 %r0, %tid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %nctaid.x;
  mad.lo.s32 %i, %r1, %r2, %r0; mul.lo.s32 %s, %r1, %r3;
)";
const std::string guard = "setp.ge.s32 %p, %i, %n; @%p ret;\n";
const std::string addresses =
    "mul.wide.s32 %a, %i, 4; add.s64 %b, %a, %out; add.s64 %a, %a, %in;\n";
const std::string triple =
    "ld.global.u32 %x, [%a]; mul.lo.u32 %x, %x, 3; st.global.u32 [%b], %x;\n";
const std::string map = start + guard + addresses + triple + "ret; }";
const std::string loop = start + guard + "LOOP: " + addresses + triple +
                         "add.s32 %i, %i, %s; setp.lt.s32 %p, %i, %n; @%p bra LOOP; ret; }";
const std::string image = start + R"(
  mov.u32 %r4, %tid.y; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ctaid.y; mad.lo.s32 %y, %r5, %r6, %r4;
  setp.ge.s32 %p, %i, %w; @%p ret; mad.lo.s32 %i, %y, %w, %i;
)" + guard + addresses + triple +
                          "ret; }";

KernelFacts facts_of(const std::string& body) {
  return LoadedModule(body, streaming(Streaming::Never)).kernel("k").facts;
}

bool may_stream(const std::string& body) { return !facts_of(body).streamed.arrays.empty(); }

std::string object_of(const std::string& body, bool streams) {
  const auto parsed = pycuda::cpu::ptx::parse(pycuda::cpu::testing::module_of(body));
  REQUIRE(parsed);
  jit::Options options = pycuda::cpu::testing::vectors(true);
  options.streaming_form = streams;
  const auto compiled = jit::compile_module(*parsed, options);
  REQUIRE(compiled);
  CHECK(compiled->kernels.at(0).streams == streams);
  return compiled->object;
}

#if defined(__aarch64__)
/// Occurrences of stnp for vector registers, or what looks like it.
unsigned stores_past_caches(const std::string& object) {
  unsigned found = 0;
  for (std::size_t i = 0; i + sizeof(std::uint32_t) <= object.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t instruction = 0;
    std::memcpy(&instruction, object.data() + i, sizeof instruction);
    found += (instruction & 0x3fc00000u) == 0x2c000000u ? 1 : 0;
  }
  return found;
}
#else
/// Occurrences of vmovntps and vmovntdq, whatever registers and addresses they have, or what looks
/// like them.
unsigned stores_past_caches(const std::string& object) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(object[at]); };
  const auto is_store = [](unsigned char opcode) { return opcode == 0x2b || opcode == 0xe7; };
  unsigned found = 0;
  for (std::size_t i = 0; i + 5 < object.size(); ++i) {
    const bool evex = byte(i) == 0x62 && (byte(i + 1) & 7) == 1 && is_store(byte(i + 4));
    const bool vex = (byte(i) == 0xc5 && is_store(byte(i + 2))) ||
                     (byte(i) == 0xc4 && (byte(i + 1) & 31) == 1 && is_store(byte(i + 3)));
    const bool sse = byte(i) == 0x0f && is_store(byte(i + 1));
    found += evex || vex || sse ? 1 : 0;
  }
  return found;
}
#endif

/// Memory that the driver knows, as if the device had it, between bytes that nobody may touch.
class Array {
 public:
  explicit Array(std::size_t count, std::size_t offset = 0) : count_(count), offset_(offset) {
    words_ = static_cast<std::uint32_t*>(
        ::operator new((count + offset + 64) * sizeof(std::uint32_t), std::align_val_t{256}));
    std::fill_n(words_, count + offset + 64, 7u);
    exec::AddressTable::instance().insert({reinterpret_cast<std::uintptr_t>(words_),
                                           (count + offset) * sizeof(std::uint32_t),
                                           exec::MemoryKind::Device, 0, nullptr, 0});
  }
  ~Array() {
    exec::AddressTable::instance().remove(reinterpret_cast<std::uintptr_t>(words_));
    ::operator delete(words_, std::align_val_t{256});
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  std::uint32_t* data() const { return words_ + offset_; }
  /// What the kernels above make of an array with the numbers 5, 6, 7 ... where `written` says so.
  bool holds_triples(std::size_t written) const {
    for (std::size_t i = 0; i < count_ + 64; ++i) {
      if (data()[i] != (i < written ? 3 * static_cast<std::uint32_t>(i + 5) : 7u)) return false;
    }
    return true;
  }
  void number() const {
    for (std::size_t i = 0; i < count_; ++i) data()[i] = static_cast<std::uint32_t>(i + 5);
  }

 private:
  std::size_t count_, offset_;
  std::uint32_t* words_;
};

/// How many launches of `launch` ran the form.
template <class Launch>
std::uint64_t streamed_in(Launch launch) {
  const std::uint64_t before = exec::streamed_launches();
  launch();
  return exec::streamed_launches() - before;
}

}  // namespace

TEST_CASE("whole lines of an array that is not read may go past the caches") {
  const StreamedStores found = facts_of(map).streamed;
  CHECK(found.arrays == std::vector<std::uint32_t>{8});
  CHECK(found.block_multiple == 16);
  CHECK(found.multiples == std::vector<StreamedStores::Multiple>{{8, 8, 64}});
  CHECK(may_stream(loop));
  const StreamedStores rows = facts_of(image).streamed;
  CHECK(rows.arrays == std::vector<std::uint32_t>{8});
  // Each row begins at a multiple of the width.
  CHECK(std::count(rows.multiples.begin(), rows.multiples.end(),
                   StreamedStores::Multiple{20, 4, 16}) == 1);
  // Through barriers one core sees what it has written.
  CHECK(may_stream(start + addresses + R"(
  ld.global.u32 %x, [%a]; shl.b32 %r4, %r0, 2; st.shared.u32 [%r4], %x; bar.sync 0;
  xor.b32 %r4, %r4, 64; ld.shared.u32 %x, [%r4]; st.global.u32 [%b], %x; ret; })"));
}

TEST_CASE("other arrays do not go past the caches") {
  // Read and written.
  CHECK(!may_stream(start + guard + addresses +
                    "ld.global.u32 %x, [%a]; ld.global.u32 %y, [%b]; add.u32 %x, %x, %y; "
                    "st.global.u32 [%b], %x; ret; }"));
  CHECK(!may_stream(start + guard + addresses +
                    "ld.global.u32 %x, [%b]; add.u32 %x, %x, 1; st.global.u32 [%b], %x; ret; }"));
  // Every second word, and lines that are never whole.
  CHECK(
      !may_stream(start + guard +
                  "mul.wide.s32 %a, %i, 8; add.s64 %b, %a, %out; st.global.u32 [%b], %i; ret; }"));
  CHECK(!may_stream(start + guard + addresses + "st.global.u32 [%b+4], %i; ret; }"));
  CHECK(!may_stream(start + guard + addresses +
                    "st.global.u32 [%b], %i; st.global.u32 [%b+4], %n; ret; }"));
  // What others may be waiting for.
  CHECK(!may_stream(start + guard + addresses +
                    "st.global.u32 [%b], %i; atom.global.add.u32 %x, [%in], 1; ret; }"));
  CHECK(!may_stream(start + guard + addresses +
                    "st.global.u32 [%b], %i; membar.gl; st.volatile.global.u32 [%in], 1; ret; }"));
  CHECK(!may_stream(start + guard + addresses + "st.volatile.global.u32 [%b], %i; ret; }"));
  // Again and again to the same place, between which all else may change.
  CHECK(!may_stream(start + guard + addresses + R"(
  mov.u32 %y, 0;
LOOP: ld.global.u32 %x, [%a]; add.u32 %y, %y, %x; st.global.u32 [%b], %y; add.s64 %a, %a, 4096;
  sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra LOOP; ret; })"));
  // Addresses from memory may be any array's.
  CHECK(!may_stream(start + guard + addresses +
                    "ld.global.u64 %a, [%in]; ld.global.u32 %x, [%a]; ld.global.u64 %b, [%in+8]; "
                    "mul.wide.s32 %a, %i, 4; add.s64 %b, %b, %a; st.global.u32 [%b], %x; ret; }"));
}

TEST_CASE("code of the form has stores past the caches, other code has none") {
  for (const std::string& body : {map, loop, image}) {
    CHECK(stores_past_caches(object_of(body, true)) > stores_past_caches(object_of(body, false)));
  }
}

TEST_CASE("launches that are able write the same data past the caches") {
  LoadedModule by_map(map, streaming(Streaming::WhereverPossible));
  LoadedModule by_loop(loop, streaming(Streaming::WhereverPossible));
  REQUIRE(by_map.kernel("k").table != nullptr);
  CHECK(by_map.kernel("k").table->state(Variant::streaming()) == State::Ready);
  constexpr std::size_t count = 100000;
  const Array in(count);
  in.number();
  for (LoadedModule* module : {&by_map, &by_loop}) {
    for (const std::uint32_t block : {256u, 96u, 250u, 16u, 1000u}) {
      for (const std::uint32_t n : {1u, 15u, 4096u, 77777u, 100000u}) {
        for (const std::size_t offset : {0u, 16u, 1u, 8u}) {
          const Array out(count, offset);
          const Dim3 grid{module == &by_map ? (n + block - 1) / block : 7};
          const std::uint64_t streamed = streamed_in(
              [&] { module->run("k", grid, Dim3{block}, in.data(), out.data(), n, 0u); });
          CHECK(streamed == (block % 16 == 0 && offset % 16 == 0 ? 1 : 0));
          const bool right = out.holds_triples(n);
          CHECK_MESSAGE(right, "block " << block << ", n " << n << ", offset " << offset);
        }
      }
    }
  }
}

TEST_CASE("rows of pictures go past the caches where each begins with a line") {
  LoadedModule module(image, streaming(Streaming::WhereverPossible));
  for (const std::uint32_t width : {256u, 240u, 250u}) {
    const std::uint32_t height = 37, n = width * height;
    const Array in(n), out(n);
    in.number();
    for (const Dim3 block : {Dim3{16, 16}, Dim3{32, 4}, Dim3{64, 1}}) {
      const Dim3 grid{(width + block.x - 1) / block.x, (height + block.y - 1) / block.y};
      const std::uint64_t streamed =
          streamed_in([&] { module.run("k", grid, block, in.data(), out.data(), n, width); });
      CHECK(streamed == (width % 16 == 0 ? 1 : 0));
      CHECK(out.holds_triples(n));
    }
  }
}

TEST_CASE("arrays that are read through another parameter do not go past the caches") {
  LoadedModule module(map, streaming(Streaming::WhereverPossible));
  const Array both(4096);
  both.number();
  const auto streamed = [&](const std::uint32_t* from, std::uint32_t* to, std::uint32_t n) {
    return streamed_in([&] { module.run("k", Dim3{n / 256}, Dim3{256}, from, to, n, 0u); });
  };
  CHECK(streamed(both.data(), both.data(), 4096) == 0);
  CHECK(both.holds_triples(4096));
  const Array out(4096);
  both.number();
  CHECK(streamed(both.data(), out.data(), 4096) == 1);
  CHECK(out.holds_triples(4096));
  // Of the same allocation, though elsewhere.
  CHECK(streamed(both.data(), both.data() + 2048, 2048) == 0);
}

TEST_CASE("small launches do not go past the caches, and none does that is not asked for") {
  const Array in(4096), out(4096);
  in.number();
  for (const Streaming wanted : {Streaming::InLargeLaunches, Streaming::Never}) {
    LoadedModule module(map, streaming(wanted));
    CHECK(module.kernel("k").streaming == wanted);
    CHECK(streamed_in([&] {
            module.run("k", Dim3{16}, Dim3{256}, in.data(), out.data(), 4096u, 0u);
          }) == 0);
    CHECK(out.holds_triples(4096));
  }
}

TEST_CASE("how much is written is told from the threads, or from what ends a loop") {
  // Large enough for any cache; never touched.
  constexpr std::uint64_t large = std::uint64_t{1} << 40;
  const std::uint64_t here = std::uint64_t{1} << 44, there = here + 2 * large;
  exec::AddressTable& table = exec::AddressTable::instance();
  table.insert({here, large, exec::MemoryKind::Device, 0, nullptr, 0});
  table.insert({there, large, exec::MemoryKind::Device, 0, nullptr, 0});
  const auto should = [&](LoadedModule& module, std::uint32_t blocks, std::uint32_t n) {
    exec::LaunchRequest request;
    const Kernel& kernel = module.kernel("k");
    request.kernel = &kernel;
    request.grid = {blocks};
    request.block = {256};
    request.params.resize(24);
    std::memcpy(request.params.data(), &here, 8);
    std::memcpy(request.params.data() + 8, &there, 8);
    std::memcpy(request.params.data() + 16, &n, 4);
    return exec::should_stream(kernel, request);
  };
  constexpr std::uint32_t many = 0x7fff0000;
  LoadedModule by_map(map, streaming(Streaming::InLargeLaunches));
  CHECK(should(by_map, 4000000, many));
  CHECK(!should(by_map, 8, many));
  LoadedModule by_loop(loop, streaming(Streaming::InLargeLaunches));
  CHECK(should(by_loop, 8, many));
  CHECK(!should(by_loop, 8, 20000));
  table.remove(here);
  table.remove(there);
}

TEST_CASE("whoever waits for a launch sees all of what went past the caches") {
  LoadedModule module(map, streaming(Streaming::WhereverPossible));
  constexpr std::uint32_t count = 1 << 16;
  std::vector<std::thread> users;
  std::vector<int> wrong(3);
  for (int user = 0; user < 3; ++user) {
    users.emplace_back([&, user] {
      const Array in(count), out(count);
      in.number();
      for (int round = 0; round < 100; ++round) {
        std::fill_n(out.data(), count, 7u);
        module.run("k", Dim3{count / 256}, Dim3{256}, in.data(), out.data(), count, 0u);
        if (!out.holds_triples(count)) ++wrong[static_cast<std::size_t>(user)];
      }
    });
  }
  for (std::thread& user : users) user.join();
  CHECK(wrong == std::vector<int>(3));
}
