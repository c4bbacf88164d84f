// SPDX-License-Identifier: MIT
#include "cpu/ptx/link.h"

#include "cpu/ptx/device_runtime.h"
#include "parsed.h"

using namespace pycuda::cpu::ptx;

namespace {

LinkInput input(std::string name, std::string_view text) {
  return {std::move(name), std::string(kHead) + std::string(text)};
}

Module linked(const std::vector<LinkInput>& inputs) {
  const auto text = link(inputs);
  REQUIRE_MESSAGE(text.ok(), to_text(text.error()));
  return parsed(*text);
}

std::string link_error(const std::vector<LinkInput>& inputs) {
  const auto text = link(inputs);
  REQUIRE(!text.ok());
  CHECK_MESSAGE(text.error().size() == 1, to_text(text.error()));
  return text.error()[0].message;
}

std::uint64_t first_word(const Variable& variable) {
  std::uint64_t word = 0;
  for (std::size_t i = variable.initial.size(); i-- > 0;) {
    word = word << 8 | static_cast<std::uint64_t>(variable.initial[i]);
  }
  return word;
}

}  // namespace

TEST_CASE("a call meets the function of another module") {
  const Module module =
      linked({input("a",
                    ".extern .func (.param .b32 r) f (.param .b32 x);\n"
                    ".visible .entry k() { .param .b32 p; .param .b32 q; st.param.b32 [p], 1; call "
                    "(q), f, (p); }"),
              input("b", ".visible .func (.param .b32 r) f (.param .b32 x) { ret; }")});
  const Function* kernel = module.find_function("k");
  REQUIRE(kernel);
  const auto& callee = module.functions[kernel->body[1].call->callee.symbol->index];
  CHECK(callee.name == "f");
  CHECK(callee.is_defined);
}

TEST_CASE("a caller may expect a result of a function without one, and ignore one") {
  const LinkInput expects =
      input("expects",
            ".extern .func (.param .b64 r) f (.param .b32 x);\n"
            ".visible .entry k() { .param .b32 p; .param .b64 q; st.param.b32 [p], 1; call (q), f, "
            "(p); }");
  const LinkInput ignores =
      input("ignores",
            ".extern .func f (.param .b32 x);\n"
            ".visible .entry m() { .param .b32 p; st.param.b32 [p], 1; call f, (p); }");
  const auto results = [](const Module& module, std::string_view kernel) {
    const Function* caller = module.find_function(kernel);
    REQUIRE(caller);
    return caller->body[1].call->results;
  };
  const LinkInput without = input("without", ".visible .func f (.param .b32 x) { ret; }");
  const LinkInput with = input("with", ".visible .func (.param .b64 r) f (.param .b32 x) { ret; }");
  for (const auto& inputs :
       {std::vector{expects, ignores, without}, std::vector{without, ignores, expects}}) {
    const Module module = linked(inputs);
    CHECK(results(module, "k").empty());
    CHECK(results(module, "m").empty());
  }
  for (const auto& inputs :
       {std::vector{ignores, expects, with}, std::vector{with, expects, ignores}}) {
    const Module module = linked(inputs);
    REQUIRE(results(module, "k").size() == 1);
    CHECK(results(module, "k")[0].kind == Operand::Kind::Symbol);
    REQUIRE(results(module, "m").size() == 1);
    CHECK(results(module, "m")[0].kind == Operand::Kind::Sink);
  }
  CHECK(link_error({expects,
                    input("other", ".visible .func (.param .b32 r) f (.param .b32 x) { ret; }")}) ==
        "'f' is declared differently in 'other' and in 'expects'");
}

TEST_CASE("variables meet their definitions, in initialisers too") {
  const Module module = linked(
      {input("a",
             ".extern .global .u32 v;\n.global .u64 p = v;\n"
             ".visible .entry k() { .reg .b32 a; ld.global.u32 a, [v]; ld.global.u32 a, [p]; }"),
       input("b", ".global .u32 other = 7;\n.visible .global .u32 v = 5;")});
  const Variable* variable = module.find_variable("v");
  REQUIRE(variable);
  CHECK(first_word(*variable) == 5);
  const auto& pointed = module.find_variable("p")->initial_addresses.at(0).symbol;
  CHECK(module.variables[pointed.index].name == "v");
  const Instruction& load = module.find_function("k")->body[0];
  CHECK(module.variables[load.operands[1].symbol->index].name == "v");
}

TEST_CASE("names without linkage do not meet") {
  const Module module = linked({input("a",
                                      ".global .u32 v = 1;\n.func f() { ret; }\n.visible .entry "
                                      "k() { .reg .b32 a; ld.global.u32 a, [v]; call f; }"),
                                input("b",
                                      ".global .u32 v = 2;\n.func f() { trap; }\n.visible .entry "
                                      "l() { .reg .b32 a; ld.global.u32 a, [v]; call f; }"),
                                input("c", ".visible .global .u32 v = 3;")});
  CHECK(module.variables.size() == 3);
  const auto loaded = [&](const char* kernel) {
    const Instruction& load = module.find_function(kernel)->body[0];
    return first_word(module.variables[load.operands[1].symbol->index]);
  };
  const auto called = [&](const char* kernel) {
    const Instruction& call = module.find_function(kernel)->body[1];
    return module.functions[call.call->callee.symbol->index].body[0].opcode;
  };
  CHECK(loaded("k") == 1);
  CHECK(loaded("l") == 2);
  CHECK(first_word(*module.find_variable("v")) == 3);
  CHECK(called("k") == Opcode::ret);
  CHECK(called("l") == Opcode::trap);
}

TEST_CASE("weak definitions give way, common ones join") {
  const Module module = linked(
      {input("a", ".weak .global .u32 v = 1;\n.weak .func f() { ret; }\n.common .global .b8 c[4];"),
       input("b", ".visible .global .u32 v = 2;\n.common .global .b8 c[16];"),
       input("c",
             ".weak .global .u32 v = 3;\n.weak .func f() { trap; }\n.common .global .b8 c[8];")});
  CHECK(first_word(*module.find_variable("v")) == 2);
  CHECK(module.find_function("f")->body[0].opcode == Opcode::ret);
  CHECK(module.find_variable("c")->bytes == 16);
}

TEST_CASE("dynamic shared memory is one, with the largest alignment") {
  const Module module = linked({input("a", ".extern .shared .align 4 .b8 s[];"),
                                input("b", ".extern .shared .align 16 .f64 s[];")});
  REQUIRE(module.variables.size() == 1);
  CHECK(module.variables[0].alignment == 16);
}

TEST_CASE("functions of the driver stay undefined") {
  const std::string_view text =
      ".extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);\n"
      ".entry k() { .param .b32 r; .param .b64 a; call (r), vprintf, (a, a); }";
  const Module module = linked({input("a", text), input("b", text)});
  CHECK(module.find_function("vprintf")->linkage == Linkage::Extern);
  CHECK(module.functions.size() == 3);
}

TEST_CASE("undefined and multiple definitions name their inputs") {
  CHECK(link_error({input("a.ptx", ".extern .func f();\n.entry k() { call f; }")}) ==
        "undefined reference to 'f' in 'a.ptx'");
  CHECK(link_error({input("a.ptx",
                          ".extern .global .u32 v;\n.entry k() { .reg .b64 a; mov.u64 a, v; }")}) ==
        "undefined reference to 'v' in 'a.ptx'");
  CHECK(link_error({input("a.ptx", ".visible .global .u32 v;"),
                    input("b.ptx", ".visible .global .u32 v;")}) ==
        "multiple definition of 'v' in 'b.ptx', first defined in 'a.ptx'");
  CHECK(link_error({input("a.ptx", ".visible .func f() { ret; }"),
                    input("b.ptx", ".visible .func f() { ret; }")}) ==
        "multiple definition of 'f' in 'b.ptx', first defined in 'a.ptx'");
  CHECK(link_error({input("a.ptx", ".extern .func f();"),
                    input("b.ptx", ".visible .func f(.param .b32 x) { ret; }")}) ==
        "'f' is declared differently in 'b.ptx' and in 'a.ptx'");
  CHECK(link_error({input("a.ptx", ".visible .global .u32 f;"),
                    input("b.ptx", ".visible .func f() { ret; }")}) ==
        "'f' is a variable in one input and a function in another");
  CHECK(link_error({}) == "there is nothing to link");
}

TEST_CASE("functions of the device run-time library are there when it is linked, by other names") {
  const std::vector<LinkInput> inputs = {
      input("a.ptx",
            ".extern .func (.param .b32 r) __cudaCDP2GetLastError ();\n"
            ".visible .entry k() { .param .b32 q; call (q), __cudaCDP2GetLastError, (); }")};
  CHECK(link_error(inputs).starts_with(
      "undefined reference to '__cudaCDP2GetLastError' in 'a.ptx': it is a function of the device "
      "run-time library, cudadevrt"));
  const auto text = link(inputs, true);
  REQUIRE_MESSAGE(text.ok(), to_text(text.error()));
  const Module module = parsed(*text);
  CHECK(module.find_function("__cudaCDP2GetLastError") == nullptr);
  const Function* function = module.find_function("__cudadevrt$GetLastError");
  REQUIRE(function);
  CHECK_FALSE(function->is_defined);
  const DeviceRuntimeFunction* known = find_linked_device_runtime(function->name);
  REQUIRE(known);
  CHECK(known->name == "__cudaCDP2GetLastError");
  CHECK(linked_name(*known) == function->name);
}

TEST_CASE(
    "launches that are written in PTX call the device run-time library by CUDA's plain names") {
  const auto text = link(
      {input("a.ptx",
             ".extern .func (.param .b32 r) cudaLaunchDeviceV2 (.param .b64 p, .param .b64 s);\n"
             ".visible .entry k() { .param .b64 p; .param .b64 s; .param .b32 q;\n"
             "  call (q), cudaLaunchDeviceV2, (p, s); }")},
      true);
  REQUIRE_MESSAGE(text.ok(), to_text(text.error()));
  CHECK(parsed(*text).find_function("__cudadevrt$LaunchDeviceV2"));
}

TEST_CASE("functions that the device run-time library does not have here are refused by name") {
  const auto error_of = [](const std::string& name) {
    const auto text = link({input("a", ".extern .func " + name +
                                           " ();\n.visible .entry k() { call " + name + ", (); }")},
                           true);
    REQUIRE(!text.ok());
    return text.error().at(0).message;
  };
  CHECK(
      error_of("__cudaCDP2Nothing") ==
      "undefined reference to '__cudaCDP2Nothing' in 'a': the CPU driver's device run-time library "
      "does not have it");
  CHECK(error_of("cudaDeviceSynchronize").ends_with("since CUDA 12 (CDP2)"));
  CHECK(error_of("other") == "undefined reference to 'other' in 'a'");
}

TEST_CASE("the device run-time library is known by its content or as an archive of its name") {
  const std::string archive = "!<arch>\n";
  CHECK(is_device_runtime_library(archive + "x__fatbinwrap_1_cuda_device_runtime_cu", nullptr));
  CHECK(is_device_runtime_library(archive, "/usr/lib/libcudadevrt.a"));
  CHECK_FALSE(is_device_runtime_library(archive, "/libcudadevrt.a/libother.a"));
  CHECK_FALSE(is_device_runtime_library("cuda_device_runtime", "libcudadevrt.a"));
}

TEST_CASE("a kernel that another module launches meets its definition") {
  const Module module =
      linked({input("a",
                    ".extern .entry child (.param .u64 p);\n.global .u64 table[1] = {child};\n"
                    ".visible .entry k() { .reg .b64 a; mov.u64 a, child; }"),
              input("b", ".visible .entry child(.param .u64 p) { ret; }")});
  const Function* kernel = module.find_function("k");
  REQUIRE(kernel);
  const auto& named = module.functions[kernel->body[0].operands[1].symbol->index];
  CHECK(named.name == "child");
  CHECK(named.is_defined);
  CHECK(link_error({input("a",
                          ".extern .entry child ();\n"
                          ".visible .entry k() { .reg .b64 a; mov.u64 a, child; }")}) ==
        "undefined reference to 'child' in 'a'");
}

TEST_CASE("declarations that nothing uses need no definition") {
  CHECK(link({input("a", ".extern .func f();\n.visible .entry k() { ret; }")}).ok());
}

TEST_CASE("errors of an input keep their lines and name it") {
  const auto text = link({input("bad.ptx", "foo")});
  REQUIRE(!text.ok());
  CHECK(text.error()[0].position.line == 4);
  CHECK(text.error()[0].message.ends_with("(in 'bad.ptx')"));
}

TEST_CASE("source files get new numbers, and lines follow") {
  const Module module = linked(
      {input("a", ".file 1 \"a.cu\"\n.visible .entry k() { .loc 1 5 0\nret; }"),
       input("b", ".file 1 \"b.cu\"\n.file 2 \"a.cu\"\n.visible .entry l() { .loc 1 6 0\nret; }")});
  REQUIRE(module.files.size() == 2);
  CHECK(module.find_function("k")->body[0].source_file == module.files[0].number);
  CHECK(module.find_function("l")->body[0].source_file == module.files[1].number);
  CHECK(module.files[1].name == "b.cu");
}

TEST_CASE("the newest target and version win") {
  const Module module = linked({{"a", ".version 7.8 .target sm_75 .address_size 64"},
                                {"b", ".version 8.1 .target sm_90 .address_size 64"}});
  CHECK(module.target == "sm_90");
  CHECK(module.version_minor == 1);
}
