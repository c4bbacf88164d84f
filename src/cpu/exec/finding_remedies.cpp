// SPDX-License-Identifier: MIT
#include "cpu/exec/finding_remedies.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/cxx_names.h"
#include "cpu/exec/code_tokens.h"
#include "cpu/exec/declared_parameters.h"
#include "cpu/exec/number_types.h"
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
    {"wait at different", "move __syncthreads() out of the branch"},
    {", which has exited",
     "let all lanes of the warp reach the shuffle, those beyond the end with a neutral value, or "
     "read only from lanes that a __ballot_sync() or __activemask() before it names"},
    {" does not name: the value",
     "name the lane in the mask, or read only from lanes that it names: the last argument is the "
     "width of the groups within which lanes read, as in __shfl_down_sync(0xff, x, d, 8)"},
    {" does not have: the value",
     "start blocks of a multiple of 32 threads, those beyond the end with a neutral value, or read "
     "only from lanes that the block has"},
};
/// Of races, whatever else is known of them.
constexpr Remedy remedies_of_scope[] = {
    {", not the device",
     "use the scope of the device: atomicAdd() instead of atomicAdd_block(), "
     "cuda::thread_scope_device instead of cuda::thread_scope_block"},
    {"(what has the scope of a block",
     "use __threadfence() instead of __threadfence_block(), and the scope of the device for the "
     "atomics between the blocks, such as cuda::thread_scope_device"},
};
// As messages say what is missing.
constexpr std::string_view between_blocks = "nothing that orders the blocks";
constexpr std::string_view within_warp = "no __syncwarp() or barrier";

bool has(const Tokens& code, std::string_view word) {
  return std::find(code.begin(), code.end(), word) != code.end();
}

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

/// The type of the argument of this name, as its declaration in the message tells. One that comes
/// from the only argument that the memory was passed as has that one's.
NumberType argument_type(std::string_view message, std::string_view name) {
  const std::size_t begin = message.find("passed as ");
  NumberType only;
  int count = 0;
  std::size_t at = begin == npos ? npos : message.find('\'', begin);
  while (at != npos) {
    const std::size_t end = message.find('\'', at + 1);
    if (end == npos) break;
    const Tokens declared = tokens_of(message.substr(at + 1, end - at - 1));
    const bool is_pointer = has(declared, "*") || has(declared, "[");
    only = is_pointer ? number_type_of(declared) : NumberType{};
    if (has(declared, name)) return only;
    ++count;
    at = message.find('\'', end + 1);
  }
  return count == 1 ? only : NumberType{};
}

/// Whether a name may be that of the memory: no other one is an argument that the message tells of.
bool may_name_argument(std::string_view message, std::string_view name) {
  const std::size_t begin = message.find("passed as ");
  std::size_t at = begin == npos ? npos : message.find('\'', begin);
  if (at == npos) return true;
  while (at != npos) {
    const std::size_t end = message.find('\'', at + 1);
    if (end == npos) break;
    if (has(tokens_of(message.substr(at + 1, end - at - 1)), name)) return true;
    at = message.find('\'', end + 1);
  }
  return false;
}

/// The type of a shared variable, if all that have the name have one.
NumberType shared_type(const Tokens& code, std::string_view name) {
  std::optional<NumberType> found;
  for (std::size_t at = 0; at < code.size(); ++at) {
    if (code[at] != "__shared__") continue;
    const auto begin = code.begin() + static_cast<std::ptrdiff_t>(at);
    const Tokens declared(begin, std::find(begin, code.end(), ";"));
    if (!has(declared, name)) continue;
    const NumberType type = number_type_of(declared);
    if (found && !(*found == type)) return {};
    found = type;
  }
  return found.value_or(NumberType{});
}

/// "write of 1 byte" tells something of a type that is not known.
NumberType accessed_type(std::string_view access) {
  if (access.ends_with(" of 1 byte")) return {NumberType::Kind::Unsigned, 1};
  if (access.ends_with(" of 2 bytes")) return {NumberType::Kind::Unsigned, 2};
  return {};
}

NumberType type_of(const PlaceUpdate& update, const Finding& finding, const Tokens& code) {
  const bool is_shared = !shared_variable_in(finding.message).empty();
  const NumberType type =
      is_shared ? shared_type(code, update.name) : argument_type(finding.message, update.name);
  return type.bytes == 0 ? accessed_type(finding.at.access) : type;
}

/// The last of the lines that `text` ends with, which loses it; a line break ends each.
std::string_view take_last_line(std::string_view* text) {
  text->remove_suffix(1);
  const std::size_t end = text->rfind('\n') + 1;  // 0: there is none
  const std::string_view line = text->substr(end);
  *text = text->substr(0, end);
  return line;
}

/// Whether the last line of some has a condition.
bool ends_with_condition(std::string_view text) {
  if (text.empty()) return false;
  const Tokens line = tokens_of(take_last_line(&text));
  return has(line, "if");
}

/// The lines above a place that may lead to it: nothing across a barrier, the end of a block or the
/// beginning of one without a condition.
std::string near_above(const FoundPlace& place) {
  std::string_view rest = place.above;
  std::size_t length = 0;
  while (!rest.empty()) {
    const std::string_view line = take_last_line(&rest);
    if (line.find('}') != npos || line.find("__sync") != npos) break;
    if (line == "{" && !ends_with_condition(rest)) break;
    length += line.size() + 1;
  }
  return place.above.substr(place.above.size() - length);
}

const std::string& line_of(const FoundPlace& place) {
  return place.whole.empty() ? place.source : place.whole;
}

/// The update that both accesses of a race are parts of.
std::optional<PlaceUpdate> update_in(const Finding& finding) {
  const FoundPlace &at = finding.at, &other = *finding.other;
  const std::string_view shared = shared_variable_in(finding.message);
  const bool is_one_line = at.place == other.place && at.source == other.source;
  if (is_one_line) {
    std::vector<PlaceUpdate> updates = find_updates(line_of(at), shared);
    // Other statements of the line may be what races.
    const Tokens line = tokens_of(line_of(at));
    if (std::count(line.begin(), line.end(), ";") > 1) {
      std::erase_if(updates, [&](const PlaceUpdate& update) {
        return !may_name_argument(finding.message, update.name);
      });
    }
    if (updates.size() == 1) return std::move(updates[0]);
  }
  constexpr std::uint32_t near = 3;
  const FoundPlace& last = at.line < other.line ? other : at;
  const FoundPlace& first = at.line < other.line ? at : other;
  if (at.line == 0 || at.file != other.file || last.line - first.line > near) return std::nullopt;
  std::vector<PlaceUpdate> updates = find_updates(near_above(last) + line_of(last), shared);
  std::erase_if(updates, [&](const PlaceUpdate& update) {
    return !update.in_two_steps || !mentions(line_of(first), update.place) ||
           !mentions(line_of(last), update.place);
  });
  if (updates.size() != 1) return std::nullopt;
  return std::move(updates[0]);
}

std::string remedy_of_update(const PlaceUpdate& update, NumberType type) {
  if (update.kind == PlaceUpdate::Kind::Stored)
    return "leave out the assignment to " + update.place +
           ": the atomic operation updates it, and returns the value before, which the assignment "
           "writes back over the updates of other threads";
  const bool claims = update.kind == PlaceUpdate::Kind::Claim;
  return (update.in_two_steps ? "several threads read " + update.place +
                                    " and write it later, and others may write in between: "
                              : "several threads read, change and write " + update.place +
                                    ", which no barrier puts in order: ") +
         atomic_update(update, type) + (claims ? "" : ", or a reduction") +
         "; if each thread is meant to have a place of its own, correct the index";
}

bool says(const Finding& finding, std::string_view words) {
  return finding.message.find(words) != npos;
}

bool is_same_write(const FoundPlace& at, const FoundPlace& other) {
  return at.place == other.place && at.source == other.source && at.access.starts_with("write") &&
         other.access.starts_with("write");
}

constexpr const char* for_blocks =
    "use two kernels, a second array for the output, or atomics for both accesses";

/// The body of a function, if its definition is there as text.
Tokens body_of(const Tokens& code, std::string_view function) {
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    if (code[at] != function || code[at + 1] != "(") continue;
    const std::size_t begin = behind_bracket(code, at + 1);
    if (begin >= code.size() || code[begin] != "{") continue;
    return {code.begin() + static_cast<std::ptrdiff_t>(begin),
            code.begin() + static_cast<std::ptrdiff_t>(behind_bracket(code, begin))};
  }
  return {};
}

/// Of the finding's kernel, where its source is known. Parts of that.
Tokens kernel_body(const Finding& finding, const FindingSituation& situation) {
  const std::string name = base::readable_name(finding.kernel);
  return body_of(tokens_of(situation.source), own_name(name));
}

bool may_loop(const Finding& finding, const FindingSituation& situation) {
  const Tokens body = kernel_body(finding, situation);
  return body.empty() || has(body, "for") || has(body, "while");
}

/// Whether a condition decides on something else than an early return.
bool has_branch(const Tokens& code) {
  for (std::size_t at = 0; at + 1 < code.size(); ++at) {
    if (code[at] != "if" || code[at + 1] != "(") continue;
    std::size_t then = behind_bracket(code, at + 1);
    if (then < code.size() && code[then] == "{") ++then;
    if (then >= code.size() || code[then] != "return") return true;
  }
  return false;
}

/// Of several writes by one line.
std::string remedy_of_writes(const Finding& finding, const FindingSituation& situation) {
  std::string text = "let one thread write this place, or give each thread ";
  if (says(finding, between_blocks))
    return text +
           "of all blocks one of its own, such as the one at blockIdx.x * blockDim.x + threadIdx.x";
  text += "one of its own";
  if (may_loop(finding, situation))
    text +=
        "; if the writes are in different turns of a loop, call __syncthreads() between the turns";
  return text;
}

/// Whether one statement does both, such as `a[i] += a[i - 1]`: nothing can stand between them.
bool in_one_statement(const FoundPlace& at, const FoundPlace& other) {
  if (at.place != other.place || at.source != other.source) return false;
  const Tokens line = tokens_of(line_of(at));
  return std::count(line.begin(), line.end(), ";") == 1;
}

std::size_t position_of(const Tokens& body, const FoundPlace& place) {
  const Tokens line = tokens_of(line_of(place));
  const auto found = std::search(body.begin(), body.end(), line.begin(), line.end());
  return line.empty() || found == body.end() ? npos
                                             : static_cast<std::size_t>(found - body.begin());
}

/// The bracket of the innermost block around a token.
std::size_t block_around(const Tokens& body, std::size_t at) {
  std::size_t depth = 0;
  while (at-- > 0) {
    if (body[at] == "}") ++depth;
    if (body[at] == "{" && depth-- == 0) break;
  }
  return at;
}

/// Whether a barrier stands between the two accesses, in a loop or branch that does not have both:
/// threads that go through it unequally often are not separated by it.
bool has_uneven_barrier(const Finding& finding, const FindingSituation& situation) {
  const Tokens body = kernel_body(finding, situation);
  const std::size_t one = position_of(body, finding.at), two = position_of(body, *finding.other);
  if (one == npos || two == npos) return false;
  const std::size_t first = std::min(one, two), last = std::max(one, two);
  for (std::size_t at = first; at < last; ++at) {
    if (body[at] != "__syncthreads") continue;
    const std::size_t begin = block_around(body, at);
    if (begin == npos || begin == 0) return false;
    if (begin > first || behind_bracket(body, begin) <= last) return true;
  }
  return false;
}

/// The pair that was found first is of one warp or block, others of the same lines may not be.
std::string remedy_by_barrier(const Finding& finding, const FindingSituation& situation) {
  if (has_uneven_barrier(finding, situation))
    return "move the __syncthreads() between the two accesses out of the loop or the branch that "
           "it is in, to behind it: threads that go through it unequally often meet at different "
           "turns";
  const bool in_warp = says(finding, within_warp);
  const bool is_one_warp = in_warp && situation.threads <= 32;
  const std::string call = is_one_warp ? "call __syncwarp()" : "call __syncthreads()";
  std::string text;
  if (in_one_statement(finding.at, *finding.other)) {
    const std::string divided = "read into a variable, " + call + ", and write then";
    text = may_loop(finding, situation)
               ? call + " at the end of each turn of a loop; if they access it in the same turn, " +
                     divided
               : divided;
  } else {
    text = call + " between the two accesses";
    text += is_one_warp ? ": lanes do not run in lockstep" : ", in a loop also at its end";
  }
  if (in_warp && !is_one_warp)
    text += " (__syncwarp() is enough only if both threads are always of one warp)";
  if (situation.blocks > 1 && says(finding, "of global memory"))
    text += std::string("; if other blocks access the same places, ") + for_blocks;
  return text;
}

std::string remedy_of_race(const Finding& finding, const FindingSituation& situation) {
  for (const Remedy& remedy : remedies_of_scope)
    if (says(finding, remedy.words)) return remedy.text;
  if (const std::optional<PlaceUpdate> update = update_in(finding))
    return remedy_of_update(*update, type_of(*update, finding, tokens_of(situation.source)));
  if (is_same_write(finding.at, *finding.other)) return remedy_of_writes(finding, situation);
  if (says(finding, "only one access is atomic or volatile"))
    return "make both accesses atomic, or order them";
  if (says(finding, between_blocks)) return for_blocks;
  return remedy_by_barrier(finding, situation);
}

/// Of a read of what nobody wrote.
std::string remedy_of_unwritten(const Finding& finding) {
  if (says(finding, "local variable")) return "give the variable a value where it is declared";
  if (says(finding, "shared memory"))
    return "write every element before it is read, and call __syncthreads() in between: shared "
           "memory has no value when a block begins";
  return "write every element before the kernel reads it: by the copy to the device that is "
         "missing (In or InOut instead of Out, memcpy_htod), or by pycuda.gpuarray.zeros() or "
         "fill() instead of empty()";
}

/// Of a barrier that some threads missed: they have returned, or a condition kept them from it.
std::string remedy_of_exit(const Finding& finding, const FindingSituation& situation) {
  const std::string by_return =
      "replace if (i >= n) return; by a condition around the work, not around the barrier";
  std::string by_branch =
      "move __syncthreads() out of the branch or the loop that only some threads are in: all "
      "threads of the block must call it equally often";
  const Tokens body = kernel_body(finding, situation);
  if (!body.empty() && !has(body, "return")) return by_branch;
  const std::string code = near_above(finding.at) + line_of(finding.at);
  return body.empty() || has_branch(tokens_of(code)) ? by_return + "; or " + by_branch : by_return;
}

}  // namespace

std::string remedy_of(const Finding& finding, const FindingSituation& situation) {
  if (finding.check == Check::Race && finding.other && finding.at.stream.empty())
    return remedy_of_race(finding, situation);
  if (finding.check == Check::Init) return remedy_of_unwritten(finding);
  if (says(finding, "exited without reaching a barrier")) return remedy_of_exit(finding, situation);
  for (const Remedy& remedy : remedies)
    if (says(finding, remedy.words)) return remedy.text;
  return {};
}

}  // namespace pycuda::cpu::exec
