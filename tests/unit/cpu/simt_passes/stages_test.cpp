// SPDX-License-Identifier: MIT
// The table of steps is consistent, and PYCUDA_CPU_DUMP names its rows.
#include "cpu/jit/stages.h"

#include <doctest/doctest.h>

#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "cpu/jit/dump.h"

namespace jit = pycuda::cpu::jit;

TEST_CASE("a step needs the form of IR that the step before it gives") {
  jit::Ir form = jit::Ir::Lowered;
  for (const jit::Stage* stage : jit::stages()) {
    // Kernels without vector forms come to these from "expand".
    if (stage == &jit::threads_stage) form = jit::Ir::Vectors;
    for (const jit::Step& step : stage->steps) {
      CAPTURE(step.name);
      CHECK(jit::name_of(step.needs) == std::string_view(jit::name_of(form)));
      form = step.gives;
    }
  }
  CHECK(form == jit::Ir::Optimised);
}

TEST_CASE("names of steps are lower-case words with hyphens") {
  for (const std::string_view name : jit::step_names()) {
    CAPTURE(name);
    for (const char letter : name)
      CHECK((std::islower(static_cast<unsigned char>(letter)) != 0 || letter == '-'));
    CHECK(name != "all");
  }
}

TEST_CASE("dumps are of stages to a folder, or of steps by name") {
  constexpr std::array<std::string_view, 2> names{"widen", "if-convert"};
  const jit::DumpRequest folder = jit::parse_dump("/tmp/ir:1", names);
  CHECK(folder.stages);
  CHECK(folder.folder == "/tmp/ir:1");
  const jit::DumpRequest both = jit::parse_dump("step:if-convert,widen:/tmp/a:b", names);
  CHECK_FALSE(both.stages);
  CHECK(both.folder == "/tmp/a:b");
  CHECK(both.steps == std::vector<std::string>{"if-convert", "widen"});
  const jit::DumpRequest all = jit::parse_dump("step:all", names);
  CHECK(all.all_steps);
  CHECK(all.folder.empty());
}

TEST_CASE("a dump of a step that does not exist is none") {
  constexpr std::array<std::string_view, 1> names{"widen"};
  for (const char* text :
       {"step:", "step:widn", "step:widen,", "step:widen, widen", "step::/tmp"}) {
    CAPTURE(text);
    const jit::DumpRequest request = jit::parse_dump(text, names);
    CHECK_FALSE(request.unknown.empty());
    CHECK(request.steps.empty());
    CHECK_FALSE(request.all_steps);
    CHECK_FALSE(request.stages);
  }
}
