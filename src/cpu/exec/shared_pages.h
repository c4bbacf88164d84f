// SPDX-License-Identifier: MIT
// Pages that other processes of the machine can map: a file without a name in the file system, and
// 64 bytes by which they find it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include "base/result.h"
#include "cpu/exec/process_life.h"

namespace pycuda::cpu::exec {

/// What goes to the other process, as the bytes of a CUDA handle. The file repeats it behind its
/// pages, so a descriptor that has become another file's is found out.
struct PagesName {
  std::array<char, 8> purpose{};
  std::int32_t process = 0;
  std::int32_t descriptor = -1;  ///< of that process
  std::uint64_t started = 0;     ///< as in ProcessId
  std::uint64_t page_bytes = 0;  ///< whole pages
  std::uint64_t offset = 0;      ///< where in them the block begins
  std::uint64_t bytes = 0;       ///< of the block
  std::uint64_t chance = 0;      ///< no two names of a machine have the same
  std::uint64_t group = 0;       ///< of the pool that the block is from; 0: it is of none

  ProcessId maker() const { return {process, started}; }
  friend bool operator==(const PagesName&, const PagesName&) = default;
};
static_assert(sizeof(PagesName) == 64 && std::has_unique_object_representations_v<PagesName>);

constexpr std::array<char, 8> memory_pages{'p', 'a', '-', 'm', 'e', 'm', '.', '1'};
constexpr std::array<char, 8> pool_pages{'p', 'a', '-', 'p', 'o', 'l', '.', '1'};
constexpr std::array<char, 8> host_pool_pages{'p', 'a', '-', 'h', 'p', 'l', '.', '1'};
constexpr std::array<char, 8> event_pages{'p', 'a', '-', 'e', 'v', 't', '.', '1'};

/// Why there are no pages.
struct PagesFailure {
  enum class Reason : std::uint8_t {
    NoName,        ///< not the bytes of a name
    Own,           ///< this process made them
    Gone,          ///< given back, or their process has ended
    NotPermitted,  ///< the system does not let this process have them
    NoRoom,        ///< of memory or descriptors
    NotThere,      ///< this system has no such files
  };
  Reason reason;
  std::string message;
};

/// Owns a descriptor of such a file.
class SharedPages {
 public:
  /// New pages, all zero. `name` says what is to be in them; the rest of it is filled in.
  static base::Result<SharedPages, PagesFailure> make(PagesName name);
  /// The pages of another process, or of this one where `own` are wanted too.
  static base::Result<SharedPages, PagesFailure> open(const PagesName& name,
                                                      const std::array<char, 8>& purpose,
                                                      bool own = false);
  /// The pages that a descriptor stands for, which stays the caller's.
  static base::Result<SharedPages, PagesFailure> of_descriptor(int descriptor,
                                                               const std::array<char, 8>& purpose);
  SharedPages(SharedPages&& other) noexcept;
  SharedPages& operator=(SharedPages&&) = delete;
  ~SharedPages();

  const PagesName& name() const { return name_; }
  /// A new descriptor, the caller's; -1 when none is available.
  int duplicate() const;
  /// Writes the pages' contents; false when there is no room for them.
  bool fill(const std::byte* from) const;
  /// Maps the pages for reading and writing, in place of what is mapped at `place`, or wherever
  /// there is room if that is null. Null if it fails.
  std::byte* map(std::byte* place) const;

 private:
  SharedPages(int descriptor, const PagesName& name) : descriptor_(descriptor), name_(name) {}
  int descriptor_;
  PagesName name_;
};

}  // namespace pycuda::cpu::exec
