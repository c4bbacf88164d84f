// SPDX-License-Identifier: MIT
#include "cpu/ptx/debug_entries.h"

#include "cpu/ptx/dwarf.h"
#include "parsed.h"

using namespace pycuda::cpu::ptx;

namespace {

/// A unit with a function k, which has the variables i in %r1, s behind the depot's byte 8, and j,
/// first in %r2 and then in %r3.
constexpr std::string_view kSections = R"(
.section .debug_abbrev
{
.b8 1, 17, 1, 3, 8, 0, 0
.b8 2, 46, 1, 3, 8, 17, 1, 0, 0
.b8 3, 52, 0, 3, 8, 2, 10, 73, 19, 0, 0
.b8 4, 52, 0, 3, 8, 2, 6, 0, 0
.b8 5, 36, 0, 3, 14, 11, 11, 0, 0
.b8 0
}
.section .debug_info
{
.b32 LENGTH
.b8 2, 0
.b32 .debug_abbrev
.b8 8
.b8 1, 117, 0
.b8 2, 107, 0
.b64 $L__begin
.b8 3, 105, 0, 5, 144, 177, 228, 149, 1
.b32 65
.b8 3, 115, 0, 11, 3
.b64 __local_depot0
.b8 35, 8
.b32 65
.b8 4, 106, 0
.b32 0
.b8 0
.b8 5
.b32 $L__text+2
.b8 4
.b8 0
}
.section .debug_str
{
.b8 120, 0
$L__text: .b8 104, 105, 105, 110, 116, 0
}
.section .debug_loc
{
.b64 $L__a, $L__b
.b8 5, 0, 144, 178, 228, 149, 1
.b64 $L__b, $L__c
.b8 5, 0, 144, 179, 228, 149, 1
.b64 0, 0
}
)";

std::string with(std::string_view what, std::string_view instead) {
  std::string text(kSections);
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  text.replace(at, what.size(), instead);
  return text;
}

/// Symbols stand alone on a line, as the compilers write them.
std::string text_of_sections(std::string text) {
  const std::size_t at = text.find("LENGTH");
  if (at != std::string::npos) text.replace(at, 6, "68");
  for (const auto& [joined, apart] : {std::pair{".b64 $L__a, $L__b", ".b64 $L__a\n.b64 $L__b"},
                                      std::pair{".b64 $L__b, $L__c", ".b64 $L__b\n.b64 $L__c"}}) {
    const std::size_t place = text.find(joined);
    if (place != std::string::npos) text.replace(place, std::string_view(joined).size(), apart);
  }
  return text;
}

Module module_of(const std::string& sections) {
  return parsed(".version 8.8\n.target sm_100, debug\n.address_size 64\n" + sections);
}

std::optional<DebugEntries> entries_of(const Module& module) {
  auto sections = read_debug_sections(module.debug_text);
  REQUIRE(sections);
  return DebugEntries::read(std::move(*sections));
}

}  // namespace

TEST_CASE("entries of debug information have names, places and types") {
  const Module module = module_of(text_of_sections(std::string(kSections)));
  const auto entries = entries_of(module);
  REQUIRE(entries);
  REQUIRE(entries->outermost().size() == 2);
  const DebugEntry& function = entries->all()[entries->outermost()[0]];
  CHECK(function.tag == dwarf::tag_subprogram);
  CHECK(function.text(dwarf::at_name) == "k");
  CHECK(function.symbol(dwarf::at_low_pc) == "$L__begin");
  REQUIRE(function.children.size() == 3);

  const DebugEntry& in_register = entries->all()[function.children[0]];
  CHECK(in_register.text(dwarf::at_name) == "i");
  auto places = entries->places_of(in_register);
  REQUIRE(places.size() == 1);
  CHECK(places[0].place.reg == "%r1");
  const DebugEntry* const type = entries->at(in_register.number(dwarf::at_type));
  REQUIRE(type != nullptr);
  CHECK(type->text(dwarf::at_name) == "int");

  places = entries->places_of(entries->all()[function.children[1]]);
  REQUIRE(places.size() == 1);
  CHECK(places[0].place.symbol == "__local_depot0");
  CHECK(places[0].place.offset == 8);

  places = entries->places_of(entries->all()[function.children[2]]);
  REQUIRE(places.size() == 2);
  CHECK(places[0].place.reg == "%r2");
  CHECK(places[1].begin == "$L__b");
  CHECK(places[1].end == "$L__c");
  CHECK(places[1].place.reg == "%r3");
}

TEST_CASE("debug information is kept of modules that are compiled for debuggers alone") {
  const std::string sections = text_of_sections(std::string(kSections));
  CHECK_FALSE(module_of(sections).debug_text.empty());
  CHECK(parsed(std::string(kHead) + sections).debug_text.empty());
}

TEST_CASE("debug information that breaks off is none") {
  CHECK_FALSE(entries_of(module_of(text_of_sections(with("LENGTH", "900")))));
  CHECK_FALSE(entries_of(module_of(text_of_sections(with("LENGTH", "30")))));
  CHECK_FALSE(entries_of(module_of(text_of_sections(with("LENGTH", "4294967295")))));
}

TEST_CASE("debug information in unknown forms is none") {
  // Version 5, an unknown form, an entry of an unknown kind, a text elsewhere.
  CHECK_FALSE(entries_of(module_of(text_of_sections(with(".b8 2, 0\n", ".b8 5, 0\n")))));
  CHECK_FALSE(entries_of(module_of(text_of_sections(with("3, 8, 2, 6", "3, 8, 2, 99")))));
  CHECK_FALSE(entries_of(module_of(text_of_sections(with(".b8 4, 106", ".b8 9, 106")))));
  CHECK_FALSE(entries_of(module_of(text_of_sections(with("$L__text+2", "$L__text+99")))));
}

TEST_CASE("debug information that grows without end is none") {
  // Flags without bytes, and kinds of entries that nobody uses.
  std::string flags, kinds;
  for (int i = 0; i < 2000; ++i) {
    flags += "127, 25, ";
    kinds += ".b8 100, 36, 0, 0, 0\n";
  }
  CHECK_FALSE(entries_of(module_of(text_of_sections(with("5, 36, 0, ", "5, 36, 0, " + flags)))));
  CHECK_FALSE(entries_of(module_of(text_of_sections(with(".b8 1, 17", kinds + ".b8 1, 17")))));
}

TEST_CASE("debug information that reads the same again and again is none") {
  // Units of one byte, each with a table of many kinds; entries with one long name.
  std::string kinds, units, named = ".b8 1\n";
  for (int i = 1; i <= 100; ++i) {
    kinds += ".b8 " + std::to_string(i) + ", 36, 0";
    for (int form = 0; form < 1000; ++form) kinds += ", 3, 8";
    kinds += ", 0, 0\n";
  }
  for (int i = 0; i < 100; ++i) units += ".b32 8\n.b8 2, 0\n.b32 0\n.b8 8, 0\n";
  const auto sections = [](const std::string& abbreviations, const std::string& entries) {
    return ".section .debug_abbrev\n{\n" + abbreviations + ".b8 0\n}\n.section .debug_info\n{\n" +
           entries + "}\n";
  };
  CHECK(entries_of(module_of(sections(kinds, ".b32 8\n.b8 2, 0\n.b32 0\n.b8 8, 0\n"))));
  CHECK_FALSE(entries_of(module_of(sections(kinds, units))));

  std::string text = ".section .debug_str\n{\n";
  for (int i = 0; i < 10'000; ++i) text += ".b64 7016996765293437281\n";
  text += ".b8 0\n}\n";
  for (int i = 0; i < 2000; ++i) named += ".b8 2\n.b32 0\n";
  const std::string unit =
      ".b32 " + std::to_string(7 + 1 + 2000 * 5) + "\n.b8 2, 0\n.b32 0\n.b8 8\n";
  const std::string pair = ".b8 1, 17, 1, 0, 0\n.b8 2, 52, 0, 3, 14, 0, 0\n";
  CHECK(entries_of(
      module_of(sections(pair, unit + named) + ".section .debug_str\n{\n.b8 97, 0\n}\n")));
  CHECK_FALSE(entries_of(module_of(sections(pair, unit + named) + text)));
}

TEST_CASE("lists of places that many variables share are read so often and no more") {
  constexpr std::size_t variables = 3000, places = 2500;
  std::string list, entries = ".b8 1\n";
  for (std::size_t i = 0; i < places; ++i) list += ".b64 $L__a\n.b64 $L__b\n.b8 2, 0, 144, 1\n";
  for (std::size_t i = 0; i < variables; ++i) entries += ".b8 2\n.b32 0\n";
  const Module module = module_of(
      ".section .debug_abbrev\n{\n.b8 1, 17, 1, 0, 0\n.b8 2, 52, 0, 2, 6, 0, 0, 0\n}\n"
      ".section .debug_info\n{\n.b32 " +
      std::to_string(7 + 1 + variables * 5) + "\n.b8 2, 0\n.b32 0\n.b8 8\n" + entries +
      "}\n.section .debug_loc\n{\n" + list + ".b64 0\n.b64 0\n}\n");
  const auto read = entries_of(module);
  REQUIRE(read);
  std::size_t found = 0;
  for (const DebugEntry& entry : read->all()) found += read->places_of(entry).size();
  CHECK(found > places);
  CHECK(found <= DebugEntries::most_steps);
}

TEST_CASE("variables whose place is not known have none") {
  const auto count = [](const std::string& text) {
    const Module module = module_of(text_of_sections(text));
    const auto entries = entries_of(module);
    REQUIRE(entries);
    std::size_t places = 0;
    for (const DebugEntry& entry : entries->all()) places += entries->places_of(entry).size();
    return places;
  };
  CHECK(count(std::string(kSections)) == 4);
  CHECK(count(with("5, 144, 177", "5, 145, 177")) == 3);  // another operation
  CHECK(count(with(".b8 4, 106, 0\n.b32 0", ".b8 4, 106, 0\n.b32 7777")) == 2);  // beyond the lists
  CHECK(count(with("5, 0, 144, 179", "99, 0, 144, 179")) == 3);
}

TEST_CASE("every beginning of debug information is read or refused") {
  const std::string whole = text_of_sections(std::string(kSections));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    auto sections = read_debug_sections(std::string_view(whole).substr(0, length));
    if (!sections) continue;
    const auto entries = DebugEntries::read(std::move(*sections));
    if (!entries) continue;
    for (const DebugEntry& entry : entries->all()) entries->places_of(entry);
  }
}
