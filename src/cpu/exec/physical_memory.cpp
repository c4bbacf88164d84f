// SPDX-License-Identifier: MIT
// A memfd that cannot change its size, so that no page of a mapping is ever missing.
#include "cpu/exec/physical_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "cpu/exec/cpu_budget.h"
#include "cpu/exec/device_memory.h"
#include "cpu/exec/page.h"

namespace pycuda::cpu::exec {
namespace {

using Reason = PagesFailure::Reason;

std::string words(int error) { return std::generic_category().message(error); }

}  // namespace

#if defined(__linux__) && defined(MFD_ALLOW_SEALING)

base::Result<PhysicalMemory::Pointer, PagesFailure> PhysicalMemory::make(const PhysicalFacts& facts,
                                                                         DeviceMemory* device) {
  // The system promises more than it has; a large request is refused here instead of killed later.
  const auto available = available_memory_bytes();
  if ((available && facts.bytes > *available) ||
      (device != nullptr && !device->count(facts.bytes))) {
    return PagesFailure{Reason::NoRoom,
                        "there is no room for " + std::to_string(facts.bytes) + " bytes"};
  }
  const int file = memfd_create("pycuda-physical", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) {
    const bool full = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    const std::string why = words(errno);
    if (device != nullptr) device->count_back(facts.bytes);
    return PagesFailure{full ? Reason::NoRoom : Reason::NotThere,
                        "making a file for memory without addresses: " + why};
  }
  auto made = std::make_shared<PhysicalMemory>(Key{}, file, facts, device);
  if (ftruncate(file, static_cast<off_t>(facts.bytes + page_size)) != 0 ||
      pwrite(file, &facts, sizeof facts, static_cast<off_t>(facts.bytes)) !=
          static_cast<ssize_t>(sizeof facts) ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return PagesFailure{Reason::NoRoom, "making " + std::to_string(facts.bytes) +
                                            " bytes of memory without addresses: " + words(errno)};
  }
  return made;
}

base::Result<PhysicalMemory::Pointer, PagesFailure> PhysicalMemory::import(int descriptor) {
  const PagesFailure stranger{Reason::NoName, "the descriptor " + std::to_string(descriptor) +
                                                  " is none of memory of the CPU driver's"};
  // Others (pipes, terminals, devices) are better not read.
  struct stat facts{};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor, &facts) != 0 ||
      static_cast<std::uint64_t>(facts.st_size) <= page_size)
    return stranger;
  PhysicalFacts told;
  const PhysicalFacts ours;
  const std::uint64_t bytes = static_cast<std::uint64_t>(facts.st_size) - page_size;
  if (pread(descriptor, &told, sizeof told, static_cast<off_t>(bytes)) !=
          static_cast<ssize_t>(sizeof told) ||
      told.purpose != ours.purpose || told.bytes != bytes || bytes % page_size != 0)
    return stranger;
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return PagesFailure{Reason::NoRoom, "duplicating a descriptor: " + words(errno)};
  told.handle_types = 0;  // who has it from another process does not share it on
  return std::make_shared<PhysicalMemory>(Key{}, own, told, nullptr);
}

#else

base::Result<PhysicalMemory::Pointer, PagesFailure> PhysicalMemory::make(const PhysicalFacts&,
                                                                         DeviceMemory*) {
  return PagesFailure{Reason::NotThere, "this system has no files for memory without addresses"};
}

base::Result<PhysicalMemory::Pointer, PagesFailure> PhysicalMemory::import(int) {
  return PagesFailure{Reason::NotThere, "this system has no files for memory without addresses"};
}

#endif

PhysicalMemory::~PhysicalMemory() {
  close(descriptor_);
  if (device_ != nullptr) device_->count_back(facts_.bytes);
}

int PhysicalMemory::export_descriptor() const { return fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); }

bool PhysicalMemory::map(std::uintptr_t place, std::uint64_t offset, std::uint64_t bytes) const {
  void* const at = reinterpret_cast<void*>(place);
  if (mmap(at, bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, descriptor_, static_cast<off_t>(offset)) ==
      MAP_FAILED)
    return false;
#ifdef MADV_HUGEPAGE
  madvise(at, bytes, MADV_HUGEPAGE);
#endif
  return true;
}

}  // namespace pycuda::cpu::exec
