// SPDX-License-Identifier: MIT
// The names of the pseudo functions: operations that scalar IR leaves open for the simt stage.
//
// Every one takes `ptr %thread` first. `simt` replaces all of them; none is left when code is
// emitted. Those marked (suspends) are where a thread may wait for others; they are convergent and
// noduplicate.
#pragma once

namespace pycuda::cpu::lower::pseudo {

// i32 (ptr): special registers, pure.
inline constexpr const char* sreg_prefix =
    "ptx.sreg.";  // tid.x ... ntid.x ... ctaid.x ... nctaid.x ... laneid warpid
                  // nwarpid smid nsmid lanemask.eq/le/lt/ge/gt dynamic_smem_size
                  // total_smem_size; i64: gridid; i32: envreg.N
// ptr (ptr): address 0 of the block's shared window; pure. i32 (ptr): address of dynamic shared
// memory in it; pure.
inline constexpr const char* shared_base = "ptx.shared.base";
inline constexpr const char* dynamic_shared_offset = "ptx.shared.dynamic";
// ptr (ptr): the kernel's parameters; pure.
inline constexpr const char* params = "ptx.params";

// void (ptr, i64 tested, i64 address, i64 mask): the thread faults at `address` (a misaligned
// access) unless `tested` has no bit of `mask`. Not named like the others: it is not a value, it
// happens where it stands, for each thread that gets there. Touches no memory that code can see.
inline constexpr const char* check_alignment = "check.alignment";

// Not pseudo functions, but calls of the executor (kernel_abi/checks.h, runtime_calls.h) that
// vector code makes in its own way.
inline constexpr const char* check_access = "pycuda_cpu_check_access";
inline constexpr const char* note_access = "pycuda_cpu_note_access";
inline constexpr const char* note_read = "pycuda_cpu_note_read";
inline constexpr const char* note_barrier = "pycuda_cpu_note_barrier";
inline constexpr const char* note_passed = "pycuda_cpu_note_passed";
inline constexpr const char* note_fence = "pycuda_cpu_note_fence";

// Not a function: an attribute of functions that may call themselves, how many bytes a call counts
// against the limit of stacks.
inline constexpr const char* metered_frame = "ptx-metered-frame";

// Not functions: attributes of calls of warp_op whose masks are checked, and of those that order
// what lanes do where races are looked for.
inline constexpr const char* checked_operation = "ptx-checked";
inline constexpr const char* ordering_operation = "ptx-ordering";

// Functions of the module, and not of a thread. iN (ptr, iN operand): an atomic update that LLVM
// has no instruction for; gives the old value. iN (iN old, iN operand), pure, the same name
// otherwise: what it makes of the old value.
inline constexpr const char* update_prefix = "update.";
inline constexpr const char* change_prefix = "change.";

// Functions of the module, and not of a thread, where Options::rounds_operations. <prefix>rz, rm or
// rp, then .f32 or .f64: T (T a, T b, T c), pure: a * b + c, rounded toward zero, down or up.
inline constexpr const char* rounded_sum_prefix = "native.rounded-sum-";

// Not a function: how many bytes a variable of the module has, an attribute of it; and of a kernel,
// how many bytes of parameters can be read.
inline constexpr const char* variable_bytes = "ptx-bytes";
inline constexpr const char* parameter_bytes = "ptx-parameter-bytes";

// (suspends) void (ptr, i32 id, i32 count or 0)
inline constexpr const char* barrier_sync = "ptx.barrier.sync";
inline constexpr const char* barrier_arrive = "ptx.barrier.arrive";
// (suspends) i32 (ptr, i32 id, i32 count or 0, i32 predicate, i32 BarrierReduce)
inline constexpr const char* barrier_reduce = "ptx.barrier.red";
// (suspends) {i64, i64} (ptr, i32 WarpOp, i32 member mask, i64 operand0, i64 operand1, i64
// operand2): all warp operations, operands and results as kernel_abi's WarpOp says. The operation's
// kind is a constant.
inline constexpr const char* warp_op = "ptx.warp";
// (suspends) void (ptr): a spin-wait lets others run; at back edges of loops that read volatile,
// atomic or acquiring memory, and at nanosleep.
inline constexpr const char* yield = "ptx.yield";
// (suspends, does not return) void (ptr): the thread ends.
inline constexpr const char* exit = "ptx.exit";

}  // namespace pycuda::cpu::lower::pseudo
