// SPDX-License-Identifier: MIT
// What most launches need is a guess: blocks of threads along x are multiples of a gang, those of
// kernels of two dimensions are made of tiles.
#include "cpu/simt/forms.h"

#include <llvm/IR/Module.h>

#include <string>
#include <utility>
#include <vector>

#include "cpu/simt/analysis/suspension.h"
#include "cpu/simt/analysis/warp_sites.h"
#include "cpu/variants/launch_form.h"

namespace pycuda::cpu::simt {
namespace {

/// In a grid of many blocks. Lines are made on demand.
Form form_of_block(KernelFacts facts, const Dim3& block) {
  constexpr std::uint32_t many = 1024;
  facts.most_gang_blocks = {many, many, many};
  const bool one_row = block.y == 1 && block.z == 1;
  if (variants::line_form(facts, block)) return Form::Threads;
  return variants::form_of_launch(facts, {many, one_row ? 1 : many, 1}, block);
}

void erase(llvm::Module& module, const std::string& name) {
  if (llvm::Function* function = module.getFunction(name)) function->eraseFromParent();
}

/// The functions that others of the module call.
std::vector<llvm::Function*> called_functions(llvm::Module& module) {
  std::vector<llvm::Function*> called;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration() && function.hasLocalLinkage() && !function.use_empty())
      called.push_back(&function);
  }
  return called;
}

/// Of `called`, those whose callers are gone.
void erase_unused(std::vector<llvm::Function*> called) {
  for (std::size_t before = 0; before != called.size();) {
    before = called.size();
    std::vector<llvm::Function*> still_called;
    for (llvm::Function* function : called) {
      if (function->use_empty()) {
        function->eraseFromParent();
      } else {
        still_called.push_back(function);
      }
    }
    called = std::move(still_called);
  }
}

}  // namespace

Forms likely_forms(const KernelFacts& facts) {
  if (facts.gang_lanes == 0 || facts.launched_by_kernels || facts.calls_device_runtime())
    return Forms::all();
  if (facts.required_block.x != 0) return form_of_block(facts, facts.required_block);
  if (facts.tile_rows == 0) return Form::Gangs;
  // Blocks of 16 x 16 threads are no whole gangs.
  return facts.fuses_blocks && facts.walks_rows ? Form::Tails : Form::Tiles;
}

Forms kept_forms(const KernelFacts& facts, const std::optional<Forms>& wanted, bool threads_too) {
  Forms forms = wanted.value_or(likely_forms(facts));
  if (!wanted && threads_too) forms = forms | Form::Threads;
  if (forms.are_lines()) return forms;
  if (forms.has(Form::ShortRows)) forms = forms | Form::Tails;
  if (forms.has(Form::SmallTiles)) {
    const bool made = facts.tile_columns == small_tile.x && facts.tile_rows == small_tile.y;
    forms = made ? forms | Form::Tiles : Forms::all();
  }
  if (forms.has(Form::Tails)) forms = forms | Form::Gangs;
  return forms.has(Form::Tiles) && facts.tile_rows == 0 ? Forms::all() : forms;
}

void drop_forms(llvm::Module& module, std::vector<KernelFacts>& kernels,
                const std::optional<Forms>& wanted, bool threads_too) {
  const Suspension suspension(module);
  const auto in_step = functions_in_step(module);
  std::vector<llvm::Function*> called = called_functions(module);
  for (KernelFacts& kernel : kernels) {
    llvm::Function* const threads = module.getFunction("f." + kernel.name);
    if (threads == nullptr || kernel.gang_lanes == 0) continue;
    const Forms forms = kept_forms(kernel, wanted, threads_too);
    // Small tiles are not made of rows either.
    if (wanted && wanted->has(Form::SmallTiles)) kernel.fuses_blocks = false;
    kernel.forms = forms;
    kernel.suspends = suspension.suspends(*threads) || in_step.contains(threads);
    if (!forms.has(Form::Threads)) threads->eraseFromParent();
    if (!forms.have_gangs()) erase(module, "f." + kernel.name + ".gang");
    if (!forms.have_tails()) erase(module, "f." + kernel.name + ".tail");
    if (!forms.has(Form::Tiles)) erase(module, "f." + kernel.name + ".tile");
  }
  erase_unused(std::move(called));
}

}  // namespace pycuda::cpu::simt
