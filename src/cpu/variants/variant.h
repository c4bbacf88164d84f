// SPDX-License-Identifier: MIT
// The variants of a kernel's code, and the state of each.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>

#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/form.h"

namespace pycuda::cpu::variants {

/// One of the codes that a kernel can have.
class Variant {
 public:
  /// What is compiled when the kernel is first asked for: the forms that most launches need, or
  /// code of the baseline tier (KernelFacts::is_baseline).
  static constexpr Variant first() { return Variant(0); }
  /// Of a kernel whose first code is of the baseline tier: its vector code.
  static constexpr Variant vectors() { return Variant(1); }
  /// Of a kernel whose first code is a makeshift (KernelFacts::is_makeshift): what would have been
  /// its first code, had there been time. It may be baseline code in turn.
  static constexpr Variant usual() { return Variant(3); }
  /// Its stores go past the caches: for launches that write more than these hold.
  static constexpr Variant streaming() { return Variant(2); }
  /// A form that the first code, or the vector code that came later, lacks.
  static constexpr Variant of(Form form) { return Variant(forms + static_cast<unsigned>(form)); }
  /// Code that does these checks, in all forms.
  static constexpr Variant of(Checks checks) { return Variant(checked + checks.bits()); }
  /// The same in the forms that most launches need, and thread by thread.
  static constexpr Variant likely(Checks checks) { return Variant(likely_checked + checks.bits()); }
  static constexpr std::size_t count = 4 + form_count + 2 * Checks::set_count;

  constexpr std::size_t index() const { return index_; }
  constexpr bool is_form() const { return index_ >= forms && index_ < checked; }
  constexpr bool is_checked() const { return index_ >= checked; }
  constexpr Form form() const { return static_cast<Form>(index_ - forms); }
  constexpr bool is_likely() const { return index_ >= likely_checked; }
  constexpr Checks checks() const {
    return Checks::from_bits(index_ - (is_likely() ? likely_checked : checked));
  }
  constexpr auto operator<=>(const Variant&) const = default;

 private:
  static constexpr unsigned forms = 4, checked = forms + form_count;
  static constexpr unsigned likely_checked = checked + Checks::set_count;
  explicit constexpr Variant(unsigned index) : index_(static_cast<std::uint8_t>(index)) {}
  std::uint8_t index_;
};

enum class State : std::uint8_t {
  Missing,
  Making,  ///< a thread compiles it
  Ready,
  Failed,  ///< there never will be one
};

}  // namespace pycuda::cpu::variants
