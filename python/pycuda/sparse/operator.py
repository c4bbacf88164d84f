# SPDX-License-Identifier: MIT
"""Linear operators on device arrays."""


class OperatorBase:
    """What can be called with a vector; subclasses tell its dtype and shape."""

    @property
    def dtype(self):
        """Of the elements."""
        raise NotImplementedError

    @property
    def shape(self):
        """Rows and columns."""
        raise NotImplementedError


class IdentityOperator(OperatorBase):
    """Gives back what it gets."""

    def __init__(self, dtype, n):
        self._dtype = dtype
        self._n = n

    @property
    def dtype(self):
        """Of the elements."""
        return self._dtype

    @property
    def shape(self):
        """Rows and columns."""
        return self._n, self._n

    def __call__(self, operand):
        return operand


class DiagonalPreconditioner(OperatorBase):
    """Multiplies each element by one of a diagonal."""

    def __init__(self, diagonal):
        self.diagonal = diagonal

    @property
    def dtype(self):
        """Of the elements."""
        return self.diagonal.dtype

    @property
    def shape(self):
        """Rows and columns."""
        (n,) = self.diagonal.shape
        return n, n

    def __call__(self, operand):
        return self.diagonal * operand
