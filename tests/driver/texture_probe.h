// SPDX-License-Identifier: MIT
// Arrays with known texels, kernels that fetch from them, and what the programming guide says must
// come out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/driver.h"

namespace driver_test {

/// Where a kernel fetches: bits of floats, or integers.
struct At {
  std::uint32_t layer = 0, x = 0, y = 0, z = 0;
};
At at(float x, float y = 0, float z = 0, std::uint32_t layer = 0);

/// Four components as bits.
struct Fetched {
  std::uint32_t bits[4];
  float real(int i) const;
};

CUDA_ARRAY3D_DESCRIPTOR shape(std::size_t width, std::size_t height, std::size_t depth,
                              CUarray_format format, unsigned channels = 1, unsigned flags = 0);
/// 1, 2, 3 and so on.
std::vector<float> counting(std::size_t count);

/// A CUDA array that is destroyed with this.
class TestArray {
 public:
  explicit TestArray(const CUDA_ARRAY3D_DESCRIPTOR& descriptor);
  ~TestArray();
  TestArray(const TestArray&) = delete;
  TestArray& operator=(const TestArray&) = delete;
  CUarray handle() const { return handle_; }
  /// Fills it from dense texels.
  void fill(const void* texels, std::size_t texel_bytes) const;
  std::vector<unsigned char> read(std::size_t texel_bytes) const;

 private:
  CUDA_ARRAY3D_DESCRIPTOR descriptor_;
  CUarray handle_ = nullptr;
};

/// A texture object that is destroyed with this.
class TestTexture {
 public:
  TestTexture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& description);
  ~TestTexture();
  TestTexture(const TestTexture&) = delete;
  TestTexture& operator=(const TestTexture&) = delete;
  CUtexObject handle() const { return handle_; }

 private:
  CUtexObject handle_ = 0;
};

CUDA_RESOURCE_DESC resource_of(const TestArray& array);
CUDA_TEXTURE_DESC description(CUaddress_mode mode, CUfilter_mode filter, unsigned flags = 0);

/// A module with the kernel `probe`, which runs `instruction` for each of many places. It finds the
/// object in %t, the layer in %l, the coordinates in %x, %y and %z, and leaves components in %v0 to
/// %v3. `head` goes before the kernel.
std::string probe_text(const std::string& instruction, const std::string& head = "");
/// Runs it.
std::vector<Fetched> probe(const LoadedModule& module, std::uint64_t object,
                           const std::vector<At>& places);
std::vector<Fetched> probe(const std::string& instruction, std::uint64_t object,
                           const std::vector<At>& places);

/// Filtering in one dimension, with the eight-bit weights of the hardware.
struct Between {
  int first, second;
  double weight;
};
Between between(double position);
/// The texel that an index means, or -1 for the border.
int addressed(int index, int size, CUaddress_mode mode);

}  // namespace driver_test
