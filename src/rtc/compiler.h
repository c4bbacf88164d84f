// SPDX-License-Identifier: MIT
// Compiles CUDA C++ to an image that a driver loads: the interface of rtc.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cuda/device_traits.h"
#include "rtc/compile_cache.h"
#include "rtc/include_paths.h"
#include "rtc/name_expressions.h"
#include "rtc/nvrtc.h"
#include "rtc/nvrtc_search.h"
#include "rtc/options.h"

namespace pycuda::rtc {

/// What the caller wants back. On a CPU device `Cubin` and `Fatbin` give PTX: that is what its
/// driver loads.
enum class Target { Cubin, Ptx, Fatbin };

struct CompileRequest {
  std::string source;
  std::vector<std::string> options;  ///< nvcc's
  std::vector<std::string> include_folders;
  std::string arch;  ///< "sm_80", "compute_80", or empty
  std::string code;
  Target target = Target::Cubin;
  cuda::DeviceTraits device;  ///< that the image is for, as far as it is known
  bool extern_c = true;       ///< wrap the source in extern "C"
  bool keep = false;          ///< leave source and image in a folder for people to look at
  std::optional<std::filesystem::path> cache_folder;  ///< nothing: compile always
  std::string nvcc;                                   ///< empty: NVRTC; else the nvcc to run
  /// What must be in the image, as C++ names it: "k<float, 3>", "space::k".
  std::vector<std::string> name_expressions;
  bool only_cached = false;  ///< no image rather than one that has to be compiled
  /// True once no caller waits any more: the program's headers may change from then on.
  std::shared_ptr<const std::atomic<bool>> abandoned;
};

struct Compiled {
  CompileCache::Image image;
  std::string
      log;  ///< what the compiler said although it succeeded; empty when the image was in the cache
  bool from_cache = false;
  std::filesystem::path kept_folder;  ///< where `keep` left the files
  NamePairs names;                    ///< of `name_expressions`, in the image
  NamePairs kernel_types;  ///< mangled, by names in C linkage; of the kernels that the source shows
};

/// The source was refused, or there is no compiler for it.
class CompileError : public std::runtime_error {
 public:
  CompileError(const std::string& message, std::vector<std::string> command,
               std::string standard_output, std::string standard_error);
  const std::vector<std::string>& command() const { return command_; }
  const std::string& standard_output() const { return standard_output_; }
  const std::string& standard_error() const { return standard_error_; }

 private:
  std::vector<std::string> command_;
  std::string standard_output_;
  std::string standard_error_;
};

/// Finds the compiler once, opens it when first needed (not for what is in the cache), and
/// compiles. Any thread.
class Compiler {
 public:
  struct Folders {
    std::vector<std::filesystem::path> packages;  ///< a Python's folders named `nvidia`
    std::vector<std::filesystem::path> headers;   ///< this package's own headers
  };
  explicit Compiler(Folders folders);

  /// The image. Throws CompileError. Blocks while compiling, if it may.
  Compiled compile(const CompileRequest& request);

  /// The NVRTCs that could be used, best first.
  std::vector<NvrtcInstallation> installations();
  /// Opens the library, once. The failure is a sentence.
  base::Result<const Nvrtc*> open(const NvrtcInstallation& installation);
  /// Forgets what is kept in memory (not the disk's part).
  void clear_memory_cache() { cache_.clear_memory(); }

 private:
  struct Job;
  void look_everywhere();
  std::vector<NvrtcInstallation> find_candidates(const cuda::DeviceTraits& device);
  Job prepare(const CompileRequest& request);
  std::string cache_key(const CompileRequest& request, const Job& job);
  std::string implicit_header_fingerprint();
  static bool includes_thrust(const Job& job);
  void add_bundled_headers(NvrtcInstallation& installation);
  Compiled compile_with_nvrtc(const CompileRequest& request, Job& job);
  Compiled compile_with_nvcc(const CompileRequest& request, Job& job,
                             const std::filesystem::path& nvcc);
  Compiled run_nvrtc(const CompileRequest& request, Job& job, const Nvrtc& nvrtc);
  bool wants_precompiled_headers(const Job& job, const IncludePaths& paths, const Nvrtc& nvrtc);

  Folders folders_;
  CompileCache cache_;
  std::mutex header_mutex_;                       ///< held while NVRTC's headers are written
  std::mutex mutex_;                              ///< protects all below
  std::vector<NvrtcInstallation> installations_;  ///< the wheels' alone, until they do not do
  bool looked_everywhere_ = false;
  std::string implicit_fingerprint_;  ///< of the header that stands before every source; empty
                                      ///< until asked for
  std::map<std::string, base::Result<Nvrtc>> open_;  ///< by library; never removed from
  std::map<std::string, int> heavy_prefixes_;  ///< how often one was compiled without precompiled
                                               ///< headers, and one more for those that have them
  int precompiled_headers_ = 0;
};

}  // namespace pycuda::rtc
