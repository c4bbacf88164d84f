// SPDX-License-Identifier: MIT
// What the parts of the compiler share: a request that is understood, and how a refusal reads.
#include "rtc/compile_job.h"

#include <cerrno>
#include <system_error>

#include "base/read_file.h"

namespace pycuda::rtc {

namespace fs = std::filesystem;

std::string_view extension(Target target) {
  switch (target) {
    case Target::Ptx:
      return "ptx";
    case Target::Fatbin:
      return "fatbin";
    case Target::Cubin:
      break;
  }
  return "cubin";
}

std::string compilation_failed(const std::string& why) {
  return std::string("compilation of ") + kProgramName + " failed" +
         (why.empty() ? "" : ": " + why);
}

std::vector<std::string> with_program(std::vector<std::string> options) {
  options.insert(options.begin(), "nvrtc");
  options.emplace_back(kProgramName);
  return options;
}

void refuse(const std::string& why, const CompileRequest& request) {
  throw CompileError(compilation_failed(why), with_program(request.options), "", why);
}

void write_file(const fs::path& path, std::string_view content) {
  if (!base::write_file(path.native(), content))
    throw fs::filesystem_error("cannot write", path, {errno, std::generic_category()});
}

}  // namespace pycuda::rtc
