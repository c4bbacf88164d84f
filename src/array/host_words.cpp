// SPDX-License-Identifier: MIT
#include "array/host_words.h"

namespace pycuda::array {
namespace {

/// A line of memory each: words of neighbours do not slow one another.
constexpr std::uint32_t words_in_piece = 64, word_bytes = 64;

}  // namespace

HostWords::Word HostWords::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    const auto first = static_cast<std::uint32_t>(pieces_.size()) * words_in_piece;
    // Words go back where nothing may fail: there is room for all.
    free_.reserve(first + words_in_piece);
    pieces_.push_back(std::make_unique<cuda::PageLockedMemory>(
        std::size_t{words_in_piece} * word_bytes, CU_MEMHOSTALLOC_DEVICEMAP));
    for (std::uint32_t i = words_in_piece; i-- > 0;) free_.push_back(first + i);
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  *place(number) = 0;
  return {*this, number};
}

std::int32_t* HostWords::place(std::uint32_t number) const {
  const cuda::PageLockedMemory& piece = *pieces_[number / words_in_piece];
  return reinterpret_cast<std::int32_t*>(static_cast<char*>(piece.data()) +
                                         std::size_t{number % words_in_piece} * word_bytes);
}

HostWords::Word::~Word() {
  if (owner_ == nullptr) return;
  const std::lock_guard lock(owner_->mutex_);
  owner_->free_.push_back(number_);
}

CUdeviceptr HostWords::Word::pointer() const {
  const std::lock_guard lock(owner_->mutex_);
  // Devices see the host's memory at its own address.
  return reinterpret_cast<CUdeviceptr>(owner_->place(number_));
}

std::int32_t HostWords::Word::value() const {
  const std::lock_guard lock(owner_->mutex_);
  return *static_cast<volatile const std::int32_t*>(owner_->place(number_));
}

}  // namespace pycuda::array
