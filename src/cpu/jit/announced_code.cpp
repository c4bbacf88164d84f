// SPDX-License-Identifier: MIT
#include "cpu/jit/announced_code.h"

#include <elf.h>

#include <cstddef>
#include <cstring>
#include <mutex>

#include "base/env.h"
#include "cpu/jit/gdb_interface.h"
#include "cpu/jit/perf_map.h"

namespace pycuda::cpu::jit {
namespace {

std::mutex& descriptor_mutex() {
  static auto& mutex = *new std::mutex;
  return mutex;
}

template <class Header>
Header read_at(const std::string& object, std::uint64_t offset) {
  Header header;
  std::memcpy(&header, object.data() + offset, sizeof header);
  return header;
}

/// The object file as gdb reads it: its sections' headers say where they lie.
std::string placed(std::string object,
                   const std::function<std::uint64_t(std::string_view)>& address_of) {
  const auto file = read_at<Elf64_Ehdr>(object, 0);
  const auto header_at = [&](std::size_t number) {
    return file.e_shoff + number * sizeof(Elf64_Shdr);
  };
  const auto names = read_at<Elf64_Shdr>(object, header_at(file.e_shstrndx));
  for (std::size_t i = 0; i < file.e_shnum; ++i) {
    auto header = read_at<Elf64_Shdr>(object, header_at(i));
    if ((header.sh_flags & SHF_ALLOC) == 0) continue;
    header.sh_addr = address_of(object.data() + names.sh_offset + header.sh_name);
    std::memcpy(object.data() + header_at(i), &header, sizeof header);
  }
  return object;
}

}  // namespace

bool symbols_wanted() {
  static const bool wanted = base::environment_switch("PYCUDA_CPU_SYMBOLS", false);
  return wanted;
}

struct AnnouncedCode::Entry {
  std::string object;
  jit_code_entry listed{};
};

AnnouncedCode::AnnouncedCode(const std::string& object,
                             const std::function<std::uint64_t(std::string_view)>& address_of,
                             const std::vector<PlacedFunction>& functions)
    : entry_(std::make_unique<Entry>()) {
  entry_->object = placed(object, address_of);
  jit_code_entry& listed = entry_->listed;
  listed.symfile_addr = entry_->object.data();
  listed.symfile_size = entry_->object.size();
  const std::lock_guard lock(descriptor_mutex());
  append_to_perf_map(functions);
  if (&__jit_debug_descriptor == nullptr) return;
  jit_descriptor& descriptor = __jit_debug_descriptor;
  listed.next_entry = descriptor.first_entry;
  if (descriptor.first_entry != nullptr) descriptor.first_entry->prev_entry = &listed;
  descriptor.first_entry = &listed;
  descriptor.relevant_entry = &listed;
  descriptor.action_flag = JIT_REGISTER_FN;
  __jit_debug_register_code();
}

AnnouncedCode::~AnnouncedCode() {
  const std::lock_guard lock(descriptor_mutex());
  if (&__jit_debug_descriptor == nullptr) return;
  jit_descriptor& descriptor = __jit_debug_descriptor;
  jit_code_entry& listed = entry_->listed;
  (listed.prev_entry != nullptr ? listed.prev_entry->next_entry : descriptor.first_entry) =
      listed.next_entry;
  if (listed.next_entry != nullptr) listed.next_entry->prev_entry = listed.prev_entry;
  descriptor.relevant_entry = &listed;
  descriptor.action_flag = JIT_UNREGISTER_FN;
  __jit_debug_register_code();
}

}  // namespace pycuda::cpu::jit
