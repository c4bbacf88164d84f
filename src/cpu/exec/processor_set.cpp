// SPDX-License-Identifier: MIT
// Sets, one object for equal ones.
#include "cpu/exec/processor_set.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

namespace pycuda::cpu::exec {

ProcessorSet::ProcessorSet(std::vector<unsigned> processors) : processors_(std::move(processors)) {
  bits_.resize(processors_.back() / 64 + 1);
  for (const unsigned processor : processors_)
    bits_[processor / 64] |= std::uint64_t{1} << processor % 64;
}

const ProcessorSet* ProcessorSet::of(std::vector<unsigned> processors) {
  std::ranges::sort(processors);
  static std::mutex mutex;  // protects `known`
  static auto& known = *new std::map<std::vector<unsigned>, const ProcessorSet*>;
  const std::lock_guard lock(mutex);
  const ProcessorSet*& set = known[processors];
  if (set == nullptr) set = new ProcessorSet(std::move(processors));
  return set;
}

}  // namespace pycuda::cpu::exec
