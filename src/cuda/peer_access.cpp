// SPDX-License-Identifier: MIT
// Peer access from the thread's context.
#include "cuda/peer_access.h"

#include "cuda/context_stack.h"

namespace pycuda::cuda {

void enable_peer_access(const Context& peer, unsigned int flags) {
  require_context()->driver().cuCtxEnablePeerAccess(peer.handle(), flags);
}

void disable_peer_access(const Context& peer) {
  require_context()->driver().cuCtxDisablePeerAccess(peer.handle());
}

}  // namespace pycuda::cuda
