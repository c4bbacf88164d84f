// SPDX-License-Identifier: MIT
#include "cpu/jit/object_cache.h"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <type_traits>
#include <utility>

#include "base/dynlib.h"
#include "base/file_cache.h"
#include "base/hash.h"
#include "cpu/jit/compile.h"

namespace pycuda::cpu::jit {
namespace {

template <class Value, class Record>
concept Of = std::same_as<std::remove_const_t<Value>, Record>;

// The records' members, in the order in which they are kept. KernelFacts::counted is not.

void members(auto& file, Of<SharedVariable> auto& variable) {
  file(variable.name, variable.begin, variable.bytes);
}

void members(auto& file, Of<StreamedStores> auto& stores) {
  file(stores.arrays, stores.accesses, stores.bounds, stores.multiples, stores.block_multiple);
}

void members(auto& file, Of<KernelFacts> auto& facts) {
  file(facts.name, facts.parameters, facts.parameter_bytes, facts.static_shared_bytes,
       facts.shared_gap_bytes, facts.shared_variables, facts.dynamic_shared_alignment,
       facts.reads_reserved_shared, facts.local_bytes, facts.const_bytes, facts.registers,
       facts.max_threads, facts.required_block, facts.ptx_version, facts.target, facts.suspends,
       facts.cost, facts.gang_lanes, facts.gangs_suspend, facts.gangs_are_warps,
       facts.waits_in_blocks, facts.line_width, facts.gang_frame_bytes, facts.most_gang_blocks,
       facts.fuses_blocks, facts.fusible_block, facts.walks_rows, facts.strides_over_grid,
       facts.scalar_reason, facts.forms, facts.is_baseline, facts.is_makeshift, facts.source_files,
       facts.loops, facts.processor_flushes, facts.launches_kernels, facts.launches_graphs,
       facts.launched_by_kernels, facts.tile_columns, facts.tile_rows, facts.tile_frame_bytes,
       facts.check_sites, facts.streamed, facts.streams);
}

void members(auto& file, Of<std::pair<std::string, std::string>> auto& property) {
  file(property.first, property.second);
}

void members(auto& file, Of<GlobalVariable> auto& variable) {
  file(variable.name, variable.bytes, variable.alignment, variable.is_const, variable.is_managed,
       variable.is_visible, variable.reference, variable.properties);
}

void members(auto& file, Of<Relocation> auto& relocation) {
  file(relocation.offset, relocation.bytes, relocation.shift, relocation.addend, relocation.symbol);
}

void members(auto& file, Of<VariableImage> auto& image) {
  file(image.variable, image.initial, image.relocations);
}

void members(auto& file, Of<Part> auto& part) { file(part.kernels, part.at_once, part.whole); }

void members(auto& file, Of<CompiledProgram> auto& program) {
  file(program.kernels, program.images, program.parts, program.is_large, program.on_demand,
       program.object);
}

/// Numbers, strings, records and vectors of these, one after the other in the host's byte order
/// (entries never leave the host: its processor is in the key).
class Writer {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Value>
  void put(const Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    } else {
      members(*this, value);
    }
  }
  void put(const std::string& value) {
    put(value.size());
    bytes_.append(value);
  }
  template <class Item>
  void put(const std::vector<Item>& items) {
    put(items.size());
    for (const Item& item : items) put(item);
  }

  std::string bytes_;
};

/// Reads what Writer wrote. Past the end values stay as they are and `complete` is false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  bool complete() const { return ok_ && bytes_.empty(); }

 private:
  /// The next `size` bytes; none if there are not so many.
  std::string_view take(std::size_t size) {
    ok_ = ok_ && size <= bytes_.size();
    const std::string_view taken = bytes_.substr(0, ok_ ? size : 0);
    bytes_.remove_prefix(taken.size());
    return taken;
  }
  template <class Value>
  void get(Value& value) {
    if constexpr (std::is_trivially_copyable_v<Value>) {
      const std::string_view bytes = take(sizeof value);
      std::memcpy(&value, bytes.data(), bytes.size());
    } else {
      members(*this, value);
    }
  }
  void get(std::string& value) {
    std::size_t size = 0;
    get(size);
    value = take(size);
  }
  template <class Item>
  void get(std::vector<Item>& items) {
    std::size_t count = 0;
    get(count);
    for (; count > 0 && ok_; --count) get(items.emplace_back());
  }

  std::string_view bytes_;
  bool ok_ = true;
};

/// Size and time of the file this code is in: another build of the compiler must not find this
/// one's objects.
std::string own_build() {
  const std::string file = base::library_of(reinterpret_cast<const void*>(&own_build));
  std::error_code error;
  const auto bytes = std::filesystem::file_size(file, error);
  const auto written = std::filesystem::last_write_time(file, error);
  return std::to_string(bytes) + "/" + std::to_string(written.time_since_epoch().count());
}

/// What code counts where is not kept.
bool is_kept(const Options& options) { return !options.checks.has(Check::Counters); }

}  // namespace

const KernelFacts* find_facts(const CompiledProgram& code, std::string_view kernel) {
  const auto found = std::find_if(code.kernels.begin(), code.kernels.end(),
                                  [&](const KernelFacts& facts) { return facts.name == kernel; });
  return found != code.kernels.end() ? &*found : nullptr;
}

std::string text_digest(std::string_view ptx_text) { return base::Hash().add(ptx_text).hex(); }

std::string cache_key(const std::string& text_digest, const Options& options) {
  static const std::string build = own_build();
  base::Hash hash;
  for (const std::string& kernel : options.only_kernels) hash.add(kernel);
  return hash.add(text_digest)
             .add(unsigned{options.checks.bits()})
             .add((options.track_lines ? 2u : 0u) | (options.vectors ? 4u : 0u) |
                  (options.by_parts ? 8u : 0u) | (options.tier == Tier::Optimised ? 16u : 0u) |
                  (options.quick ? 32u : 0u) | (options.streaming_form ? 64u : 0u) |
                  (options.processor_flushes ? 128u : 0u) |
                  (options.tier == Tier::Baseline ? 256u : 0u) | (options.symbols ? 512u : 0u) |
                  (options.threads_too ? 1024u : 0u))
             .add(options.gang_lanes)
             // Of a program by parts, its text decides that.
             .add(options.by_parts ? 0u : unsigned{options.forms.value_or(Forms()).bits()})
             .add(options.only_kernels.size())
             .add(options.processor->cpu)
             .add(options.processor->features)
             .add(llvm_version())
             .add(kernel_abi_version)
             .add(build)
             .hex() +
         ".cpuobj";
}

std::shared_ptr<const CompiledProgram> read_cached(const std::string& text_digest,
                                                   const Options& options) {
  if (options.cache_folder.empty() || !is_kept(options)) return nullptr;
  const auto bytes = base::FileCache(options.cache_folder).read(cache_key(text_digest, options));
  if (!bytes) return nullptr;
  Reader in(*bytes);
  CompiledProgram program;
  in(program);
  if (!in.complete()) return nullptr;
  return std::make_shared<const CompiledProgram>(std::move(program));
}

void write_cached(const std::string& text_digest, const Options& options,
                  const CompiledProgram& program) {
  if (options.cache_folder.empty() || !is_kept(options)) return;
  Writer out;
  out(program);
  static_cast<void>(
      base::FileCache(options.cache_folder).write(cache_key(text_digest, options), out.take()));
}

}  // namespace pycuda::cpu::jit
