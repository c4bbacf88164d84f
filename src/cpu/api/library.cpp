// SPDX-License-Identifier: MIT
// cuLibrary* and cuKernel*.
#include "cpu/api/library.h"

#include <algorithm>

#include "cpu/api/entry_guard.h"
#include "cpu/api/program_image.h"
#include "cpu/jit/program_code.h"

namespace pycuda::cpu::api {

KernelHandle::KernelHandle(Library& library, const KernelFacts& facts)
    : library_(library), facts_(facts), handle_(registry.kernels.insert(this)) {}

KernelHandle::~KernelHandle() { registry.kernels.erase(handle_); }

CUresult KernelHandle::function_in(Context& context, Function** function) {
  Module* module = nullptr;
  const CUresult status = library_.module_in(context, &module);
  if (status != CUDA_SUCCESS) return status;
  *function = module->find_function(facts_.name);
  return *function != nullptr ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

Library::Library(std::shared_ptr<const jit::Program> program, unsigned max_registers)
    : program_(std::move(program)), max_registers_(max_registers) {
  for (const KernelFacts& facts : program_->kernels()) {
    kernels_.push_back(std::make_unique<KernelHandle>(*this, facts));
  }
  handle_ = registry.libraries.insert(this);
}

Library::~Library() {
  registry.libraries.erase(handle_);
  for (const auto& [context, handle] : modules_) {
    ObjectPin pin;
    const std::shared_ptr<Module> module = Module::share(handle);
    if (module == nullptr) continue;  // went with its context
    pin.is_of(module->context().handle());
    module->context().synchronize();
    module->context().disown(module.get());
  }
}

KernelHandle* Library::find_kernel(std::string_view name) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const auto& kernel) { return kernel->facts().name == name; });
  return found != kernels_.end() ? found->get() : nullptr;
}

CUresult Library::module_in(Context& context, Module** module) {
  const std::lock_guard lock(mutex_);
  CUmodule& handle = modules_[context.id()];
  // The context is used: the module stays as long as the library does.
  *module = handle != nullptr ? registry.modules.find(handle) : nullptr;
  if (*module != nullptr) return CUDA_SUCCESS;
  const CUresult status = load_module(context, program_, max_registers_, managed_, module);
  if (status != CUDA_SUCCESS) return status;
  handle = (*module)->handle();
  for (const auto& [setting, value] : settings_) {
    if (setting.device != context.device().ordinal()) continue;
    Function* function = (*module)->find_function(setting.kernel->facts().name);
    if (function != nullptr) function->set(setting.attribute, value);
  }
  return CUDA_SUCCESS;
}

CUresult Library::set_attribute(const KernelHandle& kernel, CUdevice device,
                                CUfunction_attribute attribute, int value) {
  const CUresult status = check_attribute(kernel.facts(), attribute, value);
  if (status != CUDA_SUCCESS) return status;
  const std::lock_guard lock(mutex_);
  settings_[Setting{&kernel, device, attribute}] = value;
  for (const auto& [context, handle] : modules_) {
    ObjectPin pin;
    const std::shared_ptr<Module> module = Module::share(handle);
    if (module != nullptr) pin.is_of(module->context().handle());
    if (module == nullptr || module->context().device().ordinal() != device) continue;
    Function* function = module->find_function(kernel.facts().name);
    if (function != nullptr) function->set(attribute, value);
  }
  return CUDA_SUCCESS;
}

CUresult Library::get_attribute(const KernelHandle& kernel, CUdevice device,
                                CUfunction_attribute attribute, int* value) {
  const std::lock_guard lock(mutex_);
  const auto found = settings_.find(Setting{&kernel, device, attribute});
  if (found != settings_.end()) {
    *value = found->second;
  } else if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
    *value = default_dynamic_shared_bytes(kernel.facts());
  } else if (attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) {
    *value = -1;
  } else {
    return fact_attribute(kernel.facts(),
                          program_->implementation().clusters_of(kernel.facts().name),
                          max_registers_, attribute, value);
  }
  return CUDA_SUCCESS;
}

namespace {

// Options of cuLibraryLoad*: the JIT's go with the compilation; both library options are hints that
// change nothing here.
CUresult load_library(CUlibrary* library, const void* image, std::size_t available_bytes,
                      CUjit_option* jit_options, void** jit_values, unsigned jit_count,
                      CUlibraryOption* options, unsigned option_count) {
  return with_driver([&]() -> CUresult {
    if (library == nullptr || image == nullptr || (option_count != 0 && options == nullptr)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    for (unsigned i = 0; i < option_count; ++i) {
      if (options[i] < 0 || options[i] >= CU_LIBRARY_NUM_OPTIONS) return CUDA_ERROR_INVALID_VALUE;
      if (options[i] == CU_LIBRARY_HOST_UNIVERSAL_FUNCTION_AND_DATA_TABLE)
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    JitOptions parsed;
    CUresult status = JitOptions::parse(jit_count, jit_options, jit_values, &parsed);
    if (status != CUDA_SUCCESS) return status;
    std::shared_ptr<const jit::Program> program;
    status = compile_image(image, available_bytes, parsed, &program);
    if (status != CUDA_SUCCESS) return status;
    *library =
        std::make_unique<Library>(std::move(program), parsed.max_registers()).release()->handle();
    return CUDA_SUCCESS;
  });
}

template <class Body>
CUresult with_library(CUlibrary handle, Body&& body,
                      const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        Library* library = registry.libraries.find(handle);
        return library != nullptr ? body(*library) : CUDA_ERROR_INVALID_HANDLE;
      },
      entry);
}

template <class Body>
CUresult with_library_module(CUlibrary handle, Body&& body,
                             const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context& context) -> CUresult {
        Library* library = registry.libraries.find(handle);
        if (library == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        Module* module = nullptr;
        const CUresult status = library->module_in(context, &module);
        return status == CUDA_SUCCESS ? body(*library, *module) : status;
      },
      entry);
}

template <class Body>
CUresult with_kernel(CUkernel handle, Body&& body,
                     const char* entry = __builtin_FUNCTION()) noexcept {
  return with_driver(
      [&]() -> CUresult {
        KernelHandle* kernel = registry.kernels.find(handle);
        return kernel != nullptr ? body(*kernel) : CUDA_ERROR_INVALID_HANDLE;
      },
      entry);
}

/// The same for those to which no kernel at all is an invalid value, as NVIDIA's driver has it.
template <class Body>
CUresult with_given_kernel(CUkernel handle, Body&& body,
                           const char* entry = __builtin_FUNCTION()) noexcept {
  if (handle == nullptr)
    return with_driver([]() -> CUresult { return CUDA_ERROR_INVALID_VALUE; }, entry);
  return with_kernel(handle, std::forward<Body>(body), entry);
}

CUresult library_variable(CUdeviceptr* pointer, std::size_t* bytes, CUlibrary library,
                          const char* name, bool managed) {
  return with_library_module(library, [&](Library& found, Module& module) -> CUresult {
    if ((pointer == nullptr && bytes == nullptr) || name == nullptr)
      return CUDA_ERROR_INVALID_VALUE;
    const auto& variables = found.program().variables();
    const auto variable =
        std::find_if(variables.begin(), variables.end(),
                     [&](const jit::GlobalVariable& known) { return known.name == name; });
    if (managed && (variable == variables.end() || !variable->is_managed))
      return CUDA_ERROR_NOT_FOUND;
    const auto address = module.image()->code().find_variable(name);
    if (!address) return CUDA_ERROR_NOT_FOUND;
    if (pointer != nullptr) *pointer = reinterpret_cast<CUdeviceptr>(address->address);
    if (bytes != nullptr) *bytes = address->bytes;
    return CUDA_SUCCESS;
  });
}

}  // namespace
}  // namespace pycuda::cpu::api

using namespace pycuda::cpu::api;

extern "C" {

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions,
                           void** jitOptionsValues, unsigned int numJitOptions,
                           CUlibraryOption* libraryOptions, void**,
                           unsigned int numLibraryOptions) {
  return load_library(library, code, SIZE_MAX, jitOptions, jitOptionsValues, numJitOptions,
                      libraryOptions, numLibraryOptions);
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions,
                               CUlibraryOption* libraryOptions, void**,
                               unsigned int numLibraryOptions) {
  return with_driver([&]() -> CUresult {
    if (fileName == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::string content;
    const CUresult status = read_image_file(fileName, &content);
    if (status != CUDA_SUCCESS) return status;
    return load_library(library, content.c_str(), content.size() + 1, jitOptions, jitOptionsValues,
                        numJitOptions, libraryOptions, numLibraryOptions);
  });
}

CUresult cuLibraryUnload(CUlibrary library) {
  return with_library(library, [](Library& found) -> CUresult {
    delete &found;
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  return with_library(library, [&](Library& found) -> CUresult {
    if (pKernel == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const KernelHandle* kernel = found.find_kernel(name);
    if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
    *pKernel = kernel->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) {
  return with_library(lib, [&](Library& found) -> CUresult {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(found.kernels().size());
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int numKernels, CUlibrary lib) {
  return with_library(lib, [&](Library& found) -> CUresult {
    if (kernels == nullptr || numKernels == 0) return CUDA_ERROR_INVALID_VALUE;
    const std::size_t count = std::min<std::size_t>(numKernels, found.kernels().size());
    for (std::size_t i = 0; i < count; ++i) kernels[i] = found.kernels()[i]->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  return with_library_module(library, [&](Library&, Module& module) -> CUresult {
    if (pMod == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pMod = module.handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return library_variable(dptr, bytes, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library,
                             const char* name) {
  return library_variable(dptr, bytes, library, name, true);
}

CUresult cuLibraryGetUnifiedFunction(void**, CUlibrary library, const char*) {
  // Functions are code for groups of a kernel's threads, none that the host could call too. The
  // answer is that of a GPU without unified function pointers.
  return with_library(library, [](Library&) { return CUDA_ERROR_INVALID_VALUE; });
}

CUresult cuKernelGetFunction(CUfunction* pFunc, CUkernel kernel) {
  return with_context([&](Context& context) -> CUresult {
    KernelHandle* found = registry.kernels.find(kernel);
    if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (pFunc == nullptr) return CUDA_ERROR_INVALID_VALUE;
    Function* function = nullptr;
    CUresult status = found->function_in(context, &function);
    if (status != CUDA_SUCCESS) return status;
    const CUfunction handle = function->handle();
    const pycuda::cpu::Kernel* loaded = nullptr;
    status = function->load(&loaded);
    if (status == CUDA_SUCCESS) *pFunc = handle;
    return status;
  });
}

CUresult cuKernelGetLibrary(CUlibrary* pLib, CUkernel kernel) {
  return with_kernel(kernel, [&](KernelHandle& found) -> CUresult {
    if (pLib == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pLib = found.library().handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetName(const char** name, CUkernel hfunc) {
  return with_given_kernel(hfunc, [&](KernelHandle& found) -> CUresult {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = found.facts().name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t* paramOffset,
                              size_t* paramSize) {
  return with_given_kernel(kernel, [&](KernelHandle& found) -> CUresult {
    // As NVIDIA's driver, although the answer is the same in all contexts.
    if (this_thread.current == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    const auto& parameters = found.facts().parameters;
    if (paramOffset == nullptr || paramIndex >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    *paramOffset = parameters[paramIndex].offset;
    if (paramSize != nullptr) *paramSize = parameters[paramIndex].bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int* pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev) {
  return with_kernel(kernel, [&](KernelHandle& found) -> CUresult {
    if (pi == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    return found.library().get_attribute(found, dev, attrib, pi);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev) {
  return with_kernel(kernel, [&](KernelHandle& found) -> CUresult {
    if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    return found.library().set_attribute(found, dev, attrib, val);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev) {
  return with_kernel(kernel, [&](KernelHandle&) -> CUresult {
    if (find_device(dev) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
    return config >= CU_FUNC_CACHE_PREFER_NONE && config <= CU_FUNC_CACHE_PREFER_EQUAL
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // extern "C"
