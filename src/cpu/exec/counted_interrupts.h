// SPDX-License-Identifier: MIT
// Counts the SIGINTs that a program with a handler of its own gets while it waits.
#pragma once

#include <cstdint>

namespace pycuda::cpu::exec {

/// A handler for SIGINT before the program's own, which it calls: installed by the first wait of
/// many, and removed when the program has not waited for a while and nothing runs, because two
/// system calls in each wait would cost as much as a small launch. A program without a handler gets
/// none: the signal then ends the process, or is ignored. All functions may be called from any
/// thread.
namespace counted_interrupts {

/// Counts by the number that is at `waits` when a signal comes, from the next `expect` on.
void count_by(const unsigned long long* waits);
/// At the beginning of a wait, whose number the calling thread has stored: every signal is counted
/// when this returns. If the program has set another handler since the last wait, then only from
/// the next `look` on.
void expect();
/// Finds a handler that the program has set meanwhile. A system call.
void look();
/// Restores the program's handler if its wait still has the number `seen`, which is that of none.
void retire(unsigned long long seen);
/// The signals that came in the latest wait that any came in, if that is `wait`; otherwise 0.
std::uint8_t count_in(unsigned long long wait);

/// Counts one in `wait` that came in another way.
void add(unsigned long long wait);

/// All that came, in waits and outside.
std::uint64_t count();
/// The first `count` of them concern nothing that runs any more.
void settle(std::uint64_t count);
/// Whether one of the others came.
bool any_unsettled();

}  // namespace counted_interrupts
}  // namespace pycuda::cpu::exec
