// SPDX-License-Identifier: MIT
// libnvJitLink over the project's PTX linker: what it links is PTX, in the container that the CPU
// driver loads. LTO-IR is NVIDIA's own format and is refused.
//
// nvJitLinkVersion names the release before link-time optimisation became usable, so that programs
// such as numba-cuda compile to PTX instead of LTO-IR. cuda.core needs the function itself.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "base/log.h"
#include "base/read_file.h"
#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/link_inputs.h"
#include "cpu/ptx/register_limit.h"
#include "standins/link_options.h"
#include "standins/nvjitlink_abi.h"

namespace pycuda::standins {
namespace {

constexpr std::string_view kLtoRefusal =
    "LTO-IR is not supported without a GPU: compile to PTX (no -dlto, no -gen-lto)";
constexpr std::string_view kArchiveMagic = "!<arch>\n";

/// A link in progress, then its result and logs.
class Link {
 public:
  explicit Link(LinkOptions options) : options_(std::move(options)) {}

  nvJitLinkResult add(nvJitLinkInputType type, std::string_view data, const char* name) {
    if (is_complete_) return refuse(NVJITLINK_ERROR_INVALID_INPUT, "the link is complete", name);
    switch (type) {
      case NVJITLINK_INPUT_LTOIR:
        return refuse(options_.link_time_optimisation ? NVJITLINK_ERROR_UNRECOGNIZED_INPUT
                                                      : NVJITLINK_ERROR_LTO_NOT_ENABLED,
                      kLtoRefusal, name);
      case NVJITLINK_INPUT_INDEX:
        return refuse(NVJITLINK_ERROR_UNRECOGNIZED_INPUT, "index files are not supported", name);
      case NVJITLINK_INPUT_CUBIN:
      case NVJITLINK_INPUT_PTX:
      case NVJITLINK_INPUT_FATBIN:
      case NVJITLINK_INPUT_OBJECT:
      case NVJITLINK_INPUT_LIBRARY:
      case NVJITLINK_INPUT_ANY:
        break;
      default:
        return refuse(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE,
                      "input type " + std::to_string(type) + " is not one", name);
    }
    const bool is_library = type == NVJITLINK_INPUT_LIBRARY ||
                            (type == NVJITLINK_INPUT_ANY && data.starts_with(kArchiveMagic));
    const auto added = inputs_.add(data, name, is_library, options_.architecture);
    if (added) return NVJITLINK_SUCCESS;
    const bool is_other_kind =
        type != NVJITLINK_INPUT_ANY && added.error().error == cpu::ptx::ImageError::NotAnImage;
    return refuse(
        is_other_kind ? NVJITLINK_ERROR_INCORRECT_INPUT_TYPE : NVJITLINK_ERROR_UNRECOGNIZED_INPUT,
        added.error().message, name);
  }

  nvJitLinkResult complete() {
    if (is_complete_) return NVJITLINK_ERROR_INVALID_INPUT;
    if (refused_) return NVJITLINK_ERROR_FINALIZE;
    const std::size_t count = inputs_.size();
    auto linked = inputs_.link();
    if (!linked) {
      error_log_ += cpu::ptx::to_text(linked.error());
      return NVJITLINK_ERROR_PTX_COMPILE;
    }
    ptx_ = std::move(linked).value();
    container_ =
        cpu::ptx::wrap_linked(cpu::ptx::register_limit_note(options_.max_registers) + ptx_);
    is_complete_ = true;
    if (options_.verbose) info_log_ += "info: linked " + std::to_string(count) + " inputs\n";
    return NVJITLINK_SUCCESS;
  }

  nvJitLinkResult refuse(nvJitLinkResult status, std::string_view why, const char* name) {
    refused_ = true;
    error_log_ += "error: ";
    if (name != nullptr && *name != '\0') error_log_ += std::string(name) + ": ";
    error_log_ += std::string(why) + "\n";
    return status;
  }

  /// What the size and content functions hand out: nothing before the link is complete.
  const std::string* container() const { return is_complete_ ? &container_ : nullptr; }
  /// As documented: of links with -lto. Ends with a NUL, which counts.
  const std::string* ptx() const {
    return is_complete_ && options_.link_time_optimisation ? &ptx_ : nullptr;
  }
  const std::string& error_log() const { return error_log_; }
  const std::string& info_log() const { return info_log_; }

 private:
  LinkOptions options_;
  cpu::ptx::LinkInputs inputs_;
  bool is_complete_ = false;
  bool refused_ = false;
  std::string ptx_, container_, error_log_, info_log_;
};

/// The handles that are valid. A handle is used by one thread at a time, as documented.
class Links {
 public:
  Link* insert(std::unique_ptr<Link> link) {
    const std::lock_guard lock(mutex_);
    return links_.insert(std::move(link)).first->get();
  }
  Link* find(const void* handle) {
    const std::lock_guard lock(mutex_);
    for (const auto& link : links_) {
      if (link.get() == handle) return link.get();
    }
    return nullptr;
  }
  void erase(const Link* link) {
    const std::lock_guard lock(mutex_);
    std::erase_if(links_, [&](const auto& one) { return one.get() == link; });
  }

 private:
  std::mutex mutex_;
  std::set<std::unique_ptr<Link>> links_;
};

Links& links() {
  static auto& all = *new Links;
  return all;
}

/// The only exit of the functions: no exception leaves the library.
template <class Body>
nvJitLinkResult with_link(const void* handle, Body&& body) noexcept {
  try {
    Link* const link = links().find(handle);
    return link != nullptr ? body(*link) : NVJITLINK_ERROR_INVALID_INPUT;
  } catch (...) {
    return NVJITLINK_ERROR_INTERNAL;
  }
}

nvJitLinkResult create(Link** handle, std::uint32_t count, const char* const* options) {
  if (handle == nullptr || (options == nullptr && count != 0)) return NVJITLINK_ERROR_INVALID_INPUT;
  *handle = nullptr;
  LinkOptions read = read_link_options({options, count});
  if (read.status != NVJITLINK_SUCCESS) {
    base::log(base::LogLevel::Warning, "stand-in for nvJitLink: " + read.error);
    return read.status;
  }
  *handle = links().insert(std::make_unique<Link>(std::move(read)));
  base::log(base::LogLevel::Info, "stand-in for nvJitLink: links PTX; its cubins contain PTX");
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult add_file(Link& link, nvJitLinkInputType type, const char* path) {
  if (path == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  const std::optional<std::string> content = base::read_file(path);
  if (!content) return link.refuse(NVJITLINK_ERROR_INVALID_INPUT, "the file cannot be read", path);
  return link.add(type, *content, path);
}

nvJitLinkResult give_size(const std::string* text, std::size_t terminator, std::size_t* bytes) {
  if (text == nullptr || bytes == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  *bytes = text->size() + terminator;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult give(const std::string* text, std::size_t terminator, void* destination) {
  if (text == nullptr || destination == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  std::memcpy(destination, text->c_str(), text->size() + terminator);
  return NVJITLINK_SUCCESS;
}

/// An empty log has the size 0, without a NUL.
nvJitLinkResult give_log(const std::string& log, char* destination) {
  return log.empty() ? NVJITLINK_SUCCESS : give(&log, 1, destination);
}

nvJitLinkResult give_log_size(const std::string& log, std::size_t* bytes) {
  return give_size(&log, log.empty() ? 0 : 1, bytes);
}

}  // namespace
}  // namespace pycuda::standins

using namespace pycuda::standins;

// Programs compiled with the header call the names of the release that it belongs to.
// clang-format off
#if PYCUDA_STANDIN_MAJOR == 12
#define FOR_EACH_RELEASE(NAME, ...) \
  NAME(12_0, __VA_ARGS__) \
  NAME(12_1, __VA_ARGS__) \
  NAME(12_2, __VA_ARGS__) \
  NAME(12_3, __VA_ARGS__) \
  NAME(12_4, __VA_ARGS__) \
  NAME(12_5, __VA_ARGS__) \
  NAME(12_6, __VA_ARGS__) \
  NAME(12_7, __VA_ARGS__) \
  NAME(12_8, __VA_ARGS__) \
  NAME(12_9, __VA_ARGS__)
#else
#define FOR_EACH_RELEASE(NAME, ...) \
  NAME(13_0, __VA_ARGS__) \
  NAME(13_1, __VA_ARGS__) \
  NAME(13_2, __VA_ARGS__) \
  NAME(13_3, __VA_ARGS__) \
  NAME(13_4, __VA_ARGS__) \
  NAME(13_5, __VA_ARGS__)
#endif
#define RELEASE_NAME(release, function, parameters) \
  nvJitLinkResult __##function##_##release parameters __attribute__((alias(#function)));
#define JIT_LINK_FUNCTION(function, parameters, ...) \
  nvJitLinkResult function parameters { __VA_ARGS__ } \
  FOR_EACH_RELEASE(RELEASE_NAME, function, parameters)
// clang-format on

extern "C" {

JIT_LINK_FUNCTION(nvJitLinkCreate,
                  (Link * *handle, std::uint32_t count, const char* const* options), {
                    try {
                      return create(handle, count, options);
                    } catch (...) {
                      return NVJITLINK_ERROR_INTERNAL;
                    }
                  })

JIT_LINK_FUNCTION(nvJitLinkDestroy, (Link * *handle), {
  if (handle == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  return with_link(*handle, [&](Link& link) {
    links().erase(&link);
    *handle = nullptr;
    return NVJITLINK_SUCCESS;
  });
})

JIT_LINK_FUNCTION(nvJitLinkAddData,
                  (Link * handle, nvJitLinkInputType type, const void* data, std::size_t bytes,
                   const char* name),
                  {
                    if (data == nullptr || bytes == 0) return NVJITLINK_ERROR_INVALID_INPUT;
                    return with_link(handle, [&](Link& link) {
                      return link.add(type, {static_cast<const char*>(data), bytes}, name);
                    });
                  })

JIT_LINK_FUNCTION(nvJitLinkAddFile, (Link * handle, nvJitLinkInputType type, const char* path), {
  return with_link(handle, [&](Link& link) { return add_file(link, type, path); });
})

JIT_LINK_FUNCTION(nvJitLinkComplete, (Link * handle),
                  { return with_link(handle, [](Link& link) { return link.complete(); }); })

JIT_LINK_FUNCTION(nvJitLinkGetLinkedCubinSize, (Link * handle, std::size_t* bytes), {
  return with_link(handle, [&](Link& link) { return give_size(link.container(), 0, bytes); });
})

JIT_LINK_FUNCTION(nvJitLinkGetLinkedCubin, (Link * handle, void* cubin), {
  return with_link(handle, [&](Link& link) { return give(link.container(), 0, cubin); });
})

JIT_LINK_FUNCTION(nvJitLinkGetLinkedPtxSize, (Link * handle, std::size_t* bytes), {
  return with_link(handle, [&](Link& link) { return give_size(link.ptx(), 1, bytes); });
})

JIT_LINK_FUNCTION(nvJitLinkGetLinkedPtx, (Link * handle, char* ptx), {
  return with_link(handle, [&](Link& link) { return give(link.ptx(), 1, ptx); });
})

JIT_LINK_FUNCTION(nvJitLinkGetLinkedLTOIRSize, (Link * handle, std::size_t*), {
  return with_link(handle, [](Link& link) {
    return link.refuse(NVJITLINK_ERROR_INVALID_INPUT, kLtoRefusal, nullptr);
  });
})

JIT_LINK_FUNCTION(nvJitLinkGetLinkedLTOIR, (Link * handle, void*), {
  return with_link(handle, [](Link& link) {
    return link.refuse(NVJITLINK_ERROR_INVALID_INPUT, kLtoRefusal, nullptr);
  });
})

JIT_LINK_FUNCTION(nvJitLinkGetErrorLogSize, (Link * handle, std::size_t* bytes), {
  return with_link(handle, [&](Link& link) { return give_log_size(link.error_log(), bytes); });
})

JIT_LINK_FUNCTION(nvJitLinkGetErrorLog, (Link * handle, char* log), {
  return with_link(handle, [&](Link& link) { return give_log(link.error_log(), log); });
})

JIT_LINK_FUNCTION(nvJitLinkGetInfoLogSize, (Link * handle, std::size_t* bytes), {
  return with_link(handle, [&](Link& link) { return give_log_size(link.info_log(), bytes); });
})

JIT_LINK_FUNCTION(nvJitLinkGetInfoLog, (Link * handle, char* log), {
  return with_link(handle, [&](Link& link) { return give_log(link.info_log(), log); });
})

nvJitLinkResult nvJitLinkVersion(unsigned* major, unsigned* minor) {
  if (major == nullptr || minor == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  *major = 12;
  *minor = 2;
  return NVJITLINK_SUCCESS;
}

}  // extern "C"
