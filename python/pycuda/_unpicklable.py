# SPDX-License-Identifier: MIT
"""Pickling and copying: a device is found again; a kernel, a stream or memory cannot go, and says what to send."""

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


def _found_device(kind, bus_id, name):
    """The device of this process that another pickled: numbers depend on CUDA_VISIBLE_DEVICES, addresses do not."""
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
