// SPDX-License-Identifier: MIT
#include "cpu/exec/counting.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "cpu/exec/access_counts.h"
#include "cpu/exec/launch_context.h"
#include "cpu/exec/stream.h"
#include "cpu/kernel_abi/checks.h"
#include "cpu/kernel_abi/runtime_calls.h"

namespace pycuda::cpu::exec {
namespace {

/// Never destroyed: kernels may run while the process ends.
struct Registry {
  std::mutex mutex;  ///< protects the rest
  std::map<std::pair<const CountedPlaces*, std::string>, std::unique_ptr<KernelCounters>> all;
  std::set<SourceText> sources;  ///< of all counters
  std::vector<std::string> faults;
};

Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

/// Where this thread counts now.
thread_local KernelCounters::Words* current = nullptr;

using FileAndLine = std::pair<std::uint32_t, std::uint32_t>;

std::vector<FileAndLine> lines_of(const CountedPlaces& places) {
  std::vector<FileAndLine> lines;
  for (const CountedPlace& place : places.places) {
    lines.emplace_back(place.file, place.line);
    for (const CountedInstructions& some : place.instructions)
      lines.emplace_back(some.file, some.line);
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

void keep_sample(KernelCounters::Words& words, std::uint32_t word, const ThreadFrame& thread,
                 std::uint32_t lanes, const AccessCost& cost,
                 const std::array<std::uint64_t, 32>& addresses) {
  std::unique_ptr<AccessSample>& sample = words.samples[word];
  if (sample == nullptr) sample = std::make_unique<AccessSample>();
  sample->lanes = lanes;
  sample->warp = number_of_thread(thread.block->launch->block, thread.tid) / 32;
  sample->block = thread.block->ctaid;
  sample->excess = cost.parts > cost.least ? cost.parts - cost.least : 0;
  std::copy(addresses.begin(), addresses.end(), sample->addresses);
}

bool is_worth_keeping(const KernelCounters::Words& words, std::uint32_t word,
                      const AccessCost& cost) {
  const AccessSample* const sample = words.samples[word].get();
  return sample == nullptr || cost.parts > cost.least + sample->excess;
}

void add(std::uint64_t* words, const AccessCost& cost, std::uint32_t lanes) {
  words[0] += 1;
  words[1] += cost.parts;
  words[2] += cost.least;
  words[3] += static_cast<std::uint64_t>(std::popcount(lanes));
}

KernelCounters::Words::Known& known_at(std::uint32_t word) {
  std::unique_ptr<KernelCounters::Words::Known>& known = current->known[word];
  if (known == nullptr) known = std::make_unique<KernelCounters::Words::Known>();
  return *known;
}

/// Beyond a sector, or a word of a bank, the pattern of what is touched repeats.
std::uint64_t phase_of(const CountedAccess& access, std::uint64_t address) {
  return address % (access.space == CountedSpace::Shared ? 4 : 32);
}

/// Whether lanes that all take part lie at these distances from the first.
bool are_at(const std::array<std::uint64_t, 32>& distances, const std::uint64_t* addresses) {
  // Wider than a processor may have: the compiler makes several of one.
  using Several [[gnu::vector_size(64)]] = std::uint64_t;
  Several different{};
  const Several first = addresses[0] - Several{};
  for (std::size_t i = 0; i < 32; i += 8) {
    Several one, known;
    std::memcpy(&one, addresses + i, sizeof one);
    std::memcpy(&known, distances.data() + i, sizeof known);
    different |= (one - first) ^ known;
  }
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < 8; ++i) any |= different[i];
  return any == 0;
}

/// As cost_of, from memory if the latest access at this place was like this one.
AccessCost known_cost_of(KernelCounters::Words::Known& known, const CountedAccess& access,
                         std::uint32_t lanes, const std::uint64_t* addresses) {
  constexpr std::uint32_t all = ~0u;
  if (access.space == CountedSpace::Local || lanes != all) return cost_of(access, lanes, addresses);
  const std::uint64_t phase = phase_of(access, addresses[0]);
  if (known.lanes == lanes && known.phase == phase && !known.stride &&
      are_at(known.distances, addresses))
    return known.cost;
  known.stride = std::nullopt;
  known.lanes = lanes;
  known.phase = phase;
  for (std::size_t lane = 0; lane < 32; ++lane)
    known.distances[lane] = addresses[lane] - addresses[0];
  known.cost = cost_of(access, lanes, addresses);
  return known.cost;
}

void count_in_space(const ThreadFrame& thread, std::uint32_t word, const CountedAccess& access,
                    std::uint32_t lanes, const std::uint64_t* addresses) {
  const AccessCost cost = known_cost_of(known_at(word), access, lanes, addresses);
  add(thread.block->counters + word, cost, lanes);
  if (!is_worth_keeping(*current, word, cost)) return;
  std::array<std::uint64_t, 32> all{};
  std::copy(addresses, addresses + 32, all.begin());
  keep_sample(*current, word, thread, lanes, cost, all);
}

/// Lanes by where their addresses lie. What is neither shared nor in device memory is taken for the
/// thread's own: a place in local memory that is the same for all lanes.
void count_generic(ThreadFrame& thread, std::uint32_t word, CountedAccess access,
                   std::uint32_t lanes, const std::uint64_t* addresses) {
  const BlockFrame& block = *thread.block;
  const auto shared = reinterpret_cast<std::uint64_t>(block.shared);
  std::uint32_t in_space[3] = {};
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    CountedSpace space = CountedSpace::Global;
    if (addresses[lane] - shared < block.launch->total_shared_bytes + reserved_shared_bytes) {
      space = CountedSpace::Shared;
    } else if (pycuda_cpu_is_local(&thread, addresses[lane]) != 0) {
      space = CountedSpace::Local;
    }
    in_space[static_cast<std::size_t>(space)] |= 1u << lane;
  }
  static constexpr std::array<std::uint64_t, 32> same_place{};
  for (const CountedSpace space :
       {CountedSpace::Global, CountedSpace::Local, CountedSpace::Shared}) {
    const auto number = static_cast<std::uint32_t>(space);
    if (in_space[number] == 0) continue;
    access.space = space;
    count_in_space(thread, word + number * words_of_access, access, in_space[number],
                   space == CountedSpace::Local ? same_place.data() : addresses);
  }
}

/// Adds what was counted by phases and runs of all lanes to the words that say it.
void settle(const CountedPlaces& places, std::vector<std::uint64_t>& words) {
  for (const CountedPlace& place : places.places) {
    std::uint64_t* const own = &words[place.word];
    if (place.kind == CountedKind::Run) {
      own[0] += own[2];
      own[1] += 32 * own[2];
    }
    if (place.kind != CountedKind::Access) continue;
    const std::uint32_t phases = phases_of({place.bytes, place.space, place.op}).count;
    if (place.space == CountedSpace::Generic) continue;
    for (std::uint32_t i = 0; i < phases; ++i) {
      const std::uint64_t* const phase = own + words_of_access + std::size_t{2} * i;
      if (phase[0] <= 1) continue;
      const std::uint64_t count = phase[0] - 1;
      own[0] += count;
      own[1] += count * (phase[1] & 0xffffffffu);
      own[2] += count * (phase[1] >> 32);
      own[3] += count * 32;
    }
  }
  // Runs come before their branches.
  for (const CountedPlace& place : places.places) {
    if (place.kind == CountedKind::Branch) words[place.word] = words[place.run];
  }
}

}  // namespace

KernelCounters::KernelCounters(const LaunchContext& launch, std::set<SourceText>& sources)
    : places_(launch.kernel.facts.counted),
      name_(launch.kernel.facts.name),
      registers_(launch.kernel.facts.registers),
      static_shared_bytes_(launch.kernel.facts.declared_shared_bytes()) {
  const std::vector<std::string>& files = launch.kernel.facts.source_files;
  const void* const code = launch.request.keep_alive.get();
  std::optional<std::uint32_t> latest;
  for (const auto& [file, line] : lines_of(*places_)) {
    const std::string name = file < files.size() ? files[file] : std::string();
    lines_.push_back({file, line, line != 0 ? find_source_line(code, name, line) : SourceLine()});
    if (latest == file) continue;
    latest = file;
    if (auto source = find_source_text(code, name))
      sources_.push_back(&*sources.insert(std::move(*source)).first);
  }
}

const SourceLine& KernelCounters::line(std::uint32_t file, std::uint32_t line) const {
  const auto found = std::lower_bound(lines_.begin(), lines_.end(), FileAndLine(file, line),
                                      [](const KnownLine& known, const FileAndLine& wanted) {
                                        return FileAndLine(known.file, known.line) < wanted;
                                      });
  return found->found;
}

void KernelCounters::add_launch(const Launch& launch) {
  const std::lock_guard lock(mutex_);
  ++launches_;
  last_ = launch;
}

KernelCounters::Words& KernelCounters::of_this_thread() {
  using ByLaunch = std::unordered_map<const KernelCounters*, Words*>;
  thread_local const auto own = std::make_unique<ByLaunch>();
  Words*& words = (*own)[this];
  if (words == nullptr) {
    auto made = std::make_unique<Words>();
    made->words.resize(places_->words);
    made->samples.resize(places_->words);
    made->known.resize(places_->words);
    words = made.get();
    const std::lock_guard lock(mutex_);
    all_words_.push_back(std::move(made));
  }
  return *words;
}

KernelCounters::Total KernelCounters::take() {
  const std::lock_guard lock(mutex_);
  Total total;
  total.launches = std::exchange(launches_, 0);
  total.last = last_;
  total.sums.words.resize(places_->words);
  total.sums.samples.resize(places_->words);
  for (const std::unique_ptr<Words>& words : all_words_) {
    settle(*places_, words->words);
    for (std::uint32_t i = 0; i < places_->words; ++i) {
      total.sums.words[i] += std::exchange(words->words[i], 0);
      std::unique_ptr<AccessSample>& kept = total.sums.samples[i];
      std::unique_ptr<AccessSample>& sample = words->samples[i];
      if (sample != nullptr && (kept == nullptr || sample->excess > kept->excess))
        kept = std::move(sample);
      sample.reset();
    }
  }
  return total;
}

KernelCounters& kernel_counters(const LaunchContext& launch) {
  Registry& all = registry();
  KernelCounters* counters = nullptr;
  {
    const std::lock_guard lock(all.mutex);
    std::unique_ptr<KernelCounters>& known =
        all.all[{launch.kernel.facts.counted.get(), launch.kernel.facts.name}];
    if (known == nullptr) known = std::make_unique<KernelCounters>(launch, all.sources);
    counters = known.get();
  }
  counters->add_launch(
      {launch.request.grid, launch.request.block, launch.request.dynamic_shared_bytes});
  return *counters;
}

std::vector<KernelCounters*> all_kernel_counters() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  std::vector<KernelCounters*> counters;
  counters.reserve(all.all.size());
  for (const auto& [key, one] : all.all) counters.push_back(one.get());
  return counters;
}

void note_counted_fault(std::string json) {
  constexpr std::size_t most = 100;
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (all.faults.size() < most) all.faults.push_back(std::move(json));
}

std::vector<std::string> take_counted_faults() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  return std::exchange(all.faults, {});
}

void count_on_this_thread(const LaunchContext& launch, BlockFrame& block) {
  if (launch.counters == nullptr) return;
  current = &launch.counters->of_this_thread();
  block.counters = current->words.data();
}

void count_for_lanes(WarpOp op, std::uint32_t lanes, ThreadFrame* warp) {
  ThreadFrame& first = warp[std::countr_zero(lanes)];
  const auto word = static_cast<std::uint32_t>(first.operand[1]);
  std::uint64_t* const words = first.block->counters + word;
  std::array<std::uint64_t, 32> values{};
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    values[lane] = warp[lane].operand[0];
  }
  switch (op) {
    case WarpOp::CountRun:
      words[0] += 1;
      words[1] += static_cast<std::uint64_t>(std::popcount(lanes));
      return;
    case WarpOp::CountBranch: {
      for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        if (values[static_cast<unsigned>(std::countr_zero(left))] == first.operand[0]) continue;
        words[1] += 1;
        return;
      }
      return;
    }
    default:
      pycuda_cpu_count_access(&first, word, static_cast<std::uint32_t>(first.operand[1] >> 32),
                              lanes, values.data());
  }
}

}  // namespace pycuda::cpu::exec

using namespace pycuda::cpu;

void pycuda_cpu_count_access(ThreadFrame* thread, std::uint32_t word, std::uint32_t access,
                             std::uint32_t lanes, const std::uint64_t* addresses) {
  const CountedAccess what = CountedAccess::of(access);
  if (what.space == CountedSpace::Generic) {
    exec::count_generic(*thread, word, what, lanes, addresses);
  } else {
    exec::count_in_space(*thread, word, what, lanes, addresses);
  }
}

void pycuda_cpu_count_first(ThreadFrame* thread, std::uint32_t word, std::uint32_t access,
                            const std::uint64_t* addresses) {
  constexpr std::uint32_t all = ~0u;
  const CountedAccess what = CountedAccess::of(access);
  const Phases phases = phases_of(what);
  exec::count_in_space(*thread, word, what, all, addresses);
  const exec::AccessCost cost = exec::cost_of(what, all, addresses);
  const std::uint64_t phase = addresses[0] / phases.step % phases.count;
  std::uint64_t* const own = thread->block->counters + word + words_of_access + 2 * phase;
  own[0] = 1;
  own[1] = packed_cost(cost.parts, cost.least);
}

void pycuda_cpu_count_strided(ThreadFrame* thread, std::uint32_t word, std::uint32_t access,
                              std::uint32_t lanes, std::uint64_t first, std::int64_t stride) {
  const CountedAccess what = CountedAccess::of(access);
  const auto spread = [&] {
    std::array<std::uint64_t, 32> addresses;
    for (std::uint32_t lane = 0; lane < addresses.size(); ++lane)
      addresses[lane] = first + lane * static_cast<std::uint64_t>(stride);
    return addresses;
  };
  if (what.space == CountedSpace::Generic) {
    exec::count_generic(*thread, word, what, lanes, spread().data());
    return;
  }
  exec::KernelCounters::Words::Known& known = exec::known_at(word);
  const std::uint64_t phase = exec::phase_of(what, first);
  const bool repeats = what.space != CountedSpace::Local;
  if (!repeats || known.lanes != lanes || known.phase != phase || known.stride != stride) {
    known.stride = stride;
    known.lanes = lanes;
    known.phase = phase;
    known.cost = exec::cost_of_strided(what, lanes, first, stride);
  }
  const exec::AccessCost cost = known.cost;
  exec::add(thread->block->counters + word, cost, lanes);
  if (exec::is_worth_keeping(*exec::current, word, cost))
    exec::keep_sample(*exec::current, word, *thread, lanes, cost, spread());
}
