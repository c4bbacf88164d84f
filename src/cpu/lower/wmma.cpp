// SPDX-License-Identifier: MIT
// Emitters: wmma.load, wmma.store, wmma.mma.
//
// PTX leaves open which lane holds which element of a fragment. Here the tiles of `matrix_tile.h`
// follow one another, as on GPUs of compute capability 8.0. Matrices of 8 rows and 32 columns are
// dealt with as their transposes: d' = b' a' + c'.
#include <algorithm>

#include "cpu/lower/emitter.h"
#include "cpu/lower/matrix_tile.h"

namespace pycuda::cpu::lower {
namespace {

using llvm::Value;

enum class Matrix : std::uint8_t { A, B, Sums };

/// How the matrices of one shape are held.
struct Layout {
  MatrixShape shape;
  bool transposed = false;
  unsigned halves = 2;     ///< of a tile
  unsigned row_tiles = 1;  ///< of the product, or of its transpose
  unsigned column_tiles = 1;
};

std::optional<Layout> layout_of(const MatrixShape& shape) {
  const MatrixShape plane{shape.rows, shape.columns, 0};
  if (plane == MatrixShape{16, 16, 0}) return Layout{shape, false, 2, 1, 2};
  if (plane == MatrixShape{32, 8, 0}) return Layout{shape, false, 2, 2, 1};
  if (plane == MatrixShape{8, 32, 0}) return Layout{shape, true, 2, 2, 1};
  if (plane == MatrixShape{8, 8, 0}) return Layout{shape, false, 1, 1, 1};
  return std::nullopt;
}

/// The inner dimension that goes with a type of factors and a product's rows.
unsigned depth_of(MatrixType type, unsigned rows, unsigned columns) {
  const bool small = rows == 8 && columns == 8;
  switch (type) {
    case MatrixType::F16:
    case MatrixType::BF16:
    case MatrixType::S8:
    case MatrixType::U8:
      return small ? 0 : 16;
    case MatrixType::TF32:
      return rows == 16 ? 8 : 0;
    case MatrixType::F64:
      return small ? 4 : 0;
    case MatrixType::S4:
    case MatrixType::U4:
      return small ? 32 : 0;
    case MatrixType::B1:
      return small ? 128 : 0;
    default:
      return 0;
  }
}

/// The parts of an instruction's name.
struct Form {
  Layout layout;
  std::vector<std::string> orders;   ///< "row" or "col", as written
  std::vector<MatrixType> narrow;    ///< as written
  std::vector<std::string> actions;  ///< the rest: "load", "a"
};

std::optional<Form> form_of(const ptx::Modifiers& modifiers) {
  Form form;
  std::optional<Layout> layout;
  for (const std::string& modifier : modifiers.others) {
    if (const auto shape = matrix_shape(modifier)) {
      layout = layout_of(*shape);
    } else if (modifier == "row" || modifier == "col") {
      form.orders.push_back(modifier);
    } else if (const auto type = narrow_matrix_type(modifier)) {
      form.narrow.push_back(*type);
    } else if (modifier != "popc") {
      form.actions.push_back(modifier);
    }
  }
  if (!layout) return std::nullopt;
  form.layout = *layout;
  return form;
}

/// One matrix's part of a load or store.
class Fragment {
 public:
  Fragment(FunctionLowering& lowering, const Layout& layout, Matrix matrix, MatrixType type,
           bool by_rows)
      : lowering_(lowering), layout_(layout), matrix_(matrix), type_(type), by_rows_(by_rows) {
    if (matrix != Matrix::Sums) steps_ = *steps_of(type, layout.shape.depth);
  }

  /// What `wmma` has registers for.
  std::size_t registers() const {
    if (matrix_ == Matrix::Sums) {
      const std::size_t values = std::size_t{2} * layout_.halves * tiles();
      return type_ == MatrixType::F16 ? values / 2 : values;
    }
    // Of f16, as many as the first GPUs with matrix units wanted.
    return type_ == MatrixType::F16 ? 8 : held();
  }
  /// Registers that are filled; a load repeats them in the rest.
  std::size_t held() const {
    if (matrix_ == Matrix::Sums) return registers();
    return std::size_t{steps_} * tiles() * (holds_rows() ? layout_.halves : 1);
  }

  /// Columns of the matrix in memory by rows, rows of one by columns: elements from one to the next
  /// if the instruction does not say.
  unsigned leading() const {
    const MatrixShape& shape = layout_.shape;
    switch (matrix_) {
      case Matrix::A:
        return by_rows_ ? shape.depth : shape.rows;
      case Matrix::B:
        return by_rows_ ? shape.columns : shape.depth;
      case Matrix::Sums:
        break;
    }
    return by_rows_ ? shape.columns : shape.rows;
  }

  /// For each register that is held calls `visit(number, pointers, bits)`: the places of its parts,
  /// each of `bits` bits, lowest first.
  template <class Visit>
  bool visit_registers(const ptx::Operand& address, ptx::Space space, Value* stride, bool is_write,
                       Visit&& visit) {
    llvm::IRBuilder<>& b = lowering_.builder();
    Value* base = lowering_.pointer_to(address, space);
    const unsigned bits = bits_of(type_);
    const unsigned packed = elements_in_register(type_);
    if (packed > 1 && bits < 8 && !runs_along_register()) return false;
    const unsigned parts = runs_along_register() ? 1 : packed;
    const unsigned part_bits = type_ == MatrixType::F64 ? 64 : 32 / parts;
    // Parts are aligned where the matrix and its rows (or columns) are.
    Value* start = b.CreatePtrToInt(base, b.getInt64Ty());
    Value* row_bytes = bits >= 8 ? b.CreateMul(stride, b.getInt64(bits / 8))
                                 : b.CreateLShr(stride, bits == 4 ? 1 : 3);
    lowering_.track_line();
    lowering_.check_alignment(start, b.CreateOr(start, row_bytes), part_bits / 8);
    for (std::size_t number = 0; number < held(); ++number) {
      std::vector<Value*> pointers;
      for (unsigned part = 0; part < parts; ++part) {
        Value* element = place(number, part, stride);
        Value* offset = bits >= 8 ? b.CreateMul(element, b.getInt64(bits / 8))
                                  : b.CreateLShr(element, bits == 4 ? 1 : 3);
        Value* pointer = b.CreateGEP(b.getInt8Ty(), base, offset);
        lowering_.guard_access(pointer, space, part_bits / 8, 1,
                               is_write ? plain_write : plain_read);
        pointers.push_back(pointer);
      }
      visit(number, pointers, part_bits);
    }
    return true;
  }

 private:
  /// Whether the tiles are those of the product's left factor.
  bool holds_rows() const { return (matrix_ == Matrix::A) != layout_.transposed; }
  unsigned tiles() const {
    if (matrix_ == Matrix::Sums) return layout_.row_tiles * layout_.column_tiles;
    return holds_rows() ? layout_.row_tiles : layout_.column_tiles;
  }

  /// Whether the elements of a register are next to one another in memory.
  bool runs_along_register() const {
    if (elements_in_register(type_) == 1) return true;
    // Along k of a factor; along a row of sums.
    const bool along_columns = matrix_ == Matrix::Sums ? !layout_.transposed : matrix_ == Matrix::A;
    return along_columns == by_rows_;
  }

  /// The number of the element, in elements from the matrix's start, that is part `part` of a
  /// register.
  Value* place(std::size_t number, unsigned part, Value* stride) {
    llvm::IRBuilder<>& b = lowering_.builder();
    const auto count = static_cast<unsigned>(number);
    const auto plus = [&](Value* value, unsigned constant) {
      return b.CreateZExt(b.CreateAdd(value, b.getInt32(constant)), b.getInt64Ty());
    };
    const auto times = [&](Value* value, unsigned factor) {
      return b.CreateMul(value, b.getInt32(factor));
    };
    Value* group = group_of_lane(lowering_);
    Value* member = member_of_group(lowering_);
    Value* row = nullptr;
    Value* column = nullptr;
    if (matrix_ == Matrix::Sums) {
      // Element 2 h + {0, 1} of a tile, halves two to a register.
      const unsigned element = type_ == MatrixType::F16 ? 2 * count + part : count;
      const unsigned in_tile = 2 * layout_.halves;
      const unsigned tile = element / in_tile, half = element % in_tile / 2;
      row = plus(group, 8 * (layout_.halves * (tile / layout_.column_tiles) + half));
      column = plus(times(member, 2), 8 * (tile % layout_.column_tiles) + element % 2);
      if (layout_.transposed) std::swap(row, column);
    } else {
      const unsigned in_step = holds_rows() ? layout_.halves : 1;
      const unsigned tile = count / (steps_ * in_step), step = count / in_step % steps_;
      const unsigned packed = elements_in_register(type_);
      Value* outer = plus(group, 8 * (in_step * tile + count % in_step));
      Value* inner = plus(times(member, packed), 4 * packed * step + part);
      row = matrix_ == Matrix::A ? outer : inner;
      column = matrix_ == Matrix::A ? inner : outer;
    }
    return by_rows_ ? b.CreateAdd(b.CreateMul(row, stride), column)
                    : b.CreateAdd(b.CreateMul(column, stride), row);
  }

  FunctionLowering& lowering_;
  const Layout& layout_;
  Matrix matrix_;
  MatrixType type_;
  bool by_rows_;
  unsigned steps_ = 0;
};

/// The element type of a load or store, if the shape has matrices of it.
std::optional<MatrixType> memory_type(const ptx::Modifiers& modifiers, const Form& form,
                                      Matrix matrix) {
  std::optional<MatrixType> type;
  if (form.narrow.size() == 1 && modifiers.types.empty()) type = form.narrow.front();
  if (form.narrow.empty() && modifiers.types.size() == 1) type = matrix_type(modifiers.type());
  if (!type) return std::nullopt;
  const MatrixShape& shape = form.layout.shape;
  if (matrix != Matrix::Sums) {
    const unsigned depth = depth_of(*type, shape.rows, shape.columns);
    return depth != 0 && depth == shape.depth ? type : std::nullopt;
  }
  const auto goes_with = [&](std::initializer_list<MatrixType> factors) {
    return std::any_of(factors.begin(), factors.end(), [&](MatrixType factor) {
      const unsigned depth = depth_of(factor, shape.rows, shape.columns);
      return depth != 0 && depth == shape.depth;
    });
  };
  using enum MatrixType;
  switch (*type) {
    case F16:
      return goes_with({F16}) ? type : std::nullopt;
    case F32:
      return goes_with({F16, BF16, TF32}) ? type : std::nullopt;
    case F64:
      return goes_with({F64}) ? type : std::nullopt;
    case S32:
      return goes_with({S8, S4, B1}) ? type : std::nullopt;
    default:
      return std::nullopt;
  }
}

Value* stride_of(FunctionLowering& lowering, const ptx::Instruction& instruction,
                 const Fragment& fragment) {
  llvm::IRBuilder<>& b = lowering.builder();
  if (instruction.operands.size() < 3) return b.getInt64(fragment.leading());
  return b.CreateZExt(lowering.read_bits(instruction.operands[2], 32), b.getInt64Ty());
}

bool fail_count(FunctionLowering& lowering, std::size_t wanted) {
  lowering.fail("takes " + std::to_string(wanted) + (wanted == 1 ? " register" : " registers"));
  return true;
}

/// wmma.load.{a,b,c}.sync.aligned.layout.shape{.space}.type r, [p] {, stride}
bool emit_load(FunctionLowering& lowering, const ptx::Instruction& instruction, const Form& form) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (form.actions.size() != 2 || form.orders.size() != 1) return false;
  const std::string& which = form.actions[1];
  if (which != "a" && which != "b" && which != "c") return false;
  const Matrix matrix = which == "a" ? Matrix::A : which == "b" ? Matrix::B : Matrix::Sums;
  const auto type = memory_type(modifiers, form, matrix);
  if (!type || instruction.operands.size() > 3) return false;
  Fragment fragment(lowering, form.layout, matrix, *type, form.orders[0] == "row");
  const std::vector<ptx::Operand> destinations = lowering.elements(instruction.operands[0]);
  if (destinations.size() != fragment.registers()) {
    return fail_count(lowering, fragment.registers());
  }
  llvm::IRBuilder<>& b = lowering.builder();
  std::vector<Value*> values;
  const auto load = [&](std::size_t, const std::vector<Value*>& pointers, unsigned bits) {
    llvm::Type* part_type = lowering.int_type(bits);
    llvm::Type* whole_type = lowering.int_type(std::max(bits, 32u));
    Value* whole = nullptr;
    for (std::size_t part = 0; part < pointers.size(); ++part) {
      Value* value = b.CreateAlignedLoad(part_type, pointers[part], llvm::Align(bits / 8));
      value = b.CreateShl(b.CreateZExt(value, whole_type), bits * part);
      whole = whole ? b.CreateOr(whole, value) : value;
    }
    values.push_back(whole);
  };
  const ptx::Space space = modifiers.has_space ? modifiers.space : ptx::Space::Generic;
  if (!fragment.visit_registers(instruction.operands[1], space,
                                stride_of(lowering, instruction, fragment), false, load)) {
    return false;
  }
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    lowering.write(destinations[i], values[i % values.size()]);
  }
  return true;
}

/// wmma.store.d.sync.aligned.layout.shape{.space}.type [p], r {, stride}
bool emit_store(FunctionLowering& lowering, const ptx::Instruction& instruction, const Form& form) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  if (form.actions.size() != 2 || form.orders.size() != 1 || form.actions[1] != "d") return false;
  const auto type = memory_type(modifiers, form, Matrix::Sums);
  if (!type || instruction.operands.size() > 3) return false;
  Fragment fragment(lowering, form.layout, Matrix::Sums, *type, form.orders[0] == "row");
  const std::vector<ptx::Operand> sources = lowering.elements(instruction.operands[1]);
  if (sources.size() != fragment.registers()) return fail_count(lowering, fragment.registers());
  llvm::IRBuilder<>& b = lowering.builder();
  const std::vector<Value*> values = read_registers(lowering, sources, *type);
  const auto store = [&](std::size_t number, const std::vector<Value*>& pointers, unsigned bits) {
    for (std::size_t part = 0; part < pointers.size(); ++part) {
      Value* value = b.CreateLShr(values[number], bits * part);
      b.CreateAlignedStore(b.CreateTrunc(value, lowering.int_type(bits)), pointers[part],
                           llvm::Align(bits / 8));
    }
  };
  const ptx::Space space = modifiers.has_space ? modifiers.space : ptx::Space::Generic;
  return fragment.visit_registers(instruction.operands[0], space,
                                  stride_of(lowering, instruction, fragment), true, store);
}

/// wmma.mma{.op.popc}.sync.aligned.alayout.blayout.shape... d, a, b, c
bool emit_product(FunctionLowering& lowering, const ptx::Instruction& instruction,
                  const Form& form) {
  const ptx::Modifiers& modifiers = instruction.modifiers;
  const auto types = product_types(modifiers);
  const bool to_nearest =
      modifiers.rounding == ptx::Rounding::None || modifiers.rounding == ptx::Rounding::Rn;
  if (!types || types->a != types->b || instruction.operands.size() != 4 || !to_nearest ||
      form.actions.size() != 1 || form.orders.size() != 2) {
    return false;
  }
  if (modifiers.satfinite && types->c != MatrixType::S32) return false;
  const Layout& layout = form.layout;
  const unsigned depth = depth_of(types->a, layout.shape.rows, layout.shape.columns);
  if (depth == 0 || depth != layout.shape.depth) return false;
  const Fragment fragments[] = {{lowering, layout, Matrix::Sums, types->d, true},
                                {lowering, layout, Matrix::A, types->a, true},
                                {lowering, layout, Matrix::B, types->b, true},
                                {lowering, layout, Matrix::Sums, types->c, true}};
  std::vector<std::vector<ptx::Operand>> operands;
  for (std::size_t i = 0; i < 4; ++i) {
    operands.push_back(lowering.elements(instruction.operands[i]));
    if (operands[i].size() != fragments[i].registers()) {
      return fail_count(lowering, fragments[i].registers());
    }
  }
  TileFactors factors;
  factors.a = read_registers(lowering, operands[1], types->a);
  factors.b = read_registers(lowering, operands[2], types->b);
  if (layout.transposed) std::swap(factors.a, factors.b);
  const std::vector<Value*> c = read_sums(lowering, operands[3], types->c);
  TileProduct product;
  product.a = types->a;
  product.b = types->b;
  product.row_tiles = layout.row_tiles;
  product.column_tiles = layout.column_tiles;
  product.halves = layout.halves;
  product.steps = *steps_of(types->a, depth);
  product.saturate = modifiers.satfinite;
  product.parity = modifiers.atomic == ptx::AtomicOp::Xor;
  if (types->a == MatrixType::B1 && !product.parity && modifiers.atomic != ptx::AtomicOp::And)
    return false;
  write_sums(lowering, operands[0], types->d, multiply_tiles(lowering, product, factors, c));
  return true;
}

}  // namespace

bool emit_wmma(FunctionLowering& lowering, const ptx::Instruction& instruction) {
  const auto form = form_of(instruction.modifiers);
  if (!form || form->actions.empty()) return false;
  if (form->actions[0] == "load") return emit_load(lowering, instruction, *form);
  if (form->actions[0] == "store") return emit_store(lowering, instruction, *form);
  if (form->actions[0] == "mma") return emit_product(lowering, instruction, *form);
  return false;
}

}  // namespace pycuda::cpu::lower
