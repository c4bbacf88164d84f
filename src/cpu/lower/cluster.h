// SPDX-License-Identifier: MIT
// Instructions that concern other blocks of the cluster.
#pragma once

#include "cpu/ptx/module.h"

namespace llvm {
class Value;
}

namespace pycuda::cpu::lower {

class FunctionLowering;

/// How the functions of kernel_abi/clusters.h begin. Threads that call one are scheduled one by
/// one: the other blocks of the cluster must be there.
inline constexpr const char* cluster_call_prefix = "pycuda_cpu_cluster_";

/// Has the thread call one of them, for instructions that do not otherwise.
void use_cluster(FunctionLowering& lowering);
/// The host pointer of an address of .shared::cluster, an i32.
llvm::Value* cluster_pointer(FunctionLowering& lowering, llvm::Value* address);
/// mapa d, address, rank and getctarank d, address
bool emit_cluster_rank(FunctionLowering& lowering, const ptx::Instruction& instruction);
/// cvta between .shared::cluster and generic addresses.
bool emit_cluster_cvta(FunctionLowering& lowering, const ptx::Instruction& instruction);
/// isspacep.shared::cluster
bool emit_is_in_cluster(FunctionLowering& lowering, const ptx::Instruction& instruction);

}  // namespace pycuda::cpu::lower
