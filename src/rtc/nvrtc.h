// SPDX-License-Identifier: MIT
// NVRTC: the library, opened at run time, and one call to compile with it.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/dynlib.h"
#include "base/result.h"

namespace pycuda::rtc {

// NVRTC's own types, declared here so that nothing of CUDA is needed to build.
struct NvrtcProgram;
using NvrtcStatus = int;

/// The functions of the library that are used; a missing optional one is null.
struct NvrtcTable {
  const char* (*get_error_string)(NvrtcStatus) = nullptr;
  NvrtcStatus (*version)(int* major, int* minor) = nullptr;
  NvrtcStatus (*create_program)(NvrtcProgram**, const char* source, const char* name, int headers,
                                const char* const* header_texts,
                                const char* const* header_names) = nullptr;
  NvrtcStatus (*destroy_program)(NvrtcProgram**) = nullptr;
  NvrtcStatus (*compile_program)(NvrtcProgram*, int options,
                                 const char* const* option_texts) = nullptr;
  NvrtcStatus (*get_program_log_size)(NvrtcProgram*, std::size_t*) = nullptr;
  NvrtcStatus (*get_program_log)(NvrtcProgram*, char*) = nullptr;
  NvrtcStatus (*get_ptx_size)(NvrtcProgram*, std::size_t*) = nullptr;
  NvrtcStatus (*get_ptx)(NvrtcProgram*, char*) = nullptr;
  NvrtcStatus (*get_cubin_size)(NvrtcProgram*, std::size_t*) = nullptr;
  NvrtcStatus (*get_cubin)(NvrtcProgram*, char*) = nullptr;
  NvrtcStatus (*get_num_supported_archs)(int*) = nullptr;
  NvrtcStatus (*get_supported_archs)(int*) = nullptr;
  NvrtcStatus (*set_pch_heap_size)(std::size_t) = nullptr;  // optional: NVRTC 12.8 and newer
  NvrtcStatus (*install_bundled_headers)(const char* folder, unsigned flags,
                                         const char** error) = nullptr;  // optional: 13.3 and newer
  // Optional, both or none.
  NvrtcStatus (*add_name_expression)(NvrtcProgram*, const char* expression) = nullptr;
  NvrtcStatus (*get_lowered_name)(NvrtcProgram*, const char* expression,
                                  const char** name) = nullptr;
};

/// A header that stands in memory.
struct NvrtcHeader {
  const char* name;  ///< as includes spell it
  const char* text;
};

/// One compilation's outcome.
struct NvrtcResult {
  bool ok = false;
  std::string image;  ///< machine code or PTX (without the final NUL)
  std::string log;
  std::string status;  ///< NVRTC's name of what went wrong
  /// The expressions that were asked for, with their names in the image.
  std::vector<std::pair<std::string, std::string>> names;
};

class Nvrtc {
 public:
  /// Opens the library at `path`. It stays open: its threads and caches outlive calls.
  static base::Result<Nvrtc> open(const std::string& path);
  /// A table made by a test.
  Nvrtc(const NvrtcTable& table, std::string path);

  /// Compiles `source` under the name `name`, and what `expressions` name in it. Blocking, any
  /// thread.
  NvrtcResult compile(const std::string& source, const std::string& name,
                      const std::vector<std::string>& options, bool machine_code,
                      const std::vector<NvrtcHeader>& headers = {},
                      const std::vector<std::string>& expressions = {}) const;

  int major() const { return major_; }
  int minor() const { return minor_; }
  /// Capabilities that it has a target for, ascending: 75, 80, ...
  const std::vector<int>& architectures() const { return architectures_; }
  const std::string& path() const { return path_; }
  /// Room for precompiled headers; false when this NVRTC has none.
  bool reserve_precompiled_headers(std::size_t bytes) const;
  /// Whether it carries the toolkit's headers.
  bool carries_headers() const { return table_.install_bundled_headers != nullptr; }
  /// Writes them into an existing folder; empty, or what went wrong.
  std::string write_headers(const std::string& folder) const;

 private:
  NvrtcTable table_;
  std::string path_;
  int major_ = 0;
  int minor_ = 0;
  std::vector<int> architectures_;
};

}  // namespace pycuda::rtc
