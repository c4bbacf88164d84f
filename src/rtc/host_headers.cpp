// SPDX-License-Identifier: MIT
// Headers that only host code needs, of which a kernel's source may include any.
#include "rtc/host_headers.h"

#include <algorithm>
#include <iterator>

namespace pycuda::rtc {
namespace {

constexpr const char* kNames[] = {
    // The standard library's.
    "alloca.h", "bitset", "cctype", "cerrno", "chrono", "complex.h", "condition_variable",
    "csignal", "ctype.h", "cuchar", "deque", "errno.h", "execution", "fenv.h", "filesystem",
    "fstream", "future", "iomanip", "iso646.h", "iterator", "list", "locale", "locale.h",
    "malloc.h", "map", "memory", "memory.h", "memory_resource", "mutex", "numeric", "queue",
    "random", "regex", "set", "setjmp.h", "shared_mutex", "signal.h", "stack", "stdalign.h",
    "stdarg.h", "stdnoreturn.h", "streambuf", "string", "string_view", "strings.h", "tgmath.h",
    "thread", "typeinfo", "unordered_map", "unordered_set", "valarray", "vector", "wchar.h",
    "wctype.h",
    // POSIX's and OpenMP's.
    "dirent.h", "dlfcn.h", "execinfo.h", "fcntl.h", "getopt.h", "libgen.h", "netinet/in.h", "omp.h",
    "pthread.h", "sched.h", "semaphore.h", "sys/mman.h", "sys/resource.h", "sys/socket.h",
    "sys/stat.h", "sys/time.h", "sys/types.h", "sys/wait.h", "unistd.h"};

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

}  // namespace

bool is_host_header(std::string_view name) {
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::vector<NvrtcHeader> empty_host_headers(const std::set<std::string>& user_headers) {
  std::vector<NvrtcHeader> headers;
  for (const char* const name : kNames) {
    if (!user_headers.contains(name)) headers.push_back({name, kEmpty});
  }
  for (const char* const name : kCubNames) {
    if (!user_headers.contains(name)) headers.push_back({name, kKernelsCub});
  }
  return headers;
}

}  // namespace pycuda::rtc
