// SPDX-License-Identifier: MIT
// Text fragments from which kernel sources are generated.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

#include "array/dtype.h"
#include "array/kernel_source.h"

namespace pycuda::array {

inline const char* c_name(DType type) { return facts(type).c_name; }
inline std::string number(std::size_t value) { return std::to_string(value); }

/// Packs small numbers into a key, lowest first.
class Packer {
 public:
  explicit Packer(unsigned family) { add(family, 3); }
  void add(unsigned value, int bits) {
    if (used_ + bits > 64) {
      word_ = 1;
      used_ = 0;
    }
    key_.words[word_] |= static_cast<std::uint64_t>(value) << used_;
    used_ += bits;
  }
  void add(DType type) { add(static_cast<unsigned>(type), 4); }
  void add(bool flag) { add(flag ? 1u : 0u, 1); }
  KernelNumber key() const { return key_; }

 private:
  KernelNumber key_;
  std::size_t word_ = 0;
  int used_ = 0;
};

/// All that the source of a kernel on `arrays` arrays depends on besides its body.
void add(Packer& packer, const ElementwiseAccess& access, std::size_t arrays);

/// The type and the variable of the k-th operand in the text of an operation: A a, B b ...; after z
/// with a number.
std::string operand_type(std::size_t k);
std::string operand_variable(std::size_t k);

/// Distinguishes kernels in profiles and error messages too.
std::string unique_name(const char* operation, const KernelNumber& key);

/// Types and structs that all kernels use, after the prelude: `index_t` and rows of numbers.
std::string index_types(bool wide);

/// The declaration of parameters for `ndim` lengths, that unravel() reads: Divisors, or u64 if
/// `wide`. Empty without dimensions; else begins with a comma.
std::string lengths_parameter(int ndim, bool wide, const std::string& name);
/// The same for strides in bytes of one array.
std::string strides_parameter(int ndim, const std::string& name);

/// Lines that take `linear` (an index_t) apart into byte offsets: `<prefix><k>` of `operands`
/// arrays grows by what `<strides><k>` says. The last dimension runs fastest.
std::string unravel(int ndim, std::size_t operands, bool wide, const std::string& linear,
                    const std::string& lengths, const std::string& strides,
                    const std::string& prefix);

}  // namespace pycuda::array
