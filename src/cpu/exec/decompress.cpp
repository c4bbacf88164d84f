// SPDX-License-Identifier: MIT
#include "cpu/exec/decompress.h"

#include <lz4.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace pycuda::cpu::exec {
namespace {

using Byte = unsigned char;

struct Input {
  const Byte* next;
  const Byte* end;

  std::size_t left() const { return static_cast<std::size_t>(end - next); }
  bool at_end() const { return next == end; }
  /// A number of so many bytes, the lowest first.
  bool read(unsigned bytes, std::uint32_t* number) {
    if (left() < bytes) return false;
    *number = 0;
    for (unsigned i = 0; i < bytes; ++i) *number |= std::uint32_t{*next++} << (8 * i);
    return true;
  }
};

struct Output {
  Byte* begin;
  Byte* next;
  Byte* end;

  bool copy(Input* input, std::size_t bytes) {
    if (input->left() < bytes || static_cast<std::size_t>(end - next) < bytes) return false;
    std::memcpy(next, input->next, bytes);
    input->next += bytes;
    next += bytes;
    return true;
  }
  /// What was written `distance` bytes ago, which may overlap with what is written now.
  bool repeat(std::size_t distance, std::size_t bytes) {
    if (distance == 0 || distance > static_cast<std::size_t>(next - begin) ||
        static_cast<std::size_t>(end - next) < bytes)
      return false;
    for (; bytes != 0; --bytes, ++next) *next = next[-static_cast<std::ptrdiff_t>(distance)];
    return true;
  }
};

// --- Snappy: the whole length, then literals and copies

bool snappy(Input input, Output* output) {
  std::uint64_t whole = 0;
  std::uint32_t part = 128;
  for (unsigned shift = 0; part >= 128; shift += 7) {
    if (shift > 28 || !input.read(1, &part)) return false;
    whole |= std::uint64_t{part & 127} << shift;
  }
  if (whole > static_cast<std::size_t>(output->end - output->next)) return false;
  output->end = output->next + whole;
  while (!input.at_end()) {
    std::uint32_t tag = 0, more = 0;
    if (!input.read(1, &tag)) return false;
    const unsigned kind = tag & 3;
    std::size_t length = (tag >> 2) + 1;
    if (kind == 0) {
      if (length > 60) {
        if (!input.read(static_cast<unsigned>(length - 60), &more)) return false;
        length = std::size_t{more} + 1;
      }
      if (!output->copy(&input, length)) return false;
      continue;
    }
    std::size_t distance = 0;
    if (!input.read(kind == 3 ? 4 : kind, &more)) return false;
    distance = more;
    if (kind == 1) {
      length = (tag >> 2 & 7) + 4;
      distance |= std::size_t{tag >> 5} << 8;
    }
    if (!output->repeat(distance, length)) return false;
  }
  return output->next == output->end;
}

// --- Deflate: blocks of Huffman codes for bytes and for (length, distance)

class Bits {
 public:
  explicit Bits(Input input) : input_(input) {}

  bool read(unsigned count, std::uint32_t* number) {
    while (count_ < count) {
      std::uint32_t byte = 0;
      if (!input_.read(1, &byte)) return false;
      held_ |= byte << count_;
      count_ += 8;
    }
    *number = held_ & ((1u << count) - 1);
    held_ >>= count;
    count_ -= count;
    return true;
  }
  /// The input from the next whole byte on.
  Input* bytes() {
    held_ = count_ = 0;
    return &input_;
  }

 private:
  Input input_;
  std::uint32_t held_ = 0;
  unsigned count_ = 0;
};

constexpr unsigned most_symbols = 288, most_bits = 15;

/// Codes are numbered within their length: how many there are, and what they stand for in order.
struct Codes {
  std::uint16_t counts[most_bits + 1];
  std::uint16_t symbols[most_symbols];

  /// False where lengths ask for more codes than there are.
  bool set(const Byte* lengths, unsigned symbol_count) {
    std::fill(std::begin(counts), std::end(counts), std::uint16_t{0});
    for (unsigned i = 0; i < symbol_count; ++i) ++counts[lengths[i]];
    counts[0] = 0;
    std::uint16_t place[most_bits + 2] = {};
    int free = 1;
    for (unsigned bits = 1; bits <= most_bits; ++bits) {
      free = 2 * free - counts[bits];
      if (free < 0) return false;
      place[bits + 1] = static_cast<std::uint16_t>(place[bits] + counts[bits]);
    }
    for (unsigned i = 0; i < symbol_count; ++i)
      if (lengths[i] != 0) symbols[place[lengths[i]]++] = static_cast<std::uint16_t>(i);
    return true;
  }

  bool read(Bits* bits, std::uint32_t* symbol) const {
    std::uint32_t code = 0, first = 0, before = 0;
    for (unsigned length = 1; length <= most_bits; ++length) {
      std::uint32_t bit = 0;
      if (!bits->read(1, &bit)) return false;
      code = 2 * code + bit;
      first *= 2;
      if (code - first < counts[length]) {
        *symbol = symbols[before + code - first];
        return true;
      }
      first += counts[length];
      before += counts[length];
    }
    return false;
  }
};

/// Lengths and distances grow by steps that double every few codes.
bool read_stepped(Bits* bits, unsigned code, unsigned steps, std::uint32_t* number) {
  if (code < 2 * steps) {
    *number = code;
    return true;
  }
  const unsigned extra = code / steps - 1;
  std::uint32_t more = 0;
  if (!bits->read(extra, &more)) return false;
  *number = ((steps + code % steps) << extra) + more;
  return true;
}

bool read_repeat(Bits* bits, std::uint32_t code, const Codes& distances, Output* output) {
  constexpr unsigned shortest = 3, longest = 258, last_code = 28, distance_codes = 30;
  std::uint32_t length = longest - shortest, distance = 0, distance_code = 0;
  if (code > last_code || (code < last_code && !read_stepped(bits, code, 4, &length))) return false;
  if (!distances.read(bits, &distance_code) || distance_code >= distance_codes ||
      !read_stepped(bits, distance_code, 2, &distance))
    return false;
  return output->repeat(distance + 1, length + shortest);
}

bool inflate_codes(Bits* bits, const Codes& literals, const Codes& distances, Output* output) {
  constexpr std::uint32_t end_of_block = 256;
  for (;;) {
    std::uint32_t symbol = 0;
    if (!literals.read(bits, &symbol)) return false;
    if (symbol == end_of_block) return true;
    if (symbol > end_of_block) {
      if (!read_repeat(bits, symbol - end_of_block - 1, distances, output)) return false;
    } else if (output->next != output->end) {
      *output->next++ = static_cast<Byte>(symbol);
    } else {
      return false;
    }
  }
}

bool inflate_stored(Input* input, Output* output) {
  std::uint32_t bytes = 0, inverse = 0;
  return input->read(2, &bytes) && input->read(2, &inverse) && (bytes ^ inverse) == 0xffff &&
         output->copy(input, bytes);
}

void set_fixed(Codes* literals, Codes* distances) {
  Byte lengths[most_symbols];
  for (unsigned i = 0; i < most_symbols; ++i)
    lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
  literals->set(lengths, most_symbols);
  std::fill_n(lengths, 32, Byte{5});
  distances->set(lengths, 32);
}

/// The lengths of codes are a text of Huffman codes themselves.
bool read_codes(Bits* bits, Codes* literals, Codes* distances) {
  constexpr Byte order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::uint32_t literal_count = 0, distance_count = 0, length_count = 0;
  if (!bits->read(5, &literal_count) || !bits->read(5, &distance_count) ||
      !bits->read(4, &length_count))
    return false;
  literal_count += 257;
  distance_count += 1;
  if (literal_count > 286) return false;
  Byte lengths[286 + 32] = {};
  for (unsigned i = 0; i < length_count + 4; ++i) {
    std::uint32_t length = 0;
    if (!bits->read(3, &length)) return false;
    lengths[order[i]] = static_cast<Byte>(length);
  }
  if (!literals->set(lengths, 19)) return false;
  std::fill(std::begin(lengths), std::end(lengths), Byte{0});
  const unsigned all = literal_count + distance_count;
  for (unsigned i = 0; i < all;) {
    std::uint32_t code = 0, times = 0;
    if (!literals->read(bits, &code)) return false;
    if (code < 16) {
      lengths[i++] = static_cast<Byte>(code);
      continue;
    }
    if (code == 16 && i == 0) return false;
    const Byte again = code == 16 ? lengths[i - 1] : Byte{0};
    if (!bits->read(code == 16 ? 2 : code == 17 ? 3 : 7, &times)) return false;
    times += code == 18 ? 11 : 3;
    if (times > all - i) return false;
    std::fill_n(lengths + i, times, again);
    i += times;
  }
  return literals->set(lengths, literal_count) &&
         distances->set(lengths + literal_count, distance_count);
}

bool inflate(Input input, Output* output) {
  Bits bits(input);
  for (std::uint32_t is_last = 0; is_last == 0;) {
    std::uint32_t kind = 0;
    if (!bits.read(1, &is_last) || !bits.read(2, &kind) || kind == 3) return false;
    if (kind == 0) {
      if (!inflate_stored(bits.bytes(), output)) return false;
      continue;
    }
    Codes literals, distances;
    if (kind == 1) {
      set_fixed(&literals, &distances);
    } else if (!read_codes(&bits, &literals, &distances)) {
      return false;
    }
    if (!inflate_codes(&bits, literals, distances, output)) return false;
  }
  return true;
}

bool lz4(const CompressedBlock& block, std::size_t* written) {
  *written = 0;
  if (std::max(block.bytes, block.room) > LZ4_MAX_INPUT_SIZE) return false;
  const int got = LZ4_decompress_safe(reinterpret_cast<const char*>(block.from),
                                      reinterpret_cast<char*>(block.to),
                                      static_cast<int>(block.bytes), static_cast<int>(block.room));
  if (got < 0) return false;
  *written = static_cast<std::size_t>(got);
  return true;
}

}  // namespace

bool decompress(Compression compression, const CompressedBlock& block, std::size_t* written) {
  if (compression == Compression::Lz4) return lz4(block, written);
  const Input input{block.from, block.from + block.bytes};
  Output output{block.to, block.to, block.to + block.room};
  const bool whole =
      compression == Compression::Deflate ? inflate(input, &output) : snappy(input, &output);
  *written = static_cast<std::size_t>(output.next - output.begin);
  return whole;
}

}  // namespace pycuda::cpu::exec
