// SPDX-License-Identifier: MIT
#include "array/host_words.h"

namespace pycuda::array {

HostWords::Word HostWords::take() {
  /// A line of memory each: words of neighbours do not slow one another.
  constexpr std::size_t words_in_piece = 64, word_bytes = 64;
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    // Words go back where nothing may fail: there is room for all.
    free_.reserve((pieces_.size() + 1) * words_in_piece);
    pieces_.push_back(std::make_unique<cuda::PageLockedMemory>(words_in_piece * word_bytes,
                                                               CU_MEMHOSTALLOC_DEVICEMAP));
    auto* const first = static_cast<char*>(pieces_.back()->data());
    for (std::size_t i = words_in_piece; i-- > 0;)
      free_.push_back(reinterpret_cast<std::int32_t*>(first + i * word_bytes));
  }
  volatile std::int32_t* const place = free_.back();
  free_.pop_back();
  *place = 0;
  return {*this, place};
}

HostWords::Word::~Word() {
  if (owner_ == nullptr) return;
  const std::lock_guard lock(owner_->mutex_);
  owner_->free_.push_back(place_);
}

}  // namespace pycuda::array
