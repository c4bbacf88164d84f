// SPDX-License-Identifier: MIT
// NVIDIA's compiler driver run as a program, for those who ask for it and for sources with host
// code.
#include "rtc/nvcc.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/read_file.h"

namespace pycuda::rtc {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) { return base::read_file(path.native()).value_or(""); }

}  // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (fs::temp_directory_path() / "pycuda-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw fs::filesystem_error("no temporary folder can be made", name,
                               std::error_code(errno, std::generic_category()));
  }
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  if (kept_) return;
  std::error_code error;
  fs::remove_all(path_, error);
}

base::Result<ProgramOutput> run_program(const std::vector<std::string>& command,
                                        const fs::path& folder) {
  const ScratchFolder outputs;
  const std::string output = (outputs.path() / "stdout").string();
  const std::string error = (outputs.path() / "stderr").string();

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  ::posix_spawn_file_actions_addopen(&actions, 2, error.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (const std::string& argument : command)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  // Ctrl-C and kill reach the program whatever the calling thread blocks.
  posix_spawnattr_t attributes;
  sigset_t none;
  ::sigemptyset(&none);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  const int status =
      ::posix_spawnp(&child, arguments.front(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (status != 0) {
    return base::Failure{"error invoking '" + command.front() + "': " + std::strerror(status)};
  }
  int wait_status = 0;
  while (::waitpid(child, &wait_status, 0) < 0) {
    if (errno != EINTR)
      return base::Failure{"lost track of '" + command.front() + "': " + std::strerror(errno)};
  }
  ProgramOutput result;
  result.exit_status =
      WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  result.standard_output = content_of(output);
  result.standard_error = content_of(error);
  return result;
}

}  // namespace pycuda::rtc
