// SPDX-License-Identifier: MIT
// What is done to numbers: passes over kernels, gangs and finished vector code.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Instructions.h>

#include "cpu/target/divider_costs.h"

namespace pycuda::cpu::simt {

/// Square roots by multiplication, where divisions keep the processor's one divider busy. Replaces
/// llvm.sqrt of vectors of f32, and divisions of 1 by them, in blocks of `gang` that would wait for
/// the divider, by steps of Newton's method and a last one that rounds correctly: the same bits. As
/// many as bring divider and multipliers into balance, where `costs` allow it register by register.
/// Roots of numbers for which a step could leave the range of normal numbers stay with the divider.
/// For a target::Processor with `divider`. Better late than early: passes that move code into the
/// blocks where it is used would undo the mixture.
void relieve_divider(llvm::Function& gang, const target::DividerCosts& costs);

/// Moves what an instruction is computed from ahead of another in its block. All that `user` needs
/// is computed before `place`, an instruction before it in its block, if that cannot be observed
/// from the outside and nothing of it `must_stay`; else all is left where it is.
void compute_ahead(llvm::Instruction& user, llvm::Instruction& place,
                   llvm::function_ref<bool(const llvm::Instruction&)> must_stay);

/// Whether `call` calls one of lower's functions for the smaller or larger of two numbers.
bool is_extremum(const llvm::CallInst& call);

/// Replaces these calls in `function` by the shortest code that is exact. Where one operand is
/// never NaN, as constants are, and the signs of zeros cannot matter, a comparison and a choice are
/// all: one instruction of any processor. With `native`, one native operation does the rest, which
/// takes numbers that may be signalling NaNs through another one. Comes after whatever makes NaNs
/// canonical, or no longer: which NaN an operand is must not change any more.
void expand_extrema(llvm::Function& function, bool native);

/// Negations that fused products do by themselves. PTX negates doubles but quiets NaNs, which takes
/// three instructions. In an operand of llvm.fma none is needed where the processor has fused
/// products that subtract: they take an operand's NaN as it is and quiet it. Puts the negation
/// beside the product, where instruction selection finds it; so no pass that moves code may follow.
/// For processors with such instructions; the caller has asked.
void fuse_negations(llvm::Function& function);

/// NaNs are made canonical only where their bits can be observed. The lowering makes the NaN of
/// every f32 result canonical. Only stores, moves to integers, calls and so on can distinguish
/// NaNs; comparisons cannot, and arithmetic hands the question on to the users of its result, as
/// moves of vectors' lanes do. What can be observed stays the same to the bit. All say whether they
/// have changed anything.
///
/// Removes the selects `isnan(x) ? NaN : x` whose effect is not observed.
bool drop_unseen_payloads(llvm::Function& function);
/// Gives each reader that cannot tell x instead of the select, also where others can: so that both
/// stay alive. Comes after recognise_math, which knows no sequences that read both.
bool bypass_unseen_payloads(llvm::Function& function);

/// A choice between values that have been made canonical is made canonical itself, once.
bool canonicalise_behind_choices(llvm::Function& function);

/// Arithmetic on bytes and halves is done in as few bits as hold its results. A thread's registers
/// have 32 or 64 bits at no cost, and LLVM prefers 64; a vector's lanes are as many as they are
/// narrow. What can be proved to stay within 16 bits (of 64: within 32), signed or not, is computed
/// there: sums, products, shifts, bits, minima and maxima, and quotients by constants, also where
/// the compiler made multiplications of them. Returns how many operations became narrow. No pass
/// that widens scalars again may follow.
unsigned narrow_integers(llvm::Function& function);

/// In functions that lower::let_processor_flush marks: flushes in code what is compared and may
/// turn out to be a constant. LLVM drops marks from what is compared, and some of its passes
/// compare constants as if nothing were flushed. To be run before the passes that find such
/// constants.
void flush_compared_constants(llvm::Module& module);

/// In a function that lower::let_processor_flush marks: removes each llvm.canonicalize of what an
/// operation has flushed already, or that only operations read which flush their operands, and
/// makes code of the others. To be run last: nothing may fold arithmetic after it.
void leave_flushes_to_processor(llvm::Function& function);

/// Errors of the processor's flushing are corrected in separate code, which hardly ever runs.
/// Products and sums of kernels that run with the processor's flushing (lower/processor_flushes.h)
/// are wrong only where one comes out as the least normal number. Where several of `gang`'s vectors
/// follow each other without effects that anyone could see, they are computed as if that did not
/// happen; then one test of all of them decides whether they are computed again with their repairs.
/// Before native operations are selected: repairs are known by
/// target::NativeOperation::SumTowardZero.
void put_repairs_aside(llvm::Function& gang);

/// Reciprocals that CUDA's functions of doubles refine from a seed become quotients. Two steps from
/// a seed of 20 bits give a reciprocal that is right to 60 bits before it is rounded; the quotient
/// is not less exact, and here the seed is a quotient anyway. Where number and reciprocal are not
/// known to be normal the sequence stays behind a test, for all other numbers. Before approximate
/// functions are expanded. Returns how many it found.
unsigned divide_for_reciprocals(llvm::Function& function);

/// What has been flushed, or cannot be subnormal, is not flushed again. Before: lower's output,
/// cleaned up, whose approximations are calls. Each operation with .ftz flushes its operands and
/// its result; results of others, and sums of such results round a loop, are taken as they are, and
/// so are sums with a constant that is not small, which are never subnormal. What is added to such
/// constants alone is not flushed either.
void drop_repeated_flushes(llvm::Function& function);

/// What llvm.fptosi.sat and llvm.fptoui.sat of
/// vectors give: NaN becomes 0, what is too large or too small the largest or smallest integer.
/// LLVM 19 does those lane by lane.
llvm::Value* convert_saturating(llvm::IRBuilder<>& b, llvm::Value* value, llvm::Type* integers,
                                bool is_signed);

/// f64 to i32 as PTX has it, NaN becoming the least integer, is one native operation for
/// vectors once numbers that are too large have been cut down; f32 to i32 is one but for those and
/// NaN, its rounding to the nearest included. For processors that have it: calls
/// of native operations (target/native_operations.h) instead of what is chosen by comparisons. The
/// same bits.
void convert_natively(llvm::Function& function);

/// Vectors divided by what is the same for all their lanes are multiplied instead. With z = 1 / y
/// rounded to nearest, q = x z rounded, and what q lacks, x - q y (exact in one fused operation),
/// times z added to it, is x / y rounded to nearest:
///  - of f32 for every x and y. What is added is off by no more than 3 / 2^25 units in the last
///    place of q, so that only quotients as near to the middle of two numbers could be wrong; of
///    those, 23 million pairs of mantissas, each was tried.
///  - of f64 after a second such step: q is within 1 / 2 + 2^-52 units before it, what is added is
///    off by less than the distance of every quotient from such a middle, unless y's mantissa is
///    all ones, and such a y is divided by.
/// Divisions in `function` are done so where that relieves a divider that is the bottleneck of its
/// block, and z is known before the loop that divides. Vectors in which a lane is not zero and so
/// large or small that a step could leave the normal numbers (infinities and NaN among them) take
/// the divider, and so do all with a divisor that is negative or not of ordinary size: the bits are
/// those of the division always. For code that subnormal numbers are not flushed in, or where the
/// range sees to it that none arise; for a target::Processor with `divider`.
/// Late: after loops are as they will be. Returns how many divisions it replaced.
unsigned multiply_by_reciprocals(llvm::Function& function, const target::DividerCosts& costs);

/// Quotients of 32-bit integers by constants become divisions again. Compilers write them as
/// products with the upper half shifted, and signed quotients by powers of two as shifts of sums;
/// as divisions, gangs can agree on them (versioning/versioning_passes.h), and instruction
/// selection writes them as products again. What is not the same for all dividends, or all that can
/// occur, is left. After recognise_math, some of whose functions have such products. Whether there
/// were any.
bool recover_divisions(llvm::Function& function);

/// Integers of more than 64 bits in parts of 64, which have a vector form. Products of which the
/// upper half is wanted, and sums that keep their carry, are computed in up to 128 bits. Does
/// nothing if `function` has an instruction on such numbers that is not among those that occur
/// there.
void split_wide_integers(llvm::Function& function);

}  // namespace pycuda::cpu::simt
