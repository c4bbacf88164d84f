# SPDX-License-Identifier: MIT
"""Solutions that differ from the official ones pass the checks, too."""

import pytest
from programs import is_cpu
from test_course_mistakes import solutions_of, verdicts_of

STREAMS = (
    "        cuda.memcpy_htod_async(part, row, stream)\n"
    "        enhance(part, np.int32(n), stream=stream, **launch)\n"
    "        cuda.memcpy_dtoh_async(row, part, stream)\n"
)
ARRAYS = (
    "        kept.append(gpuarray.to_gpu_async(row, stream=stream))\n"
    "        enhance(kept[-1], np.int32(n), stream=stream, **launch)\n"
    "        kept[-1].get_async(stream=stream, ary=row)\n"
)
WAIT = "        stream.synchronize()"

# By lesson: the exercise, and pairs of a part of its solution and what stands there instead.
WAYS = {
    4: [("rotate", ("tile[(t + 1) % 8]", "t < 7 ? tile[t + 1] : tile[0]"))],
    6: [
        (
            "shared",
            (
                "  atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);",
                "  if (int c = own[threadIdx.x]) atomicAdd(&counts[threadIdx.x], c);",
            ),
        ),
        ("shared", ("atomicAdd(&own", "atomicAdd_block(&own")),
    ],
    7: [
        (
            "transpose",
            (
                "  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;\n",
                "  int tid = threadIdx.y * blockDim.x + threadIdx.x, c = tid % 32, r = tid / 32;\n"
                "  int x = blockIdx.x * 32 + c, y = blockIdx.y * 32 + r;\n",
            ),
            ("tile[threadIdx.y][threadIdx.x]", "tile[r][c]"),
            ("blockIdx.y * 32 + threadIdx.x", "blockIdx.y * 32 + c"),
            ("blockIdx.x * 32 + threadIdx.y", "blockIdx.x * 32 + r"),
            ("tile[threadIdx.x][threadIdx.y]", "tile[c][r]"),
        ),
        (
            "columns",
            (
                "for (int y = 0; y < height; ++y) sum += in[y * width + x];",
                "for (const float *p = in + x; p < in + width * height; p += width) sum += *p;",
            ),
        ),
    ],
    8: [
        ("streams", (WAIT, "        while not stream.is_done():\n            pass")),
        ("streams", (WAIT, "        while not cuda.Event().record(stream).query():\n            pass")),
        ("streams", ("    for stream in streams:\n" + WAIT, "    cuda.Context.synchronize()")),
        ("streams", ("return host", "return list(host)")),
        ("streams", (STREAMS, ARRAYS), ("    memory = [", "    kept = []\n    memory = [")),
        ("graph", ("    step.launch(stream)\n" * 2, "    for _ in range(2):\n        step.launch(stream)\n")),
    ],
    10: [
        # Neighbours in the other direction touch the same sectors.
        ("contrast", ("blockDim.x + threadIdx.x", "blockDim.x + 31 - threadIdx.x")),
        (
            "contrast",
            (
                "  int x = blockIdx.x * blockDim.x + threadIdx.x;",
                "  int x = width - 1 - (int)(blockIdx.x * blockDim.x + threadIdx.x);",
            ),
            ("x < width", "x >= 0"),
        ),
        (
            "contrast",
            (
                "  if (x < width && y < height) {\n",
                "  for (int k = x; k < width; k += gridDim.x * blockDim.x) if (y < height) {\n",
            ),
            ("in[y * width + x]", "in[y * width + k]"),
            ("out[y * width + x]", "out[y * width + k]"),
        ),
    ],
}


@pytest.mark.parametrize("lesson", WAYS)
def test_another_way_passes(context, lesson):
    pytest.importorskip("IPython", reason="needs IPython")
    solutions, tries = solutions_of(lesson), []
    for name, *changes in WAYS[lesson]:
        text = solutions[name]
        for part, other in changes:
            assert part in text, part
            text = text.replace(part, other)
        tries.append((name, text))
    for (name, text), said in zip(tries, verdicts_of(lesson, tries), strict=True):
        assert "Correct!" in said, f"{name}: {said}\n{text}"


def test_a_stream_that_is_asked_once_is_not_waited_for(context):
    pytest.importorskip("IPython", reason="needs IPython")
    if not is_cpu():
        pytest.skip("needs the CPU driver: on a GPU small work may be done before it is asked for")
    text = solutions_of(8)["streams"].replace("    for stream in streams:\n" + WAIT, "    streams[0].is_done()")
    (said,) = verdicts_of(8, [("streams", text)])
    assert "before every stream is done" in said
