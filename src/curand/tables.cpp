// SPDX-License-Identifier: MIT
#include "curand/tables.h"

#include <optional>

#include "curand/nvidia_library.h"

namespace pycuda::curand {
namespace {

template <class T>
bool resolve(const base::DynamicLibrary& library, const char* name, int set, const T*& vectors) {
  auto* const get = library.function<int(const T**, int)>(name);
  return get != nullptr && get(&vectors, set) == 0;
}
template <class T>
bool resolve(const base::DynamicLibrary& library, const char* name, const T*& constants) {
  auto* const get = library.function<int(const T**)>(name);
  return get != nullptr && get(&constants) == 0;
}

std::optional<Tables> load() {
  const base::DynamicLibrary* const library = nvidia_library();
  Tables found{};
  if (library == nullptr ||
      !resolve(*library, "curandGetDirectionVectors32", 101, found.vectors32[0]) ||
      !resolve(*library, "curandGetDirectionVectors32", 102, found.vectors32[1]) ||
      !resolve(*library, "curandGetDirectionVectors64", 103, found.vectors64[0]) ||
      !resolve(*library, "curandGetDirectionVectors64", 104, found.vectors64[1]) ||
      !resolve(*library, "curandGetScrambleConstants32", found.constants32) ||
      !resolve(*library, "curandGetScrambleConstants64", found.constants64))
    return std::nullopt;
  return found;
}

}  // namespace

const Tables* tables() {
  static const auto& found = *new std::optional<Tables>(load());
  return found ? &*found : nullptr;
}

}  // namespace pycuda::curand
