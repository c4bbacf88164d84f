// SPDX-License-Identifier: MIT
// The pipeline's steps towards vector forms that are more than one call. stages.cpp has their
// order.
#pragma once

#include <llvm/IR/Function.h>

#include <vector>

#include "cpu/jit/step.h"

namespace pycuda::cpu::jit {

/// Copies the kernels that may become vectors to Compilation::variants; others are marked for
/// later, or their facts say why not.
void copy_kernels(const Subject& subject);
/// Brings the variants' divergent copies into Ir::Structured; the uniform ones; those of
/// Compilation::divided.
void structure_divergent_copies(const Subject& subject);
void structure_uniform_copies(const Subject& subject);
void structure_divided_copies(const Subject& subject);
/// Promotes what loops of the variant access, in the copy that most gangs run.
void promote_accesses(const Subject& subject);
/// Rolls one loop of each variant at a time, until none is left, and structures what changed.
void reroll(const Subject& subject);
/// Versions one quotient of each variant at a time, likewise. Sets Compilation::divided.
void version_uniform_quotients(const Subject& subject);
void version_divided_branches(const Subject& subject);
void widen(const Subject& subject);
void drop_unwanted_forms(const Subject& subject);

/// The vector forms' functions that exist, kernel by kernel.
std::vector<llvm::Function*> vector_forms(Compilation& all);
void clean_vector_forms(const Subject& subject);
/// Finds the stores that may be non-temporal, and in the form for streaming makes them so.
void mark_nontemporal_stores(const Subject& subject);

}  // namespace pycuda::cpu::jit
