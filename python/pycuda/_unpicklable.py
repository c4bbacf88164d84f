# SPDX-License-Identifier: MIT
"""Pickling and copying: a device is found again; a kernel, a stream or memory cannot go, and says what to send.

What a worker process cannot restore fails where it is used, not the worker. A worker of a pool that raises while it
takes a task ends without an answer, and `multiprocessing.Pool` then waits for that answer forever. An object that
raises the error when it is used lets the task fail with it.
"""

import functools
import sys

from pycuda import _driver

_CODE = "send the source, and compile it in the other process"
_MEMORY = "send a copy of its contents in a NumPy array, or share it by mem_get_ipc_handle"
_MADE_THERE = "make one in the other process"
_INSTEAD = {
    "Array": _MEMORY,
    "Context": _MADE_THERE,
    "DeviceAllocation": _MEMORY,
    "DeviceMemoryPool": _MADE_THERE,
    "Event": f"{_MADE_THERE}, or share it by its ipc_handle",
    "Function": _CODE,
    "Graph": _MADE_THERE,
    "GraphExec": _MADE_THERE,
    "Module": _CODE,
    "PageLockedMemoryPool": _MADE_THERE,
    "PooledDeviceAllocation": _MEMORY,
    "Stream": _MADE_THERE,
    "StreamOrderedAllocation": _MEMORY,
    "SurfaceObject": _MADE_THERE,
    "TextureObject": _MADE_THERE,
    "TextureReference": _MADE_THERE,
}


def _refusal(name, instead):
    def refuse(self):
        article = "an" if name[0] in "AEIO" else "a"
        raise TypeError(f"cannot pickle or copy {article} {name}, which exists in this process alone: {instead}")

    return refuse


for _name, _instead in _INSTEAD.items():
    getattr(_driver, _name).__reduce__ = _refusal(_name, _instead)
del _name, _instead


_REFUSED = frozenset(
    "__call__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __bool__ __getattr__ __setattr__ __delattr__ "
    "__reduce_ex__".split()
)
_OF_EVERY_OBJECT = frozenset(dir(object)) | {"__dict__", "__weakref__", "__slots__", "__module__", "__setstate__"}


def _is_worker():
    """Whether multiprocessing, and not the user, has started this process."""
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


@functools.cache
def _class_for(kind):
    """A class of objects that stand for those of `kind`: all that they can do raises the error."""

    def refuse(self, *_, **__):
        raise object.__getattribute__(self, "error").with_traceback(None)

    def describe(self):
        return f"<pycuda {kind.__name__} that could not be restored: {object.__getattribute__(self, 'error')}>"

    # Python looks for these in the class.
    special = {name for name in dir(kind) if name.startswith("__") and callable(getattr(kind, name, None))}
    members = dict.fromkeys(special - _OF_EVERY_OBJECT | _REFUSED, refuse)
    members["__class__"] = property(refuse)  # isinstance() asks for it
    # Pickles set the attributes of what they restore.
    members |= {"__slots__": ("error",), "__repr__": describe, "__setstate__": lambda self, state: None}
    return type(kind.__name__, (), members)


def restored(kind, make, *arguments):
    """What `make(*arguments)` gives; if that fails in a worker process, an object whose every use raises the error.

    Parameters
    ----------
    kind : type
        What the object is.
    make : callable
    *arguments
    """
    try:
        return make(*arguments)
    except _driver.Error as error:
        if not _is_worker():
            raise
        stand_in = object.__new__(_class_for(kind))
        object.__setattr__(stand_in, "error", error)
        return stand_in


def _found_device(kind, bus_id, name):
    """The device of this process that another pickled: numbers depend on CUDA_VISIBLE_DEVICES, addresses do not."""
    return restored(kind, _device_at, kind, bus_id, name)


def _device_at(kind, bus_id, name):
    _driver.init()
    try:
        return kind(bus_id)
    except _driver.LogicError as error:
        error.args = (
            f"{error}; it was pickled as {name}: CUDA_VISIBLE_DEVICES may hide it here, and other machines have others",
        )
        raise


_driver.Device.__reduce__ = lambda self: (
    _found_device,
    (type(self), self.pci_bus_id(), self.name()),
    vars(self) or None,
)
