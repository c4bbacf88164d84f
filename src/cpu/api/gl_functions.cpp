// SPDX-License-Identifier: MIT
// Finds OpenGL by EGL or GLX, whichever has a context current.
#include "cpu/api/gl_functions.h"

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/dynlib.h"

namespace pycuda::cpu::api {
namespace {

constexpr unsigned gl_version = 0x1F02;
constexpr unsigned gl_sync_gpu_commands_complete = 0x9117;

/// A library that makes OpenGL contexts current.
struct WindowSystem {
  const char* soname;
  const char* get_context;
  const char* get_function;
};
constexpr WindowSystem window_systems[] = {
    {"libEGL.so.1", "eglGetCurrentContext", "eglGetProcAddress"},
    {"libGLX.so.0", "glXGetCurrentContext", "glXGetProcAddressARB"},
    {"libGL.so.1", "glXGetCurrentContext", "glXGetProcAddressARB"},
};

using Find = void* (*)(const char*);

/// EGL before 1.5 finds extensions only; the rest is in a library.
void* find_function(Find find, const char* name) {
  if (void* const found = find(name); found != nullptr) return found;
  for (const char* soname : {"libOpenGL.so.0", "libGL.so.1", "libGLESv2.so.2"}) {
    const auto library = base::DynamicLibrary::find_loaded(soname);
    if (!library.ok()) continue;
    if (void* const found = library.value().symbol(name); found != nullptr) return found;
  }
  return nullptr;
}

void fill(GlContext& gl, Find find) {
#define PYCUDA_GL_LOAD(result, name, parameters) \
  gl.name = reinterpret_cast<decltype(gl.name)>(find_function(find, "gl" #name));
  PYCUDA_GL_FUNCTIONS(PYCUDA_GL_LOAD)
#undef PYCUDA_GL_LOAD
}

/// "4.5 (Core Profile) Mesa ..." or "OpenGL ES 3.2 Mesa ...".
bool read_version(GlContext& gl) {
  if (gl.GetString == nullptr || gl.GetError == nullptr || gl.GetIntegerv == nullptr) return false;
  const auto* const text = reinterpret_cast<const char*>(gl.GetString(gl_version));
  if (text == nullptr) return false;
  gl.is_es = std::strncmp(text, "OpenGL ES", 9) == 0;
  const char* const digits = std::strpbrk(text, "0123456789");
  if (digits == nullptr) return false;
  char* end = nullptr;
  gl.version = 10 * static_cast<int>(std::strtol(digits, &end, 10));
  if (*end == '.') gl.version += static_cast<int>(std::strtol(end + 1, nullptr, 10));
  // Vertex buffers came with 1.5 and ES 1.1; what is used here of ES, with 3.0.
  return gl.version >= (gl.is_es ? 30 : 15);
}

}  // namespace

void GlContext::clear_errors() const {
  // A context that is lost goes on telling so.
  for (int i = 0; i < 16 && GetError() != 0; ++i) {
  }
}

unsigned GlContext::take_error() const {
  const unsigned first = GetError();
  if (first != 0) clear_errors();
  return first;
}

GlContext current_gl_context() {
  for (const WindowSystem& system : window_systems) {
    const auto library = base::DynamicLibrary::find_loaded(system.soname);
    if (!library.ok()) continue;
    auto* const current = library.value().function<void*()>(system.get_context);
    auto* const find = library.value().function<void*(const char*)>(system.get_function);
    if (current == nullptr || find == nullptr) continue;
    const void* const handle = current();
    if (handle == nullptr) continue;
    GlContext gl;
    fill(gl, find);
    if (!read_version(gl)) continue;
    gl.handle = handle;
    return gl;
  }
  return {};
}

GlShareGroup::GlShareGroup(const GlContext& gl) : context_(gl.handle) {
  if (gl.has_syncs()) sync_ = gl.FenceSync(gl_sync_gpu_commands_complete, 0);
}

bool GlShareGroup::reaches(const GlContext& gl) const {
  if (!gl) return false;
  if (sync_ != nullptr && gl.has_syncs()) return gl.IsSync(sync_) != 0;
  return context_ == gl.handle;
}

void GlShareGroup::release(const GlContext& gl) {
  if (sync_ != nullptr && reaches(gl) && gl.has_syncs()) gl.DeleteSync(sync_);
  forget();
}

}  // namespace pycuda::cpu::api
