// SPDX-License-Identifier: MIT
// The vector path: kernels that can be run for whole gangs of threads get a second form that does.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cpu/kernel_abi/facts.h"
#include "cpu/simt/lanes/line.h"
#include "cpu/simt/lanes/plan.h"
#include "cpu/simt/lanes/shape.h"

namespace llvm {
class Function;
class Module;
}  // namespace llvm

namespace pycuda::cpu::simt {

class Suspension;

/// What choices depend on of the processor that code is for.
struct Processor {
  std::uint64_t register_bytes = 0;  ///< of its vector registers together
  std::uint64_t fetch_distance = 0;  ///< how many bytes ahead blocks that read in bursts fetch
  unsigned streams = 16;  ///< of lines that it reads ahead at a time, without being asked
  std::uint64_t vector_bytes() const { return register_bytes >= 2048 ? 64 : 32; }
};

/// One kernel on its way to its vector form.
struct GangSource {
  llvm::Function* function = nullptr;  ///< a copy of the kernel with all its calls inlined
  llvm::Function* open = nullptr;      ///< a copy of it whose guards are open (guards.h), or null
  std::size_t kernel = 0;              ///< index in the facts
  GangSize size{0};
  bool warps = false;    ///< every gang must be a warp
  bool chosen = false;   ///< the size is our choice, and so is not to have gangs
  bool guarded = false;  ///< `open` has guards; else it only checks what `function` leaves open
  bool rolled = false;   ///< loops that were unrolled go trip by trip
  bool turns = false;    ///< in `open`, lanes that loop once more than others do so in turns
  unsigned narrow = 0;   ///< operations that became narrow (narrow_integers.h)
  std::string scalar_reason = {};  ///< why the kernel is faster without vectors, if it is
  Processor processor = {};
};

/// Longer kernels, in instructions, would take too long to compile for what most of them gain: they
/// get their vector form when they have run for long.
inline constexpr unsigned longest_at_once = 4000;
/// So do those that would take longer than this, as far as that can be estimated: too many to try
/// for how long they really take.
inline constexpr std::chrono::seconds longest_time_at_once(10);
/// Longer ones get none.
inline constexpr unsigned longest_ever = 20000;

/// What sizes are asked for.
struct GangSizes {
  unsigned lanes = 0;            ///< of every gang (16, 32 or 64); 0: a choice per kernel
  std::optional<GangSize> tile;  ///< of every tile; none: likewise
  Line line = Line::None;        ///< gangs cross the ends of rows; there are no tiles then
};

/// Copies the kernels that may become vectors. Before: lower's output, cleaned up. Afterwards the
/// caller brings each copy into the form that ControlFlow asks for. Kernels with warp operations
/// have gangs of 32 in any case. Kernels of two dimensions get a second copy, for tiles: gangs of
/// several rows. Those with more than `longest` instructions, calls inlined (fewer in large
/// modules), are marked KernelFacts::is_baseline. `forms` are those that drop_forms will be told
/// to leave, or all: kernels whose gangs are warps rely on whole rows where no others are left.
std::vector<GangSource> copy_for_gangs(llvm::Module& module, std::vector<KernelFacts>& facts,
                                       const GangSizes& wanted, const std::optional<Forms>& forms,
                                       unsigned longest, const Processor& processor);

/// In kernels whose gangs are warps, lets loops that were unrolled go trip by trip where lanes
/// leave them at different ones. Returns the sources that changed, one loop of each: the caller
/// brings them into ControlFlow's form again.
std::vector<GangSource*> roll_loops(const std::vector<GangSource*>& sources);

/// Drops the copies for tiles that are slower than rows.
void drop_tiles(std::vector<GangSource>& sources);

/// Chooses the variant's width, now that its loops and accesses are known.
void choose_width(GangSource& source, const KernelFacts& facts);

/// Adds the uniform copy if the kernel has a branch that whole gangs take alike (guards.h). The
/// caller brings that copy into ControlFlow's form.
void version_uniform_branches(GangSource& source);

/// Opens what gangs divide as a whole (same_quotients.h), in the copies that open_guards left:
/// afterwards the caller brings those that are returned into ControlFlow's form and opens guards
/// once more.
std::vector<GangSource*> open_quotients(std::vector<GangSource>& sources);

/// Opens what else decides there how often loops run, such as behind a barrier the next loop over a
/// row. Returns those that changed; before it is asked again, and afterwards, as after the first.
std::vector<GangSource*> open_more_quotients(const std::vector<GangSource*>& sources);

/// Opens guards in the open copies of `sources`. Afterwards as after the first time.
void reopen_guards(const std::vector<GangSource*>& sources);

/// Adds the uniform copy where no pass has: it is what checks rely on that `function` is without.
void copy_uniform(GangSource& source);

/// Sets `scalar_reason` if the kernel is faster as a loop over threads (lone_walks.h).
void choose_scalar(GangSource& source, Plan* plan);

/// Writes `f.<name>.gang` (every lane has a thread) and `f.<name>.tail` (ThreadFrame::mask lanes
/// have one) beside `f.<name>` where that is possible, or for a tile `f.<name>.tile` (every lane
/// has a thread), and sets the facts. The stage "threads" makes both callable. Why a kernel
/// stays scalar is in the facts. `plan`, if any, gets the notes.
void widen_variant(GangSource& source, const Suspension& suspension, KernelFacts& facts,
                   Plan* plan);

/// Removes the variants and their functions.
void erase_copies(std::vector<GangSource>& sources);

}  // namespace pycuda::cpu::simt
