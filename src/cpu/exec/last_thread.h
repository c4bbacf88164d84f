// SPDX-License-Identifier: MIT
// The end of a program: its last thread only destroys objects, and must not wait for values that
// nothing is left to write.
#pragma once

namespace pycuda::cpu::exec {

/// From now on the calling thread is (or is no longer) the only one that runs the program's code.
void set_last_thread(bool last);

/// Made by a thread that waits for queued work.
class [[nodiscard]] LastThreadWait {
 public:
  LastThreadWait();
  LastThreadWait(const LastThreadWait&) = delete;
  LastThreadWait& operator=(const LastThreadWait&) = delete;
  ~LastThreadWait();

 private:
  const bool counts_;
};

/// Whether the last thread waits now. Then only what is queued can still change memory, and other
/// processes.
bool last_thread_waits();

}  // namespace pycuda::cpu::exec
