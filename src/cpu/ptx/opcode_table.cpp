// SPDX-License-Identifier: MIT
// opcode.def and modifier.def as tables, and looking words up in them.
#include "cpu/ptx/opcode_table.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

namespace pycuda::cpu::ptx {
namespace {

// The words in which opcode.def states sets of types and groups.
namespace words {

constexpr std::uint64_t bit(Type type) { return std::uint64_t{1} << static_cast<unsigned>(type); }
constexpr std::uint64_t bit(ModifierGroup group) {
  return std::uint64_t{1} << static_cast<unsigned>(group);
}

constexpr std::uint64_t none = 0;
constexpr std::uint64_t pred = bit(Type::Pred);
constexpr std::uint64_t b8 = bit(Type::B8), b16 = bit(Type::B16), b32 = bit(Type::B32);
constexpr std::uint64_t b64 = bit(Type::B64), b128 = bit(Type::B128);
constexpr std::uint64_t u8 = bit(Type::U8), u16 = bit(Type::U16), u32 = bit(Type::U32);
constexpr std::uint64_t u64 = bit(Type::U64);
constexpr std::uint64_t s8 = bit(Type::S8), s16 = bit(Type::S16), s32 = bit(Type::S32);
constexpr std::uint64_t s64 = bit(Type::S64);
constexpr std::uint64_t u16x2 = bit(Type::U16x2), s16x2 = bit(Type::S16x2);
constexpr std::uint64_t f16 = bit(Type::F16), f16x2 = bit(Type::F16x2);
constexpr std::uint64_t bf16 = bit(Type::BF16), bf16x2 = bit(Type::BF16x2);
constexpr std::uint64_t tf32 = bit(Type::TF32), f32 = bit(Type::F32), f32x2 = bit(Type::F32x2);
constexpr std::uint64_t f64 = bit(Type::F64);
constexpr std::uint64_t fp8 = bit(Type::E4M3) | bit(Type::E5M2);
constexpr std::uint64_t fp8x2 = bit(Type::E4M3x2) | bit(Type::E5M2x2);
constexpr std::uint64_t narrow_x2 = bit(Type::E2M3x2) | bit(Type::E3M2x2) | bit(Type::E2M1x2) |
                                    bit(Type::UE8M0x2) | bit(Type::S2F6x2);
constexpr std::uint64_t refs = bit(Type::TexRef) | bit(Type::SamplerRef) | bit(Type::SurfRef);

constexpr std::uint64_t bits32_64 = b32 | b64;
constexpr std::uint64_t ints32 = u32 | s32;
constexpr std::uint64_t ints32_64 = u32 | u64 | s32 | s64;
constexpr std::uint64_t ints16_64 = u16 | s16 | ints32_64;
constexpr std::uint64_t ints8_64 = u8 | s8 | ints16_64;
constexpr std::uint64_t signed16_64 = s16 | s32 | s64;
constexpr std::uint64_t packed16 = u16x2 | s16x2;
constexpr std::uint64_t halves = f16 | f16x2 | bf16 | bf16x2;
constexpr std::uint64_t floats = f32 | f64;
constexpr std::uint64_t memory = b8 | b16 | b32 | b64 | b128 | ints8_64 | floats;
constexpr std::uint64_t any_type = ~std::uint64_t{0};

#define PTX_GROUP(name) constexpr std::uint64_t name = bit(ModifierGroup::name)
PTX_GROUP(space);
PTX_GROUP(two_spaces);
PTX_GROUP(vector);
PTX_GROUP(round);
PTX_GROUP(integer_round);
PTX_GROUP(compare);
PTX_GROUP(bool_op);
PTX_GROUP(half);
PTX_GROUP(ordering);
PTX_GROUP(scope);
PTX_GROUP(level);
PTX_GROUP(atomic);
PTX_GROUP(popc);
PTX_GROUP(shuffle);
PTX_GROUP(vote);
PTX_GROUP(barrier);
PTX_GROUP(warp);
PTX_GROUP(shift);
PTX_GROUP(direction);
PTX_GROUP(permute);
PTX_GROUP(property);
PTX_GROUP(ftz);
PTX_GROUP(sat);
PTX_GROUP(satfinite);
PTX_GROUP(relu);
PTX_GROUP(nan);
PTX_GROUP(xorsign);
PTX_GROUP(abs);
PTX_GROUP(noftz);
PTX_GROUP(approx);
PTX_GROUP(full);
PTX_GROUP(uni);
PTX_GROUP(cc);
PTX_GROUP(to);
PTX_GROUP(sync);
PTX_GROUP(aligned);
PTX_GROUP(nc);
PTX_GROUP(shiftamt);
PTX_GROUP(read);
PTX_GROUP(volatile_);
PTX_GROUP(cache);
#undef PTX_GROUP

constexpr OpcodeFacts opcodes[] = {
#define PTX_OPCODE(name, ...) OpcodeFacts{__VA_ARGS__},
#include "cpu/ptx/opcode.def"
#undef PTX_OPCODE
};

/// The families of modifiers that an opcode has with some of its types.
struct Form {
  Opcode opcode;
  std::uint64_t types, groups;
};

constexpr Form forms[] = {
#define PTX_FORM(name, types, groups) Form{Opcode::name, types, groups},
#include "cpu/ptx/form.def"
#undef PTX_FORM
};

}  // namespace words

struct Modifier {
  ModifierGroup group;
  std::string_view spelling;
  bool (*store)(Modifiers&);
};

template <class Field, class Value>
bool store(Field& field, Value value) {
  const bool is_first = field == Field{};
  field = static_cast<Field>(value);
  return is_first;
}

bool store(std::uint8_t& vector, int value) {
  const bool is_first = vector == 1;
  vector = static_cast<std::uint8_t>(value);
  return is_first;
}

constexpr Modifier kModifiers[] = {
#define PTX_MODIFIER(group, spelling, field, value) \
  {ModifierGroup::group, spelling, [](Modifiers& m) { return store(m.field, value); }},
#include "cpu/ptx/modifier.def"
#undef PTX_MODIFIER
};

struct Meaning {
  std::optional<Type> type;
  std::vector<const Modifier*> modifiers;
};

const std::unordered_map<std::string_view, Meaning>& meanings() {
  static const auto map = [] {
    std::unordered_map<std::string_view, Meaning> result;
    for (auto type = static_cast<unsigned>(Type::Pred);
         type <= static_cast<unsigned>(Type::SurfRef); ++type) {
      result[name_of(static_cast<Type>(type))].type = static_cast<Type>(type);
    }
    for (const Modifier& modifier : kModifiers) {
      result[modifier.spelling].modifiers.push_back(&modifier);
    }
    return result;
  }();
  return map;
}

bool lists(std::string_view words, std::string_view word) {
  if (words == "*") return true;
  for (std::size_t at = words.find(word); at != std::string_view::npos;
       at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) {
      return true;
    }
  }
  return false;
}

bool is_cache_operator(std::string_view word) {
  constexpr std::array<std::string_view, 7> operators{"ca", "cg", "cs", "lu", "cv", "wb", "wt"};
  return std::find(operators.begin(), operators.end(), word) != operators.end();
}

bool is_cache_hint(std::string_view word) {
  return word.starts_with("L1::") || word.starts_with("L2::") || is_cache_operator(word);
}

/// Whether a word that Modifiers has no field for may stand there once more. Shapes and types of
/// matrices may.
bool may_follow(std::string_view word, const OpcodeFacts& facts, const Modifiers& modifiers) {
  if (is_cache_operator(word) && (facts.groups & words::cache))
    return std::none_of(modifiers.others.begin(), modifiers.others.end(),
                        [](const std::string& other) { return is_cache_operator(other); });
  return facts.words == "*" || !modifiers.has(word);
}

/// Families whose flag may stand there twice, with NVIDIA's assembler.
bool may_repeat(ModifierGroup group) {
  constexpr std::uint64_t repeatable = words::approx | words::cc | words::nan | words::relu |
                                       words::sat | words::satfinite | words::shiftamt |
                                       words::sync | words::uni;
  return (repeatable & words::bit(group)) != 0;
}

bool take_space(const Modifier& modifier, const OpcodeFacts& facts, Modifiers& modifiers) {
  if (modifier.spelling == "shared::cluster") modifiers.others.emplace_back(modifier.spelling);
  if (!modifiers.has_space) {
    modifiers.has_space = true;
    return modifier.store(modifiers);
  }
  if (!(facts.groups & words::two_spaces)) return false;
  Modifiers second;
  modifier.store(second);
  return store(modifiers.second_space, second.space);
}

/// .mmio stands beside .relaxed or .acquire, in any order, and is the stronger one.
bool take_mmio(std::string_view word, const Modifier& modifier, Modifiers& modifiers) {
  if (word == "mmio") {
    if (modifiers.mmio) return false;
    modifiers.mmio = true;
    modifiers.mmio_has_order = modifiers.ordering != Ordering::Weak;
    modifiers.ordering = Ordering::Mmio;
    return true;
  }
  if (modifiers.mmio_has_order) return false;
  modifiers.mmio_has_order = true;
  Modifiers order;
  return modifier.store(order);
}

}  // namespace

const OpcodeFacts& facts_of(Opcode opcode) {
  return words::opcodes[static_cast<std::size_t>(opcode)];
}

std::optional<Opcode> find_opcode(std::string_view text) {
  static const auto map = [] {
    std::unordered_map<std::string_view, Opcode> result;
    for (std::size_t i = 0; i < std::size(words::opcodes); ++i) {
      result.emplace(words::opcodes[i].text, static_cast<Opcode>(i));
    }
    return result;
  }();
  const auto found = map.find(text);
  if (found == map.end()) return std::nullopt;
  return found->second;
}

std::optional<Type> find_type(std::string_view name) {
  const auto found = meanings().find(name);
  return found == meanings().end() ? std::nullopt : found->second.type;
}

std::uint64_t families_beyond(Opcode opcode, Type type, std::uint64_t families) {
  bool is_listed = false;
  for (const words::Form& form : words::forms) {
    if (form.opcode != opcode) continue;
    is_listed = true;
    if (form.types & words::bit(type)) families &= ~form.groups;
  }
  return is_listed ? families : 0;
}

bool belongs_to(std::string_view word, std::uint64_t families) {
  const auto found = meanings().find(word);
  if (found == meanings().end()) return false;
  const auto& modifiers = found->second.modifiers;
  return std::any_of(modifiers.begin(), modifiers.end(), [&](const Modifier* modifier) {
    return (families & words::bit(modifier->group)) != 0;
  });
}

bool take_modifier(std::string_view word, const OpcodeFacts& facts, Modifiers& modifiers) {
  if (const auto found = meanings().find(word); found != meanings().end()) {
    const Meaning& meaning = found->second;
    if (meaning.type && (facts.types & words::bit(*meaning.type))) {
      modifiers.types.push_back(*meaning.type);
      return true;
    }
    for (const Modifier* modifier : meaning.modifiers) {
      if (!(facts.groups & words::bit(modifier->group))) continue;
      modifiers.families |= words::bit(modifier->group);
      switch (modifier->group) {
        case ModifierGroup::space:
          return take_space(*modifier, facts, modifiers);
        case ModifierGroup::ordering:
          if (word == "mmio" || modifiers.mmio) return take_mmio(word, *modifier, modifiers);
          break;
        case ModifierGroup::volatile_:
          modifiers.volatile_ = true;
          break;
        case ModifierGroup::barrier:
          // bar.warp.sync: `warp` says which barrier, `sync` adds nothing.
          if (word == "sync") modifiers.sync = true;
          if (word == "sync" &&
              (modifiers.barrier == BarrierMode::Warp || modifiers.barrier == BarrierMode::Sync)) {
            return true;
          }
          break;
        case ModifierGroup::warp:
          if (modifiers.barrier == BarrierMode::Sync) modifiers.barrier = BarrierMode::None;
          break;
        default:
          break;
      }
      return modifier->store(modifiers) || may_repeat(modifier->group);
    }
  }
  const bool known =
      ((facts.groups & words::cache) && is_cache_hint(word)) || lists(facts.words, word);
  if (!known || !may_follow(word, facts, modifiers)) return false;
  modifiers.others.emplace_back(word);
  return true;
}

}  // namespace pycuda::cpu::ptx
