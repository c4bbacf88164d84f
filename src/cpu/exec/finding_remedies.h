// SPDX-License-Identifier: MIT
// What to do about a finding.
#pragma once

#include <string>

#include "cpu/exec/finding_situation.h"
#include "cpu/exec/findings.h"

namespace pycuda::cpu::exec {

/// A sentence without a capital or a stop; empty if that depends on the program.
std::string remedy_of(const Finding& finding, const FindingSituation& situation = {});

}  // namespace pycuda::cpu::exec
