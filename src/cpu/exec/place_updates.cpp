// SPDX-License-Identifier: MIT
#include "cpu/exec/place_updates.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "cpu/exec/code_tokens.h"

namespace pycuda::cpu::exec {
namespace {

using Kind = PlaceUpdate::Kind;

bool is_one_of(std::string_view token, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), token) != words.end();
}

bool is_comparison(std::string_view token) { return is_one_of(token, {"<", ">", "<=", ">="}); }

/// The atomic operation for a value that is changed by an operator.
Kind kind_of(char sign) {
  switch (sign) {
    case '+':
      return Kind::Add;
    case '-':
      return Kind::Subtract;
    case '&':
      return Kind::And;
    case '|':
      return Kind::Or;
    case '^':
      return Kind::Xor;
    default:
      return Kind::Other;
  }
}

/// How strongly an operator of two operands binds.
int strength_of(std::string_view sign) {
  if (is_one_of(sign, {"*", "/", "%"})) return 7;
  if (is_one_of(sign, {"+", "-"})) return 6;
  if (is_one_of(sign, {"<<", ">>"})) return 5;
  if (is_comparison(sign) || is_one_of(sign, {"==", "!="})) return 4;
  const std::size_t at = std::string_view("|^&").find(sign);
  return at == std::string_view::npos ? 0 : static_cast<int>(at) + 1;
}

/// Whether an operator behind the token has it as an operand.
bool ends_operand(std::string_view token) {
  return is_name(token) || is_one_of(token, {")", "]", "}", "."}) ||
         std::isdigit(static_cast<unsigned char>(token[0])) != 0;
}

bool is_operator(std::string_view token) {
  return !ends_operand(token) && !is_one_of(token, {"(", "[", "{", "->", "::", "!", "~"});
}

/// Without the head of a kernel, and without what for (...) counts.
Tokens statements_of(std::string_view code) {
  Tokens tokens = tokens_of(code);
  const auto head = std::find_if(tokens.begin(), tokens.end(), [](std::string_view token) {
    return is_one_of(token, {"__global__", "__device__"});
  });
  const auto body = std::find(head, tokens.end(), "{");
  if (body != tokens.end()) tokens.erase(tokens.begin(), body + 1);
  for (std::size_t at = 0; at + 1 < tokens.size();) {
    if (tokens[at] == "for" && tokens[at + 1] == "(") {
      const auto begin = tokens.begin() + static_cast<std::ptrdiff_t>(at);
      tokens.erase(begin, begin + static_cast<std::ptrdiff_t>(behind_bracket(tokens, at + 1) - at));
    } else {
      ++at;
    }
  }
  return tokens;
}

/// "*p" of "(*p)".
std::string without_brackets(const std::string& place) {
  const bool is_enclosed = place.starts_with('(') && place.find(')') + 1 == place.size();
  return is_enclosed ? place.substr(1, place.size() - 2) : place;
}

/// Some tokens: from `begin` to before `end`.
struct Range {
  std::size_t begin = 0, end = 0;
};

/// A piece of code, and what it mentions. A variable that got the value of a place stands for that.
class Code {
 public:
  explicit Code(std::string_view code, std::string_view shared)
      : tokens_(statements_of(code)), mentions_(mentions_of(tokens_)), shared_(shared) {
    for (const Mention& mention : mentions_) {
      if (writes(mention)) writes_indirect_ |= mention.is_indirect;
    }
    find_copies();
  }

  std::vector<PlaceUpdate> updates() const {
    std::vector<PlaceUpdate> found;
    for (const Mention& mention : mentions_) {
      if (!writes(mention) || !is_memory(mention)) continue;
      if (std::optional<PlaceUpdate> update = update_of(mention))
        found.push_back(std::move(*update));
    }
    return found;
  }

 private:
  struct Copy {
    std::string name;                ///< of the variable
    const Mention* place = nullptr;  ///< whose value it has
  };

  std::string_view at(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index] : std::string_view();
  }
  std::string_view before(std::size_t index) const { return index == 0 ? "" : at(index - 1); }
  /// Behind a token, or what brackets enclose.
  std::size_t next(std::size_t index) const {
    return is_one_of(at(index), {"(", "[", "{"}) ? behind_bracket(tokens_, index) : index + 1;
  }

  bool assigns(const Mention& mention) const { return at(mention.end) == "="; }
  /// The sign of an operator that changes the mention's value, such as `+=` and `++`; 0: none does.
  char changed_by(const Mention& mention) const {
    const std::string_view next = at(mention.end);
    if (is_one_of(next, {"++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="}))
      return next[0];
    const std::string_view last = before(mention.begin);
    return is_one_of(last, {"++", "--"}) ? last[0] : '\0';
  }
  bool writes(const Mention& mention) const {
    return assigns(mention) || changed_by(mention) != '\0';
  }
  /// Of what the code writes, a variable of the kernel's own is not what threads race for.
  bool is_memory(const Mention& mention) const {
    return shared_.empty() ? mention.is_indirect || !writes_indirect_ : mention.name == shared_;
  }

  /// What is assigned to the mention.
  Range value_of(const Mention& mention) const {
    const std::size_t begin = mention.end + 1;
    std::size_t end = begin;
    while (end < tokens_.size() && !is_one_of(tokens_[end], {";", ",", ")", "}"})) end = next(end);
    return {begin, end};
  }

  void find_copies() {
    for (const Mention& mention : mentions_) {
      if (!assigns(mention) || mention.is_indirect || mention.name == shared_) continue;
      const Range value = value_of(mention);
      const auto place =
          std::find_if(mentions_.begin(), mentions_.end(), [&](const Mention& other) {
            return other.begin == value.begin && other.end == value.end &&
                   (shared_.empty() ? other.is_indirect : other.name == shared_);
          });
      if (place != mentions_.end()) copies_.push_back({mention.name, &*place});
    }
  }

  bool is_copy_of(const Mention& mention, const Mention& place) const {
    return !mention.is_indirect &&
           std::any_of(copies_.begin(), copies_.end(), [&](const Copy& copy) {
             return copy.name == mention.text && copy.place->text == place.text;
           });
  }
  bool stands_for(const Mention& mention, const Mention& place) const {
    return mention.text == place.text || is_copy_of(mention, place);
  }

  bool is_old_value(Range range, const Mention& place) const {
    return std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& mention) {
      return mention.begin == range.begin && mention.end == range.end && stands_for(mention, place);
    });
  }

  /// The mentions in a range that stand for a place.
  std::vector<const Mention*> mentions_in(Range range, const Mention& place) const {
    std::vector<const Mention*> found;
    for (const Mention& mention : mentions_) {
      if (mention.begin >= range.begin && mention.end <= range.end && stands_for(mention, place))
        found.push_back(&mention);
    }
    return found;
  }

  /// "a[0]", which all threads have in common: other parts of the array have no part in its update.
  bool is_one_element(const Mention& place) const {
    return place.end - place.begin == 4 && at(place.begin + 1) == "[" &&
           std::isdigit(static_cast<unsigned char>(tokens_[place.begin + 2][0])) != 0;
  }
  bool has_other_use(const Mention& place) const {
    return !is_one_element(place) &&
           std::any_of(mentions_.begin(), mentions_.end(), [&](const Mention& mention) {
             return mention.name == place.name && mention.text != place.text;
           });
  }

  std::optional<PlaceUpdate> update_of(const Mention& place) const {
    PlaceUpdate update{without_brackets(place.written), place.name};
    if (assigns(place) && is_atomic_on(value_of(place), place)) {
      update.kind = Kind::Stored;
      return update;
    }
    if (has_other_use(place)) return std::nullopt;
    if (const char sign = changed_by(place); sign != '\0') {
      update.kind = kind_of_sign(place, sign);
      return update;
    }
    const Range value = value_of(place);
    if (const std::vector<const Mention*> read = mentions_in(value, place); !read.empty()) {
      std::optional<Kind> changed;
      update.in_two_steps = is_copy_of(*read[0], place);
      if (update.in_two_steps) changed = kind_of_changes(*read[0], place);
      if (read[0]->begin != value.begin || read[0]->end != value.end)
        changed = both(changed, kind_of_value(value, place));
      if (!changed) return std::nullopt;  // written back as it was, such as in an exchange
      update.kind = *changed;
      return update;
    }
    if (const std::optional<Kind> kind = kind_of_condition(place, value)) {
      update.kind = *kind;
      update.in_two_steps = true;
      return update;
    }
    return std::nullopt;
  }

  /// Of `p[i] = atomicAdd(&p[i], 1)` and `*p = atomicAdd(p, 1)` the value.
  bool is_atomic_on(Range value, const Mention& place) const {
    if (!at(value.begin).starts_with("atomic") || at(value.begin + 1) != "(") return false;
    const std::size_t first = value.begin + 2;
    std::size_t end = first;
    while (end < value.end && !is_one_of(at(end), {",", ")"})) end = next(end);
    const std::string argument = joined(tokens_, first, end);
    return argument == "&" + place.text || "*" + argument == place.text;
  }

  /// Of one change after another.
  static Kind both(std::optional<Kind> first, Kind second) {
    return !first || *first == second ? second : Kind::Other;
  }

  /// Of what is done to a copy since it got the value of a place; nothing if nothing is.
  std::optional<Kind> kind_of_changes(const Mention& copy, const Mention& place) const {
    std::optional<Kind> kind;
    for (const Mention& mention : mentions_) {
      if (mention.text != copy.text || mention.begin >= copy.begin || !writes(mention)) continue;
      if (const char sign = changed_by(mention); sign != '\0') {
        kind = both(kind, kind_of_sign(mention, sign));
        continue;
      }
      const Range value = value_of(mention);
      const std::vector<const Mention*> read = mentions_in(value, place);
      if (read.size() == 1 && read[0]->begin == value.begin && read[0]->end == value.end)
        kind.reset();
      else
        kind = both(kind, kind_of_value(value, place));
    }
    return kind;
  }

  /// Of what an operator such as `+=` changes.
  Kind kind_of_sign(const Mention& changed, char sign) const {
    return kind_of(is_one_of(at(changed.end), {"<<=", ">>="}) ? '<' : sign);
  }

  /// Of a value that is made of the one before.
  Kind kind_of_value(Range value, const Mention& place) const {
    const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(value.begin);
    const auto last = tokens_.begin() + static_cast<std::ptrdiff_t>(value.end);
    const std::vector<const Mention*> read = mentions_in(value, place);
    if (const auto question = std::find(first, last, "?"); question != last)
      return kind_of_choice(value, static_cast<std::size_t>(question - tokens_.begin()), place);
    if (read.size() != 1) return Kind::Other;
    const Mention& old = *read[0];
    std::size_t call = value.begin;
    while (at(call) == "::" || (at(call) == "std" && at(call + 1) == "::")) ++call;
    if (at(call + 1) != "(" || behind_bracket(tokens_, call + 1) != value.end)
      return kind_of_operators(value, old);
    const bool is_argument = (old.begin == call + 2 && at(old.end) == ",") ||
                             (before(old.begin) == "," && old.end + 1 == value.end);
    if (is_argument && is_one_of(at(call), {"max", "fmax", "fmaxf"})) return Kind::Maximum;
    if (is_argument && is_one_of(at(call), {"min", "fmin", "fminf"})) return Kind::Minimum;
    return Kind::Other;
  }

  /// Where the operators that bind most weakly are of one kind, and have the old value as operand.
  Kind kind_of_operators(Range value, const Mention& old) const {
    std::vector<std::string_view> weakest;
    bool is_outer = false;
    for (std::size_t i = value.begin; i < value.end;) {
      const bool is_binary = i > value.begin && is_operator(at(i)) && ends_operand(before(i));
      const int strength = strength_of(at(i));
      if (is_binary && !weakest.empty() && strength < strength_of(weakest[0])) weakest.clear();
      if (is_binary && (weakest.empty() || strength == strength_of(weakest[0])))
        weakest.push_back(at(i));
      is_outer |= i == old.begin;
      i = i == old.begin ? old.end : next(i);
      if (at(i) == "<" && before(i).ends_with("_cast"))
        while (i < value.end && before(i) != ">") ++i;
    }
    const auto is_weakest = [&](std::string_view sign) {
      return std::find(weakest.begin(), weakest.end(), sign) != weakest.end();
    };
    if (!is_outer || weakest.empty() || weakest[0].size() != 1) return Kind::Other;
    if (old.begin > value.begin && (!is_weakest(before(old.begin)) || before(old.begin) == "-"))
      return Kind::Other;
    if (old.end < value.end && !is_weakest(at(old.end))) return Kind::Other;
    return kind_of(is_weakest("+") ? '+' : weakest[0][0]);
  }

  /// Of `left < right ? right : left`.
  Kind kind_of_choice(Range value, std::size_t question, const Mention& place) const {
    Range condition{value.begin, question};
    if (at(condition.begin) == "(" && behind_bracket(tokens_, condition.begin) == question) {
      ++condition.begin;
      --condition.end;
    }
    const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(question);
    const auto last = tokens_.begin() + static_cast<std::ptrdiff_t>(value.end);
    const auto colon = static_cast<std::size_t>(std::find(first, last, ":") - tokens_.begin());
    for (std::size_t sign = condition.begin; sign < condition.end; ++sign) {
      if (!is_comparison(tokens_[sign]) || colon >= value.end) continue;
      if (!is_old_value({condition.begin, sign}, place) &&
          !is_old_value({sign + 1, condition.end}, place))
        continue;
      const std::string left = joined(tokens_, condition.begin, sign);
      const std::string right = joined(tokens_, sign + 1, condition.end);
      const std::string then = joined(tokens_, question + 1, colon);
      const std::string otherwise = joined(tokens_, colon + 1, value.end);
      const bool takes_greater = tokens_[sign][0] == '>';
      if (then == left && otherwise == right) return takes_greater ? Kind::Maximum : Kind::Minimum;
      if (then == right && otherwise == left) return takes_greater ? Kind::Minimum : Kind::Maximum;
    }
    return Kind::Other;
  }

  std::size_t behind_statement(std::size_t begin) const {
    std::size_t end = begin;
    if (at(end) == "if" && at(end + 1) == "(") {
      end = behind_statement(behind_bracket(tokens_, end + 1));
      return at(end) == "else" ? behind_statement(end + 1) : end;
    }
    for (; end < tokens_.size() && !is_one_of(tokens_[end], {";", "}"}); end = next(end))
      if (tokens_[end] == "{") return behind_bracket(tokens_, end);
    return at(end) == ";" ? end + 1 : end;
  }

  /// Of `if (value > place) place = value`: nothing if no condition on the write asks for the
  /// place.
  std::optional<Kind> kind_of_condition(const Mention& place, Range value) const {
    const std::string written = joined(tokens_, value.begin, value.end);
    std::optional<Kind> kind;
    for (std::size_t i = 0; i + 1 < place.begin; ++i) {
      if (tokens_[i] != "if" || tokens_[i + 1] != "(") continue;
      const Range condition{i + 2, behind_bracket(tokens_, i + 1) - 1};
      if (condition.end >= place.begin || behind_statement(i) <= place.begin) continue;
      const bool is_else = behind_statement(condition.end + 1) <= place.begin;
      for (const Mention* const asked : mentions_in(condition, place)) {
        kind = is_else ? Kind::Claim : kind_of_comparison(*asked, condition, written);
        if (kind != Kind::Claim) return kind;
      }
    }
    return kind;
  }

  /// The part of a condition that has a mention, and without which the condition does not hold.
  Range operand_of(Range condition, const Mention& asked) const {
    Range found = condition;
    for (std::size_t i = condition.begin; i < condition.end; i = next(i)) {
      if (is_one_of(tokens_[i], {"||", "?", ","})) return condition;
      if (tokens_[i] != "&&") continue;
      if (i < asked.begin) found.begin = i + 1;
      if (i >= asked.end) found.end = std::min(found.end, i);
    }
    const bool is_enclosed = found.begin < asked.begin && at(found.begin) == "(" &&
                             behind_bracket(tokens_, found.begin) == found.end;
    return is_enclosed ? operand_of({found.begin + 1, found.end - 1}, asked) : found;
  }

  /// Of a comparison with what is then written; Claim of another condition.
  Kind kind_of_comparison(const Mention& asked, Range condition, const std::string& written) const {
    const auto [begin, end] = operand_of(condition, asked);
    if (begin == asked.begin && is_comparison(at(asked.end)) &&
        joined(tokens_, asked.end + 1, end) == written)
      return at(asked.end)[0] == '<' ? Kind::Maximum : Kind::Minimum;
    if (end == asked.end && is_comparison(before(asked.begin)) &&
        joined(tokens_, begin, asked.begin - 1) == written)
      return before(asked.begin)[0] == '>' ? Kind::Maximum : Kind::Minimum;
    return Kind::Claim;
  }

  Tokens tokens_;
  std::vector<Mention> mentions_;
  std::string_view shared_;
  bool writes_indirect_ = false;
  std::vector<Copy> copies_;
};

}  // namespace

std::vector<PlaceUpdate> find_updates(std::string_view code, std::string_view shared) {
  // A line of a generated source may be all of a program.
  constexpr std::size_t longest = 4096;
  if (code.size() > longest) return {};
  return Code(code, shared).updates();
}

bool mentions(std::string_view code, std::string_view place) {
  const Tokens wanted = tokens_of(place), tokens = tokens_of(code);
  const std::string text = joined(wanted, 0, wanted.size());
  const std::vector<Mention> all = mentions_of(tokens);
  return std::any_of(all.begin(), all.end(), [&](const Mention& one) { return one.text == text; });
}

}  // namespace pycuda::cpu::exec
