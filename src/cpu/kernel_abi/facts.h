// SPDX-License-Identifier: MIT
// What is known about a kernel's code, in memory or on disk: all that a launch and the driver's
// function attributes need. Kept on disk with the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cpu/kernel_abi/counters.h"
#include "cpu/kernel_abi/form.h"
#include "cpu/kernel_abi/frames.h"

namespace pycuda::cpu {

struct KernelParameter {
  std::uint32_t offset = 0;  ///< bytes from the start of the .param space
  std::uint32_t bytes = 0;
  std::uint32_t alignment = 1;
};

/// A static .shared variable, by its place in the block's own shared memory.
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

/// The facts of a kernel that do not depend on where its code lies (they are cached with it).
struct KernelFacts {
  std::string name;
  std::vector<KernelParameter> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;  ///< gaps included
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
  /// (cpu/variants).
  Forms forms = Forms::all();
  /// Of the baseline tier: without vectors, which would take too long at once and come later.
  bool is_baseline = false;
  /// Baseline code that was made in a hurry: other code without vectors is better, too.
  bool is_makeshift = false;
  std::vector<std::string> source_files;  ///< .file table: index = number
  bool loops = false;              ///< has a branch backwards or recursion, so `cost` says little
  bool processor_flushes = false;  ///< runs with subnormal numbers flushed by the processor
  bool launches_kernels = false;   ///< or calls another function of the device run-time library
  bool launches_graphs = false;
  bool launched_by_kernels = false;  ///< its address is taken: one of the module may launch it
  /// The threads of a tile, a gang of several rows, along x and y; 0: there is no such form. It is
  /// for blocks that are made of whole tiles.
  std::uint32_t tile_columns = 0, tile_rows = 0;
  std::uint64_t tile_frame_bytes = 0;  ///< as gang_frame_bytes, for each tile
  std::uint32_t check_sites = 0;       ///< of the vector form: accesses that it checks
  StreamedStores streamed;
  bool streams = false;  ///< this is the form in which they go past the caches
  /// What it counts; null: nothing. Not kept on disk: nor is code that counts.
  std::shared_ptr<const CountedPlaces> counted;

  bool calls_device_runtime() const { return launches_kernels || launches_graphs; }
  /// Static shared memory as the program declares it: what counts against limits.
  std::uint32_t declared_shared_bytes() const { return static_shared_bytes - shared_gap_bytes; }
};

}  // namespace pycuda::cpu
