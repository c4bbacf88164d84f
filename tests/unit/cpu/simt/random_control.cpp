// SPDX-License-Identifier: MIT
// Branches, loops and jumps, for random kernels.
#include "unit/cpu/simt/random_kernel.h"

namespace pycuda::cpu::testing {

void RandomKernel::branch(int depth) {
  const bool outer = depth_is_uniform_;
  std::string q;
  if (outer && one_in(3)) {
    q = "%q0";
    line("setp." + comparison() + ".s32 %q0, %bx, " + str(pick(3)) + ";");
  } else {
    q = condition();
    depth_is_uniform_ = false;
  }
  const std::string other = label(), end = label();
  const bool both = pick(2) == 0;
  line("@!" + q + " bra " + (both ? other : end) + ";");
  statements(1 + pick(3), depth + 1);
  if (!depth_is_uniform_ && one_in(3)) leave();
  if (both) {
    line("bra " + end + ";");
    line(other + ":");
    statements(1 + pick(3), depth + 1);
  }
  line(end + ":");
  depth_is_uniform_ = outer;
}

/// Out of the loop, to its next trip, or, where nobody waits for the thread, to its end.
void RandomKernel::leave() {
  if (!loop_exit_.empty()) return line("bra " + (pick(2) ? loop_exit_ : loop_next_) + ";");
  if (!traits_.barriers && !traits_.warps && one_in(4)) line("bra DONE;");
}

void RandomKernel::loop(int depth) {
  if (loops_ >= 4) return integer();
  const std::string counter = "%c" + str(loops_), bound = "%c" + str(loops_ + 4);
  const bool outer = depth_is_uniform_;
  const std::string saved_exit = loop_exit_, saved_next = loop_next_;
  const std::string start = label(), next = label(), end = label();
  const bool uniform = pick(2) == 0;
  if (uniform) {
    line("mov.u32 " + bound + ", " + str(1 + pick(5)) + ";");
  } else {
    line("and.b32 " + bound + ", " + source() + ", 7; add.u32 " + bound + ", " + bound + ", 1;");
  }
  line("mov.u32 " + counter + ", 0;");
  // Breaks divide lanes; none where threads wait for each other.
  depth_is_uniform_ = uniform && outer && (traits_.barriers || traits_.warps) && pick(3) != 0;
  loop_exit_ = depth_is_uniform_ ? "" : end;
  loop_next_ = depth_is_uniform_ ? "" : next;
  const bool tested_first = one_in(3);
  ++loops_;
  line(start + ":");
  if (tested_first) {
    line("setp.ge.u32 %q7, " + counter + ", " + bound + ";");
    line("@%q7 bra " + end + ";");
  }
  statements(1 + pick(3), depth + 1);
  line(next + ":");
  line("add.u32 " + counter + ", " + counter + ", 1;");
  if (tested_first) {
    line("bra " + start + ";");
  } else {
    line("setp.lt.u32 %q7, " + counter + ", " + bound + ";");
    line("@%q7 bra " + start + ";");
  }
  line(end + ":");
  --loops_;
  depth_is_uniform_ = outer;
  loop_exit_ = saved_exit;
  loop_next_ = saved_next;
}

/// A loop of whose trips each lane makes its own number, with exchanges in step. Lanes that skip
/// the rest of a trip often have a back edge of their own.
void RandomKernel::skipped_trips(int depth) {
  if (loops_ >= 4 || step_places_ >= most_step_places) return integer();
  const std::string counter = "%c" + str(loops_), bound = "%c" + str(loops_ + 4);
  const bool outer = depth_is_uniform_;
  const std::string saved_exit = loop_exit_, saved_next = loop_next_;
  const std::string start = label(), next = label(), end = label();
  const bool tested_first = one_in(3);
  line("and.b32 " + bound + ", " + source() + ", 7; add.u32 " + bound + ", " + bound + ", 1;");
  line("mov.u32 " + counter + ", 0;");
  depth_is_uniform_ = false;
  loop_exit_ = end;
  loop_next_ = next;
  ++loops_;
  const auto go_on = [&] {
    line("add.u32 " + counter + ", " + counter + ", 1;");
    if (!tested_first) line("setp.lt.u32 %q7, " + counter + ", " + bound + ";");
    line((tested_first ? "bra " : "@%q7 bra ") + start + ";");
  };
  line(start + ":");
  if (tested_first) line("setp.ge.u32 %q7, " + counter + ", " + bound + "; @%q7 bra " + end + ";");
  for (int parts = 1 + pick(3); parts > 0; --parts) part_of_trip(depth, go_on);
  if (step_places_ < most_step_places) step();
  for (int parts = pick(3); parts > 0; --parts) part_of_trip(depth, go_on);
  line(next + ":");
  go_on();
  line(end + ":");
  --loops_;
  depth_is_uniform_ = outer;
  loop_exit_ = saved_exit;
  loop_next_ = saved_next;
}

/// `go_on` writes the end of a trip.
void RandomKernel::part_of_trip(int depth, const std::function<void()>& go_on) {
  const std::string exit = loop_exit_, next = loop_next_;
  switch (pick(5)) {
    case 0: {  // a back edge of its own
      const std::string q = condition(), stay = label();
      line("@!" + q + " bra " + stay + ";");
      go_on();
      line("bra " + exit + ";");
      return line(stay + ":");
    }
    case 1: {
      const std::string q = condition();
      return line("@" + q + " bra " + next + ";");
    }
    case 2: {
      if (!one_in(3)) return statement(depth + 1);
      const std::string q = condition();
      return line("@" + q + " bra " + exit + ";");
    }
    case 3:
      return step_places_ < most_step_places ? step() : integer();
    default:
      return statements(1 + pick(2), depth + 1);
  }
}

void RandomKernel::jump_table(int depth) {
  const bool outer = depth_is_uniform_;
  const int count = 2 + pick(3);
  const std::string table = label(), end = label();
  std::vector<std::string> cases;
  for (int k = 0; k < count; ++k) cases.push_back(label());
  std::string names;
  for (const std::string& name : cases) names += (names.empty() ? "" : ", ") + name;
  line(table + ": .branchtargets " + names + ";");
  line("rem.u32 %t3, " + source() + ", " + str(count) + ";");
  line("brx.idx %t3, " + table + ";");
  depth_is_uniform_ = false;
  for (int k = 0; k < count; ++k) {
    line(cases[static_cast<std::size_t>(k)] + ":");
    statements(1 + pick(2), depth + 2);
    if (one_in(4)) continue;  // falls into the next case
    line("bra " + end + ";");
  }
  line(end + ":");
  depth_is_uniform_ = outer;
}

}  // namespace pycuda::cpu::testing
