// SPDX-License-Identifier: MIT
// Every offset and size in an image is checked against what is known of its length before it is
// followed.
#include "cpu/ptx/fatbin.h"

#include <cstring>
#include <limits>
#include <optional>

#include "cpu/ptx/decompress.h"

namespace pycuda::cpu::ptx {
namespace {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50;
constexpr std::uint32_t kWrapperMagic = 0x466243B1;
constexpr std::uint32_t kElfMagic = 0x464C457F;
constexpr std::string_view kLinkedMagic("\x7fPTXLINK", 8);

constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;

// An entry's header: offsets of what we read of it. It may be longer; its own length says so.
constexpr std::size_t kEntryHeaderBytes = 64;
constexpr std::size_t kEntryHeaderLength = 4;
constexpr std::size_t kEntryPaddedBytes = 8;
constexpr std::size_t kEntryPackedBytes = 16;
constexpr std::size_t kEntryArchitecture = 28;
constexpr std::size_t kEntryFlags = 40;
constexpr std::size_t kEntryUnpackedBytes = 56;

using Bytes = std::span<const std::byte>;
using Text = base::Result<std::string, ImageFailure>;

template <class T>
T read(Bytes bytes, std::size_t offset) {
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data() + offset, sizeof value);
  return value;
}

ImageFailure damaged(std::string what) {
  return {ImageError::Damaged, "the image is damaged: " + std::move(what)};
}

struct Entry {
  std::uint32_t architecture = 0;
  std::uint64_t flags = 0, packed_bytes = 0, unpacked_bytes = 0;
  Bytes payload;  ///< with its padding
};

/// The better of two entries: the newest that the device can run, else the oldest.
bool is_better(const Entry& candidate, const Entry& best, std::uint32_t architecture) {
  const bool fits = candidate.architecture <= architecture;
  const bool best_fits = best.architecture <= architecture;
  if (fits != best_fits) return fits;
  return fits ? candidate.architecture > best.architecture
              : candidate.architecture < best.architecture;
}

Text text_of(const Entry& entry) {
  std::optional<std::string> text;
  if (entry.flags & (kFlagLz4 | kFlagZstd)) {
    if (entry.packed_bytes > entry.payload.size()) {
      return damaged("a compressed entry is longer than its place");
    }
    const Bytes packed = entry.payload.first(entry.packed_bytes);
    text = entry.flags & kFlagLz4 ? unpack_lz4(packed, entry.unpacked_bytes)
                                  : unpack_zstd(packed, entry.unpacked_bytes);
    if (!text) return damaged("a compressed entry cannot be unpacked");
  } else {
    text.emplace(reinterpret_cast<const char*>(entry.payload.data()), entry.payload.size());
  }
  text->resize(std::strlen(text->c_str()));  // the padding, and whatever hides behind a NUL
  return *std::move(text);
}

Text ptx_of_fatbin(const std::byte* image, std::size_t available, std::uint32_t architecture) {
  if (available < 16) return damaged("it ends within the header");
  const Bytes head(image, 16);
  const std::size_t header_bytes = read<std::uint16_t>(head, 6);
  const auto content_bytes = read<std::uint64_t>(head, 8);
  if (header_bytes < 16 || header_bytes > available || content_bytes > available - header_bytes) {
    return damaged("the header's sizes do not fit");
  }
  Bytes rest(image + header_bytes, content_bytes);
  std::optional<Entry> best;
  bool has_code = false;
  while (rest.size() >= kEntryHeaderBytes) {
    const auto kind = read<std::uint16_t>(rest, 0);
    const auto length = read<std::uint32_t>(rest, kEntryHeaderLength);
    const auto padded = read<std::uint64_t>(rest, kEntryPaddedBytes);
    if (length < kEntryHeaderBytes || length > rest.size() || padded > rest.size() - length) {
      return damaged("an entry's sizes do not fit");
    }
    if (kind == kKindPtx) {
      const Entry entry{
          read<std::uint32_t>(rest, kEntryArchitecture), read<std::uint64_t>(rest, kEntryFlags),
          read<std::uint32_t>(rest, kEntryPackedBytes),
          read<std::uint64_t>(rest, kEntryUnpackedBytes), rest.subspan(length, padded)};
      if (!best || is_better(entry, *best, architecture)) best = entry;
    } else {
      has_code = true;
    }
    rest = rest.subspan(length + padded);
  }
  if (!best) {
    return ImageFailure{ImageError::NoPtx, has_code
                                               ? "the fat binary holds machine code only, no PTX"
                                               : "the fat binary is empty"};
  }
  return text_of(*best);
}

Text ptx_of_linked(const std::byte* image, std::size_t available) {
  if (available < 16) return damaged("it ends within the header");
  const auto bytes = read<std::uint64_t>({image, 16}, 8);
  if (bytes > available - 16) return damaged("the header's size does not fit");
  const auto* text = reinterpret_cast<const char*>(image + 16);
  return std::string(text, strnlen(text, bytes));
}

}  // namespace

bool is_ptx_text(const char* image, std::size_t available_bytes) {
  for (std::size_t i = 0; i < available_bytes; ++i) {
    if (std::strchr(" \t\r\n\v\f", image[i]) == nullptr) return image[i] == '.' || image[i] == '/';
    if (image[i] == 0) return false;
  }
  return false;
}

Text ptx_of_image(const void* image, std::size_t available_bytes, std::uint32_t architecture) {
  const ImageFailure unknown{
      ImageError::NotAnImage,
      "the image is neither PTX nor a fat binary nor the output of a linker"};
  if (image == nullptr) return unknown;
  const auto* bytes = static_cast<const std::byte*>(image);
  const auto* text = static_cast<const char*>(image);
  // Text first: a short string without known length must not be read past its NUL.
  if (is_ptx_text(text, available_bytes)) {
    return std::string(text, strnlen(text, available_bytes));
  }
  const std::size_t known_magic = strnlen(text, std::min<std::size_t>(available_bytes, 4));
  if (known_magic < 4) return unknown;
  switch (read<std::uint32_t>({bytes, 4}, 0)) {
    case kFatbinMagic:
      return ptx_of_fatbin(bytes, available_bytes, architecture);
    case kElfMagic:
      return ImageFailure{
          ImageError::NoPtx,
          "the image holds machine code for a GPU only; the CPU driver compiles PTX"};
    case kWrapperMagic: {
      if (available_bytes < 16) return damaged("it ends within the wrapper");
      const auto* data = read<const std::byte*>({bytes, 16}, 8);
      if (data == nullptr) return damaged("the wrapper points to nothing");
      std::uint32_t magic;
      std::memcpy(&magic, data, sizeof magic);
      if (magic != kFatbinMagic) return damaged("the wrapper does not point to a fat binary");
      return ptx_of_fatbin(data, std::numeric_limits<std::size_t>::max(), architecture);
    }
    default:
      break;
  }
  const bool linked =
      strnlen(text, std::min(available_bytes, kLinkedMagic.size())) == kLinkedMagic.size() &&
      std::memcmp(text, kLinkedMagic.data(), kLinkedMagic.size()) == 0;
  return linked ? ptx_of_linked(bytes, available_bytes) : Text(unknown);
}

std::string wrap_linked(std::string_view ptx) {
  std::string image(kLinkedMagic);
  const std::uint64_t bytes = ptx.size() + 1;
  image.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  image += ptx;
  image += '\0';
  return image;
}

}  // namespace pycuda::cpu::ptx
