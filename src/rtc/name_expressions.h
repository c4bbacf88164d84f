// SPDX-License-Identifier: MIT
// NVRTC's name expressions: instances of templates, and the types of kernels.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rtc/nvrtc.h"

namespace pycuda::rtc {

/// Expressions with the names that they have in the image, or kernels with their types.
using NamePairs = std::vector<std::pair<std::string, std::string>>;

/// One run of the compiler, and what it is asked for beside the code.
struct NvrtcRequest {
  const std::string& source;
  const std::string& name;
  const std::vector<std::string>& options;
  bool machine_code;
  const std::vector<NvrtcHeader>& headers;
  const std::vector<std::string>& names;  ///< expressions that must mean something
};

/// Compiles, and asks for the types of `kernels` too (qualified names). Those that the compiler
/// does not find as they are written, overloads among them, are dropped from the list, and it runs
/// again without them: asking never makes a source fail, and never shows in a log. The second time
/// it is asked for the enumerations in the list ("enum space::e") too, which the names of overloads
/// have; it runs a third time if it does not find one of them.
NvrtcResult compile_with_types(const Nvrtc& nvrtc, const NvrtcRequest& request,
                               std::vector<std::string>& kernels);

/// Of what compile_with_types() has found: the mangled types by the kernels' plain names. Kernels
/// of one name in several namespaces are left out unless they have one type.
NamePairs kernel_types(const NamePairs& names);
/// The others.
NamePairs plain_names(const NamePairs& names);

/// What the cache holds: an image with its names behind it.
std::string cache_entry(const std::string& image, const NamePairs& names);
/// False for what cache_entry() has not made.
bool read_cache_entry(const std::string& entry, std::shared_ptr<const std::string>& image,
                      NamePairs& names);

}  // namespace pycuda::rtc
