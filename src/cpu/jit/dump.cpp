// SPDX-License-Identifier: MIT
#include "cpu/jit/dump.h"

#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <system_error>

#include "base/env.h"
#include "cpu/jit/stages.h"

namespace pycuda::cpu::jit {
namespace {

constexpr const char* variable = "PYCUDA_CPU_DUMP";

DumpRequest read_request() {
  const auto text = base::environment(variable);
  if (!text || text->empty()) return {};
  const std::vector<std::string_view> names = step_names();
  DumpRequest request = parse_dump(*text, names);
  if (request.unknown.empty()) return request;
  std::string list;
  for (const std::string_view name : names) list.append(list.empty() ? "" : ", ").append(name);
  base::refuse_environment(variable, *text,
                           "a folder, or \"step:\" and names, separated by commas, of these steps: "
                           "all, " +
                               list,
                           "none (there is no step \"" + request.unknown + "\")");
  return request;
}

const DumpRequest& request() {
  static const DumpRequest read = read_request();
  return read;
}

/// The dump's number of its name, in the folder; refuses a folder that cannot be written.
template <class Code>
void write_file(const char* name, const Code& code) {
  static std::atomic<int> count{0};
  const std::string& folder = request().folder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  llvm::raw_fd_ostream file(folder + "/" + std::to_string(count++) + "-" + name + ".ll", error);
  if (error) {
    base::refuse_environment(variable, folder, "a folder that can be written to",
                             "none (" + error.message() + ")");
    return;
  }
  code.print(file, nullptr);
}

bool is_asked_for(const char* step) {
  const DumpRequest& asked = request();
  return asked.all_steps ||
         std::find(asked.steps.begin(), asked.steps.end(), step) != asked.steps.end();
}

template <class Code>
void write_step(const char* step, const Code& code) {
  if (!is_asked_for(step)) return;
  if (!request().folder.empty()) return write_file(step, code);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "; after " << step << ":\n";
  code.print(stream, nullptr);
  llvm::errs() << stream.str();
}

}  // namespace

DumpRequest parse_dump(std::string_view text, std::span<const std::string_view> step_names) {
  constexpr std::string_view of_steps = "step:";
  DumpRequest request;
  if (!text.starts_with(of_steps)) {
    request.folder = text;
    request.stages = true;
    return request;
  }
  text.remove_prefix(of_steps.size());
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    request.folder = text.substr(colon + 1);
    text = text.substr(0, colon);
  }
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    if (name == "all") {
      request.all_steps = true;
    } else if (std::find(step_names.begin(), step_names.end(), name) != step_names.end()) {
      request.steps.emplace_back(name);
    } else {
      DumpRequest none;
      none.unknown = name.empty() ? "(empty)" : name;
      return none;
    }
    if (comma == std::string_view::npos) return request;
    text.remove_prefix(comma + 1);
  }
}

void dump(const char* stage, const llvm::Module& module) {
  if (request().stages) write_file(stage, module);
}

bool dumps_steps() { return request().all_steps || !request().steps.empty(); }

void dump_step(const char* step, const llvm::Module& module) { write_step(step, module); }

void dump_step(const char* step, const llvm::Function& function) {
  if (function.isDeclaration()) return;
  write_step(step, function);
}

}  // namespace pycuda::cpu::jit
