// SPDX-License-Identifier: MIT
// perf's interface: tools/perf/Documentation/jit-interface.txt of the Linux kernel's source.
#include "cpu/jit/announced_code.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/cxx_names.h"
#include "base/env.h"
#include "base/log.h"
#include "cpu/jit/gdb_interface.h"

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

/// As people and perf read it: "scale(float*, int).gangs".
std::string readable(std::string_view name) {
  if (name.starts_with("f.")) name.remove_prefix(2);
  const std::size_t point = name.find('.');
  std::string text = base::readable_name(std::string(name.substr(0, point)));
  if (point != std::string_view::npos) text += name.substr(point);
  return text;
}

void tell_perf(const std::vector<PlacedFunction>& functions) {
  std::string lines;
  for (const PlacedFunction& function : functions) {
    char numbers[64];
    std::snprintf(numbers, sizeof numbers, "%llx %llx ",
                  static_cast<unsigned long long>(function.address),
                  static_cast<unsigned long long>(function.bytes));
    lines += numbers + readable(function.name) + "\n";
  }
  // perf looks in this folder and no other. It takes no file of another user's, and neither do we
  // follow one's link.
  const std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  const bool written =
      file >= 0 && write(file, lines.data(), lines.size()) == static_cast<ssize_t>(lines.size());
  if (file >= 0) close(file);
  if (written) return;
  static std::once_flag told;
  std::call_once(told, [&] {
    base::log(base::LogLevel::Warning,
              "PYCUDA_CPU_SYMBOLS: " + path + " cannot be written: perf knows no kernels");
  });
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
  tell_perf(functions);
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
