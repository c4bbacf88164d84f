// SPDX-License-Identifier: MIT
// Analysis: how a value differs between the lanes of a gang.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

#include "cpu/simt/analysis/divergence.h"

namespace pycuda::cpu::simt {

/// How the lanes of a gang lie over the threads of a block: `rows` rows of `columns` lanes each,
/// lanes along x first. Gangs of one row are consecutive threads of a row; others are tiles.
struct GangSize {
  unsigned columns;
  unsigned rows = 1;

  GangSize(unsigned all_columns, unsigned all_rows = 1) : columns(all_columns), rows(all_rows) {}
  unsigned lanes() const { return columns * rows; }
  bool is_tile() const { return rows > 1; }
};

/// An affine value is, in column c of a row of the gang, its value in the row's first lane +
/// c * stride, in the arithmetic of its type.
struct Shape {
  enum class Kind { Uniform, Affine, Varying };
  /// What the value of every lane, also of one that is not active, lies between, as signed numbers.
  struct Bounds {
    std::int64_t low, high;
    bool operator==(const Bounds&) const = default;
  };

  Kind kind = Kind::Uniform;
  std::int64_t stride = 0;
  std::optional<Bounds> bounds;
  /// Of affine values: the rows of a tile begin with different values. Otherwise the value repeats
  /// from row to row.
  bool by_row = false;

  static Shape uniform(std::optional<Bounds> bounds = std::nullopt) {
    return {Kind::Uniform, 0, bounds};
  }
  static Shape affine(std::int64_t stride, std::optional<Bounds> bounds = std::nullopt,
                      bool by_row = false) {
    return {stride == 0 && !by_row ? Kind::Uniform : Kind::Affine, stride, bounds, by_row};
  }
  static Shape varying() { return {Kind::Varying, 0, std::nullopt}; }
  bool is_uniform() const { return kind == Kind::Uniform; }
  bool is_affine() const { return kind == Kind::Affine; }
  bool is_varying() const { return kind == Kind::Varying; }
  /// Lanes of the same row have the same value.
  bool is_same_in_rows() const { return kind != Kind::Varying && stride == 0; }
  bool operator==(const Shape&) const = default;
};

/// The shapes of all values of `function`, whose control flow `flow` describes: a fixed point of
/// both. Relies on the launch's promises that ctaid * ntid + tid does not exceed 31 bits in any
/// dimension, and that there are no more blocks than most_blocks() says.
class Shapes {
 public:
  /// With `trusting`, extensions of 32-bit numbers are taken not to wrap, lanes to go the same way,
  /// and to have the same quotients by constants: guesses, to be tested where they are used.
  Shapes(llvm::Function& function, ControlFlow& flow, GangSize size, bool trusting = false);

  Shape of(const llvm::Value* value) const;
  /// Along axis 0, 1 or 2: with so many blocks ctaid times a constant of the kernel stays below 31
  /// bits.
  std::uint32_t most_blocks(unsigned axis) const;
  /// Bytes from one lane's copy of a local variable to the next one's.
  static std::int64_t lane_stride(const llvm::AllocaInst& variable);

  /// Of a selection, minimum or maximum that has no shape of its own: the operand that all lanes of
  /// most gangs take. Guesses alone have one.
  std::optional<unsigned> usual_choice(const llvm::Instruction& choice) const;

  /// A question about all lanes (gang_all, gang_none) that the first and the last lane's values can
  /// answer: where the answer is yes, no lane of `affine` wraps.
  struct Question {
    llvm::ICmpInst::Predicate predicate;
    llvm::Value* affine;
    llvm::Value* uniform;
    const llvm::CastInst* extension;  ///< of `affine`, before it is compared; or null
    bool is_signed;                   ///< how it would wrap
  };
  std::optional<Question> question(const llvm::CallInst& call) const;

 private:
  bool pass(llvm::Function& function);
  Shape evaluate(const llvm::Instruction& instruction) const;
  Shape of_usual_choice(const llvm::Instruction& choice) const;
  Shape of_phi(const llvm::PHINode& phi) const;
  Shape of_binary(const llvm::BinaryOperator& operation) const;
  std::optional<Shape> of_division(const llvm::BinaryOperator& operation, const Shape& left) const;
  Shape of_mask(const llvm::BinaryOperator& operation, const Shape& left,
                const llvm::APInt& mask) const;
  Shape of_agreed_division(const llvm::BinaryOperator& operation) const;
  Shape of_cast(const llvm::CastInst& cast) const;
  Shape of_address(const llvm::GetElementPtrInst& address) const;
  Shape of_call(const llvm::CallInst& call) const;
  Shape of_warp_operation(const llvm::CallInst& call) const;
  bool is_broadcast(const llvm::CallInst& shuffle) const;
  Shape of_special(llvm::StringRef name) const;
  Shape of_compare(const llvm::ICmpInst& compare) const;
  bool all_uniform(const llvm::User& user) const;
  Shape of_operands(const llvm::Instruction& instruction) const;
  bool is_known_not_to_wrap(const llvm::Value* value, bool is_signed, const llvm::BasicBlock& block,
                            llvm::SmallPtrSetImpl<const llvm::Value*>& assumed) const;
  std::uint64_t alignment_of(const llvm::Value& value, unsigned steps = 0) const;
  bool stays_within(const llvm::Value& value, const Shape& shape, std::uint64_t size) const;

  llvm::DenseMap<const llvm::Value*, Shape> shapes_;
  std::uint64_t block_factors_[3] = {0, 0, 0};  ///< the largest constants that multiply ctaid
  ControlFlow& flow_;
  const llvm::DataLayout& layout_;
  const GangSize size_;
  const bool trusting_;
  const bool warps_;  ///< gangs are warps: rows of threads are made of whole ones, or there is one
  const bool in_line_;     ///< the lanes of a gang may belong to several rows of threads
  const bool whole_rows_;  ///< ntid.x is a multiple of the columns
};

/// The bytes of an element of a variable that lies element by element.
std::optional<std::uint64_t> interleaved_bytes(const llvm::AllocaInst& variable);

/// The bytes of all lanes' copies of a variable.
std::uint64_t bytes_of_gang(const llvm::AllocaInst& variable, unsigned lanes);

}  // namespace pycuda::cpu::simt
