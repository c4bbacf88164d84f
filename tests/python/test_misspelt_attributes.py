# SPDX-License-Identifier: MIT
"""Attributes that are set on descriptions of copies and arrays under a name that is almost right."""

import warnings

import numpy as np
import pycuda.driver as cuda
import pytest
from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

MISSPELT = {
    "src_piitch": (cuda.Memcpy2D, "did you mean 'src_pitch'"),
    "heigth": (cuda.Memcpy2D, "did you mean 'height'"),
    "WidthInBytes": (cuda.Memcpy2D, "did you mean 'width_in_bytes'"),
    "dept": (cuda.Memcpy3D, "did you mean 'depth'"),
    "dstpitch": (cuda.Memcpy3DPeer, "did you mean 'dst_pitch'"),
    "foramt": (cuda.ArrayDescriptor, "did you mean 'format'"),
    "numchannels": (cuda.ArrayDescriptor, "did you mean 'num_channels'"),
    "flag": (cuda.ArrayDescriptor3D, "did you mean 'flags'"),
    "filter_mode": (cuda.TextureReference, r"call set_filter_mode\("),
    "release_treshold": (cuda.StreamOrderedMemoryPool.current, "did you mean 'release_threshold'"),
    "shpae": (lambda: gpuarray.zeros(3, np.float32), "did you mean 'shape'"),
    "arg": (cuda.KernelNodeParams, "did you mean 'args'"),
}


@pytest.mark.parametrize("name", MISSPELT)
def test_a_misspelt_attribute_is_kept_with_a_warning(name):
    make, words = MISSPELT[name]
    thing = make()
    with pytest.warns(
        UserWarning, match=rf"has no attribute '{name}', which is kept without an effect: {words}"
    ) as told:
        setattr(thing, name, 3)
    assert told[0].filename == __file__
    assert thing.__dict__[name] == 3


class Copy(cuda.Memcpy2D):
    """A program's own."""


def test_names_of_programs_and_of_their_classes_are_kept_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for make in (cuda.Memcpy2D, cuda.Memcpy3D, cuda.ArrayDescriptor, cuda.TextureReference, cuda.KernelNodeParams):
            thing = make()
            thing.note, thing._heigth, thing.owner_of_this = 1, 2, 3
            thing.note = 4
            assert (thing.note, thing._heigth, thing.owner_of_this) == (4, 2, 3)
            del thing.note
        copy = cuda.Memcpy2D()
        copy.dst_height = copy.src_lod = 3  # of Memcpy3D
        copy = Copy()
        copy.heights, copy.src_piitch = [1], 2
        copy.height = 5
        assert copy.heights == [1] and copy.height == 5


def plane():
    copy = cuda.Memcpy2D()
    host, there = np.zeros((4, 4), np.float32), cuda.mem_alloc(64)
    copy.set_src_host(host)
    copy.set_dst_device(there)
    copy.src_pitch = copy.dst_pitch = copy.width_in_bytes = 16
    return copy


def test_an_extent_that_was_never_set_is_warned_of():
    copy = plane()
    with pytest.warns(UserWarning, match="Memcpy2D copies nothing: its height was never set$"):
        copy(aligned=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        copy.height = 0  # as programs compute it
        copy(aligned=True)
        copy.height = 4
        copy(aligned=True)
    volume = cuda.Memcpy3D()
    volume.width_in_bytes = volume.height = 4
    with pytest.warns(UserWarning, match="Memcpy3D copies nothing: its depth was never set$"):
        volume()


@pytest.mark.parametrize("side", ["source", "destination"])
def test_a_side_that_was_never_set_is_named(side):
    for make in (cuda.Memcpy2D, cuda.Memcpy3D):
        copy = make()
        copy.width_in_bytes = copy.height = copy.src_pitch = copy.dst_pitch = 4
        if make is cuda.Memcpy3D:
            copy.depth = copy.src_height = copy.dst_height = 1
        if side == "destination":
            copy.set_src_host(np.zeros((4, 4), np.uint8))
        with pytest.raises(
            cuda.LogicError, match=f"the {side} is not set: call set_{'src' if side == 'source' else 'dst'}_host"
        ):
            copy()
