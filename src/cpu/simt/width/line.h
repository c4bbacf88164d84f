// SPDX-License-Identifier: MIT
// Pass: the threads of a block lie in one row, by their linear index.
#pragma once

#include <cstdint>

namespace llvm {
class Function;
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace pycuda::cpu::simt {

/// Blocks whose threads lie in a line.
enum class Line : std::uint8_t {
  None,      ///< rows are as the launch says
  OnePlane,  ///< ntid.z is 1
  Any,
};

/// Of the thread at `place` of a line, in rows of `width` and planes of `height` rows. Blocks have
/// no more than 1024 threads; for places beyond them the numbers are below 1024, but otherwise
/// anything.
struct PlaceInBlock {
  llvm::Value *x, *y, *z;
};
PlaceInBlock place_in_block(llvm::IRBuilderBase& builder, llvm::Value* place, llvm::Value* width,
                            llvm::Value* height, Line line);

/// The block's width that `kernel`, with all its calls inlined, writes as a number in sums such as
/// tid.y * 16 + tid.x; 0: there are no such sums. A sum counts if it is the thread's number: if
/// blocks are counted with it (ctaid.x * 256), or if it is compared with a number, shifted or
/// divided. Others may be indices of an array whose rows are 16 elements apart. Of several numbers,
/// powers of two come first, then small ones.
std::uint32_t literal_block_width(llvm::Function& kernel);

/// Lets a kernel, with all its calls inlined, compute threadIdx from the place in the line. Sums
/// that are the linear index, such as tid.y * ntid.x + tid.x, become that place itself: what they
/// lead to in memory stays consecutive. If `width` is not 0, ntid.x is this.
void lay_in_line(llvm::Function& kernel, Line line, std::uint32_t width);

}  // namespace pycuda::cpu::simt
