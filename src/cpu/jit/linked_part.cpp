// SPDX-License-Identifier: MIT
#include "cpu/jit/linked_part.h"

#include <algorithm>

namespace pycuda::cpu::jit {

bool LinkedPart::bind_gangs(Kernel& kernel) const {
  const std::string& name = kernel.facts.name;
  const Forms forms = kernel.facts.forms;
  if (kernel.facts.tile_rows != 0 && forms.has(Form::Tiles)) {
    kernel.run_tiles = reinterpret_cast<BlockFunction>(code_->find(name + ".tiles"));
    if (kernel.run_tiles == nullptr) return false;
  }
  if (!forms.have_gangs()) return true;
  if (!kernel.facts.gangs_suspend) {
    kernel.run_gangs = reinterpret_cast<BlockFunction>(code_->find(name + ".gangs"));
    return kernel.run_gangs != nullptr;
  }
  kernel.start_gang = reinterpret_cast<ThreadFunction>(code_->find(name + ".gang.thread"));
  const bool tails = forms.have_tails();
  if (tails)
    kernel.start_tail = reinterpret_cast<ThreadFunction>(code_->find(name + ".tail.thread"));
  if (kernel.start_gang == nullptr || (tails && kernel.start_tail == nullptr)) return false;
  for (const ThreadFunction start : {kernel.start_gang, kernel.start_tail}) {
    if (start == nullptr) continue;
    ThreadFrame question;
    start(&question, nullptr);
    kernel.gang_bytes = std::max(kernel.gang_bytes, question.scratch);
  }
  return true;
}

/// A coroutine is asked for the size of its frame.
bool LinkedPart::bind_threads(Kernel& kernel) const {
  const KernelFacts& facts = kernel.facts;
  void* const entry = code_->find(facts.name + (facts.suspends ? ".thread" : ".block"));
  if (entry == nullptr) return false;
  if (facts.suspends) {
    kernel.start_thread = reinterpret_cast<ThreadFunction>(entry);
    ThreadFrame question;
    kernel.start_thread(&question, nullptr);
    kernel.coroutine_bytes = question.scratch;
    kernel.bytes_by_stack_limit = question.stack_used;
    kernel.own_stacks = question.detail != 0;
  } else {
    kernel.run_block = reinterpret_cast<BlockFunction>(entry);
  }
  return true;
}

/// Finds the entry points.
base::Result<bool> LinkedPart::bind_kernels(const std::vector<KernelFacts>& all,
                                            Streaming streaming) {
  for (const KernelFacts& facts : all) {
    Kernel kernel;
    kernel.facts = facts;
    if (facts.forms.has(Form::Threads) && !bind_threads(kernel))
      return base::Failure{"the code of kernel '" + facts.name + "' could not be linked"};
    if (facts.gang_lanes != 0 && !bind_gangs(kernel))
      return base::Failure{"the vector code of kernel '" + facts.name + "' could not be linked"};
    if (!facts.streamed.arrays.empty() && !facts.streams) kernel.streaming = streaming;
    kernels_.push_back(std::move(kernel));
  }
  return true;
}

base::Result<std::unique_ptr<LinkedPart>> LinkedPart::link(const CompiledProgram& compiled,
                                                           const Symbols& symbols,
                                                           Streaming streaming) {
  auto code = LinkedObject::link(compiled.object, symbols);
  if (!code) return code.error();
  auto part = std::make_unique<LinkedPart>();
  part->code_ = std::move(*code);
  if (auto bound = part->bind_kernels(compiled.kernels, streaming); !bound) return bound.error();
  return part;
}

Kernel* LinkedPart::find(std::string_view name) {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const Kernel& kernel) { return kernel.facts.name == name; });
  return found == kernels_.end() ? nullptr : &*found;
}

}  // namespace pycuda::cpu::jit
