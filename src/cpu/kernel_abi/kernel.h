// SPDX-License-Identifier: MIT
// What is known of a compiled kernel: everything that a launch and the driver's function attributes
// need.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

struct KernelParameter {
  std::uint32_t offset = 0;  ///< bytes from the start of the .param space
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
};

/// A static .shared variable, by its place in the block's window.
struct SharedVariable {
  std::string name;
  std::uint32_t begin = 0, bytes = 0;
};

/// Which of a kernel's arrays the gangs write whole lines of and never read, and what a launch must
/// be like so that these lines are whole in memory too: then the stores may go past the caches.
struct StreamedStores {
  /// What a gang reads or writes by vectors: enough to estimate how much a launch walks through.
  struct Access {
    std::uint32_t parameter = 0;    ///< where the array's address lies among the parameters
    std::uint32_t bytes = 0;        ///< of each thread, in each trip of the loops around it
    std::uint32_t loops = 0;        ///< around it
    std::uint32_t for_threads = 0;  ///< 1: each thread makes all trips; 0: threads share them
    std::uint32_t is_streamed = 0;  ///< 1: of a store that may go past the caches
    bool operator==(const Access&) const = default;
  };
  /// A number that says when a loop ends, as far as can be seen.
  struct Bound {
    std::uint32_t access = 0;  ///< index in `accesses`
    std::uint32_t loop = 0;    ///< the innermost one is 0
    std::uint32_t parameter = 0, bytes = 0;
    bool operator==(const Bound&) const = default;
  };
  /// A parameter that must be a multiple of a power of two.
  struct Multiple {
    std::uint32_t parameter = 0, bytes = 0, multiple = 1;
    bool operator==(const Multiple&) const = default;
  };
  std::vector<std::uint32_t> arrays;  ///< by parameter; empty: there is no such form
  std::vector<Access> accesses;
  std::vector<Bound> bounds;
  std::vector<Multiple> multiples;
  std::uint32_t block_multiple = 1;  ///< of ntid.x
  bool operator==(const StreamedStores&) const = default;
};

/// The forms in which a kernel runs. A launch needs one of them, by its shape.
enum class Form : std::uint8_t {
  Threads,  ///< one thread after the other, or a coroutine each
  Gangs,    ///< rows that are made of whole gangs
  Tails,    ///< rows of any length, in gangs
  Tiles,    ///< blocks that are made of whole tiles
  // The same for blocks that would leave lanes of these empty (small_form). Kernels do without
  // them where they are not made on demand.
  ShortRows,   ///< gangs, and their rests, of `short_row` lanes
  SmallTiles,  ///< tiles of `small_tile` lanes along x and y
  // Gangs along the linear thread index, which cross the ends of rows: all threads of a block are
  // one row (LaunchFrame::rows), and threadIdx is computed from the place in it.
  Line,      ///< of a block with ntid.z == 1, and ntid.x as KernelFacts::line_width says
  DeepLine,  ///< of any block
};
inline constexpr std::size_t form_count = 8;

/// A set of them.
class Forms {
 public:
  constexpr Forms() = default;
  constexpr Forms(Form form)
      : bits_(static_cast<std::uint8_t>(1u << static_cast<unsigned>(form))) {}
  /// With these every launch can be run.
  static constexpr Forms all() {
    return from_bits((1u << static_cast<unsigned>(Form::ShortRows)) - 1);
  }
  static constexpr Forms from_bits(unsigned bits) {
    Forms forms;
    forms.bits_ = static_cast<std::uint8_t>(bits);
    return forms;
  }
  constexpr std::uint8_t bits() const { return bits_; }
  /// Whether this is code whose gangs lie along the linear thread index.
  constexpr bool are_lines() const { return has(Form::Line) || has(Form::DeepLine); }
  constexpr bool have_gangs() const { return has(Form::Gangs) || are_lines(); }
  constexpr bool have_tails() const { return has(Form::Tails) || are_lines(); }
  constexpr bool has(Form form) const { return (bits_ & Forms(form).bits_) != 0; }
  constexpr Forms operator|(Forms other) const { return from_bits(unsigned{bits_} | other.bits_); }
  constexpr bool operator==(const Forms&) const = default;

 private:
  std::uint8_t bits_ = 0;
};

/// The facts of a kernel that do not depend on where its code lies (they are cached with it).
struct KernelFacts {
  std::string name;
  std::vector<KernelParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;  ///< of the window, gaps included
  std::uint32_t shared_gap_bytes = 0;     ///< of these: between variables, in checked mode
  /// In checked mode: the variables, with gaps between them that nothing may touch. Empty: the
  /// whole window may be touched.
  std::vector<SharedVariable> shared_variables;
  std::uint32_t dynamic_shared_alignment = 16;
  bool reads_reserved_shared = false;  ///< it asks where the system's shared memory lies
  std::uint32_t local_bytes = 0;       ///< .local memory per thread
  std::uint32_t const_bytes = 0;       ///< .const memory of the module
  std::uint32_t registers =
      0;  ///< an estimate, for occupancy arithmetic: 32-bit registers per thread
  std::uint32_t max_threads = 1024;  ///< from .maxntid/.reqntid
  Dim3 required_block{0, 0, 0};      ///< .reqntid, or zeros
  std::uint32_t ptx_version = 0;     ///< 90 for .version 9.0
  std::uint32_t target = 0;          ///< 80 for sm_80
  bool suspends = false;             ///< has a ThreadFunction, not a BlockFunction
  std::uint32_t cost = 1;        ///< static instruction count: estimates whether a launch is small
  std::uint32_t gang_lanes = 0;  ///< threads per gang of the vector form; 0: there is none
  bool gangs_suspend = false;    ///< the vector form has start_gang and start_tail, not run_gangs
  bool gangs_are_warps =
      false;  ///< the vector form is for blocks whose rows are whole warps, or one
  bool waits_in_blocks = false;  ///< its threads wait for each other: barriers or warp operations
  std::uint32_t line_width = 0;  ///< Form::Line is for this ntid.x alone; 0: for any
  std::uint64_t gang_frame_bytes = 0;    ///< run_gangs finds so many for each gang; 0: needs none
  Dim3 most_gang_blocks{~0u, ~0u, ~0u};  ///< the vector form is for grids that are no larger
  bool fuses_blocks = false;        ///< the vector form may run neighbours along x as one block
  std::uint32_t fusible_block = 0;  ///< if ntid.x is this; 0: whatever it is
  bool walks_rows = false;          ///< also blocks of several rows, and better so than by tiles
  bool strides_over_grid = false;   ///< gangs take turns in its loops: many of them at once
  std::string scalar_reason;        ///< why there is no vector form
  /// What its code has, of the forms that it could have: others are made when a launch needs them
  /// (FormsOnDemand).
  Forms forms = Forms::all();
  bool vectors_later = false;             ///< too long for one at once: see KernelForms
  std::vector<std::string> source_files;  ///< .file table: index = number
  bool loops = false;              ///< has a branch backwards or recursion, so `cost` says little
  bool processor_flushes = false;  ///< runs with subnormal numbers flushed by the processor
  bool calls_device_runtime = false;  ///< it may launch kernels
  bool launched_by_kernels = false;   ///< its address is taken: one of the module may launch it
  /// The threads of a tile, a gang of several rows, along x and y; 0: there is no such form. It is
  /// for blocks that are made of whole tiles.
  std::uint32_t tile_columns = 0, tile_rows = 0;
  std::uint64_t tile_frame_bytes = 0;  ///< as gang_frame_bytes, for each tile
  StreamedStores streamed;
  bool streams = false;  ///< this is the form in which they go past the caches

  /// Static shared memory as the program declares it: what counts against limits.
  std::uint32_t declared_shared_bytes() const { return static_shared_bytes - shared_gap_bytes; }
};

/// Launches with narrower rows run thread by thread: most lanes of a gang would be empty.
inline constexpr std::uint32_t narrowest_gang_row = 4;

/// Whether gangs of 32 in a block are its warps: they lie along x, so its rows must be made of
/// whole warps, or there must be one row.
inline bool gangs_can_be_warps(const Dim3& block) {
  return block.x % 32 == 0 || (block.y == 1 && block.z == 1);
}

/// Blocks of several rows run as one with rows of so many threads: what the rows have in common is
/// still in the nearest cache when the next one needs it.
inline constexpr std::uint32_t longest_fused_row = 256;

/// Whether neighbours along x may run as one in a grid of one row of threads.
inline bool can_fuse(const KernelFacts& facts, const Dim3& block) {
  return facts.fuses_blocks && (facts.fusible_block == 0 || facts.fusible_block == block.x);
}

/// Whether they may in any grid.
inline bool can_fuse_rows(const KernelFacts& facts, const Dim3& block) {
  return can_fuse(facts, block) && facts.walks_rows && block.x <= longest_fused_row / 2;
}

/// Whether a block is made of whole tiles of the kernel's form for them.
inline bool has_whole_tiles(const KernelFacts& facts, const Dim3& block) {
  return facts.tile_rows != 0 && block.x % facts.tile_columns == 0 &&
         block.y % facts.tile_rows == 0;
}

/// In narrower rows, threads that wait for each other run in gangs that cross the ends of rows.
inline constexpr std::uint32_t narrowest_waiting_row = 8;

/// The lanes of Form::ShortRows, and those of Form::SmallTiles along x and y.
inline constexpr std::uint32_t short_row = 16;
inline constexpr Dim3 small_tile{8, 4, 1};

/// The form that fills its lanes with threads of blocks that are too small for the kernel's usual
/// gangs or tiles, if there is one: a gang that is half empty takes as long as a full one, and is
/// masked throughout.
inline std::optional<Form> small_form(const KernelFacts& facts, const Dim3& block) {
  if (facts.gang_lanes == 0 || facts.gangs_are_warps || block.x < narrowest_gang_row ||
      has_whole_tiles(facts, block))
    return std::nullopt;
  if (facts.tile_rows != 0 && block.x < facts.tile_columns && block.x % small_tile.x == 0 &&
      block.y % small_tile.y == 0)
    return Form::SmallTiles;
  if (block.x < facts.gang_lanes && facts.gang_lanes > short_row) return Form::ShortRows;
  return std::nullopt;
}

/// Whether Form::Line can run a block; Form::DeepLine can run any.
inline bool fits_line(const KernelFacts& facts, const Dim3& block) {
  return block.z == 1 && (facts.line_width == 0 || facts.line_width == block.x);
}

/// The form whose gangs cross the ends of rows, where it is right or faster: for warps that are no
/// parts of rows, and for threads that wait for each other in rows too narrow for a gang.
inline std::optional<Form> line_form(const KernelFacts& facts, const Dim3& block) {
  if (facts.gang_lanes == 0 || (block.y == 1 && block.z == 1)) return std::nullopt;
  if (facts.gangs_are_warps) {
    if (gangs_can_be_warps(block)) return std::nullopt;
  } else if (!facts.waits_in_blocks || block.x >= narrowest_waiting_row ||
             block.x * block.y * block.z < short_row || has_whole_tiles(facts, block)) {
    return std::nullopt;
  }
  return fits_line(facts, block) ? Form::Line : Form::DeepLine;
}

struct Kernel;

/// Of a kernel whose vector form is not made at once, since that takes long: what is run instead
/// when it has been.
struct KernelForms {
  std::atomic<const Kernel*> better{nullptr};  ///< what later launches run; lives as long as this
  std::atomic<bool> settled{false};            ///< there is a better form, or there never will be
  /// Run time that is left until `improve` is called, on the thread that ends the launch.
  std::atomic<std::int64_t> patience_ns{std::numeric_limits<std::int64_t>::max()};
  std::function<void()> improve;  ///< called once; set, if at all, before the first launch
};

/// The same of a form whose stores go past the caches, for launches that write more than these
/// hold.
struct StreamingForms : KernelForms {
  bool always = false;  ///< for every launch that it can run
};

/// Of a kernel whose code does not have all forms: where the others are.
struct FormsOnDemand {
  /// By form: a kernel that runs launches which need it, once it is made. Lives as long as this.
  std::array<std::atomic<const Kernel*>, form_count> made{};
  /// Makes it, or null where that fails. Blocking, any thread that may compile; it need not be the
  /// form alone that the kernel has then.
  std::function<const Kernel*(Form)> make;
};

/// A kernel ready to run. Only the functions of facts.forms are there.
struct Kernel {
  KernelFacts facts;
  BlockFunction run_block = nullptr;  ///< null if facts.suspends
  ThreadFunction start_thread = nullptr;
  std::uint64_t coroutine_bytes = 0;  ///< per thread

  /// The vector form: lanes of a gang are consecutive threads along x, of one row. It needs
  /// launches in which ctaid * ntid + tid stays below 2^31 - 4096 in every dimension. A gang has
  /// one ThreadFrame, its first thread's.
  /// Runs all gangs of BlockFrame::row_threads threads in each of the block's rows. With
  /// gang_frame_bytes, ThreadFrame::scratch is the address, aligned to 256 bytes, of 32 bits for
  /// each gang and then, at the next multiple of 256 bytes, of as many frames. A row of threads has
  /// gangs of its own.
  BlockFunction run_gangs = nullptr;
  BlockFunction run_tiles = nullptr;  ///< the same with tiles for gangs, or null
  ThreadFunction start_gang =
      nullptr;  ///< a gang whose lanes all have threads; it suspends AtBarrier 0 only
  ThreadFunction start_tail = nullptr;  ///< a gang of ThreadFrame::mask threads
  std::uint64_t gang_bytes = 0;         ///< per gang, in memory aligned to 256 bytes

  KernelForms* forms = nullptr;         ///< if facts.vectors_later
  StreamingForms* streaming = nullptr;  ///< if it may have such a form (facts.streamed)
  FormsOnDemand* on_demand = nullptr;   ///< if facts.forms are not all
};

}  // namespace pycuda::cpu
