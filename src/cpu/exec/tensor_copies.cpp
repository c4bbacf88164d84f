// SPDX-License-Identifier: MIT
// Copies by tensor maps: which element of the tensor goes to which place of the box, and back.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include "cpu/exec/bulk_copies.h"
#include "cpu/kernel_abi/bulk_copies.h"
#include "cpu/kernel_abi/tensor_maps.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::uint32_t alignment = 128, map_alignment = 64;

std::uint64_t number_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

bool is_wide(TensorKind kind) {
  return kind == TensorKind::Im2colWide || kind == TensorKind::Im2colWide128;
}

const char* mode_of(TensorKind kind) {
  switch (kind) {
    case TensorKind::Tiled:
      return ".tile";
    case TensorKind::Im2col:
      return ".im2col";
    case TensorKind::Im2colWide:
      return ".im2col::w";
    case TensorKind::Im2colWide128:
      return ".im2col::w::128";
  }
  return "no mode";
}

const char* maker_of(TensorKind kind) {
  switch (kind) {
    case TensorKind::Tiled:
      return "of cuTensorMapEncodeTiled";
    case TensorKind::Im2col:
      return "of cuTensorMapEncodeIm2col";
    case TensorKind::Im2colWide:
      return "of cuTensorMapEncodeIm2colWide, mode W";
    case TensorKind::Im2colWide128:
      return "of cuTensorMapEncodeIm2colWide, mode W128";
  }
  return "of an unknown kind";
}

/// The map, copied: a program may change it once the instruction is over.
TensorMap read_map(ThreadFrame* thread, const void* memory, const TensorCopy& copy) {
  if (number_of(memory) % map_alignment != 0)
    refuse_bulk(thread, FaultKind::MisalignedAddress, number_of(memory),
                "a tensor map, whose address is a multiple of 64");
  check_bulk_access(thread, memory, sizeof(TensorMap), false);
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), memory, sizeof map);
  if (map.mark != TensorMap::expected_mark)
    refuse_bulk(thread, FaultKind::IllegalInstruction, 0,
                "a tensor map that no function cuTensorMapEncode... made");
  if (map.rank != copy.rank) {
    char text[96];
    std::snprintf(text, sizeof text, "a copy of %u dimensions by a tensor map of %u", copy.rank,
                  map.rank);
    refuse_bulk(thread, FaultKind::IllegalInstruction, 0, text);
  }
  const auto kind = static_cast<TensorKind>(copy.kind);
  if (map.kind != kind) {
    char text[128];
    std::snprintf(text, sizeof text, "a copy with %s by a tensor map %s", mode_of(kind),
                  maker_of(map.kind));
    refuse_bulk(thread, FaultKind::IllegalInstruction, 0, text);
  }
  if (copy.named_rows != 0 && map.box[1] != 1)
    refuse_bulk(thread, FaultKind::IllegalInstruction, 0,
                "a copy of rows one by one by a tensor map whose box has more than one");
  if (is_wide(kind) && copy.offsets[0] != 0)
    refuse_bulk(thread, FaultKind::IllegalInstruction, 0,
                "a copy with .im2col::w and pixels of a halo, which the CPU driver lacks");
  return map;
}

/// Where a byte of the box lies: units of 16 bytes change places within rows of eight.
std::uint64_t swizzled(std::uint64_t address, TensorSwizzle swizzle) {
  switch (swizzle) {
    case TensorSwizzle::None:
      return address;
    case TensorSwizzle::Of32:
      return address ^ (address >> 3 & 0x10);
    case TensorSwizzle::Of64:
      return address ^ (address >> 3 & 0x30);
    case TensorSwizzle::Of128:
      return address ^ (address >> 3 & 0x70);
  }
  return address;
}

/// Walks over the runs of elements that are neighbours in the box and in the tensor: the
/// dimension 0 of the box at each place of the others.
class BoxWalk {
 public:
  BoxWalk(const TensorMap& map, const TensorCopy& copy) : map_(map), copy_(copy) {
    bytes_ = element_bytes(map.type);
    row_ = map.box[0];
    // Of interleaved tensors dimension 0 counts the elements of a slice.
    if (copy.named_rows != 0) {
      extent_[1] = copy.named_rows;
    } else if (map.kind == TensorKind::Tiled) {
      for (std::uint32_t d = 1; d < map.rank; ++d)
        extent_[d] = (map.box[d] + map.steps[d] - 1u) / map.steps[d];
    } else {
      extent_[1] = map.box[1];
      for (std::uint32_t d = 1; d + 1 < map.rank; ++d) start_[d] = copy.coordinates[d];
      start_[map.rank - 1] = copy.coordinates[map.rank - 1];
    }
  }

  std::uint32_t row_bytes() const { return row_ * bytes_; }
  /// From one row to the next in shared memory: rows that are swizzled have as many bytes as that
  /// is done within.
  std::uint64_t pitch() const {
    return map_.swizzle == TensorSwizzle::None ? row_bytes()
                                               : 16u << static_cast<unsigned>(map_.swizzle);
  }
  std::uint64_t rows() const {
    std::uint64_t rows = 1;
    for (std::uint32_t d = 1; d < map_.rank; ++d) rows *= extent_[d];
    return rows;
  }

  /// The elements of dimension 0 that are in the tensor, of row number `row`: their address there
  /// and which of the row they are. None: all of it is outside.
  struct Piece {
    std::uint64_t address = 0;
    std::uint32_t first = 0, count = 0;
  };
  Piece piece(std::uint64_t row) const {
    std::array<std::int64_t, most_tensor_dimensions> at{};
    at[0] = copy_.coordinates[0];
    if (copy_.named_rows != 0) {
      at[1] = copy_.coordinates[1 + row];
    } else if (is_wide(map_.kind)) {
      pixel_of_row(row, at);
    } else if (map_.kind == TensorKind::Tiled) {
      for (std::uint32_t d = 1; d < map_.rank; ++d) {
        at[d] = copy_.coordinates[d] + static_cast<std::int64_t>(row % extent_[d]) * map_.steps[d];
        row /= extent_[d];
      }
    } else {
      pixel(row, at);
    }
    std::uint64_t address = map_.address;
    for (std::uint32_t d = 1; d < map_.rank; ++d) {
      if (at[d] < 0 || at[d] > map_.last[d]) return {};
      address += static_cast<std::uint64_t>(at[d]) * map_.strides[d];
    }
    const std::int64_t size = std::int64_t{map_.last[0]} + 1;
    const std::int64_t first = std::max<std::int64_t>(-at[0], 0);
    const std::int64_t end = std::min<std::int64_t>(row_, size - at[0]);
    if (first >= end) return {};
    return {address + static_cast<std::uint64_t>(at[0] + first) * bytes_,
            static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end - first)};
  }
  std::uint32_t bytes_of_element() const { return bytes_; }

 private:
  /// Pixel `number` of a column: the places where a filter stands go through the bounding box,
  /// image after image; the offsets say which element of the filter it is.
  void pixel(std::uint64_t number, std::array<std::int64_t, most_tensor_dimensions>& at) const {
    const std::uint32_t spatial = map_.rank - 2;
    std::uint64_t carry = number;
    for (std::uint32_t i = 0; i < spatial; ++i) {
      const std::uint32_t d = i + 1;
      const std::int64_t low = map_.lower[i];
      const std::int64_t high = std::int64_t{map_.last[d]} + 1 + map_.upper[i];
      const std::int64_t step = map_.steps[d];
      const std::int64_t places = std::max<std::int64_t>((high - low + step - 1) / step, 1);
      const std::int64_t from = (start_[d] - low) / step;
      const std::uint64_t place =
          static_cast<std::uint64_t>(std::max<std::int64_t>(from, 0)) + carry;
      carry = place / static_cast<std::uint64_t>(places);
      at[d] = low + static_cast<std::int64_t>(place % static_cast<std::uint64_t>(places)) * step +
              copy_.offsets[i];
    }
    at[map_.rank - 1] = start_[map_.rank - 1] + static_cast<std::int64_t>(carry);
  }

  /// Pixel `number` of a row: from the first one, which may lie before the bounding box, to the end
  /// of the box, and then through it in the same row of one image after another.
  void pixel_of_row(std::uint64_t number,
                    std::array<std::int64_t, most_tensor_dimensions>& at) const {
    for (std::uint32_t d = 2; d < map_.rank; ++d) at[d] = start_[d];
    const std::int64_t offset = copy_.offsets[1], step = map_.steps[1];
    const std::int64_t low = map_.lower[0] + offset, from = start_[1] + offset;
    const std::int64_t high = std::int64_t{map_.last[1]} + 1 + map_.upper[0] + offset;
    const auto steps_to_end = [&](std::int64_t place) {
      return static_cast<std::uint64_t>(
          std::max<std::int64_t>((high - place + step - 1) / step, 0));
    };
    const std::uint64_t first = steps_to_end(from);
    if (number < first) {
      at[1] = from + static_cast<std::int64_t>(number) * step;
      return;
    }
    number -= first;
    const std::uint64_t places = std::max<std::uint64_t>(steps_to_end(low), 1);
    at[1] = low + static_cast<std::int64_t>(number % places) * step;
    at[map_.rank - 1] += 1 + static_cast<std::int64_t>(number / places);
  }

  const TensorMap& map_;
  const TensorCopy& copy_;
  std::uint32_t bytes_ = 0, row_ = 0;
  std::array<std::uint64_t, most_tensor_dimensions> extent_{1, 1, 1, 1, 1};
  std::array<std::int64_t, most_tensor_dimensions> start_{};
};

/// The bytes of an element that is outside of the tensor.
std::uint64_t filling(const TensorMap& map) {
  if (map.fills_nan == 0) return 0;
  switch (map.type) {
    case TensorType::F16:
    case TensorType::BF16:
      return 0x7fff7fff7fff7fff;
    case TensorType::F64:
      return 0x7fffffffffffffff;
    default:
      return 0x7fffffff7fffffff;
  }
}

/// What the type does to an element on its way into the box.
void convert(TensorType type, std::byte* elements, std::uint32_t count) {
  const bool flushes = type == TensorType::FlushedF32 || type == TensorType::FlushedTF32;
  if (!flushes) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, elements + i * sizeof bits, sizeof bits);
    if ((bits & 0x7f800000u) == 0) bits &= 0x80000000u;
    std::memcpy(elements + i * sizeof bits, &bits, sizeof bits);
  }
}

constexpr std::uint32_t unit = 16;
constexpr std::uint32_t most_row_bytes = 256 * 8;

/// Copies between a row and its place in shared memory, whose units may lie apart.
template <class CopyBytes>
void for_units(std::uint64_t place, std::uint32_t bytes, TensorSwizzle swizzle,
               CopyBytes copy_bytes) {
  for (std::uint32_t done = 0; done < bytes;) {
    const std::uint64_t at = place + done;
    const auto count =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(unit - at % unit, bytes - done));
    copy_bytes(reinterpret_cast<std::byte*>(swizzled(at, swizzle)), done, count);
    done += count;
  }
}

void check_place(ThreadFrame* thread, const void* shared) {
  if (number_of(shared) % alignment != 0)
    refuse_bulk(thread, FaultKind::MisalignedAddress, number_of(shared),
                "a copy by a tensor map, whose shared address is a multiple of 128");
}

void load(ThreadFrame* thread, const TensorMap& map, const TensorCopy& copy, void* to) {
  check_place(thread, to);
  const BoxWalk walk(map, copy);
  const std::uint32_t row_bytes = walk.row_bytes(), size = walk.bytes_of_element();
  const std::uint64_t fill = filling(map);
  alignas(8) std::array<std::byte, most_row_bytes> row;
  for (std::uint64_t number = 0; number < walk.rows(); ++number) {
    const BoxWalk::Piece piece = walk.piece(number);
    for (std::uint32_t i = 0; i < row_bytes; i += sizeof fill)
      std::memcpy(row.data() + i, &fill, std::min<std::size_t>(sizeof fill, row_bytes - i));
    if (piece.count != 0) {
      const auto* from = reinterpret_cast<const void*>(piece.address);
      check_bulk_access(thread, from, piece.count * size, false);
      std::byte* const read = row.data() + std::size_t{piece.first} * size;
      std::memcpy(read, from, std::size_t{piece.count} * size);
      convert(map.type, read, piece.count);
    }
    for_units(number_of(to) + number * walk.pitch(), row_bytes, map.swizzle,
              [&](std::byte* place, std::uint32_t at, std::uint32_t count) {
                check_bulk_access(thread, place, count, true);
                std::memcpy(place, row.data() + at, count);
              });
  }
}

/// How a reduction combines elements of the tensor's type; nothing for types without it.
std::optional<std::uint32_t> reduction_code(TensorType type, BulkOperation operation) {
  const bool is_minimum = operation == BulkOperation::Min || operation == BulkOperation::Max;
  switch (type) {
    case TensorType::U32:
      return bulk_code(operation, BulkType::U32);
    case TensorType::S32:
      return bulk_code(operation, is_minimum ? BulkType::S32 : BulkType::U32);
    case TensorType::U64:
      return bulk_code(operation, BulkType::U64);
    case TensorType::S64:
      return bulk_code(operation, is_minimum ? BulkType::S64 : BulkType::U64);
    case TensorType::F16:
      return bulk_code(operation, BulkType::F16);
    case TensorType::BF16:
      return bulk_code(operation, BulkType::BF16);
    case TensorType::F32:
    case TensorType::FlushedF32:
      if (operation == BulkOperation::Add) return bulk_code(operation, BulkType::F32);
      break;
    case TensorType::F64:
      if (operation == BulkOperation::Add) return bulk_code(operation, BulkType::F64);
      break;
    default:
      break;
  }
  return std::nullopt;
}

void store(ThreadFrame* thread, const TensorMap& map, const TensorCopy& copy, const void* from) {
  check_place(thread, from);
  std::optional<std::uint32_t> code;
  if (copy.reduction != TensorCopy::no_reduction) {
    code = reduction_code(map.type, static_cast<BulkOperation>(copy.reduction));
    if (!code)
      refuse_bulk(thread, FaultKind::IllegalInstruction, 0,
                  "a reduction that the type of the tensor map does not have");
  }
  // As an H200 does. A box may reach beyond the upper end of the tensor.
  const std::uint32_t coordinates = copy.named_rows != 0 ? 1 + copy.named_rows : copy.rank;
  if (map.kind == TensorKind::Tiled && std::any_of(copy.coordinates, copy.coordinates + coordinates,
                                                   [](std::int32_t at) { return at < 0; }))
    refuse_bulk(thread, FaultKind::IllegalInstruction, 0,
                "a copy from shared memory by a tensor map to a negative coordinate, which only "
                "copies to shared memory may have");
  const BoxWalk walk(map, copy);
  const std::uint32_t row_bytes = walk.row_bytes(), size = walk.bytes_of_element();
  alignas(8) std::array<std::byte, most_row_bytes> row;
  for (std::uint64_t number = 0; number < walk.rows(); ++number) {
    const BoxWalk::Piece piece = walk.piece(number);
    if (piece.count == 0) continue;
    for_units(number_of(from) + number * walk.pitch(), row_bytes, map.swizzle,
              [&](const std::byte* place, std::uint32_t at, std::uint32_t count) {
                check_bulk_access(thread, place, count, false);
                std::memcpy(row.data() + at, place, count);
              });
    auto* to = reinterpret_cast<void*>(piece.address);
    const std::uint32_t bytes = piece.count * size;
    check_bulk_access(thread, to, bytes, true);
    const std::byte* const written = row.data() + std::size_t{piece.first} * size;
    if (code) {
      reduce_bulk(to, written, bytes, *code);
    } else {
      std::memcpy(to, written, bytes);
    }
  }
}

}  // namespace
}  // namespace pycuda::cpu::exec

using pycuda::cpu::TensorCopy;
using pycuda::cpu::TensorMap;
using pycuda::cpu::ThreadFrame;
namespace exec = pycuda::cpu::exec;

extern "C" {

void pycuda_cpu_tensor_load(ThreadFrame* thread, void* to, const void* memory,
                            std::uint64_t* barrier, const TensorCopy* copy) {
  const TensorMap map = exec::read_map(thread, memory, *copy);
  const exec::BoxWalk walk(map, *copy);
  const auto bytes = static_cast<std::uint32_t>(walk.rows() * walk.row_bytes());
  if (copy->blocks == 0) {
    exec::load(thread, map, *copy, to);
    exec::complete_bulk(thread, barrier, bytes);
    return;
  }
  exec::for_blocks(thread, copy->blocks, [&](std::uint32_t rank) {
    exec::load(thread, map, *copy, exec::in_block(thread, to, rank));
    exec::complete_bulk(thread, static_cast<std::uint64_t*>(exec::in_block(thread, barrier, rank)),
                        bytes);
  });
}

void pycuda_cpu_tensor_store(ThreadFrame* thread, const void* memory, const void* from,
                             const TensorCopy* copy) {
  exec::store(thread, exec::read_map(thread, memory, *copy), *copy, from);
}

}  // extern "C"
