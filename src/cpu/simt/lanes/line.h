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

/// Lets a kernel, with all its calls inlined, compute threadIdx from the place in the line. Sums
/// that are the linear index, such as tid.y * ntid.x + tid.x, become that place itself: what they
/// lead to in memory stays consecutive.
void lay_in_line(llvm::Function& kernel, Line line);

}  // namespace pycuda::cpu::simt
