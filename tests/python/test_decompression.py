# SPDX-License-Identifier: MIT
"""Blocks of compressed memory, many by one call."""

import random
import zlib

import numpy as np
import pycuda.driver as cuda
import pytest
from programs import has_cpu_driver, is_cpu, run_program
from pycuda import gpuarray

ATTRIBUTE = cuda.device_attribute.MEM_DECOMPRESS_ALGORITHM_MASK


def deflated(data, level=6, strategy=zlib.Z_DEFAULT_STRATEGY):
    squeeze = zlib.compressobj(level, wbits=-15, strategy=strategy)
    return squeeze.compress(data) + squeeze.flush()


def repeats(data, shortest=4, farthest=65535, longest=64):
    """(literals, distance, length) of a text: what was seen before stands for itself."""
    known, place, literals = {}, 0, bytearray()
    while place < len(data):
        key = data[place : place + shortest]
        before = known.get(key)
        known[key] = place
        if len(key) == shortest and before is not None and place - before <= farthest:
            length = shortest
            while (
                length < longest and place + length < len(data) - 12 and data[before + length] == data[place + length]
            ):
                length += 1
            yield bytes(literals), place - before, length
            literals.clear()
            place += length
        else:
            literals.append(data[place])
            place += 1
    yield bytes(literals), 0, 0


def lz4(data):
    """One block, whose last twelve bytes are literals: the format wants no match there."""

    def rest(length):
        return b"" if length < 15 else b"\xff" * ((length - 15) // 255) + bytes([(length - 15) % 255])

    out = b""
    for literals, distance, length in repeats(data[:-12], longest=1000):
        literals += b"" if length else data[-12:]
        match = length - 4 if length else 0
        out += bytes([min(len(literals), 15) << 4 | min(match, 15)]) + rest(len(literals)) + literals
        if length:
            out += distance.to_bytes(2, "little") + rest(match)
    return out


def snappy(data):
    """One block, with literals and copies of every kind."""
    out, size = bytearray(), len(data)
    while size >= 128:
        out.append(size & 127 | 128)
        size >>= 7
    out.append(size)
    for literals, distance, length in repeats(data):
        if literals:
            count = len(literals) - 1
            if count < 60:
                out.append(count << 2)
            else:
                extra = (count.bit_length() + 7) // 8
                out.append((59 + extra) << 2)
                out += count.to_bytes(extra, "little")
            out += literals
        if not length:
            continue
        if length <= 11 and distance < 2048:
            out.append(1 | (length - 4) << 2 | distance >> 8 << 5)
            out.append(distance & 255)
        elif distance % 2:
            out.append(2 | (length - 1) << 2)
            out += distance.to_bytes(2, "little")
        else:
            out.append(3 | (length - 1) << 2)
            out += distance.to_bytes(4, "little")
    return bytes(out)


def texts():
    source = random.Random(1)
    words = [bytes(source.choices(b"abcdefgh", k=source.randint(2, 9))) for _ in range(50)]
    return [
        b"x",
        b"a" * 5000,
        bytes(source.choices(range(256), k=3000)),
        b" ".join(source.choices(words, k=9000)),
        bytes(range(256)) * 40,
    ]


def decompressed(blocks, algorithm, sizes, room=0):
    sources = [gpuarray.to_gpu(np.frombuffer(block, np.uint8)) for block in blocks]
    targets = [gpuarray.zeros(size + room, np.uint8) for size in sizes]
    told, stream = gpuarray.zeros(len(blocks), np.uint32), cuda.Stream()
    cuda.mem_decompress_batch_async(targets, sources, algorithm, stream, told)
    stream.synchronize()
    return [target.get()[:size].tobytes() for target, size in zip(targets, told.get().tolist(), strict=True)]


def check_all():
    algorithms = cuda.mem_decompress_algorithm
    data = texts()
    sizes = [len(text) for text in data]
    for level, strategy in ((6, zlib.Z_DEFAULT_STRATEGY), (0, zlib.Z_DEFAULT_STRATEGY), (9, zlib.Z_FIXED)):
        blocks = [deflated(text, level, strategy) for text in data]
        assert decompressed(blocks, algorithms.DEFLATE, sizes) == data, (level, strategy)
    assert decompressed([snappy(text) for text in data], algorithms.SNAPPY, sizes, room=7) == data
    assert decompressed([lz4(text) for text in data], algorithms.LZ4, sizes) == data


def check_damage():
    """Every prefix of a block, and blocks with wrong bytes: an error of the context or other bytes, and no crash."""
    source = random.Random(2)
    text = texts()[3][:600]
    algorithm, compress = {
        "deflate": (cuda.mem_decompress_algorithm.DEFLATE, deflated),
        "snappy": (cuda.mem_decompress_algorithm.SNAPPY, snappy),
        "lz4": (cuda.mem_decompress_algorithm.LZ4, lz4),
    }[source.choice(["deflate", "snappy", "lz4"])]
    block = bytearray(compress(text))
    try:
        decompressed([block[: len(block) // 2]], algorithm, [len(text)])
    except cuda.Error as error:
        assert "damaged" in str(error) or "launch failure" in str(error), error
        return
    raise AssertionError("half a block was decompressed")


def run_on_newer_device(code):
    if not has_cpu_driver():
        pytest.skip("needs the CPU driver")
    head = "import sys; sys.path.insert(0, sys.argv[1])\nimport pycuda.autoinit\nimport test_decompression as t\n"
    return run_program(head + code, arguments=[str(__import__("pathlib").Path(__file__).parent)],
                       PYCUDA_DRIVER="cpu", PYCUDA_CPU_ARCH="100")  # fmt: skip


def test_blocks_of_all_algorithms_are_decompressed():
    run_on_newer_device("t.check_all()")


def test_a_damaged_block_is_an_error_of_the_context():
    run_on_newer_device("t.check_damage()")


def test_the_device_tells_what_it_decompresses():
    code = "d = pycuda.autoinit.device\nprint(d.get_attribute(t.ATTRIBUTE))"
    assert run_on_newer_device(code)[0].strip() == "7"


def test_devices_without_it_refuse(context):
    if context.get_device().get_attribute(ATTRIBUTE):
        pytest.skip("needs a device that cannot decompress")
    with pytest.raises(cuda.LogicError, match="cuMemBatchDecompressAsync"):
        decompressed([deflated(b"x")], cuda.mem_decompress_algorithm.DEFLATE, [1])


def test_wrong_arguments_are_refused(context):
    a = gpuarray.zeros(4, np.uint8)
    lz4_algorithm = cuda.mem_decompress_algorithm.LZ4
    with pytest.raises(ValueError, match="1 dests, but 2 srcs"):
        cuda.mem_decompress_batch_async([a], [a, a], lz4_algorithm)
    with pytest.raises(TypeError, match="srcs must be a GPUArray"):
        cuda.mem_decompress_batch_async([a], [3], lz4_algorithm)
    with pytest.raises(TypeError, match="sizes must be a GPUArray of 1 uint32"):
        cuda.mem_decompress_batch_async([a], [a], lz4_algorithm, sizes=a)
    with pytest.raises(TypeError, match="algorithm must be an integer"):
        cuda.mem_decompress_batch_async([a], [a], "lz4")
    cuda.mem_decompress_batch_async([], [], lz4_algorithm)
    assert is_cpu() or context is not None
