// SPDX-License-Identifier: MIT
#include "cpu/exec/service_thread.h"

#include <signal.h>

#include <thread>
#include <utility>

#include "cpu/exec/fork_guard.h"

namespace pycuda::cpu::exec {
namespace {

/// A thread starts with the mask of the one that starts it.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

void start_service_thread(std::function<void()> run) {
  watch_forks();
  const SignalsBlocked blocked;
  std::thread(std::move(run)).detach();
}

}  // namespace pycuda::cpu::exec
