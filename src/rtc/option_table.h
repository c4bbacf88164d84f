// SPDX-License-Identifier: MIT
// Every option of nvcc, and whether it is passed, mapped, dropped or rejected.
#pragma once

#include <span>
#include <string_view>

namespace pycuda::rtc {

enum class OptionValue {
  None,
  One,
  List,  ///< several, separated by commas
};

enum class OptionAction {
  Pass,  ///< to NVRTC
  Hint,  ///< to NVRTC, and without it if this NVRTC does not know it: the code is the same
  Map,   ///< to something else, which `options.cpp` does by the option's name
  Drop,
  Refuse,
};

struct NvccOption {
  std::string_view name;        ///< the long one, without its dashes
  std::string_view short_name;  ///< the one behind a single dash; empty if there is none
  OptionValue value;
  OptionAction action;
  /// Drop: why the code is the same without the option. Refuse: why, and what to do instead. A
  /// sentence's end, behind "the option -x is dropped: ".
  std::string_view note;
};

/// nvcc's options, those of older versions among them, and NVRTC's own.
std::span<const NvccOption> nvcc_options();

/// By either name; null for an unknown one.
const NvccOption* find_option(std::string_view name);

}  // namespace pycuda::rtc
