// SPDX-License-Identifier: MIT
// Zeroing memory that has hardly been used provides no pages for it, and zeroes all that was used.
#include "cpu/exec/untouched_pages.h"

#include <doctest/doctest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/exec/bulk_memory.h"
#include "cpu/exec/kernel_entry.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t bytes = std::size_t{64} << 20;

class Mapping {
 public:
  explicit Mapping(int kind, int protection = PROT_READ | PROT_WRITE)
      : data_(static_cast<unsigned char*>(
            mmap(nullptr, bytes, protection, kind | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
    REQUIRE(data_ != MAP_FAILED);
    // One page at a time.
    madvise(data_, bytes, MADV_NOHUGEPAGE);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { munmap(data_, bytes); }
  unsigned char* data() const { return data_; }

  std::size_t present_pages() const {
    std::vector<unsigned char> present(bytes / page);
    REQUIRE(mincore(data_, bytes, present.data()) == 0);
    return static_cast<std::size_t>(
        std::ranges::count_if(present, [](unsigned char one) { return (one & 1u) != 0; }));
  }

 private:
  unsigned char* data_;
};

bool all_are(const unsigned char* data, std::size_t count, unsigned char value) {
  return std::all_of(data, data + count, [value](unsigned char one) { return one == value; });
}

TEST_CASE("fresh memory stays without pages when it is zeroed") {
  const Mapping mapping(MAP_PRIVATE);
  CHECK(fill_bytes(mapping.data(), 0, 4, bytes));
  CHECK(mapping.present_pages() < bytes / page / 8);
  CHECK(all_are(mapping.data(), bytes, 0));
}

TEST_CASE("pages that were written to are zeroed between those that were not") {
  const Mapping mapping(MAP_PRIVATE);
  for (std::size_t at = 0; at < bytes; at += 37 * page + 5) std::memset(mapping.data() + at, 7, 99);
  std::memset(mapping.data() + bytes / 2, 7, bytes / 8);
  CHECK(fill_bytes(mapping.data(), 0, 1, bytes));
  CHECK(all_are(mapping.data(), bytes, 0));
}

TEST_CASE("bytes before and behind are left alone") {
  const Mapping mapping(MAP_PRIVATE);
  std::memset(mapping.data(), 7, bytes);
  const std::size_t from = 3 * page + 20;
  const std::size_t behind = bytes - 5 * page - 36;
  CHECK(fill_bytes(mapping.data() + from, 0, 4, behind - from));
  CHECK(all_are(mapping.data(), from, 7));
  CHECK(all_are(mapping.data() + from, behind - from, 0));
  CHECK(all_are(mapping.data() + behind, bytes - behind, 7));
}

TEST_CASE("shared and locked memory is zeroed too") {
  const Mapping shared(MAP_SHARED);
  std::memset(shared.data() + bytes / 4, 7, bytes / 4);
  CHECK(fill_bytes(shared.data(), 0, 4, bytes));
  CHECK(all_are(shared.data(), bytes, 0));

  const Mapping locked(MAP_PRIVATE);
  std::memset(locked.data(), 7, bytes / 2);
  const bool is_locked = mlock2(locked.data(), bytes, MLOCK_ONFAULT) == 0;
  CAPTURE(is_locked);  // where the limit allows it
  CHECK(fill_bytes(locked.data(), 0, 4, bytes));
  CHECK(all_are(locked.data(), bytes, 0));
}

TEST_CASE("zeroing what is not accessible is refused") {
  const Mapping mapping(MAP_PRIVATE, PROT_NONE);
  install_fault_signals();  // doctest has its own
  CHECK_FALSE(fill_bytes(mapping.data(), 0, 4, bytes));
}

}  // namespace
}  // namespace pycuda::cpu::exec
