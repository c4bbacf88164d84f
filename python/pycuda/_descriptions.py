# SPDX-License-Identifier: MIT
"""What `repr` shows of the driver's objects: their sizes, states and places instead of an address in the interpreter.

A `repr` never raises and never waits: after a fault, or when an object is gone, it shows what is still known.
"""

from pycuda import _driver


def _bytes(number):
    return f"{number} byte{'' if number == 1 else 's'}"


def _context(context):
    device = context.get_device() if context == _driver.Context.get_current() else None
    return f"{context.handle:#x} on device {device.name()!r}, current" if device else f"{context.handle:#x}"


def _stream(stream):
    if stream.is_capturing():
        return f"{stream.handle:#x}, capturing"
    return f"{stream.handle:#x}, {'idle' if stream.is_done() else 'busy'}"


def _event(event):
    if not event.query():
        return "recorded, not reached"
    try:
        event.time_since(event)
    except _driver.Error as error:
        # An event without a time does not tell.
        return "never recorded" if "never recorded" in str(error) else "reached or never recorded"
    return "reached"


def _module(module):
    names = module._kernel_names()
    shown = ", ".join(map(_driver._readable_name, names[:5])) + (", ..." if len(names) > 5 else "")
    return f"with {len(names)} kernel{'' if len(names) == 1 else 's'}: {shown}" if names else "without kernels"


def _allocation(memory):
    address = int(memory)
    return f"of {_bytes(_driver._used_bytes(address))} at {address:#x}"


def _sized(memory):
    return f"of {_bytes(len(memory))} at {int(memory):#x}"


def _pool(pool):
    return (
        f"with {pool.active_blocks} blocks in use ({_bytes(pool.active_bytes)}) and {pool.held_blocks} free ones held, "
        f"{_bytes(pool.managed_bytes)} together"
    )


def _stream_ordered_pool(pool):
    return f"with {_bytes(pool.active_bytes)} in use of {_bytes(pool.managed_bytes)} reserved"


def _host_memory(memory):
    return f"mapped at device address {memory.get_device_pointer():#x}"


def _array(array):
    described = array.get_descriptor_3d()
    lengths = [length for length in (described.width, described.height, described.depth) if length]
    channels = f" in {described.num_channels} channels" if described.num_channels != 1 else ""
    return f"of {' x '.join(map(str, lengths))} {_name_of(_driver.array_format, described.format)}{channels}"


def _texture_reference(reference):
    described = _name_of(_driver.filter_mode, reference.get_filter_mode())
    modes = [_name_of(_driver.address_mode, reference.get_address_mode(axis)) for axis in (0, 1)]
    return f"filter {described}, addresses {' and '.join(dict.fromkeys(modes))}"


def _name_of(enumeration, value):
    names = (name for name, one in vars(enumeration).items() if not name.startswith("_") and one == value)
    return next(names, str(value))


def _handle(thing):
    return f"{thing.handle:#x}"


def _fields(*names):
    def describe(thing):
        return ", ".join(f"{name}={getattr(thing, name)}" for name in names)

    return describe


_DESCRIPTIONS = {
    "Array": _array,
    "ArrayDescriptor": _fields("width", "height", "format", "num_channels"),
    "ArrayDescriptor3D": _fields("width", "height", "depth", "format", "num_channels", "flags"),
    "Context": _context,
    "DeviceAllocation": _allocation,
    "DeviceMemoryPool": _pool,
    "DriverLog": lambda log: "of the calls that failed since it was made or read",
    "Event": _event,
    "GraphExec": _handle,
    "Memcpy2D": _fields("width_in_bytes", "height", "src_pitch", "dst_pitch"),
    "Memcpy3D": _fields("width_in_bytes", "height", "depth", "src_pitch", "dst_pitch"),
    "Module": _module,
    "PageLockedMemoryPool": _pool,
    "PagelockedHostAllocation": _host_memory,
    "PooledDeviceAllocation": _sized,
    "RegisteredHostMemory": _host_memory,
    "Stream": _stream,
    "StreamOrderedAllocation": _sized,
    "StreamOrderedMemoryPool": _stream_ordered_pool,
    "SurfaceObject": _handle,
    "TextureObject": _handle,
    "TextureReference": _texture_reference,
}


def _repr_by(describe):
    def represent(self):
        kind = type(self)
        name = f"{kind.__module__.removesuffix('.driver')}.{kind.__qualname__}"
        try:
            return f"<{name} {describe(self)}>"
        except Exception:
            # Freed, of a context that is gone or lost to a fault, or of a driver that cannot be asked.
            return f"<{name}, state unknown>"

    return represent


def describe_arguments(handler):
    """`repr` of In, Out and InOut."""
    array = handler.array
    described = f"{type(handler).__name__}({type(array).__name__}"
    # The launch refuses what is not an array.
    if not hasattr(array, "dtype") or not hasattr(array, "shape"):
        return f"{described}, which is not an array)"
    return f"{described} of {array.dtype}, shape {array.shape})"


for _name, _describe in _DESCRIPTIONS.items():
    getattr(_driver, _name).__repr__ = _repr_by(_describe)
