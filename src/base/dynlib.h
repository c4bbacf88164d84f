// SPDX-License-Identifier: MIT
// A shared library opened at run time: the only place that calls dlopen.
#pragma once

#include <string>

#include "base/result.h"

namespace pycuda::base {

/// An open library. Stays open when the object dies if `leak` was called (a driver must
/// never be unloaded).
class DynamicLibrary {
 public:
  /// Opens `path` (a file, or a soname to search for). The failure is the loader's own text.
  static Result<DynamicLibrary> open(const std::string& path);

  /// The library, if the process has loaded it already.
  static Result<DynamicLibrary> find_loaded(const std::string& soname);

  DynamicLibrary(DynamicLibrary&& other) noexcept;
  DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
  DynamicLibrary(const DynamicLibrary&) = delete;
  DynamicLibrary& operator=(const DynamicLibrary&) = delete;
  ~DynamicLibrary();

  /// The symbol's address, or null.
  void* symbol(const char* name) const;
  template <class Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(symbol(name));
  }
  /// The file that was opened.
  const std::string& path() const { return path_; }
  /// Never close it.
  void leak() { leaked_ = true; }

 private:
  DynamicLibrary(void* handle, std::string path);
  void* handle_ = nullptr;
  bool leaked_ = false;
  std::string path_;
};

/// The file that holds the code at `address` (dladdr), or empty.
std::string library_of(const void* address);

}  // namespace pycuda::base
