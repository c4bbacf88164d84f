// SPDX-License-Identifier: MIT
#include "cpu/lower/sparse_tile.h"

#include "cpu/lower/matrix_element.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;

/// Whether a chunk fills two registers of b, not one.
bool has_wide_chunks(MatrixType type) { return bits_of(type) >= 16; }

/// What one lane adds up: for each register of a that its group's rows have, the elements of b that
/// the metadata names.
class SparseSums {
 public:
  SparseSums(FunctionLowering& lowering, const TileProduct& product, const TileFactors& factors,
             std::vector<Value*> sums)
      : lowering_(lowering),
        b_(lowering.builder()),
        product_(product),
        factors_(factors),
        sums_(std::move(sums)),
        columns_(b_.CreateShl(member_of_group(lowering), 3)) {
    const unsigned words = product.steps * (has_wide_chunks(product.a) ? 1 : 2);
    for (unsigned word = 0; word < words; ++word)
      metadata_.push_back(
          from_member(lowering, factors.metadata.front(), product.first_holder + word));
  }

  /// What member `member` of each group holds of step `step`.
  void add(unsigned step, unsigned member) {
    Value* words[2][2];  // by column
    for (const unsigned column : {0u, 1u}) {
      for (const unsigned word : {0u, 1u}) {
        const unsigned holder = 2 * member % group_lanes + word;
        Value* source = b_.CreateAdd(columns_, b_.getInt32(group_lanes * column + holder));
        Value* own = factors_.b[2 * step + member / 2];
        words[column][word] = from_lane(lowering_, own, source);
      }
    }
    for (unsigned half = 0; half < product_.halves; ++half) {
      Value* row = from_member(lowering_, factors_.a[step * product_.halves + half], member);
      for (const unsigned column : {0u, 1u}) {
        Value*& sum = sums_[2 * half + column];
        if (product_.a == MatrixType::TF32) {
          sum = add_one(row, words[column], step, member, half, sum);
        } else if (has_wide_chunks(product_.a)) {
          sum = add_halves(row, words[column], step, member, half, sum);
        } else {
          sum = add_bytes(row, words[column], step, member, half, sum);
        }
      }
    }
  }

  std::vector<Value*> take() { return std::move(sums_); }

 private:
  /// An element of a and one of b, each of a register.
  Value* sum_of(Value* row, unsigned index, Value* column, unsigned column_index, Value* sum) {
    return add_product(lowering_, product_, element(lowering_, row, product_.a, index),
                       element(lowering_, column, product_.b, column_index), sum);
  }
  /// Whether bit `bit` of a word of metadata is 1.
  Value* flag(Value* word, unsigned bit) {
    return b_.CreateTrunc(b_.CreateLShr(word, bit), b_.getInt1Ty());
  }
  /// Where in its word the metadata of a chunk of 64 bits begins.
  static unsigned wide_chunk_bit(unsigned member, unsigned half) { return 16 * half + 4 * member; }

  Value* add_one(Value* row, Value* const* words, unsigned step, unsigned member, unsigned half,
                 Value* sum) {
    Value* second = flag(metadata_[step], wide_chunk_bit(member, half) + 1);
    return sum_of(row, 0, b_.CreateSelect(second, words[1], words[0]), 0, sum);
  }

  Value* add_halves(Value* row, Value* const* words, unsigned step, unsigned member, unsigned half,
                    Value* sum) {
    for (const unsigned index : {0u, 1u}) {
      const unsigned bit = wide_chunk_bit(member, half) + 2 * index;
      Value* word = b_.CreateSelect(flag(metadata_[step], bit + 1), words[1], words[0]);
      Value* shift = b_.CreateShl(b_.CreateAnd(b_.CreateLShr(metadata_[step], bit), 1), 4);
      sum = sum_of(row, index, b_.CreateLShr(word, shift), 0, sum);
    }
    return sum;
  }

  /// Each of the two words is a chunk: four elements of 8 bits, or four pairs.
  Value* add_bytes(Value* row, Value* const* words, unsigned step, unsigned member, unsigned half,
                   Value* sum) {
    const unsigned in_byte = 8 / bits_of(product_.a);
    Value* metadata = metadata_[2 * step + half];
    for (const unsigned chunk : {0u, 1u}) {
      for (const unsigned index : {0u, 1u}) {
        const unsigned bit = 8 * member + 4 * chunk + 2 * index;
        Value* shift = b_.CreateShl(b_.CreateAnd(b_.CreateLShr(metadata, bit), 3), 3);
        Value* byte = b_.CreateLShr(words[chunk], shift);
        for (unsigned part = 0; part < in_byte; ++part)
          sum = sum_of(row, (2 * chunk + index) * in_byte + part, byte, part, sum);
      }
    }
    return sum;
  }

  FunctionLowering& lowering_;
  llvm::IRBuilder<>& b_;
  const TileProduct& product_;
  const TileFactors& factors_;
  std::vector<Value*> sums_;
  Value* columns_;                ///< the first lane that holds the left one of the lane's columns
  std::vector<Value*> metadata_;  ///< of the own group, word after word
};

}  // namespace

std::optional<unsigned> metadata_holders(MatrixType type, unsigned depth) {
  const unsigned bits = bits_of(type);
  if (type == MatrixType::B1 || bits > 32) return std::nullopt;
  const auto steps = steps_of(type, depth / 2);
  if (!steps || depth % 2 != 0 || *steps > 2) return std::nullopt;
  // Bytes that are floats fill all four members' words.
  if ((type == MatrixType::E4M3 || type == MatrixType::E5M2) && *steps != 2) return std::nullopt;
  return *steps * (has_wide_chunks(type) ? 1 : 2);
}

std::vector<Value*> add_sparse_products(FunctionLowering& lowering, const TileProduct& product,
                                        const TileFactors& factors, std::vector<Value*> c) {
  SparseSums sums(lowering, product, factors, std::move(c));
  for (unsigned step = 0; step < product.steps; ++step)
    for (unsigned member = 0; member < group_lanes; ++member) sums.add(step, member);
  return sums.take();
}

}  // namespace pycuda::cpu::lower
