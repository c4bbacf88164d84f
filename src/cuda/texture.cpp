// SPDX-License-Identifier: MIT
#include "cuda/texture.h"

namespace pycuda::cuda {

TextureReference::TextureReference() : reference_(require_context()) {
  reference_.driver().cuTexRefCreate(reference_.out());
}

TextureReference::TextureReference(ModulePtr module, const std::string& name)
    : module_(std::move(module)),
      reference_(Owned<&driver::DriverTable::cuTexRefDestroy>::borrow(
          module_->context(), module_->texture_reference(name))) {}

void TextureReference::set_array(CudaArrayPtr array) {
  const ContextScope scope(reference_.context());
  reference_.driver().cuTexRefSetArray(reference_.get(), array->handle(), CU_TRSA_OVERRIDE_FORMAT);
  array_ = std::move(array);
}

std::size_t TextureReference::set_address(CUdeviceptr address, std::size_t bytes,
                                          bool allow_offset) {
  const ContextScope scope(reference_.context());
  std::size_t offset = 0;
  reference_.driver().cuTexRefSetAddress(&offset, reference_.get(), address, bytes);
  array_.reset();
  if (offset != 0 && !allow_offset) {
    throw driver::DriverError("texture_reference::set_address", CUDA_ERROR_INVALID_VALUE,
                              "texture binding resulted in offset, but allow_offset was false");
  }
  return offset;
}

void TextureReference::set_address_2d(CUdeviceptr address, const CUDA_ARRAY_DESCRIPTOR& descriptor,
                                      std::size_t pitch) {
  const ContextScope scope(reference_.context());
  reference_.driver().cuTexRefSetAddress2D(reference_.get(), &descriptor, address, pitch);
  array_.reset();
}

void TextureReference::set_format(CUarray_format format, int channels) {
  const ContextScope scope(reference_.context());
  reference_.driver().cuTexRefSetFormat(reference_.get(), format, channels);
}

void TextureReference::set_address_mode(int axis, CUaddress_mode mode) {
  const ContextScope scope(reference_.context());
  reference_.driver().cuTexRefSetAddressMode(reference_.get(), axis, mode);
}

void TextureReference::set_filter_mode(CUfilter_mode mode) {
  const ContextScope scope(reference_.context());
  reference_.driver().cuTexRefSetFilterMode(reference_.get(), mode);
}

void TextureReference::set_flags(unsigned int flags) {
  const ContextScope scope(reference_.context());
  reference_.driver().cuTexRefSetFlags(reference_.get(), flags);
}

void TextureReference::set_border_color(const std::array<float, 4>& color) {
  const ContextScope scope(reference_.context());
  std::array<float, 4> values = color;
  reference_.driver().cuTexRefSetBorderColor(reference_.get(), values.data());
}

CUdeviceptr TextureReference::address() const {
  const ContextScope scope(reference_.context());
  CUdeviceptr address = 0;
  reference_.driver().cuTexRefGetAddress(&address, reference_.get());
  return address;
}

CudaArrayPtr TextureReference::array() const {
  const ContextScope scope(reference_.context());
  CUarray array = nullptr;
  reference_.driver().cuTexRefGetArray(&array, reference_.get());
  return CudaArray::borrow(reference_.context(), array);
}

CUaddress_mode TextureReference::address_mode(int axis) const {
  const ContextScope scope(reference_.context());
  CUaddress_mode mode{};
  reference_.driver().cuTexRefGetAddressMode(&mode, reference_.get(), axis);
  return mode;
}

CUfilter_mode TextureReference::filter_mode() const {
  const ContextScope scope(reference_.context());
  CUfilter_mode mode{};
  reference_.driver().cuTexRefGetFilterMode(&mode, reference_.get());
  return mode;
}

TextureReference::Format TextureReference::format() const {
  const ContextScope scope(reference_.context());
  Format format{};
  reference_.driver().cuTexRefGetFormat(&format.format, &format.channels, reference_.get());
  return format;
}

unsigned int TextureReference::flags() const {
  const ContextScope scope(reference_.context());
  unsigned int flags = 0;
  reference_.driver().cuTexRefGetFlags(&flags, reference_.get());
  return flags;
}

SurfaceReference::SurfaceReference(ModulePtr module, const std::string& name)
    : module_(std::move(module)), reference_(module_->surface_reference(name)) {}

void SurfaceReference::set_array(CudaArrayPtr array, unsigned int flags) {
  const ContextScope scope(module_->context());
  module_->context()->driver().cuSurfRefSetArray(reference_, array->handle(), flags);
  array_ = std::move(array);
}

CudaArrayPtr SurfaceReference::array() const {
  const ContextScope scope(module_->context());
  CUarray array = nullptr;
  module_->context()->driver().cuSurfRefGetArray(&array, reference_);
  return CudaArray::borrow(module_->context(), array);
}

TextureObject::TextureObject(const CUDA_RESOURCE_DESC& resource,
                             const CUDA_TEXTURE_DESC& description, CudaArrayPtr array)
    : array_(std::move(array)), object_(require_context()) {
  object_.driver().cuTexObjectCreate(object_.out(), &resource, &description, nullptr);
}

void TextureObject::free() {
  if (object_) object_.release("texture_object::free");
  array_.reset();
}

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
