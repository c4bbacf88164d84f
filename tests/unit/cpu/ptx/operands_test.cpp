// SPDX-License-Identifier: MIT
#include "cpu/ptx/special_registers.h"
#include "parsed.h"

using namespace pycuda::cpu::ptx;

namespace {

Operand operand_of(std::string_view instruction, std::size_t index) {
  return parsed_instruction(instruction).operands.at(index);
}

}  // namespace

TEST_CASE("registers resolve to their declaration, ranges included") {
  const Function function = parsed_kernel("mov.b32 %r7, %r0;");
  const auto& operands = function.body[0].operands;
  CHECK(operands[0].kind == Operand::Kind::Register);
  CHECK(function.registers[operands[0].reg].name == "%r7");
  CHECK(function.registers[operands[1].reg].type == Type::B32);
  CHECK(error_of(kernel_text("mov.b32 %r1, %r8;")) == "14:14 unknown register '%r8'");
  const Function padded = parsed_kernel("mov.b32 %r07, %r0;");
  CHECK(padded.registers[padded.body[0].operands[0].reg].name == "%r7");
}

TEST_CASE("guards are predicates, negated or not") {
  const Instruction instruction = parsed_instruction("@!%p2 ret;");
  CHECK(instruction.guard == 2);
  CHECK(instruction.guard_negated);
  CHECK(parsed_instruction("@%p2 ret;").guard_negated == false);
  CHECK(!parsed_instruction("ret;").guard);
  CHECK(error_of(kernel_text("@%r1 ret;")) == "14:2 '%r1' is no predicate register");
}

TEST_CASE("special registers come with component or number") {
  CHECK(operand_of("mov.u32 %r1, %tid.y;", 1).special == SpecialRegister::TidY);
  CHECK(operand_of("mov.u32 %r1, %nctaid.z;", 1).special == SpecialRegister::NCtaIdZ);
  CHECK(operand_of("mov.u32 %r1, %envreg31;", 1).index == 31);
  CHECK(operand_of("mov.u64 %rd1, %clock64;", 1).special == SpecialRegister::Clock64);
  CHECK(operand_of("mov.u32 %r1, %tid.w;", 1).kind == Operand::Kind::Integer);
  CHECK(operand_of("mov.v4.u32 {%r1, %r2, %r3, %r4}, %tid;", 1).elements.size() == 4);
  CHECK(error_of(kernel_text("mov.u32 %r1, %tid.q;")) ==
        "14:18 '%tid' has the components .x, .y, .z and .w");
  CHECK(error_of(kernel_text("mov.u32 %r1, %envreg32;")) == "14:14 unknown register '%envreg32'");
}

TEST_CASE("names of special registers can be printed and found again") {
  for (unsigned i = 0; i <= static_cast<unsigned>(SpecialRegister::PerformanceMonitor); ++i) {
    const auto special = static_cast<SpecialRegister>(i);
    if (special == SpecialRegister::WarpSize) continue;  // a constant, not a register
    const std::string name = name_of(special, 1);
    CAPTURE(name);
    const std::string base = name.substr(0, name.find('.'));
    const auto found = find_special_register(base);
    REQUIRE(found);
    if (!found->has_components) CHECK(found->special == special);
  }
}

TEST_CASE("immediates are integers or bit patterns of floats") {
  const Operand negative = operand_of("mov.u32 %r1, -5;", 1);
  CHECK(negative.kind == Operand::Kind::Integer);
  CHECK(static_cast<std::int64_t>(negative.bits) == -5);
  CHECK(operand_of("mov.u32 %r1, 5U;", 1).is_unsigned_literal);
  CHECK(operand_of("mov.u32 %r1, WARP_SZ;", 1).bits == 32);
  const Operand single = operand_of("mov.f32 %f1, 0fBF800000;", 1);
  CHECK(single.kind == Operand::Kind::Float);
  CHECK(single.literal == Type::F32);
  CHECK(single.bits == 0xBF800000);
  CHECK(operand_of("mov.f32 %f1, -0f3F800000;", 1).bits == 0xBF800000);
  CHECK(operand_of("mov.f64 %d1, 1.5;", 1).bits == 0x3FF8000000000000);
  CHECK(operand_of("mov.f64 %d1, .5;", 1).bits == 0x3FE0000000000000);
}

TEST_CASE("constant expressions follow C's precedences and PTX's signs") {
  const auto value = [](const std::string& text) {
    return static_cast<std::int64_t>(operand_of("mov.u64 %rd1, " + text + ";", 1).bits);
  };
  CHECK(value("1 + 2 * 3") == 7);
  CHECK(value("(1 + 2) * 3") == 9);
  CHECK(value("1 << 2 + 1") == 8);
  CHECK(value("7 & 3 | 8 ^ 1") == 11);
  CHECK(value("-7 / 2") == -3);
  CHECK(value("-7 % 4") == -3);
  CHECK(value("-8 >> 1") == -4);
  CHECK(value("~0") == -1);
  CHECK(value("!3") == 0);
  CHECK(value("1 < 2 && 3 >= 4") == 0);
  CHECK(value("1 == 1 ? 10 : 20") == 10);
  CHECK(value("-1 < 0U") == 0);
  CHECK(value("(.u64) -1 >> 63") == 1);
  CHECK(value("0x8000000000000000 / -1") == 0);
  CHECK(error_of(kernel_text("mov.u32 %r1, 1 / 0;"))
            .ends_with("division by zero in a constant expression"));
  CHECK(error_of(kernel_text("mov.u32 %r1, 1 + 1.0;"))
            .ends_with("cannot mix integers and floating-point numbers"));
}

TEST_CASE("nesting of constant expressions has a limit") {
  const std::string deep(100000, '(');
  CHECK(error_of(kernel_text("mov.u32 %r1, " + deep + "1;"))
            .ends_with("the constant expression is nested too deeply"));
  CHECK(error_of(kernel_text("mov.u32 %r1, " + std::string(100000, '-') + "1;"))
            .ends_with("the constant expression is nested too deeply"));
}

TEST_CASE("addresses have a register, a symbol or nothing, and an offset") {
  const Operand plain = operand_of("ld.global.u32 %r1, [%rd1];", 1);
  CHECK(plain.kind == Operand::Kind::Address);
  CHECK(plain.has_register_base);
  CHECK(plain.offset == 0);
  CHECK(operand_of("ld.global.u32 %r1, [%rd1+8];", 1).offset == 8);
  CHECK(operand_of("ld.global.u32 %r1, [%rd1+-4];", 1).offset == -4);
  CHECK(error_of(kernel_text("ld.global.u32 %r1, [%rd1-4];")) == "14:25 expected ']', found '-'");
  const Operand symbol = operand_of("ld.global.u32 %r1, [memory+8];", 1);
  CHECK(symbol.symbol == SymbolRef{SymbolRef::Kind::ModuleVariable, 0});
  CHECK(symbol.offset == 8);
  CHECK(!symbol.has_register_base);
  CHECK(operand_of("ld.param.u64 %rd1, [out];", 1).symbol ==
        SymbolRef{SymbolRef::Kind::Parameter, 0});
  const Operand absolute = operand_of("ld.local.u32 %r1, [16];", 1);
  CHECK(absolute.offset == 16);
  CHECK(!absolute.symbol);
}

TEST_CASE("symbols are operands too, with an offset") {
  const Operand operand = operand_of("mov.u64 %rd1, memory+4;", 1);
  CHECK(operand.kind == Operand::Kind::Symbol);
  CHECK(operand.offset == 4);
}

TEST_CASE("vectors, sinks and pairs") {
  const Operand vector = operand_of("mov.b64 {%r1, _}, %rd1;", 0);
  CHECK(vector.kind == Operand::Kind::Vector);
  REQUIRE(vector.elements.size() == 2);
  CHECK(vector.elements[1].kind == Operand::Kind::Sink);
  const Operand pair = operand_of("setp.eq.s32 %p1|%p2, %r1, %r2;", 0);
  CHECK(pair.kind == Operand::Kind::Pair);
  CHECK(pair.elements.at(1).reg == pair.elements.at(0).reg + 1);
  CHECK(operand_of("setp.eq.and.s32 %p1, %r1, %r2, !%p3;", 3).negated);
}

TEST_CASE("components of vector registers and selectors of video instructions") {
  CHECK(operand_of("mov.f32 %f1, %v1.z;", 1).component == 2);
  CHECK(operand_of("mov.f32 %f1, %v1.a;", 1).component == 3);
  const Operand half = operand_of("vadd.s32.s32.s32 %r1, %r2.h1, %r3.b0;", 1);
  CHECK(half.selector.unit == Selector::Unit::Half);
  CHECK(half.selector.indices[0] == 1);
  const Operand bytes = operand_of("vadd4.u32.u32.u32 %r1, %r2.b7654, %r3, %r4;", 1);
  CHECK(bytes.selector.count == 4);
  CHECK(bytes.selector.indices[3] == 4);
  CHECK(error_of(kernel_text("mov.f32 %f1, %f2.x;")) == "14:17 '.x' is no part of '%f2'");
}

TEST_CASE("texture coordinates stand in the brackets") {
  const Operand coordinates =
      operand_of("tex.2d.v4.f32.f32 {%f0,%f1,%f2,%f3}, [%rd1, {%f0, %f1}];", 1);
  CHECK(coordinates.kind == Operand::Kind::TexCoords);
  REQUIRE(coordinates.elements.size() == 2);
  CHECK(coordinates.elements[1].kind == Operand::Kind::Vector);
}

TEST_CASE("too few or too many operands or types are errors") {
  CHECK(error_of(kernel_text("add.u32 %r1, %r2;")) == "14:1 'add.u32' takes 3 operands, not 2");
  CHECK(error_of(kernel_text("add %r1, %r2, %r3;")) == "14:1 'add' takes 1 to 2 types, not 0");
  CHECK(error_of(kernel_text("ret %r1;")) == "14:1 'ret' takes 0 operands, not 1");
  CHECK(error_of(kernel_text("dp4a.u32 %r1, %r2, %r3, %r4;")) ==
        "14:1 'dp4a.u32' takes 2 types, not 1");
}
