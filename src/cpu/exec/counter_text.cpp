// SPDX-License-Identifier: MIT
#include "cpu/exec/counter_text.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "cpu/exec/counter_metrics.h"
#include "cpu/exec/counting.h"
#include "cpu/exec/json_text.h"

namespace pycuda::cpu::exec {
namespace {

using Words = KernelCounters::Words;

/// One PTX access and what it counted in one space.
struct CountedAt {
  const CountedPlace* place;
  CountedSpace space;
  const std::uint64_t* words;
  const AccessSample* sample;  ///< may be null
};

/// Calls `access` for each space of each access that was executed, `branch` and `instructions` for
/// what else was.
template <class Access, class Branch, class Instructions>
void for_each_place(const CountedPlaces& places, const Words& sums, Access access, Branch branch,
                    Instructions instructions) {
  for (const CountedPlace& place : places.places) {
    const std::uint64_t* const words = &sums.words[place.word];
    switch (place.kind) {
      case CountedKind::Run:
        if (words[0] == 0) break;
        for (const CountedInstructions& some : place.instructions) instructions(some, words);
        break;
      case CountedKind::Branch:
        if (words[0] != 0) branch(place, words);
        break;
      case CountedKind::Access: {
        const bool generic = place.space == CountedSpace::Generic;
        for (std::size_t i = 0; i < (generic ? 3u : 1u); ++i) {
          const std::uint64_t* const own = words + i * words_of_access;
          if (own[0] == 0) continue;
          access(CountedAt{&place, generic ? static_cast<CountedSpace>(i) : place.space, own,
                           sums.samples[place.word + i * words_of_access].get()});
        }
        break;
      }
    }
  }
}

Metrics metrics_of(const CountedPlaces& places, const Words& sums) {
  Metrics metrics{};
  for_each_place(
      places, sums,
      [&](const CountedAt& at) { add_access(metrics, at.space, at.place->op, at.words); },
      [&](const CountedPlace&, const std::uint64_t* words) { add_branch(metrics, words); },
      [&](const CountedInstructions& some, const std::uint64_t* words) {
        add_instructions(metrics, some, words);
      });
  return metrics;
}

void add(Metrics& to, const Metrics& from) {
  for (std::size_t i = 0; i < metric_count; ++i) to[i] += from[i];
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text)
    quoted += character == '"' ? std::string("\"\"") : std::string(1, character);
  return quoted + "\"";
}

/// Lanes that were active in a warp's instruction, on average.
std::string ratio(std::uint64_t threads, std::uint64_t warps) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f",
                warps == 0 ? 0.0 : static_cast<double>(threads) / static_cast<double>(warps));
  return text;
}

constexpr const char* average_name = "ptx_thread_inst_executed_per_inst_executed";

std::string average(const Metrics& metrics) {
  const auto names = metric_names();
  const auto value = [&](const char* name) {
    return metrics[static_cast<std::size_t>(std::find(names.begin(), names.end(), name) -
                                            names.begin())];
  };
  return ratio(value("ptx_thread_inst_executed"), value("ptx_inst_executed"));
}

// --- JSON ---

const char* name_of(CountedSpace space) {
  switch (space) {
    case CountedSpace::Local:
      return "local";
    case CountedSpace::Shared:
      return "shared";
    default:
      return "global";
  }
}

const char* name_of(CountedOp op) {
  switch (op) {
    case CountedOp::Load:
      return "load";
    case CountedOp::Store:
      return "store";
    case CountedOp::Atomic:
      return "atomic";
    case CountedOp::Reduction:
      return "reduction";
  }
  return "";
}

std::string metrics_json(const Metrics& metrics) {
  const auto names = metric_names();
  std::string json = "{";
  for (std::size_t i = 0; i < metric_count; ++i) {
    if (metrics[i] == 0) continue;
    json +=
        (json.size() == 1 ? "" : ", ") + quoted_json(names[i]) + ": " + std::to_string(metrics[i]);
  }
  return json + "}";
}

std::string sample_json(const AccessSample& sample) {
  std::string addresses;
  for (const std::uint64_t address : sample.addresses)
    addresses += (addresses.empty() ? "" : ", ") + std::to_string(address);
  return "{\"block\": " + list_json(sample.block) + ", \"warp\": " + std::to_string(sample.warp) +
         ", \"lanes\": " + std::to_string(sample.lanes) + ", \"addresses\": [" + addresses + "]}";
}

std::string access_json(const CountedAt& at) {
  const CountedPlace& place = *at.place;
  std::string json = "{\"at\": \"" + std::to_string(place.function) + "." +
                     std::to_string(place.instruction) + "." + std::to_string(place.part) +
                     "\", \"instruction\": " + quoted_json(place.text) + ", \"space\": \"" +
                     name_of(at.space) + "\", \"op\": \"" + name_of(at.place->op) +
                     "\", \"bytes\": " + std::to_string(at.place->bytes) +
                     ", \"requests\": " + std::to_string(at.words[0]) +
                     ", \"parts\": " + std::to_string(at.words[1]) +
                     ", \"ideal\": " + std::to_string(at.words[2]) +
                     ", \"threads\": " + std::to_string(at.words[3]);
  if (at.sample != nullptr) json += ", \"sample\": " + sample_json(*at.sample);
  return json + "}";
}

struct Line {
  const SourceLine* source = nullptr;
  Metrics metrics{};
  std::string accesses;
};

std::string line_json(const Line& line) {
  const std::string& place = line.source->place;
  return "{\"file\": " + quoted_json(line.source->file) +
         ", \"line\": " + std::to_string(line.source->line) +
         ", \"place\": " + quoted_json(place.empty() ? place : place.substr(4)) +
         ", \"source\": " + quoted_json(line.source->text) +
         ", \"metrics\": " + metrics_json(line.metrics) + ", \"accesses\": [" + line.accesses +
         "]}";
}

/// Sources by their numbers in the list of all.
class NumberedSources {
 public:
  std::size_t number(const SourceText& source) {
    const auto [known, is_new] = numbers_.emplace(&source, all_.size());
    if (is_new) all_.push_back(&source);
    return known->second;
  }
  std::string json() const {
    std::string json;
    for (const SourceText* const source : all_) {
      json += (json.empty() ? "" : ", ") + std::string("{\"file\": ") + quoted_json(source->file) +
              ", \"first_line\": " + std::to_string(source->first_line) +
              ", \"text\": " + quoted_json(source->text) + "}";
    }
    return "[" + json + "]";
  }

 private:
  std::map<const SourceText*, std::size_t> numbers_;
  std::vector<const SourceText*> all_;
};

std::string kernel_json(const KernelCounters& kernel, const KernelCounters::Total& total,
                        NumberedSources& sources) {
  const CountedPlaces& places = *kernel.places();
  std::map<std::pair<std::string, std::uint32_t>, Line> lines;
  const auto line_of = [&](std::uint32_t file, std::uint32_t number) -> Line& {
    const SourceLine& source = kernel.line(file, number);
    Line& line = lines[{source.file, source.line}];
    line.source = &source;
    return line;
  };
  for_each_place(
      places, total.sums,
      [&](const CountedAt& at) {
        Line& line = line_of(at.place->file, at.place->line);
        add_access(line.metrics, at.space, at.place->op, at.words);
        line.accesses += (line.accesses.empty() ? "" : ", ") + access_json(at);
      },
      [&](const CountedPlace& place, const std::uint64_t* words) {
        add_branch(line_of(place.file, place.line).metrics, words);
      },
      [&](const CountedInstructions& some, const std::uint64_t* words) {
        add_instructions(line_of(some.file, some.line).metrics, some, words);
      });
  std::string json =
      "{\"kernel\": " + quoted_json(kernel.name()) +
      ", \"launches\": " + std::to_string(total.launches) +
      ", \"grid\": " + list_json(total.last.grid) + ", \"block\": " + list_json(total.last.block) +
      ", \"registers\": " + std::to_string(kernel.registers()) +
      ", \"static_shared\": " + std::to_string(kernel.static_shared_bytes()) +
      ", \"dynamic_shared\": " + std::to_string(total.last.dynamic_shared_bytes) +
      ", \"metrics\": " + metrics_json(metrics_of(places, total.sums)) + ", \"lines\": [";
  bool first = true;
  for (const auto& [key, line] : lines) {
    json += (first ? "" : ", ") + line_json(line);
    first = false;
  }
  json += "], \"sources\": [";
  first = true;
  for (const SourceText* const source : kernel.sources()) {
    json += (first ? "" : ", ") + std::to_string(sources.number(*source));
    first = false;
  }
  return json + "]}";
}

}  // namespace

std::string take_counters_as_csv() {
  struct Row {
    std::uint64_t launches = 0;
    Metrics metrics{};
  };
  std::map<std::string, Row> rows;
  for (KernelCounters* const kernel : all_kernel_counters()) {
    const KernelCounters::Total total = kernel->take();
    if (total.launches == 0) continue;
    Row& row = rows[kernel->name()];
    row.launches += total.launches;
    add(row.metrics, metrics_of(*kernel->places(), total.sums));
  }
  std::string text = "kernel,launches";
  for (const std::string& name : metric_names()) text += "," + name;
  text += std::string(",") + average_name + "\n";
  for (const auto& [name, row] : rows) {
    text += csv_cell(name) + "," + std::to_string(row.launches);
    for (const std::uint64_t value : row.metrics) text += "," + std::to_string(value);
    text += "," + average(row.metrics) + "\n";
  }
  return text;
}

std::string take_counters_as_json() {
  NumberedSources sources;
  std::string json = "{\"kernels\": [";
  bool first = true;
  for (KernelCounters* const kernel : all_kernel_counters()) {
    const KernelCounters::Total total = kernel->take();
    if (total.launches == 0) continue;
    json += (first ? "" : ", ") + kernel_json(*kernel, total, sources);
    first = false;
  }
  json += "], \"sources\": " + sources.json() + ", \"faults\": [";
  first = true;
  for (const std::string& one : take_counted_faults()) {
    json += (first ? "" : ", ") + one;
    first = false;
  }
  return json + "]}";
}

}  // namespace pycuda::cpu::exec
