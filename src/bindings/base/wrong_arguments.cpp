// SPDX-License-Identifier: MIT
// The message for arguments that a bound function does not take, and for a class that has no
// constructor. nanobind writes them, and no hook changes them: linked with --wrap for the functions
// that it calls with the text.
#include <nanobind/nanobind.h>

#include <cstdarg>
#include <cstring>

namespace nb = nanobind;

namespace {

/// Raises TypeError with what a function of pycuda._wrong_arguments makes of `text`; false when it
/// makes nothing.
bool raise_in_words(const char* function, const char* text) {
  const nb::object module = nb::steal(PyImport_ImportModule("pycuda._wrong_arguments"));
  if (module.is_valid()) {
    const nb::object made = nb::steal(PyObject_CallMethod(module.ptr(), function, "s", text));
    if (made.is_valid()) {
      PyErr_SetObject(PyExc_TypeError, made.ptr());
      return true;
    }
  }
  PyErr_Clear();
  return false;
}

}  // namespace

extern "C" void __real_PyErr_SetString(PyObject* type, const char* text);

/// pycuda._wrong_arguments makes a sentence of nanobind's list; every other text stays.
extern "C" void __wrap_PyErr_SetString(PyObject* type, const char* text) {
  constexpr const char* kOfNanobind = "(): incompatible function arguments. ";
  if (type == PyExc_TypeError && std::strstr(text, kOfNanobind) != nullptr &&
      raise_in_words("message", text)) {
    return;
  }
  __real_PyErr_SetString(type, text);
}

/// The same for a class that only functions make objects of.
extern "C" PyObject* __wrap_PyErr_Format(PyObject* type, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  if (std::strcmp(format, "%s: no constructor defined!") == 0) {
    const char* name = va_arg(arguments, const char*);
    if (!raise_in_words("no_constructor", name)) PyErr_SetString(type, name);
  } else {
    PyErr_FormatV(type, format, arguments);
  }
  va_end(arguments);
  return nullptr;
}
