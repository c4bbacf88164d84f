// SPDX-License-Identifier: MIT
// NVIDIA's run-time compiler: a library opened at run time, and one call to compile with it.
#include "rtc/nvrtc.h"

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

#include "rtc/stack_limit.h"

namespace pycuda::rtc {
namespace {

template <class Function>
bool resolve(const base::DynamicLibrary& library, const char* name, Function*& slot) {
  slot = library.function<Function>(name);
  return slot != nullptr;
}

/// Fills the table; the name of the first function that is missing, or null.
const char* fill(NvrtcTable& table, const base::DynamicLibrary& library) {
  if (!resolve(library, "nvrtcGetErrorString", table.get_error_string))
    return "nvrtcGetErrorString";
  if (!resolve(library, "nvrtcVersion", table.version)) return "nvrtcVersion";
  if (!resolve(library, "nvrtcCreateProgram", table.create_program)) return "nvrtcCreateProgram";
  if (!resolve(library, "nvrtcDestroyProgram", table.destroy_program)) return "nvrtcDestroyProgram";
  if (!resolve(library, "nvrtcCompileProgram", table.compile_program)) return "nvrtcCompileProgram";
  if (!resolve(library, "nvrtcGetProgramLogSize", table.get_program_log_size))
    return "nvrtcGetProgramLogSize";
  if (!resolve(library, "nvrtcGetProgramLog", table.get_program_log)) return "nvrtcGetProgramLog";
  if (!resolve(library, "nvrtcGetPTXSize", table.get_ptx_size)) return "nvrtcGetPTXSize";
  if (!resolve(library, "nvrtcGetPTX", table.get_ptx)) return "nvrtcGetPTX";
  if (!resolve(library, "nvrtcGetCUBINSize", table.get_cubin_size)) return "nvrtcGetCUBINSize";
  if (!resolve(library, "nvrtcGetCUBIN", table.get_cubin)) return "nvrtcGetCUBIN";
  if (!resolve(library, "nvrtcGetNumSupportedArchs", table.get_num_supported_archs)) {
    return "nvrtcGetNumSupportedArchs";
  }
  if (!resolve(library, "nvrtcGetSupportedArchs", table.get_supported_archs))
    return "nvrtcGetSupportedArchs";
  resolve(library, "nvrtcSetPCHHeapSize", table.set_pch_heap_size);
  resolve(library, "nvrtcInstallBundledHeaders", table.install_bundled_headers);
  if (!resolve(library, "nvrtcGetLoweredName", table.get_lowered_name) ||
      !resolve(library, "nvrtcAddNameExpression", table.add_name_expression)) {
    table.add_name_expression = nullptr;
  }
  return nullptr;
}

/// NVRTC looks for its builtins by name, and LD_LIBRARY_PATH or the loader's cache may name those
/// of a toolkit first: another build of the same version. A name that is open already is not looked
/// for. Where the file is not in NVRTC's own folder, NVRTC's search decides and reports.
void open_own_builtins(const NvrtcTable& table) {
  namespace fs = std::filesystem;
  int major = 0;
  int minor = 0;
  if (table.version(&major, &minor) != 0) return;
  const fs::path own = base::library_of(reinterpret_cast<const void*>(table.version));
  const fs::path builtins = own.parent_path() / ("libnvrtc-builtins.so." + std::to_string(major) +
                                                 "." + std::to_string(minor));
  if (auto library = base::DynamicLibrary::open(builtins.native())) library->leak();
}

class ProgramOwner {
 public:
  explicit ProgramOwner(const NvrtcTable& table) : table_(table) {}
  ProgramOwner(const ProgramOwner&) = delete;
  ProgramOwner& operator=(const ProgramOwner&) = delete;
  ~ProgramOwner() {
    if (program_ != nullptr) table_.destroy_program(&program_);
  }
  NvrtcProgram*& get() { return program_; }

 private:
  const NvrtcTable& table_;
  NvrtcProgram* program_ = nullptr;
};

/// Gives back to the system what a long compilation has freed, which the C library would keep:
/// 320 MB after one with Thrust.
class FreedMemory {
 public:
  FreedMemory() = default;
  FreedMemory(const FreedMemory&) = delete;
  FreedMemory& operator=(const FreedMemory&) = delete;
  ~FreedMemory() {
#ifdef __GLIBC__
    // A short one frees little, and looking takes milliseconds.
    if (std::chrono::steady_clock::now() - start_ > std::chrono::milliseconds(500)) malloc_trim(0);
#endif
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Reads one of the texts of a program; sizes count a final NUL where `nul_counts`.
template <class GetSize, class Get>
std::string read_text(GetSize get_size, Get get, NvrtcProgram* program) {
  std::size_t bytes = 0;
  if (get_size(program, &bytes) != 0 || bytes == 0) return {};
  std::string text(bytes, '\0');
  if (get(program, text.data()) != 0) return {};
  return text;
}

void drop_final_nul(std::string& text) {
  while (!text.empty() && text.back() == '\0') text.pop_back();
}

}  // namespace

base::Result<Nvrtc> Nvrtc::open(const std::string& path) {
  base::Result<base::DynamicLibrary> library = base::DynamicLibrary::open(path);
  if (!library) return library.error();
  NvrtcTable table;
  if (const char* missing = fill(table, *library)) {
    return base::Failure{path + " is no NVRTC that can be used: it has no " + missing};
  }
  library->leak();
  open_own_builtins(table);
  return Nvrtc(table, path);
}

Nvrtc::Nvrtc(const NvrtcTable& table, std::string path) : table_(table), path_(std::move(path)) {
  table_.version(&major_, &minor_);
  int count = 0;
  if (table_.get_num_supported_archs(&count) == 0 && count > 0) {
    architectures_.resize(static_cast<std::size_t>(count));
    if (table_.get_supported_archs(architectures_.data()) != 0) architectures_.clear();
    std::ranges::sort(architectures_);
  }
}

NvrtcResult Nvrtc::compile(const std::string& source, const std::string& name,
                           const std::vector<std::string>& options, bool machine_code,
                           const std::vector<NvrtcHeader>& headers,
                           const std::vector<std::string>& expressions) const {
  NvrtcResult result;
  const FreedMemory freed;  // with the program, which ends before it
  ProgramOwner program(table_);
  std::vector<const char*> header_names, header_texts;
  for (const NvrtcHeader& header : headers) {
    header_names.push_back(header.name);
    header_texts.push_back(header.text);
  }
  NvrtcStatus status = table_.create_program(&program.get(), source.c_str(), name.c_str(),
                                             static_cast<int>(headers.size()), header_texts.data(),
                                             header_names.data());
  if (table_.add_name_expression != nullptr) {
    for (std::size_t i = 0; status == 0 && i < expressions.size(); ++i) {
      status = table_.add_name_expression(program.get(), expressions[i].c_str());
    }
  }
  if (status == 0) {
    std::vector<const char*> texts;
    texts.reserve(options.size());
    for (const std::string& option : options) texts.push_back(option.c_str());
    const StackLimitKept kept;
    status = table_.compile_program(program.get(), static_cast<int>(texts.size()), texts.data());
    result.log = read_text(table_.get_program_log_size, table_.get_program_log, program.get());
    drop_final_nul(result.log);
  }
  result.status = table_.get_error_string(status);
  if (status != 0) return result;
  result.image = machine_code ? read_text(table_.get_cubin_size, table_.get_cubin, program.get())
                              : read_text(table_.get_ptx_size, table_.get_ptx, program.get());
  if (!machine_code) drop_final_nul(result.image);
  result.ok = !result.image.empty();
  if (table_.add_name_expression != nullptr) {
    for (const std::string& expression : expressions) {
      const char* lowered = nullptr;
      if (table_.get_lowered_name(program.get(), expression.c_str(), &lowered) != 0) continue;
      result.names.emplace_back(expression, lowered);
    }
  }
  if (!result.ok) result.status = "NVRTC gave no code";
  return result;
}

bool Nvrtc::reserve_precompiled_headers(std::size_t bytes) const {
  return table_.set_pch_heap_size != nullptr && table_.set_pch_heap_size(bytes) == 0;
}

std::string Nvrtc::write_headers(const std::string& folder) const {
  const char* error = nullptr;
  const NvrtcStatus status = table_.install_bundled_headers(folder.c_str(), 0, &error);
  if (status == 0) return {};
  return std::string("NVRTC cannot write its headers: ") +
         (error != nullptr ? error : table_.get_error_string(status));
}

}  // namespace pycuda::rtc
