// SPDX-License-Identifier: MIT
// The compiler's other way: an nvcc that is asked for, or that has the host compiler a source
// needs.
#include <utility>

#include "base/read_file.h"
#include "rtc/compile_job.h"
#include "rtc/nvcc.h"

namespace pycuda::rtc {

namespace fs = std::filesystem;

Compiled Compiler::compile_with_nvcc(const CompileRequest& request, Job& job,
                                     const fs::path& nvcc) {
  if (!request.name_expressions.empty()) {
    refuse("instances that are asked for by name, such as " + request.name_expressions.front() +
               ", are compiled by NVRTC alone: with nvcc instantiate them in the source",
           request);
  }
  ScratchFolder folder;
  const bool ptx =
      request.target == Target::Ptx || request.device.is_cpu || (job.asked && !job.asked->real);
  const std::string_view kind = ptx ? "ptx" : extension(request.target);
  std::vector<std::string> command = {nvcc.string(), "--" + std::string(kind)};
  if (request.keep) command.emplace_back("--keep");
  command.insert(command.end(), request.options.begin(), request.options.end());
  if (!request.arch.empty()) {
    command.insert(command.end(), {"-arch", request.arch});
  } else if (!job.options.names_architecture && request.device.capability != 0) {
    command.insert(command.end(), {"-arch", (ptx ? "compute_" : "sm_") +
                                                std::to_string(request.device.capability)});
  }
  if (!request.code.empty()) command.insert(command.end(), {"-code", request.code});
  for (const std::string& include : request.include_folders) command.push_back("-I" + include);
  // A host compiler has its own standard headers: of ours only the first folder, pycuda's, is for
  // it.
  if (!folders_.headers.empty()) command.push_back("-I" + folders_.headers.front().string());
  const std::string output = "kernel." + std::string(kind);
  command.insert(command.end(), {"-o", output, kProgramName});

  write_file(folder.path() / kProgramName, job.source.text);
  auto program = run_program(command, folder.path());
  if (!program) throw CompileError(program.error().message, command, "", "");
  const std::string log = unwrap_log(program->standard_output + program->standard_error);
  std::string image = base::read_file((folder.path() / output).native()).value_or("");
  if (program->exit_status != 0 || image.empty()) {
    throw CompileError("nvcc " + compilation_failed(""), command, program->standard_output,
                       unwrap_log(program->standard_error));
  }
  Compiled compiled;
  compiled.log = log;
  compiled.image = std::make_shared<const std::string>(std::move(image));
  if (request.keep) {
    folder.keep();
    compiled.kept_folder = folder.path();
  }
  return compiled;
}

}  // namespace pycuda::rtc
