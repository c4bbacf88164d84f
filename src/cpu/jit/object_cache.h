// SPDX-License-Identifier: MIT
// Compiled modules on disk, beside the PTX they came from in spirit: keyed by everything that
// decides the code.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cpu/jit/image.h"
#include "cpu/jit/parts.h"
#include "cpu/jit/program.h"
#include "cpu/ptx/diagnostic.h"

namespace pycuda::cpu::jit {

/// All that loading needs: what the disk cache keeps. Of a module that is compiled by parts there
/// is one without object code, and one without variables for each part that was ever asked for.
struct CompiledProgram {
  std::vector<KernelFacts> kernels;
  std::vector<VariableImage> images;
  std::vector<Part> parts;  ///< empty: `object` has all kernels
  bool is_large = false;    ///< the parts are compiled with Options::quick
  bool on_demand = false;   ///< `object` has the forms alone that most launches need
  std::string object;
};
using Code = base::Result<std::shared_ptr<const CompiledProgram>, ptx::Diagnostics>;

/// Of the kernel of this name, or null.
const KernelFacts* find_facts(const CompiledProgram& code, std::string_view kernel);

/// Stands for a PTX text in keys.
std::string text_digest(std::string_view ptx_text);
/// Of what these options make of a text: of the text, the options, the processor, LLVM's version,
/// the frames' version and this library's own build.
std::string cache_key(const std::string& text_digest, const Options& options);
/// What these options make of a text, kept under its key in the folder that they name. Null when it
/// is not there, or damaged, or if there is no folder.
std::shared_ptr<const CompiledProgram> read_cached(const std::string& text_digest,
                                                   const Options& options);
/// A failure to write does not fail the compilation: silent.
void write_cached(const std::string& text_digest, const Options& options,
                  const CompiledProgram& program);

}  // namespace pycuda::cpu::jit
