// SPDX-License-Identifier: MIT
#include "cpu/jit/object_cache.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <type_traits>

#include "base/dynlib.h"
#include "base/file_cache.h"
#include "base/hash.h"
#include "cpu/jit/compile.h"

namespace pycuda::cpu::jit {
namespace {

/// Numbers, strings and vectors of records, one after the other in the host's byte order (entries
/// never leave the host: its processor is in the key).
class Writer {
 public:
  template <class Number>
  void number(Number value) {
    static_assert(std::is_trivially_copyable_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number<std::uint64_t>(value.size());
    bytes_.append(value);
  }
  template <class Items, class Each>
  void list(const Items& items, Each each) {
    number<std::uint64_t>(items.size());
    for (const auto& item : items) each(item);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Reads what Writer wrote. Past the end everything is zero and `ok` turns false.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class Number>
  Number number() {
    Number value{};
    if (bytes_.size() < sizeof value) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, bytes_.data(), sizeof value);
    bytes_.remove_prefix(sizeof value);
    return value;
  }
  std::string text() {
    const auto size = number<std::uint64_t>();
    if (size > bytes_.size()) {
      ok_ = false;
      return {};
    }
    std::string value(bytes_.substr(0, size));
    bytes_.remove_prefix(size);
    return value;
  }
  template <class Item, class Each>
  std::vector<Item> list(Each each) {
    std::vector<Item> items;
    for (auto count = number<std::uint64_t>(); count > 0 && ok_; --count) items.push_back(each());
    return items;
  }
  bool complete() const { return ok_ && bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool ok_ = true;
};

void write_facts(Writer& out, const KernelFacts& facts) {
  out.text(facts.name);
  out.list(facts.parameters, [&](const KernelParameter& parameter) { out.number(parameter); });
  for (std::uint32_t value :
       {facts.parameter_bytes, facts.static_shared_bytes, facts.shared_gap_bytes,
        facts.dynamic_shared_alignment, facts.local_bytes, facts.const_bytes, facts.registers,
        facts.max_threads, facts.ptx_version, facts.target, facts.cost, facts.gang_lanes,
        facts.tile_columns, facts.tile_rows})
    out.number(value);
  out.list(facts.shared_variables, [&](const SharedVariable& variable) {
    out.text(variable.name);
    out.number(variable.begin);
    out.number(variable.bytes);
  });
  out.number(facts.reads_reserved_shared);
  out.number(facts.required_block);
  out.number(facts.suspends);
  out.number(facts.gangs_suspend);
  out.number(facts.gangs_are_warps);
  out.number(facts.waits_in_blocks);
  out.number(facts.line_width);
  out.number(facts.gang_frame_bytes);
  out.number(facts.most_gang_blocks);
  out.number(facts.fuses_blocks);
  out.number(facts.fusible_block);
  out.number(facts.walks_rows);
  out.number(facts.strides_over_grid);
  out.text(facts.scalar_reason);
  out.number(facts.forms.bits());
  out.number(facts.is_baseline);
  out.number(facts.is_makeshift);
  out.list(facts.source_files, [&](const std::string& file) { out.text(file); });
  out.number(facts.loops);
  out.number(facts.processor_flushes);
  out.number(facts.calls_device_runtime);
  out.number(facts.launched_by_kernels);
  out.number(facts.tile_frame_bytes);
  out.number(facts.check_sites);
  const auto number = [&](const auto& value) { out.number(value); };
  out.list(facts.streamed.arrays, number);
  out.list(facts.streamed.accesses, number);
  out.list(facts.streamed.bounds, number);
  out.list(facts.streamed.multiples, number);
  out.number(facts.streamed.block_multiple);
  out.number(facts.streams);
}

KernelFacts read_facts(Reader& in) {
  KernelFacts facts;
  facts.name = in.text();
  facts.parameters = in.list<KernelParameter>([&] { return in.number<KernelParameter>(); });
  for (std::uint32_t* value :
       {&facts.parameter_bytes, &facts.static_shared_bytes, &facts.shared_gap_bytes,
        &facts.dynamic_shared_alignment, &facts.local_bytes, &facts.const_bytes, &facts.registers,
        &facts.max_threads, &facts.ptx_version, &facts.target, &facts.cost, &facts.gang_lanes,
        &facts.tile_columns, &facts.tile_rows})
    *value = in.number<std::uint32_t>();
  facts.shared_variables = in.list<SharedVariable>([&] {
    SharedVariable variable;
    variable.name = in.text();
    variable.begin = in.number<std::uint32_t>();
    variable.bytes = in.number<std::uint32_t>();
    return variable;
  });
  facts.reads_reserved_shared = in.number<bool>();
  facts.required_block = in.number<Dim3>();
  facts.suspends = in.number<bool>();
  facts.gangs_suspend = in.number<bool>();
  facts.gangs_are_warps = in.number<bool>();
  facts.waits_in_blocks = in.number<bool>();
  facts.line_width = in.number<std::uint32_t>();
  facts.gang_frame_bytes = in.number<std::uint64_t>();
  facts.most_gang_blocks = in.number<Dim3>();
  facts.fuses_blocks = in.number<bool>();
  facts.fusible_block = in.number<std::uint32_t>();
  facts.walks_rows = in.number<bool>();
  facts.strides_over_grid = in.number<bool>();
  facts.scalar_reason = in.text();
  facts.forms = Forms::from_bits(in.number<std::uint8_t>());
  facts.is_baseline = in.number<bool>();
  facts.is_makeshift = in.number<bool>();
  facts.source_files = in.list<std::string>([&] { return in.text(); });
  facts.loops = in.number<bool>();
  facts.processor_flushes = in.number<bool>();
  facts.calls_device_runtime = in.number<bool>();
  facts.launched_by_kernels = in.number<bool>();
  facts.tile_frame_bytes = in.number<std::uint64_t>();
  facts.check_sites = in.number<std::uint32_t>();
  const auto numbers = [&]<class Item>(std::vector<Item>& items) {
    items = in.list<Item>([&] { return in.number<Item>(); });
  };
  numbers(facts.streamed.arrays);
  numbers(facts.streamed.accesses);
  numbers(facts.streamed.bounds);
  numbers(facts.streamed.multiples);
  facts.streamed.block_multiple = in.number<std::uint32_t>();
  facts.streams = in.number<bool>();
  return facts;
}

void write_image(Writer& out, const VariableImage& image) {
  out.text(image.variable.name);
  out.number(image.variable.bytes);
  out.number(image.variable.alignment);
  out.number(image.variable.is_const);
  out.number(image.variable.is_managed);
  out.number(image.variable.is_visible);
  out.number(image.variable.reference);
  out.list(image.variable.properties, [&](const auto& property) {
    out.text(property.first);
    out.text(property.second);
  });
  out.text(image.initial);
  out.list(image.relocations, [&](const Relocation& relocation) {
    out.number(relocation.offset);
    out.number(relocation.bytes);
    out.number(relocation.shift);
    out.number(relocation.addend);
    out.text(relocation.symbol);
  });
}

VariableImage read_image(Reader& in) {
  VariableImage image;
  image.variable.name = in.text();
  image.variable.bytes = in.number<std::uint64_t>();
  image.variable.alignment = in.number<std::uint32_t>();
  image.variable.is_const = in.number<bool>();
  image.variable.is_managed = in.number<bool>();
  image.variable.is_visible = in.number<bool>();
  image.variable.reference = in.number<ReferenceKind>();
  image.variable.properties = in.list<std::pair<std::string, std::string>>([&] {
    std::string name = in.text();
    return std::pair(std::move(name), in.text());
  });
  image.initial = in.text();
  image.relocations = in.list<Relocation>([&] {
    Relocation relocation;
    relocation.offset = in.number<std::uint64_t>();
    relocation.bytes = in.number<std::uint32_t>();
    relocation.shift = in.number<std::uint32_t>();
    relocation.addend = in.number<std::int64_t>();
    relocation.symbol = in.text();
    return relocation;
  });
  return image;
}

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
                  (options.tier == Tier::Baseline ? 256u : 0u) | (options.symbols ? 512u : 0u))
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
  program.kernels = in.list<KernelFacts>([&] { return read_facts(in); });
  program.images = in.list<VariableImage>([&] { return read_image(in); });
  program.parts = in.list<Part>([&] {
    Part part;
    part.kernels = in.list<std::string>([&] { return in.text(); });
    part.at_once = in.number<bool>();
    part.whole = in.number<bool>();
    return part;
  });
  program.is_large = in.number<bool>();
  program.on_demand = in.number<bool>();
  program.object = in.text();
  if (!in.complete()) return nullptr;
  return std::make_shared<const CompiledProgram>(std::move(program));
}

void write_cached(const std::string& text_digest, const Options& options,
                  const CompiledProgram& program) {
  if (options.cache_folder.empty() || !is_kept(options)) return;
  Writer out;
  out.list(program.kernels, [&](const KernelFacts& facts) { write_facts(out, facts); });
  out.list(program.images, [&](const VariableImage& image) { write_image(out, image); });
  out.list(program.parts, [&](const Part& part) {
    out.list(part.kernels, [&](const std::string& kernel) { out.text(kernel); });
    out.number(part.at_once);
    out.number(part.whole);
  });
  out.number(program.is_large);
  out.number(program.on_demand);
  out.text(program.object);
  static_cast<void>(
      base::FileCache(options.cache_folder).write(cache_key(text_digest, options), out.take()));
}

}  // namespace pycuda::cpu::jit
