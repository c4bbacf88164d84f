// SPDX-License-Identifier: MIT
// dlopen, dlsym, dladdr.
#include "base/dynlib.h"

#include <dlfcn.h>

#include <utility>

namespace pycuda::base {

Result<DynamicLibrary> DynamicLibrary::open(const std::string& path) {
  // All symbols at once: a library that lacks one must fail here, not in the middle of a call.
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* reason = ::dlerror();
    return Failure{reason != nullptr ? reason : path + ": cannot be opened"};
  }
  return DynamicLibrary(handle, path);
}

Result<DynamicLibrary> DynamicLibrary::find_loaded(const std::string& soname) {
  void* handle = ::dlopen(soname.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle == nullptr) return Failure{soname + ": is not loaded"};
  return DynamicLibrary(handle, soname);
}

DynamicLibrary::DynamicLibrary(void* handle, std::string path)
    : handle_(handle), path_(std::move(path)) {}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept
    : handle_(std::exchange(other.handle_, nullptr)),
      leaked_(other.leaked_),
      path_(std::move(other.path_)) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
  std::swap(handle_, other.handle_);
  std::swap(leaked_, other.leaked_);
  std::swap(path_, other.path_);
  return *this;
}

DynamicLibrary::~DynamicLibrary() {
  if (handle_ != nullptr && !leaked_) ::dlclose(handle_);
}

void* DynamicLibrary::symbol(const char* name) const {
  return handle_ != nullptr ? ::dlsym(handle_, name) : nullptr;
}

std::string library_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

}  // namespace pycuda::base
