// SPDX-License-Identifier: MIT
#include "cpu/exec/device_error_texts.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cpu/exec/address_table.h"

namespace pycuda::cpu::exec {
namespace {

struct Texts {
  std::uint32_t error;
  char name[48];
  char text[48];
};

constexpr Texts unlisted{0, "cudaErrorUnknown", "unrecognized error code"};

const std::array all_texts = {
    Texts{0, "cudaSuccess", "no error"},
#define PYCUDA_DEVICE_ERROR(NUMBER, NAME, TEXT) Texts{NUMBER, "cudaError" #NAME, TEXT},
#include "cpu/exec/device_errors.def"
#undef PYCUDA_DEVICE_ERROR
    unlisted,
};

const Texts& texts_of(std::uint32_t error) {
  static const bool readable = [] {
    AddressTable::instance().insert({reinterpret_cast<std::uintptr_t>(all_texts.data()),
                                     sizeof all_texts, MemoryKind::Texts, 0, nullptr, 0});
    return true;
  }();
  static_cast<void>(readable);
  const auto* const found = std::find_if(all_texts.begin(), all_texts.end() - 1,
                                         [&](const Texts& texts) { return texts.error == error; });
  return *found;
}

}  // namespace

const char* device_error_name(std::uint32_t error) { return texts_of(error).name; }
const char* device_error_text(std::uint32_t error) { return texts_of(error).text; }

}  // namespace pycuda::cpu::exec
