// SPDX-License-Identifier: MIT
// Kernels with barriers whose blocks all have the same threads.
#include <doctest/doctest.h>
#include <elf.h>

#include <cstddef>
#include <cstring>
#include <string>

#include "cpu/jit/compile.h"
#include "cpu/ptx/parser.h"
#include "cpu/target/target.h"
#include "unit/cpu/kernel_run.h"

namespace {

namespace jit = pycuda::cpu::jit;
using pycuda::cpu::Form;

/// Its branches tell the first gang from the rest.
std::string tree(const std::string& directive) {
  std::string text = ".visible .entry tree(.param .u64 out) " + directive +
                     " {\n  .reg .b64 %a, %d; .reg .b32 %x, %s, %v, %w; .reg .pred %p;\n"
                     "  .shared .align 4 .b8 part[1024];\n"
                     "  ld.param.u64 %a, [out]; mov.u32 %x, %tid.x; mul.wide.u32 %d, %x, 4;\n"
                     "  add.u64 %a, %a, %d; mov.u32 %s, part; mad.lo.u32 %s, %x, 4, %s;\n"
                     "  st.shared.u32 [%s], %x; bar.sync 0;\n";
  for (const char* half : {"16", "1"}) {
    const std::string label = std::string("$after") + half;
    text += std::string("  setp.ge.u32 %p, %x, ") + half + ";\n  @%p bra " + label +
            ";\n  ld.shared.u32 %v, [%s]; ld.shared.u32 %w, [%s+" +
            std::to_string(4 * std::stoi(half)) +
            "];\n  add.u32 %v, %v, %w; st.shared.u32 [%s], %v;\n" + label + ":\n  bar.sync 0;\n";
  }
  return text + "  ld.shared.u32 %v, [%s]; st.global.u32 [%a], %v;\n  ret;\n}\n";
}

/// Bytes of the sections of `object` that hold instructions.
std::size_t instruction_bytes(const std::string& object) {
  Elf64_Ehdr file;
  std::memcpy(&file, object.data(), sizeof file);
  std::size_t bytes = 0;
  for (unsigned i = 0; i < file.e_shnum; ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, object.data() + file.e_shoff + i * sizeof section, sizeof section);
    if ((section.sh_flags & SHF_EXECINSTR) != 0) bytes += section.sh_size;
  }
  return bytes;
}

std::size_t code_bytes(const std::string& directive, const pycuda::cpu::target::Processor& on) {
  const auto parsed = pycuda::cpu::ptx::parse(pycuda::cpu::testing::module_of(tree(directive)));
  REQUIRE(parsed.ok());
  jit::Options options;
  options.processor = &on;
  options.vectors = true;
  options.forms = Form::Gangs;
  const auto compiled = jit::compile_module(*parsed, options);
  REQUIRE(compiled.ok());
  CHECK(compiled->kernels.front().gang_lanes != 0);
  return instruction_bytes(compiled->object);
}

}  // namespace

TEST_CASE("what has one shape of block has code for that alone") {
#if defined(__aarch64__)
  const auto names = {"neoverse-n1", "apple-m1"};
#else
  const auto names = {"haswell", "znver4", "skylake-avx512"};
#endif
  for (const char* const name : names) {
    CAPTURE(name);
    const auto processor = pycuda::cpu::target::processor_named(name);
    REQUIRE(processor.has_value());
    const std::size_t one = code_bytes(".reqntid 256", *processor);
    CHECK(3 * one < 2 * code_bytes(".maxntid 256", *processor));
  }
}
