// SPDX-License-Identifier: MIT
// The functions that compiled kernels call for textures and surfaces.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

#include "cpu/exec/address_table.h"
#include "cpu/exec/kernel_entry.h"
#include "cpu/exec/program_accesses.h"
#include "cpu/exec/surface_access.h"
#include "cpu/exec/texture_sampler.h"
#include "cpu/kernel_abi/runtime_calls.h"
#include "cpu/processor/float_control.h"

namespace pycuda::cpu::exec {
namespace {

[[noreturn]] void refuse(ThreadFrame* thread, FaultKind kind, const char* headline,
                         const char* detail, std::uint64_t handle = 0) {
  FaultRecord record;
  record.kind = kind;
  record.thread = thread;
  record.headline = headline;
  record.address = handle;
  record.address_known = record.is_handle = handle != 0;
  std::snprintf(record.detail, sizeof record.detail, "%s", detail);
  KernelEntry::of_this_thread().raise(record);
}

/// What the handle names, with memory bound to it.
const Texture& named(ThreadFrame* thread, std::uint64_t handle, bool surface) {
  const Texture* const texture = TextureTable::instance().find(handle);
  const char* const what = surface ? "illegal surface access" : "illegal texture access";
  if (texture == nullptr || texture->is_surface != surface || texture->is_sampler) {
    char detail[128];
    const char* const kind = surface ? "surface" : "texture";
    if (handle == 0) {
      std::snprintf(detail, sizeof detail,
                    "handle 0 is not a %s: a %s reference that is not bound has it", kind, kind);
    } else {
      std::snprintf(detail, sizeof detail, "%#llx is no live %s",
                    static_cast<unsigned long long>(handle), kind);
    }
    refuse(thread, FaultKind::IllegalAddress, what, detail,
           AddressTable::instance().find(handle) ? handle : 0);
  }
  if (texture->texels.base == nullptr) {
    refuse(thread, FaultKind::IllegalAddress, what,
           surface ? "the surface reference has no array bound to it"
                   : "the texture reference has neither an array nor memory bound to it");
  }
  return *texture;
}

/// An access of a one-dimensional texture's second dimension and the like would read beside it.
void check_geometry(ThreadFrame* thread, const Texture& texture, TextureGeometry geometry) {
  using enum TextureGeometry;
  const TexelMemory& texels = texture.texels;
  const bool layered = geometry == OneDLayered || geometry == TwoDLayered || geometry == Cube ||
                       geometry == CubeLayered;
  const int dimensions = geometry == OneD || geometry == OneDLayered ? 1
                         : geometry == ThreeD                        ? 3
                                                                     : 2;
  if (dimensions <= texels.dimensions && (!layered || texels.is_layered)) return;
  char detail[160];
  std::snprintf(detail, sizeof detail, "the instruction is for %d dimensions%s, the %s has %d%s",
                dimensions, layered ? " with layers" : "",
                texture.is_surface ? "surface" : "texture", texels.dimensions,
                texels.is_layered ? " with layers" : "");
  refuse(thread, FaultKind::IllegalAddress,
         texture.is_surface ? "illegal surface access" : "illegal texture access", detail);
}

/// The memory may have been freed since it was bound.
void check_memory(ThreadFrame* thread, const Texture& texture) {
  ProgramAccesses accesses(thread);
  if (!accesses.tests()) return;
  const TexelMemory& texels = texture.texels;
  const std::uint64_t bytes = texels.bytes();
  {
    const RuntimeScope scope;
    if (texture.is_surface) {
      accesses.allows_write(texels.base, bytes, "a surface");
    } else {
      accesses.allows_read(texels.base, bytes, "a texture");
    }
  }
  accesses.raise_failure();
}

/// The bytes of a surface access, or null when it is outside and does nothing.
std::byte* surface_place(ThreadFrame* thread, std::uint64_t handle, TextureForm form,
                         const Coordinates& at) {
  const Texture& surface = named(thread, handle, true);
  check_geometry(thread, surface, form.geometry);
  check_memory(thread, surface);
  std::byte* place = nullptr;
  const SurfacePlace found = locate(surface.texels, form, at, &place);
  if (found == SurfacePlace::Inside) return place;
  if (found == SurfacePlace::Outside && form.boundary == SurfaceBoundary::Zero) return nullptr;
  char detail[192];
  std::snprintf(
      detail, sizeof detail,
      "%u bytes at x %d (%s), y %d, z %d, layer %u of a surface of %u x %u x %u texels of "
      "%u bytes",
      form.bytes, static_cast<int>(at.x), form.formatted ? "texels" : "bytes",
      static_cast<int>(at.y), static_cast<int>(at.z), at.layer, surface.texels.width,
      surface.texels.height, surface.texels.depth, surface.texels.texel_bytes());
  if (found == SurfacePlace::Misaligned)
    refuse(thread, FaultKind::MisalignedAddress, "misaligned surface access", detail);
  refuse(thread, FaultKind::IllegalAddress, "surface access out of bounds", detail);
}

/// sured.p takes a texel as one number.
void check_texel_size(ThreadFrame* thread, std::uint32_t texel_bytes, std::uint32_t bytes) {
  if (texel_bytes == bytes) return;
  char detail[96];
  std::snprintf(detail, sizeof detail,
                "sured.p of %u bytes changes a surface of texels of %u bytes", bytes, texel_bytes);
  refuse(thread, FaultKind::IllegalAddress, "illegal surface access", detail);
}

/// What `read` reads of the texture, as compiled code takes it.
template <class Read>
Texels fetched_from(ThreadFrame* thread, const Texture& from, std::uint32_t form, Read&& read) {
  const TextureForm how = TextureForm::of(form);
  check_geometry(thread, from, how.geometry);
  check_memory(thread, from);
  const processor::UsualFloats usual;
  const Sample sample = read(from, how);
  return {sample.component[0] | std::uint64_t{sample.component[1]} << 32,
          sample.component[2] | std::uint64_t{sample.component[3]} << 32};
}

/// The same as the sampler says and not the texture: addressing, filter and coordinates.
template <class Read>
Texels fetched_with_sampler(ThreadFrame* thread, std::uint64_t texture, std::uint64_t sampler,
                            std::uint32_t form, Read&& read) {
  const Texture* const how = TextureTable::instance().find(sampler);
  if (how == nullptr || !how->is_sampler) {
    refuse(thread, FaultKind::IllegalAddress, "illegal texture access",
           "the sampler is no .samplerref variable of a loaded module", sampler);
  }
  Texture combined = named(thread, texture, false);
  std::copy(std::begin(how->address), std::end(how->address), std::begin(combined.address));
  combined.linear_filter = how->linear_filter;
  if (how->forces_unnormalized) combined.normalized_coordinates = false;
  return fetched_from(thread, combined, form, read);
}

/// `sampler`: 0 for the texture's own.
template <class Read>
Texels fetched(ThreadFrame* thread, std::uint64_t texture, std::uint64_t sampler,
               std::uint32_t form, Read&& read) {
  if (sampler != 0) return fetched_with_sampler(thread, texture, sampler, form, read);
  return fetched_from(thread, named(thread, texture, false), form, read);
}

/// The numbers that OpenCL gives channel types and orders, which PTX takes over.
std::uint32_t channel_data_type(const Texture& texture) {
  const bool fractions = texture.reads_floats();
  switch (texture.texels.format) {
    case TexelFormat::Signed8:
      return fractions ? 0x10d0 : 0x10d7;
    case TexelFormat::Signed16:
      return fractions ? 0x10d1 : 0x10d8;
    case TexelFormat::Unsigned8:
      return fractions ? 0x10d2 : 0x10da;
    case TexelFormat::Unsigned16:
      return fractions ? 0x10d3 : 0x10db;
    case TexelFormat::Signed32:
      return 0x10d9;
    case TexelFormat::Unsigned32:
      return 0x10dc;
    case TexelFormat::Half:
      return 0x10dd;
    case TexelFormat::Float:
      return 0x10de;
  }
  return 0;
}

}  // namespace
}  // namespace pycuda::cpu::exec

using namespace pycuda::cpu;

extern "C" {

Texels pycuda_cpu_texture_fetch(ThreadFrame* thread, std::uint64_t texture, std::uint64_t sampler,
                                std::uint32_t form, std::uint32_t layer, std::uint32_t x,
                                std::uint32_t y, std::uint32_t z) {
  return exec::fetched(thread, texture, sampler, form,
                       [&](const exec::Texture& from, TextureForm how) -> exec::Sample {
                         return exec::fetch(from, how, {layer, x, y, z});
                       });
}

Texels pycuda_cpu_texture_fetch_level(ThreadFrame* thread, std::uint64_t texture,
                                      std::uint64_t sampler, std::uint32_t form,
                                      std::uint32_t layer, std::uint32_t x, std::uint32_t y,
                                      std::uint32_t z, std::uint32_t level) {
  return exec::fetched(thread, texture, sampler, form,
                       [&](const exec::Texture& from, TextureForm how) -> exec::Sample {
                         return exec::fetch_level(from, how, {layer, x, y, z}, level);
                       });
}

Texels pycuda_cpu_texture_fetch_gradient(ThreadFrame* thread, std::uint64_t texture,
                                         std::uint64_t sampler, std::uint32_t form,
                                         std::uint32_t layer, std::uint32_t x, std::uint32_t y,
                                         std::uint32_t z, std::uint32_t x_by_x,
                                         std::uint32_t y_by_x, std::uint32_t z_by_x,
                                         std::uint32_t x_by_y, std::uint32_t y_by_y,
                                         std::uint32_t z_by_y) {
  const auto number = [](std::uint32_t bits) { return std::bit_cast<float>(bits); };
  const exec::Gradients gradients{{number(x_by_x), number(y_by_x), number(z_by_x)},
                                  {number(x_by_y), number(y_by_y), number(z_by_y)}};
  return exec::fetched(thread, texture, sampler, form,
                       [&](const exec::Texture& from, TextureForm how) -> exec::Sample {
                         return exec::fetch_gradient(from, how, {layer, x, y, z}, gradients);
                       });
}

std::uint32_t pycuda_cpu_texture_query(ThreadFrame* thread, std::uint64_t texture,
                                       std::uint32_t query, std::uint32_t level) {
  const exec::Texture* const found = exec::TextureTable::instance().find(texture);
  const exec::Texture& asked = exec::named(thread, texture, found != nullptr && found->is_surface);
  const exec::TexelMemory texels = asked.texels.level(std::min(level, asked.texels.levels - 1));
  constexpr std::uint32_t orders[5] = {0, 0x10b0, 0x10b2, 0x10b4, 0x10b5};
  switch (static_cast<TextureQuery>(query)) {
    case TextureQuery::Width:
      return texels.width;
    case TextureQuery::Height:
      return texels.dimensions >= 2 ? texels.height : 0;
    case TextureQuery::Depth:
      return texels.dimensions >= 3 ? texels.depth : 0;
    case TextureQuery::ChannelDataType:
      return exec::channel_data_type(asked);
    case TextureQuery::ChannelOrder:
      return orders[texels.channels];
    case TextureQuery::NormalizedCoordinates:
      return asked.normalized_coordinates ? 1 : 0;
    case TextureQuery::ArraySize:
      return texels.is_layered ? texels.depth : 0;
    case TextureQuery::MipmapLevels:
      return asked.texels.levels;
    case TextureQuery::Samples:
    case TextureQuery::MemoryLayout:  // 1: rows one after the other
      return 1;
  }
  return 0;
}

std::uint32_t pycuda_cpu_is_reference(ThreadFrame*, std::uint64_t pointer, std::uint32_t asked) {
  const exec::Texture* const found = exec::TextureTable::instance().find(pointer);
  if (found == nullptr || !found->is_reference) return 0;
  const auto kind = found->is_sampler   ? OpaqueKind::Sampler
                    : found->is_surface ? OpaqueKind::Surface
                                        : OpaqueKind::Texture;
  return kind == static_cast<OpaqueKind>(asked) ? 1 : 0;
}

Texels pycuda_cpu_surface_load(ThreadFrame* thread, std::uint64_t surface, std::uint32_t form,
                               std::uint32_t layer, std::uint32_t x, std::uint32_t y,
                               std::uint32_t z) {
  const TextureForm how = TextureForm::of(form);
  const std::byte* const place = exec::surface_place(thread, surface, how, {layer, x, y, z});
  Texels result;
  if (place != nullptr) std::memcpy(&result, place, how.bytes);
  return result;
}

void pycuda_cpu_surface_store(ThreadFrame* thread, std::uint64_t surface, std::uint32_t form,
                              std::uint32_t layer, std::uint32_t x, std::uint32_t y,
                              std::uint32_t z, std::uint64_t low, std::uint64_t high) {
  const processor::UsualFloats usual;
  const TextureForm how = TextureForm::of(form);
  std::byte* const place = exec::surface_place(thread, surface, how, {layer, x, y, z});
  if (place == nullptr) return;
  Texels value{low, high};
  std::uint32_t bytes = how.bytes;
  if (how.formatted) {
    const exec::TexelMemory& texels = exec::TextureTable::instance().find(surface)->texels;
    value = exec::converted(texels, value);
    bytes = texels.texel_bytes();
  }
  std::memcpy(place, &value, bytes);
}

void pycuda_cpu_surface_reduce(ThreadFrame* thread, std::uint64_t surface, std::uint32_t form,
                               std::uint32_t layer, std::uint32_t x, std::uint32_t y,
                               std::uint32_t z, std::uint32_t reduction, std::uint64_t value) {
  const TextureForm how = TextureForm::of(form);
  std::byte* const place = exec::surface_place(thread, surface, how, {layer, x, y, z});
  if (place == nullptr) return;
  auto change = static_cast<SurfaceReduction>(reduction);
  if (how.formatted) {
    const exec::TexelMemory& texels = exec::TextureTable::instance().find(surface)->texels;
    exec::check_texel_size(thread, texels.texel_bytes(), how.bytes);
    change = exec::reduction_of(texels.format, change);
  }
  exec::reduce(place, how.bytes, change, value);
}

}  // extern "C"
