// SPDX-License-Identifier: MIT
// LLVM's linker for this processor's object files. The general one brings those for all others.
#pragma once

#include <llvm/ExecutionEngine/JITLink/JITLink.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBufferRef.h>

#include <memory>

namespace pycuda::cpu::target {

llvm::Expected<std::unique_ptr<llvm::jitlink::LinkGraph>> link_graph_of(
    llvm::MemoryBufferRef object);
void link(std::unique_ptr<llvm::jitlink::LinkGraph> graph,
          std::unique_ptr<llvm::jitlink::JITLinkContext> context);

}  // namespace pycuda::cpu::target
