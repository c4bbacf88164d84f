// SPDX-License-Identifier: MIT
// Barriers that some threads do not come to any more, and barriers that count.
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;

namespace {

constexpr std::uint32_t size = 8192;

/// `.entry k(u64 in, u64 out, u32 n)`: gangs of every width against one thread after the other.
void compare(const std::string& body) {
  const std::string text = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %in, %out, %a; .reg .b32 %n, %t, %i, %x, %y, %k, %s, %r<4>; .reg .pred %p, %q;
  .shared .align 4 .b8 tile[4096];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %ntid.y; mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y; mad.lo.u32 %t, %y, %r1, %x; mul.lo.u32 %r1, %r1, %r2;
  mad.lo.u32 %i, %r0, %r1, %t; mul.wide.u32 %a, %i, 4; add.u64 %in, %in, %a;
  add.u64 %out, %out, %a; shl.b32 %s, %t, 2; mov.u32 %r0, tile; add.u32 %s, %s, %r0;
  ld.global.u32 %x, [%in]; mov.u32 %y, 0;
)" + body + "}";
  std::vector<std::uint32_t> in(size);
  for (std::uint32_t i = 0; i < size; ++i) in[i] = i * 2654435761u ^ (i << 9);
  for (const unsigned lanes : {16u, 32u, 64u}) {
    LoadedModule module(text, gangs_of(lanes));
    REQUIRE_MESSAGE(module.kernel("k").facts.gang_lanes == lanes,
                    module.kernel("k").facts.scalar_reason);
    for (const auto& [grid, block] :
         {std::tuple{Dim3{4}, Dim3{256}}, std::tuple{Dim3{3}, Dim3{72}},
          std::tuple{Dim3{5}, Dim3{96}}, std::tuple{Dim3{2}, Dim3{1000}},
          std::tuple{Dim3{3}, Dim3{16, 16}}, std::tuple{Dim3{3}, Dim3{20, 5}}}) {
      for (const std::uint32_t n : {0u, 1u, 31u, 64u, 179u, 435u, 947u, 1971u}) {
        const auto run = [&](bool thread_by_thread) {
          std::vector<std::uint32_t> out(size, 5);
          module.thread_by_thread = thread_by_thread;
          module.run("k", grid, block, in.data(), out.data(), n);
          return out;
        };
        const bool same = run(true) == run(false);
        CHECK_MESSAGE(same,
                      lanes << " lanes, block " << block.x << " x " << block.y << ", n " << n);
        if (!same) return;
      }
    }
  }
}

/// A thread's word goes to shared memory; %y is another one's, if there is such a thread.
const std::string exchange = R"(
  st.shared.u32 [%s], %x; bar.sync 0; xor.b32 %r0, %t, 37; shl.b32 %r0, %r0, 2;
  and.b32 %r0, %r0, 4095; mov.u32 %r1, tile; add.u32 %r0, %r0, %r1;
  xor.b32 %r2, %t, 37; mov.u32 %r1, %ntid.x; mov.u32 %r3, %ntid.y; mul.lo.u32 %r1, %r1, %r3;
  sub.u32 %r3, %i, %t; add.u32 %r3, %r3, %r2; setp.lt.u32 %p, %r2, %r1; setp.lt.and.u32 %p, %r3, %n, %p;
  @%p ld.shared.u32 %y, [%r0]; bar.sync 0;
)";

}  // namespace

TEST_CASE("threads that have returned are not waited for at barriers") {
  compare("setp.ge.u32 %p, %i, %n; @%p ret;" + exchange + "st.global.u32 [%out], %y; ret;");
}

TEST_CASE("threads return one after the other from a loop with barriers") {
  compare(R"(mov.u32 %k, 0;
  AGAIN: and.b32 %r0, %x, 7; setp.eq.u32 %q, %r0, %k; @%q ret;
  st.shared.u32 [%s], %k; bar.sync 0; ld.shared.u32 %r0, [%s]; add.u32 %y, %y, %r0;
  st.global.u32 [%out], %y; bar.sync 0;
  add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 6; @%q bra AGAIN;
  st.global.u32 [%out], %x; ret;)");
}

TEST_CASE("loops with barriers whose rounds a parameter says, the same for all gangs") {
  compare(R"(and.b32 %n, %n, 7; mov.u32 %k, 0;
  AGAIN: setp.eq.u32 %q, %k, %n; @%q bra DONE;
  st.shared.u32 [%s], %x; bar.sync 0; and.b32 %r0, %x, 3; setp.eq.u32 %q, %r0, 1; @!%q bra NEXT;
  ld.shared.u32 %r1, [%s]; add.u32 %y, %y, %r1; xor.b32 %x, %x, 6;
  NEXT: bar.sync 0; add.u32 %k, %k, 1; bra AGAIN;
  DONE: st.global.u32 [%out], %y; ret;)");
  // What the first thread writes says it: all see the same, but only at run time.
  compare(R"(setp.eq.u32 %p, %t, 0; mov.u32 %r2, tile; and.b32 %r3, %n, 7; mov.u32 %k, 0;
  AGAIN: bar.sync 0; sub.u32 %r1, %r3, %k; @%p st.shared.u32 [%r2], %r1; bar.sync 0;
  ld.shared.u32 %r1, [%r2]; setp.eq.u32 %q, %r1, 0; @%q bra DONE;
  add.u32 %y, %y, %x; add.u32 %k, %k, 1; bra AGAIN;
  DONE: st.global.u32 [%out], %y; ret;)");
}

TEST_CASE("barriers that count threads, or tell whether all or some say yes") {
  compare(R"(setp.ge.u32 %p, %i, %n; @%p ret; mov.u32 %k, 0;
  AGAIN: and.b32 %r0, %x, 3; setp.le.u32 %q, %r0, %k; barrier.cta.red.popc.aligned.u32 %r1, 0, %q;
  mad.lo.u32 %y, %y, 5, %r1; setp.gt.u32 %q, %x, 77; bar.red.and.pred %q, 0, %q;
  @%q add.u32 %y, %y, 1; setp.lt.u32 %q, %x, 2000000; bar.red.or.pred %q, 0, %q;
  @%q xor.b32 %y, %y, 1023; bar.sync 0;
  add.u32 %k, %k, 1; setp.lt.u32 %q, %k, 4; @%q bra AGAIN;
  st.global.u32 [%out], %y; ret;)");
}

TEST_CASE("straight code with many barriers goes from barrier to barrier, without coroutines") {
  // A neighbour's word is added after each barrier: as many instructions as barriers, so that all
  // of them times all barriers would be far too many.
  std::string steps;
  for (unsigned i = 0; i < 100; ++i)
    steps +=
        "st.shared.u32 [%s], %x; bar.sync 0; xor.b32 %r0, %t, " + std::to_string(1 + i % 3) +
        "; shl.b32 %r0, %r0, 2; mov.u32 %r1, tile; add.u32 %r0, %r0, %r1; ld.shared.u32 %y, [%r0]; "
        "mad.lo.u32 %x, %x, 31, %y; bar.sync 0;\n";
  const std::string body = R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %in, %out, %a; .reg .b32 %t, %x, %y, %s, %r<4>; .shared .align 4 .b8 tile[4096];
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4;
  add.u64 %in, %in, %a; add.u64 %out, %out, %a; shl.b32 %s, %t, 2; mov.u32 %r0, tile;
  add.u32 %s, %s, %r0; ld.global.u32 %x, [%in];
)" + steps + "st.global.u32 [%out], %x; ret; }";
  for (const unsigned lanes : {16u, 64u}) {
    LoadedModule module(body, gangs_of(lanes));
    const auto& kernel = module.kernel("k");
    CHECK((kernel.run_gangs != nullptr));
    CHECK_FALSE(kernel.facts.gangs_suspend);
    for (const std::uint32_t threads : {64u, 72u, 200u}) {
      std::vector<std::uint32_t> in(256), found(256, 5), expected(256, 5);
      for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
      module.thread_by_thread = true;
      module.run("k", {1}, {threads}, in.data(), expected.data(), 0u);
      module.thread_by_thread = false;
      module.run("k", {1}, {threads}, in.data(), found.data(), 0u);
      CHECK(found == expected);
    }
  }
}
