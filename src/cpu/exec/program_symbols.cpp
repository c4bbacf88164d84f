// SPDX-License-Identifier: MIT
#include "cpu/exec/program_symbols.h"

#include <elf.h>

#include <cstring>
#include <string_view>

#include "base/read_file.h"

namespace pycuda::cpu::exec {
namespace {

/// A copy of what is at `offset`; nothing if the file is too short.
template <class Part>
std::optional<Part> part_of(std::string_view file, std::uint64_t offset) {
  Part part;
  if (offset > file.size() || file.size() - offset < sizeof part) return std::nullopt;
  std::memcpy(&part, file.data() + offset, sizeof part);
  return part;
}

std::string text_at(std::string_view file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  const std::string_view rest = file.substr(offset);
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace

std::map<std::uintptr_t, ProgramSymbol> program_symbols(
    std::uintptr_t base, const std::vector<std::uintptr_t>& addresses) {
  std::map<std::uintptr_t, ProgramSymbol> found;
  const std::string file = base::read_file("/proc/self/exe").value_or("");
  const auto header = part_of<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return found;
  const std::uintptr_t bias = header->e_type == ET_EXEC ? 0 : base;
  const auto section = [&](std::uint64_t number) {
    return part_of<Elf64_Shdr>(file, header->e_shoff + number * sizeof(Elf64_Shdr));
  };
  for (unsigned number = 0; number < header->e_shnum; ++number) {
    const auto symbols = section(number);
    if (!symbols || symbols->sh_type != SHT_SYMTAB) continue;
    const auto names = section(symbols->sh_link);
    if (!names) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size;
         at += sizeof(Elf64_Sym)) {
      const auto symbol = part_of<Elf64_Sym>(file, symbols->sh_offset + at);
      if (!symbol) break;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC) continue;
      for (const std::uintptr_t address : addresses) {
        const std::uint64_t offset = address - bias - symbol->st_value;
        if (offset < symbol->st_size)
          found[address] = {text_at(file, names->sh_offset + symbol->st_name), offset};
      }
    }
  }
  return found;
}

}  // namespace pycuda::cpu::exec
