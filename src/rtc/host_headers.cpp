// SPDX-License-Identifier: MIT
// Headers that only host code needs, of which a kernel's source may include any.
#include "rtc/host_headers.h"

#include <algorithm>
#include <iterator>

namespace pycuda::rtc {
namespace {

constexpr const char* kNames[] = {
    // The standard library's.
    "bitset", "cctype", "cerrno", "chrono", "csignal", "ctype.h", "deque", "errno.h", "exception",
    "fstream", "iomanip", "ios", "iostream", "istream", "iterator", "list", "locale", "map",
    "memory", "mutex", "new", "numeric", "ostream", "queue", "random", "regex", "set", "signal.h",
    "sstream", "stack", "stdexcept", "streambuf", "string", "string_view", "thread", "typeinfo",
    "unordered_map", "unordered_set", "valarray", "vector",
    // POSIX's and OpenMP's.
    "omp.h", "pthread.h", "sys/time.h", "unistd.h"};

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
