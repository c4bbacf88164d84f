// SPDX-License-Identifier: MIT
// Puts one image into the container that nvcc calls a fatbin.
#include "rtc/fatbin_writer.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace pycuda::rtc {
namespace {

constexpr std::uint32_t kMagic = 0xba55ed50;
constexpr std::uint16_t kContainerHeaderBytes = 16;
constexpr std::uint32_t kEntryHeaderBytes = 64;
constexpr std::uint64_t kFlags64BitLinux = 0x11;

template <class Number>
void append(std::string& bytes, Number number) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) {
    bytes.push_back(static_cast<char>((static_cast<std::uint64_t>(number) >> (8 * i)) & 255));
  }
}

struct Version {
  std::uint16_t major = 0;
  std::uint16_t minor = 0;
};

/// The number behind PTX's ".version".
Version ptx_version(std::string_view ptx) {
  Version version;
  const std::size_t at = ptx.find(".version");
  if (at == std::string_view::npos) return version;
  ptx.remove_prefix(std::min(ptx.size(), ptx.find_first_of("0123456789", at)));
  const char* end = ptx.data() + ptx.size();
  const auto [rest, error] = std::from_chars(ptx.data(), end, version.major);
  if (error == std::errc() && rest != end && *rest == '.')
    std::from_chars(rest + 1, end, version.minor);
  return version;
}

}  // namespace

std::string write_fatbin(std::string_view image, bool machine_code, int capability) {
  std::string content(image);
  if (!machine_code) content.push_back('\0');
  content.resize((content.size() + 7) / 8 * 8, '\0');
  const Version version = machine_code ? Version{1, 8} : ptx_version(image);

  std::string bytes;
  append(bytes, kMagic);
  append(bytes, std::uint16_t{1});  // the container's version
  append(bytes, kContainerHeaderBytes);
  append(bytes, static_cast<std::uint64_t>(kEntryHeaderBytes + content.size()));

  append(bytes, static_cast<std::uint16_t>(machine_code ? 2 : 1));
  append(bytes, std::uint16_t{0x0101});  // the entry's version
  append(bytes, kEntryHeaderBytes);
  append(bytes, static_cast<std::uint64_t>(content.size()));
  append(bytes, std::uint64_t{0});  // not compressed; no options
  append(bytes, version.minor);
  append(bytes, version.major);
  append(bytes, static_cast<std::uint32_t>(capability));
  append(bytes, std::uint64_t{0});  // no name
  append(bytes, kFlags64BitLinux);
  append(bytes, std::uint64_t{0});
  append(bytes, std::uint64_t{0});  // size before compression
  return bytes + content;
}

}  // namespace pycuda::rtc
