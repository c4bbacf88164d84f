// SPDX-License-Identifier: MIT
#include "cublaslt/layouts.h"

#include <limits>
#include <string>

#include "hostblas/pointer_lists.h"

namespace pycuda::cublaslt {
namespace {

[[noreturn]] void refuse(const char* what, const char* why) {
  throw Refusal{Outcome::NotSupported, std::string(what) + ": " + why};
}

}  // namespace

void require_layout(const MatrixLayout* layout, const char* what) {
  require(is_one(layout), "a layout is not one");
  constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
  if (layout->rows > largest || layout->columns > largest) refuse(what, "sizes of 64 bits");
  if (bytes_of(type_of(*layout)) == 0) refuse(what, "the type of the elements");
  require(layout->order >= kColumns && layout->order <= kTiles32By32, "an order is not one");
  if (layout->order == kTiles32By8) refuse(what, "the order COL4_4R2_8C");
  if (layout->plane_offset != 0) refuse(what, "complex numbers in planes");
  require(layout->batch_count >= 1, "a number of matrices is not positive");
  require(layout->batch_mode <= kPointers, "a batch mode is not one");
  require(layout->leading >= smallest_leading(*layout), "a leading dimension is too small");
}

void require_matrices(const StreamHandle& handle, const MatrixLayout& layout, const void* address,
                      const char* what) {
  const std::uint64_t bytes = extent_of(layout) * bytes_of(type_of(layout));
  if (layout.batch_mode == kPointers) {
    require_pointers(handle, static_cast<const std::byte* const*>(address), layout.batch_count,
                     bytes, what);
    return;
  }
  const Batch batch(layout, address);
  require_memory(batch.at(0), bytes, what);
  require_memory(batch.at(layout.batch_count - 1), bytes, what);
}

}  // namespace pycuda::cublaslt
