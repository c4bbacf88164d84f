// SPDX-License-Identifier: MIT
// Tiles: gangs of several rows of a block of two dimensions.
#include <cstdint>
#include <string>
#include <vector>

#include "cpu/jit/plan.h"
#include "cpu/target/target.h"
#include "cpu/variants/launch_form.h"
#include "unit/cpu/kernel_run.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::jit::describe_plan;
using pycuda::cpu::target::host;
using pycuda::cpu::testing::gangs_of;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::module_of;
using pycuda::cpu::variants::has_whole_tiles;

namespace {

const char* const head = R"(
.visible .entry k(.param .u64 out, .param .u64 in, .param .u32 n) {
  .reg .b64 %rd<9>; .reg .b32 %r<12>; .reg .pred %p<4>; .reg .f32 %f<4>;
  ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [in]; ld.param.u32 %r1, [n];
  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ntid.x; mov.u32 %r8, %tid.z;
  mov.u32 %r9, %ntid.y; mad.lo.u32 %r9, %r8, %r9, %r3; mad.lo.u32 %r5, %r9, %r4, %r2;
  mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd3, %rd1;
)";

/// Runs `body` in the tiles of `tiled` in a block of so many threads, and compares with what
/// threads alone make of it.
void compare(LoadedModule& tiled, LoadedModule& alone, const Dim3& block, std::uint32_t n) {
  REQUIRE(has_whole_tiles(tiled.kernel("k").facts, block));
  std::vector<std::uint32_t> in(4096);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  std::vector<std::uint32_t> found(2048, 7), expected(2048, 7);
  tiled.thread_by_thread = false;
  tiled.run("k", {1}, block, found.data(), in.data(), n);
  alone.thread_by_thread = true;
  alone.run("k", {1}, block, expected.data(), in.data(), n);
  CHECK_MESSAGE(found == expected, tiled.kernel("k").facts.tile_columns
                                       << " x " << tiled.kernel("k").facts.tile_rows
                                       << " lanes, block " << block.x << " x " << block.y << " x "
                                       << block.z);
}

void check(const std::string& body, const Dim3& block, std::uint32_t n) {
  for (const unsigned lanes : {0u, 32u, 64u}) {
    LoadedModule module(head + body + " ret; }", gangs_of(lanes));
    compare(module, module, block, n);
  }
}

void check(const std::string& body) {
  for (const Dim3& block : {Dim3{16, 16}, Dim3{32, 8}, Dim3{64, 4}, Dim3{16, 4, 3}})
    for (const std::uint32_t n : {0u, 3u, 16u, 1000u}) check(body, block, n);
  pycuda::cpu::jit::Options options = gangs_of(0);
  LoadedModule alone(head + body + " ret; }", options);
  options.forms = Form::SmallTiles;
  LoadedModule small(head + body + " ret; }", options);
  const auto& facts = small.kernel("k").facts;
  CAPTURE(facts.tile_columns);
  CAPTURE(facts.scalar_reason);
  // Where they cannot be made there are all other forms.
  if (facts.forms == Forms::all()) return;
  for (const Dim3& block : {Dim3{8, 8}, Dim3{8, 4}, Dim3{8, 4, 3}, Dim3{8, 16, 8}})
    for (const std::uint32_t n : {0u, 3u, 16u, 1000u}) compare(small, alone, block, n);
}

}  // namespace

TEST_CASE("kernels of two dimensions have tiles for blocks that are made of them") {
  LoadedModule module(std::string(head) + R"(st.global.u32 [%rd3], %r5; ret; }
.visible .entry line() { .reg .b32 %r; mov.u32 %r, %tid.x; st.shared.u32 [%r], %r; ret; }
.visible .entry votes() { .reg .b32 %r; mov.u32 %r, %tid.y; activemask.b32 %r; ret; }
)");
  const auto& facts = module.kernel("k").facts;
  CHECK(facts.tile_columns == 16);
  CHECK(facts.tile_rows == 4);
  CHECK(has_whole_tiles(facts, {16, 16}));
  CHECK(has_whole_tiles(facts, {32, 8, 2}));
  CHECK_FALSE(has_whole_tiles(facts, {16, 2}));
  CHECK_FALSE(has_whole_tiles(facts, {24, 16}));
  CHECK_FALSE(has_whole_tiles(module.kernel("line").facts, {16, 16}));
  CHECK_FALSE(has_whole_tiles(module.kernel("votes").facts, {16, 16}));
}

TEST_CASE("rows of a tile that are narrower than a vector read at known places") {
  for (const char* words : {"2", "3", "5", "16", "-3"}) {
    const std::string place = std::string("mad.lo.s32 %r6, %r2, ") + words +
                              ", 300; mad.lo.s32 %r6, %r3, 50, %r6; mul.wide.s32 %rd4, %r6, 4; "
                              "add.u64 %rd4, %rd4, %rd2;";
    check(place + "ld.global.u32 %r7, [%rd4]; st.global.u32 [%rd3], %r7;");
    check(place +
          "and.b64 %rd4, %rd4, -8; ld.global.u64 %rd5, [%rd4]; shr.u64 %rd5, %rd5, 20; "
          "cvt.u32.u64 %r7, %rd5; st.global.u32 [%rd3], %r7;");
  }
  // Columns far apart.
  check(
      "mad.lo.u32 %r6, %r2, 60, %r3; mul.wide.u32 %rd4, %r6, 4; add.u64 %rd4, %rd4, %rd2; "
      "ld.global.u32 %r7, [%rd4]; st.global.u32 [%rd3], %r7;");
}

TEST_CASE("what a processor does lane by lane, often, is not done in tiles") {
  const auto divisions = [](int count) {
    std::string body =
        "mul.wide.u32 %rd4, %r5, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r6, [%rd4];"
        "cvt.u64.u32 %rd5, %r6; mul.lo.u64 %rd5, %rd5, %rd5; ld.global.u32 %r7, [%rd4+400];";
    for (int i = 0; i < count; ++i)
      body +=
          "add.u32 %r7, %r7, %r6; or.b32 %r7, %r7, 1; cvt.u64.u32 %rd6, %r7; "
          "rem.u64 %rd7, %rd5, %rd6; mad.lo.u64 %rd5, %rd5, 31, %rd7;";
    return head + body + "cvt.u32.u64 %r6, %rd5; st.global.u32 [%rd3], %r6; ret; }";
  };
  LoadedModule few(divisions(1)), many(divisions(40));
  CHECK(few.kernel("k").facts.tile_rows != 0);
  CHECK(many.kernel("k").facts.tile_rows == 0);
  CHECK(many.kernel("k").facts.gang_lanes != 0);
  std::vector<std::uint32_t> in(4096), found(2048), expected(2048);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  many.run("k", {1}, {16, 16}, found.data(), in.data(), 0u);
  many.thread_by_thread = true;
  many.run("k", {1}, {16, 16}, expected.data(), in.data(), 0u);
  CHECK(found == expected);
}

TEST_CASE("rows that agree on how often an unrolled loop runs") {
  // in[16 * tid.y + i] for i = tid.x, tid.x + 64 ... below n: first what is left over of four.
  const std::string body = R"(
  mov.u32 %r6, 0; setp.ge.s32 %p1, %r2, %r1; @%p1 bra DONE;
  not.b32 %r7, %r2; add.s32 %r7, %r7, %r1; shr.u32 %r7, %r7, 6; add.s32 %r8, %r7, 1;
  mad.lo.u32 %r9, %r3, 16, %r2; mul.wide.u32 %rd4, %r9, 4; add.u64 %rd4, %rd4, %rd2;
  mov.u32 %r10, %r2; and.b32 %r8, %r8, 3; setp.eq.u32 %p1, %r8, 0; @%p1 bra FOURS;
SINGLE: ld.global.u32 %r11, [%rd4]; mad.lo.u32 %r6, %r6, 31, %r11; add.u64 %rd4, %rd4, 256;
  add.s32 %r10, %r10, 64; add.s32 %r8, %r8, -1; setp.ne.u32 %p1, %r8, 0; @%p1 bra SINGLE;
FOURS: setp.lt.u32 %p1, %r7, 3; @%p1 bra DONE;
LOOP: ld.global.u32 %r11, [%rd4]; mad.lo.u32 %r6, %r6, 31, %r11;
  ld.global.u32 %r11, [%rd4+256]; mad.lo.u32 %r6, %r6, 31, %r11;
  ld.global.u32 %r11, [%rd4+512]; mad.lo.u32 %r6, %r6, 31, %r11;
  ld.global.u32 %r11, [%rd4+768]; mad.lo.u32 %r6, %r6, 31, %r11;
  add.u64 %rd4, %rd4, 1024; add.s32 %r10, %r10, 256; setp.lt.s32 %p1, %r10, %r1; @%p1 bra LOOP;
DONE: st.global.u32 [%rd3], %r6;)";
  check(body);
  const auto plan = describe_plan(module_of(head + body + " ret; }"), "k", {64, 4}, {});
  REQUIRE(plan);
  CHECK_MESSAGE(plan->find("uniform, leaves a loop") != std::string::npos, *plan);
}

TEST_CASE("the more sums a thread carries from trip to trip, the fewer threads a gang has") {
  // Each sum grows by in[tid.x] times an element that is the same for the row.
  const auto kernel = [](unsigned sums, const std::string& bits) {
    std::string start, trip, end;
    for (unsigned i = 0; i < sums; ++i) {
      const std::string sum = "%s" + std::to_string(i);
      start += "mov.f" + bits + " " + sum + ", %x;";
      trip += "ld.global.f" + bits + " %y, [%rd5+" + std::to_string(i * 8) + "]; fma.rn.f" + bits +
              " " + sum + ", %x, %y, " + sum + ";";
      end += "add.f" + bits + " %x, %x, " + sum + ";";
    }
    return head + (".reg .f" + bits + " %x, %y, %s<20>; mul.wide.u32 %rd4, %r2, 8;") +
           "add.u64 %rd4, %rd4, %rd2; mul.wide.u32 %rd5, %r3, 8; add.u64 %rd5, %rd5, %rd2;" +
           "ld.global.f" + bits + " %x, [%rd4]; mov.u32 %r10, 0;" + start + "TRIP: " + trip +
           "add.u64 %rd5, %rd5, 8; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, %r1;" +
           "@%p1 bra TRIP;" + end + "mul.wide.u32 %rd3, %r5, 8; add.u64 %rd3, %rd3, %rd1;" +
           "st.global.f" + bits + " [%rd3], %x; ret; }";
  };
  /// By the registers of the processor: of AVX-512, or fewer and shorter ones.
  const auto check_form = [&](unsigned sums, const char* bits, const std::string& longest,
                              const std::string& others) {
    const auto plan = describe_plan(module_of(kernel(sums, bits)), "k", {16, 16}, {});
    REQUIRE(plan);
    const bool is_longest = plan->find("AVX-512") != std::string::npos;
    CHECK_MESSAGE(plan->find(is_longest ? longest : others) != std::string::npos,
                  sums << " sums: " << *plan);
    LoadedModule module(kernel(sums, bits));
    std::vector<double> in(64, 1.25), found(256), expected(256);
    module.run("k", {1}, {16, 16}, found.data(), in.data(), 8u);
    module.thread_by_thread = true;
    module.run("k", {1}, {16, 16}, expected.data(), in.data(), 8u);
    CHECK(found == expected);
  };
  check_form(1, "32", "tiles of 16 x 4", "tiles of 16 x 4");
  check_form(1, "64", "tiles of 16 x 4", "tiles of 16 x 2");
  check_form(4, "32", "tiles of 16 x 4", "gangs of 16 threads, chosen");
  check_form(4, "64", "tiles of 16 x 2", "gangs of 16 threads, chosen");
  check_form(8, "32", "tiles of 16 x 2", "gangs of 16 threads, chosen");
  check_form(16, "32", "gangs of 16 threads, chosen", "gangs of 16 threads, chosen");
}

TEST_CASE("the plan of a tile tells rows of their own from one for all") {
  const std::string text = module_of(std::string(head) + R"(
    mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r6, [%rd4];
    mul.wide.u32 %rd5, %r3, 4; add.u64 %rd5, %rd5, %rd2; ld.global.u32 %r7, [%rd5];
    add.u32 %r6, %r6, %r7; mad.lo.u32 %r7, %r3, 16, %r2;
    mul.wide.u32 %rd6, %r7, 4; add.u64 %rd6, %rd6, %rd1; st.global.u32 [%rd6], %r6; ret; }
)");
  const auto plan = describe_plan(text, "k", {16, 16}, {});
  REQUIRE(plan);
  for (const char* wanted :
       {"tiles of 16 x 4", "periodic: contiguous, the same for each row of the tile",
        "broadcast: one load for each row of the tile",
        "periodic: contiguous in each row of the tile"})
    CHECK_MESSAGE(plan->find(wanted) != std::string::npos, wanted << " is not in\n" << *plan);
  const auto other = describe_plan(text, "k", {16, 3}, {});
  REQUIRE(other);
  CHECK_MESSAGE(other->find("tile") == std::string::npos, *other);
}

TEST_CASE("what a tile loads and stores by rows, and the same for all rows") {
  check(R"(
    mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r6, [%rd4+64];
    mul.lo.u32 %r7, %r3, %r1; mul.wide.u32 %rd5, %r7, 4; and.b64 %rd5, %rd5, 8188;
    add.u64 %rd5, %rd5, %rd2; ld.global.u32 %r7, [%rd5];
    mad.lo.u32 %r10, %r7, %r6, %r3; xor.b32 %r10, %r10, %r9; st.global.u32 [%rd3], %r10;)");
  check(R"(
    setp.ge.u32 %p1, %r2, %r1; @%p1 bra END; setp.lt.u32 %p2, %r3, 5; @%p2 bra END;
    mul.wide.u32 %rd4, %r3, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r6, [%rd4];
    add.u32 %r6, %r6, %r5; st.global.u32 [%rd3], %r6; END:)");
}

TEST_CASE("a row of a tile whose lanes all pass by touches no memory") {
  // Only the third row's address is one.
  check(R"(
    setp.ne.u32 %p1, %r3, 2; @%p1 bra END;
    sub.u32 %r6, %r3, 2; mul.wide.s32 %rd4, %r6, 0x40000000; add.u64 %rd4, %rd4, %rd2;
    ld.global.u32 %r7, [%rd4]; mul.wide.u32 %rd5, %r2, 4; add.u64 %rd5, %rd5, %rd4;
    ld.global.u32 %r10, [%rd5]; add.u32 %r7, %r7, %r10; st.global.u32 [%rd3], %r7; END:)");
}

TEST_CASE("the last of the threads that store to one place is the last row's") {
  check(R"(
    mul.wide.u32 %rd4, %r2, 4; add.u64 %rd4, %rd4, %rd1; st.global.u32 [%rd4], %r9;
    mul.wide.u32 %rd5, %r9, 4; add.u64 %rd5, %rd5, %rd1; st.global.u32 [%rd5+512], %r2;)",
        {16, 16}, 0);
}

TEST_CASE("one thread of a row stores for it") {
  const std::string body = R"(
    mul.wide.u32 %rd4, %r9, 4; add.u64 %rd4, %rd4, %rd1; xor.b32 %r6, %r5, %r1;
    and.b32 %r7, %r5, 21; setp.eq.u32 %p1, %r7, %r1; @%p1 st.global.u32 [%rd4], %r6;
    setp.eq.u32 %p2, %r2, %r1; @%p2 st.global.u32 [%rd4+4096], %r9;)";
  check(body);
  const auto plan =
      describe_plan(module_of(std::string(head) + body + " ret; }"), "k", {16, 16}, {});
  REQUIRE(plan);
  CHECK_MESSAGE(
      plan->find("one place for each row of the tile: its last lane's") != std::string::npos,
      *plan);
  CHECK_MESSAGE(plan->find("scatter") == std::string::npos, *plan);
}

TEST_CASE("loops whose trips and exits differ from row to row") {
  check(R"(
    mov.u32 %r6, 0; mov.u32 %r7, %r3;
    AGAIN: setp.ge.u32 %p1, %r6, %r3; @%p1 bra END;
    mad.lo.u32 %r7, %r7, 5, %r2; and.b32 %r10, %r7, 63; setp.eq.u32 %p2, %r10, 9; @%p2 bra END;
    add.u32 %r6, %r6, 1; bra AGAIN; END:
    xor.b32 %r7, %r7, %r6; st.global.u32 [%rd3], %r7;)");
}

TEST_CASE("ways that neighbours in a row take in turn") {
  // The way's number is one bit, which grows from lane to lane.
  check(R"(
    rem.u32 %r6, %r5, 2; WAYS: .branchtargets EVEN, ODD; brx.idx %r6, WAYS;
    EVEN: mul.wide.u32 %rd4, %r5, 4; add.u64 %rd4, %rd4, %rd2; ld.global.u32 %r7, [%rd4];
    bra END;
    ODD: mul.lo.u32 %r7, %r5, %r1; xor.b32 %r7, %r7, %r9;
    END: st.global.u32 [%rd3], %r7;)");
}

TEST_CASE("structures, in rows and the same for all") {
  check(R"(
    mul.wide.u32 %rd4, %r5, 8; add.u64 %rd4, %rd4, %rd2; ld.global.v2.u32 {%r6, %r7}, [%rd4];
    mul.wide.u32 %rd5, %r2, 8; add.u64 %rd5, %rd5, %rd2; ld.global.v2.u32 {%r10, %r11}, [%rd5];
    mad.lo.u32 %r6, %r6, %r10, %r7; xor.b32 %r7, %r6, %r11;
    mul.wide.u32 %rd6, %r5, 8; add.u64 %rd6, %rd6, %rd1; st.global.v2.u32 [%rd6], {%r6, %r7};)");
}

TEST_CASE("local variables of the lanes of a tile") {
  check(R"(
    .local .align 8 .b8 mine[32];
    and.b32 %r6, %r5, 7; mul.wide.u32 %rd4, %r6, 4; mov.u64 %rd5, mine; add.u64 %rd4, %rd4, %rd5;
    st.local.u32 [mine], %r9; st.local.u32 [mine+4], %r2; st.local.u32 [%rd4], %r5;
    ld.local.u32 %r7, [mine+4]; ld.local.u32 %r10, [%rd4]; mad.lo.u32 %r7, %r7, 31, %r10;
    ld.local.u32 %r10, [mine]; xor.b32 %r7, %r7, %r10; st.global.u32 [%rd3], %r7;)");
}

TEST_CASE("threads of a tile meet at barriers and keep what they have") {
  check(R"(
    .shared .align 4 .b8 tile[4096];
    mul.lo.u32 %r6, %r3, 77; mul.wide.u32 %rd4, %r5, 4; mov.u64 %rd5, tile; add.u64 %rd4, %rd4, %rd5;
    st.shared.u32 [%rd4], %r6; bar.sync 0;
    xor.b32 %r7, %r5, 16; mul.wide.u32 %rd6, %r7, 4; add.u64 %rd6, %rd6, %rd5;
    ld.shared.u32 %r10, [%rd6]; bar.sync 0; mad.lo.u32 %r10, %r10, 3, %r6;
    st.global.u32 [%rd3], %r10;)");
}

TEST_CASE("an address of a row that is computed in one block and used in another") {
  // Nothing but the sum with the constant, where `sums` lies, is known where the sums grow.
  check(R"(
    .shared .align 16 .b8 before[8192]; .shared .align 4 .b8 sums[64];
    and.b32 %r6, %r3, 15; shl.b32 %r6, %r6, 2; mov.u32 %r7, sums; add.u32 %r6, %r6, %r7;
    setp.lt.u32 %p1, %r5, 16; shl.b32 %r10, %r5, 2; add.u32 %r7, %r7, %r10;
    @%p1 st.shared.u32 [%r7], %r5; bar.sync 0;
    setp.lt.u32 %p2, %r2, %r1; @%p2 red.shared.add.u32 [%r6], %r5; bar.sync 0;
    and.b32 %r10, %r5, 15; shl.b32 %r10, %r10, 2; mov.u32 %r7, sums; add.u32 %r10, %r10, %r7;
    ld.shared.u32 %r10, [%r10]; st.global.u32 [%rd3], %r10;)");
}

TEST_CASE("a lane of a tile that traps is told by its own number") {
  LoadedModule module(std::string(head) + R"(
    setp.eq.u32 %p1, %r2, 37; setp.eq.u32 %p2, %r3, 6; and.pred %p1, %p1, %p2; @%p1 trap; ret; })");
  std::vector<std::uint32_t> out(1024);
  const auto fault = module.fault_of("k", {1}, {64, 8}, out.data(), out.data(), std::uint32_t{0});
  REQUIRE(fault.has_value());
  CHECK_MESSAGE(fault->message.find("(37, 6, 0)") != std::string::npos, fault->message);
}

TEST_CASE("kernels that need many numbers at once, or walk shared memory by lanes, have no tiles") {
  const auto numbers = [](unsigned count) {
    std::string loads = head, sum = "add.f32 %f1, %n0, %n0;", stores;
    loads += ".reg .f32 %n<20>;";
    for (unsigned i = 0; i < count; ++i) {
      const std::string name = "%n" + std::to_string(i);
      loads += "ld.global.f32 " + name + ", [%rd3+" + std::to_string(i * 4096) + "];";
      sum += "fma.rn.f32 %f1, %f1, %f1, " + name + ";";
      stores += "mul.f32 " + name + ", " + name + ", %f1; st.global.f32 [%rd3+" +
                std::to_string(i * 4096) + "], " + name + ";";
    }
    return loads + sum + stores + " ret; }";
  };
  const auto tile_rows = [](const std::string& text) {
    LoadedModule module(text, gangs_of(0));
    return module.kernel("k").facts.tile_rows;
  };
  // Half as many more than the registers hold, in 64 lanes; one of them is the sum.
  const auto held = static_cast<unsigned>(host().register_bytes * 3 / 2 / (64 * sizeof(float)));
  CHECK(tile_rows(numbers(held - 1)) == 4);
  // Where a number takes more than four registers then, the half of the rows may fit.
  const bool halved = host().vector_bytes < 64;
  CHECK(tile_rows(numbers(held)) == (halved ? 2 : 0));
  CHECK(tile_rows(numbers(halved ? 2 * held : held)) == 0);
  // Thread x of a block walks row x of a tile, or column x.
  const auto walk = [&](const std::string& across, const std::string& along) {
    return head + std::string(".shared .align 4 .b8 tile[4096]; mov.u32 %r10, tile;") +
           "mad.lo.u32 %r10, %r2, " + across + ", %r10; mov.u32 %r11, 0;\n" +
           "again: st.shared.u32 [%r10], %r5; add.u32 %r10, %r10, " + along +
           "; add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, %r1; @%p1 bra again;\n" +
           "st.global.u32 [%rd3], %r11; ret; }";
  };
  CHECK(tile_rows(walk("4", "64")) == 4);
  CHECK(tile_rows(walk("64", "4")) == 0);
}

TEST_CASE("threads of one row that walk rows of shared memory have narrow gangs") {
  const auto lanes = [](const std::string& across, const std::string& along) {
    LoadedModule module(
        ".visible .entry k(.param .u32 n) { .reg .b32 %r<9>; .reg .pred %p;\n"
        ".shared .align 4 .b8 tile[4096]; mov.u32 %r1, %tid.x; mov.u32 %r2, tile;\n"
        "ld.param.u32 %r5, [n]; mad.lo.u32 %r2, %r1, " +
        across + ", %r2; mov.u32 %r3, 0;\nagain: st.shared.u32 [%r2], %r3;\n" +
        "add.u32 %r2, %r2, " + along + "; add.u32 %r3, %r3, 1;\n" +
        "setp.lt.u32 %p, %r3, %r5; @%p bra again; ret; }");
    return module.kernel("k").facts.gang_lanes;
  };
  CHECK(lanes("4", "128") == 32);
  CHECK(lanes("128", "4") == 16);
}
