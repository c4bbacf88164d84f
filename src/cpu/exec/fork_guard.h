// SPDX-License-Identifier: MIT
// Knows whether this process is the child of a fork: the workers did not come along.
#pragma once

namespace pycuda::cpu::exec {

/// True in a child forked after the executor was first used. Nothing of the executor works there;
/// every call of it returns at once. Cheap; any thread.
bool forked();

/// From now on a fork makes `forked()` true in the child. Called by whatever starts a thread.
void watch_forks();

}  // namespace pycuda::cpu::exec
