// SPDX-License-Identifier: MIT
// cuCoredump*Attribute: what a dump of a GPU would hold and where it would go. The settings are
// kept and told; dumps cannot be turned on, because there is no GPU to dump.
#include <unistd.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <string>

#include "cpu/api/context.h"
#include "cpu/api/entry_guard.h"

namespace pycuda::cpu::api {
namespace {

constexpr std::size_t text_bytes = 1024;  // with the zero at the end

std::string default_name(const char* kind) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(kind) + ".cuda." + host.data() + "." + std::to_string(getpid());
}

/// Two of the attributes are other names of flags.
struct CoreDumpSettings {
  int flags = CU_COREDUMP_DEFAULT_FLAGS;
  std::string file = default_name("core");
  std::string pipe = default_name("corepipe");
};

struct AllSettings {
  std::mutex mutex;  // protects the rest
  CoreDumpSettings of_process;
  std::map<std::uint64_t, CoreDumpSettings>
      of_contexts;  // those that differ, by ids that never repeat

  static AllSettings& instance() {
    static auto& all = *new AllSettings;
    return all;
  }
};

/// The size of an attribute's value; 0: there is no such attribute.
std::size_t bytes_of(CUcoredumpSettings attribute) {
  if (attribute == CU_COREDUMP_FILE || attribute == CU_COREDUMP_PIPE) return text_bytes;
  if (attribute == CU_COREDUMP_GENERATION_FLAGS) return sizeof(int);
  return attribute >= CU_COREDUMP_ENABLE_ON_EXCEPTION && attribute < CU_COREDUMP_MAX ? sizeof(bool)
                                                                                     : 0;
}

bool is_told(const CoreDumpSettings& settings, CUcoredumpSettings attribute) {
  if (attribute == CU_COREDUMP_TRIGGER_HOST) return (settings.flags & CU_COREDUMP_SKIP_ABORT) == 0;
  return attribute == CU_COREDUMP_LIGHTWEIGHT &&
         (settings.flags & CU_COREDUMP_LIGHTWEIGHT_FLAGS) == CU_COREDUMP_LIGHTWEIGHT_FLAGS;
}

/// What both functions answer before there is a value to give or take; `done`: that was all.
CUresult check(CUcoredumpSettings attribute, const void* value, std::size_t* size, bool* done) {
  const std::size_t bytes = bytes_of(attribute);
  if (bytes == 0 || size == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *done = value == nullptr;
  if (*done) *size = bytes;
  const bool is_text = bytes == text_bytes;
  return is_text || *size >= bytes ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult tell(const CoreDumpSettings& settings, CUcoredumpSettings attribute, void* value,
              std::size_t* size) {
  bool done = false;
  if (const CUresult status = check(attribute, value, size, &done); status != CUDA_SUCCESS || done)
    return status;
  if (attribute == CU_COREDUMP_FILE || attribute == CU_COREDUMP_PIPE) {
    const std::string& text = attribute == CU_COREDUMP_FILE ? settings.file : settings.pipe;
    if (*size <= text.size()) return CUDA_ERROR_INVALID_VALUE;
    std::memcpy(value, text.c_str(), text.size() + 1);
  } else if (attribute == CU_COREDUMP_GENERATION_FLAGS) {
    std::memcpy(value, &settings.flags, sizeof settings.flags);
  } else {
    const bool on = is_told(settings, attribute);
    std::memcpy(value, &on, sizeof on);
  }
  return CUDA_SUCCESS;
}

CUresult take(CoreDumpSettings* settings, CUcoredumpSettings attribute, const void* value,
              std::size_t* size) {
  bool done = false;
  if (const CUresult status = check(attribute, value, size, &done); status != CUDA_SUCCESS || done)
    return status;
  if (attribute == CU_COREDUMP_FILE || attribute == CU_COREDUMP_PIPE) {
    const std::size_t length = strnlen(static_cast<const char*>(value), *size);
    if (length >= text_bytes) return CUDA_ERROR_INVALID_VALUE;
    (attribute == CU_COREDUMP_FILE ? settings->file : settings->pipe)
        .assign(static_cast<const char*>(value), length);
    return CUDA_SUCCESS;
  }
  constexpr int known = CU_COREDUMP_LIGHTWEIGHT_FLAGS | CU_COREDUMP_SKIP_ABORT;
  if (attribute == CU_COREDUMP_GENERATION_FLAGS) {
    int flags = 0;
    std::memcpy(&flags, value, sizeof flags);
    if ((flags & ~known) != 0) return CUDA_ERROR_INVALID_VALUE;
    settings->flags = flags;
    return CUDA_SUCCESS;
  }
  const bool on = *static_cast<const unsigned char*>(value) != 0;
  switch (attribute) {
    case CU_COREDUMP_TRIGGER_HOST:
      settings->flags =
          on ? settings->flags & ~CU_COREDUMP_SKIP_ABORT : settings->flags | CU_COREDUMP_SKIP_ABORT;
      return CUDA_SUCCESS;
    case CU_COREDUMP_LIGHTWEIGHT:
      settings->flags = on ? settings->flags | CU_COREDUMP_LIGHTWEIGHT_FLAGS
                           : settings->flags & ~CU_COREDUMP_LIGHTWEIGHT_FLAGS;
      return CUDA_SUCCESS;
    default:
      return on ? CUDA_ERROR_NOT_SUPPORTED : CUDA_SUCCESS;
  }
}

/// With the settings of the whole process.
template <class Body>
CUresult with_process(Body&& body, const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        AllSettings& all = AllSettings::instance();
        const std::lock_guard lock(all.mutex);
        return body(all.of_process);
      },
      entry);
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuCoredumpGetAttributeGlobal(CUcoredumpSettings attrib, void* value, size_t* size) {
  return with_process(
      [&](const CoreDumpSettings& settings) { return tell(settings, attrib, value, size); });
}

CUresult cuCoredumpSetAttributeGlobal(CUcoredumpSettings attrib, void* value, size_t* size) {
  return with_process(
      [&](CoreDumpSettings& settings) { return take(&settings, attrib, value, size); });
}

CUresult cuCoredumpGetAttribute(CUcoredumpSettings attrib, void* value, size_t* size) {
  return with_context([&](const Context& context) -> CUresult {
    AllSettings& all = AllSettings::instance();
    const std::lock_guard lock(all.mutex);
    const auto own = all.of_contexts.find(context.id());
    return tell(own != all.of_contexts.end() ? own->second : all.of_process, attrib, value, size);
  });
}

CUresult cuCoredumpSetAttribute(CUcoredumpSettings attrib, void* value, size_t* size) {
  return with_context([&](const Context& context) -> CUresult {
    if (attrib == CU_COREDUMP_ENABLE_USER_TRIGGER || attrib == CU_COREDUMP_PIPE)
      return CUDA_ERROR_NOT_PERMITTED;
    AllSettings& all = AllSettings::instance();
    const std::lock_guard lock(all.mutex);
    return take(&all.of_contexts.try_emplace(context.id(), all.of_process).first->second, attrib,
                value, size);
  });
}

}  // extern "C"
