// SPDX-License-Identifier: MIT
// Data that was compressed by deflate (RFC 1951, without a header), Snappy or LZ4 (one block each).
#pragma once

#include <cstddef>
#include <cstdint>

namespace pycuda::cpu::exec {

enum class Compression : std::uint8_t { Deflate, Snappy, Lz4 };

/// One block of compressed data and the room for what it stands for.
struct CompressedBlock {
  const unsigned char* from;
  std::size_t bytes;
  unsigned char* to;
  std::size_t room;
};

/// Writes the data and how long it is. False, after some of it, where the block is damaged or the
/// room is too small. Holds no objects with destructors: see fault_recovery.h.
bool decompress(Compression compression, const CompressedBlock& block, std::size_t* written);

}  // namespace pycuda::cpu::exec
