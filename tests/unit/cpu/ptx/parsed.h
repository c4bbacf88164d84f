// SPDX-License-Identifier: MIT
// PTX pieces as tests write them, parsed.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "cpu/ptx/parser.h"

namespace pycuda::cpu::ptx {

inline constexpr std::string_view kHead = ".version 8.8\n.target sm_100\n.address_size 64\n";

/// A module with what every piece may need in front of `body`, which begins at line 14.
inline std::string kernel_text(std::string_view body) {
  return std::string(kHead) +
         ".global .align 16 .b32 memory[16];\n"
         ".shared .align 16 .b32 staging[16];\n"
         ".visible .entry kernel(.param .u64 out) {\n"
         ".reg .pred %p<4>;\n"
         ".reg .b16 %h<4>;\n"
         ".reg .b32 %r<8>; .reg .s32 %s<4>;\n"
         ".reg .b64 %rd<4>;\n"
         ".reg .f32 %f<4>;\n"
         ".reg .f64 %d<4>;\n"
         ".reg .v4 .f32 %v<2>;\n" +
         std::string(body) + "\n}\n";
}

inline Module parsed(const std::string& text) {
  auto module = parse(text);
  REQUIRE_MESSAGE(module.ok(), to_text(module.error()));
  return std::move(module).value();
}

inline Function parsed_kernel(std::string_view body) {
  Module module = parsed(kernel_text(body));
  return std::move(module.functions.at(0));
}

/// The last instruction of `body`.
inline Instruction parsed_instruction(std::string_view body) {
  Function function = parsed_kernel(body);
  REQUIRE(!function.body.empty());
  return std::move(function.body.back());
}

inline Modifiers modifiers_of(std::string_view instruction) {
  return parsed_instruction(instruction).modifiers;
}

inline Diagnostics errors_of(const std::string& text) {
  auto module = parse(text);
  REQUIRE(!module.ok());
  return std::move(module.error());
}

/// "line:column message" of the only error.
inline std::string error_of(const std::string& text) {
  const Diagnostics errors = errors_of(text);
  CHECK_MESSAGE(errors.size() == 1, to_text(errors));
  return std::to_string(errors[0].position.line) + ':' + std::to_string(errors[0].position.column) +
         ' ' + errors[0].message;
}

}  // namespace pycuda::cpu::ptx
