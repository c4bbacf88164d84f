// SPDX-License-Identifier: MIT
// Compiles PTX and runs its kernels on the executor, for tests of what the code computes.
#pragma once

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/stream.h"
#include "cpu/jit/program.h"
#include "unit/cpu/recent_programs.h"

namespace pycuda::cpu::testing {

/// `.version`, `.target` and the other lines that every module begins with, where it has none.
inline std::string module_of(const std::string& body, const std::string& target = "sm_100") {
  if (body.starts_with(".version")) return body;
  return ".version 8.8\n.target " + target + "\n.address_size 64\n" + body;
}

/// With vector code, whatever the environment says, or without.
inline jit::Options vectors(bool wanted) {
  jit::Options options;
  options.vectors = wanted;
  return options;
}

/// With vector code for gangs of so many lanes; 0 leaves the width to the driver.
inline jit::Options gangs_of(unsigned lanes) {
  jit::Options options = vectors(true);
  options.gang_lanes = lanes;
  return options;
}

/// What the driver says against a module, or "" when it compiles.
inline std::string diagnostics_of(const std::string& body, const std::string& target = "sm_100") {
  const auto program = jit::Program::compile(module_of(body, target), {});
  return program ? std::string() : ptx::to_text(program.error());
}

/// A loaded module. Launches wait for their end and fail the test on a fault, unless the fault is
/// asked for.
class LoadedModule {
 public:
  explicit LoadedModule(const std::string& body, const jit::Options& options = {},
                        variants::Background background = {}) {
    auto program = compiled_lately(module_of(body), options);
    if (!program) FAIL(ptx::to_text(program.error()));
    auto loaded = jit::LoadedProgram::load(
        *program,
        [this](const jit::GlobalVariable& variable) {
          return memory_.emplace_back(new (std::align_val_t{256}) std::byte[variable.bytes + 1]())
              .get();
        },
        std::move(background));
    if (!loaded) FAIL(loaded.error().message);
    program_ = std::move(*loaded);
  }

  const Kernel& kernel(const char* name) const {
    const Kernel* found = program_->find_kernel(name);
    REQUIRE_MESSAGE(found != nullptr, name);
    return *found;
  }

  /// Runs a kernel; the fault it ended with, if any.
  template <class... Arguments>
  std::optional<exec::Fault> fault_of(const char* name, Dim3 grid, Dim3 block,
                                      Arguments... arguments) {
    // The test framework puts its own signal handlers in front for each test.
    exec::install_fault_signals();
    Sink sink;
    {
      exec::Stream stream(0, sink);
      Kernel chosen = kernel(name);
      if (thread_by_thread) chosen.facts.gang_lanes = 0;
      exec::LaunchRequest request;
      request.kernel = &chosen;
      request.grid = grid;
      request.block = block;
      request.dynamic_shared_bytes = dynamic_shared_bytes;
      (pack(request.params, arguments), ...);
      stream.launch(std::move(request));
      stream.synchronize();
    }
    return sink.fault;
  }

  template <class... Arguments>
  void run(const char* name, Dim3 grid, Dim3 block, Arguments... arguments) {
    const auto fault = fault_of(name, grid, block, arguments...);
    CHECK_MESSAGE(!fault, (fault ? fault->message : std::string()));
  }

  std::uint32_t dynamic_shared_bytes = 0;
  bool thread_by_thread = false;  ///< launches take the scalar form although there is a vector form

 private:
  struct Sink final : exec::FaultSink {
    void report(const exec::Fault& reported) override { fault = reported; }
    bool poisoned() const override { return fault.has_value(); }
    std::optional<exec::Fault> fault;
  };
  struct Release {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{256}); }
  };

  template <class Argument>
  static void pack(std::string& bytes, const Argument& argument) {
    bytes.resize((bytes.size() + alignof(Argument) - 1) / alignof(Argument) * alignof(Argument));
    bytes.append(reinterpret_cast<const char*>(&argument), sizeof argument);
  }

  std::list<std::unique_ptr<std::byte[], Release>> memory_;
  std::unique_ptr<jit::LoadedProgram> program_;
};

}  // namespace pycuda::cpu::testing
