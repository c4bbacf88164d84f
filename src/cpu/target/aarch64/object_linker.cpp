// SPDX-License-Identifier: MIT
#include "cpu/target/object_linker.h"

#include <llvm/ExecutionEngine/JITLink/ELF_aarch64.h>

#include <utility>

namespace pycuda::cpu::target {

llvm::Expected<std::unique_ptr<llvm::jitlink::LinkGraph>> link_graph_of(
    llvm::MemoryBufferRef object) {
  return llvm::jitlink::createLinkGraphFromELFObject_aarch64(object);
}

void link(std::unique_ptr<llvm::jitlink::LinkGraph> graph,
          std::unique_ptr<llvm::jitlink::JITLinkContext> context) {
  llvm::jitlink::link_ELF_aarch64(std::move(graph), std::move(context));
}

}  // namespace pycuda::cpu::target
