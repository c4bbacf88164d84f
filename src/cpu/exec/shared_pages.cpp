// SPDX-License-Identifier: MIT
// A memfd, opened by others as /proc/PID/fd/N. It cannot shrink, so that no page of a mapping is
// ever missing.
#include "cpu/exec/shared_pages.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <random>
#include <system_error>
#include <utility>

#include "cpu/exec/page.h"

namespace pycuda::cpu::exec {
namespace {

using Reason = PagesFailure::Reason;

constexpr const char* file_name = "pycuda-shared";

std::string words(int error) { return std::generic_category().message(error); }

std::uint64_t by_chance() {
  std::random_device source;
  return (std::uint64_t{source()} << 32) | source();
}

/// All of it, in as many pieces as the system likes.
/// Calls the system, not the library: ThreadSanitizer takes the library's `pwrite` for a read that
/// races with stores from before the pages were protected (PageMigration). The change of protection
/// orders them, because it interrupts every core that runs this process, but the tool cannot see
/// it.
bool write_at(int file, const void* from, std::uint64_t bytes, std::uint64_t offset) {
  const auto* at = static_cast<const char*>(from);
  while (bytes != 0) {
    const long written = syscall(SYS_pwrite64, file, at, bytes, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    offset += static_cast<std::uint64_t>(written);
    bytes -= static_cast<std::uint64_t>(written);
  }
  return true;
}

/// Whether the link of a descriptor names a file like ours: others (pipes, terminals, devices) are
/// better not opened.
bool names_such_file(const char* target, ssize_t length) {
  constexpr const char prefix[] = "/memfd:pycuda-shared";
  return length >= static_cast<ssize_t>(sizeof prefix - 1) &&
         std::memcmp(target, prefix, sizeof prefix - 1) == 0;
}

PagesFailure unopened(const PagesName& name, const std::string& path, int error) {
  const std::string process = "process " + std::to_string(name.process);
  if (has_ended(name.maker()))
    return {Reason::Gone, process + ", which made the handle, has ended"};
  if (error == ENOENT) return {Reason::Gone, process + " has given back what the handle is of"};
  if (error == EMFILE || error == ENFILE || error == ENOMEM)
    return {Reason::NoRoom, "opening " + path + ": " + words(error)};
  return {Reason::NotPermitted,
          "the system does not let this process open " + path + " (" + words(error) +
              "): both processes must run as the same user, in the same container, with /proc"};
}

}  // namespace

#if defined(__linux__) && defined(MFD_ALLOW_SEALING)

base::Result<SharedPages, PagesFailure> SharedPages::make(PagesName name) {
  const int file = memfd_create(file_name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) {
    const bool full = errno == EMFILE || errno == ENFILE || errno == ENOMEM;
    return PagesFailure{full ? Reason::NoRoom : Reason::NotThere,
                        "making a file for memory that processes share: " + words(errno)};
  }
  const ProcessId self = this_process();
  name.process = self.number;
  name.started = self.started;
  name.descriptor = file;
  name.chance = by_chance();
  SharedPages made(file, name);
  if (ftruncate(file, static_cast<off_t>(name.page_bytes + page_size)) != 0 ||
      !write_at(file, &name, sizeof name, name.page_bytes) ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return PagesFailure{Reason::NoRoom, "making " + std::to_string(name.page_bytes) +
                                            " bytes that processes share: " + words(errno)};
  }
  return made;
}

base::Result<SharedPages, PagesFailure> SharedPages::open(const PagesName& name,
                                                          const std::array<char, 8>& purpose,
                                                          bool own) {
  if (name.purpose != purpose || name.process <= 0 || name.descriptor < 0 || name.page_bytes == 0 ||
      name.page_bytes % page_size != 0 || name.offset > name.page_bytes ||
      name.bytes > name.page_bytes - name.offset) {
    return PagesFailure{Reason::NoName, "these 64 bytes are no handle of the CPU driver's"};
  }
  if (name.maker() == this_process() && !own)
    return PagesFailure{Reason::Own, "a handle is for other processes than the one that made it"};
  const std::string path =
      "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.descriptor);
  std::array<char, 64> target{};
  const ssize_t length = readlink(path.c_str(), target.data(), target.size());
  if (length < 0) return unopened(name, path, errno);
  // Its descriptors are numbered anew when some are closed.
  if (!names_such_file(target.data(), length)) return unopened(name, path, ENOENT);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return unopened(name, path, errno);
  SharedPages opened(file, name);
  struct stat facts{};
  PagesName repeated;
  const int seals = fcntl(file, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(file, &facts) != 0 ||
      static_cast<std::uint64_t>(facts.st_size) != name.page_bytes + page_size ||
      pread(file, &repeated, sizeof repeated, static_cast<off_t>(name.page_bytes)) !=
          static_cast<ssize_t>(sizeof repeated) ||
      repeated != name) {
    return unopened(name, path, ENOENT);
  }
  return opened;
}

base::Result<SharedPages, PagesFailure> SharedPages::of_descriptor(
    int descriptor, const std::array<char, 8>& purpose) {
  const PagesFailure stranger{Reason::NoName, "the descriptor " + std::to_string(descriptor) +
                                                  " is none of the CPU driver's"};
  // Others (pipes, terminals, devices) are better not read.
  struct stat facts{};
  const int seals = fcntl(descriptor, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(descriptor, &facts) != 0 ||
      static_cast<std::uint64_t>(facts.st_size) <= page_size)
    return stranger;
  PagesName name;
  const auto bytes = static_cast<std::uint64_t>(facts.st_size) - page_size;
  if (pread(descriptor, &name, sizeof name, static_cast<off_t>(bytes)) !=
          static_cast<ssize_t>(sizeof name) ||
      name.purpose != purpose || name.page_bytes != bytes)
    return stranger;
  const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  if (own < 0) return PagesFailure{Reason::NoRoom, "duplicating a descriptor: " + words(errno)};
  return SharedPages(own, name);
}

#else

base::Result<SharedPages, PagesFailure> SharedPages::make(PagesName) {
  return PagesFailure{Reason::NotThere, "this system has no files for memory that processes share"};
}

base::Result<SharedPages, PagesFailure> SharedPages::open(const PagesName&,
                                                          const std::array<char, 8>&, bool) {
  return PagesFailure{Reason::NotThere, "this system has no files for memory that processes share"};
}

base::Result<SharedPages, PagesFailure> SharedPages::of_descriptor(int,
                                                                   const std::array<char, 8>&) {
  return PagesFailure{Reason::NotThere, "this system has no files for memory that processes share"};
}

#endif

SharedPages::SharedPages(SharedPages&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), name_(other.name_) {}

SharedPages::~SharedPages() {
  if (descriptor_ >= 0) close(descriptor_);
}

int SharedPages::duplicate() const { return fcntl(descriptor_, F_DUPFD_CLOEXEC, 0); }

bool SharedPages::fill(const std::byte* from) const {
  return write_at(descriptor_, from, name_.page_bytes, 0);
}

std::byte* SharedPages::map(std::byte* place) const {
  void* memory = mmap(place, name_.page_bytes, PROT_READ | PROT_WRITE,
                      MAP_SHARED | (place != nullptr ? MAP_FIXED : 0), descriptor_, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace pycuda::cpu::exec
