// SPDX-License-Identifier: MIT
// Calls of driver functions by name, for those that Python modules wrap: rarely called ones, whose
// arguments are numbers, handles and structures.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/base/bind.h"
#include "bindings/convert/integers.h"
#include "bindings/convert/stream_argument.h"
#include "bindings/gil/released.h"
#include "cuda/capturing.h"
#include "cuda/context_stack.h"
#include "driver/process_driver.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

using Word = std::uint64_t;

/// A number that does not fit the parameter at `position`.
struct OutOfRange {
  int position;
};

template <class Parameter>
Parameter parameter_of(Word word, int position) {
  if constexpr (std::is_pointer_v<Parameter>) {
    return reinterpret_cast<Parameter>(static_cast<std::uintptr_t>(word));
  } else if constexpr (std::is_enum_v<Parameter>) {
    return static_cast<Parameter>(parameter_of<int>(word, position));
  } else if constexpr (std::is_integral_v<Parameter>) {
    const auto value = static_cast<Parameter>(word);
    if (static_cast<Word>(value) != word) throw OutOfRange{position};
    return value;
  } else {
    static_assert(sizeof(Parameter) == sizeof(Word));
    Parameter value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }
}

template <class... Parameters, std::size_t... Positions>
void apply(const driver::Entry<CUresult(Parameters...)>& entry, const Word* words,
           std::index_sequence<Positions...>) {
  entry(parameter_of<Parameters>(words[Positions], static_cast<int>(Positions) + 1)...);
}

template <class... Parameters>
void apply(const driver::Entry<CUresult(Parameters...)>& entry, const Word* words) {
  apply(entry, words, std::index_sequence_for<Parameters...>());
}

template <class... Parameters>
consteval std::size_t count_of(driver::Entry<CUresult(Parameters...)> driver::DriverTable::*) {
  return sizeof...(Parameters);
}

struct NamedFunction {
  const char* name;
  std::size_t count;
  void (*call)(const driver::DriverTable& driver, const Word* words);
};

constexpr NamedFunction named_functions[] = {
#define CALL(function)                                  \
  {#function, count_of(&driver::DriverTable::function), \
   [](const driver::DriverTable& driver, const Word* words) { apply(driver.function, words); }},
#include "bindings/families/driver_calls.def"
#undef CALL
};

const NamedFunction& function_named(const char* name) {
  const auto* const found =
      std::find_if(std::begin(named_functions), std::end(named_functions),
                   [&](const NamedFunction& one) { return std::strcmp(one.name, name) == 0; });
  if (found == std::end(named_functions)) throw nb::attribute_error(name);
  return *found;
}

/// The arguments as words; buffers stay in place while this lives.
class Words {
 public:
  Words() { buffers_.reserve(16); }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  ~Words() {
    for (Py_buffer& buffer : buffers_) PyBuffer_Release(&buffer);
  }
  const Word* data() const { return words_.data(); }

  void add(PyObject* object) { words_.push_back(word_of(object)); }

 private:
  Word word_of(PyObject* object) {
    if (object == Py_None) return 0;
    if (PyLong_Check(object)) return number(object);
    if (PyObject_HasAttrString(object, "__cuda_stream__") != 0) {
      return reinterpret_cast<Word>(stream_argument(object));
    }
    if (PyObject_CheckBuffer(object) != 0) {
      Py_buffer& buffer = buffers_.emplace_back();
      if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) != 0) {
        buffers_.pop_back();
        throw nb::python_error();
      }
      return reinterpret_cast<Word>(buffer.buf);
    }
    return number(detail::index_of(object, "an argument").ptr());
  }

  static Word number(PyObject* object) {
    const Word word = PyLong_AsUnsignedLongLong(object);
    if (PyErr_Occurred() == nullptr) return word;
    PyErr_Clear();
    return static_cast<Word>(as_integer<std::int64_t>(object, "an argument"));
  }

  std::vector<Word> words_;
  std::vector<Py_buffer> buffers_;
};

void call(const char* name, const nb::args& arguments) {
  const NamedFunction& function = function_named(name);
  if (arguments.size() != function.count) {
    PyErr_Format(PyExc_TypeError, "%s takes %zu arguments, not %zu", name, function.count,
                 arguments.size());
    throw nb::python_error();
  }
  Words words;
  for (nb::handle argument : arguments) words.add(argument.ptr());
  const driver::DriverTable& driver = driver::process_driver();
  cuda::ContextPtr context = cuda::current_context();
  if (!context) context = cuda::process_context();
  try {
    without_gil([&] {
      if (!context) return function.call(driver, words.data());
      const cuda::ContextScope scope(context);
      return function.call(driver, words.data());
    });
  } catch (const OutOfRange& wrong) {
    raise_out_of_range((std::string("an argument of ") + name).c_str(),
                       arguments[wrong.position - 1]);
  }
}

}  // namespace

void bind_driver_call(nb::module_& m) {
  m.def("_call", &call, nb::arg("name"), nb::arg("arguments"),
        "Call a driver function: numbers and handles as they are, None for a null pointer, buffers "
        "by their address.");
}

}  // namespace pycuda::bindings
