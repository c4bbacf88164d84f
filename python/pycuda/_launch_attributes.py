# SPDX-License-Identifier: MIT
"""Attributes of streams and of kernel nodes, which launches take over."""

from __future__ import annotations

import struct

from pycuda._driver import Stream, launch_attribute
from pycuda._driver_calls import call, member, method_of, number

__all__ = ["get_value", "set_value"]

_UNION_BYTES = 64
_FORMATS = {
    launch_attribute.ACCESS_POLICY_WINDOW: "PNfii",
    launch_attribute.CLUSTER_DIMENSION: "III",
    launch_attribute.MEM_SYNC_DOMAIN_MAP: "BB",
    launch_attribute.PREFERRED_CLUSTER_DIMENSION: "III",
    launch_attribute.PREFERRED_SHARED_MEMORY_CARVEOUT: "I",
}
_MEMBERS = {launch_attribute.SYNCHRONIZATION_POLICY: "synchronization_policy"}


def get_value(function, handle, attribute):
    """The value of an attribute as a number, a member or a tuple."""
    attribute = launch_attribute(number(attribute, "attribute"))
    union = bytearray(_UNION_BYTES)
    call(function, handle, int(attribute), union)
    values = struct.unpack_from(_FORMATS.get(attribute, "i"), union)
    if attribute in _MEMBERS:
        return member(_MEMBERS[attribute], values[0])
    return values[0] if len(values) == 1 else values


def set_value(function, handle, attribute, value):
    """Set an attribute to a number or a tuple, as `get_value` gives them."""
    attribute = launch_attribute(number(attribute, "attribute"))
    form = _FORMATS.get(attribute, "i")
    values = value if isinstance(value, (tuple, list)) else (value,)
    union = bytearray(_UNION_BYTES)
    try:
        struct.pack_into(form, union, 0, *values)
    except (struct.error, TypeError):
        count = len(form)
        wanted = "a number" if count == 1 else f"a tuple of {count} numbers"
        raise TypeError(f"{attribute.name or int(attribute)} is {wanted}, not {value!r:.80}") from None
    call(function, handle, int(attribute), union)


@method_of(Stream)
def get_attribute(self, attribute):
    """The value of a `launch_attribute` that work in the stream has.

    Returns
    -------
    int or tuple
        As `set_attribute` takes it.

    Raises
    ------
    LogicError
        For an attribute that streams do not have.
    """
    return get_value("cuStreamGetAttribute", self, attribute)


@method_of(Stream)
def set_attribute(self, attribute, value):
    """Set a `launch_attribute` of further work in the stream.

    Parameters
    ----------
    attribute : launch_attribute
    value : int or tuple
        For ACCESS_POLICY_WINDOW (address, bytes, hit ratio, hit and miss `access_property`), for
        MEM_SYNC_DOMAIN_MAP (default, remote), for SYNCHRONIZATION_POLICY a `synchronization_policy`.

    Examples
    --------
    >>> stream = driver.Stream()
    >>> policy = driver.launch_attribute.SYNCHRONIZATION_POLICY
    >>> stream.set_attribute(policy, driver.synchronization_policy.YIELD)
    >>> stream.get_attribute(policy)
    pycuda.driver.synchronization_policy.YIELD
    """
    set_value("cuStreamSetAttribute", self, attribute, value)


@method_of(Stream)
def copy_attributes_from(self, source):
    """Give the stream all attributes of the stream `source`."""
    if not isinstance(source, Stream):
        raise TypeError(f"source must be a Stream, not {type(source).__name__}")
    call("cuStreamCopyAttributes", self, source)
