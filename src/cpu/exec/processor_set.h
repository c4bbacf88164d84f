// SPDX-License-Identifier: MIT
// Some of the workers, as the only ones that run certain kernels.
#pragma once

#include <cstdint>
#include <vector>

namespace pycuda::cpu::exec {

/// Numbers of workers. Immutable, and lives as long as the process: where there is no set, a null
/// pointer stands for all workers.
class ProcessorSet {
 public:
  /// The set of these (at least one); equal sets are one object.
  static const ProcessorSet* of(std::vector<unsigned> processors);

  bool contains(unsigned processor) const {
    const std::size_t word = processor / 64;
    return word < bits_.size() && (bits_[word] >> processor % 64 & 1) != 0;
  }
  /// In ascending order.
  const std::vector<unsigned>& processors() const { return processors_; }
  unsigned size() const { return static_cast<unsigned>(processors_.size()); }
  unsigned first() const { return processors_.front(); }

 private:
  explicit ProcessorSet(std::vector<unsigned> processors);

  std::vector<unsigned> processors_;
  std::vector<std::uint64_t> bits_;
};

/// Whether a worker may run what is limited to `processors`.
inline bool may_run(const ProcessorSet* processors, unsigned processor) {
  return processors == nullptr || processors->contains(processor);
}

}  // namespace pycuda::cpu::exec
