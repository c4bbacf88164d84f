// SPDX-License-Identifier: MIT
// Random kernels: the vector path against the scalar one.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <string>

#include "base/env.h"
#include "cpu/variants/launch_form.h"
#include "unit/cpu/simt/random_run.h"
#include "unit/cpu/tried_kernels.h"

using pycuda::cpu::Form;
using pycuda::cpu::Forms;
using pycuda::cpu::testing::difference;
using pycuda::cpu::testing::Flushing;
using pycuda::cpu::testing::kernel_text;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::random_shapes;
using pycuda::cpu::testing::RandomKernel;
using pycuda::cpu::testing::Shape;
using pycuda::cpu::testing::shapes_across_rows;
using pycuda::cpu::testing::step_kernel_text;
using pycuda::cpu::testing::vectors;
using pycuda::cpu::testing::warp_kernel_text;
using pycuda::cpu::variants::fits_line;
using pycuda::cpu::variants::form_of_launch;

namespace {

/// So many kernels are compiled at once: much of the time for a small one is not its own.
constexpr long long kernels_per_module = 8;

bool warp_operations_widen() {
  LoadedModule module(R"(
.visible .entry k() { .reg .b32 %r; mov.u32 %r, %laneid; shfl.sync.bfly.b32 %r, %r, 1, 31, -1; ret; })");
  return module.kernel("k").facts.gang_lanes != 0;
}

/// What a test case did, for whoever runs many of them.
struct Tally {
  std::string family;
  long long kernels = 0, launches = 0, differences = 0;
  explicit Tally(const char* name) : family(name) {}
  ~Tally() {
    MESSAGE("tally: " << family << ", " << kernels << " kernels, " << launches
                      << " launches compared, " << differences << " differences");
  }
};

/// Writes a kernel that differs to the folder that PYCUDA_TEST_SAVE names, if it names one.
void save(const Tally& tally, long long seed, const std::string& text, const std::string& what) {
  const auto folder = pycuda::base::environment("PYCUDA_TEST_SAVE");
  if (!folder) return;
  std::ofstream file(*folder + "/" + tally.family + "-" + std::to_string(seed) + ".ptx");
  file << "// " << what << "\n// kernel k" << seed << "\n" << pycuda::cpu::testing::module_of(text);
}

/// Checks that nothing was `found` to differ in a launch of a kernel of `text`.
bool agrees(Tally& tally, long long seed, const Shape& shape, const std::string& text,
            const std::string& found) {
  ++tally.launches;
  if (!found.empty()) {
    ++tally.differences;
    save(tally, seed, text,
         "block " + std::to_string(shape.block.x) + " x " + std::to_string(shape.block.y) + " x " +
             std::to_string(shape.block.z) + ", grid " + std::to_string(shape.grid.x) + ", n " +
             std::to_string(shape.n) + ": " + found);
  }
  CHECK_MESSAGE(found.empty(), "kernel " << seed << ", block " << shape.block.x << " x "
                                         << shape.block.y << " x " << shape.block.z << ", n "
                                         << shape.n << ": " << found);
  return found.empty();
}

/// Tries the kernels from number `first` on, each in blocks and grids of its own; how many of them
/// ran in gangs. `printed`: with what each of the text's registers holds. `walks`: half of what
/// they do are loops over rows, lists and the like.
long long run_kernels(long long first, long long count, bool printed, bool walks = false) {
  Tally tally(walks ? "walks" : "plain");
  const bool warps = warp_operations_widen();
  long long widened = 0;
  for (long long start = first; start < first + count; start += kernels_per_module) {
    const long long end = std::min(start + kernels_per_module, first + count);
    std::string text = RandomKernel::functions();
    for (long long seed = start; seed < end; ++seed)
      text += kernel_text(static_cast<std::uint64_t>(seed), "k" + std::to_string(seed), warps,
                          printed, Flushing::Hardly, walks);
    if (printed) MESSAGE(text);
    LoadedModule module(text);
    for (long long seed = start; seed < end; ++seed) {
      const std::string name = "k" + std::to_string(seed);
      ++tally.kernels;
      if (module.kernel(name.c_str()).facts.gang_lanes == 0) {
        MESSAGE(seed << " stays scalar: " << module.kernel(name.c_str()).facts.scalar_reason);
        continue;
      }
      ++widened;
      for (const auto& shape : random_shapes(static_cast<std::uint64_t>(seed))) {
        if (!agrees(tally, seed, shape, text, difference(module, name.c_str(), shape))) break;
      }
    }
  }
  return widened;
}

/// Tries kernels whose code relies on blocks that are made of whole warps; how many of them ran in
/// gangs.
long long run_warp_kernels(long long first, long long count) {
  Tally tally("warps");
  auto whole = vectors(true);
  whole.forms = Forms(Form::Gangs) | Form::Threads;
  long long widened = 0;
  for (long long start = first; start < first + count; start += kernels_per_module) {
    const long long end = std::min(start + kernels_per_module, first + count);
    std::string text = RandomKernel::functions();
    for (long long seed = start; seed < end; ++seed)
      text += warp_kernel_text(static_cast<std::uint64_t>(seed), "k" + std::to_string(seed),
                               count == 1);
    if (count == 1) MESSAGE(text);
    LoadedModule module(text, whole);
    for (long long seed = start; seed < end; ++seed) {
      const std::string name = "k" + std::to_string(seed);
      ++tally.kernels;
      widened += module.kernel(name.c_str()).facts.gang_lanes != 0 ? 1 : 0;
      for (auto shape : random_shapes(static_cast<std::uint64_t>(seed))) {
        shape.block.x = std::min((shape.block.x + 31) / 32 * 32,
                                 1024 / (shape.block.y * shape.block.z) / 32 * 32);
        if (shape.block.x == 0) continue;
        // Without a warp operation it may need tiles, or tails of gangs of 64, which are not there.
        const auto& kernel = module.kernel(name.c_str());
        if (!kernel.facts.forms.has(form_of_launch(kernel.facts, shape.grid, shape.block)))
          continue;
        if (!agrees(tally, seed, shape, text, difference(module, name.c_str(), shape))) break;
      }
    }
  }
  return widened;
}

/// Tries kernels in blocks whose gangs cross the ends of rows; how many of them ran in gangs.
long long run_line_kernels(long long first, long long count) {
  Tally tally("lines");
  const bool warps = warp_operations_widen();
  auto planes = vectors(true), deep = vectors(true);
  constexpr int literal_widths[] = {16, 8, 33};
  planes.forms = Form::Line;
  deep.forms = Form::DeepLine;
  long long widened = 0;
  for (long long start = first; start < first + count; start += kernels_per_module) {
    const long long end = std::min(start + kernels_per_module, first + count);
    std::string text = RandomKernel::functions();
    for (long long seed = start; seed < end; ++seed)
      text += kernel_text(static_cast<std::uint64_t>(seed), "k" + std::to_string(seed), warps,
                          count == 1, Flushing::Hardly, seed % 2 == 1,
                          seed % 4 == 0 ? literal_widths[seed / 4 % 3] : 0);
    if (count == 1) MESSAGE(text);
    LoadedModule oracle(text, vectors(false)), of_planes(text, planes), of_any(text, deep);
    for (long long seed = start; seed < end; ++seed) {
      const std::string name = "k" + std::to_string(seed);
      ++tally.kernels;
      widened += of_any.kernel(name.c_str()).facts.gang_lanes != 0 ? 1 : 0;
      auto shapes = random_shapes(static_cast<std::uint64_t>(seed));
      for (const auto& shape : shapes_across_rows(static_cast<std::uint64_t>(seed)))
        shapes.push_back(shape);
      for (const auto& shape : shapes) {
        const bool fits = fits_line(of_planes.kernel(name.c_str()).facts, shape.block);
        LoadedModule& lines = fits ? of_planes : of_any;
        if (!agrees(tally, seed, shape, text,
                    difference_of_form(oracle, lines, name.c_str(), shape)))
          break;
      }
    }
  }
  return widened;
}

/// Tries kernels whose warps exchange numbers in lockstep, in blocks of any shape, thread by thread
/// and in gangs; how many of them ran in gangs. `trips`: some lanes skip trips of loops.
long long run_step_kernels(long long first, long long count, bool trips) {
  Tally tally(trips ? "trips" : "steps");
  auto planes = vectors(true), deep = vectors(true);
  planes.forms = Form::Line;
  deep.forms = Form::DeepLine;
  long long widened = 0;
  for (long long start = first; start < first + count; start += kernels_per_module) {
    const long long end = std::min(start + kernels_per_module, first + count);
    std::string text = RandomKernel::functions();
    for (long long seed = start; seed < end; ++seed)
      text += step_kernel_text(static_cast<std::uint64_t>(seed), "k" + std::to_string(seed),
                               count == 1, trips);
    if (count == 1) MESSAGE(text);
    LoadedModule oracle(text, vectors(false)), rows(text), of_planes(text, planes),
        of_any(text, deep);
    for (long long seed = start; seed < end; ++seed) {
      const std::string name = "k" + std::to_string(seed);
      ++tally.kernels;
      widened += of_any.kernel(name.c_str()).facts.gang_lanes != 0 ? 1 : 0;
      for (const auto& shape : shapes_across_rows(static_cast<std::uint64_t>(seed))) {
        const bool fits = fits_line(of_planes.kernel(name.c_str()).facts, shape.block);
        LoadedModule& lines = fits ? of_planes : of_any;
        if (!agrees(tally, seed, shape, text,
                    difference_of_form(oracle, lines, name.c_str(), shape)))
          break;
        if (!pycuda::cpu::variants::gangs_can_be_warps(shape.block)) continue;
        if (!agrees(tally, seed, shape, text,
                    difference_of_form(oracle, rows, name.c_str(), shape)))
          break;
      }
    }
  }
  return widened;
}

/// As run_kernels, with instructions that flush; whatever the processor does of that, the oracle's
/// code does itself. How many of the kernels left it to the processor.
long long run_flushing_kernels(long long first, long long count, Flushing flushing) {
  Tally tally("flushing");
  const bool warps = warp_operations_widen();
  auto in_code = vectors(false);
  in_code.processor_flushes = false;
  long long left_to_processor = 0;
  for (long long start = first; start < first + count; start += kernels_per_module) {
    const long long end = std::min(start + kernels_per_module, first + count);
    std::string text = RandomKernel::functions(flushing);
    for (long long seed = start; seed < end; ++seed)
      text += kernel_text(static_cast<std::uint64_t>(seed), "k" + std::to_string(seed), warps,
                          count == 1, flushing);
    if (count == 1) MESSAGE(text);
    LoadedModule oracle(text, in_code), module(text);
    for (long long seed = start; seed < end; ++seed) {
      const std::string name = "k" + std::to_string(seed);
      ++tally.kernels;
      left_to_processor += module.kernel(name.c_str()).facts.processor_flushes ? 1 : 0;
      for (const auto& shape : random_shapes(static_cast<std::uint64_t>(seed))) {
        if (!agrees(tally, seed, shape, text, difference(oracle, module, name.c_str(), shape)))
          break;
      }
    }
  }
  return left_to_processor;
}

}  // namespace

// A single kernel that is asked for is printed and says which of its registers differs.
TEST_CASE("random kernels compute the same bits on the scalar and on the vector path") {
  const auto [first, count] = pycuda::cpu::testing::tried_kernels(48);
  const long long widened = run_kernels(first, count, count == 1);
  MESSAGE(widened << " of " << count << " kernels ran in gangs");
  CHECK(widened * 10 >= count * 8);
}

TEST_CASE("random kernels compute the same bits with rows, lists, local arrays and turns") {
  const auto [first, count] = pycuda::cpu::testing::tried_kernels(32);
  const long long widened = run_kernels(first, count, count == 1, true);
  MESSAGE(widened << " of " << count << " kernels ran in gangs");
  CHECK(widened * 10 >= count * 6);
}

TEST_CASE("random kernels compute the same bits where blocks are made of whole warps") {
  const auto [first, count] = pycuda::cpu::testing::tried_kernels(32);
  const long long widened = run_warp_kernels(first, count);
  MESSAGE(widened << " of " << count << " kernels ran in gangs");
  CHECK(widened * 10 >= count * 5);
}

TEST_CASE("random kernels compute the same bits where gangs cross the ends of rows") {
  const auto [first, count] = pycuda::cpu::testing::tried_kernels(32);
  const long long widened = run_line_kernels(first, count);
  MESSAGE(widened << " of " << count << " kernels ran in gangs");
  CHECK(widened * 10 >= count * 6);
}

TEST_CASE("random kernels compute the same bits where warps take each step together") {
  const auto [first, count] = pycuda::cpu::testing::tried_kernels(24);
  const long long widened = run_step_kernels(first, count, false);
  MESSAGE(widened << " of " << count << " kernels ran in gangs");
  CHECK(widened * 10 >= count * 4);
}

TEST_CASE("random kernels compute the same bits where lanes that take steps together skip trips") {
  const auto [first, count] = pycuda::cpu::testing::tried_kernels(16);
  const long long widened = run_step_kernels(first, count, true);
  MESSAGE(widened << " of " << count << " kernels ran in gangs");
  CHECK(widened * 10 >= count * 4);
}

TEST_CASE("random kernels compute the same bits where they flush subnormal numbers") {
  const auto [first, count] = pycuda::cpu::testing::tried_kernels(24);
  // Now and then all instructions of a module flush by chance.
  const long long by_chance = run_flushing_kernels(first, count, Flushing::Some);
  constexpr long long modules_enough = 3 * kernels_per_module;
  if (count >= modules_enough) CHECK(by_chance < count);
  CHECK(run_flushing_kernels(first, count, Flushing::All) == count);
}

TEST_CASE("random kernels that once differed") {
  // Whole gangs keep single values over a barrier, the last one of a row vectors.
  CHECK(run_kernels(40030227, 1, false) == 1);
  // An address that is computed in one block and used in another one behind barriers.
  CHECK(run_kernels(3901041, 1, false) == 1);
  // A way's number of one bit, which grows from lane to lane of a tile's row.
  CHECK(run_kernels(7710006, 1, false) == 1);
  // A quotient that rounds up to the least normal number.
  CHECK(run_flushing_kernels(401000149, 1, Flushing::All) == 1);
  // A local array among what gangs keep over a barrier, reached by a computed address too.
  CHECK(run_kernels(900000210, 1, false, true) == 1);
  // A subnormal constant that is compared from a loop's second trip on.
  CHECK(run_flushing_kernels(722000055, 1, Flushing::All) == 1);
  // The same of approximate quotients that round up to the least normal number.
  CHECK(run_flushing_kernels(2640000949, 1, Flushing::All) == 1);
  // Counts of bits as indexes, two in a register, that were computed in another block.
  CHECK(run_kernels(5131000262, 1, false) == 1);
  CHECK(run_flushing_kernels(5131001409, 1, Flushing::All) == 0);  // none of it flushes
  // A root of a constant that is subnormal.
  CHECK(run_flushing_kernels(990004768, 1, Flushing::All) == 1);
}
