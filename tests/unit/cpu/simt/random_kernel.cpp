// SPDX-License-Identifier: MIT
// The frame of random kernels, and their choice of statements.
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {
namespace {

constexpr const char* walk_variables =
    ".shared .align 16 .b8 rows[36864];\n.local .align 8 .b8 walked[64];\n"
    ".reg .b32 %k<6>, %own, %left; .reg .b64 %y<3>; .reg .f32 %divisor;\n";

constexpr const char* step_variables =
    ".shared .align 4 .b8 slots[16384];\n.reg .b32 %first, %members, %o<3>;\n";

}  // namespace

std::string RandomKernel::text(const std::string& name, const KernelTraits& traits) {
  traits_ = traits;
  body_.clear();
  next_label_ = 0;
  step_places_ = 0;
  depth_is_uniform_ = true;
  loops_ = 0;
  loop_exit_.clear();
  loop_next_.clear();
  prologue();
  if (traits_.walks) begin_walks();
  const std::size_t start = body_.size();
  statements(traits_.size, 0);
  epilogue(body_.substr(start));
  return ".visible .entry " + name +
         "(.param .u64 in, .param .u64 out, .param .u64 soa, .param .u64 bins, .param .u32 n) {\n"
         ".shared .align 16 .b8 tile[8192];\n.shared .align 4 .b8 counts[64];\n"
         ".local .align 8 .b8 mine[64];\n" +
         (traits_.walks ? walk_variables : "") + (traits_.in_step ? step_variables : "") +
         ".reg .b64 %in, %out, %soa, %bins, %a, %x, %l<4>, %m<2>;\n"
         ".reg .b32 %r<8>, %n, %tx, %ty, %nx, %ny, %bx, %lin, %i, %g, %u0, %u1, %lane, %warp, "
         "%t<6>, %c<8>, %s<2>;\n"
         ".reg .b16 %h<4>, %g<2>, %w<2>; .reg .f32 %f<4>, %e<2>; .reg .f64 %d<3>, %v<2>;\n"
         ".reg .pred %p0, %q<8>, %z;\n" +
         body_ + "DONE:\nret;\n}\n";
}

void RandomKernel::prologue() {
  line(
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %soa, [soa]; "
      "ld.param.u64 %bins, [bins]; ld.param.u32 %n, [n];");
  line(
      "mov.u32 %tx, %tid.x; mov.u32 %nx, %ntid.x; mov.u32 %bx, %ctaid.x; mov.u32 %ty, %tid.y; "
      "mov.u32 %ny, %ntid.y; mov.u32 %t0, %tid.z; mov.u32 %t1, %ntid.z;");
  line("mad.lo.s32 %lin, %t0, %ny, %ty; mad.lo.s32 %lin, %lin, %nx, %tx;");
  line("mul.lo.s32 %u1, %nx, %ny; mul.lo.s32 %u1, %u1, %t1;");
  line("mad.lo.s32 %i, %bx, %u1, %lin; mad.lo.s32 %g, %bx, %nx, %tx; mov.u32 %u0, %nctaid.x;");
  line("setp.ge.u32 %p0, %i, %n;");
  if (!traits_.barriers && !traits_.warps) line("@%p0 bra DONE;");
  if (traits_.warps) {
    // The lanes of this warp that have threads.
    line("and.b32 %lane, %lin, 31; sub.u32 %t0, %lin, %lane; sub.u32 %t0, %u1, %t0;");
    line("min.u32 %t0, %t0, 32; sub.u32 %t0, 32, %t0; mov.u32 %warp, -1;");
    line("shr.u32 %warp, %warp, %t0;");
  }
  if (traits_.in_step) {
    line(
        "sub.u32 %first, %lin, %lane; sub.u32 %members, %u1, %first; min.u32 %members, %members, "
        "32;");
    line("shl.b32 %o0, %lin, 2; mov.u32 %o1, slots; add.u32 %o0, %o0, %o1;");
    for (int place = 0; place < most_step_places; ++place)
      line("st.volatile.shared.u32 [%o0+" + str(4096 * place) + "], %lin;");
  }
  // What has no value yet may have any, and another one on every path.
  for (int k = 0; k < 8; ++k) line("mov.u32 %r" + str(k) + ", 0;");
  for (int k = 0; k < 8; ++k)
    line("xor.b32 %r" + str(k) + ", " + (k == 0 ? "%i" : source()) + ", " + str(pick(1000)) + ";");
  for (int k = 0; k < 4; ++k) line("cvt.s64.s32 %l" + str(k) + ", %r" + str(k) + ";");
  for (int k = 0; k < 4; ++k) line("cvt.u16.u32 %h" + str(k) + ", %r" + str(k + 2) + ";");
  for (int k = 0; k < 4; ++k) line("cvt.rn.f32.s32 %f" + str(k) + ", %r" + str(k) + ";");
  for (int k = 0; k < 3; ++k) line("cvt.rn.f64.s32 %d" + str(k) + ", %r" + str(k + 4) + ";");
  for (int k = 0; k < 2; ++k) line("cvt.rn.f16.f32 %g" + str(k) + ", %f" + str(k) + ";");
}

/// One word of all that the thread knows, or, to see which part differs, every part to a row of
/// `soa`, from the fifth on. Registers that `used` does not name still hold what they held first.
/// Which NaN a double is PTX leaves open.
void RandomKernel::epilogue(const std::string& used) {
  if (traits_.barriers || traits_.warps) line("@%p0 bra DONE;");
  line("mul.wide.u32 %a, %i, 8; add.u64 %a, %a, %soa; mov.u64 %x, 0;");
  int row = 4;
  const auto keep = [&](const std::string& name, const std::string& as_word) {
    if (used.find(name) == std::string::npos) return;
    line(as_word);
    if (traits_.every_part) line("st.global.u64 [%a+" + str(row++ * 2048 * 8) + "], %m0;");
    line("shl.b64 %m1, %x, 5; sub.u64 %x, %m1, %x; xor.b64 %x, %x, %m0;");
  };
  for (const char* name : {"%r0", "%r1", "%r2", "%r3", "%r4", "%r5", "%r6", "%r7"})
    keep(name, std::string("cvt.u64.u32 %m0, ") + name + ";");
  for (const char* name : {"%f0", "%f1", "%f2", "%f3"})
    keep(name, std::string("mov.b32 %t0, ") + name + "; cvt.u64.u32 %m0, %t0;");
  for (const char* name : {"%l0", "%l1", "%l2", "%l3"})
    keep(name, std::string("mov.u64 %m0, ") + name + ";");
  for (const std::string name : {"%d0", "%d1", "%d2"})
    keep(name, "setp.nan.f64 %z, " + name + ", " + name + "; selp.f64 %v0, 0d7ff8000000000000, " +
                   name + ", %z; mov.b64 %m0, %v0;");
  for (const char* name : {"%h0", "%h1", "%h2", "%h3"})
    keep(name, std::string("cvt.u64.u16 %m0, ") + name + ";");
  for (const char* name : {"%g0", "%g1"})
    keep(name, std::string("mov.b16 %w0, ") + name + "; cvt.u64.u16 %m0, %w0;");
  line("st.global.u64 [%a+" + str(row * 2048 * 8) + "], %x;");
}

std::string RandomKernel::source() {
  switch (pick(14)) {
    case 0:
      return "%tx";
    case 1:
      return "%lin";
    case 2:
      return "%i";
    case 3:
      return "%u0";
    case 4:
      return "%bx";
    case 5:
      return "%g";
    case 6:
      return "%ty";
    case 7:
      return loops_ > 0 ? "%c" + str(pick(loops_)) : r();
    default:
      return r();
  }
}

std::string RandomKernel::comparison() { return any_of({"lt", "le", "gt", "ge", "eq", "ne"}); }

/// A predicate that may be the same for all threads, monotonous in the thread's number, or
/// anything.
std::string RandomKernel::condition() {
  const std::string q = "%q" + str(pick(6));
  switch (pick(7)) {
    case 0:
      line("setp." + comparison() + ".s32 " + q + ", " + (pick(2) ? "%bx" : "%u0") + ", " +
           str(pick(4)) + ";");
      break;
    case 1:
      line("setp." + comparison() + ".s32 " + q + ", " + any_of({"%tx", "%i", "%ty"}) + ", " +
           str(pick(80)) + ";");
      break;
    case 2:
      line("and.b32 %t1, " + source() + ", 3; setp.eq.s32 " + q + ", %t1, " + str(pick(4)) + ";");
      break;
    case 3:
      line(std::string("setp.") + any_of({"lt", "gt", "neu", "leu", "nan", "num"}) + ftz() +
           ".f32 " + q + ", " + f() + ", " + f() + ";");
      break;
    case 4:
      if (traits_.flushing == Flushing::All) {
        line(std::string("setp.") + any_of({"lt", "ge", "equ", "ne"}) + ".ftz.f32 " + q + ", " +
             f() + ", " + f() + ";");
        break;
      }
      line(std::string("setp.") + any_of({"lt", "ge", "equ", "ne"}) + ".f64 " + q + ", " + d() +
           ", " + d() + ";");
      break;
    case 5:
      line("setp." + comparison() + ".u64 " + q + ", " + l() + ", " + l() + ";");
      break;
    default:
      line("setp." + comparison() + (pick(2) ? ".s32 " : ".u32 ") + q + ", " + source() + ", " +
           operand() + ";");
      break;
  }
  return q;
}

void RandomKernel::statements(int count, int depth) {
  for (int k = 0; k < count; ++k) statement(depth);
}

void RandomKernel::statement(int depth) {
  if (traits_.walks && one_in(2)) return walk(depth);
  if (traits_.trips && one_in(3)) return skipped_trips(depth);
  if (traits_.in_step && one_in(4)) return step_places_ < most_step_places ? step() : integer();
  if (traits_.literal_width != 0 && one_in(8)) return load_by_literal();
  const bool together = depth_is_uniform_;
  switch (pick(depth < 4 ? 36 : 25)) {
    case 0:
    case 1:
    case 2:
      return integer();
    case 3:
      return integer_bits();
    case 4:
    case 5:
      return integer64();
    case 6:
      return integer16();
    case 7:
      return division();
    case 8:
    case 9:
      return real();
    case 10:
      return real64();
    case 11:
      return half();
    case 12:
      return approximate();
    case 13:
      return convert();
    case 14:
      return carry();
    case 15:
    case 16:
    case 17:
      return load();
    case 18:
      return store();
    case 19:
      return store_row();
    case 20:
      return add_to_bin();
    case 21:
      return select();
    case 22:
      return local();
    case 23:
      return one_in(2) ? call() : neighbour();
    case 24:
      return traits_.barriers && together ? exchange() : neighbour();
    case 25:
      return traits_.barriers && together ? share_and_reduce() : load();
    case 26:
      if (!traits_.warps || !together) return real();
      return one_in(2) ? shuffle() : agreed_branch(depth);
    case 27:
      return traits_.warps && together ? vote() : integer();
    case 28:
    case 29:
    case 30:
    case 31:
      return branch(depth);
    case 32:
      return one_in(3) ? jump_table(depth) : branch(depth);
    default:
      return loop(depth);
  }
}

void RandomKernel::select() {
  const std::string q = condition();
  switch (pick(5)) {
    case 0:
      return line("selp.f32 " + f() + ", " + f() + ", " + f() + ", " + q + ";");
    case 1:
      return line("selp.b64 " + l() + ", " + l() + ", " + l() + ", " + q + ";");
    case 2:
      return line("@" + q + " add.u32 " + r() + ", " + source() + ", " + source() + ";");
    case 3: {
      const std::string other = condition();
      line("and.pred %z, " + q + ", " + other + "; selp.u32 " + r() + ", 1, 0, %z;");
      return;
    }
    default:
      return line("selp.b32 " + r() + ", " + source() + ", " + source() + ", " + q + ";");
  }
}

void RandomKernel::call() {
  line("{ .param .b32 a0; .param .b32 a1; .param .b32 res; st.param.b32 [a0], " + source() +
       "; st.param.b32 [a1], " + source() + ";");
  if (traits_.pointers && one_in(2)) {
    const std::string kind = one_in(2) ? ".uni" : "", number = label();
    line("{ .reg .b32 %which; .reg .b64 %at, %f; and.b32 %which, " + source() + ", 3;");
    if (!kind.empty()) line("mov.u32 %which, %ctaid.x; and.b32 %which, %which, 3;");
    line("mul.wide.u32 %at, %which, 8; mov.u64 %f, targets; add.u64 %at, %at, %f;");
    line("ld.global.u64 %f, [%at]; proto" + number +
         ": .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);");
    line("call" + kind + " (res), %f, (a0, a1), proto" + number + "; }");
  } else {
    line(std::string("call.uni (res), ") + any_of({"collatz", "pick_bits", "clamped", "deep"}) +
         ", (a0, a1);");
  }
  line("ld.param.b32 " + r() + ", [res]; }");
}

}  // namespace pycuda::cpu::testing
