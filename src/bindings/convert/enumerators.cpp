// SPDX-License-Identifier: MIT
#include "bindings/convert/enumerators.h"

#include <cstring>
#include <string>

#include "bindings/base/limited_api.h"
#include "driver/known_enumeration.h"

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

struct NamedEnumeration {
  const char* name;
  const driver::KnownEnumeration** known;
};

const NamedEnumeration named_enumerations[] = {
#define ENUMERATION(type, name) {#name, &driver::known_enumeration<type>},
#include "bindings/convert/enumeration_names.def"
#undef ENUMERATION
};

}  // namespace

namespace detail {

void check_member(nb::handle value, const char* name, const char* what) {
  const nb::module_ module = nb::module_::import_("pycuda._driver");
  if (PyIndex_Check(value.ptr()) == 0) {
    PyErr_Format(PyExc_TypeError, "%s must be a member of pycuda.driver.%s, not %s", what, name,
                 type_name(value.ptr()).c_str());
    throw nb::python_error();
  }
  if (!nb::isinstance(value, module.attr("_Enumeration"))) return;
  if (nb::isinstance(value, module.attr(name))) return;
  PyErr_Format(PyExc_TypeError, "%s must be a member of pycuda.driver.%s, not %R", what, name,
               value.ptr());
  throw nb::python_error();
}

}  // namespace detail

void name_in_errors(const char* name, std::span<const Member> members) {
  // As long as the process: calls at its end fail, too.
  static auto* const known = new driver::KnownEnumeration[std::size(named_enumerations)];
  for (std::size_t i = 0; i < std::size(named_enumerations); ++i) {
    if (std::strcmp(named_enumerations[i].name, name) != 0) continue;
    known[i].name = std::string("pycuda.driver.") + name;
    for (const Member& member : members) known[i].members.emplace_back(member.name, member.value);
    *named_enumerations[i].known = &known[i];
  }
}

}  // namespace pycuda::bindings
