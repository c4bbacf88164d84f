// SPDX-License-Identifier: MIT
#include "cpu/exec/finding_situation.h"

#include <optional>
#include <utility>

#include "base/cxx_names.h"
#include "cpu/exec/declared_parameters.h"
#include "cpu/exec/source_places.h"
#include "cpu/exec/stream.h"

namespace pycuda::cpu::exec {

FindingSituation situation_of(const LaunchContext& launch) {
  FindingSituation situation;
  const Dim3 block = launch.frame.block;
  situation.threads = block.x * block.y * block.z;
  const Dim3 grid = launch.frame.grid;
  situation.blocks = std::uint64_t{grid.x} * grid.y * grid.z;
  const KernelFacts& facts = launch.kernel.facts;
  const std::string readable = base::readable_name(facts.name);
  const std::string_view name = own_name(readable);
  for (const std::string& file : facts.source_files) {
    std::optional<ReadableSource> source = read_source(launch.request.keep_alive.get(), file);
    if (!source || source->text.find(name) == std::string::npos) continue;
    situation.source = std::move(source->text);
    break;
  }
  return situation;
}

}  // namespace pycuda::cpu::exec
