# SPDX-License-Identifier: MIT
"""What the driver keeps of devices, contexts, streams and kernels, and what changes it."""

from __future__ import annotations

import struct

from pycuda._driver import Context, Device, Event, Function, Stream, _module_of_function
from pycuda._driver_calls import call, member, method_of, number, property_of, static_method_of

__all__ = ["flush_gpu_direct_rdma_writes", "get_module_loading_mode", "gl_get_devices"]

_SM_COUNT = 0  # the only kind of affinity


def get_module_loading_mode():
    """Whether the driver loads kernels with their modules or when they are first needed.

    Returns
    -------
    module_loading_mode
        What the environment variable CUDA_MODULE_LOADING asks for; LAZY by default.
    """
    return member("module_loading_mode", call("cuModuleGetLoadingMode", "i"))


def gl_get_devices(which=1):
    """The devices that draw for the current OpenGL context: a list of `Device`.

    Parameters
    ----------
    which : int
        1 for all, 2 for those of the current frame, 3 for those of the next one.
    """
    room = 64
    found, *numbers = call("cuGLGetDevices", "I", f"{room}i", room, number(which, "which"))
    return [Device(ordinal) for ordinal in numbers[:found]]


def flush_gpu_direct_rdma_writes(all_devices=False):
    """Wait until what other devices wrote to the current context's memory by PCI Express is visible.

    Parameters
    ----------
    all_devices : bool
        Visible to the contexts of all devices, and not only to the one whose memory it is.

    Raises
    ------
    RuntimeError, LogicError
        When the device does not support it: `device_attribute.GPU_DIRECT_RDMA_FLUSH_WRITES_OPTIONS`.
    """
    call("cuFlushGPUDirectRDMAWrites", 0, 200 if all_devices else 100)


@method_of(Device)
def get_primary_context_state(self):
    """The `ctx_flags` of the device's primary context, and whether it is active, as (int, bool)."""
    flags, active = call("cuDevicePrimaryCtxGetState", hash(self), "I", "i")
    return flags, bool(active)


@method_of(Device)
def set_primary_context_flags(self, flags):
    """Set the `ctx_flags` of the device's primary context."""
    call("cuDevicePrimaryCtxSetFlags", hash(self), number(flags, "flags"))


@method_of(Device)
def reset_primary_context(self):
    """Destroy all that was made in the device's primary context, by other libraries too: it must not be used again."""
    call("cuDevicePrimaryCtxReset", hash(self))


@method_of(Device)
def has_exec_affinity(self):
    """Whether contexts on the device can be limited to some multiprocessors by NVIDIA's MPS."""
    return bool(call("cuDeviceGetExecAffinitySupport", "i", _SM_COUNT, hash(self)))


@method_of(Device)
def get_graph_mem_attribute(self, attribute):
    """A `graph_mem_attribute`: bytes that allocation nodes of graphs use or reserve on the device, now or at most."""
    return call("cuDeviceGetGraphMemAttribute", hash(self), number(attribute, "attribute"), "Q")


@method_of(Device)
def set_graph_mem_attribute(self, attribute, value=0):
    """Begin a maximum again, USED_MEM_HIGH or RESERVED_MEM_HIGH of `graph_mem_attribute`; `value` must be 0."""
    packed = struct.pack("Q", number(value, "value"))
    call("cuDeviceSetGraphMemAttribute", hash(self), number(attribute, "attribute"), packed)


@method_of(Device)
def trim_graph_memory(self):
    """Give memory back to the device that was reserved for allocation nodes of graphs and is not in use."""
    call("cuDeviceGraphMemTrim", hash(self))


@static_method_of(Context)
def get_flags():
    """The `ctx_flags` of the current context."""
    return call("cuCtxGetFlags", "I")


@static_method_of(Context)
def set_flags(flags):
    """Set the `ctx_flags` of the current context that can be changed: how calls that wait do it. Needs CUDA 12.1."""
    call("cuCtxSetFlags", number(flags, "flags"))


@static_method_of(Context)
def get_exec_affinity():
    """The number of multiprocessors that kernels of the current context may use."""
    return call("cuCtxGetExecAffinity", "iI", _SM_COUNT)[1]


@static_method_of(Context)
def get_stream_priority_range():
    """The priorities of streams as (least, greatest): lower numbers go first."""
    return call("cuCtxGetStreamPriorityRange", "i", "i")


def _event(event):
    if not isinstance(event, Event):
        raise TypeError(f"event must be an Event, not {type(event).__name__}")
    return event.handle


@method_of(Context)
def record(self, event):
    """Record an event that is reached when all work of the context so far is done; returns the event.

    Needs CUDA 12.5.
    """
    call("cuCtxRecordEvent", self.handle, _event(event))
    return event


@method_of(Context)
def wait_for_event(self, event):
    """Let all further work of the context wait for an event. Needs CUDA 12.5."""
    call("cuCtxWaitEvent", self.handle, _event(event))


@property_of(Stream)
def flags(self):
    """1 for a stream that does not wait for the default stream, else 0."""
    return call("cuStreamGetFlags", self, "I")


@property_of(Stream)
def priority(self):
    """Its priority, where lower numbers go first."""
    return call("cuStreamGetPriority", self, "i")


@property_of(Function)
def module(self):
    """The `Module` that the kernel is in."""
    return _module_of_function(self)


@method_of(Function)
def is_loaded(self):
    """Whether the kernel's code is on the device: with lazy loading, after its first use. Needs CUDA 12.4."""
    return bool(call("cuFuncIsLoaded", "i", self.handle))


@method_of(Function)
def load(self):
    """Load the kernel's code now, and not at its first launch. Needs CUDA 12.4."""
    call("cuFuncLoad", self.handle)
