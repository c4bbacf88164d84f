// SPDX-License-Identifier: MIT
#include "cpu/exec/finding_remedies.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "cpu/exec/code_tokens.h"
#include "cpu/exec/place_updates.h"

namespace pycuda::cpu::exec {
namespace {

constexpr std::size_t npos = std::string_view::npos;

struct Remedy {
  std::string_view words;  ///< of the message
  const char* text;
};
constexpr Remedy remedies[] = {
    {"no event or synchronisation",
     "record an event after the first work and let the second stream wait for it, or use one "
     "stream"},
    {"no edge of the graph", "add an edge between the two nodes of the graph"},
    {"only one access is atomic or volatile", "make both accesses atomic, or order them"},
    {"nothing that orders the blocks",
     "use two kernels, other output memory, or atomics for both accesses"},
    {"no __syncwarp() or barrier",
     "call __syncwarp() between the two accesses: lanes do not run in lockstep"},
    {"no barrier between",
     "call __syncthreads() between the two accesses, in a loop also at its end"},
    {"exited without reaching a barrier",
     "replace if (i >= n) return; by a condition around the work, not around the barrier"},
    {"wait at different barriers", "move __syncthreads() out of the branch"},
    {"lanes that have exited", "compute the mask before threads leave, or let them stay"},
};

/// The shared variable that a message names, without its kernel.
std::string_view shared_variable_in(std::string_view message) {
  constexpr std::string_view words = "shared variable '";
  const std::size_t at = message.find(words);
  if (at == npos) return {};
  message.remove_prefix(at + words.size());
  message = message.substr(0, message.find('\''));
  const std::size_t colon = message.rfind(':');
  return colon == npos ? message : message.substr(colon + 1);
}

enum class Numbers { Unknown, Integers, Floating };

/// What the argument of this name points to, as far as its declaration in the message tells.
Numbers numbers_of(std::string_view message, std::string_view name) {
  const std::size_t begin = message.find("passed as ");
  if (begin == npos) return Numbers::Unknown;
  for (std::size_t at = message.find('\'', begin); at != npos; at = message.find('\'', at + 1)) {
    const std::size_t end = message.find('\'', at + 1);
    const Tokens declared = tokens_of(message.substr(at + 1, end - at - 1));
    if (end == npos) return Numbers::Unknown;
    at = end;
    if (declared.empty() || declared.back() != name) continue;
    for (const std::string_view word : declared) {
      if (word == "float" || word == "double") return Numbers::Floating;
      if (word == "int" || word == "unsigned" || word == "long") return Numbers::Integers;
    }
  }
  return Numbers::Unknown;
}

std::string extreme(const char* function, const std::string& target, Numbers numbers) {
  constexpr const char* loop = "a loop with atomicCAS";
  const std::string call = std::string(function) + "(" + target + ", ...)";
  switch (numbers) {
    case Numbers::Integers:
      return call;
    case Numbers::Floating:
      return std::string(loop) + " (" + function + " takes integers)";
    default:
      return call + " for integers, " + loop + " for floating-point numbers";
  }
}

/// The atomic operation that does the update.
std::string operation_for(const PlaceUpdate& update, Numbers numbers) {
  const std::string target =
      update.place.starts_with('*') ? update.place.substr(1) : "&" + update.place;
  const auto call = [&](const char* function) {
    return std::string(function) + "(" + target + ", ...)";
  };
  switch (update.kind) {
    case PlaceUpdate::Kind::Add:
      return call("atomicAdd");
    case PlaceUpdate::Kind::Subtract:
      return numbers == Numbers::Floating ? "atomicAdd(" + target + ", -...)" : call("atomicSub");
    case PlaceUpdate::Kind::And:
      return call("atomicAnd");
    case PlaceUpdate::Kind::Or:
      return call("atomicOr");
    case PlaceUpdate::Kind::Xor:
      return call("atomicXor");
    case PlaceUpdate::Kind::Maximum:
      return extreme("atomicMax", target, numbers);
    case PlaceUpdate::Kind::Minimum:
      return extreme("atomicMin", target, numbers);
    case PlaceUpdate::Kind::Claim:
      return call("atomicCAS");
    case PlaceUpdate::Kind::Other:
      break;
  }
  return "a loop with atomicCAS";
}

/// The last of the lines that `text` ends with, which loses it; a line break ends each.
std::string_view take_last_line(std::string_view* text) {
  text->remove_suffix(1);
  const std::size_t end = text->rfind('\n') + 1;  // 0: there is none
  const std::string_view line = text->substr(end);
  *text = text->substr(0, end);
  return line;
}

/// The lines above a place that may lead to it: nothing across a barrier, the end of a block or the
/// beginning of one without a condition.
std::string_view near_above(const FoundPlace& place) {
  std::string_view rest = place.above;
  std::size_t length = 0;
  while (!rest.empty()) {
    const std::string_view line = take_last_line(&rest);
    if (line.find('}') != npos || line.find("__sync") != npos) break;
    if (line == "{" && rest.rfind("if") == npos) break;
    length += line.size() + 1;
  }
  return std::string_view(place.above).substr(place.above.size() - length);
}

/// The update that both accesses of a race are parts of.
std::optional<PlaceUpdate> update_in(const Finding& finding) {
  const FoundPlace &at = finding.at, &other = *finding.other;
  const std::string_view shared = shared_variable_in(finding.message);
  const bool is_one_line = at.place == other.place && at.source == other.source;
  if (is_one_line) {
    std::vector<PlaceUpdate> updates = find_updates(at.source, shared);
    if (updates.size() == 1) return std::move(updates[0]);
  }
  constexpr std::uint32_t near = 3;
  const FoundPlace& last = at.line < other.line ? other : at;
  const FoundPlace& first = at.line < other.line ? at : other;
  if (at.line == 0 || at.file != other.file || last.line - first.line > near) return std::nullopt;
  std::vector<PlaceUpdate> updates =
      find_updates(std::string(near_above(last)) + last.source, shared);
  std::erase_if(updates, [&](const PlaceUpdate& update) {
    return !update.in_two_steps || !mentions(first.source, update.place) ||
           !mentions(last.source, update.place);
  });
  if (updates.size() != 1) return std::nullopt;
  return std::move(updates[0]);
}

std::string remedy_of_update(const PlaceUpdate& update, std::string_view message) {
  const bool claims = update.kind == PlaceUpdate::Kind::Claim;
  return (update.in_two_steps ? "several threads read " + update.place +
                                    " and write it later, and others may write in between: use "
                              : "several threads read, change and write " + update.place +
                                    ", which no barrier puts in order: use ") +
         operation_for(update, numbers_of(message, update.name)) +
         (claims ? "" : ", or a reduction") +
         "; if each thread is meant to have a place of its own, correct the index";
}

}  // namespace

std::string remedy_of(const Finding& finding) {
  if (finding.check == Check::Race && finding.other && finding.at.stream.empty()) {
    const FoundPlace &at = finding.at, &other = *finding.other;
    if (const auto update = update_in(finding)) return remedy_of_update(*update, finding.message);
    if (at.place == other.place && at.source == other.source && at.access.starts_with("write") &&
        other.access.starts_with("write"))
      return "let one thread write this place, or give each thread one of its own; if the writes "
             "are in different turns of a loop, call __syncthreads() between the turns";
  }
  for (const Remedy& remedy : remedies)
    if (finding.message.find(remedy.words) != npos) return remedy.text;
  return {};
}

}  // namespace pycuda::cpu::exec
