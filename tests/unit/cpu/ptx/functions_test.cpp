// SPDX-License-Identifier: MIT
#include "parsed.h"

using namespace pycuda::cpu::ptx;

namespace {

Module with_head(std::string_view text) { return parsed(std::string(kHead) + std::string(text)); }

std::string head_error(std::string_view text) {
  return error_of(std::string(kHead) + std::string(text));
}

}  // namespace

TEST_CASE("a function declared first and defined later is one function") {
  const Module module = with_head(
      ".func f (.param .b64 a) .noreturn;\n"
      ".visible .func f (.param .b64 y) { ret; }\n"
      ".func f (.param .b64 a);");
  REQUIRE(module.functions.size() == 1);
  const Function& function = module.functions[0];
  CHECK(function.is_defined);
  CHECK(function.linkage == Linkage::Visible);
  CHECK(function.noreturn);
  CHECK(function.parameters[0].name == "y");
  CHECK(function.body.size() == 1);
}

TEST_CASE("definitions that do not match are errors") {
  CHECK(head_error(".func f (.param .b64 a);\n.func f (.param .b32 a) { ret; }") ==
        "5:7 'f' differs in its parameters from its earlier declaration");
  CHECK(head_error(".func f () { ret; }\n.func f () { ret; }") == "5:7 'f' is defined twice");
  CHECK(head_error(".extern .func f () { ret; }") == "4:15 'f' is .extern and cannot have a body");
}

TEST_CASE("calls have results, callee and arguments in every form") {
  const Module module = with_head(
      ".func plain () { ret; }\n"
      ".func (.reg .b32 r) add1 (.reg .b32 a) { add.s32 r, a, 1; ret; }\n"
      ".func main () { .reg .b32 x; .reg .pred p; call plain; call.uni plain, (); @p call (x), "
      "add1, (5); }");
  const Function& main = module.functions.at(2);
  REQUIRE(main.body.size() == 3);
  CHECK(main.body[1].modifiers.uni);
  const Call& call = *main.body[2].call;
  CHECK(call.callee.symbol == SymbolRef{SymbolRef::Kind::Function, 1});
  CHECK(call.results.at(0).kind == Operand::Kind::Register);
  CHECK(call.arguments.at(0).bits == 5);
  CHECK(module.functions[1].parameters[0].is_register);
  CHECK(module.functions[1].registers.at(module.functions[1].parameters[0].reg).name == "a");
}

TEST_CASE("calls through registers name a prototype or targets") {
  const Module module = with_head(
      ".func f (.param .b32 a) { ret; }\n"
      ".func main () { .reg .b64 p; .param .b32 x;\n"
      "mov.u64 p, f;\n"
      "proto: .callprototype _ (.param .b32 _);\n"
      "call p, (x), proto;\n"
      "list: .calltargets f;\n"
      "call p, (x), list; }");
  const Function& main = module.functions.at(1);
  CHECK(main.body[1].call->prototype == 0);
  CHECK(main.prototypes.at(0).parameters.size() == 1);
  CHECK(main.body[2].call->targets == std::vector<std::uint32_t>{0});
  CHECK(head_error(".func main () { .reg .b64 p;\ncall p; }") ==
        "5:6 a call through a register needs a .callprototype or .calltargets");
}

TEST_CASE("calls with the wrong number of arguments are errors") {
  CHECK(head_error(".func f (.param .b32 a) { ret; }\n.func g () { call f; }")
            .starts_with("5:14 the call passes 0"));
}

TEST_CASE("what a call passes has the size that the function says") {
  const auto error = [](const std::string& header, const std::string& operands) {
    return head_error(".func " + header +
                      " { ret; }\n"
                      ".func g () { .reg .b16 h; .reg .b32 r; .reg .b64 rd; .reg .pred p; "
                      ".param .b8 b; .param .b32 w; .param .b64 d; .param .align 4 .b8 a4[4]; "
                      ".param .align 8 .b8 a8[8];\n" +
                      operands + "; }");
  };
  CHECK(error("(.param .align 8 .b8 o[4096]) f (.reg .b64 n)", "call (w), f, (20)") ==
        "6:1 result 1 of the call of 'f' is 4 bytes, and the function has an array of 4096 bytes "
        "there");
  CHECK(error("(.param .b32 o) f (.param .b32 i)", "call (r), f, (rd)") ==
        "6:1 argument 1 of the call of 'f' is a register of 64 bits, and the function has 4 bytes "
        "there");
  for (const char* argument : {"rd", "h", "p", "d", "b", "a4", "a8"}) {
    CHECK(error("f (.param .b32 i)", "call f, (" + std::string(argument) + ")")
              .starts_with("6:1 argument 1 of the call of 'f' is "));
  }
  for (const char* result : {"r", "h", "w", "b", "a8"}) {
    CHECK(error("(.param .b64 o) f ()", "call (" + std::string(result) + "), f")
              .starts_with("6:1 result 1 of the call of 'f' is "));
  }
  for (const char* argument : {"d", "a4", "r", "5"}) {
    CHECK(error("f (.param .align 8 .b8 i[8])", "call f, (" + std::string(argument) + ")")
              .find("array of 8 bytes") != std::string::npos);
  }
  CHECK(error("f (.param .b32 i)", "proto: .callprototype _ (.param .b64 _);\ncall f, (w), proto")
            .find("call of '.callprototype'") != std::string::npos);
  CHECK(error("f (.param .b64 i)",
              "list: .calltargets g2, f;\ncall rd, (w), list; }\n"
              ".func g2 (.param .b32 i) { ret")
            .find("argument 1 of the call of 'f'") != std::string::npos);
  CHECK(error("f (.param .b64 i)",
              "call alias, (w); }\n.func alias (.param .b32 i);\n"
              ".alias alias, f;\n.func g2 () { ret")
            .find("argument 1 of the call of 'f'") != std::string::npos);
  with_head(
      ".func (.param .b32 o) f (.param .b64 a, .param .align 8 .b8 b[8], .param .b8 c, .param "
      ".f32 d, .param .b8 e[]) { ret; }\n"
      ".func (.reg .pred o) taker (.reg .pred i, .reg .f32 j) { ret; }\n"
      ".func g () { .reg .b16 h; .reg .b32 r; .reg .b64 rd; .reg .f32 s; .reg .pred p; .param "
      ".align 8 .b32 a8[2]; .param .b8 c; .param .f32 w; .param .b64 d; .param .b8 e[9];\n"
      "call (w), f, (d, a8, c, w, e); call (_), f, (rd, a8, 1, 1.5, e); call (s), f, (5, a8, c, r, "
      "e); call (p), taker, (p, r); }");
}

TEST_CASE("functions may be called before they are declared, but must be declared") {
  const Module module = with_head(".func g () { call f; }\n.func f () { ret; }");
  CHECK(module.functions.size() == 2);
  CHECK(module.functions[module.functions[0].body[0].call->callee.symbol->index].name == "f");
  CHECK(head_error(".func g () { call f; }") == "4:19 unknown name 'f'");
}

TEST_CASE("inner scopes shadow names and end") {
  const Function function =
      parsed_kernel(".reg .u32 a;\nmov.u32 a, 1;\n{ .reg .u64 a; mov.u64 a, 2; }\nmov.u32 a, 3;");
  const auto reg = [&](std::size_t i) { return function.body[i].operands[0].reg; };
  CHECK(reg(0) == reg(2));
  CHECK(reg(1) != reg(0));
  CHECK(function.registers[reg(1)].type == Type::U64);
  CHECK(error_of(kernel_text("{ .reg .u32 inner; }\nmov.u32 inner, 1;")) ==
        "15:9 unknown name 'inner'");
  CHECK(error_of(kernel_text(".reg .u32 a, a;")) == "14:14 'a' is declared twice in one scope");
}

TEST_CASE("local variables of call sequences repeat their names") {
  const Function function = parsed_kernel(
      "{ .param .b32 p0; st.param.b32 [p0], 1; }\n{ .param .b64 p0; st.param.b64 [p0], 2; }");
  REQUIRE(function.variables.size() == 2);
  CHECK(function.body[0].operands[0].symbol == SymbolRef{SymbolRef::Kind::LocalVariable, 0});
  CHECK(function.body[1].operands[0].symbol == SymbolRef{SymbolRef::Kind::LocalVariable, 1});
}

TEST_CASE("dynamic shared memory is declared outside of functions") {
  CHECK(head_error(".entry k() {\n.extern .shared .align 16 .b8 dynamic[]; }") ==
        "5:1 unknown directive '.extern' in a function");
}

TEST_CASE("labels are found before and after their use and belong to their scope") {
  const Function function = parsed_kernel(
      "top: bra end;\n"
      "{ again: @%p1 bra again; bra end; }\n"
      "{ again: @%p1 bra again; bra top; }\n"
      "end: ret;");
  const auto target = [&](std::size_t i) {
    return function.labels.at(function.body[i].operands[0].label).instruction;
  };
  CHECK(target(0) == 5);
  CHECK(target(1) == 1);
  CHECK(target(2) == 5);
  CHECK(target(3) == 3);
  CHECK(target(4) == 0);
  CHECK(error_of(kernel_text("bra nowhere;")) == "14:5 the label 'nowhere' is not defined");
  CHECK(error_of(kernel_text("a: ret;\na: ret;")) == "15:1 the label 'a' is defined twice");
  CHECK(error_of(kernel_text("{ inner: ret; }\nbra inner;")) ==
        "15:5 the label 'inner' is not defined");
}

TEST_CASE("brx.idx has the labels of its list") {
  const Function function =
      parsed_kernel("list: .branchtargets a, b, a;\nbrx.idx %r1, list;\na: ret;\nb: ret;");
  const Instruction& branch = function.body[0];
  REQUIRE(branch.targets.size() == 3);
  CHECK(function.labels[branch.targets[1]].name == "b");
  CHECK(branch.targets[0] == branch.targets[2]);
  CHECK(branch.operands.size() == 1);
  CHECK(error_of(kernel_text("a: brx.idx %r1, a;")).find(".branchtargets") != std::string::npos);
}

TEST_CASE("source lines stay until the next .loc") {
  const Function function = parsed_kernel(
      ".loc 1 10 5\nmov.u32 %r1, 1;\nmov.u32 %r2, 2;\n"
      ".loc 2 20 1, function_name $L__info_string0+4, inlined_at 1 11 3\nret;");
  CHECK(function.body[1].source_line == 10);
  CHECK(function.body[2].source_file == 2);
  CHECK(function.body[2].source_line == 20);
}

TEST_CASE("code inlined from headers of CUDA has the line of the user's call") {
  const auto line_of = [](const char* path) {
    const Module module = with_head(
        (".visible .entry k () {\n.reg .b32 %r<2>;\n.loc 1 7 3\nmov.u32 %r0, 1;\n"
         ".loc 2 136 5, function_name $L__info_string0, inlined_at 1 7 3\nmov.u32 %r0, 2;\n"
         ".loc 3 866 5, function_name $L__info_string1, inlined_at 2 136 5\nmov.u32 %r1, 2;\n"
         "ret;\n}\n.file 1 \"kernel.cu\"\n.file 2 \"" +
         std::string(path) + "curand_uniform.h\"\n.file 3 \"" + path + "curand_kernel.h\"\n")
            .c_str());
    const Instruction& last = module.functions.at(0).body.at(2);
    return std::to_string(last.source_file) + ":" + std::to_string(last.source_line);
  };
  for (const char* const toolkit :
       {"/home/me/nvidia/cu13/include/", "/usr/local/cuda/include/",
        "/usr/local/cuda-12.4/include/", "/opt/cuda/targets/x86_64-linux/include/"})
    CHECK(line_of(toolkit) == "1:7");
  for (const char* const own : {"", "/home/me/include/", "/home/me/cuda-course/include/", "cuda/"})
    CHECK(line_of(own) == "3:866");
}

TEST_CASE("an alias stands for another function") {
  const Module module = with_head(".func f () { ret; }\n.visible .func g ();\n.alias g, f;");
  CHECK(module.functions.at(1).alias_of == 0);
  CHECK(head_error(".func f () { ret; }\n.func g () { ret; }\n.alias g, f;")
            .find("defined already") != std::string::npos);
}

TEST_CASE("too many registers, and scopes nested without end, are errors") {
  CHECK(error_of(kernel_text(".reg .b32 %x<4000000000>;")) ==
        "14:11 too many registers in one function");
  CHECK(errors_of(kernel_text(std::string(100000, '{'))).size() <= 20);
  CHECK(errors_of(kernel_text(std::string(100000, '}'))).size() <= 20);
}

TEST_CASE("a block's extents are above 0 and stand in one directive") {
  const auto error = [](const std::string& directives) {
    return head_error(".entry f () " + directives + " { ret; }");
  };
  for (const char* directive : {".maxntid ", ".reqntid "}) {
    CHECK(error(directive + std::string("0")) == "4:22 the extents of a block are not 0");
    CHECK(error(directive + std::string("32, 0")) == "4:22 the extents of a block are not 0");
  }
  CHECK(error(".maxntid 32 .reqntid 32").ends_with("cannot have both .maxntid and .reqntid"));
  CHECK(error(".reqntid 32 .maxntid 64").ends_with("cannot have both .maxntid and .reqntid"));
  CHECK(with_head(".entry f () .maxntid 32, 4 { ret; }").functions[0].max_block[1] == 4);
}

TEST_CASE("a pragma of ours makes the largest block the only one") {
  const auto blocks = [](const std::string& directives, const std::string& pragma) {
    const Module module =
        with_head(".entry f () " + directives + " { .pragma \"" + pragma + "\"; ret; }");
    const Function& kernel = module.functions.at(0);
    return std::vector<std::uint32_t>{kernel.max_block[0], kernel.required_block[0],
                                      kernel.required_block[1], kernel.required_block[2]};
  };
  using Extents = std::vector<std::uint32_t>;
  CHECK(blocks(".maxntid 32, 4", "pycuda_fixed_block") == Extents{0, 32, 4, 1});
  CHECK(blocks(".maxntid 32", "of another")[1] == 0);
  CHECK(blocks("", "pycuda_fixed_block")[1] == 0);
  CHECK(blocks(".reqntid 64", "pycuda_fixed_block")[1] == 64);
}

TEST_CASE("the parameters of a kernel have a size, and a limit together") {
  const auto module = [](const char* version, const std::string& parameters) {
    return std::string(".version ") + version + "\n.target sm_80\n.address_size 64\n.entry k(" +
           parameters + ") { ret; }";
  };
  CHECK(parse(module("8.0", ".param .align 4 .b8 q[4352]")).ok());
  CHECK(parse(module("8.1", ".param .align 4 .b8 q[32764]")).ok());
  CHECK(error_of(module("8.0", ".param .align 1 .b8 q[4345], .param .u64 p")) ==
        "4:8 kernel 'k' has too many bytes of parameters: 4352 are allowed");
  CHECK(error_of(module("9.0", ".param .b8 q[32757], .param .u64 p")) ==
        "4:8 kernel 'k' has too many bytes of parameters: 32764 are allowed");
  CHECK(error_of(module("8.6", ".param .align 1 .b8 q[4294967304], .param .u64 p"))
            .find("too many bytes") != std::string::npos);
  CHECK(error_of(module("8.6", ".param .b8 q[]")) ==
        "4:8 the parameter 'q' of kernel 'k' has no size");
}
