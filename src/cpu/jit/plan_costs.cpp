// SPDX-License-Identifier: MIT
#include "cpu/jit/plan_costs.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace pycuda::cpu::jit {
namespace {

using simt::ForEachThread;

/// What costs the same and is mended in the same way.
struct Class {
  ForEachThread each;
  double target::ThreadCosts::* cycles;
  const char* name;
  const char* advice;
};

constexpr std::array classes{
    Class{ForEachThread::Gather, &target::ThreadCosts::gather, "gathers, one element per thread",
          "let neighbouring threads read neighbouring elements: use the thread index as the last "
          "index"},
    Class{
        ForEachThread::Scatter, &target::ThreadCosts::scatter, "scatters, one element per thread",
        "let neighbouring threads write neighbouring elements, if necessary through shared memory"},
    Class{ForEachThread::Load, &target::ThreadCosts::load, "one scalar load per address",
          "let neighbouring threads read neighbouring elements, and leave no gaps in small tables"},
    Class{ForEachThread::Turn, &target::ThreadCosts::turn,
          "serialised block: some threads at each step, one after the other",
          "let threads of one step read and write neighbouring elements: keep the diagonals of a "
          "table as rows"},
    Class{ForEachThread::Update, &target::ThreadCosts::update,
          "updates of shared memory, one thread after the other",
          "let a thread add up the values for one address in a register, and update memory once"},
    Class{ForEachThread::Atomic, &target::ThreadCosts::atomic,
          "atomics, one thread after the other",
          "update shared memory, or a counter for each block, and global memory once at the end"},
    Class{ForEachThread::Other, &target::ThreadCosts::other,
          "calls or volatile accesses, one thread after the other",
          "avoid volatile accesses, and calls that cannot be inlined"},
};

const Class& class_of(ForEachThread each) {
  return *std::find_if(classes.begin(), classes.end(),
                       [&](const Class& one) { return one.each == each; });
}

/// Of what a note says is done once for each thread.
double cycles_of(const simt::PlanNote& note, const target::Processor& processor) {
  return note.each == ForEachThread::Nothing
             ? 0
             : processor.threads.*class_of(note.each).cycles * note.times;
}

struct Cost {
  const Class* of = nullptr;
  double cycles = 0;
  std::vector<std::pair<std::string, double>> places;
};

}  // namespace

/// The PTX instruction that a note is about, or null.
const ptx::Instruction* instruction_of(const ptx::Module& module, const simt::PlanNote& note) {
  const ptx::Function* function = module.find_function(note.function);
  if (function == nullptr || note.instruction == 0 || note.instruction > function->body.size())
    return nullptr;
  return &function->body[note.instruction - 1];
}

std::string source_of(const ptx::Module& module, const ptx::Instruction& instruction) {
  if (instruction.source_line == 0) return {};
  const auto file =
      std::find_if(module.files.begin(), module.files.end(), [&](const ptx::SourceFile& candidate) {
        return candidate.number == instruction.source_file;
      });
  std::string name = file == module.files.end() ? std::string("?") : file->name;
  if (const auto slash = name.rfind('/'); slash != std::string::npos) name.erase(0, slash + 1);
  return name + ":" + std::to_string(instruction.source_line);
}

std::string place_of(const ptx::Module& module, const simt::PlanNote& note) {
  const ptx::Instruction* instruction = instruction_of(module, note);
  if (instruction == nullptr) return "an unknown line";
  std::string source = source_of(module, *instruction);
  return source.empty() ? "PTX line " + std::to_string(instruction->position.line) : source;
}

std::string describe_costs(const ptx::Module& module, const std::vector<simt::PlanNote>& notes,
                           double work, const target::Processor& processor) {
  constexpr double least_share = 0.08;
  constexpr std::size_t most_places = 6;
  // What threads do in turn is done so in nearly all steps, although there is a copy for the step
  // in which it is everybody's.
  std::set<std::pair<std::string, std::uint32_t>> turns;
  for (const simt::PlanNote& note : notes) {
    if (note.each == ForEachThread::Turn) turns.emplace(note.function, note.instruction);
  }
  // Of several copies of an instruction the cheapest is the one that runs most.
  std::map<std::tuple<std::string, std::uint32_t, simt::PlanNote::Kind>, const simt::PlanNote*>
      cheapest;
  for (const simt::PlanNote& note : notes) {
    if (note.kind != simt::PlanNote::Kind::Access && note.kind != simt::PlanNote::Kind::LaneByLane)
      continue;
    if (note.each != ForEachThread::Turn && turns.contains({note.function, note.instruction}))
      continue;
    const simt::PlanNote*& known = cheapest[{note.function, note.instruction, note.kind}];
    if (known == nullptr || cycles_of(note, processor) < cycles_of(*known, processor))
      known = &note;
  }
  std::map<ForEachThread, Cost> costs;
  double all = work;
  for (const auto& [place, note] : cheapest) {
    if (note->each == ForEachThread::Nothing) continue;
    Cost& cost = costs[note->each];
    cost.of = &class_of(note->each);
    cost.cycles += cycles_of(*note, processor);
    all += cycles_of(*note, processor);
    const std::string name = place_of(module, *note);
    const auto known = std::find_if(cost.places.begin(), cost.places.end(),
                                    [&](const auto& other) { return other.first == name; });
    if (known == cost.places.end()) {
      cost.places.emplace_back(name, cycles_of(*note, processor));
    } else {
      known->second += cycles_of(*note, processor);
    }
  }
  std::vector<Cost> sorted;
  for (const auto& [each, cost] : costs) {
    if (cost.cycles >= least_share * all) sorted.push_back(cost);
  }
  if (sorted.empty()) return {};
  const auto dearer = [](double left, double right) { return left > right; };
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Cost& left, const Cost& right) {
    return dearer(left.cycles, right.cycles);
  });
  std::string text = "what costs most, an estimate of operations alone:\n";
  for (Cost& cost : sorted) {
    std::stable_sort(
        cost.places.begin(), cost.places.end(),
        [&](const auto& left, const auto& right) { return dearer(left.second, right.second); });
    char share[32];
    std::snprintf(share, sizeof share, "  about %.0f %%: ", 100 * cost.cycles / all);
    text += std::string(share) + cost.of->name + ": ";
    for (std::size_t i = 0; i < std::min(cost.places.size(), most_places); ++i)
      text += (i == 0 ? "" : ", ") + cost.places[i].first;
    if (cost.places.size() > most_places)
      text += " and " + std::to_string(cost.places.size() - most_places) + " more";
    text += std::string("\n    ") + cost.of->advice + "\n";
  }
  return text;
}

std::string describe_memory(const ptx::Module& module, const std::vector<simt::PlanNote>& notes,
                            double work, unsigned lanes, const target::Processor& processor) {
  // Operations are taken for rather too many: copies with masks count as well.
  constexpr double much = 0.5;
  struct Moved {
    double bytes = 0;
    const simt::PlanNote* note = nullptr;
  };
  // Neighbours in one array come from a cache: of its accesses the largest counts.
  std::map<std::tuple<bool, std::uint64_t, std::uint32_t>, Moved> arrays;
  double operations = work;
  for (const simt::PlanNote& note : notes) {
    operations += cycles_of(note, processor);
    const ptx::Instruction* instruction = instruction_of(module, note);
    if (note.bytes == 0 || instruction == nullptr || note.form.starts_with("broadcast") ||
        note.form.starts_with("one "))
      continue;
    const bool writes = instruction->text.starts_with("st.global");
    if (!writes && !instruction->text.starts_with("ld.global")) continue;
    const std::uint32_t number = note.array == 0 ? note.instruction : 0;
    Moved& moved = arrays[{writes, note.array, number}];
    const double times = note.each == ForEachThread::Nothing ? note.times : note.times / lanes;
    if (note.bytes * times > moved.bytes) moved = {note.bytes * times, &note};
  }
  double bytes = 0, traffic = 0;
  std::vector<std::string> places;
  for (const auto& [array, moved] : arrays) {
    if (moved.note == nullptr) continue;
    const auto& [writes, parameter, instruction] = array;
    bytes += moved.bytes;
    // Before a line of the cache is written it is read, unless the kernel has read it anyway.
    traffic += moved.bytes * (writes && !arrays.contains({false, parameter, instruction}) ? 2 : 1);
    const std::string place = place_of(module, *moved.note);
    if (std::find(places.begin(), places.end(), place) == places.end()) places.push_back(place);
  }
  const double cycles = traffic / processor.bytes_per_cycle;
  if (traffic == 0 || cycles < much * operations / lanes) return {};
  char numbers[128];
  std::snprintf(numbers, sizeof numbers,
                "about %.0f bytes per thread take %.1f cycles of a core, its operations %.1f: ",
                bytes, cycles, operations / lanes);
  std::string text =
      "if the arrays do not fit a cache, memory takes much of the time, as in any program: " +
      std::string(numbers);
  for (std::size_t i = 0; i < places.size(); ++i) text += (i == 0 ? "" : ", ") + places[i];
  return text +
         "\n  compute more per element that is read, store smaller types, or fuse two kernels\n";
}

}  // namespace pycuda::cpu::jit
