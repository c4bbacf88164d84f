// SPDX-License-Identifier: MIT
// Emitters: wgmma. A product is complete at once, so that there is nothing to wait for; the lanes
// of a warp hand their parts over in memory (kernel_abi/wgmma.h).
#include "cpu/kernel_abi/wgmma.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cpu/lower/emitter.h"
#include "cpu/lower/function_lowering.h"
#include "cpu/lower/warp_call.h"

namespace pycuda::cpu::lower {

namespace {

using ptx::Operand;

/// m64nNkK: its numbers of columns and of elements along k.
struct Shape {
  std::uint32_t columns = 0, depth = 0;
};

std::optional<Shape> shape_of(const ptx::Modifiers& modifiers) {
  constexpr std::string_view head = "m64n";
  for (const std::string& word : modifiers.others) {
    if (!word.starts_with(head)) continue;
    const char* end = word.data() + word.size();
    Shape shape;
    const auto [k, first] = std::from_chars(word.data() + head.size(), end, shape.columns);
    if (first != std::errc{} || k == end || *k != 'k') return std::nullopt;
    const auto [rest, second] = std::from_chars(k + 1, end, shape.depth);
    if (second != std::errc{} || rest != end) return std::nullopt;
    return shape;
  }
  return std::nullopt;
}

std::optional<MatrixType> matrix_type(ptx::Type type) {
  switch (type) {
    case ptx::Type::F16:
      return MatrixType::F16;
    case ptx::Type::BF16:
      return MatrixType::BF16;
    case ptx::Type::TF32:
      return MatrixType::TF32;
    case ptx::Type::E4M3:
      return MatrixType::E4M3;
    case ptx::Type::E5M2:
      return MatrixType::E5M2;
    case ptx::Type::S8:
      return MatrixType::S8;
    case ptx::Type::U8:
      return MatrixType::U8;
    default:
      return std::nullopt;
  }
}

std::uint32_t bits_of(MatrixType type) {
  switch (type) {
    case MatrixType::F16:
    case MatrixType::BF16:
      return 16;
    case MatrixType::TF32:
      return 32;
    case MatrixType::B1:
      return 1;
    default:
      return 8;
  }
}

/// What the instruction says of its types; nothing where they do not belong together.
struct Types {
  MatrixType a{}, b{};
  bool halves = false, integers = false;
};

std::optional<Types> types_of(const ptx::Modifiers& modifiers) {
  Types types;
  const std::vector<ptx::Type>& given = modifiers.types;
  if (modifiers.has("b1")) {
    if (given != std::vector{ptx::Type::S32} || !modifiers.has("and") || !modifiers.has("popc"))
      return std::nullopt;
    return Types{MatrixType::B1, MatrixType::B1, false, true};
  }
  if (given.size() != 3) return std::nullopt;
  const auto a = matrix_type(given[1]), b = matrix_type(given[2]);
  if (!a || !b) return std::nullopt;
  types = {*a, *b, given[0] == ptx::Type::F16, *a >= MatrixType::S8};
  const bool is_byte = bits_of(*a) == 8;
  const bool fit = is_byte ? bits_of(*b) == 8 && (*b >= MatrixType::S8) == types.integers : a == b;
  const bool right_result = types.integers ? given[0] == ptx::Type::S32
                            : types.halves ? *a != MatrixType::BF16 && *a != MatrixType::TF32
                                           : given[0] == ptx::Type::F32;
  return fit && right_result ? std::optional(types) : std::nullopt;
}

/// The operands of the lane, in memory.
class Operands {
 public:
  explicit Operands(FunctionLowering& lowering)
      : b_(lowering.builder()),
        memory_(lowering.entry_alloca(
            llvm::ArrayType::get(b_.getInt64Ty(), (sizeof(WarpGroupOperands) + 7) / 8), "wgmma")) {}

  void put(std::size_t offset, llvm::Value* value) {
    b_.CreateAlignedStore(value, at(offset), llvm::Align(1));
  }
  void put_flag(std::size_t offset, bool flag) { put(offset, b_.getInt8(flag ? 1 : 0)); }
  llvm::Value* word(std::size_t index) {
    return b_.CreateAlignedLoad(b_.getInt32Ty(), at(word_offset(index)), llvm::Align(4));
  }
  static std::size_t word_offset(std::size_t index) {
    return offsetof(WarpGroupOperands, words) + index * sizeof(std::uint32_t);
  }
  llvm::Value* address() { return b_.CreatePtrToInt(memory_, b_.getInt64Ty()); }

 private:
  llvm::Value* at(std::size_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), memory_, offset);
  }
  llvm::IRBuilder<>& b_;
  llvm::Value* memory_;
};

/// A constant of 1 or -1 (a factor), or 0 or 1 (whether a matrix is transposed).
std::optional<std::int64_t> constant(const Operand& operand) {
  if (operand.kind != Operand::Kind::Integer) return std::nullopt;
  return static_cast<std::int64_t>(operand.bits);
}

/// The factors and transpositions behind the predicate, from operand `first` on.
bool put_constants(Operands& memory, const ptx::Instruction& instruction, const Types& types,
                   bool a_in_registers, std::size_t first) {
  const std::vector<Operand>& operands = instruction.operands;
  const bool is_16_bit = bits_of(types.a) == 16;
  const std::size_t transpositions = !is_16_bit ? 0 : a_in_registers ? 1 : 2;
  const std::size_t needed = types.integers ? first : first + 2 + transpositions;
  if (operands.size() != needed) return false;
  bool flags[4] = {};  // negates a, negates b, transposes a, transposes b
  for (std::size_t i = first; i < needed; ++i) {
    const auto value = constant(operands[i]);
    if (!value) return false;
    const bool is_factor = i < first + 2;
    if (is_factor ? *value != 1 && *value != -1 : *value != 0 && *value != 1) return false;
    const std::size_t which = is_factor ? i - first : i - first + (a_in_registers ? 1 : 0);
    flags[which] = is_factor ? *value < 0 : *value != 0;
  }
  memory.put_flag(offsetof(WarpGroupOperands, negates_a), flags[0]);
  memory.put_flag(offsetof(WarpGroupOperands, negates_b), flags[1]);
  memory.put_flag(offsetof(WarpGroupOperands, transposes_a), flags[2]);
  memory.put_flag(offsetof(WarpGroupOperands, transposes_b), flags[3]);
  return true;
}

/// wgmma.mma_async{.sp} d, a, b {, metadata, selector}, scale-d {, scale-a, scale-b
/// {, transpositions}}
bool emit_product(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const std::vector<Operand>& operands = instruction.operands;
  const auto shape = shape_of(modifiers);
  const auto types = types_of(modifiers);
  const bool is_sparse = modifiers.has("sp");
  const std::size_t scale = is_sparse ? 5 : 3;  // the operand
  if (!shape || !types || operands.size() <= scale) return false;
  if (is_sparse && types->a == MatrixType::B1) return false;
  constexpr std::uint32_t depth_bits = 256, most_columns = 256;
  if (shape->columns == 0 || shape->columns % 8 != 0 || shape->columns > most_columns ||
      shape->depth * bits_of(types->a) != depth_bits * (is_sparse ? 2 : 1))
    return false;
  const std::vector<Operand> results = lowering.elements(operands[0]);
  if (results.size() != shape->columns / (types->halves ? 4 : 2)) return false;
  llvm::IRBuilder<>& b = lowering.builder();
  lowering.track_line();
  Operands memory(lowering);
  const std::vector<Operand> a = lowering.elements(operands[1]);
  const bool a_in_registers = operands[1].kind == Operand::Kind::Vector;
  if (a_in_registers && a.size() != 4) return false;
  if (!put_constants(memory, instruction, *types, a_in_registers, scale + 1)) return false;
  memory.put_flag(offsetof(WarpGroupOperands, a_in_registers), a_in_registers);
  for (std::size_t i = 0; a_in_registers && i < a.size(); ++i)
    memory.put(offsetof(WarpGroupOperands, a_words) + i * sizeof(std::uint32_t),
               lowering.read_bits(a[i], 32));
  memory.put(offsetof(WarpGroupOperands, a),
             a_in_registers ? b.getInt64(0) : lowering.read_bits(operands[1], 64));
  memory.put(offsetof(WarpGroupOperands, b), lowering.read_bits(operands[2], 64));
  memory.put(offsetof(WarpGroupOperands, columns), b.getInt32(shape->columns));
  memory.put(offsetof(WarpGroupOperands, a_type), b.getInt8(static_cast<std::uint8_t>(types->a)));
  memory.put(offsetof(WarpGroupOperands, b_type), b.getInt8(static_cast<std::uint8_t>(types->b)));
  memory.put_flag(offsetof(WarpGroupOperands, halves), types->halves);
  memory.put_flag(offsetof(WarpGroupOperands, saturates), modifiers.satfinite);
  memory.put(offsetof(WarpGroupOperands, adds),
             b.CreateZExt(lowering.read_bits(operands[scale], 1), b.getInt8Ty()));
  memory.put_flag(offsetof(WarpGroupOperands, is_sparse), is_sparse);
  if (is_sparse) {
    memory.put(offsetof(WarpGroupOperands, metadata), lowering.read_bits(operands[3], 32));
    memory.put(offsetof(WarpGroupOperands, selector),
               b.getInt8(static_cast<std::uint8_t>(operands[4].bits)));
  }
  for (std::size_t i = 0; i < results.size(); ++i)
    memory.put(Operands::word_offset(i), lowering.read_bits(results[i], 32));
  warp_call(lowering, warp_group_product, b.getInt32(~0u), memory.address());
  for (std::size_t i = 0; i < results.size(); ++i) lowering.write(results[i], memory.word(i));
  return true;
}

}  // namespace

bool emit_wgmma(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (modifiers.has("mma_async")) return emit_product(lowering, instruction);
  return modifiers.has("fence") || modifiers.has("commit_group") || modifiers.has("wait_group");
}

}  // namespace pycuda::cpu::lower
