// SPDX-License-Identifier: MIT
// The variables of a module by its image.
#include "cuda/variable_names.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>

namespace pycuda::cuda {
namespace {

using Names = std::vector<std::string>;

template <class Record>
void put(std::string& image, std::size_t offset, const Record& record) {
  if (image.size() < offset + sizeof(Record)) image.resize(offset + sizeof(Record));
  std::memcpy(image.data() + offset, &record, sizeof(Record));
}

/// A cubin with the sections "", ".strtab", ".nv.global", ".nv.shared" and ".symtab".
std::string cubin() {
  using namespace std::string_literals;
  const std::string texts =
      "\0.nv.global\0.nv.shared.k\0.nv.constant3\0counter\0$str\0tile\0table\0_ZZ1kPfiE3loc\0"s;
  const auto at = [&](const char* text) {
    return static_cast<Elf64_Word>(texts.find("\0"s + text + "\0"s) + 1);
  };
  std::string image;
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_shoff = 0x100;
  header.e_shnum = 5;
  header.e_shstrndx = 1;
  put(image, 0, header);
  constexpr std::size_t kTexts = 0x300, kSymbols = 0x400;
  const auto section = [&](std::size_t index, Elf64_Word name, Elf64_Word type, std::size_t offset,
                           std::size_t bytes, Elf64_Word link) {
    Elf64_Shdr made{};
    made.sh_name = name;
    made.sh_type = type;
    made.sh_offset = offset;
    made.sh_size = bytes;
    made.sh_link = link;
    put(image, 0x100 + index * sizeof(Elf64_Shdr), made);
  };
  section(0, at(".nv.constant3"), SHT_PROGBITS, 0, 0, 0);
  section(1, 0, SHT_STRTAB, kTexts, texts.size(), 0);
  section(2, at(".nv.global"), SHT_NOBITS, 0, 0, 0);
  section(3, at(".nv.shared.k"), SHT_NOBITS, 0, 0, 0);
  section(4, 0, SHT_SYMTAB, kSymbols, 5 * sizeof(Elf64_Sym), 1);
  image.resize(kSymbols);
  std::memcpy(image.data() + kTexts, texts.data(), texts.size());
  const auto symbol = [&](std::size_t index, const char* name, Elf64_Half within) {
    Elf64_Sym made{};
    made.st_name = at(name);
    made.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
    made.st_shndx = within;
    put(image, kSymbols + index * sizeof(Elf64_Sym), made);
  };
  symbol(0, "table", 0);
  symbol(1, "counter", 2);
  symbol(2, "$str", 2);
  symbol(3, "tile", 3);
  symbol(4, "_ZZ1kPfiE3loc", 2);
  return image;
}

TEST_CASE("variables of PTX are those in global and constant memory") {
  const auto names = names_of_variables(
      "//\n.version 8.0\n.const .align 4 .b8 table[16];\n.visible .global .align 4 .u32 counter;\n"
      "\t.global .attribute(.managed) .align 4 .u32 managed = 3;\n"
      ".global .align 1 .b8 $str[3] = {37, 100};\n.global .align 4 .u32 _ZZ1kPfiE3loc;\n"
      ".weak .global .align 4 .b8 _ZN1a1vE[12];\n.extern .shared .align 4 .b8 tile[];\n"
      ".visible .entry k(.param .u64 p)\n{\n\tld.global.f32 %f1, [counter];\n}\n");
  REQUIRE(names);
  CHECK(*names == Names{"table", "counter", "managed", "_ZN1a1vE"});
}

TEST_CASE("variables of a cubin are the objects of its global and constant sections") {
  const auto names = names_of_variables(cubin());
  REQUIRE(names);
  CHECK(*names == Names{"table", "counter"});
}

TEST_CASE("a damaged cubin has the names that can be read") {
  const std::string whole = cubin();
  for (std::size_t length = 4; length < whole.size(); ++length) {
    const auto names = names_of_variables(std::string_view(whole).substr(0, length));
    REQUIRE(names);
    CHECK(names->size() <= 2);
  }
}

TEST_CASE("other images do not tell their variables") {
  CHECK(!names_of_variables("\x50\xed\x55\xba"));
  CHECK(!names_of_variables(""));
  CHECK(names_of_variables(".version 8.0\n")->empty());
}

}  // namespace
}  // namespace pycuda::cuda
