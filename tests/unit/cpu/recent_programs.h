// SPDX-License-Identifier: MIT
// Programs compiled lately: many tests run one text in several shapes of block, on several inputs.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "base/result.h"
#include "cpu/jit/object_cache.h"
#include "cpu/jit/program.h"
#include "cpu/ptx/diagnostic.h"

namespace pycuda::cpu::testing {

/// What only one program can have: its own background work, and calls while it is compiled.
inline bool may_be_shared(const jit::Options& options) {
  return !options.by_parts && options.cache_folder.empty() && !options.background &&
         !options.before_vectors && !options.before_code && !options.before_emission;
}

/// As Program::compile, or one of the latest with the same text and options.
inline base::Result<std::shared_ptr<const jit::Program>, ptx::Diagnostics> compiled_lately(
    const std::string& text, const jit::Options& options) {
  constexpr std::size_t most_kept = 8;
  if (!may_be_shared(options)) return jit::Program::compile(text, options);
  static std::list<std::pair<std::string, std::shared_ptr<const jit::Program>>> latest;
  const std::string key = jit::cache_key(jit::text_digest(text), options) +
                          std::to_string(static_cast<int>(options.streaming));
  for (auto one = latest.begin(); one != latest.end(); ++one) {
    if (one->first != key) continue;
    latest.splice(latest.begin(), latest, one);
    return latest.front().second;
  }
  auto made = jit::Program::compile(text, options);
  if (!made) return made;
  latest.emplace_front(key, *made);
  if (latest.size() > most_kept) latest.pop_back();
  return made;
}

}  // namespace pycuda::cpu::testing
