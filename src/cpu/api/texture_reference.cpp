// SPDX-License-Identifier: MIT
// cuTexRef*, cuSurfRef* and cuParamSetTexRef.
#include "cpu/api/texture_reference.h"

#include <algorithm>
#include <memory>

#include "cpu/api/array.h"
#include "cpu/api/entry_guard.h"
#include "cpu/api/error_detail.h"
#include "cpu/api/launch.h"
#include "cpu/api/mipmapped_array.h"
#include "cpu/api/owned_by_contexts.h"

namespace pycuda::cpu::api {
namespace {

struct References {
  HandleTable<TextureReference, CUtexref> textures{1u << 18};
  HandleTable<TextureReference, CUsurfref> surfaces{1u << 18};
  /// Of cuTexRefCreate; the others are their modules'.
  OwnedByContexts<TextureReference> owned;
};

References& references() {
  static auto& all = *new References;
  return all;
}

void apply_property(const std::string& name, const std::string& value,
                    TextureReference::State& state) {
  if (name == "normalized_coords" && value == "1") {
    state.flags |= CU_TRSF_NORMALIZED_COORDINATES;
    state.texture.normalized_coordinates = true;
  } else if (name == "filter_mode") {
    state.texture.linear_filter = value == "linear";
  } else if (name.starts_with("addr_mode_") && name.size() == 11 && name[10] >= '0' &&
             name[10] <= '2') {
    state.texture.address[name[10] - '0'] = value == "wrap"              ? exec::AddressMode::Wrap
                                            : value == "mirror"          ? exec::AddressMode::Mirror
                                            : value == "clamp_to_border" ? exec::AddressMode::Border
                                                                         : exec::AddressMode::Clamp;
  }
}

}  // namespace

TextureReference::TextureReference(
    Context& context, std::string name, bool is_surface,
    const std::vector<std::pair<std::string, std::string>>& properties)
    : context_(context), name_(std::move(name)), is_surface_(is_surface) {
  for (const auto& [property, value] : properties) apply_property(property, value, state_);
  state_.texture.is_surface = is_surface;
  state_.texture.is_reference = true;
  number_ = exec::TextureTable::instance().insert(state_.texture);
  if (is_surface) {
    surface_handle_ = references().surfaces.insert(this);
  } else {
    texture_handle_ = references().textures.insert(this);
  }
}

TextureReference::~TextureReference() {
  if (is_surface_) {
    references().surfaces.erase(surface_handle_);
  } else {
    references().textures.erase(texture_handle_);
  }
  exec::TextureTable::instance().erase(number_);
}

SamplerReference::SamplerReference(
    const std::vector<std::pair<std::string, std::string>>& properties) {
  TextureReference::State state;
  for (const auto& [property, value] : properties) {
    apply_property(property, value, state);
    if (property == "force_unnormalized_coords") state.texture.forces_unnormalized = value == "1";
  }
  state.texture.is_sampler = state.texture.is_reference = true;
  number_ = exec::TextureTable::instance().insert(state.texture);
}

SamplerReference::~SamplerReference() { exec::TextureTable::instance().erase(number_); }

CUresult TextureReference::commit() {
  // A launch sees what was bound when it was made.
  const CUresult status = context_.synchronize();
  if (status != CUDA_SUCCESS) return status;
  exec::TextureTable::instance().change(number_, state_.texture);
  return CUDA_SUCCESS;
}

void release_texture_references_of(const Context& context) {
  references().owned.destroy_all_of(context);
}

}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

namespace {

constexpr const char* no_reference =
    "the handle is that of no reference, or of one whose module is unloaded";

template <class Body>
CUresult with_reference(CUtexref handle, Body&& body,
                        const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context&) -> CUresult {
        TextureReference* reference = references().textures.find(handle);
        return reference != nullptr ? body(*reference)
                                    : fail(CUDA_ERROR_INVALID_HANDLE, no_reference);
      },
      entry);
}

/// Lets `body` change a copy of the state, which counts if it succeeds.
template <class Body>
CUresult change(CUtexref handle, Body&& body) noexcept {
  return with_reference(handle, [&](TextureReference& reference) -> CUresult {
    TextureReference::State changed = reference.state();
    const CUresult status = body(changed);
    if (status != CUDA_SUCCESS) return status;
    reference.state() = changed;
    return reference.commit();
  });
}

/// Binds what has `texels` instead of whatever is bound.
void bind(TextureReference::State& state, const pycuda::cpu::exec::TexelMemory& texels,
          const CUDA_ARRAY3D_DESCRIPTOR& descriptor) {
  state.texture.texels = texels;
  state.array = nullptr;
  state.mipmapped_array = nullptr;
  state.address = 0;
  state.bytes = 0;
  state.format = descriptor.Format;
  state.channels = static_cast<int>(descriptor.NumChannels);
}

CUresult check_array_flags(unsigned flags) {
  if ((flags & ~static_cast<unsigned>(CU_TRSA_OVERRIDE_FORMAT)) == 0) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "texture: an array is bound with CU_TRSA_OVERRIDE_FORMAT, not with flags of " +
                  std::to_string(flags));
}

/// The memory that is bound, if it is linear, read in the format that is set.
CUresult bind_linear(TextureReference::State& state) {
  state.texture.texels = {};
  return linear_texels(state.address, state.format, static_cast<unsigned>(state.channels),
                       state.bytes, &state.texture.texels);
}

}  // namespace

extern "C" {

CUresult cuTexRefCreate(CUtexref* pTexRef) {
  return with_context([&](Context& context) -> CUresult {
    if (pTexRef == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto made = std::make_unique<TextureReference>(
        context, std::string(), false, std::vector<std::pair<std::string, std::string>>());
    *pTexRef = made->texture_handle();
    references().owned.add(std::move(made));
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefDestroy(CUtexref hTexRef) {
  return with_reference(hTexRef, [](const TextureReference& reference) -> CUresult {
    return references().owned.destroy(reference)
               ? CUDA_SUCCESS
               : fail(CUDA_ERROR_INVALID_VALUE,
                      "texture: a reference of a module ends with its module");
  });
}

CUresult cuTexRefSetArray(CUtexref hTexRef, CUarray hArray, unsigned int Flags) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    const CUresult status = check_array_flags(Flags);
    if (status != CUDA_SUCCESS) return status;
    const Array* array = find_array(hArray);
    if (array == nullptr) return fail_unknown_array();
    bind(state, array->texels(), array->descriptor());
    state.array = hArray;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetMipmappedArray(CUtexref hTexRef, CUmipmappedArray hMipmappedArray,
                                   unsigned int Flags) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    const CUresult status = check_array_flags(Flags);
    if (status != CUDA_SUCCESS) return status;
    const MipmappedArray* array = find_mipmapped_array(hMipmappedArray);
    if (array == nullptr) return fail_unknown_array();
    bind(state, array->texels(), array->descriptor());
    state.mipmapped_array = hMipmappedArray;
    return check_anisotropy(state.max_anisotropy, true);
  });
}

CUresult cuTexRefSetAddress_v2(size_t* ByteOffset, CUtexref hTexRef, CUdeviceptr dptr,
                               size_t bytes) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    // Any address will do here, but programs that cannot use an offset are told on a GPU.
    if (ByteOffset == nullptr && !is_texture_aligned(dptr)) return refuse_unaligned(dptr);
    state.array = nullptr;
    state.mipmapped_array = nullptr;
    state.address = dptr;
    state.bytes = bytes;
    const CUresult status = bind_linear(state);
    if (status == CUDA_SUCCESS && ByteOffset != nullptr) *ByteOffset = 0;
    return status;
  });
}

CUresult cuTexRefSetAddress2D_v3(CUtexref hTexRef, const CUDA_ARRAY_DESCRIPTOR* desc,
                                 CUdeviceptr dptr, size_t Pitch) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    if (desc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    state.texture.texels = {};
    state.array = nullptr;
    state.mipmapped_array = nullptr;
    state.address = dptr;
    state.bytes = 0;
    state.format = desc->Format;
    state.channels = static_cast<int>(desc->NumChannels);
    return pitched_texels(dptr, *desc, Pitch, &state.texture.texels);
  });
}

CUresult cuTexRefSetFormat(CUtexref hTexRef, CUarray_format fmt, int NumPackedComponents) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    pycuda::cpu::exec::TexelMemory probe;
    const CUresult status = texel_format(fmt, static_cast<unsigned>(NumPackedComponents), &probe);
    if (status != CUDA_SUCCESS) return status;
    state.format = fmt;
    state.channels = NumPackedComponents;
    return state.bytes != 0 ? bind_linear(state) : CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetAddressMode(CUtexref hTexRef, int dim, CUaddress_mode am) {
  return change(hTexRef, [&](TextureReference::State& state) {
    return apply_address_mode(dim, am, &state.texture);
  });
}

CUresult cuTexRefSetFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return change(hTexRef, [&](TextureReference::State& state) {
    return apply_filter_mode(fm, &state.texture);
  });
}

CUresult cuTexRefSetMipmapFilterMode(CUtexref hTexRef, CUfilter_mode fm) {
  return change(hTexRef, [&](TextureReference::State& state) {
    return apply_level_filter_mode(fm, &state.texture);
  });
}

CUresult cuTexRefSetMipmapLevelBias(CUtexref hTexRef, float bias) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    state.texture.level_bias = bias;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetMipmapLevelClamp(CUtexref hTexRef, float minMipmapLevelClamp,
                                     float maxMipmapLevelClamp) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    state.texture.least_level = minMipmapLevelClamp;
    state.texture.greatest_level = maxMipmapLevelClamp;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetFlags(CUtexref hTexRef, unsigned int Flags) {
  return change(hTexRef, [&](TextureReference::State& state) {
    state.flags = Flags;
    return apply_flags(Flags, &state.texture);
  });
}

CUresult cuTexRefSetMaxAnisotropy(CUtexref hTexRef, unsigned int maxAniso) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    state.max_anisotropy = maxAniso;
    return check_anisotropy(maxAniso, state.mipmapped_array != nullptr);
  });
}

CUresult cuTexRefGetMaxAnisotropy(int* pmaxAniso, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pmaxAniso == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pmaxAniso = static_cast<int>(reference.state().max_anisotropy);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefSetBorderColor(CUtexref hTexRef, float* pBorderColor) {
  return change(hTexRef, [&](TextureReference::State& state) -> CUresult {
    if (pBorderColor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::copy_n(pBorderColor, 4, std::begin(state.texture.border));
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetArray(CUarray* phArray, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (phArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (reference.state().array == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "texture: no array is bound");
    *phArray = reference.state().array;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmappedArray(CUmipmappedArray* phMipmappedArray, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (phMipmappedArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (reference.state().mipmapped_array == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "texture: no array with mipmap levels is bound");
    *phMipmappedArray = reference.state().mipmapped_array;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pfm == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pfm = reference.state().texture.linear_levels ? CU_TR_FILTER_MODE_LINEAR
                                                   : CU_TR_FILTER_MODE_POINT;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmapLevelBias(float* pbias, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pbias == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pbias = reference.state().texture.level_bias;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetMipmapLevelClamp(float* pminMipmapLevelClamp, float* pmaxMipmapLevelClamp,
                                     CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pminMipmapLevelClamp == nullptr || pmaxMipmapLevelClamp == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    *pminMipmapLevelClamp = reference.state().texture.least_level;
    *pmaxMipmapLevelClamp = reference.state().texture.greatest_level;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr* pdptr, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pdptr == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (reference.state().address == 0)
      return fail(CUDA_ERROR_INVALID_VALUE, "texture: no memory is bound");
    *pdptr = reference.state().address;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetAddressMode(CUaddress_mode* pam, CUtexref hTexRef, int dim) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pam == nullptr || dim < 0 || dim > 2) return CUDA_ERROR_INVALID_VALUE;
    *pam = static_cast<CUaddress_mode>(reference.state().texture.address[dim]);
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetFilterMode(CUfilter_mode* pfm, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pfm == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pfm = reference.state().texture.linear_filter ? CU_TR_FILTER_MODE_LINEAR
                                                   : CU_TR_FILTER_MODE_POINT;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetFormat(CUarray_format* pFormat, int* pNumChannels, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pFormat != nullptr) *pFormat = reference.state().format;
    if (pNumChannels != nullptr) *pNumChannels = reference.state().channels;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetFlags(unsigned int* pFlags, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pFlags == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pFlags = reference.state().flags;
    return CUDA_SUCCESS;
  });
}

CUresult cuTexRefGetBorderColor(float* pBorderColor, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference& reference) -> CUresult {
    if (pBorderColor == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::copy_n(reference.state().texture.border, 4, pBorderColor);
    return CUDA_SUCCESS;
  });
}

CUresult cuSurfRefSetArray(CUsurfref hSurfRef, CUarray hArray, unsigned int Flags) {
  return with_context([&](Context&) -> CUresult {
    TextureReference* reference = references().surfaces.find(hSurfRef);
    if (reference == nullptr) return fail(CUDA_ERROR_INVALID_HANDLE, no_reference);
    if (Flags != 0)
      return fail(CUDA_ERROR_INVALID_VALUE, "surface: an array is bound with flags of 0");
    const Array* array = find_array(hArray);
    if (array == nullptr) return fail_unknown_array();
    if (!array->takes_surface_references()) return fail_read_only_array();
    reference->state().texture.texels = array->texels();
    reference->state().array = hArray;
    return reference->commit();
  });
}

CUresult cuSurfRefGetArray(CUarray* phArray, CUsurfref hSurfRef) {
  return with_context([&](Context&) -> CUresult {
    TextureReference* reference = references().surfaces.find(hSurfRef);
    if (reference == nullptr) return fail(CUDA_ERROR_INVALID_HANDLE, no_reference);
    if (phArray == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (reference->state().array == nullptr)
      return fail(CUDA_ERROR_INVALID_VALUE, "surface: no array is bound");
    *phArray = reference->state().array;
    return CUDA_SUCCESS;
  });
}

// A function's references are found by the module that declares them: there is nothing to do.
CUresult cuParamSetTexRef(CUfunction hfunc, int texunit, CUtexref hTexRef) {
  return with_reference(hTexRef, [&](TextureReference&) -> CUresult {
    if (registry.functions.find(hfunc) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return texunit == CU_PARAM_TR_DEFAULT
               ? CUDA_SUCCESS
               : fail(CUDA_ERROR_INVALID_VALUE, "texture: the unit must be CU_PARAM_TR_DEFAULT");
  });
}

}  // extern "C"
