// SPDX-License-Identifier: MIT
// Branches on values that all lanes of a warp get from one of them: warp operations behind them are
// those of the whole warp.
#include <cstdint>
#include <string>
#include <vector>

#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::vectors;

namespace {

/// Eight times, `broadcast` moves a lane's number from %r4 to %r5 and another one's from %r6 to
/// %r7; the larger says in which of two registers the warp exchanges next. Threads of which `guard`
/// says no take no part.
std::string kernel(const std::string& broadcast, const std::string& guard = "") {
  return R"(
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n) {
  .reg .b64 %in, %out, %a; .reg .b32 %i, %n, %k, %r<12>; .reg .pred %p, %q;
  ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u32 %n, [n];
  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.s32 %i, %r0, %r1, %r2;
  mul.wide.s32 %a, %i, 4; add.u64 %in, %a, %in; add.u64 %out, %a, %out; )" +
         guard + R"(
  ld.global.u32 %r4, [%in]; mul.lo.u32 %r6, %r4, 2654435761; shr.u32 %r6, %r6, 20; mov.u32 %k, 0;
LOOP: and.b32 %r10, %r2, 31; )" +
         broadcast + R"(
  setp.gt.u32 %p, %r5, %r7; @%p bra FIRST;
  shfl.sync.bfly.b32 %r8, %r6, 3, 31, -1; mad.lo.u32 %r6, %r8, 5, %k; and.b32 %r6, %r6, 4095;
  bra NEXT;
FIRST: shfl.sync.down.b32 %r8, %r4, 5, 31, -1; mad.lo.u32 %r4, %r8, 3, %k; and.b32 %r4, %r4, 4095;
NEXT: add.u32 %k, %k, 1; setp.lt.u32 %p, %k, 8; @%p bra LOOP;
  shl.b32 %r6, %r6, 12; add.u32 %r4, %r4, %r6; st.global.u32 [%out], %r4;
DONE: ret; })";
}

std::string broadcasts(const std::string& lane, const std::string& range = "31",
                       const std::string& before = "") {
  const std::string end = ", " + lane + ", " + range + ", -1;";
  return before + "shfl.sync.idx.b32 %r5, %r4" + end + "shfl.sync.idx.b32 %r7, %r6" + end;
}

/// In all forms, or, of blocks of whole warps alone, in theirs.
enum class Blocks { All, WholeWarps };

Options options_for(Blocks blocks) {
  Options options = vectors(true);
  if (blocks == Blocks::WholeWarps) options.forms = Forms(Form::Gangs) | Form::Threads;
  return options;
}

void check(Blocks blocks, const std::string& text, unsigned threads = 64) {
  CAPTURE(text);
  LoadedModule module(text, options_for(blocks));
  CHECK(module.kernel("k").facts.gang_lanes == 32);
  const std::uint32_t all = 4 * threads;
  std::vector<std::uint32_t> in(all), found(all, 9), expected(all, 9);
  for (std::uint32_t i = 0; i < all; ++i) in[i] = i * 2654435761u >> 20;
  module.run("k", {4}, {threads}, in.data(), found.data(), all - 32);
  module.thread_by_thread = true;
  module.run("k", {4}, {threads}, in.data(), expected.data(), all - 32);
  CHECK(found == expected);
}

bool has_vectors(Blocks blocks, const std::string& text) {
  LoadedModule module(text, options_for(blocks));
  return module.kernel("k").facts.gang_lanes != 0;
}

}  // namespace

TEST_CASE("in whole warps, a branch on the number of any one lane does not part lanes") {
  check(Blocks::WholeWarps, kernel(broadcasts("31")));
  check(Blocks::WholeWarps, kernel(broadcasts("%k")));
  check(Blocks::WholeWarps, kernel(broadcasts("37")));
  check(Blocks::WholeWarps, kernel(broadcasts("4", "7")));
  const std::string leader =
      "setp.gt.u32 %q, %r4, 2000; vote.sync.ballot.b32 %r9, %q, -1; bfind.u32 %r9, %r9;";
  check(Blocks::WholeWarps, kernel(broadcasts("%r9", "31", leader)));
}

TEST_CASE("the first lane is there in each warp, the others may not be") {
  for (const unsigned threads : {64u, 40u, 33u}) {
    check(Blocks::All, kernel(broadcasts("0")), threads);
    check(Blocks::All, kernel(broadcasts("32")), threads);
  }
  CHECK(!has_vectors(Blocks::All, kernel(broadcasts("31"))));
  CHECK(!has_vectors(Blocks::All, kernel(broadcasts("%k"))));
}

TEST_CASE("numbers that may differ between lanes part them") {
  const auto part = [](const std::string& text) { return !has_vectors(Blocks::WholeWarps, text); };
  // Segments, lanes out of range, a lane for each.
  CHECK(part(kernel(broadcasts("0", "0x181f"))));
  CHECK(part(kernel(broadcasts("9", "7"))));
  CHECK(part(kernel(broadcasts("%k", "7"))));
  CHECK(part(kernel(broadcasts("%r10"))));
  // Lanes that have exited cannot be read.
  CHECK(part(kernel(broadcasts("31"), "setp.gt.u32 %p, %r2, 50; @%p bra DONE;")));
}

TEST_CASE("warps that leave as a whole do not count") {
  const std::string row = "shr.s32 %r3, %i, 5; shr.s32 %r9, %n, 5; setp.ge.s32 %p, %r3, %r9;";
  check(Blocks::WholeWarps, kernel(broadcasts("31"), row + "@%p bra DONE;"));
}
