// SPDX-License-Identifier: MIT
// The parameter buffer, filled and checked.
#include "cuda/kernel_args.h"

#include <string>

#include "cuda/kernel_names.h"

namespace pycuda::cuda {
namespace {

/// What the driver takes at most, and so a bound for arguments of kernels with an unknown layout.
constexpr std::size_t kMostBytes = 32764;

std::string count_text(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " argument" : " arguments");
}

}  // namespace

std::size_t KernelArgs::next_bytes() const {
  if (!layout_->known) return 0;
  if (count_ >= layout_->parameters.size()) [[unlikely]] {
    throw ArgumentMismatch("kernel " + readable_name(kernel_->name()) + " takes " +
                           count_text(layout_->parameters.size()) + ", more were given");
  }
  return layout_->parameters[count_].bytes;
}

void KernelArgs::check_next(std::size_t bytes) const {
  const std::size_t expected = next_bytes();
  if (layout_->known && bytes != expected) [[unlikely]] {
    throw ArgumentMismatch("kernel " + readable_name(kernel_->name()) + ": argument " +
                           std::to_string(count_) + " (counted from 0) has " +
                           std::to_string(bytes) + " bytes, but the kernel's parameter has " +
                           std::to_string(expected));
  }
}

void KernelArgs::add(const void* value, std::size_t bytes, std::size_t alignment) {
  check_next(bytes);
  const std::size_t offset = layout_->known ? layout_->parameters[count_].offset
                                            : (bytes_ + alignment - 1) / alignment * alignment;
  const std::size_t end = offset + bytes;
  if (end > capacity_) [[unlikely]]
    grow(end);
  // Padding is read by the driver as well: let it be the same every time.
  if (offset > bytes_) std::memset(data_ + bytes_, 0, offset - bytes_);
  if (bytes != 0) std::memcpy(data_ + offset, value, bytes);
  bytes_ = end;
  ++count_;
}

void KernelArgs::grow(std::size_t needed) {
  if (needed > kMostBytes) {
    throw ArgumentMismatch("kernel " + readable_name(kernel_->name()) + ": the arguments take " +
                           std::to_string(needed) + " bytes, more than the " +
                           std::to_string(kMostBytes) + " that a launch can pass");
  }
  auto larger = std::make_unique<std::byte[]>(kMostBytes);
  std::memcpy(larger.get(), data_, bytes_);
  heap_ = std::move(larger);
  data_ = heap_.get();
  capacity_ = kMostBytes;
}

void KernelArgs::check_complete() const {
  if (!layout_->known || count_ == layout_->parameters.size()) return;
  throw ArgumentMismatch("kernel " + readable_name(kernel_->name()) + " takes " +
                         count_text(layout_->parameters.size()) + ", " + std::to_string(count_) +
                         (count_ == 1 ? " was given" : " were given"));
}

}  // namespace pycuda::cuda
