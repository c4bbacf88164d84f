# SPDX-License-Identifier: MIT
"""Device arrays as Python values: numbers, text, pickles."""

import operator


class Values:
    """The part of GPUArray that answers Python's questions about its elements."""

    __slots__ = ()

    def __len__(self):
        if not self.ndim:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __contains__(self, value):
        same = self == value
        if same is False:
            # Python's own answer: what is neither a number nor numbers is none of the elements.
            if not isinstance(value, (list, tuple)):
                return False
            from pycuda._arrays.numpy.arguments import device

            same = self == device(value)
        return bool(same.any())

    # Values

    def __bool__(self):
        if self.size == 1:
            return bool(self.get().reshape(())[()])
        if not self.size:
            raise ValueError("The truth value of an array without elements is ambiguous. Ask for a.size > 0")
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def __hash__(self):
        raise TypeError("GPUArrays are not hashable.")

    def __str__(self):
        return str(self.get())

    def __repr__(self):
        return repr(self.get())

    def __format__(self, spec):
        return format(self.get()[()] if self.ndim == 0 else self.get(), spec)

    def item(self, *args):
        """One element as a Python number, copied from the device.

        `args`: nothing for an array of one element, a position in the flattened array, or an index for each axis.
        ValueError for an array of several elements, IndexError out of range.
        """
        return self.get().item(*args)

    def tobytes(self, order="C"):
        """The elements' bytes on the host, in C or Fortran order, without gaps: a copy."""
        return self.get().tobytes(order)

    def __bytes__(self):
        return self.tobytes()

    def __jax_array__(self):
        # JAX would ask for the CUDA array interface first, which its CPU build refuses.
        import jax

        return jax.dlpack.from_dlpack(self)

    def tolist(self):
        """All elements as nested lists of Python numbers, a list for each axis; a number if there is none."""
        return self.get().tolist()

    def __float__(self):
        return float(self.item())

    def __int__(self):
        return int(self.item())

    def __complex__(self):
        return complex(self.item())

    def __index__(self):
        if self.ndim or self.dtype.kind not in "iu":
            raise TypeError("only integer arrays without axes can be converted to an index")
        return operator.index(self.item())

    def __array__(self, dtype=None, copy=None):
        from pycuda._arrays.ops import host_copies  # loads what few programs use

        return host_copies.convert(self, dtype, copy)

    def __reduce__(self):
        from pycuda._arrays.ops.creation import _restore

        return _restore, (type(self), self.get())

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()
