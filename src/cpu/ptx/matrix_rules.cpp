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

Broken product(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.sync || !modifiers.aligned) return "needs .sync.aligned";
  const bool has_blocks = has_any(modifiers, {"kind::f8f6f4", "block_scale"});
  if (has_any(modifiers, {"sp", "sp::ordered_metadata"})) {
    if (has_blocks) return std::nullopt;  // refused by name
    const auto last = last_selector(modifiers);
    if (!last) return "has a shape that sparse matrices of these types do not have";
    if (instruction.operands.size() == 6) {
      if (Broken broken = in_selector_range(instruction.operands[5], *last)) return broken;
    }
  } else {
    if (!has_its_shape(modifiers)) return "has a shape that these types do not have";
    if (!has_blocks && instruction.operands.size() != 4)
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
      return product(instruction);
    case Opcode::wgmma:
      return group(instruction, function);
    case Opcode::wmma:
      return tile(instruction);
    default:
      return std::nullopt;
  }
}

}  // namespace pycuda::cpu::ptx
