// SPDX-License-Identifier: MIT
#include "cpu/ptx/matrix_rules.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/operand_kinds.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

/// Whether the shape is one that elements of these types have. Types that a CPU lacks pass: they
/// are refused by name.
bool has_its_shape(const Modifiers& modifiers) {
  if (has_any(modifiers, {"b1"})) return has_any(modifiers, {"m8n8k128", "m16n8k128", "m16n8k256"});
  if (has_any(modifiers, {"u4", "s4"}))
    return has_any(modifiers, {"m8n8k32", "m16n8k32", "m16n8k64"});
  if (modifiers.types.size() < 2) return true;
  switch (modifiers.types[1]) {
    case Type::F16:
      return has_any(modifiers, {"m8n8k4", "m16n8k8", "m16n8k16"});
    case Type::BF16:
      return has_any(modifiers, {"m16n8k8", "m16n8k16"});
    case Type::TF32:
      return has_any(modifiers, {"m16n8k4", "m16n8k8"});
    case Type::F64:
      return has_any(modifiers, {"m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16"});
    case Type::U8:
    case Type::S8:
      return has_any(modifiers, {"m8n8k16", "m16n8k16", "m16n8k32"});
    case Type::E4M3:
    case Type::E5M2:
      return has_any(modifiers, {"m16n8k16", "m16n8k32"});
    default:
      return true;
  }
}

/// The same of a product with a sparse left factor, and which members of a group of four lanes its
/// selector may name: those from 0 to this one. Nothing if there is no such product.
std::optional<std::uint64_t> last_selector(const Modifiers& modifiers) {
  const auto of = [&](std::string_view shape, std::uint64_t last, std::string_view deep_shape,
                      std::uint64_t deep_last) -> std::optional<std::uint64_t> {
    if (modifiers.has(shape)) return last;
    if (modifiers.has(deep_shape)) return deep_last;
    return std::nullopt;
  };
  if (has_any(modifiers, {"b1"})) return std::nullopt;
  if (has_any(modifiers, {"u4", "s4"})) return of("m16n8k64", 1, "m16n8k128", 0);
  if (modifiers.types.size() < 2) return std::nullopt;
  switch (modifiers.types[1]) {
    case Type::F16:
    case Type::BF16:
      return of("m16n8k16", 3, "m16n8k32", 1);
    case Type::TF32:
      return of("m16n8k8", 3, "m16n8k16", 1);
    case Type::U8:
    case Type::S8:
      return of("m16n8k32", 1, "m16n8k64", 0);
    case Type::E4M3:
    case Type::E5M2:
      return of("m16n8k64", 0, "m16n8k64", 0);
    default:
      return std::nullopt;
  }
}

Broken in_selector_range(const Operand& selector, std::uint64_t last) {
  if (selector.kind != Operand::Kind::Integer || selector.bits <= last) return std::nullopt;
  return "has " + std::to_string(static_cast<std::int64_t>(selector.bits)) +
         " as the selector of its metadata, which goes from 0 to " + std::to_string(last);
}

bool has_kind(const Modifiers& modifiers) {
  return has_any(modifiers, {"kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"});
}

/// How many words of the instruction are one of these.
std::size_t count_words(std::string_view text, std::initializer_list<std::string_view> words) {
  std::size_t count = 0;
  while (!text.empty()) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    count += std::find(words.begin(), words.end(), text.substr(0, dot)) != words.end() ? 1 : 0;
    text.remove_prefix(std::min(dot + 1, text.size()));
  }
  return count;
}

/// The two operands that choose a scale: the register that has it, and which byte of which lane.
Broken scale(const Instruction& instruction, std::size_t first, std::uint64_t last_lane,
             const Function& function) {
  const Operand& word = instruction.operands[first];
  const Operand& chosen = instruction.operands[first + 1];
  const bool is_braced = word.kind == Operand::Kind::Vector && word.elements.size() == 1;
  const Register* named = register_of(is_braced ? word.elements[0] : word, function);
  if (named == nullptr || bits_of(named->type) != 32 || named->vector != 1)
    return "takes scales in a register of 32 bits";
  if (chosen.kind != Operand::Kind::Vector || chosen.elements.size() != 2)
    return "takes a byte and a lane, as in {0, 0}, behind each scale";
  for (const Operand& element : chosen.elements)
    if (Broken broken = broken_kind('n', element, function)) return broken;
  const Modifiers& modifiers = instruction.modifiers;
  const bool of_four = modifiers.has("scale_vec::4X");
  const bool of_two = !of_four && !modifiers.has("kind::mxf8f6f4");
  const Operand& byte = chosen.elements[0];
  const std::uint64_t last_byte = of_four ? 0 : of_two ? 2 : 3;
  if (byte.kind == Operand::Kind::Integer &&
      (byte.bits > last_byte || (of_two && byte.bits % 2 != 0)))
    return "has scales that begin at another byte";
  const Operand& lane = chosen.elements[1];
  if (lane.kind == Operand::Kind::Integer && lane.bits > last_lane)
    return "has scales in lanes from 0 to " + std::to_string(last_lane);
  return std::nullopt;
}

/// Floats of 8, 6 and 4 bits, of compute capability 12.0, that may have scales.
Broken narrow(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool is_packed = has_any(modifiers, {"kind::mxf4", "kind::mxf4nvf4"});
  const bool has_scales = !modifiers.has("kind::f8f6f4");
  if (has_scales != modifiers.has("block_scale"))
    return has_scales ? "needs .block_scale" : "has .block_scale, which is for other kinds";
  if (modifiers.satfinite) return "has .satfinite, which is for integers";
  const bool has_bytes = count_words(instruction.text, {"e4m3", "e5m2"}) == 2 && !has_scales;
  if (!modifiers.has(is_packed ? "m16n8k64" : "m16n8k32") &&
      !(has_bytes && modifiers.has("m16n8k16")))
    return "has a shape that these types do not have";
  const std::string_view text = instruction.text;
  const std::size_t factors = count_words(text, {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1"});
  if (factors != 2 || (is_packed && count_words(text, {"e2m1"}) != 2))
    return is_packed ? "has factors of .e2m1" : "has two factors of 8, 6 or 4 bits";
  const bool has_sums =
      count_words(text, {"f32"}) == 2 || (!has_scales && count_words(text, {"f16"}) == 2);
  if (!has_sums) return "adds to and results in one type";
  if (!has_scales) return only_if(instruction.operands.size() == 4, "takes 4 operands");
  const bool has_numbers = modifiers.has("ue4m3");
  if (has_numbers == modifiers.has("ue8m0")) return "needs one type of scales";
  const bool is_free = modifiers.has("kind::mxf4nvf4");
  if (has_numbers && !(is_free && modifiers.has("scale_vec::4X")))
    return "has scales of .ue4m3, which is for .kind::mxf4nvf4 with .scale_vec::4X";
  const std::size_t counts = count(modifiers, {"scale_vec::1X", "scale_vec::2X", "scale_vec::4X"});
  if (counts > 1 || (is_free && counts == 0)) return "needs the number of scales, .scale_vec";
  if (counts == 1 &&
      (modifiers.has("scale_vec::1X") == is_packed || (modifiers.has("scale_vec::4X") && !is_free)))
    return "has another number of scales";
  if (instruction.operands.size() != 8) return "takes 8 operands";
  if (Broken broken = scale(instruction, 4, 1, function)) return broken;
  return scale(instruction, 6, 3, function);
}

Broken product(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  const bool is_sparse = has_any(modifiers, {"sp", "sp::ordered_metadata"});
  if (has_kind(modifiers)) {
    if (is_sparse) return std::nullopt;  // refused by name
    return narrow(instruction, function);
  }
  if (has_any(modifiers, {"e2m1", "e2m3", "e3m2", "block_scale", "ue8m0", "ue4m3"}))
    return "needs a .kind";
  if (is_sparse) {
    const auto last = last_selector(modifiers);
    if (!last) return "has a shape that sparse matrices of these types do not have";
    if (instruction.operands.size() == 6) {
      if (Broken broken = in_selector_range(instruction.operands[5], *last)) return broken;
    }
  } else {
    if (!has_its_shape(modifiers)) return "has a shape that these types do not have";
    if (instruction.operands.size() != 4)
      return "takes 4 operands, and with .sp metadata and its selector";
  }
  const std::vector<Type>& types = modifiers.types;
  const bool has_one_sum =
      types.size() == 4 && is_one_of(types[1], {Type::F16, Type::BF16, Type::E4M3, Type::E5M2});
  return only_if(!has_one_sum || modifiers.has("m8n8k4") || types[0] == types[3],
                 "adds to and results in one type");
}

/// wmma: tiles that a warp loads, multiplies and stores.
Broken tile(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  if (!modifiers.has("mma")) {
    return only_if(!modifiers.has_space || modifiers.space == Space::Global ||
                       modifiers.space == Space::Shared,
                   "accesses .global and .shared only");
  }
  const bool is_narrow = has_any(modifiers, {"b1", "u4", "s4"});
  const bool of_doubles = modifiers.type() == Type::F64;
  if (modifiers.rounding != Rounding::None && !of_doubles)
    return "has a rounding, which is for .f64";
  if (!is_narrow) return std::nullopt;
  if (instruction.text.find(".row.col") == std::string::npos)
    return "has the layouts .row.col with elements of less than 8 bits";
  return only_if(!modifiers.satfinite || !modifiers.has("b1"),
                 "has .satfinite, and counts of bits fit");
}

/// The metadata of a sparse left factor and its selector.
Broken metadata_of_group(const Instruction& instruction, const Function& function) {
  const Operand& metadata = instruction.operands[3];
  const Operand& selector = instruction.operands[4];
  const Register* named = register_of(metadata, function);
  if (named == nullptr || bits_of(named->type) != 32 || named->type == Type::Pred)
    return "takes metadata in a register of 32 bits";
  if (Broken broken = broken_kind('c', selector, function)) return broken;
  const std::vector<Type>& types = instruction.modifiers.types;
  const bool is_wide = types.size() > 1 && is_one_of(types[1], {Type::F16, Type::BF16, Type::TF32});
  return in_selector_range(selector, is_wide ? 1 : 0);
}

/// Bytes that are integers come in fewer numbers of columns than floats.
bool has_its_columns(const Modifiers& modifiers) {
  if (modifiers.types.empty() || modifiers.types[0] != Type::S32) return true;
  constexpr std::string_view head = "m64n";
  for (const std::string& word : modifiers.others) {
    if (!word.starts_with(head)) continue;
    unsigned columns = 0;
    std::from_chars(word.data() + head.size(), word.data() + word.size(), columns);
    return columns % 16 == 0 || columns == 8 || columns == 24;
  }
  return true;
}

/// wgmma: what a warp group starts and waits for.
Broken group(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  if (!is_one_of(first_word(instruction), {"fence", "commit_group", "wait_group", "mma_async"}))
    return "has .fence, .commit_group, .wait_group or .mma_async first";
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  if (has_any(modifiers, {"fence", "commit_group"}))
    return only_if(operands.empty(), "has no operands");
  if (has_any(modifiers, {"wait_group"}))
    return only_if(operands.size() == 1 && operands[0].kind == Operand::Kind::Integer &&
                       static_cast<std::int64_t>(operands[0].bits) >= 0,
                   "takes a constant number of groups");
  for (std::size_t i = 1; i < operands.size() && i < 3; ++i) {
    if (operands[i].kind == Operand::Kind::Register &&
        bits_of(function.registers[operands[i].reg].type) != 64) {
      return "takes the descriptor of a matrix in 64 bits";
    }
  }
  if (!has_its_columns(modifiers)) return "has a number of columns that these types do not have";
  const bool is_sparse = modifiers.has("sp");
  const std::size_t scale = is_sparse ? 5 : 3;
  if (operands.size() <= scale) return only_if(!is_sparse, "takes metadata and its selector");
  if (operands[1].kind != Operand::Kind::Vector) {
    if (Broken broken = broken_kind('l', operands[1], function)) return broken;
  }
  if (Broken broken = broken_kind('l', operands[2], function)) return broken;
  if (is_sparse) {
    if (Broken broken = metadata_of_group(instruction, function)) return broken;
  }
  if (operands[scale].kind == Operand::Kind::Integer && operands[scale].bits > 1)
    return "has 0, 1 or a predicate as its scale of the sums";
  return broken_kind('p', operands[scale], function);
}

}  // namespace

Broken broken_matrix_rule(const Instruction& instruction, const Function& function) {
  switch (instruction.opcode) {
    case Opcode::mma:
      return product(instruction, function);
    case Opcode::wgmma:
      return group(instruction, function);
    case Opcode::wmma:
      return tile(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
