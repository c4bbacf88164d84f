// SPDX-License-Identifier: MIT
// Copies of many bytes at once.
#pragma once

#include <optional>

#include "cpu/kernel_abi/bulk_copies.h"
#include "cpu/ptx/module.h"

namespace llvm {
class Value;
}

namespace pycuda::cpu::lower {

class FunctionLowering;

/// cp.async.bulk and cp.reduce.async.bulk. False if the form is not supported.
bool emit_bulk_copy(FunctionLowering& lowering, const ptx::Instruction& instruction);

/// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor.
bool emit_tensor_copy(FunctionLowering& lowering, const ptx::Instruction& instruction);

/// The host pointer of an address of such a copy; `in_cluster`: of .shared::cluster.
llvm::Value* bulk_pointer(FunctionLowering& lowering, const ptx::Operand& address, ptx::Space space,
                          bool in_cluster);
/// The operation of a reduction.
std::optional<BulkOperation> bulk_operation_of(const ptx::Modifiers& modifiers);
/// What it reduces.
std::optional<BulkType> bulk_type_of(ptx::Type type);

/// Of st.async and red.async, after what they store: the barrier, operand number 2, counts
/// `bytes` bytes.
bool emit_bulk_completion(FunctionLowering& lowering, const ptx::Instruction& instruction,
                          std::uint32_t bytes);

}  // namespace pycuda::cpu::lower
