// SPDX-License-Identifier: MIT
// The binary interface of DLPack 1: what its capsules hold.
#pragma once

#include <cstdint>

namespace pycuda::bindings::dlpack {

inline constexpr const char* name = "dltensor";
inline constexpr const char* used_name = "used_dltensor";
inline constexpr const char* versioned_name = "dltensor_versioned";
inline constexpr const char* used_versioned_name = "used_dltensor_versioned";

inline constexpr std::uint64_t flag_read_only = 1;
inline constexpr std::uint64_t flag_copied = 2;

struct Device {
  std::int32_t type;
  std::int32_t id;
};

struct DataType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};

struct Tensor {
  void* data;
  Device device;
  std::int32_t ndim;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; may be null for C order in old tensors
  std::uint64_t byte_offset;
};

struct ManagedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(ManagedTensor* self);
};

struct Version {
  std::uint32_t major;
  std::uint32_t minor;
};

struct ManagedTensorVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned* self);
  std::uint64_t flags;
  Tensor tensor;
};

}  // namespace pycuda::bindings::dlpack
