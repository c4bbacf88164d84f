// SPDX-License-Identifier: MIT
// The classes behind PyCUDA's enumerations, built from tables.
#include "bindings/convert/enumeration.h"

#include <string>

namespace nb = nanobind;

namespace pycuda::bindings {
namespace {

/// What `int` itself does.
template <typename Function>
Function int_slot(int slot) {
  return reinterpret_cast<Function>(PyType_GetSlot(&PyLong_Type, slot));
}

PyObject* new_member(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  nb::object made = nb::steal(int_slot<newfunc>(Py_tp_new)(type, args, kwargs));
  if (!made.is_valid()) return nullptr;
  nb::object values =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(type), "values"));
  if (values.is_valid() && PyDict_Check(values.ptr())) {
    if (PyObject* known = PyDict_GetItemWithError(values.ptr(), made.ptr())) {
      return nb::borrow(known).release().ptr();
    }
  }
  PyErr_Clear();
  return made.release().ptr();
}

PyObject* print_member(PyObject* self) {
  nb::object name = nb::steal(PyObject_GetAttrString(self, "name"));
  if (!name.is_valid()) return nullptr;
  if (name.is_none()) return int_slot<reprfunc>(Py_tp_repr)(self);
  return PyObject_Str(name.ptr());
}

PyObject* represent_member(PyObject* self) {
  nb::object module = nb::steal(PyObject_GetAttrString(self, "__module__"));
  nb::object type_name =
      nb::steal(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(self)), "__name__"));
  nb::object name = nb::steal(PyObject_GetAttrString(self, "name"));
  if (!module.is_valid() || !type_name.is_valid() || !name.is_valid()) return nullptr;
  if (!name.is_none()) {
    return PyUnicode_FromFormat("%U.%U.%S", module.ptr(), type_name.ptr(), name.ptr());
  }
  nb::object number = nb::steal(int_slot<reprfunc>(Py_tp_repr)(self));
  if (!number.is_valid()) return nullptr;
  return PyUnicode_FromFormat("%U.%U(%U)", module.ptr(), type_name.ptr(), number.ptr());
}

nb::object make_base(const nb::module_& scope) {
  static PyType_Slot slots[] = {
      {Py_tp_new, reinterpret_cast<void*>(new_member)},
      {Py_tp_str, reinterpret_cast<void*>(print_member)},
      {Py_tp_repr, reinterpret_cast<void*>(represent_member)},
      {0, nullptr},
  };
  static PyType_Spec spec = {"pycuda._driver._Enumeration", 0, 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  nb::object bases = nb::make_tuple(nb::handle(reinterpret_cast<PyObject*>(&PyLong_Type)));
  nb::object base = nb::steal(PyType_FromSpecWithBases(&spec, bases.ptr()));
  if (!base.is_valid()) throw nb::python_error();
  nb::setattr(base, "name", nb::none());
  nb::setattr(scope, "_Enumeration", base);
  return base;
}

nb::object new_class(nb::module_& scope, const char* name, nb::handle bases, nb::dict attributes,
                     std::span<const Member> members) {
  attributes["__module__"] = scope.attr("__name__");
  std::string all;
  for (const Member& member : members) (all += all.empty() ? "" : ", ") += member.name;
  attributes["__doc__"] = nb::str(("Numbers of the driver: " + all + ".").c_str());
  nb::object type = nb::handle(reinterpret_cast<PyObject*>(&PyType_Type))(name, bases, attributes);
  nb::setattr(scope, name, type);
  return type;
}

}  // namespace

void add_enumeration(nb::module_& scope, const char* name, std::span<const Member> members) {
  nb::object base = nb::hasattr(scope, "_Enumeration") ? nb::object(scope.attr("_Enumeration"))
                                                       : make_base(scope);
  nb::object type = new_class(scope, name, nb::make_tuple(base), nb::dict(), members);
  nb::dict names;
  nb::dict values;
  for (const Member& member : members) {
    // Not through the class: its constructor answers with the member that is there already for an
    // alias.
    nb::object made = nb::steal(int_slot<newfunc>(Py_tp_new)(
        reinterpret_cast<PyTypeObject*>(type.ptr()), nb::make_tuple(member.value).ptr(), nullptr));
    if (!made.is_valid()) throw nb::python_error();
    nb::setattr(made, "name", nb::str(member.name));
    nb::setattr(type, member.name, made);
    names[member.name] = made;
    values[nb::int_(member.value)] = made;
  }
  nb::setattr(type, "names", names);
  nb::setattr(type, "values", values);
}

void add_flag_names(nb::module_& scope, const char* name, std::span<const Member> members) {
  nb::dict attributes;
  for (const Member& member : members) attributes[member.name] = nb::int_(member.value);
  new_class(scope, name, nb::tuple(), attributes, members);
}

nb::object member_of(const char* name, long value) {
  return nb::module_::import_("pycuda._driver").attr(name)(value);
}

}  // namespace pycuda::bindings
