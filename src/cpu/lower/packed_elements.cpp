// SPDX-License-Identifier: MIT
#include "cpu/lower/packed_elements.h"

namespace pycuda::cpu::lower {

llvm::Value* part_of(FunctionLowering& lowering, llvm::Value* words, unsigned offset,
                     unsigned bits) {
  llvm::IRBuilder<>& b = lowering.builder();
  llvm::Value* word = b.CreateExtractValue(words, offset / 64);
  return b.CreateTrunc(b.CreateLShr(word, offset % 64), lowering.int_type(bits));
}

std::array<llvm::Value*, 2> packed_elements(FunctionLowering& lowering,
                                            const std::vector<ptx::Operand>& elements,
                                            unsigned bits) {
  llvm::IRBuilder<>& b = lowering.builder();
  std::array<llvm::Value*, 2> words{b.getInt64(0), b.getInt64(0)};
  unsigned offset = 0;
  for (const ptx::Operand& element : elements) {
    llvm::Value* value = b.CreateZExt(lowering.read_bits(element, bits), b.getInt64Ty());
    llvm::Value*& word = words[offset / 64];
    word = b.CreateOr(word, b.CreateShl(value, offset % 64));
    offset += bits;
  }
  return words;
}

}  // namespace pycuda::cpu::lower
