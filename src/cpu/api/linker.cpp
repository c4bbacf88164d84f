// SPDX-License-Identifier: MIT
// cuLink*: several PTX inputs to one image.
#include <chrono>
#include <string>

#include "cpu/api/claimed_architecture.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/program_image.h"
#include "cpu/ptx/fatbin.h"
#include "cpu/ptx/link_inputs.h"

namespace pycuda::cpu::api {

/// A link in progress: its inputs so far, the program's log buffers, and in the end the image.
class LinkState {
 public:
  explicit LinkState(const JitOptions& options)
      : options_(options), handle_(registry.links.insert(this)) {}
  ~LinkState() { registry.links.erase(handle_); }
  LinkState(const LinkState&) = delete;
  LinkState& operator=(const LinkState&) = delete;

  CUlinkState handle() const { return handle_; }

  CUresult add(CUjitInputType type, std::string_view data, const char* name) {
    const unsigned architecture = claimed_architecture().capability;
    if (is_complete_) return CUDA_ERROR_INVALID_HANDLE;
    if (type < 0 || type >= CU_JIT_NUM_INPUT_TYPES) return CUDA_ERROR_INVALID_VALUE;
    const auto added =
        inputs_.add(data, name, type == CU_JIT_INPUT_LIBRARY, architecture, architecture_refusal);
    if (!added) {
      options_.write_logs({}, added.error().message + '\n');
      if (added.error().error != ptx::ImageError::NoPtx) return CUDA_ERROR_INVALID_IMAGE;
      const std::string terminated(data);
      return ptx::is_ptx_text(terminated.c_str(), terminated.size() + 1)
                 ? CUDA_ERROR_INVALID_PTX
                 : CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    return CUDA_SUCCESS;
  }

  CUresult complete(void** image, std::size_t* bytes) {
    if (is_complete_) return CUDA_ERROR_INVALID_HANDLE;
    const auto started = std::chrono::steady_clock::now();
    const std::size_t count = inputs_.size();
    const auto linked = inputs_.link();
    if (!linked) {
      options_.write_logs({}, ptx::to_text(linked.error()));
      return CUDA_ERROR_INVALID_SOURCE;
    }
    image_ = ptx::wrap_linked(options_.register_note() + *linked);
    is_complete_ = true;
    options_.write_logs(
        options_.warnings() +
            (options_.verbose() ? "info: linked " + std::to_string(count) + " inputs\n" : ""),
        {});
    const std::chrono::duration<float, std::milli> elapsed =
        std::chrono::steady_clock::now() - started;
    options_.write_wall_time(elapsed.count());
    *image = image_.data();
    if (bytes != nullptr) *bytes = image_.size();
    return CUDA_SUCCESS;
  }

 private:
  JitOptions options_;
  ptx::LinkInputs inputs_;
  bool is_complete_ = false;
  std::string image_;
  CUlinkState handle_;
};

namespace {

template <class Body>
CUresult with_link(CUlinkState handle, Body&& body,
                   const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        LinkState* state = registry.links.find(handle);
        return state != nullptr ? body(*state) : CUDA_ERROR_INVALID_HANDLE;
      },
      entry);
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuLinkCreate_v2(unsigned int numOptions, CUjit_option* options, void** optionValues,
                         CUlinkState* stateOut) {
  return with_context([&](Context&) -> CUresult {
    if (stateOut == nullptr) return CUDA_ERROR_INVALID_VALUE;
    JitOptions parsed;
    const CUresult status = JitOptions::parse(numOptions, options, optionValues, &parsed);
    if (status != CUDA_SUCCESS) return status;
    *stateOut = std::make_unique<LinkState>(parsed).release()->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuLinkCreate(unsigned int numOptions, CUjit_option* options, void** optionValues,
                      CUlinkState* stateOut) {
  return cuLinkCreate_v2(numOptions, options, optionValues, stateOut);
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void* data, size_t size,
                          const char* name, unsigned int numOptions, CUjit_option* options,
                          void** optionValues) {
  return with_link(state, [&](LinkState& link) -> CUresult {
    if (data == nullptr || size == 0) return CUDA_ERROR_INVALID_VALUE;
    JitOptions ignored;  // options of one input steer a GPU's code generation
    const CUresult status = JitOptions::parse(numOptions, options, optionValues, &ignored);
    if (status != CUDA_SUCCESS) return status;
    return link.add(type, {static_cast<const char*>(data), size}, name);
  });
}

CUresult cuLinkAddData(CUlinkState state, CUjitInputType type, void* data, size_t size,
                       const char* name, unsigned int numOptions, CUjit_option* options,
                       void** optionValues) {
  return cuLinkAddData_v2(state, type, data, size, name, numOptions, options, optionValues);
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char* path,
                          unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return with_link(state, [&](LinkState& link) -> CUresult {
    if (path == nullptr) return CUDA_ERROR_INVALID_VALUE;
    JitOptions ignored;
    CUresult status = JitOptions::parse(numOptions, options, optionValues, &ignored);
    if (status != CUDA_SUCCESS) return status;
    std::string content;
    status = read_image_file(path, &content);
    return status == CUDA_SUCCESS ? link.add(type, content, path) : status;
  });
}

CUresult cuLinkAddFile(CUlinkState state, CUjitInputType type, const char* path,
                       unsigned int numOptions, CUjit_option* options, void** optionValues) {
  return cuLinkAddFile_v2(state, type, path, numOptions, options, optionValues);
}

CUresult cuLinkComplete(CUlinkState state, void** cubinOut, size_t* sizeOut) {
  return with_link(state, [&](LinkState& link) -> CUresult {
    return cubinOut != nullptr ? link.complete(cubinOut, sizeOut) : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuLinkDestroy(CUlinkState state) {
  return with_link(state, [](LinkState& link) -> CUresult {
    delete &link;
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
