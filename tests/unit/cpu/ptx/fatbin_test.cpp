// SPDX-License-Identifier: MIT
#include "cpu/ptx/fatbin.h"

#include <doctest/doctest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

using namespace pycuda::cpu::ptx;

namespace {

constexpr std::size_t kUnknown = std::numeric_limits<std::size_t>::max();

template <class T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

enum class Packing { None, Lz4, Zstd };

std::string packed(const std::string& text, Packing packing) {
  if (packing == Packing::None) return text;
  std::string out(4096 + text.size(), '\0');
  const std::size_t bytes =
      packing == Packing::Lz4 ? static_cast<std::size_t>(LZ4_compress_default(
                                    text.data(), out.data(), static_cast<int>(text.size()),
                                    static_cast<int>(out.size())))
                              : ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  out.resize(bytes);
  return out;
}

/// An entry as the CUDA tools write it; kind 1 is PTX and 2 machine code.
std::string entry(std::uint16_t kind, std::uint32_t architecture, std::string text,
                  Packing packing = Packing::None, std::uint32_t header_bytes = 80) {
  if (kind == 1) text += '\0';
  std::string payload = packed(text, packing);
  const auto packed_bytes = static_cast<std::uint32_t>(payload.size());
  payload.resize((payload.size() + 7) / 8 * 8);
  std::string bytes;
  put<std::uint16_t>(bytes, kind);
  put<std::uint16_t>(bytes, 0x101);
  put<std::uint32_t>(bytes, header_bytes);
  put<std::uint64_t>(bytes, payload.size());
  put<std::uint32_t>(bytes, packing == Packing::None ? 0 : packed_bytes);
  put<std::uint32_t>(bytes, 64);
  put<std::uint32_t>(bytes, 0x90000);
  put<std::uint32_t>(bytes, architecture);
  put<std::uint64_t>(bytes, 0);
  put<std::uint64_t>(bytes, packing == Packing::Lz4    ? 0x2011
                            : packing == Packing::Zstd ? 0x8011
                                                       : 0x11);
  put<std::uint64_t>(bytes, 0);
  put<std::uint64_t>(bytes, packing == Packing::None ? 0 : text.size());
  bytes.resize(header_bytes);
  return bytes + payload;
}

std::string fatbin(const std::vector<std::string>& entries) {
  std::string content;
  for (const std::string& one : entries) content += one;
  std::string bytes;
  put<std::uint32_t>(bytes, 0xBA55ED50);
  put<std::uint16_t>(bytes, 1);
  put<std::uint16_t>(bytes, 16);
  put<std::uint64_t>(bytes, content.size());
  return bytes + content;
}

std::string text_of(const std::string& image, std::uint32_t architecture = 80,
                    std::size_t available = kUnknown) {
  const auto text = ptx_of_image(image.data(), available, architecture);
  REQUIRE_MESSAGE(text.ok(), text.error().message);
  return *text;
}

ImageError error_of(const std::string& image, std::size_t available) {
  const auto text = ptx_of_image(image.data(), available, 80);
  REQUIRE(!text.ok());
  CHECK(!text.error().message.empty());
  return text.error().error;
}

std::string long_text() {
  std::string text = ".version 8.0\n";
  for (int i = 0; i < 500; ++i) text += "// line " + std::to_string(i % 7) + '\n';
  return text;
}

}  // namespace

TEST_CASE("text is PTX up to its NUL or its end") {
  CHECK(text_of(".version 8.0\n") == ".version 8.0\n");
  CHECK(text_of("\n // comment\n.version 8.0") == "\n // comment\n.version 8.0");
  CHECK(text_of(".version 8.0\nrest", 80, 12) == ".version 8.0");
}

TEST_CASE("what is no image is said to be none") {
  for (const char* text : {"", "a", "hello", "  ", "\x50\xED"}) {
    CHECK(error_of(text, kUnknown) == ImageError::NotAnImage);
  }
  CHECK(!ptx_of_image(nullptr, kUnknown, 80).ok());
  CHECK(error_of(std::string(64, '\xff'), 64) == ImageError::NotAnImage);
}

TEST_CASE("machine code alone has no PTX") {
  CHECK(error_of("\x7f"
                 "ELF\x02\x01\x01",
                 7) == ImageError::NoPtx);
  CHECK(error_of(fatbin({entry(2, 80, "code", Packing::None, 64)}), kUnknown) == ImageError::NoPtx);
  CHECK(error_of(fatbin({}), kUnknown) == ImageError::NoPtx);
}

TEST_CASE("entries are read plain and compressed") {
  const std::string text = long_text();
  for (const Packing packing : {Packing::None, Packing::Lz4, Packing::Zstd}) {
    const std::string image = fatbin({entry(2, 80, "code", Packing::None, 64),
                                      entry(1, 80, text, packing), entry(1, 90, "x", packing)});
    CHECK(text_of(image) == text);
    CHECK(text_of(image, 80, image.size()) == text);
  }
}

TEST_CASE("the newest entry that the device can run is taken, else the oldest") {
  const std::string image = fatbin(
      {entry(1, 75, "a75"), entry(1, 90, "a90"), entry(1, 80, "a80"), entry(1, 100, "a100")});
  CHECK(text_of(image, 80) == "a80");
  CHECK(text_of(image, 89) == "a80");
  CHECK(text_of(image, 120) == "a100");
  CHECK(text_of(image, 70) == "a75");
}

TEST_CASE("a wrapper points to its fat binary") {
  const std::string image = fatbin({entry(1, 80, "text")});
  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* data;
    const void* unused = nullptr;
  } wrapper{.data = image.data()};
  const auto text = ptx_of_image(&wrapper, sizeof wrapper, 80);
  REQUIRE(text.ok());
  CHECK(*text == "text");
  wrapper.data = nullptr;
  CHECK(ptx_of_image(&wrapper, kUnknown, 80).error().error == ImageError::Damaged);
}

TEST_CASE("linked text comes back as it was, and has a size") {
  const std::string image = wrap_linked(".version 8.0\n");
  CHECK(text_of(image) == ".version 8.0\n");
  CHECK(text_of(image, 80, image.size()) == ".version 8.0\n");
  for (std::size_t bytes = 0; bytes < image.size(); ++bytes) {
    CHECK(!ptx_of_image(image.data(), bytes, 80).ok());
  }
}

TEST_CASE("a fat binary that is cut anywhere is damaged, not read past its end") {
  const std::string whole =
      fatbin({entry(1, 80, long_text(), Packing::Zstd), entry(1, 75, "old", Packing::Lz4)});
  for (std::size_t bytes = 4; bytes < whole.size(); ++bytes) {
    const std::vector<char> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes));
    const auto text = ptx_of_image(cut.data(), cut.size(), 80);
    REQUIRE(!text.ok());
    CHECK(text.error().error == ImageError::Damaged);
  }
}

TEST_CASE("sizes that lie are damage") {
  const std::string whole = fatbin({entry(1, 80, long_text(), Packing::Zstd)});
  const auto with = [&](std::size_t offset, std::uint64_t value, std::size_t bytes) {
    std::string image = whole;
    std::memcpy(image.data() + offset, &value, bytes);
    return error_of(image, image.size());
  };
  CHECK(with(16 + 4, 0, 4) == ImageError::Damaged);  // header's length
  CHECK(with(16 + 4, 0xFFFFFFFF, 4) == ImageError::Damaged);
  CHECK(with(16 + 8, ~std::uint64_t{0}, 8) == ImageError::Damaged);   // padded payload
  CHECK(with(16 + 16, 0x7FFFFFFF, 4) == ImageError::Damaged);         // compressed bytes
  CHECK(with(16 + 56, ~std::uint64_t{0}, 8) == ImageError::Damaged);  // unpacked bytes
  CHECK(with(16 + 56, 1, 8) == ImageError::Damaged);
  CHECK(with(16 + 40, 0x2011, 8) == ImageError::Damaged);  // another compression
  CHECK(with(6, 0, 2) == ImageError::Damaged);             // the file header's length
}
