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

/// Enough for `using namespace std`.
constexpr const char* kEmpty = "namespace std {}\n";

}  // namespace

bool is_host_header(std::string_view name) {
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::vector<NvrtcHeader> empty_host_headers(const std::set<std::string>& user_headers) {
  std::vector<NvrtcHeader> headers;
  for (const char* const name : kNames) {
    if (!user_headers.contains(name)) headers.push_back({name, kEmpty});
  }
  return headers;
}

}  // namespace pycuda::rtc
