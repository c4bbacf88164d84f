// SPDX-License-Identifier: MIT
// Loads fat binaries, and links those that nvcc left in parts (-rdc=true).
#include "cudart/fat_binary.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "base/log.h"
#include "driver/error.h"

namespace pycuda::cudart {
namespace {

/// __fatBinC_Wrapper_t of fatbinary_section.h, a header that only nvcc's wheel has.
struct Wrapper {
  int magic;
  int version;
  const void* data;
  /// In version 2 the parts of a program that nvcc linked, ended by a null pointer.
  const void* const* parts;
};
constexpr int wrapper_magic = 0x466243B1;
constexpr int wrapper_with_parts = 2;

/// How a fat binary begins: its length is that of this header and of the entries behind it.
struct ContainerHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_bytes;
  std::uint64_t entry_bytes;
};

std::size_t length_of(const void* container) {
  ContainerHeader header;
  std::memcpy(&header, container, sizeof header);
  return header.header_bytes + static_cast<std::size_t>(header.entry_bytes);
}

CUresult load_data(const DriverTable& driver, const void* data, CUlibrary* library) {
  return driver.cuLibraryLoadData.status(library, data, nullptr, nullptr, 0, nullptr, nullptr, 0);
}

/// A driver that loads lazily accepts any container; whether it has code for the device shows when
/// the module is asked for.
CUresult load_code_for_the_device(const DriverTable& driver, const void* data, CUlibrary* library) {
  CUresult code = load_data(driver, data, library);
  if (code != CUDA_SUCCESS) return code;
  CUmodule module = nullptr;
  code = driver.cuLibraryGetModule.status(&module, *library);
  if (code != CUDA_SUCCESS) {
    (void)driver.cuLibraryUnload.status(*library);
    *library = nullptr;
  }
  return code;
}

CUresult link_parts(const DriverTable& driver, const void* const* parts, CUlibrary* library) {
  CUlinkState linker = nullptr;
  std::string log(4096, '\0');
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), as<void*>(log.size())};
  CUresult code = driver.cuLinkCreate.status(2, options, values, &linker);
  for (; code == CUDA_SUCCESS && *parts != nullptr; ++parts) {
    code =
        driver.cuLinkAddData.status(linker, CU_JIT_INPUT_FATBINARY, const_cast<void*>(*parts),
                                    length_of(*parts), "part of the program", 0, nullptr, nullptr);
  }
  void* image = nullptr;
  std::size_t bytes = 0;
  if (code == CUDA_SUCCESS) code = driver.cuLinkComplete.status(linker, &image, &bytes);
  if (code == CUDA_SUCCESS) code = load_data(driver, image, library);
  if (log[0] != '\0') base::log(base::LogLevel::Warning, log.c_str());
  if (linker != nullptr) (void)driver.cuLinkDestroy.status(linker);
  return code;
}

/// Whether another attempt would end the same way.
bool is_final(CUresult code) {
  return code != CUDA_ERROR_OUT_OF_MEMORY && !driver::is_sticky(code);
}

}  // namespace

cudaError_t FatBinary::load(const DriverTable& driver, CUlibrary* library) {
  const std::lock_guard guard(lock_);
  if (!loaded_) {
    const auto* wrapper = static_cast<const Wrapper*>(wrapper_);
    if (wrapper == nullptr || wrapper->magic != wrapper_magic || wrapper->data == nullptr) {
      return cudaErrorInvalidKernelImage;
    }
    // What nvcc linked is machine code for some devices, or nothing; the PTX is in the parts.
    const bool in_parts = wrapper->version == wrapper_with_parts && wrapper->parts != nullptr;
    const bool runs_machine_code = driver.last_fault == nullptr;  // not the CPU driver
    CUresult code = CUDA_ERROR_NO_BINARY_FOR_GPU;
    if (!in_parts) {
      code = load_data(driver, wrapper->data, &library_);
    } else if (runs_machine_code) {
      code = load_code_for_the_device(driver, wrapper->data, &library_);
    }
    if (code == CUDA_ERROR_NO_BINARY_FOR_GPU && in_parts)
      code = link_parts(driver, wrapper->parts, &library_);
    if (code != CUDA_SUCCESS) {
      base::log(base::LogLevel::Warning,
                "the program's device code cannot be loaded: " + driver::error_text(driver, code));
    }
    if (!is_final(code)) return to_runtime(code);
    status_ = to_runtime(code);
    loaded_ = true;
  }
  *library = library_;
  return status_;
}

}  // namespace pycuda::cudart
