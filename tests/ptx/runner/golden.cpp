// SPDX-License-Identifier: MIT
// Text files of recorded results.
#include "golden.h"

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace pycuda::ptx_tests {

Golden Golden::read(const std::string& path) {
  Golden golden;
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string kernel, buffer;
    words >> kernel >> buffer >> std::hex;
    std::vector<std::uint64_t> values;
    for (std::uint64_t value = 0; words >> value;) values.push_back(value);
    golden.set(kernel, buffer, std::move(values));
  }
  return golden;
}

void Golden::write(const std::string& path, const std::string& origin) const {
  std::ofstream stream(path);
  stream << "# Recorded on " << origin << ".\n" << std::hex;
  for (const auto& [key, values] : results_) {
    stream << key.first << ' ' << key.second;
    for (const std::uint64_t value : values) stream << ' ' << value;
    stream << '\n';
  }
  if (!stream.flush()) throw std::runtime_error(path + ": cannot be written");
}

const std::vector<std::uint64_t>* Golden::find(const std::string& kernel,
                                               const std::string& buffer) const {
  const auto found = results_.find({kernel, buffer});
  return found == results_.end() ? nullptr : &found->second;
}

void Golden::set(const std::string& kernel, const std::string& buffer,
                 std::vector<std::uint64_t> values) {
  results_[{kernel, buffer}] = std::move(values);
}

}  // namespace pycuda::ptx_tests
