// SPDX-License-Identifier: MIT
// cuGetProcAddress: the newest ABI of a function that is not newer than the version asked for.
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/log.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/symbol_table.h"
#include "cpu/api/version.h"

using namespace pycuda::cpu::api;

namespace {

using Group = std::span<const ExportedSymbol>;

// The lines of each name.
const std::unordered_map<std::string_view, Group>& groups() {
  static const auto& all = *[] {
    auto* table = new std::unordered_map<std::string_view, Group>;
    const Group symbols = exported_symbols();
    for (std::size_t begin = 0; begin < symbols.size();) {
      std::size_t end = begin + 1;
      while (end < symbols.size() && std::string_view(symbols[end].name) == symbols[begin].name)
        ++end;
      table->emplace(symbols[begin].name, symbols.subspan(begin, end - begin));
      begin = end;
    }
    return table;
  }();
  return all;
}

const ExportedSymbol* newest(Group group, int version, StreamZero streams) {
  const ExportedSymbol* best = nullptr;
  for (const ExportedSymbol& symbol : group) {
    if (symbol.streams == streams && symbol.version <= version) best = &symbol;
  }
  return best;
}

CUresult find(const char* name, void** address, int version, cuuint64_t flags,
              CUdriverProcAddressQueryResult* outcome) {
  constexpr cuuint64_t known =
      CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (name == nullptr || address == nullptr || (flags & ~known) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (version > driver_version) return CUDA_ERROR_INVALID_VALUE;
  *address = nullptr;
  const auto said = [&](CUdriverProcAddressQueryResult result) {
    if (outcome != nullptr) *outcome = result;
  };
  const auto group = groups().find(name);
  if (group == groups().end()) {
    said(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    return CUDA_ERROR_NOT_FOUND;
  }
  // By default the ABI that the caller itself was compiled for.
  const bool per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0 ||
                          (flags == CU_GET_PROC_ADDRESS_DEFAULT && this_thread.stream_zero_is_own);
  // A function that has a per-thread variant is not replaced by its other one when that is newer
  // than asked for.
  const bool has_variant = std::any_of(
      group->second.begin(), group->second.end(),
      [](const ExportedSymbol& symbol) { return symbol.streams == StreamZero::PerThread; });
  const ExportedSymbol* found =
      newest(group->second, version,
             per_thread && has_variant ? StreamZero::PerThread : StreamZero::Legacy);
  if (found == nullptr) {
    said(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    return CUDA_ERROR_NOT_FOUND;
  }
  *address = found->address;
  said(CU_GET_PROC_ADDRESS_SUCCESS);
  return CUDA_SUCCESS;
}

/// NVRTC asks too, wherever a library named libcuda.so.1 is loaded, and does without.
bool is_nvrtc(const void* caller) {
  Dl_info library{};
  return ::dladdr(caller, &library) != 0 && library.dli_fname != nullptr &&
         std::string_view(library.dli_fname).find("libnvrtc") != std::string_view::npos;
}

/// The tables are no part of the documented interface. NVIDIA's runtime (libcudart, also where it
/// is linked into a program) asks for them first and gives up without them.
CUresult refuse_export_table(const CUuuid& id, const void* caller) {
  if (is_nvrtc(caller)) return CUDA_ERROR_INVALID_VALUE;
  static std::atomic<bool> said{false};
  std::string digits;
  for (const char byte : id.bytes) {
    constexpr std::string_view hex = "0123456789abcdef";
    const auto value = static_cast<unsigned char>(byte);
    digits += hex[value >> 4];
    digits += hex[value & 15];
  }
  pycuda::base::log(
      said.exchange(true) ? pycuda::base::LogLevel::Debug : pycuda::base::LogLevel::Warning,
      "cuGetExportTable: the private table " + digits +
          " is not supported by the CPU driver: NVIDIA's runtime (libcudart) needs NVIDIA's "
          "driver, "
          "as do its libraries, such as libcufft; python -m pycuda run PROGRAM takes the CPU "
          "driver's own in their place");
  return CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

extern "C" {

CUresult cuGetProcAddress(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags) {
  return guarded([&] { return find(symbol, pfn, cudaVersion, flags, nullptr); });
}

CUresult cuGetProcAddress_v2(const char* symbol, void** pfn, int cudaVersion, cuuint64_t flags,
                             CUdriverProcAddressQueryResult* symbolStatus) {
  return guarded([&]() -> CUresult {
    const CUresult status = find(symbol, pfn, cudaVersion, flags, symbolStatus);
    // With somewhere to say why, a missing function is an answer and no failure.
    return status == CUDA_ERROR_NOT_FOUND && symbolStatus != nullptr ? CUDA_SUCCESS : status;
  });
}

CUresult cuGetExportTable(const void** ppExportTable, const CUuuid* pExportTableId) {
  if (ppExportTable == nullptr || pExportTableId == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *ppExportTable = nullptr;
  const void* const caller = __builtin_return_address(0);
  return guarded([&]() -> CUresult { return refuse_export_table(*pExportTableId, caller); });
}

}  // extern "C"
