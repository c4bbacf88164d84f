// SPDX-License-Identifier: MIT
// Atomic operations of gangs: as if the threads came one after the other.
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;

namespace {

constexpr std::uint32_t words = 1024;

struct Operation {
  const char* name;  ///< behind the space
  const char* type;
  const char* value;  ///< computes %v, or %w of 64 bits, from %x
};

constexpr const char* number = "and.b32 %v, %x, 0xffff;";
constexpr const char* real = "and.b32 %v, %x, 0xff; cvt.rn.f32.u32 %f, %v; mov.b32 %v, %f;";
constexpr Operation operations[] = {
    {"add.u32", "b32", number},
    {"min.s32", "b32", "mov.u32 %v, %x;"},
    {"max.s32", "b32", "mov.u32 %v, %x;"},
    {"min.u32", "b32", "mov.u32 %v, %x;"},
    {"max.u32", "b32", "mov.u32 %v, %x;"},
    {"and.b32", "b32", "or.b32 %v, %x, 0xff00ff;"},
    {"or.b32", "b32", "and.b32 %v, %x, 0x11;"},
    {"xor.b32", "b32", number},
    {"exch.b32", "b32", number},
    {"inc.u32", "b32", "mov.u32 %v, 5;"},
    {"dec.u32", "b32", "mov.u32 %v, 9;"},
    {"add.u64", "b64", "cvt.u64.u32 %w, %x; mul.lo.u64 %w, %w, 77777777777;"},
    {"add.f32", "b32", real},
    {"add.f64", "b64",
     "cvt.rn.f64.u32 %d, %x; mul.f64 %d, %d, 0d3f1a36e2eb1c432d; mov.b64 %w, %d;"},
    {"add.noftz.f16", "b16", "and.b32 %v, %x, 63; cvt.rn.f16.u32 %h, %v;"},
    {"add.noftz.f16x2", "b32", "and.b32 %v, %x, 63; cvt.rn.f16.u32 %h, %v; mov.b32 %v, {%h, %h};"}};

/// Threads below n update one word (`spread` 0), one of a few, or one of many, and write down what
/// they found. Shared words go to `bins` at the end.
std::string kernel(const std::string& name, const Operation& operation, bool shared, int spread,
                   bool returns) {
  const std::string type = operation.type;
  const std::string value = type == "b64" ? "%w" : type == "b16" ? "%h" : "%v";
  const std::string old = type == "b64" ? "%ow" : type == "b16" ? "%oh" : "%o";
  std::string text = ".visible .entry " + name + R"((.param .u64 in, .param .u64 out,
    .param .u64 bins, .param .u32 n) {
  .shared .align 8 .b8 own[1024]; .reg .b64 %in, %out, %bins, %a, %w, %ow; .reg .f32 %f;
  .reg .f64 %d; .reg .b32 %n, %t, %x, %v, %o, %k, %s, %z; .reg .b16 %h, %oh; .reg .pred %p;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %bins, [bins];
  ld.param.u32 %n, [n]; mov.u32 %t, %tid.x; mov.u32 %x, %ntid.x; mov.u32 %z, 0; mov.u32 %k, %t;
)";
  if (shared)
    text += R"(ZERO: setp.ge.u32 %p, %k, 256; @%p bra READY;
  mov.u32 %s, own; shl.b32 %o, %k, 2; add.u32 %s, %s, %o; st.shared.u32 [%s], %z;
  add.u32 %k, %k, %x; bra ZERO;
)";
  text += R"(READY:
  bar.sync 0; setp.ge.u32 %p, %t, %n; @%p bra DONE;
  mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %in; ld.global.u32 %x, [%a];
)";
  text += operation.value;
  text += spread == 0   ? "mov.u32 %k, 16;"
          : spread == 1 ? "and.b32 %k, %x, 56;"
                        : "shr.u32 %k, %x, 7; and.b32 %k, %k, 1016;";
  const std::string place = shared ? "[%k]" : "[%a]";
  text += shared ? "mov.u32 %o, own; add.u32 %k, %k, %o;\n"
                 : "cvt.u64.u32 %a, %k; add.u64 %a, %a, %bins;\n";
  const std::string space = shared ? ".shared." : ".global.";
  if (!returns) {
    text += "red" + space + operation.name + " " + place + ", " + value + ";\n";
  } else {
    text += "atom" + space + operation.name + " " + old + ", " + place + ", " + value + ";\n" +
            "mul.wide.u32 %a, %t, 8; add.u64 %a, %a, %out; st.global." + type + " [%a], " + old +
            ";\n";
  }
  if (!shared) return text + "DONE: bar.sync 0; ret; }";
  return text + R"(DONE: bar.sync 0; mov.u32 %x, %ntid.x; mov.u32 %k, %t;
SHOW: setp.ge.u32 %p, %k, 256; @%p bra END;
  mov.u32 %s, own; shl.b32 %o, %k, 2; add.u32 %s, %s, %o; ld.shared.u32 %o, [%s];
  mul.wide.u32 %a, %k, 4; add.u64 %a, %a, %bins; st.global.u32 [%a+2048], %o;
  add.u32 %k, %k, %x; bra SHOW;
END: ret; })";
}

struct Outcome {
  std::vector<std::uint32_t> out = std::vector<std::uint32_t>(2 * words, 7);
  std::vector<std::uint32_t> bins = std::vector<std::uint32_t>(words, 0);
  bool operator==(const Outcome&) const = default;
};

}  // namespace

TEST_CASE("atomic operations of gangs find and leave what threads one after the other do") {
  std::string text;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::size(operations); ++i) {
    for (int form = 0; form < 12; ++form) {
      const bool returns = form % 2 != 0;
      // An exchange is never without a result.
      if (!returns && std::string(operations[i].name) == "exch.b32") continue;
      const std::string name = "k" + std::to_string(i) + "_" + std::to_string(form);
      names.push_back(name);
      text += kernel(name, operations[i], form / 2 % 2 != 0, form / 4, returns);
    }
  }
  std::vector<std::uint32_t> in(words);
  for (std::uint32_t i = 0; i < words; ++i) in[i] = (i * 2654435761u) ^ (i << 9);
  Options options;
  options.vectors = true;
  LoadedModule module(text, options);
  for (const std::string& name : names) {
    CHECK_MESSAGE(module.kernel(name.c_str()).facts.gang_lanes != 0,
                  module.kernel(name.c_str()).facts.scalar_reason);
    // Behind a barrier the block's last warp may come first: it has nothing to do unless it is
    // alone.
    for (const auto& [threads, n] : {std::pair{32u, 32u}, std::pair{20u, 20u}, std::pair{128u, 96u},
                                     std::pair{100u, 91u}, std::pair{1000u, 983u}}) {
      const auto run = [&](bool thread_by_thread) {
        Outcome outcome;
        module.thread_by_thread = thread_by_thread;
        module.run(name.c_str(), {1}, {threads}, in.data(), outcome.out.data(), outcome.bins.data(),
                   n);
        return outcome;
      };
      const bool same = run(true) == run(false);
      CHECK_MESSAGE(same, name << ", " << threads << " threads, n " << n);
    }
  }
}

TEST_CASE("compare-and-swap in shared memory") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .shared .align 4 .b32 word; .reg .b64 %out; .reg .b32 %t, %o, %n, %w, %z; .reg .pred %p;
  ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %w, word; mov.u32 %z, 0;
  setp.eq.u32 %p, %t, 0; @%p st.shared.u32 [%w], %z; bar.sync 0;
  AGAIN: ld.shared.u32 %o, [%w]; add.u32 %n, %o, %t; atom.shared.cas.b32 %z, [%w], %o, %n;
  setp.ne.u32 %p, %z, %o; @%p bra AGAIN;
  bar.sync 0; ld.shared.u32 %o, [%w]; st.global.u32 [%out], %o; ret; })");
  for (const bool thread_by_thread : {true, false}) {
    module.thread_by_thread = thread_by_thread;
    std::uint32_t out = 0;
    module.run("k", {1}, {200}, &out);
    CHECK(out == 199 * 200 / 2);
  }
}

TEST_CASE("blocks that add to one word at the same time lose nothing") {
  LoadedModule module(R"(
.visible .entry k(.param .u64 out) {
  .reg .b64 %out; .reg .f32 %f; ld.param.u64 %out, [out]; mov.f32 %f, 0f3f800000;
  red.global.add.f32 [%out], %f; red.global.add.u32 [%out+4], 1; ret; })");
  std::uint32_t out[2] = {0, 0};
  module.run("k", {2000}, {96}, &out[0]);
  CHECK(std::bit_cast<float>(out[0]) == 192000.0f);
  CHECK(out[1] == 192000);
}
