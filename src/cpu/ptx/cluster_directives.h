// SPDX-License-Identifier: MIT
// What the headers of kernels say about their clusters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace pycuda::cpu::ptx {

struct ClusterDirectives {
  std::uint32_t required[3] = {0, 0, 0};  ///< .reqnctapercluster, or zeros
  bool is_explicit = false;               ///< .explicitcluster: a launch must say its clusters
  std::uint32_t most_blocks = 0;          ///< .maxclusterrank, or 0
};

/// Of the kernels of a module that has been parsed without errors; those without such directives
/// are left out.
std::map<std::string, ClusterDirectives, std::less<>> cluster_directives(std::string_view ptx);

}  // namespace pycuda::cpu::ptx
