// SPDX-License-Identifier: MIT
// PTX text to kernels that run: the whole compiler behind jit::Program.
#include "cpu/jit/program.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "cpu/exec/stream.h"
#include "cpu/jit/program_code.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace exec = pycuda::cpu::exec;
using pycuda::cpu::variants::Variant;

const std::string header = ".version 7.0\n.target sm_80\n.address_size 64\n";

const std::string add_one = header + R"(
.visible .entry add_one(.param .u64 data, .param .u32 count) {
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra DONE;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  add.s32 %r2, %r2, 1;
  st.global.u32 [%rd3], %r2;
DONE:
  ret;
}
)";

/// `long_one` writes a hash of each thread's number, changed by how often it was launched before;
/// `short_one` is what is beside it.
std::string long_kernel() {
  std::string text = header + R"(
.global .align 4 .u32 launches;
.visible .entry long_one(.param .u64 out) {
  .reg .b64 %out, %a; .reg .b32 %t, %x, %n; .reg .pred %p;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mad.lo.u32 %x, %t, 2654435761, 7;
)";
  for (std::uint32_t i = 0; i < 2500; ++i)
    text += "  mul.lo.u32 %x, %x, 1664525;\n  xor.b32 %x, %x, " + std::to_string(i * 2654435761u) +
            ";\n";
  return text + R"(
  bar.sync 0;
  ld.global.u32 %n, [launches];
  add.u32 %n, %n, 1;
  bar.sync 0;
  st.global.u32 [launches], %n;
  xor.b32 %x, %x, %n;
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %out;
  st.global.u32 [%a], %x;
  ret;
}
.visible .entry short_one(.param .u64 out) {
  .reg .b64 %out, %a; .reg .b32 %t;
  ld.param.u64 %out, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %out;
  st.global.u32 [%a], %t;
  ret;
}
)";
}

/// Keeps variables' memory as long as it lives.
class Memory {
 public:
  void* operator()(const jit::GlobalVariable& variable) {
    blocks_.emplace_back(variable.bytes + 64);
    void* memory = blocks_.back().data();
    std::size_t space = variable.bytes + 64;
    return std::align(variable.alignment, variable.bytes, memory, space);
  }

 private:
  std::vector<std::vector<std::byte>> blocks_;
};

class Silent final : public exec::FaultSink {
 public:
  void report(const exec::Fault& fault) override { message = fault.message, bad = true; }
  bool poisoned() const override { return bad; }
  std::string message;
  bool bad = false;
};

std::unique_ptr<jit::LoadedProgram> load(const std::string& ptx, Memory& memory,
                                         const jit::Options& options = {}) {
  auto program = jit::Program::compile(ptx, options);
  if (!program) FAIL(pycuda::cpu::ptx::to_text(program.error()));
  auto loaded = jit::LoadedProgram::load(*program, std::ref(memory));
  if (!loaded) FAIL(loaded.error().message);
  return std::move(*loaded);
}

template <class... Arguments>
std::string packed(Arguments... arguments) {
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.resize((bytes.size() + sizeof value - 1) / sizeof value * sizeof value);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  (add(arguments), ...);
  return bytes;
}

void run(const jit::LoadedProgram& loaded, const char* kernel, pycuda::cpu::Dim3 grid,
         pycuda::cpu::Dim3 block, std::string params) {
  Silent faults;
  exec::Stream stream(0, faults);
  const pycuda::cpu::Kernel* found = loaded.find_kernel(kernel);
  REQUIRE(found != nullptr);
  exec::LaunchRequest request;
  request.kernel = found;
  request.grid = grid;
  request.block = block;
  request.params = std::move(params);
  stream.launch(std::move(request));
  stream.synchronize();
  CHECK_MESSAGE(!faults.bad, faults.message);
}

std::filesystem::path new_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "jit-cache-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  return name;
}

}  // namespace

TEST_CASE("a kernel runs over a grid whose last block is ragged") {
  Memory memory;
  const auto loaded = load(add_one, memory);
  std::vector<std::uint32_t> data(1000);
  std::iota(data.begin(), data.end(), 0u);
  run(*loaded, "add_one", {8, 1, 1}, {128, 1, 1}, packed(data.data(), 997u));
  for (std::uint32_t i = 0; i < 1000; ++i) CHECK(data[i] == i + (i < 997 ? 1 : 0));
}

TEST_CASE("threads exchange values through shared memory across a barrier") {
  Memory memory;
  const auto loaded = load(header + R"(
.visible .entry reverse(.param .u64 data) {
  .reg .b32 %r<8>; .reg .b64 %rd<5>;
  .shared .align 4 .b8 tile[1024];
  ld.param.u64 %rd1, [data];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r2, [%rd3];
  mov.u32 %r3, tile;
  shl.b32 %r4, %r1, 2;
  add.s32 %r5, %r3, %r4;
  st.shared.u32 [%r5], %r2;
  bar.sync 0;
  mov.u32 %r6, 1020;
  sub.s32 %r6, %r6, %r4;
  add.s32 %r6, %r6, %r3;
  ld.shared.u32 %r7, [%r6];
  st.global.u32 [%rd3], %r7;
  ret;
}
)",
                           memory);
  std::vector<std::uint32_t> data(256);
  std::iota(data.begin(), data.end(), 0u);
  run(*loaded, "reverse", {1, 1, 1}, {256, 1, 1}, packed(data.data()));
  for (std::uint32_t i = 0; i < 256; ++i) CHECK(data[i] == 255 - i);
}

TEST_CASE(
    "variables start with their initial values, addresses of variables and functions included") {
  Memory memory;
  const auto loaded = load(header + R"(
.visible .global .align 4 .u32 numbers[4] = {10, 20, 30};
.visible .const .align 4 .f32 half_one = 0f3F000000;
.visible .global .align 8 .u64 pointer = numbers + 4;
.func (.param .b32 result) twice(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1; st.param.b32 [result], %r2; ret;
}
.visible .global .align 8 .u64 table[1] = {twice};
.visible .entry call_table(.param .u64 out) {
  .reg .b32 %r<4>; .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  ld.global.u64 %rd2, [table];
  ld.global.u64 %rd3, [pointer];
  ld.global.u32 %r1, [%rd3];
  { .param .b32 a; .param .b32 r; st.param.b32 [a], %r1;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %rd2, (a), proto;
    ld.param.b32 %r2, [r]; }
  st.global.u32 [%rd1], %r2;
  ret;
}
)",
                           memory);
  const auto numbers = loaded->find_variable("numbers");
  REQUIRE(numbers.has_value());
  CHECK(numbers->bytes == 16);
  const auto* values = static_cast<const std::uint32_t*>(numbers->address);
  CHECK(values[0] == 10);
  CHECK(values[2] == 30);
  CHECK(values[3] == 0);
  CHECK(*static_cast<const float*>(loaded->find_variable("half_one")->address) == 0.5f);
  std::uint32_t out = 0;
  run(*loaded, "call_table", {1, 1, 1}, {1, 1, 1}, packed(&out));
  CHECK(out == 40);
}

TEST_CASE("a program loaded twice has two sets of variables") {
  auto program = jit::Program::compile(header + ".visible .global .u32 count = 7;\n", {});
  REQUIRE(program.ok());
  Memory memory;
  auto first = jit::LoadedProgram::load(*program, std::ref(memory));
  auto second = jit::LoadedProgram::load(*program, std::ref(memory));
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK((*first)->find_variable("count")->address != (*second)->find_variable("count")->address);
  CHECK_FALSE((*first)->find_variable("nothing").has_value());
}

TEST_CASE("the second compilation of a text comes from the disk cache and computes the same") {
  const auto folder = new_folder();
  jit::Options options;
  options.cache_folder = folder;
  auto first = jit::Program::compile(add_one, options);
  auto second = jit::Program::compile(add_one, options);
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  CHECK_FALSE((*first)->from_cache());
  CHECK((*second)->from_cache());
  Memory memory;
  auto loaded = jit::LoadedProgram::load(*second, std::ref(memory));
  REQUIRE(loaded.ok());
  std::vector<std::uint32_t> data(64, 5);
  run(**loaded, "add_one", {1, 1, 1}, {64, 1, 1}, packed(data.data(), 64u));
  CHECK(data == std::vector<std::uint32_t>(64, 6));
  CHECK((*second)->kernels().at(0).parameters.size() == 2);
  CHECK((*second)->kernels().at(0).parameters.at(1).offset == 8);
  std::filesystem::remove_all(folder);
}

TEST_CASE("options that change the code do not share a cache entry") {
  const auto folder = new_folder();
  jit::Options plain, checked;
  plain.cache_folder = checked.cache_folder = folder;
  checked.checks = pycuda::cpu::Check::Memory;
  REQUIRE(jit::Program::compile(add_one, plain).ok());
  const auto other = jit::Program::compile(add_one, checked);
  REQUIRE(other.ok());
  CHECK_FALSE((*other)->from_cache());
  std::filesystem::remove_all(folder);
}

TEST_CASE("a long kernel gets its vector form later, and keeps it on disk") {
  const auto folder = new_folder();
  jit::Options options;
  options.cache_folder = folder;
  options.vectors = true;
  const std::string text = long_kernel();
  auto program = jit::Program::compile(text, options);
  REQUIRE(program.ok());
  REQUIRE((*program)->kernels().size() == 2);
  CHECK((*program)->kernels()[0].is_baseline);
  CHECK((*program)->kernels()[0].gang_lanes == 0);
  CHECK_FALSE((*program)->kernels()[1].is_baseline);
  CHECK((*program)->kernels()[1].gang_lanes != 0);
  CHECK((*program)->implementation().code_at_hand("long_one", Variant::vectors()) == nullptr);

  Memory memory;
  auto loaded = jit::LoadedProgram::load(*program, std::ref(memory));
  REQUIRE(loaded.ok());
  const pycuda::cpu::Kernel* const kernel = (*loaded)->find_kernel("long_one");
  REQUIRE(kernel->table != nullptr);
  std::vector<std::uint32_t> quick(100), better(100), cached(100);
  run(**loaded, "long_one", {1, 1, 1}, {100, 1, 1}, packed(quick.data()));

  const auto vectors = kernel->table->make(Variant::vectors());
  REQUIRE(vectors.ok());
  CHECK((*vectors)->facts.gang_lanes != 0);
  run(**loaded, "long_one", {1, 1, 1}, {100, 1, 1}, packed(better.data()));
  CHECK(better[7] != quick[7]);  // it counts its launches in a variable, which both forms share
  for (std::size_t i = 0; i < quick.size(); ++i) REQUIRE(better[i] == (quick[i] ^ 1 ^ 2));

  auto again = jit::Program::compile(text, options);
  REQUIRE(again.ok());
  CHECK((*again)->from_cache());
  auto reloaded = jit::LoadedProgram::load(*again, std::ref(memory));
  REQUIRE(reloaded.ok());
  CHECK((*reloaded)->find_kernel("long_one")->table->ready(Variant::vectors()) != nullptr);
  run(**reloaded, "long_one", {1, 1, 1}, {100, 1, 1}, packed(cached.data()));
  CHECK(cached == quick);
  std::filesystem::remove_all(folder);
}

TEST_CASE("a damaged cache entry counts as absent") {
  const auto folder = new_folder();
  jit::Options options;
  options.cache_folder = folder;
  REQUIRE(jit::Program::compile(add_one, options).ok());
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.file_size() / 2));
    file.write("damage", 6);
  }
  const auto again = jit::Program::compile(add_one, options);
  REQUIRE(again.ok());
  CHECK_FALSE((*again)->from_cache());
  std::filesystem::remove_all(folder);
}

TEST_CASE("a variable that is defined nowhere is an error that names it") {
  const auto program = jit::Program::compile(header + ".extern .global .u32 elsewhere;\n", {});
  REQUIRE_FALSE(program.ok());
  CHECK(pycuda::cpu::ptx::to_text(program.error()).find("unresolved symbol 'elsewhere'") !=
        std::string::npos);
}

TEST_CASE("no memory for a variable fails the load") {
  auto program = jit::Program::compile(header + ".visible .global .u32 count;\n", {});
  REQUIRE(program.ok());
  const auto loaded = jit::LoadedProgram::load(
      *program, [](const jit::GlobalVariable&) -> void* { return nullptr; });
  REQUIRE_FALSE(loaded.ok());
  CHECK(loaded.error().message.find("count") != std::string::npos);
}

TEST_CASE("several threads compile at once") {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t i = 0; i < good.size(); ++i)
    threads.emplace_back(
        [&, i] { good[i] = jit::Program::compile(add_one + "// " + std::to_string(i), {}).ok(); });
  for (std::thread& thread : threads) thread.join();
  CHECK(good == std::vector<int>(4, 1));
}
