// SPDX-License-Identifier: MIT
// Code that launches kernels: what it is linked against, and what is known of it.
#include "cpu/ptx/device_runtime.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <memory>
#include <string>

#include "cpu/jit/parts.h"
#include "cpu/jit/program.h"
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/ptx/parser.h"

namespace {

namespace jit = pycuda::cpu::jit;
namespace ptx = pycuda::cpu::ptx;
using pycuda::cpu::KernelFacts;

const std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// A kernel that stores the address of `child`, one that is launched, and one that launches.
const std::string three = header + R"(
.extern .func (.param .b32 r) __cudadevrt$GetLastError ();
.visible .entry child() { ret; }
.visible .entry names(.param .u64 out) {
  .reg .b64 %a, %k;
  ld.param.u64 %a, [out]; mov.u64 %k, child; st.global.u64 [%a], %k; ret;
}
.visible .entry launches(.param .u64 out) {
  .reg .b64 %a; .reg .b32 %e;
  ld.param.u64 %a, [out];
  { .param .b32 r; call.uni (r), __cudadevrt$GetLastError, (); ld.param.b32 %e, [r]; }
  st.global.u32 [%a], %e; ret;
}
.visible .global .u64 table[2] = {names, child};
)";

}  // namespace

TEST_CASE("every function of the device run-time library has one in the executor") {
  const auto symbols = pycuda::cpu::runtime_symbols();
  for (const ptx::DeviceRuntimeFunction& function : ptx::device_runtime_functions()) {
    CAPTURE(function.name);
    CHECK(std::any_of(symbols.begin(), symbols.end(),
                      [&](const auto& symbol) { return symbol.name == function.symbol; }));
    CHECK(ptx::find_linked_device_runtime(ptx::linked_name(function)) == &function);
    CHECK(function.own_stream == function.name.ends_with("_ptsz"));
  }
}

TEST_CASE("it is known which kernels launch and which may be launched") {
  const auto program = jit::Program::compile(three, {});
  REQUIRE(program);
  const std::vector<KernelFacts>& kernels = (*program)->kernels();
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].launched_by_kernels);
  CHECK(kernels[1].launched_by_kernels);
  CHECK_FALSE(kernels[2].launched_by_kernels);
  CHECK_FALSE(kernels[0].calls_device_runtime());
  CHECK_FALSE(kernels[1].calls_device_runtime());
  CHECK(kernels[2].calls_device_runtime());
}

TEST_CASE("kernels that launch graphs alone are told from those that launch kernels") {
  const std::string calls = header + R"(
.extern .func (.param .b32 r) __cudadevrt$GraphLaunch (.param .b64 g, .param .b64 s);
.extern .func (.param .b32 r) __cudadevrt$GetLastError ();
.func launch() {
  .param .b64 g; .param .b64 s; .param .b32 r;
  st.param.b64 [g], 0; st.param.b64 [s], 0;
  call.uni (r), __cudadevrt$GraphLaunch, (g, s);
  ret;
}
.visible .entry graphs() { call.uni launch; ret; }
.visible .entry both() {
  call.uni launch;
  { .param .b32 r; call.uni (r), __cudadevrt$GetLastError, (); }
  ret;
}
.visible .entry none() { ret; }
)";
  const auto program = jit::Program::compile(calls, {});
  REQUIRE(program);
  const std::vector<KernelFacts>& kernels = (*program)->kernels();
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].launches_graphs);
  CHECK_FALSE(kernels[0].launches_kernels);
  CHECK(kernels[1].launches_graphs);
  CHECK(kernels[1].launches_kernels);
  CHECK_FALSE(kernels[2].calls_device_runtime());
}

TEST_CASE("the address of a kernel does not bind kernels together") {
  const auto parsed = ptx::parse(three);
  REQUIRE(parsed);
  // Small modules are one part.
  std::string longer = three;
  for (int i = 0; i < 200; ++i) longer.insert(longer.find("mov.u64 %k"), "mov.u64 %k, child; ");
  const auto parsed_longer = ptx::parse(longer);
  REQUIRE(parsed_longer);
  const auto parts = jit::parts_of(*parsed_longer);
  CHECK(parts.size() == 3);
  for (const jit::Part& part : parts) CHECK_FALSE(part.at_once);
}

TEST_CASE("code and tables see the addresses of kernels that the program gives") {
  const auto program = jit::Program::compile(three, {});
  REQUIRE(program);
  std::list<std::unique_ptr<std::byte[]>> memory;
  const auto loaded =
      jit::LoadedProgram::load(*program, [&](const jit::GlobalVariable& variable) -> void* {
        return memory.emplace_back(new std::byte[variable.bytes]()).get();
      });
  REQUIRE(loaded);
  const auto address_of = [&](std::uint64_t number) {
    return reinterpret_cast<std::uint64_t>((*loaded)->kernel_addresses()) +
           number * jit::LoadedProgram::kernel_address_step;
  };
  std::uint64_t table[2] = {};
  std::memcpy(table, (*loaded)->find_variable("table")->address, sizeof table);
  CHECK(table[0] == address_of(1));
  CHECK(table[1] == address_of(0));
}

TEST_CASE("a call of the library without linking it is refused, and so are other arguments") {
  const auto message_of = [](const std::string& text) {
    const auto program = jit::Program::compile(header + text, {});
    return program ? std::string() : ptx::to_text(program.error());
  };
  CHECK(message_of(".extern .func (.param .b32 r) __cudaCDP2GetLastError ();\n"
                   ".visible .entry k() { .param .b32 r; call (r), __cudaCDP2GetLastError, (); }")
            .find("it must be linked with the device run-time library, cudadevrt") !=
        std::string::npos);
  CHECK(
      message_of(".extern .func (.param .b32 r) __cudadevrt$StreamDestroy ();\n"
                 ".visible .entry k() { .param .b32 r; call (r), __cudadevrt$StreamDestroy, (); }")
          .find("passes other arguments than '__cudaCDP2StreamDestroy' takes") !=
      std::string::npos);
}
