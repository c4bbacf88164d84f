// SPDX-License-Identifier: MIT
// cuTexObject* and cuSurfObject*.
#include "cpu/api/texture_object.h"

#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "cpu/api/array.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/resource_view.h"
#include "cpu/api/texture_limits.h"
#include "cpu/api/texture_settings.h"

namespace pycuda::cpu::api {
namespace {

/// What an object was made of, for those that ask.
struct TextureObject {
  Context* context = nullptr;
  bool is_surface = false;
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC description{};
  std::optional<CUDA_RESOURCE_VIEW_DESC> view;
};

struct TextureObjects {
  std::mutex mutex;  ///< protects `all`
  std::unordered_map<unsigned long long, TextureObject> all;
};

TextureObjects& objects() {
  static auto& all = *new TextureObjects;
  return all;
}

CUresult insert(Context& context, const exec::Texture& texture, TextureObject object,
                unsigned long long* handle) {
  object.context = &context;
  object.is_surface = texture.is_surface;
  TextureObjects& table = objects();
  const std::lock_guard lock(table.mutex);
  *handle = exec::TextureTable::instance().insert(texture);
  table.all.emplace(*handle, object);
  return CUDA_SUCCESS;
}

/// Runs `body` with the object, if there is one of this kind.
template <class Body>
CUresult with_object(unsigned long long handle, bool is_surface, Body&& body,
                     const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context&) -> CUresult {
        TextureObjects& table = objects();
        const std::lock_guard lock(table.mutex);
        const auto found = table.all.find(handle);
        if (found == table.all.end() || found->second.is_surface != is_surface) {
          return fail(CUDA_ERROR_INVALID_VALUE, std::string("the handle is that of no ") +
                                                    (is_surface ? "surface" : "texture") +
                                                    " object, or of one destroyed");
        }
        return body(found);
      },
      entry);
}

CUresult destroy(unsigned long long handle, bool is_surface) {
  Context* context = nullptr;
  const CUresult status = with_object(handle, is_surface, [&](auto found) {
    context = found->second.context;
    return CUDA_SUCCESS;
  });
  if (status != CUDA_SUCCESS) return status;
  return with_context([&](Context&) -> CUresult {
    // Kernels that were launched before may still read it.
    const CUresult done = context->synchronize();
    if (done != CUDA_SUCCESS) return done;
    TextureObjects& table = objects();
    const std::lock_guard lock(table.mutex);
    if (table.all.erase(handle) == 0) return CUDA_ERROR_INVALID_VALUE;
    exec::TextureTable::instance().erase(handle);
    return CUDA_SUCCESS;
  });
}

}  // namespace

void release_texture_objects_of(const Context& context) {
  TextureObjects& table = objects();
  const std::lock_guard lock(table.mutex);
  std::erase_if(table.all, [&](const auto& entry) {
    if (entry.second.context != &context) return false;
    exec::TextureTable::instance().erase(entry.first);
    return true;
  });
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;
namespace exec = pycuda::cpu::exec;

extern "C" {

CUresult cuTexObjectCreate(CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                           const CUDA_TEXTURE_DESC* pTexDesc,
                           const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  return with_context([&](Context& context) -> CUresult {
    if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    exec::Texture texture;
    CUresult status = texels_of(*pResDesc, &texture.texels);
    if (status == CUDA_SUCCESS && pResViewDesc != nullptr) {
      if (pResDesc->resType != CU_RESOURCE_TYPE_ARRAY &&
          pResDesc->resType != CU_RESOURCE_TYPE_MIPMAPPED_ARRAY)
        return fail(CUDA_ERROR_INVALID_VALUE, "texture: views are of arrays");
      status = apply_view(*pResViewDesc, &texture.texels);
    }
    if (status == CUDA_SUCCESS) status = apply(*pTexDesc, &texture);
    if (status != CUDA_SUCCESS) return status;
    TextureObject object;
    object.resource = *pResDesc;
    object.description = *pTexDesc;
    if (pResViewDesc != nullptr) object.view = *pResViewDesc;
    return insert(context, texture, object, pTexObject);
  });
}

CUresult cuTexObjectDestroy(CUtexObject texObject) { return destroy(texObject, false); }

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
  return with_object(texObject, false, [&](auto found) -> CUresult {
    if (pResDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pResDesc = found->second.resource;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
  return with_object(texObject, false, [&](auto found) -> CUresult {
    if (pTexDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pTexDesc = found->second.description;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* pResViewDesc,
                                        CUtexObject texObject) {
  return with_object(texObject, false, [&](auto found) -> CUresult {
    if (pResViewDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!found->second.view)
      return fail(CUDA_ERROR_INVALID_VALUE, "texture: the object was made without a view");
    *pResViewDesc = *found->second.view;
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfObjectCreate(CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  return with_context([&](Context& context) -> CUresult {
    if (pSurfObject == nullptr || pResDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (pResDesc->resType != CU_RESOURCE_TYPE_ARRAY)
      return fail(CUDA_ERROR_INVALID_VALUE, "surface: its resource can only be an array");
    const Array* array = find_array(pResDesc->res.array.hArray);
    if (array == nullptr) return fail_unknown_array();
    if (!array->takes_surface_objects()) return fail_read_only_array();
    exec::Texture surface;
    const CUresult status = texels_of(*pResDesc, &surface.texels);
    if (status != CUDA_SUCCESS) return status;
    surface.is_surface = true;
    TextureObject object;
    object.resource = *pResDesc;
    return insert(context, surface, object, pSurfObject);
  });
}

CUresult cuSurfObjectDestroy(CUsurfObject surfObject) { return destroy(surfObject, true); }

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  return with_object(surfObject, true, [&](auto found) -> CUresult {
    if (pResDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pResDesc = found->second.resource;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t* maxWidthInElements, CUarray_format format,
                                            unsigned numChannels, CUdevice dev) {
  return with_driver([&]() -> CUresult {
    if (maxWidthInElements == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    pycuda::cpu::exec::TexelMemory texels;
    const CUresult status = texel_format(format, numChannels, &texels);
    if (status == CUDA_SUCCESS) *maxWidthInElements = TextureLimits::linear_width;
    return status;
  });
}

}  // extern "C"
