# SPDX-License-Identifier: MIT
"""NumPy's products of arrays, and products slid along others."""

import numpy as np

from pycuda import _driver
from pycuda._arrays.ops import products
from pycuda._arrays.ops.creation import zeros
from pycuda._arrays.ops.operands import device
from pycuda._arrays.ops.products import matmul
from pycuda._arrays.ops.reductions import delivered
from pycuda.array_api import linalg, manipulation

_array = _driver._array


def outer(a, b, out=None):
    """The products of each element of one with each of the other, both flattened."""
    return delivered(products.outer(device(a), device(b)), out)


def inner(a, b, /):
    """The sums of products over the last axes of both."""
    a, b = device(a), device(b)
    if not a.ndim or not b.ndim:
        return a * b
    return products.tensordot(a, b, (-1, -1))


def tensordot(a, b, axes=2):
    """The sums of products over several axes of both."""
    return products.tensordot(device(a), device(b), axes)


def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The vector products of vectors of three elements along axes."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = manipulation.moveaxis(device(a), axisa, -1), manipulation.moveaxis(device(b), axisb, -1)
    if a.shape[-1] != 3 or b.shape[-1] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return manipulation.moveaxis(linalg.cross(a, b), -1, axisc)


def kron(a, b):
    """The products of each element of one with all of the other, as blocks."""
    a, b = device(a), device(b)
    ndim = max(a.ndim, b.ndim)
    a, b = (one.reshape((1,) * (ndim - one.ndim) + one.shape) for one in (a, b))
    left = a.reshape(tuple(part for length in a.shape for part in (length, 1)))
    right = b.reshape(tuple(part for length in b.shape for part in (1, length)))
    return (left * right).reshape(tuple(m * n for m, n in zip(a.shape, b.shape)))


def _windows(a, count, length):
    """All runs of so many neighbours in a contiguous vector: a view."""
    return _array.view(a, 0, (count, length), (a.itemsize, a.itemsize), None)


_MODES = {"valid": 0, "same": 1, "full": 2, 0: 0, 1: 1, 2: 2}


def _slid(a, v, mode):
    """The sums of products of `v` with each run of neighbours of `a`, which is not shorter."""
    if mode not in _MODES:
        raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})")
    length = v.size
    before = (0, length // 2, length - 1)[_MODES[mode]]
    after = (0, length - length // 2 - 1, length - 1)[_MODES[mode]]
    padded = zeros((a.size + before + after,), np.result_type(a.dtype, v.dtype))
    padded[before : before + a.size] = a
    return matmul(_windows(padded, padded.size - length + 1, length), v.astype(padded.dtype, copy=False))


def _two_vectors(name, a, v):
    a, v = device(a), device(v)
    a, v = a.reshape(1) if not a.ndim else a, v.reshape(1) if not v.ndim else v
    if a.ndim > 1 or v.ndim > 1:
        raise ValueError("object too deep for desired array")
    for operand, which in ((a, "first"), (v, "second")):
        if not operand.size:
            raise ValueError(f"{which} argument of {name} cannot be empty")
    return a, v


def convolve(a, v, mode="full"):
    """The convolution of two vectors: meant for one that is short, as each element is computed by itself."""
    a, v = _two_vectors("convolve", a, v)
    if v.size > a.size:
        a, v = v, a
    return _slid(a, v[::-1], mode)


def correlate(a, v, mode="valid"):
    """The sums of products of one vector, moved along, with the conjugate of the other: meant for short ones."""
    a, v = _two_vectors("correlate", a, v)
    v = v.conj()
    if v.size > a.size:
        return _slid(v, a, mode)[::-1]
    return _slid(a, v, mode)


def _labels(subscripts, operands):
    """The labels of each operand, and those of the result."""
    text = subscripts.replace(" ", "")
    if "." in text:
        raise NotImplementedError("einsum of device arrays does not support an ellipsis: name all axes")
    inputs, arrow, output = text.partition("->")
    terms = inputs.split(",")
    if len(terms) != len(operands):
        raise ValueError(f"einsum: {len(terms)} terms and {len(operands)} operands")
    if not all(label.isalpha() for term in (*terms, output) for label in term):
        raise ValueError(f"einsum: subscripts are letters: {subscripts!r}")
    for term, operand in zip(terms, operands):
        if len(term) != operand.ndim:
            raise ValueError(f"einsum: subscripts {term!r} for an operand of shape {operand.shape}")
    every = "".join(terms)
    if not arrow:
        output = "".join(sorted(label for label in set(every) if every.count(label) == 1))
    if len(set(output)) != len(output) or not set(output) <= set(every):
        raise ValueError(f"einsum: the output's subscripts {output!r} must be different ones of {every!r}")
    return terms, output


def _on_diagonals(a, term):
    """The operand with each label once: elements on the diagonals of axes of the same label."""
    while len(set(term)) < len(term):
        label = next(one for one in term if term.count(one) > 1)
        first = term.index(label)
        second = term.index(label, first + 1)
        if a.shape[first] != a.shape[second]:
            raise ValueError(f"einsum: axes {label!r} have lengths {a.shape[first]} and {a.shape[second]}")
        rest = [i for i in range(a.ndim) if i not in (first, second)]
        a = linalg.diagonal(a.transpose([*rest, first, second]))
        term = "".join(term[i] for i in rest) + label
    return a, term


def _summed(a, term, kept):
    """The operand without the labels that no other operand needs."""
    axes = tuple(i for i, label in enumerate(term) if label not in kept)
    if not axes:
        return a, term
    return a.sum(axes, dtype=a.dtype), "".join(label for label in term if label in kept)


def _product(a, a_term, b, b_term, kept):
    """Two operands as one, by products of matrices over the labels that both have and no other operand needs."""
    a, a_term = _summed(a, a_term, kept | set(b_term))
    b, b_term = _summed(b, b_term, kept | set(a_term))
    lengths = dict(zip(b_term, b.shape))
    for label, length in zip(a_term, a.shape):
        if lengths.get(label, length) != length:
            raise ValueError(f"einsum: axes {label!r} have lengths {length} and {lengths[label]}")
        lengths[label] = length
    shared = [label for label in a_term if label in b_term]
    stack = [label for label in shared if label in kept]
    inner_labels = [label for label in shared if label not in kept]
    a_rest = [label for label in a_term if label not in b_term]
    b_rest = [label for label in b_term if label not in a_term]
    shape = lambda labels: tuple(lengths[label] for label in labels)  # noqa: E731
    size = lambda labels: int(np.prod(shape(labels), dtype=np.int64))  # noqa: E731
    left = a.transpose([a_term.index(label) for label in stack + a_rest + inner_labels])
    right = b.transpose([b_term.index(label) for label in stack + inner_labels + b_rest])
    left = left.reshape((*shape(stack), size(a_rest), size(inner_labels)))
    right = right.reshape((*shape(stack), size(inner_labels), size(b_rest)))
    result = matmul(left, right) if inner_labels else left * right
    labels = stack + a_rest + b_rest
    return result.reshape(shape(labels)), "".join(labels)


def einsum(*operands, out=None, optimize=False, **kwargs):
    """Sums of products by subscripts, as products of matrices from left to right; without ellipsis."""
    if kwargs:
        raise NotImplementedError(f"einsum of device arrays takes no {', '.join(kwargs)}")
    if not operands or not isinstance(operands[0], str):
        raise NotImplementedError("einsum of device arrays takes its subscripts as a string")
    arrays = [device(one) for one in operands[1:]]
    terms, output = _labels(operands[0], arrays)
    common = np.result_type(*(one.dtype for one in arrays))
    result, term = _on_diagonals(arrays[0].astype(common, copy=False), terms[0])
    for number in range(1, len(arrays)):
        one, one_term = _on_diagonals(arrays[number].astype(common, copy=False), terms[number])
        kept = set(output).union(*terms[number + 1 :])
        result, term = _product(result, term, one, one_term, kept)
    result, term = _summed(result, term, set(output))
    return delivered(result.transpose([term.index(label) for label in output]), out)
