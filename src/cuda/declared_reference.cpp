// SPDX-License-Identifier: MIT
#include "cuda/declared_reference.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace pycuda::cuda {
namespace {

/// A variable of the module, and the object whose handle stands in it.
template <auto Destroy>
class Slot {
 public:
  using Object = Owned<Destroy>;

  Slot(ContextPtr context, CUdeviceptr variable)
      : variable_(variable), object_(std::move(context)) {}

  const ContextPtr& context() const { return object_.context(); }
  const driver::DriverTable& driver() const { return object_.driver(); }

  /// The kernels that are launched from now on see `object`; the former one is destroyed.
  void put(Object object) {
    // Ordered behind the kernels that were launched before, as copies without a stream are.
    const typename Object::Handle handle = object.get();
    driver().cuMemcpyHtoD(variable_, &handle, sizeof(handle));
    object_ = std::move(object);
  }

 private:
  CUdeviceptr variable_;
  Object object_;
};

bool is_integer(CUarray_format format) {
  return format != CU_AD_FORMAT_HALF && format != CU_AD_FORMAT_FLOAT;
}

class DeclaredTexture : public TextureReference {
 public:
  DeclaredTexture(const ContextPtr& context, CUdeviceptr variable,
                  const DeclaredReference& declared)
      : slot_(context, variable),
        declared_format_(static_cast<CUarray_format>(declared.texel_format)),
        reads_elements_(declared.read_mode == 0),
        format_{declared_format_, declared.texel_channels} {
    std::ranges::fill(description_.addressMode, CU_TR_ADDRESS_MODE_CLAMP);
  }

  void set_array(CudaArrayPtr array) override {
    const CUDA_ARRAY3D_DESCRIPTOR descriptor = array->descriptor_3d();
    const State before = state();
    resource_ = {};
    resource_.resType = CU_RESOURCE_TYPE_ARRAY;
    resource_.res.array.hArray = array->handle();
    format_ = {descriptor.Format, static_cast<int>(descriptor.NumChannels)};
    array_ = std::move(array);
    bound_ = true;
    bind_anew(before);
  }

  std::size_t set_address(CUdeviceptr address, std::size_t bytes, bool allow_offset) override {
    const int alignment =
        slot_.context()->device().attribute(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT);
    const std::size_t offset = address % static_cast<std::size_t>(std::max(alignment, 1));
    if (offset != 0 && !allow_offset) throw_offset();
    const State before = state();
    resource_ = {};
    resource_.resType = CU_RESOURCE_TYPE_LINEAR;
    resource_.res.linear.devPtr = address - offset;
    resource_.res.linear.sizeInBytes = bytes + offset;
    array_.reset();
    bound_ = true;
    bind_anew(before);
    return offset;
  }

  void set_address_2d(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                      std::size_t pitch) override {
    const State before = state();
    resource_ = {};
    resource_.resType = CU_RESOURCE_TYPE_PITCH2D;
    resource_.res.pitch2D.devPtr = address;
    resource_.res.pitch2D.width = descriptor.Width;
    resource_.res.pitch2D.height = descriptor.Height;
    resource_.res.pitch2D.pitchInBytes = pitch;
    format_ = {descriptor.Format, static_cast<int>(descriptor.NumChannels)};
    array_.reset();
    bound_ = true;
    bind_anew(before);
  }

  void set_format(CUarray_format format, int channels) override {
    const State before = state();
    format_ = {format, channels};
    renew(before);
  }
  void set_address_mode(int axis, CUaddress_mode mode) override {
    const State before = state();
    description_.addressMode[checked(axis)] = mode;
    renew(before);
  }
  void set_filter_mode(CUfilter_mode mode) override {
    const State before = state();
    description_.filterMode = mode;
    renew(before);
  }
  void set_flags(unsigned int flags) override {
    constexpr unsigned known = CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES |
                               CU_TRSF_SRGB | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION |
                               CU_TRSF_SEAMLESS_CUBEMAP;
    // Nothing is made of them before something is bound.
    if ((flags & ~known) != 0) {
      throw driver::DriverError(
          "cuTexRefSetFlags", CUDA_ERROR_INVALID_VALUE,
          "a texture has no flags of value " + std::to_string(flags & ~known));
    }
    const State before = state();
    description_.flags = flags;
    renew(before);
  }
  void set_border_color(const std::array<float, 4>& color) override {
    const State before = state();
    std::ranges::copy(color, description_.borderColor);
    renew(before);
  }

  CUdeviceptr address() const override {
    if (bound_ && resource_.resType == CU_RESOURCE_TYPE_LINEAR) return resource_.res.linear.devPtr;
    if (bound_ && resource_.resType == CU_RESOURCE_TYPE_PITCH2D) {
      return resource_.res.pitch2D.devPtr;
    }
    throw driver::DriverError(slot_.driver(), "cuTexRefGetAddress", CUDA_ERROR_INVALID_VALUE,
                              "no memory is bound to the texture");
  }
  CudaArrayPtr array() const override {
    if (array_) return array_;
    throw driver::DriverError(slot_.driver(), "cuTexRefGetArray", CUDA_ERROR_INVALID_VALUE,
                              "no array is bound to the texture");
  }
  CUaddress_mode address_mode(int axis) const override {
    return description_.addressMode[checked(axis)];
  }
  CUfilter_mode filter_mode() const override { return description_.filterMode; }
  Format format() const override { return format_; }
  unsigned int flags() const override { return description_.flags; }

 private:
  /// All that a setting can change.
  struct State {
    CUDA_RESOURCE_DESC resource;
    CUDA_TEXTURE_DESC description;
    Format format;
    CudaArrayPtr array;
    bool bound;
  };
  State state() const { return {resource_, description_, format_, array_, bound_}; }

  std::size_t checked(int axis) const {
    if (axis >= 0 && axis < 3) return static_cast<std::size_t>(axis);
    throw driver::DriverError(slot_.driver(), "cuTexRefSetAddressMode", CUDA_ERROR_INVALID_VALUE,
                              "a texture has dimensions 0 to 2");
  }

  /// What the hardware makes of the settings, some of which exclude one another: programs make them
  /// one by one, in any order.
  CUDA_TEXTURE_DESC effective() const {
    CUDA_TEXTURE_DESC effective = description_;
    if (is_integer(declared_format_)) {
      // The declaration says what the kernel's instructions read.
      if (reads_elements_) {
        effective.flags |= CU_TRSF_READ_AS_INTEGER;
      } else {
        effective.flags &= ~static_cast<unsigned int>(CU_TRSF_READ_AS_INTEGER);
      }
    }
    if ((effective.flags & CU_TRSF_NORMALIZED_COORDINATES) == 0) {
      for (CUaddress_mode& mode : effective.addressMode) {
        if (mode != CU_TR_ADDRESS_MODE_BORDER) mode = CU_TR_ADDRESS_MODE_CLAMP;
      }
    }
    const bool keeps_integers = (effective.flags & CU_TRSF_READ_AS_INTEGER) != 0 ||
                                format_.format == CU_AD_FORMAT_UNSIGNED_INT32 ||
                                format_.format == CU_AD_FORMAT_SIGNED_INT32;
    if (is_integer(format_.format) && keeps_integers) {
      effective.filterMode = CU_TR_FILTER_MODE_POINT;
    }
    return effective;
  }

  using Object = Owned<&driver::DriverTable::cuTexObjectDestroy>;

  Object made() {
    if (resource_.resType == CU_RESOURCE_TYPE_LINEAR) {
      resource_.res.linear.format = format_.format;
      resource_.res.linear.numChannels = static_cast<unsigned int>(format_.channels);
    } else if (resource_.resType == CU_RESOURCE_TYPE_PITCH2D) {
      resource_.res.pitch2D.format = format_.format;
      resource_.res.pitch2D.numChannels = static_cast<unsigned int>(format_.channels);
    }
    const CUDA_TEXTURE_DESC description = effective();
    Object object(slot_.context());
    slot_.driver().cuTexObjectCreate(object.out(), &resource_, &description, nullptr);
    return object;
  }

  void become(const State& state) {
    resource_ = state.resource;
    description_ = state.description;
    format_ = state.format;
    array_ = state.array;
    bound_ = state.bound;
  }

  /// Makes the object anew for other memory; `before` comes back when the driver refuses it.
  void bind_anew(const State& before) {
    try {
      const ContextScope scope(slot_.context());
      slot_.put(made());
    } catch (...) {
      become(before);
      throw;
    }
  }

  /// The same for another setting. Programs make settings before they bind the next memory, when
  /// the last one's is freed already: then the setting waits for that, and nothing is bound.
  void renew(const State& before) {
    if (!bound_) return;
    const ContextScope scope(slot_.context());
    try {
      slot_.put(made());
    } catch (const driver::DriverError&) {
      State after = state();
      become(before);
      if (can_be_made()) throw;
      slot_.put(Object(slot_.context()));
      after.array.reset();
      after.bound = false;
      become(after);
    }
  }
  bool can_be_made() {
    try {
      static_cast<void>(made());
      return true;
    } catch (const driver::DriverError&) {
      return false;
    }
  }

  CudaArrayPtr array_;  // outlives the object in the slot
  Slot<&driver::DriverTable::cuTexObjectDestroy> slot_;
  CUarray_format declared_format_;
  bool reads_elements_;
  bool bound_ = false;
  Format format_;
  CUDA_RESOURCE_DESC resource_{};
  CUDA_TEXTURE_DESC description_{};
};

class DeclaredSurface : public SurfaceReference {
 public:
  DeclaredSurface(const ContextPtr& context, CUdeviceptr variable) : slot_(context, variable) {}

  void set_array(CudaArrayPtr array, unsigned int) override {
    const ContextScope scope(slot_.context());
    CUDA_RESOURCE_DESC resource{};
    resource.resType = CU_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array->handle();
    Owned<&driver::DriverTable::cuSurfObjectDestroy> object(slot_.context());
    slot_.driver().cuSurfObjectCreate(object.out(), &resource);
    slot_.put(std::move(object));
    array_ = std::move(array);
  }
  CudaArrayPtr array() const override {
    if (array_) return array_;
    throw driver::DriverError(slot_.driver(), "cuSurfRefGetArray", CUDA_ERROR_INVALID_VALUE,
                              "no array is bound to the surface");
  }

 private:
  CudaArrayPtr array_;  // outlives the object in the slot
  Slot<&driver::DriverTable::cuSurfObjectDestroy> slot_;
};

struct FoundVariable {
  CUdeviceptr address;
  DeclaredReference declared;
};

std::optional<FoundVariable> find_variable(const Module& module, const std::string& name,
                                           std::uint64_t mark) {
  const ContextScope scope(module.context());
  const driver::DriverTable& driver = module.context()->driver();
  FoundVariable found{};
  std::size_t bytes = 0;
  const CUresult code =
      driver.cuModuleGetGlobal.status(&found.address, &bytes, module.handle(), name.c_str());
  if (code != CUDA_SUCCESS || bytes != sizeof(found.declared)) return std::nullopt;
  driver.cuMemcpyDtoH(&found.declared, found.address, sizeof(found.declared));
  if (found.declared.mark != mark) return std::nullopt;
  return found;
}

/// A reference and the module that keeps it.
template <class Reference>
std::shared_ptr<Reference> with_module(const ModulePtr& module, const std::shared_ptr<void>& kept) {
  auto both = std::make_shared<std::pair<ModulePtr, std::shared_ptr<void>>>(module, kept);
  return {both, static_cast<Reference*>(kept.get())};
}

}  // namespace

std::shared_ptr<TextureReference> find_declared_texture(const ModulePtr& module,
                                                        const std::string& name) {
  const auto found = find_variable(*module, name, DeclaredReference::kTexture);
  if (!found) return nullptr;
  return with_module<TextureReference>(module, module->keep("texture " + name, [&] {
    std::shared_ptr<TextureReference> made =
        std::make_shared<DeclaredTexture>(module->context(), found->address, found->declared);
    return made;
  }));
}

std::shared_ptr<SurfaceReference> find_declared_surface(const ModulePtr& module,
                                                        const std::string& name) {
  const auto found = find_variable(*module, name, DeclaredReference::kSurface);
  if (!found) return nullptr;
  return with_module<SurfaceReference>(module, module->keep("surface " + name, [&] {
    std::shared_ptr<SurfaceReference> made =
        std::make_shared<DeclaredSurface>(module->context(), found->address);
    return made;
  }));
}

std::vector<std::string> declared_references(const Module& module, std::uint64_t mark) {
  std::vector<std::string> names;
  if (!module.variable_names()) return names;
  for (const std::string& name : *module.variable_names()) {
    if (find_variable(module, name, mark)) names.push_back(name);
  }
  return names;
}

}  // namespace pycuda::cuda
