// SPDX-License-Identifier: MIT
// Headers that only host code needs, of which a kernel's source may include any.
#include "rtc/host_headers.h"

#include <algorithm>
#include <iterator>

namespace pycuda::rtc {
namespace {

constexpr const char* kNames[] = {
    // The standard library's.
    "alloca.h", "any", "atomic", "barrier", "bit", "bitset", "ccomplex", "cctype", "cerrno",
    "cfenv", "charconv", "chrono", "ciso646", "clocale", "codecvt", "compare", "complex.h",
    "concepts", "condition_variable", "coroutine", "csetjmp", "csignal", "cstdalign", "cstdarg",
    "cstdbool", "ctgmath", "ctype.h", "cuchar", "cwchar", "cwctype", "deque", "errno.h",
    "execution", "expected", "fenv.h", "filesystem", "flat_map", "flat_set", "format",
    "forward_list", "fstream", "future", "generator", "initializer_list", "iomanip", "iso646.h",
    "iterator", "latch", "list", "locale", "locale.h", "malloc.h", "map", "mdspan", "memory",
    "memory.h", "memory_resource", "mutex", "numbers", "numeric", "optional", "print", "queue",
    "random", "ranges", "ratio", "regex", "scoped_allocator", "semaphore", "set", "setjmp.h",
    "shared_mutex", "signal.h", "source_location", "span", "spanstream", "stack", "stacktrace",
    "stdalign.h", "stdarg.h", "stdatomic.h", "stdfloat", "stdnoreturn.h", "stop_token", "streambuf",
    "string", "string_view", "strings.h", "strstream", "syncstream", "system_error", "tgmath.h",
    "thread", "typeindex", "typeinfo", "uchar.h", "unordered_map", "unordered_set", "valarray",
    "variant", "vector", "version", "wchar.h", "wctype.h",
    // POSIX's and OpenMP's.
    "dirent.h", "dlfcn.h", "execinfo.h", "fcntl.h", "getopt.h", "libgen.h", "netinet/in.h", "omp.h",
    "pthread.h", "sched.h", "semaphore.h", "sys/mman.h", "sys/resource.h", "sys/socket.h",
    "sys/stat.h", "sys/time.h", "sys/types.h", "sys/wait.h", "unistd.h"};

/// CUDA's and libcu++'s for programs of hosts.
constexpr const char* kCudaNames[] = {"channel_descriptor.h",
                                      "cublas.h",
                                      "cublasLt.h",
                                      "cublasXt.h",
                                      "cublas_v2.h",
                                      "cuda/buffer",
                                      "cuda/memory_pool",
                                      "cuda/memory_resource",
                                      "cuda/stream",
                                      "cuda/stream_ref",
                                      "cudaProfiler.h",
                                      "cudaProfilerTypedefs.h",
                                      "cuda_profiler_api.h",
                                      "cudnn.h",
                                      "cufft.h",
                                      "cufftXt.h",
                                      "curand_mtgp32_host.h",
                                      "cusolverDn.h",
                                      "cusolverSp.h",
                                      "cusparse.h",
                                      "nccl.h",
                                      "npp.h",
                                      "nvToolsExt.h",
                                      "nvml.h",
                                      "nvrtc.h",
                                      "nvtx3/nvToolsExt.h",
                                      "nvtx3/nvtx3.hpp"};

/// Thrust's errors, which are exceptions, and its memory, which hosts allocate.
constexpr const char* kThrustNames[] = {"thrust/system/cuda/error.h",
                                        "thrust/system/cuda/memory.h",
                                        "thrust/system/cuda/memory_resource.h",
                                        "thrust/system/cuda/vector.h",
                                        "thrust/system/error_code.h",
                                        "thrust/system/system_error.h",
                                        "thrust/system_error.h"};

/// CUB's device-wide algorithms and what they allocate with: host functions, which NVRTC refuses.
constexpr const char* kCubNames[] = {"cub/device/device_adjacent_difference.cuh",
                                     "cub/device/device_batched_topk.cuh",
                                     "cub/device/device_copy.cuh",
                                     "cub/device/device_find.cuh",
                                     "cub/device/device_for.cuh",
                                     "cub/device/device_histogram.cuh",
                                     "cub/device/device_memcpy.cuh",
                                     "cub/device/device_merge.cuh",
                                     "cub/device/device_merge_sort.cuh",
                                     "cub/device/device_partition.cuh",
                                     "cub/device/device_radix_sort.cuh",
                                     "cub/device/device_reduce.cuh",
                                     "cub/device/device_run_length_encode.cuh",
                                     "cub/device/device_scan.cuh",
                                     "cub/device/device_segmented_radix_sort.cuh",
                                     "cub/device/device_segmented_reduce.cuh",
                                     "cub/device/device_segmented_scan.cuh",
                                     "cub/device/device_segmented_sort.cuh",
                                     "cub/device/device_select.cuh",
                                     "cub/device/device_topk.cuh",
                                     "cub/device/device_transform.cuh",
                                     "cub/util_allocator.cuh"};

/// Enough for `using namespace std`.
constexpr const char* kEmpty = "namespace std {}\n";
/// The umbrella header of this package includes all that kernels can use.
constexpr const char* kKernelsCub = "#include <cub/cub.cuh>\n";
constexpr const char* kEmptyThrust = "namespace thrust {}\n";
/// What stands beside functions of hosts: types.
constexpr const char* kCudaTypes = "#include <driver_types.h>\nnamespace cuda {}\n";

}  // namespace

bool is_host_header(std::string_view name) {
  return std::ranges::find(kNames, name) != std::end(kNames) ||
         std::ranges::find(kCudaNames, name) != std::end(kCudaNames);
}

std::vector<NvrtcHeader> empty_host_headers(const std::set<std::string>& user_headers) {
  std::vector<NvrtcHeader> headers;
  for (const char* const name : kNames) {
    if (!user_headers.contains(name)) headers.push_back({name, kEmpty});
  }
  for (const char* const name : kCudaNames) {
    if (!user_headers.contains(name)) headers.push_back({name, kCudaTypes});
  }
  for (const char* const name : kThrustNames) {
    if (!user_headers.contains(name)) headers.push_back({name, kEmptyThrust});
  }
  for (const char* const name : kCubNames) {
    if (!user_headers.contains(name)) headers.push_back({name, kKernelsCub});
  }
  return headers;
}

}  // namespace pycuda::rtc
