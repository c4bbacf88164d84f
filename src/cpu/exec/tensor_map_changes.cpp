// SPDX-License-Identifier: MIT
// tensormap.replace: a kernel changes a map that the driver encoded.
#include <cstdint>
#include <cstring>

#include "cpu/exec/bulk_copies.h"
#include "cpu/kernel_abi/tensor_maps.h"

namespace pycuda::cpu::exec {
namespace {

/// PTX's numbers of types.
bool set_type(std::uint64_t value, TensorMap* map) {
  constexpr TensorType types[] = {TensorType::U8,         TensorType::U16,  TensorType::U32,
                                  TensorType::S32,        TensorType::U64,  TensorType::S64,
                                  TensorType::F16,        TensorType::F32,  TensorType::FlushedF32,
                                  TensorType::F64,        TensorType::BF16, TensorType::TF32,
                                  TensorType::FlushedTF32};
  if (value >= std::size(types)) return false;
  map->type = types[value];
  map->strides[0] = element_bytes(map->type);
  return true;
}

bool change(TensorField field, std::uint32_t dimension, std::uint64_t value, TensorMap* map) {
  constexpr std::uint32_t most_box = 256, most_step = 8;
  switch (field) {
    case TensorField::Address:
      map->address = value;
      return value % 16 == 0;
    case TensorField::Rank:
      map->rank = static_cast<std::uint8_t>(value + 1);
      return value < most_tensor_dimensions;
    case TensorField::Box:
      map->box[dimension] = static_cast<std::uint16_t>(value);
      return value != 0 && value <= most_box;
    case TensorField::Size:
      map->last[dimension] = static_cast<std::uint32_t>(value - 1);
      return value != 0;
    case TensorField::Stride:
      if (dimension + 1 == most_tensor_dimensions) return false;
      map->strides[dimension + 1] = value;
      return value % 16 == 0;
    case TensorField::Step:
      if (dimension != 0) map->steps[dimension] = static_cast<std::uint8_t>(value);
      return value != 0 && value <= most_step;
    case TensorField::Type:
      return set_type(value, map);
    case TensorField::Interleave:
      return value == 0;
    case TensorField::Swizzle:
      map->swizzle = static_cast<TensorSwizzle>(value);
      return value <= static_cast<std::uint64_t>(TensorSwizzle::Of128);
    case TensorField::Filling:
      map->fills_nan = static_cast<std::uint8_t>(value);
      return value <= 1;
  }
  return false;
}

}  // namespace
}  // namespace pycuda::cpu::exec

using namespace pycuda::cpu;

extern "C" void pycuda_cpu_tensor_map_replace(ThreadFrame* thread, void* memory,
                                              std::uint32_t field, std::uint32_t dimension,
                                              std::uint64_t value) {
  exec::check_bulk_access(thread, memory, sizeof(TensorMap), true);
  TensorMap map;
  std::memcpy(static_cast<void*>(&map), memory, sizeof map);
  if (map.mark != TensorMap::expected_mark)
    exec::refuse_bulk(thread, FaultKind::IllegalInstruction, 0,
                      "tensormap.replace of memory that is no tensor map");
  if (!exec::change(static_cast<TensorField>(field), dimension, value, &map))
    exec::refuse_bulk(thread, FaultKind::IllegalInstruction, 0,
                      "tensormap.replace by a value that no copy could use");
  std::memcpy(memory, static_cast<const void*>(&map), sizeof map);
}
