// SPDX-License-Identifier: MIT
// The vector path against the scalar one: the same kernels must give the same bits.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "base/env.h"
#include "unit/cpu/kernel_run.h"
#include "unit/cpu/simt/random_kernel.h"

using pycuda::cpu::Dim3;
using pycuda::cpu::jit::Options;
using pycuda::cpu::testing::LoadedModule;
using pycuda::cpu::testing::RandomKernel;

namespace {

Options vectors(bool wanted) {
  Options options;
  options.vectors = wanted;
  return options;
}

struct Outcome {
  std::vector<std::uint32_t> out, bins;
  bool operator==(const Outcome&) const = default;
};

Outcome run(LoadedModule& module, Dim3 grid, Dim3 block, std::uint32_t n) {
  std::vector<std::uint32_t> in(1024 + 4);
  for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u ^ (i << 7);
  const std::uint32_t threads = grid.x * block.x * block.y * block.z;
  Outcome outcome{std::vector<std::uint32_t>(std::size_t{16} * threads + 64, 0xabababab),
                  std::vector<std::uint32_t>(64)};
  module.run("k", grid, block, in.data(), outcome.out.data(), outcome.bins.data(), n);
  return outcome;
}

}  // namespace

TEST_CASE("random kernels compute the same bits on the scalar and on the vector path") {
  const auto count = pycuda::base::environment_number("PYCUDA_TEST_KERNELS").value_or(40);
  const auto first = pycuda::base::environment_number("PYCUDA_TEST_FIRST_KERNEL").value_or(0);
  long long widened = 0;
  for (long long seed = first; seed < first + count; ++seed) {
    const std::string text = RandomKernel(static_cast<std::uint64_t>(seed)).text(seed % 3 == 0);
    LoadedModule scalar(text, vectors(false));
    LoadedModule vector(text, vectors(true));
    if (vector.kernel("k").facts.gang_lanes == 0) {
      MESSAGE(seed << " stays scalar: " << vector.kernel("k").facts.scalar_reason);
      continue;
    }
    ++widened;
    for (const auto& [grid, block, n] : {std::tuple{Dim3{2}, Dim3{64}, 128u}, std::tuple{Dim3{3}, Dim3{72}, 200u},
                                         std::tuple{Dim3{2}, Dim3{250}, 470u}, std::tuple{Dim3{2}, Dim3{16, 4}, 120u},
                                         std::tuple{Dim3{2}, Dim3{9, 5}, 77u}, std::tuple{Dim3{1}, Dim3{1000}, 999u}}) {
      const bool same = run(scalar, grid, block, n) == run(vector, grid, block, n);
      CHECK_MESSAGE(same, "seed " << seed << ", block " << block.x << " x " << block.y);
      if (!same) break;
    }
  }
  CHECK(widened * 10 >= count * 8);
}
