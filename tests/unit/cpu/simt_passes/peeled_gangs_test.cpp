// SPDX-License-Identifier: MIT
// Which gangs the constants of a kernel tell from the rest.
#include "cpu/simt/blocks/peeled_gangs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::only_order;
using pycuda::cpu::simt::peeled_gangs;
using pycuda::cpu::simt::Regions;
using pycuda::cpu::testing::FunctionText;

namespace {

const std::string parameters = "(ptr %thread, ptr %frame, i32 %x, i32 %y, i32 %z, i32 %lanes)";

/// A tree: a region for all gangs, one whose threads from `guard` on do nothing, and the last.
std::string tree(const std::string& guard, const std::string& next = "2") {
  return "define i32 @f" + parameters + " { ret i32 1 }\ndefine i32 @g" + parameters + " {\n" +
         guard + "br i1 %c, label %past, label %run\nrun: ret i32 2\npast: ret i32 " + next +
         "}\ndefine i32 @h" + parameters + " { ret i32 0 }\n";
}

struct Found {
  bool in_order;
  std::vector<unsigned> gangs;
  bool operator==(const Found&) const = default;
};

Found find(const std::string& text, unsigned lanes = 32) {
  FunctionText parsed(text);
  Regions regions;
  regions.functions = {&parsed.function(), &parsed.function("g"), &parsed.function("h")};
  regions.behind_pause = {false, false, false};
  return {only_order(regions).has_value(), peeled_gangs(regions, lanes)};
}

using Gangs = std::vector<unsigned>;

}  // namespace

TEST_CASE("comparisons of a thread's number with constants tell gangs apart") {
  CHECK(find(tree("%c = icmp ugt i32 %x, 127\n")) == Found{true, Gangs{0, 4, 0}});
  CHECK(find(tree("%c = icmp uge i32 %x, 64\n"), 16) == Found{true, Gangs{0, 4, 0}});
  // In lanes, of which some are below.
  CHECK(find(tree(
            "%s = insertelement <2 x i32> poison, i32 %x, i64 0\n"
            "%a = shufflevector <2 x i32> %s, <2 x i32> poison, <2 x i32> zeroinitializer\n"
            "%t = add <2 x i32> %a, <i32 0, i32 1>\n%m = icmp slt <2 x i32> %t, splat (i32 16)\n"
            "%c = extractelement <2 x i1> %m, i64 0\n")) == Found{true, Gangs{0, 1, 0}});
}

TEST_CASE("comparisons that a region repeats for nothing tell no gangs apart") {
  const std::string unused = "%u = icmp ugt i32 %x, 127\n%f = freeze i1 %u\n";
  CHECK(find(tree(unused + "%c = icmp ugt i32 %x, 31\n")) == Found{true, Gangs{0, 1, 0}});
  CHECK(find(tree(unused + "%c = icmp ugt i32 %x, %lanes\n")) == Found{true, Gangs()});
}

TEST_CASE("neither what is no constant, nor other numbers, nor too many threads") {
  CHECK(find(tree("%c = icmp ugt i32 %x, %lanes\n")) == Found{true, Gangs()});
  CHECK(find(tree("%c = icmp ugt i32 %y, 127\n")) == Found{true, Gangs()});
  CHECK(find(tree("%c = icmp ugt i32 %x, 1000\n")) == Found{true, Gangs()});
  CHECK(find(tree("%c = icmp eq i32 %x, 127\n")) == Found{true, Gangs()});
}

TEST_CASE("regions follow one another unless gangs may part or go round") {
  CHECK_FALSE(find(tree("%c = icmp ugt i32 %x, 127\n", "1")).in_order);
  FunctionText round("define i32 @f" + parameters + " { ret i32 1 }\ndefine i32 @g" + parameters +
                     " { ret i32 1 }\n");
  Regions regions;
  regions.functions = {&round.function(), &round.function("g")};
  regions.behind_pause = {false, false};
  CHECK_FALSE(only_order(regions).has_value());
}
