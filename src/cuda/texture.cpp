// SPDX-License-Identifier: MIT
#include "cuda/texture.h"

#include <new>
#include <utility>

#include "cuda/declared_reference.h"
#include "cuda/release_after_work.h"

namespace pycuda::cuda {

namespace {

/// The driver's own.
class DriverTextureReference : public TextureReference {
 public:
  using Handle = Owned<&driver::DriverTable::cuTexRefDestroy>;

  DriverTextureReference(ModulePtr module, Handle reference)
      : module_(std::move(module)), reference_(std::move(reference)) {}

  void set_array(CudaArrayPtr array) override {
    const ContextScope scope(reference_.context());
    reference_.driver().cuTexRefSetArray(reference_.get(), array->handle(),
                                         CU_TRSA_OVERRIDE_FORMAT);
    array_ = std::move(array);
  }

  std::size_t set_address(CUdeviceptr address, std::size_t bytes, bool allow_offset) override {
    const ContextScope scope(reference_.context());
    std::size_t offset = 0;
    reference_.driver().cuTexRefSetAddress(&offset, reference_.get(), address, bytes);
    array_.reset();
    if (offset != 0 && !allow_offset) {
      throw_offset();
    }
    return offset;
  }

  void set_address_2d(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                      std::size_t pitch) override {
    const ContextScope scope(reference_.context());
    reference_.driver().cuTexRefSetAddress2D(reference_.get(), &descriptor, address, pitch);
    array_.reset();
  }

  void set_format(CUarray_format format, int channels) override {
    const ContextScope scope(reference_.context());
    reference_.driver().cuTexRefSetFormat(reference_.get(), format, channels);
  }

  void set_address_mode(int axis, CUaddress_mode mode) override {
    const ContextScope scope(reference_.context());
    reference_.driver().cuTexRefSetAddressMode(reference_.get(), axis, mode);
  }

  void set_filter_mode(CUfilter_mode mode) override {
    const ContextScope scope(reference_.context());
    reference_.driver().cuTexRefSetFilterMode(reference_.get(), mode);
  }

  void set_flags(unsigned int flags) override {
    const ContextScope scope(reference_.context());
    reference_.driver().cuTexRefSetFlags(reference_.get(), flags);
  }

  void set_border_color(const std::array<float, 4>& color) override {
    const ContextScope scope(reference_.context());
    std::array<float, 4> values = color;
    reference_.driver().cuTexRefSetBorderColor(reference_.get(), values.data());
  }

  CUdeviceptr address() const override {
    const ContextScope scope(reference_.context());
    CUdeviceptr address = 0;
    reference_.driver().cuTexRefGetAddress(&address, reference_.get());
    return address;
  }

  CudaArrayPtr array() const override {
    const ContextScope scope(reference_.context());
    CUarray array = nullptr;
    reference_.driver().cuTexRefGetArray(&array, reference_.get());
    return CudaArray::borrow(reference_.context(), array);
  }

  CUaddress_mode address_mode(int axis) const override {
    const ContextScope scope(reference_.context());
    CUaddress_mode mode{};
    reference_.driver().cuTexRefGetAddressMode(&mode, reference_.get(), axis);
    return mode;
  }

  CUfilter_mode filter_mode() const override {
    const ContextScope scope(reference_.context());
    CUfilter_mode mode{};
    reference_.driver().cuTexRefGetFilterMode(&mode, reference_.get());
    return mode;
  }

  Format format() const override {
    const ContextScope scope(reference_.context());
    Format format{};
    reference_.driver().cuTexRefGetFormat(&format.format, &format.channels, reference_.get());
    return format;
  }

  unsigned int flags() const override {
    const ContextScope scope(reference_.context());
    unsigned int flags = 0;
    reference_.driver().cuTexRefGetFlags(&flags, reference_.get());
    return flags;
  }

 private:
  ModulePtr module_;
  CudaArrayPtr array_;
  Handle reference_;
};

class DriverSurfaceReference : public SurfaceReference {
 public:
  DriverSurfaceReference(ModulePtr module, CUsurfref reference)
      : module_(std::move(module)), reference_(reference) {}

  void set_array(CudaArrayPtr array, unsigned int flags) override {
    const ContextScope scope(module_->context());
    module_->context()->driver().cuSurfRefSetArray(reference_, array->handle(), flags);
    array_ = std::move(array);
  }

  CudaArrayPtr array() const override {
    const ContextScope scope(module_->context());
    CUarray array = nullptr;
    module_->context()->driver().cuSurfRefGetArray(&array, reference_);
    return CudaArray::borrow(module_->context(), array);
  }

 private:
  ModulePtr module_;
  CudaArrayPtr array_;
  CUsurfref reference_;
};

}  // namespace

std::shared_ptr<TextureReference> TextureReference::create() {
  DriverTextureReference::Handle reference(require_context());
  reference.driver().cuTexRefCreate(reference.out());
  return std::make_shared<DriverTextureReference>(nullptr, std::move(reference));
}

std::shared_ptr<TextureReference> TextureReference::of(ModulePtr module, const std::string& name) {
  if (auto declared = find_declared_texture(module, name)) return declared;
  auto reference =
      DriverTextureReference::Handle::borrow(module->context(), module->texture_reference(name));
  return std::make_shared<DriverTextureReference>(std::move(module), std::move(reference));
}

void TextureReference::throw_offset() {
  throw driver::DriverError("texture_reference::set_address", CUDA_ERROR_INVALID_VALUE,
                            "texture binding resulted in offset, but allow_offset was false");
}

std::shared_ptr<SurfaceReference> SurfaceReference::of(ModulePtr module, const std::string& name) {
  if (auto declared = find_declared_surface(module, name)) return declared;
  const CUsurfref reference = module->surface_reference(name);
  return std::make_shared<DriverSurfaceReference>(std::move(module), reference);
}

namespace {

/// Drops an object and the array behind it, after the work that may use them if its handle is
/// known to others.
template <class Memory, class Object>
void drop_object(bool told, std::shared_ptr<Memory>& array, Object& object) noexcept {
  if (!told || !object) return;
  try {
    const ContextPtr context = object.context();
    auto kept = std::make_shared<std::pair<std::shared_ptr<Memory>, Object>>(std::move(array),
                                                                             std::move(object));
    release_after_work(context, std::move(kept));
  } catch (const std::bad_alloc&) {
    // It goes at once.
  }
}

}  // namespace

TextureObject::~TextureObject() { drop_object(told_, memory_, object_); }

TextureObject::TextureObject(const CUDA_RESOURCE_DESC& resource,
                             const CUDA_TEXTURE_DESC& description,
                             std::shared_ptr<const void> memory)
    : memory_(std::move(memory)), object_(require_context()) {
  object_.driver().cuTexObjectCreate(object_.out(), &resource, &description, nullptr);
}

TextureObject::TextureObject(const TextureObject& whole, const CUDA_RESOURCE_VIEW_DESC& view)
    : memory_(whole.memory_), object_(require_context()) {
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC description{};
  object_.driver().cuTexObjectGetResourceDesc(&resource, whole.object_.get());
  object_.driver().cuTexObjectGetTextureDesc(&description, whole.object_.get());
  object_.driver().cuTexObjectCreate(object_.out(), &resource, &description, &view);
}

void TextureObject::free() {
  if (object_) object_.release("texture_object::free");
  memory_.reset();
}

SurfaceObject::~SurfaceObject() { drop_object(told_, array_, object_); }

SurfaceObject::SurfaceObject(CudaArrayPtr array)
    : array_(std::move(array)), object_(require_context()) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array_->handle();
  object_.driver().cuSurfObjectCreate(object_.out(), &resource);
}

void SurfaceObject::free() {
  if (object_) object_.release("surface_object::free");
  array_.reset();
}

}  // namespace pycuda::cuda
