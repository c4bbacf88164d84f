# SPDX-License-Identifier: MIT
"""A pytest plug-in with which tests of cuda-python find the helpers that their wheels leave out."""

import pathlib
import sys

import cuda.bindings

for argument in sys.argv[1:]:
    for folder in pathlib.Path(argument).parents:
        if (folder / "cuda_bindings/cuda/bindings/_test_helpers").is_dir():
            cuda.bindings.__path__.append(str(folder / "cuda_bindings/cuda/bindings"))
