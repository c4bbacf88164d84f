// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>

#include "parsed.h"

using namespace pycuda::cpu::ptx;

namespace {

Module with_head(std::string_view text) { return parsed(std::string(kHead) + std::string(text)); }

Variable variable_of(std::string_view declaration) {
  Module module = with_head(declaration);
  REQUIRE(!module.variables.empty());
  return std::move(module.variables.back());
}

template <class T>
std::vector<T> values(const Variable& variable) {
  std::vector<T> result(variable.initial.size() / sizeof(T));
  if (!result.empty()) {
    std::memcpy(result.data(), variable.initial.data(), result.size() * sizeof(T));
  }
  return result;
}

std::string head_error(std::string_view text) {
  return error_of(std::string(kHead) + std::string(text));
}

}  // namespace

TEST_CASE("the head of a module is read") {
  const Module module = parsed(
      ".version 9.5 .target sm_90a, texmode_independent, debug\n"
      ".address_size 64 .file 3 \"a.cu\", 12, 34\n");
  CHECK(module.version_major == 9);
  CHECK(module.version_minor == 5);
  CHECK(module.target == "sm_90a");
  CHECK(module.architecture == 90);
  CHECK(module.debug);
  CHECK(module.independent_textures);
  CHECK(module.files.at(0).number == 3);
  CHECK(module.files.at(0).name == "a.cu");
}

TEST_CASE("addresses have 64 bits") {
  CHECK(error_of(".version 8.0\n.target sm_80\n.address_size 32\n") ==
        "3:15 only 64 is supported as the address size");
}

TEST_CASE("a text without version or target is an error, an empty one too") {
  CHECK(error_of("") == "1:1 expected '.version', found the end of the text");
  CHECK(error_of("hello") == "1:1 expected '.version', found 'hello'");
  CHECK(error_of(".version 8.0\n") == "0:0 the module has no .target");
  CHECK(error_of(".version 8\n.target sm_80") == "1:10 '8' is no PTX version");
  CHECK(error_of(".version 8.0 .target sm_80x") == "1:22 unknown target 'sm_80x'");
}

TEST_CASE("variables have size, alignment and linkage") {
  const Variable array = variable_of(".visible .const .align 16 .f32 a[2][3];");
  CHECK(array.space == Space::Const);
  CHECK(array.linkage == Linkage::Visible);
  CHECK(array.bytes == 24);
  CHECK(array.alignment == 16);
  CHECK(array.dimensions == std::vector<std::uint64_t>{2, 3});
  CHECK(variable_of(".global .f64 d;").alignment == 8);
  CHECK(variable_of(".global .v4 .f32 v;").bytes == 16);
  CHECK(variable_of(".global .v4 .f32 v;").alignment == 16);
  CHECK(variable_of(".global .attribute(.managed) .align 4 .u32 m;").managed);
  CHECK(variable_of(".common .global .u32 c;").linkage == Linkage::Common);
  CHECK(variable_of(".extern .shared .align 16 .b8 s[];").bytes == 0);
  CHECK(with_head(".global .u32 a, b[4], c;").variables.size() == 3);
  CHECK(variable_of(".global .u8 a[4 * (2 + 1)];").bytes == 12);
}

TEST_CASE("initialisers may be shorter than their array") {
  const Variable numbers = variable_of(".global .u32 n[8] = {1, 0x20, 017, 0b101, -1};");
  CHECK(values<std::uint32_t>(numbers) == std::vector<std::uint32_t>{1, 32, 15, 5, 0xFFFFFFFF});
  CHECK(numbers.bytes == 32);
  CHECK(values<float>(variable_of(".const .f32 f = 1.5;")) == std::vector<float>{1.5f});
  CHECK(values<double>(variable_of(".const .f64 f[] = {0d3FF0000000000000, 0f40000000, 3.0};")) ==
        std::vector<double>{1, 2, 3});
}

TEST_CASE("nested initialisers fill their rows") {
  const Variable rows = variable_of(".global .u8 a[2][3] = {{1}, {2, 3}};");
  CHECK(values<std::uint8_t>(rows) == std::vector<std::uint8_t>{1, 0, 0, 2, 3});
  const Variable flat = variable_of(".global .u8 a[2][3] = {1, 2, 3, 4};");
  CHECK(values<std::uint8_t>(flat) == std::vector<std::uint8_t>{1, 2, 3, 4});
  const Variable vectors = variable_of(".global .v2 .u16 a[] = {{1, 2}, {3}};");
  CHECK(values<std::uint16_t>(vectors) == std::vector<std::uint16_t>{1, 2, 3});
  CHECK(vectors.dimensions == std::vector<std::uint64_t>{2});
  CHECK(vectors.bytes == 8);
}

TEST_CASE("an open array gets its size from its values") {
  const Variable open = variable_of(".global .s16 a[] = {1, 2, 3};");
  CHECK(open.dimensions == std::vector<std::uint64_t>{3});
  CHECK(open.bytes == 6);
}

TEST_CASE("addresses in initialisers are kept as symbols") {
  const Module module = with_head(
      ".global .u32 a[4];\n"
      ".global .u64 p[5] = {a, a+8, generic(a)+4, a+-4, 7};\n"
      ".global .u8 b[3] = {0xFF(a), 0xFF00(a+1), 0xFF000000(generic(a))};\n"
      ".global .u64 self[1] = {self};");
  const auto& pointers = module.variables[1].initial_addresses;
  REQUIRE(pointers.size() == 4);
  CHECK(pointers[1].offset == 8);
  CHECK(pointers[1].addend == 8);
  CHECK(pointers[1].bytes == 8);
  CHECK(pointers[2].generic);
  CHECK(pointers[2].addend == 4);
  CHECK(pointers[3].addend == -4);
  CHECK(values<std::uint64_t>(module.variables[1])[4] == 7);
  const auto& bytes = module.variables[2].initial_addresses;
  REQUIRE(bytes.size() == 3);
  CHECK(bytes[1].shift == 8);
  CHECK(bytes[1].bytes == 1);
  CHECK(bytes[1].addend == 1);
  CHECK(bytes[2].shift == 24);
  CHECK(bytes[2].generic);
  CHECK(module.variables[3].initial_addresses.at(0).symbol.index == 3);
}

TEST_CASE("a table may name functions that come later") {
  const Module module = with_head(".global .u64 t[1] = {f};\n.func f() { ret; }");
  CHECK(module.variables[0].initial_addresses[0].symbol == SymbolRef{SymbolRef::Kind::Function, 0});
  CHECK(module.functions[0].is_defined);
  CHECK(head_error(".global .u64 t[1] = {f};") == "4:22 unknown name 'f'");
  CHECK(head_error(".global .u64 t[1] = {f};\n.global .u32 f;") ==
        "5:14 'f' is used before it is declared");
}

TEST_CASE("wrong initialisers are errors") {
  CHECK(head_error(".global .u32 a[2] = {1, 2, 3};") ==
        "4:21 more values than the array has elements");
  CHECK(head_error(".global .u32 a = 1.5;") ==
        "4:18 a variable of type .u32 cannot have this value");
  CHECK(head_error(".shared .u32 a = 1;").ends_with("can have an initialiser"));
  CHECK(head_error(".global .f16 a = 1;").ends_with("cannot have an initialiser"));
  CHECK(head_error(".global .u8 a[1] = {0xFFFF(b)};").find("mask") != std::string::npos);
  CHECK(head_error(".global .u8 a[1][1] = {{{1}}};").ends_with("braces around a single value"));
}

TEST_CASE("sizes that cannot be are errors") {
  CHECK(head_error(".global .u32 a[0x7fffffffffff];").find("an array size") != std::string::npos);
  CHECK(head_error(".global .u8 a[1000000][1000000][1000000];") == "4:13 the array is too large");
  CHECK(head_error(".global .align 3 .u32 a;") == "4:16 the alignment 3 is no power of two");
  CHECK(head_error(".global .pred a;").ends_with("cannot have the type .pred"));
  CHECK(head_error(".global .u8 a[-1];").find("an array size") != std::string::npos);
  CHECK(head_error(".global .u8 a[][];").find("first dimension") != std::string::npos);
}

TEST_CASE("names are declared once, an .extern declaration may come before") {
  CHECK(head_error(".global .u32 a;\n.global .u32 a;") == "5:14 'a' is defined twice");
  CHECK(head_error(".global .u32 a;\n.func a() {}") == "5:7 'a' is already the name of a variable");
  CHECK(head_error(".extern .global .u32 a;\n.global .u64 a;") ==
        "5:14 'a' differs from its earlier declaration");
  const Module module = with_head(".extern .global .u32 a;\n.visible .global .u32 a = 3;");
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].linkage == Linkage::Visible);
}

TEST_CASE("a texture of the old state space is a reference") {
  const Variable texture = variable_of(".tex .u32 image;");
  CHECK(texture.type == Type::TexRef);
  CHECK(texture.space == Space::Global);
  CHECK(texture.bytes == 8);
  CHECK(texture.alignment == 8);
}

TEST_CASE("references to textures and samplers keep their properties") {
  const Variable sampler =
      variable_of(".global .samplerref s = { addr_mode_0 = wrap, force_unnormalized_coords = 1 };");
  CHECK(sampler.type == Type::SamplerRef);
  REQUIRE(sampler.properties.size() == 2);
  CHECK(sampler.properties[0] == std::pair<std::string, std::string>("addr_mode_0", "wrap"));
}

TEST_CASE("parameters of both dialects have sizes") {
  const Module module = with_head(
      ".visible .entry k(.param .u64 .ptr .global .align 16 a, .param .u64 .ptr .align 1 b,\n"
      ".param .align 8 .b8 c[24], .param .f32 d, .param .u64 .ptr e)\n"
      ".maxntid 256, 2 .minnctapersm 3 .maxnreg 64 .maxnctapersm 2\n"
      ".explicitcluster .reqnctapercluster 2, 1, 1 .maxclusterrank 8 { ret; }\n"
      ".entry required() .reqntid 128 { ret; }");
  const Function& kernel = module.functions.at(0);
  REQUIRE(kernel.parameters.size() == 5);
  CHECK(kernel.parameters[0].bytes == 8);
  CHECK(kernel.parameters[2].bytes == 24);
  CHECK(kernel.parameters[2].is_array);
  CHECK(kernel.parameters[2].alignment == 8);
  CHECK(kernel.parameters[3].alignment == 4);
  CHECK(kernel.max_block[0] == 256);
  CHECK(kernel.max_block[2] == 1);
  CHECK(module.functions.at(1).required_block[0] == 128);
  CHECK(kernel.min_blocks == 3);
  CHECK(kernel.max_registers == 64);
  CHECK(kernel.explicit_cluster);
  CHECK(kernel.required_cluster[0] == 2);
  CHECK(kernel.max_cluster_rank == 8);
}

TEST_CASE("debug sections are skipped to their closing brace") {
  const Module module = with_head(
      ".section .debug_info {\n.b8 1, 2\nlabel:\n.b64 label\n}\n"
      ".func f() { ret; }");
  CHECK(module.functions.size() == 1);
  CHECK(head_error(".section .debug_info {\n.b8 1").ends_with("the section has no closing brace"));
}
