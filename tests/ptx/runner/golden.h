// SPDX-License-Identifier: MIT
// Results recorded on a GPU: one text file per test file, a line "<kernel> <buffer> <hex words>"
// per output.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace pycuda::ptx_tests {

class Golden {
 public:
  using Key = std::pair<std::string, std::string>;  ///< kernel, buffer

  /// Empty when there is no such file.
  static Golden read(const std::string& path);
  void write(const std::string& path, const std::string& origin) const;

  /// Null when nothing was recorded under this key.
  const std::vector<std::uint64_t>* find(const std::string& kernel,
                                         const std::string& buffer) const;
  void set(const std::string& kernel, const std::string& buffer, std::vector<std::uint64_t> values);

 private:
  std::map<Key, std::vector<std::uint64_t>> results_;
};

}  // namespace pycuda::ptx_tests
