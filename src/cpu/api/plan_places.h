// SPDX-License-Identifier: MIT
// Lines in a kernel's plan, as messages name them.
#pragma once

#include <string>
#include <vector>

namespace pycuda::cpu::api {

/// The plan's text with the user's places instead of the compiler's: "program.py:12" or "line 6 of
/// the cell" for "kernel.cu:5". Columns stay at least two blanks apart. `code` as in
/// exec::find_source_line, `files` are the names of the PTX's files. Lines of sources that the
/// package generates stay as they are: they are in no file of the user's.
std::string with_places(const std::string& plan, const void* code,
                        const std::vector<std::string>& files);

}  // namespace pycuda::cpu::api
