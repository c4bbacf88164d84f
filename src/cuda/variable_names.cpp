// SPDX-License-Identifier: MIT
#include "cuda/variable_names.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pycuda::cuda {
namespace {

using Names = std::vector<std::string>;

/// Literals ("$str"), variables within functions, and names that the language keeps for compilers.
bool made_by_compiler(std::string_view name) {
  return name.find('$') != std::string_view::npos || name.starts_with("_ZZ") ||
         name.starts_with("__");
}

void add(Names& names, std::string_view name) {
  if (name.empty() || made_by_compiler(name)) return;
  if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
}

/// The next word of a line of PTX, which is taken off it.
std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  const std::size_t end = std::min(line.find_first_of(" \t\r[=;{,", begin), line.size());
  const std::string_view word = line.substr(begin, end - begin);
  line.remove_prefix(end);
  return word;
}

/// Of ".visible .const .align 4 .b8 table[16];": the name. Empty when the line declares no
/// variable.
std::string_view declared_name(std::string_view line) {
  std::string_view word = take_word(line);
  while (word == ".visible" || word == ".weak" || word == ".common") word = take_word(line);
  if (word != ".global" && word != ".const") return {};
  // Attributes and the type come first, and the numbers of some of them.
  constexpr std::string_view kNotInNames = ".0123456789(";
  while (!word.empty() && kNotInNames.find(word[0]) != std::string_view::npos) {
    word = take_word(line);
  }
  return word;
}

Names names_in_ptx(std::string_view ptx) {
  Names names;
  while (!ptx.empty()) {
    const std::size_t end = std::min(ptx.find('\n'), ptx.size());
    add(names, declared_name(ptx.substr(0, end)));
    ptx.remove_prefix(std::min(end + 1, ptx.size()));
  }
  return names;
}

/// A record of an image, which may be damaged: zeros outside of it.
template <class Record>
Record record_at(std::string_view image, std::uint64_t offset) {
  Record record{};
  if (offset <= image.size() && sizeof(Record) <= image.size() - offset) {
    std::memcpy(&record, image.data() + offset, sizeof(Record));
  }
  return record;
}

/// A text of a table of texts, up to its NUL.
std::string_view text_at(std::string_view image, const Elf64_Shdr& table, std::uint64_t offset) {
  if (table.sh_offset > image.size() || offset > image.size() - table.sh_offset) return {};
  const std::string_view rest = image.substr(table.sh_offset + offset);
  return rest.substr(0, std::min(rest.find('\0'), rest.size()));
}

Names names_in_cubin(std::string_view image) {
  const auto header = record_at<Elf64_Ehdr>(image, 0);
  const auto section = [&](std::uint64_t index) {
    return record_at<Elf64_Shdr>(image, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr section_names = section(header.e_shstrndx);
  Names names;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr symbols = section(i);
    if (symbols.sh_type != SHT_SYMTAB || symbols.sh_offset > image.size()) continue;
    const std::uint64_t bytes = std::min(symbols.sh_size, image.size() - symbols.sh_offset);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= bytes; at += sizeof(Elf64_Sym)) {
      const auto symbol = record_at<Elf64_Sym>(image, symbols.sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) continue;
      const std::string_view within =
          text_at(image, section_names, section(symbol.st_shndx).sh_name);
      if (!within.starts_with(".nv.global") && within != ".nv.constant3") continue;
      add(names, text_at(image, section(symbols.sh_link), symbol.st_name));
    }
  }
  return names;
}

}  // namespace

std::optional<Names> names_of_variables(std::string_view image) {
  constexpr std::string_view kElf =
      "\x7f"
      "ELF";
  if (image.starts_with(kElf)) return names_in_cubin(image);
  const std::size_t start = image.find_first_not_of(" \t\r\n");
  const bool is_text =
      start != std::string_view::npos && (image[start] == '.' || image[start] == '/');
  if (!is_text) return std::nullopt;
  return names_in_ptx(image.substr(0, std::min(image.find('\0'), image.size())));
}

}  // namespace pycuda::cuda
