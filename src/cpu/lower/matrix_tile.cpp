// SPDX-License-Identifier: MIT
// The product of two tiles, made of shuffles and sums.
#include "cpu/lower/matrix_tile.h"

#include <charconv>
#include <string>
#include <utility>

#include "cpu/lower/float_ops.h"
#include "cpu/lower/matrix_element.h"
#include "cpu/lower/pseudo.h"
#include "cpu/lower/scaled_tile.h"
#include "cpu/lower/sparse_tile.h"
#include "cpu/lower/warp_call.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;

Value* shuffled_word(FunctionLowering& lowering, Value* word, Value* source, unsigned segment) {
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Type* wide = b.getInt64Ty();
  const WarpResult result =
      warp_call(lowering, WarpOp::ShuffleIndex, b.getInt32(~0u), b.CreateZExt(word, wide),
                b.CreateZExt(source, wide), b.getInt64(segment << 8 | 31));
  return b.CreateTrunc(result.value, b.getInt32Ty());
}

Value* shuffled(FunctionLowering& lowering, Value* value, Value* source, unsigned segment) {
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Type* type = value->getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  Value* whole = b.CreateBitCast(value, lowering.int_type(bits));
  if (bits == 32) {
    return b.CreateBitCast(shuffled_word(lowering, whole, source, segment), type);
  }
  Value* result = nullptr;
  for (unsigned word = 0; word < bits / 32; ++word) {
    Value* part = b.CreateTrunc(b.CreateLShr(whole, std::uint64_t{32} * word), b.getInt32Ty());
    part = b.CreateZExt(shuffled_word(lowering, part, source, segment), whole->getType());
    part = b.CreateShl(part, std::uint64_t{32} * word);
    result = result ? b.CreateOr(result, part) : part;
  }
  return b.CreateBitCast(result, type);
}

bool is_integer(MatrixType type) {
  return type == MatrixType::S8 || type == MatrixType::U8 || type == MatrixType::S4 ||
         type == MatrixType::U4 || type == MatrixType::B1;
}

bool is_small_float(MatrixType type) {
  return type == MatrixType::E4M3 || type == MatrixType::E5M2;
}

/// Whether there are products of elements of the one type with those of the other.
bool fit(MatrixType a, MatrixType b) {
  if (a == b || (is_small_float(a) && is_small_float(b))) return true;
  return a != MatrixType::B1 && b != MatrixType::B1 && is_integer(a) && is_integer(b) &&
         bits_of(a) == bits_of(b);
}

bool fit_sums(MatrixType factors, MatrixType sums) {
  if (is_integer(factors)) return sums == MatrixType::S32;
  if (factors == MatrixType::F64) return sums == MatrixType::F64;
  const bool of_halves = factors == MatrixType::F16 || is_small_float(factors);
  return sums == MatrixType::F32 || (of_halves && sums == MatrixType::F16);
}

}  // namespace

std::optional<MatrixType> matrix_type(ptx::Type type) {
  switch (type) {
    case ptx::Type::F16:
      return MatrixType::F16;
    case ptx::Type::BF16:
      return MatrixType::BF16;
    case ptx::Type::TF32:
      return MatrixType::TF32;
    case ptx::Type::F32:
      return MatrixType::F32;
    case ptx::Type::F64:
      return MatrixType::F64;
    case ptx::Type::S8:
      return MatrixType::S8;
    case ptx::Type::U8:
      return MatrixType::U8;
    case ptx::Type::S32:
      return MatrixType::S32;
    case ptx::Type::E4M3:
      return MatrixType::E4M3;
    case ptx::Type::E5M2:
      return MatrixType::E5M2;
    default:
      return std::nullopt;
  }
}

std::optional<MatrixType> narrow_matrix_type(std::string_view modifier) {
  if (modifier == "s4") return MatrixType::S4;
  if (modifier == "u4") return MatrixType::U4;
  if (modifier == "b1") return MatrixType::B1;
  return std::nullopt;
}

std::optional<ProductTypes> product_types(const ptx::Modifiers& modifiers) {
  std::vector<MatrixType> factors, types;
  for (const std::string& modifier : modifiers.others) {
    if (const auto type = narrow_matrix_type(modifier)) factors.push_back(*type);
  }
  for (const ptx::Type type : modifiers.types) {
    const auto known = matrix_type(type);
    if (!known) return std::nullopt;
    types.push_back(*known);
  }
  if (types.size() == 4 && factors.empty()) {
    factors = {types[1], types[2]};
    types = {types[0], types[3]};
  }
  if (types.size() == 2 && factors.empty()) factors = {MatrixType::F16, MatrixType::F16};
  if (types.size() != 2 || factors.size() != 2) return std::nullopt;
  const ProductTypes found{factors[0], factors[1], types[1], types[0]};
  const bool known =
      fit(found.a, found.b) && fit_sums(found.a, found.c) && fit_sums(found.a, found.d);
  return known ? std::optional(found) : std::nullopt;
}

unsigned bits_of(MatrixType type) {
  switch (type) {
    case MatrixType::F64:
      return 64;
    case MatrixType::TF32:
    case MatrixType::F32:
    case MatrixType::S32:
      return 32;
    case MatrixType::F16:
    case MatrixType::BF16:
      return 16;
    case MatrixType::S8:
    case MatrixType::U8:
    case MatrixType::E4M3:
    case MatrixType::E5M2:
    case MatrixType::E2M3:
    case MatrixType::E3M2:
    case MatrixType::E2M1:
      return 8;
    case MatrixType::S4:
    case MatrixType::U4:
    case MatrixType::PackedE2M1:
      return 4;
    case MatrixType::B1:
      return 1;
  }
  return 0;
}

unsigned elements_in_register(MatrixType type) {
  return type == MatrixType::F64 ? 1 : 32 / bits_of(type);
}

std::optional<MatrixShape> matrix_shape(std::string_view modifier) {
  MatrixShape shape;
  const std::pair<char, unsigned*> parts[] = {
      {'m', &shape.rows}, {'n', &shape.columns}, {'k', &shape.depth}};
  const char* at = modifier.data();
  const char* end = at + modifier.size();
  for (const auto& [letter, number] : parts) {
    if (at == end || *at != letter) return std::nullopt;
    const auto [after, error] = std::from_chars(at + 1, end, *number);
    if (error != std::errc{}) return std::nullopt;
    at = after;
  }
  return at == end ? std::optional(shape) : std::nullopt;
}

std::optional<unsigned> steps_of(MatrixType type, unsigned depth) {
  const unsigned step = group_lanes * elements_in_register(type);
  if (depth == 0 || depth % step != 0) return std::nullopt;
  return depth / step;
}

Value* lane_number(FunctionLowering& lowering) {
  return lowering.pseudo_call(std::string(pseudo::sreg_prefix) + "laneid",
                              lowering.builder().getInt32Ty(), {}, false);
}

Value* group_of_lane(FunctionLowering& lowering) {
  return lowering.builder().CreateLShr(lane_number(lowering), 2);
}

Value* member_of_group(FunctionLowering& lowering) {
  return lowering.builder().CreateAnd(lane_number(lowering), group_lanes - 1);
}

Value* from_lane(FunctionLowering& lowering, Value* value, Value* source) {
  return shuffled(lowering, value, source, 0);
}

Value* from_member(FunctionLowering& lowering, Value* value, unsigned source) {
  return shuffled(lowering, value, lowering.builder().getInt32(source), 32 - group_lanes);
}

namespace {

/// Each sum of a dense product, with what it starts from.
std::vector<Value*> add_dense_products(FunctionLowering& lowering, const TileProduct& product,
                                       const TileFactors& factors, std::vector<Value*> c) {
  llvm::IRBuilder<>& builder = lowering.builder();
  const auto& [a, b, metadata] = factors;
  std::optional<Scales> scales;
  if (product.blocks != 0) scales.emplace(lowering, product, metadata);
  const unsigned elements = product.a == MatrixType::B1 ? 1 : elements_in_register(product.a);
  const unsigned tile_sums = 2 * product.halves;
  Value* columns = builder.CreateShl(member_of_group(lowering), 3);
  for (unsigned step = 0; step < product.steps; ++step) {
    for (unsigned member = 0; member < group_lanes; ++member) {
      std::vector<Value*> rows_of_a, columns_of_b;
      for (unsigned row = 0; row < product.row_tiles * product.halves; ++row) {
        const unsigned tile = row / product.halves, half = row % product.halves;
        Value* own = a[(tile * product.steps + step) * product.halves + half];
        rows_of_a.push_back(from_member(lowering, own, member));
      }
      for (unsigned column = 0; column < product.column_tiles * 2; ++column) {
        Value* source =
            builder.CreateAdd(columns, builder.getInt32(group_lanes * (column % 2) + member));
        columns_of_b.push_back(from_lane(lowering, b[column / 2 * product.steps + step], source));
      }
      for (unsigned index = 0; index < elements; ++index) {
        const auto numbers = [&](const std::vector<Value*>& registers, MatrixType type) {
          std::vector<Value*> values;
          values.reserve(registers.size());
          for (Value* bits : registers) values.push_back(element(lowering, bits, type, index));
          return values;
        };
        const std::vector<Value*> row = numbers(rows_of_a, product.a);
        const std::vector<Value*> column = numbers(columns_of_b, product.b);
        const unsigned k = (step * group_lanes + member) * elements + index;
        const unsigned block = k * product.blocks / (product.steps * group_lanes * elements);
        for (unsigned sum = 0; sum < c.size(); ++sum) {
          const unsigned tile = sum / tile_sums, in_tile = sum % tile_sums;
          Value* left = row[tile / product.column_tiles * product.halves + in_tile / 2];
          Value* right = column[tile % product.column_tiles * 2 + in_tile % 2];
          if (scales) {
            left = scales->scaled_left(left, sum, block);
            right = scales->scaled_right(right, sum, block);
          }
          c[sum] = add_product(lowering, product, left, right, c[sum]);
        }
      }
    }
  }
  return c;
}

/// The product's code.
std::vector<Value*> emit_product(FunctionLowering& lowering, const TileProduct& product,
                                 const TileFactors& factors, std::vector<Value*> c) {
  llvm::IRBuilder<>& builder = lowering.builder();
  if (product.saturate) {
    for (Value*& sum : c) sum = builder.CreateSExt(sum, builder.getInt64Ty());
  }
  c = product.sparse ? add_sparse_products(lowering, product, factors, std::move(c))
                     : add_dense_products(lowering, product, factors, std::move(c));
  FloatOps ops(lowering);
  for (Value*& sum : c) {
    if (product.saturate) {
      sum = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, sum,
                                          builder.getInt64(std::uint64_t(INT64_C(-2147483648))));
      sum = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, sum, builder.getInt64(2147483647));
      sum = builder.CreateTrunc(sum, builder.getInt32Ty());
    } else if (sum->getType()->isFloatTy()) {
      sum = ops.canonical(sum);
    }
  }
  return c;
}

std::string name_of(const TileProduct& product, const llvm::Type& sums) {
  std::string name = "product";
  for (const unsigned part :
       {static_cast<unsigned>(product.a), static_cast<unsigned>(product.b), product.row_tiles,
        product.column_tiles, product.halves, product.steps, product.saturate ? 1u : 0u,
        product.parity ? 1u : 0u, static_cast<unsigned>(sums.getTypeID())})
    name += "." + std::to_string(part);
  if (product.sparse) name += ".sparse." + std::to_string(product.first_holder);
  if (product.blocks != 0) {
    name += product.scales_are_powers ? ".powers." : ".scales.";
    name += std::to_string(product.blocks);
  }
  return name;
}

/// The function that computes such a product from the thread and the values of the factors and c.
llvm::Function* product_function(FunctionLowering& lowering, const TileProduct& product,
                                 const TileFactors& factors, const std::vector<Value*>& c) {
  const std::string name = name_of(product, *c.front()->getType());
  if (llvm::Function* made = lowering.module().target().getFunction(name)) return made;
  llvm::IRBuilder<>& builder = lowering.builder();
  std::vector<llvm::Type*> types{builder.getPtrTy()};
  for (const auto* part : {&factors.a, &factors.b, &factors.metadata, &c}) {
    for (const Value* value : *part) types.push_back(value->getType());
  }
  const std::vector<llvm::Type*> sums(c.size(), c.front()->getType());
  llvm::Type* const result = llvm::StructType::get(builder.getContext(), sums);
  llvm::Function* const function =
      lowering.module().own_function(llvm::FunctionType::get(result, types, false), name);
  lowering.emit_apart(*function, [&] {
    unsigned next = 1;
    const auto arguments = [&](std::size_t count) {
      std::vector<Value*> values(count);
      for (Value*& value : values) value = function->getArg(next++);
      return values;
    };
    TileFactors given;
    given.a = arguments(factors.a.size());
    given.b = arguments(factors.b.size());
    given.metadata = arguments(factors.metadata.size());
    Value* all = llvm::PoisonValue::get(result);
    unsigned index = 0;
    for (Value* sum : emit_product(lowering, product, given, arguments(c.size())))
      all = builder.CreateInsertValue(all, sum, index++);
    builder.CreateRet(all);
  });
  return function;
}

}  // namespace

/// A function of its own for each kind of product: a thread waits for others at dozens of places in
/// it, and kernels have hundreds of them.
std::vector<Value*> multiply_tiles(FunctionLowering& lowering, const TileProduct& product,
                                   const TileFactors& factors, const std::vector<Value*>& c) {
  std::vector<Value*> arguments{lowering.thread()};
  for (const auto* part : {&factors.a, &factors.b, &factors.metadata, &c})
    arguments.insert(arguments.end(), part->begin(), part->end());
  llvm::IRBuilder<>& builder = lowering.builder();
  llvm::CallInst* const call =
      builder.CreateCall(product_function(lowering, product, factors, c), arguments);
  call->setDoesNotThrow();
  std::vector<Value*> sums(c.size());
  for (unsigned i = 0; i < c.size(); ++i) sums[i] = builder.CreateExtractValue(call, i);
  return sums;
}

std::vector<Value*> read_registers(FunctionLowering& lowering,
                                   const std::vector<ptx::Operand>& operands, MatrixType type) {
  std::vector<Value*> registers;
  registers.reserve(operands.size());
  for (const ptx::Operand& operand : operands) {
    registers.push_back(lowering.read_bits(operand, type == MatrixType::F64 ? 64 : 32));
  }
  return registers;
}

std::vector<Value*> read_sums(FunctionLowering& lowering, const std::vector<ptx::Operand>& operands,
                              MatrixType type) {
  std::vector<Value*> values;
  for (const ptx::Operand& operand : operands) {
    switch (type) {
      case MatrixType::F16: {
        Value* pair = lowering.read_bits(operand, 32);
        for (unsigned index : {0u, 1u}) values.push_back(element(lowering, pair, type, index));
        break;
      }
      case MatrixType::F32:
        values.push_back(lowering.read(operand, ptx::Type::F32));
        break;
      case MatrixType::F64:
        values.push_back(lowering.read(operand, ptx::Type::F64));
        break;
      default:
        values.push_back(lowering.read_bits(operand, 32));
    }
  }
  return values;
}

void write_sums(FunctionLowering& lowering, const std::vector<ptx::Operand>& operands,
                MatrixType type, const std::vector<Value*>& values) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (type != MatrixType::F16) {
    for (std::size_t i = 0; i < operands.size(); ++i) lowering.write(operands[i], values[i]);
    return;
  }
  FloatOps ops(lowering);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Value* pair = llvm::PoisonValue::get(llvm::FixedVectorType::get(b.getHalfTy(), 2));
    for (unsigned part : {0u, 1u}) {
      Value* half =
          ops.canonical(ops.narrow(values[2 * i + part], b.getHalfTy(), ptx::Rounding::Rn));
      pair = b.CreateInsertElement(pair, half, part);
    }
    lowering.write(operands[i], pair);
  }
}

}  // namespace pycuda::cpu::lower
