// SPDX-License-Identifier: MIT
// Which library fills the table, and why.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/table.h"

namespace pycuda::driver {

/// `Cpu` is our own, whatever its file is called; `Nvidia` is any other called libcuda.so.
enum class DriverKind { Nvidia, Cpu, Other };

/// A table and where it came from. The library is never closed.
struct LoadedDriver {
  DriverTable table;
  DriverKind kind = DriverKind::Other;
  /// The file, as the dynamic loader found it.
  std::string library;
  /// cuDriverGetVersion's: 13000 for CUDA 13.0; 0 when it has no answer.
  int version = 0;
  /// How many of the table's functions the library has.
  int functions = 0;
  /// Why this library: "PYCUDA_DRIVER=cpu", "libcuda.so.1 sees 1 device".
  std::string reason;
  /// Why not another that stands before it in the order: "libcuda.so.1: cuInit failed: ...". Empty
  /// if none was tried.
  std::string passed_over;

  /// One line for people: library, version, reason and what was passed over.
  std::string description() const;
};

/// Where to look. The defaults are the real places; tests set others.
struct DriverSearch {
  /// "auto", "nvidia", "cpu", or the path of a library.
  std::string choice = "auto";
  std::string nvidia_library = "libcuda.so.1";
  /// Tried in order.
  std::vector<std::string> cpu_libraries;
  /// What brings the CPU driver where there is none, for people.
  std::string cpu_driver_command;
};

/// PYCUDA_DRIVER's choice (auto when unset or empty). The CPU driver is looked for beside this
/// library, under its own name and under NVIDIA's, then in the distribution pycuda-anywhere-cpu
/// next to this package, then in ../lib, then by the dynamic loader's own search, under either
/// name.
DriverSearch default_search();

/// `auto` takes NVIDIA's library if it loads, initialises and sees a device, else the CPU driver;
/// "nvidia", "cpu" and a path take what they name or fail. The failure is one sentence: what is
/// missing and which command fixes it. Calls cuInit only under `auto`. Writes one line to the log
/// when it has chosen: a warning when NVIDIA's library is present but was passed over (other than
/// by hiding its devices), information otherwise.
base::Result<LoadedDriver> load_driver(const DriverSearch& search);

/// Fills a table from one library, which is then never closed.
base::Result<LoadedDriver> load_library(const std::string& path);

}  // namespace pycuda::driver
