// SPDX-License-Identifier: MIT
#include "rtc/bundled_headers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <vector>

#include "temporary_tree.h"

namespace pycuda::rtc {
namespace {

namespace fs = std::filesystem;

bool have(const std::vector<fs::path>& folders, const char* header) {
  return std::ranges::any_of(folders,
                             [&](const fs::path& folder) { return fs::exists(folder / header); });
}

}  // namespace

TEST_CASE("headers within NVRTC are written to the cache once") {
  const TemporaryTree tree;
  const base::Result<Nvrtc> nvrtc = Nvrtc::open(FAKE_NVRTC);
  REQUIRE(nvrtc.ok());
  REQUIRE(nvrtc->carries_headers());
  const fs::path cache = tree.path() / "cache";
  CHECK(written_headers(cache, "of a wheel").empty());
  const auto folders = write_headers(*nvrtc, cache, "of a wheel");
  REQUIRE(folders.ok());
  for (const char* const header : {"cuda_fp16.h", "cuda_runtime.h", "crt/host_defines.h"})
    CHECK(have(*folders, header));
  CHECK(written_headers(cache, "of a wheel") == *folders);
  CHECK(written_headers(cache, "of another").empty());
  // As another process that was slower.
  REQUIRE(write_headers(*nvrtc, cache, "of a wheel").ok());
  CHECK(std::distance(fs::directory_iterator(cache), fs::directory_iterator()) == 1);
}

TEST_CASE("headers within NVRTC are written elsewhere where the cache cannot hold them") {
  const TemporaryTree tree;
  const base::Result<Nvrtc> nvrtc = Nvrtc::open(FAKE_NVRTC);
  REQUIRE(nvrtc.ok());
  const fs::path cache = tree.write("file", "no folder") / "cache";
  const auto folders = write_headers(*nvrtc, cache, "of a full disk");
  REQUIRE(folders.ok());
  CHECK(have(*folders, "cuda_fp16.h"));
  CHECK(written_headers(cache, "of a full disk") == *folders);
  CHECK(written_headers({}, "of a full disk") == *folders);
}

TEST_CASE("folders lack headers unless each kind is there") {
  const TemporaryTree tree;
  CHECK(lack_toolkit_headers({}));
  for (const char* const header : {"cuda_fp16.h", "crt/mma.h", "cub/cub.cuh"}) {
    CHECK(lack_toolkit_headers({tree.path()}));
    tree.write(header, "");
  }
  CHECK(!lack_toolkit_headers({tree.path()}));
}

}  // namespace pycuda::rtc
