// SPDX-License-Identifier: MIT
// PTX text to callable kernels: the whole compiler behind one call.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cpu/jit/announced_code.h"
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/kernel.h"
#include "cpu/ptx/diagnostic.h"
#include "cpu/target/target.h"
#include "cpu/variants/table.h"

namespace pycuda::cpu::jit {

/// PYCUDA_CPU_VECTOR: 0 keeps every kernel on the scalar path.
bool vectors_wanted();
/// PYCUDA_CPU_GANG: 16, 32 or 64 lanes for every kernel's gangs; 0: chosen for each kernel.
unsigned gang_lanes_wanted();

/// PYCUDA_CPU_STREAM: 0 never, 1 wherever possible.
Streaming streaming_wanted();

/// How much compiling a module's code is worth. Baseline: soon, whatever the code is like. Usual:
/// with vectors, but for kernels that would take long with them. Optimised: with vectors, however
/// long that takes.
enum class Tier : std::uint8_t { Baseline, Usual, Optimised };

struct Options {
  Checks checks = {};               ///< what the code checks or tells the checks of
  bool track_lines = true;          ///< fault messages name source lines when the PTX has .loc
  bool vectors = vectors_wanted();  ///< kernels also get a form that runs gangs of threads
  unsigned gang_lanes = gang_lanes_wanted();
  const target::Processor* processor = &target::host();  ///< that code is for
  std::string cache_folder;                              ///< empty: no disk cache
  /// The forms that kernels with gangs get; none: those that most launches need.
  std::optional<Forms> forms = Forms::all();
  bool threads_too = false;  ///< where `forms` has none, the form for threads beside those
  /// Kernels are compiled when they are first asked for: Program::compile checks everything, and
  /// makes code only where there is one part of it (parts.h). They get the forms that most launches
  /// need, others when a launch needs them (cpu/variants). Otherwise everything is compiled at
  /// once.
  bool by_parts = false;
  std::vector<std::string> only_kernels = {};  ///< these alone; empty: all
  Tier tier = Tier::Usual;
  /// As kernels of a large module are compiled, whose compilation must end: vector forms are put
  /// off, and less is optimised.
  bool quick = false;
  Streaming streaming = streaming_wanted();  ///< decides which code is made, not what it is
  bool streaming_form = false;               ///< this is for launches whose stores do so
  bool symbols = symbols_wanted();           ///< code has debug information
  bool variables = true;          ///< with symbols: also of the source, where the PTX has them
  bool processor_flushes = true;  ///< where it can (lower/processor_flushes.h), else code does
  /// Compiles what is asked for first. Where that takes more than `deadline` of a processor's time,
  /// it goes on while the program runs baseline code; none: everything is waited for.
  variants::Spawn background = {};
  std::chrono::milliseconds deadline{1000};
  /// The same at once for code of a greater machine_cost, whose emission takes longer still.
  std::uint64_t most_cost = 100'000;
  /// Called before vector forms are made, and before code is made that baseline code could stand in
  /// for, on `background`'s thread.
  std::function<void()> before_vectors = {}, before_code = {};
  /// Called on the same thread before that code is emitted, with its machine_cost.
  std::function<void(std::uint64_t cost)> before_emission = {};
};

/// How long making the vector form of a kernel takes, by its length.
std::chrono::nanoseconds vector_compile_time(const KernelFacts& facts);

/// What a variable stands for that holds no data of its own.
enum class ReferenceKind : std::uint8_t { None, Texture, Surface, Sampler };

/// A variable of the module (.global, .const) that needs memory on the device.
struct GlobalVariable {
  std::string name;
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  bool is_const = false;
  bool is_managed = false;
  bool is_visible = true;                         ///< found by cuModuleGetGlobal
  ReferenceKind reference = ReferenceKind::None;  ///< its memory holds the number of a texture
  /// As the declaration of a reference gives them: {"addr_mode_0", "wrap"}.
  std::vector<std::pair<std::string, std::string>> properties = {};
};

/// Compiled code that is not bound to memory yet: object code and facts. One Program may be loaded
/// many times.
class Program {
 public:
  /// Checks, and compiles what is not left for later, or takes it from the disk cache. Blocking;
  /// any thread. Diagnostics hold warnings too.
  static base::Result<std::shared_ptr<const Program>, ptx::Diagnostics> compile(
      std::string_view ptx_text, const Options& options);
  ~Program();

  /// What the PTX says of each kernel; of kernels that are compiled at once, of their code too.
  const std::vector<KernelFacts>& kernels() const;
  const std::vector<GlobalVariable>& variables() const;
  bool from_cache() const;
  /// What the vector path makes of a kernel, for people to read (plan.h). `vectors`: how far its
  /// vector code is, if its first code is baseline code.
  base::Result<std::string, ptx::Diagnostics> plan(std::string_view kernel, const Dim3& block,
                                                   variants::State vectors) const;

  class Implementation;  ///< program_code.h
  explicit Program(std::unique_ptr<Implementation> implementation);
  const Implementation& implementation() const { return *implementation_; }

 private:
  std::unique_ptr<Implementation> implementation_;
};

/// Where a variable lies when a program is loaded.
struct VariableMemory {
  VariableMemory(void* memory, bool has_value = false) : address(memory), holds_value(has_value) {}
  void* address;
  /// Another load of the program has written the initial value, and the variable may have changed
  /// since: it is left as it is.
  bool holds_value;
};

/// A Program with memory for its variables, and its kernels linked into this process: at once, or
/// when they are first asked for (Options::by_parts), with the code that launches need. Unlinked
/// when destroyed (no kernel may be running).
class LoadedProgram {
 public:
  /// `allocate` gives each variable zeroed memory or null, which fails the load. Links the code
  /// that there is and writes initial values (also addresses of functions and other variables).
  /// `background`: who compiles what no launch waits for, while its owner holds this object.
  static base::Result<std::unique_ptr<LoadedProgram>> load(
      std::shared_ptr<const Program> program,
      const std::function<VariableMemory(const GlobalVariable&)>& allocate,
      variants::Background background = {});
  ~LoadedProgram();

  const std::shared_ptr<const Program>& program() const;
  /// The kernel of this name, or null when there is none or it is not linked yet. Lives as long as
  /// this object.
  const Kernel* find_kernel(std::string_view name) const;
  /// The kernel of this number in Program::kernels, or null when it is not linked yet. Any thread,
  /// without a lock.
  const Kernel* linked_kernel(std::size_t number) const;
  /// The same, compiled and linked if it is not yet: then blocking, while other kernels may be
  /// asked for on other threads.
  variants::Made link_kernel(std::size_t number) const;
  /// The kernel's codes. Lives as long as this object.
  variants::Table& table(std::size_t number) const;
  /// What the code of `link_kernel` checks.
  Checks checks() const;
  /// What device code sees as the addresses of kernels: that of number i is address 0's plus i
  /// times `kernel_address_step`, or any in between. Lives as long as this object.
  static constexpr std::size_t kernel_address_step = 16;
  const std::byte* kernel_addresses() const;
  /// Address and size of a variable, visible or not.
  struct Address {
    void* address;
    std::uint64_t bytes;
  };
  std::optional<Address> find_variable(std::string_view name) const;

  class Implementation;
  explicit LoadedProgram(std::unique_ptr<Implementation> implementation);

 private:
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pycuda::cpu::jit
