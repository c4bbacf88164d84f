// SPDX-License-Identifier: MIT
#include "base/read_file.h"

#include <array>
#include <cstdio>
#include <memory>

namespace pycuda::base {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rbe"));
  if (file == nullptr) return std::nullopt;
  std::string content;
  std::array<char, 16384> part;
  for (std::size_t bytes = 0; (bytes = std::fread(part.data(), 1, part.size(), file.get())) > 0;)
    content.append(part.data(), bytes);
  if (std::ferror(file.get()) != 0) return std::nullopt;
  return content;
}

bool write_file(const std::string& path, std::string_view content) {
  File file(std::fopen(path.c_str(), "wbe"));
  if (file == nullptr) return false;
  const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  return std::fclose(file.release()) == 0 && written;
}

}  // namespace pycuda::base
