// SPDX-License-Identifier: MIT
// cuModule*: loading, asking, unloading.
#include <algorithm>
#include <memory>
#include <string>

#include "cpu/api/entry_guard.h"
#include "cpu/api/module.h"
#include "cpu/api/program_image.h"
#include "cpu/api/texture_reference.h"
#include "cpu/exec/source_places.h"

using namespace pycuda::cpu::api;

namespace {

CUresult load(CUmodule* handle, const void* image, std::size_t available_bytes,
              JitOptions& options) {
  return with_context([&](Context& context) -> CUresult {
    if (handle == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::shared_ptr<const pycuda::cpu::jit::Program> program;
    CUresult status = compile_image(image, available_bytes, options, &program);
    if (status != CUDA_SUCCESS) return status;
    Module* module = nullptr;
    status = load_module(context, program, options.max_registers(), nullptr, &module);
    if (status == CUDA_SUCCESS) *handle = module->handle();
    return status;
  });
}

template <class Body>
CUresult with_module(CUmodule handle, Body&& body,
                     const char* entry = __builtin_FUNCTION()) noexcept {
  return with_context(
      [&](Context&) -> CUresult {
        ObjectPin pin;
        const std::shared_ptr<Module> module = Module::share(handle);
        if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
        pin.is_of(module->context().handle());
        const CUresult status = module->context().status();
        return status == CUDA_SUCCESS ? body(*module) : status;
      },
      entry);
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  JitOptions options;
  return load(module, image, SIZE_MAX, options);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions,
                            CUjit_option* options, void** optionValues) {
  return with_context([&](Context&) -> CUresult {
    JitOptions parsed;
    const CUresult status = JitOptions::parse(numOptions, options, optionValues, &parsed);
    return status == CUDA_SUCCESS ? load(module, image, SIZE_MAX, parsed) : status;
  });
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  JitOptions options;
  return load(module, fatCubin, SIZE_MAX, options);
}

CUresult cuModuleLoad(CUmodule* module, const char* fname) {
  return with_context([&](Context&) -> CUresult {
    if (fname == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::string content;
    const CUresult status = read_image_file(fname, &content);
    if (status != CUDA_SUCCESS) return status;
    JitOptions options;
    return load(module, content.c_str(), content.size() + 1, options);
  });
}

/// Beyond NVIDIA's interface: tells where the user's program has a source of the module, so that
/// faults name that place. `file` is what the PTX's .file directive calls the source (its path, or
/// the last part of it), `text` the source itself. `place` names a line of it: "{}" in it stands
/// for the line's number, counted from `first_line`.
CUresult cuCpuModuleSetSource(CUmodule module, const char* file, const char* place,
                              unsigned int first_line, const char* text, size_t bytes) {
  return with_module(module, [&](Module& found) -> CUresult {
    if (file == nullptr || place == nullptr || text == nullptr) return CUDA_ERROR_INVALID_VALUE;
    pycuda::cpu::exec::add_source_place(found.image().get(),
                                        {file, std::string(text, bytes), place, first_line});
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleUnload(CUmodule hmod) {
  return with_module(hmod, [](Module& module) -> CUresult {
    if (module.is_of_library()) return CUDA_ERROR_NOT_PERMITTED;
    Context& context = module.context();
    // Variables of the module may be in use by copies and by kernels of other modules.
    const CUresult status = context.finish_before("cuModuleUnload");
    if (status != CUDA_SUCCESS) return status;
    if (context.disown(&module) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    module.retire();
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  return with_driver([&]() -> CUresult {
    if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *mode = loads_lazily() ? CU_MODULE_LAZY_LOADING : CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) {
  return with_module(hmod, [&](Module& module) -> CUresult {
    if (hfunc == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const Function* function = module.find_function(name);
    if (function == nullptr) return CUDA_ERROR_NOT_FOUND;
    const CUfunction handle = function->handle();
    const pycuda::cpu::Kernel* kernel = nullptr;
    const CUresult status = function->load(&kernel);
    if (status == CUDA_SUCCESS) *hfunc = handle;
    return status;
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) {
  return with_module(mod, [&](Module& module) -> CUresult {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(module.functions().size());
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions,
                                    CUmodule mod) {
  return with_module(mod, [&](Module& module) -> CUresult {
    if (functions == nullptr || numFunctions == 0) return CUDA_ERROR_INVALID_VALUE;
    const std::size_t count = std::min<std::size_t>(numFunctions, module.functions().size());
    for (std::size_t i = 0; i < count; ++i) functions[i] = module.functions()[i]->handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  return with_module(hmod, [&](Module& module) -> CUresult {
    if ((dptr == nullptr && bytes == nullptr) || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto found = module.image()->code().find_variable(name);
    const bool reference = module.find_reference(name, false) != nullptr ||
                           module.find_reference(name, true) != nullptr;
    if (!found || reference) return CUDA_ERROR_NOT_FOUND;
    if (dptr != nullptr) *dptr = reinterpret_cast<CUdeviceptr>(found->address);
    if (bytes != nullptr) *bytes = found->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetTexRef(CUtexref* pTexRef, CUmodule hmod, const char* name) {
  return with_module(hmod, [&](Module& module) -> CUresult {
    if (pTexRef == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const TextureReference* reference = module.find_reference(name, false);
    if (reference == nullptr) return CUDA_ERROR_NOT_FOUND;
    *pTexRef = reference->texture_handle();
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetSurfRef(CUsurfref* pSurfRef, CUmodule hmod, const char* name) {
  return with_module(hmod, [&](Module& module) -> CUresult {
    if (pSurfRef == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const TextureReference* reference = module.find_reference(name, true);
    if (reference == nullptr) return CUDA_ERROR_NOT_FOUND;
    *pSurfRef = reference->surface_handle();
    return CUDA_SUCCESS;
  });
}

}  // extern "C"
