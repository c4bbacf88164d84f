// SPDX-License-Identifier: MIT
// Addresses of .local, .const and .param in 32 bits. On a GPU these spaces are windows of less than
// 4 GiB. Here their variables lie where the host's memory has room, and what a program keeps in 32
// bits is the lower half of a pointer. The upper half is that of the variable which the address
// lies in; an address that lies in none faults.
#include "cpu/lower/function_lowering.h"

namespace pycuda::cpu::lower {

namespace {

/// Where no host memory is: an access there is reported as one to an illegal address.
constexpr std::uint64_t nowhere = std::uint64_t{0x4000} << 32;

/// More comparisons than this an access is not worth.
constexpr std::size_t most_pieces = 64;

}  // namespace

bool FunctionLowering::is_narrow(const ptx::Operand& address, ptx::Space space) const {
  if (!address.has_register_base) return false;
  const bool is_window =
      space == ptx::Space::Local || space == ptx::Space::Const || space == ptx::Space::Param;
  return is_window && ptx::bits_of(source_.registers[address.reg].type) < 64;
}

std::vector<FunctionLowering::Piece> FunctionLowering::pieces_of(ptx::Space space) {
  std::vector<Piece> pieces;
  if (space == ptx::Space::Const) {
    const std::vector<ptx::Variable>& variables = module_.source().variables;
    for (std::uint32_t i = 0; i < variables.size(); ++i) {
      if (variables[i].space == space) pieces.push_back({module_.variable(i), variables[i].bytes});
    }
    return pieces;
  }
  for (std::uint32_t i = 0; i < source_.variables.size(); ++i) {
    if (source_.variables[i].space == space)
      pieces.push_back({variables_[i], source_.variables[i].bytes});
  }
  if (space != ptx::Space::Param) return pieces;
  const auto add = [&](const std::vector<ptx::Parameter>& list,
                       const std::vector<llvm::Value*>& memory) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_register) pieces.push_back({memory[i], list[i].bytes});
    }
  };
  add(source_.parameters, parameters_);
  add(source_.returns, returns_);
  return pieces;
}

llvm::Value* FunctionLowering::narrow_pointer(const ptx::Operand& address, ptx::Space space) {
  const std::vector<Piece> pieces = pieces_of(space);
  if (pieces.empty() || pieces.size() > most_pieces) {
    fail("has an address of 32 bits in ." + std::string(ptx::name_of(space)) +
         ", which the CPU driver supports for up to " + std::to_string(most_pieces) +
         " variables that the function names; here are " + std::to_string(pieces.size()));
    return llvm::ConstantPointerNull::get(builder_.getPtrTy());
  }
  ptx::Operand reg = address;
  reg.kind = ptx::Operand::Kind::Register;
  llvm::Value* low = read_bits(reg, 32);
  llvm::Type* word = builder_.getInt32Ty();
  llvm::Value* result = builder_.CreateIntToPtr(
      builder_.CreateOr(builder_.CreateZExt(low, builder_.getInt64Ty()), nowhere),
      builder_.getPtrTy());
  for (const Piece& piece : pieces) {
    llvm::Value* start = builder_.CreatePtrToInt(piece.memory, builder_.getInt64Ty());
    llvm::Value* offset = builder_.CreateSub(low, builder_.CreateTrunc(start, word));
    llvm::Value* inside =
        builder_.CreateICmpULT(offset, builder_.getInt32(static_cast<std::uint32_t>(piece.bytes)));
    llvm::Value* there = builder_.CreateGEP(builder_.getInt8Ty(), piece.memory,
                                            builder_.CreateZExt(offset, builder_.getInt64Ty()));
    result = builder_.CreateSelect(inside, there, result);
  }
  return result;
}

}  // namespace pycuda::cpu::lower
