// SPDX-License-Identifier: MIT
#include "cpu/ptx/bulk_rules.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "cpu/ptx/operand_kinds.h"
#include "cpu/ptx/rule_words.h"

namespace pycuda::cpu::ptx {
namespace {

using Kind = Operand::Kind;

constexpr const char* completion = "mbarrier::complete_tx::bytes";

bool says(const Instruction& instruction, std::string_view words) {
  return instruction.text.find(words) != std::string_view::npos;
}

Broken group(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("commit_group"))
    return only_if(instruction.operands.empty(), "has no operands");
  return only_if(instruction.operands.size() == 1 && instruction.operands[0].kind == Kind::Integer,
                 "takes a constant number of groups");
}

/// Which spaces, and how they hear that the copy is complete.
Broken directions(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  const bool to_memory = says(instruction, ".global.shared::cta");
  const bool to_block = says(instruction, ".shared::cta.global");
  const bool to_cluster = says(instruction, ".shared::cluster.global");
  const bool between_blocks = says(instruction, ".shared::cluster.shared::cta");
  if (!to_memory && !to_block && !to_cluster && !between_blocks)
    return "copies from .global to .shared::cluster or .shared::cta, from .shared::cta to "
           ".shared::cluster or to .global, and names both spaces in the order of its operands";
  if (modifiers.has("reduce") && !to_memory && !between_blocks) return "reads from .shared::cta";
  if (modifiers.has("multicast::cluster") && !to_cluster)
    return "goes to several blocks from .global to .shared::cluster only";
  if (to_memory)
    return only_if(modifiers.has("bulk_group") && !modifiers.has(completion),
                   "needs .bulk_group, by which copies to .global are waited for");
  if (!modifiers.has(completion) || modifiers.has("bulk_group"))
    return "needs .mbarrier::complete_tx::bytes, by which copies to shared memory are waited for";
  return only_if(!between_blocks || !modifiers.has("L2::cache_hint"),
                 "has .L2::cache_hint, and leaves shared memory nowhere");
}

std::size_t optional_operands(const Modifiers& modifiers) {
  return (modifiers.has("multicast::cluster") ? 1 : 0) + (modifiers.has("L2::cache_hint") ? 1 : 0);
}

Broken reduction_type(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (modifiers.types.size() != 1) return "needs a type";
  const Type type = modifiers.types[0];
  const bool to_memory = modifiers.space == Space::Global;
  const char* none = "has a type that this operation does not have";
  const bool is_half = is_one_of(type, {Type::F16, Type::BF16});
  if (modifiers.has("noftz") && !(is_half && modifiers.has("add")))
    return "has .noftz, which is for sums of 16 bits";
  if (has_any(modifiers, {"and", "or", "xor"}))
    return only_if(type == Type::B32 || (to_memory && type == Type::B64), none);
  if (has_any(modifiers, {"inc", "dec"})) return only_if(type == Type::U32, none);
  if (has_any(modifiers, {"min", "max"})) {
    const bool usual = is_one_of(type, {Type::U32, Type::S32});
    const bool of_memory = is_one_of(type, {Type::U64, Type::S64, Type::F16, Type::BF16});
    return only_if(usual || (to_memory && of_memory), none);
  }
  if (!modifiers.has("add")) return "needs an operation, such as .add";
  if (is_half && !modifiers.has("noftz")) return "needs .noftz with a type of 16 bits";
  const bool usual = is_one_of(type, {Type::U32, Type::S32, Type::U64});
  const bool of_memory = is_half || is_one_of(type, {Type::F32, Type::F64});
  return only_if(usual || (to_memory && of_memory), none);
}

/// The letters of operand_kinds for what stands behind the others.
std::string optional_letters(const Modifiers& modifiers) {
  return std::string(modifiers.has("multicast::cluster") ? "n" : "") +
         (modifiers.has("L2::cache_hint") ? "l" : "");
}

Broken plain_copy(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  std::size_t needed = optional_operands(modifiers);
  if (modifiers.has("prefetch")) {
    if (!modifiers.has("L2") || modifiers.space != Space::Global) return "needs .L2.global";
    needed += 2;
  } else {
    if (Broken broken = directions(instruction)) return broken;
    needed += modifiers.has(completion) ? 4 : 3;
    if (modifiers.has("cp_mask")) ++needed;
  }
  if (operands.size() != needed) return "has " + std::to_string(needed) + " operands";
  const Operand& bytes = operands[modifiers.has("prefetch") ? 1 : 2];
  constexpr std::uint64_t unit = 16;
  if (bytes.kind == Kind::Integer && bytes.bits % unit != 0) return "copies a multiple of 16 bytes";
  const std::string usual = modifiers.has("prefetch")   ? "au"
                            : modifiers.has(completion) ? "aaua"
                                                        : "aau";
  if (Broken broken = broken_kinds(usual + optional_letters(modifiers), instruction, function))
    return broken;
  return modifiers.has("reduce") ? reduction_type(instruction) : std::nullopt;
}

std::size_t dimensions(const Modifiers& modifiers) {
  constexpr std::string_view words[] = {"1d", "2d", "3d", "4d", "5d"};
  for (std::size_t i = 0; i < std::size(words); ++i)
    if (modifiers.has(words[i])) return i + 1;
  return 0;
}

std::size_t elements_of(const Operand& operand) {
  return operand.kind == Kind::Vector ? operand.elements.size() : 1;
}

Broken tensor_copy(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  const std::size_t rank = dimensions(modifiers);
  if (rank == 0) return "needs its number of dimensions, such as .2d";
  const bool is_prefetch = modifiers.has("prefetch");
  if (has_any(modifiers, {"tile::gather4", "tile::scatter4"}) && rank != 2)
    return "takes rows of 2 dimensions";
  if (has_any(modifiers, {"im2col::w", "im2col::w::128"}) && rank < 3)
    return "has images of 3 to 5 dimensions";
  if (is_prefetch && has_any(modifiers, {"tile::scatter4", "im2col_no_offs"}))
    return "has a mode of stores";
  const bool gathers = modifiers.has("tile::gather4"), scatters = modifiers.has("tile::scatter4");
  const bool is_wide = has_any(modifiers, {"im2col::w", "im2col::w::128"});
  const bool has_offsets = modifiers.has("im2col") || is_wide;
  if ((has_offsets || modifiers.has("im2col_no_offs")) && rank < 3)
    return "has images of 3 to 5 dimensions";
  std::size_t needed = optional_operands(modifiers) + (has_offsets ? 1 : 0);
  std::size_t map = 1;
  if (is_prefetch) {
    if (!modifiers.has("L2") || modifiers.space != Space::Global) return "needs .L2.global";
    needed += 1;
    map = 0;
  } else {
    if (Broken broken = directions(instruction)) return broken;
    const bool to_memory = modifiers.space == Space::Global;
    if (!to_memory && (scatters || modifiers.has("im2col_no_offs"))) return "has a mode of stores";
    if (to_memory && (gathers || is_wide)) return "has a mode of loads";
    needed += to_memory ? 2 : 3;
    map = to_memory ? 0 : 1;
  }
  if (operands.size() != needed) return "has " + std::to_string(needed) + " operands";
  if (operands[map].kind != Kind::TexCoords || operands[map].elements.size() != 2)
    return "takes a tensor map and coordinates, as in [map, {x, y}]";
  // Behind the column, four rows.
  const std::size_t coordinates = gathers || scatters ? 5 : rank;
  if (elements_of(operands[map].elements[1]) != coordinates)
    return "has " + std::to_string(coordinates) + " coordinates";
  const bool to_memory = !is_prefetch && map == 0;
  const std::string letters = (is_prefetch ? "m"
                               : to_memory ? "ma"
                                           : "ama") +
                              std::string(has_offsets && !to_memory ? "o" : "") +
                              optional_letters(modifiers);
  if (Broken broken = broken_kinds(letters, instruction, function)) return broken;
  if (is_wide && elements_of(operands[map + (is_prefetch ? 1 : 2)]) != 2)
    return "takes the number of pixels of the halo and the offset along the row";
  if (!modifiers.has("reduce")) return std::nullopt;
  return only_if(has_any(modifiers, {"add", "min", "max", "inc", "dec", "and", "or", "xor"}),
                 "needs an operation, such as .add");
}

/// st.async and red.async.
Broken sent_value(const Instruction& instruction) {
  const Modifiers& modifiers = instruction.modifiers;
  if (!modifiers.has(completion)) return std::nullopt;  // those of newer GPUs
  if (modifiers.has_space && modifiers.space != Space::Shared) return "is for .shared::cluster";
  const Type type = modifiers.type();
  const std::uint32_t bits = bits_of(type);
  if (bits != 32 && bits != 64) return "sends values of 32 or 64 bits";
  if (instruction.opcode == Opcode::st) {
    if (modifiers.ordering != Ordering::Weak || modifiers.scope != Scope::None)
      return "has a memory order beyond .weak";
    return only_if(modifiers.vector <= 4 && modifiers.vector * bits <= 128,
                   "sends a vector of more than 4 values or 128 bits");
  }
  if (!modifiers.has("shared::cluster") && modifiers.has_space) return "is for .shared::cluster";
  switch (modifiers.atomic) {
    case AtomicOp::Add:
      return only_if(!is_float(type) && !is_untyped(type), "combines integers only");
    case AtomicOp::And:
    case AtomicOp::Or:
    case AtomicOp::Xor:
      return only_if(type == Type::B32, "combines bits as .b32");
    default:
      return only_if(bits == 32 && !is_float(type) && !is_untyped(type),
                     "combines integers of 32 bits");
  }
}

}  // namespace

Broken broken_bulk_rule(const Instruction& instruction, const Function& function) {
  const Modifiers& modifiers = instruction.modifiers;
  if (instruction.opcode == Opcode::st || instruction.opcode == Opcode::red) {
    if (!modifiers.has("async")) return std::nullopt;
    return sent_value(instruction);
  }
  if (instruction.opcode != Opcode::cp || !modifiers.has("bulk")) return std::nullopt;
  if (!says(instruction, "cp.async.bulk") && !says(instruction, "cp.reduce.async.bulk"))
    return "is written as cp.async.bulk or cp.reduce.async.bulk";
  if (modifiers.has("commit_group") || modifiers.has("wait_group")) return group(instruction);
  return modifiers.has("tensor") ? tensor_copy(instruction, function)
                                 : plain_copy(instruction, function);
}

}  // namespace pycuda::cpu::ptx
