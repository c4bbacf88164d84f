# SPDX-License-Identifier: MIT
"""The page of a report in a real browser: what makes a kernel slow or wrong is on the first screen, nothing is cut."""

import contextlib
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest
from programs import is_cpu
from pycuda.compiler import SourceModule

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="needs Chromium or Chrome")

# What it is about, the launch, and where the cause has to be seen: selectors of CSS.
KERNELS = {
    "transpose": (
        """
__global__ void k(float *to, const float *from, int n)
{
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = from[y * n + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
  to[y * n + x] = tile[threadIdx.x][threadIdx.y];
}
""",
        {"block": (32, 32, 1), "grid": (2, 2)},
        [".advice li", ".advice svg", ".tile .bad"],
    ),
    "reduction": (
        """
__global__ void k(float *to, const float *from, int n)
{
  __shared__ float part[256];
  int i = threadIdx.x;
  part[i] = from[blockIdx.x * 256 + i];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2)
    if (i < half)
      part[i] += part[i + half];
  if (i == 0)
    to[blockIdx.x] = part[0];
}
""",
        {"block": (256, 1, 1), "grid": (4, 1)},
        [".finding.top", ".finding.top .mono"],
    ),
    "copy": (
        """
__global__ void k(float *to, const float *from, int n)
{
  int row = threadIdx.x;
  for (int column = 0; column < n; ++column)
    to[row * n + column] = from[row * n + column];
}
""",
        {"block": (64, 1, 1)},
        [".advice li", ".advice svg", ".tile .bad"],
    ),
    "histogram": (
        """
__global__ void k(int *to, const float *from, int n)
{
  int i = threadIdx.x;
  atomicAdd(&to[(int)from[i] % n], 1);  // LONG
}
""".replace("LONG", "a line that has to be wrapped " * 5),
        {"block": (64, 1, 1)},
        [".advice li", ".advice svg", ".tile .good"],
    ),
    "fault": (
        """
__global__ void k(float *to, const float *from, int n)
{
  int i = threadIdx.x;
  to[i] = from[i - 1];
}
""",
        {"block": (64, 1, 1)},
        [".fault.top", ".fault.top .mono"],
    ),
}

PROBE = """<script>
addEventListener("load", () => {
  const parts = {};
  for (const selector of SELECTORS) {
    const found = document.querySelector(selector);
    const at = found ? found.getBoundingClientRect() : null;
    parts[selector] = at && [at.left, at.top, at.right, at.bottom];
  }
  const cut = [...document.querySelectorAll("svg text")].filter((text) => {
    const inner = text.getBoundingClientRect(), outer = text.ownerSVGElement.getBoundingClientRect();
    return inner.width && (inner.right > outer.right + 1 || inner.bottom > outer.bottom + 1);
  });
  const said = document.createElement("pre");
  said.id = "probe";
  said.textContent = JSON.stringify({
    parts, width: innerWidth, height: innerHeight, page: document.documentElement.scrollWidth,
    cut: cut.map((text) => text.textContent),
    wide: [...document.querySelectorAll(".source")].filter((one) => one.scrollWidth > one.clientWidth + 1).length,
    colour: getComputedStyle(document.body).backgroundColor,
  });
  document.body.append(said);
});
</script>"""


def _printed(command, seconds=60):
    """What a program prints; it and the processes that it has started are ended if they take longer."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "encoding": "utf-8"}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        try:
            return process.communicate(timeout=seconds)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def _seen(page, folder, width, height, selectors, dark):
    """What the browser says of a page in a window of this size."""
    file = folder / "page.html"
    file.write_text(page + PROBE.replace("SELECTORS", json.dumps(selectors)), encoding="utf-8")
    command = [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += [f"--window-size={width},{height}", *(["--force-dark-mode"] if dark else []), "--dump-dom"]
    output, errors = _printed([*command, file.as_uri()])
    found = re.search(r'<pre id="probe">(.*?)</pre>', output, re.DOTALL)
    assert found, errors
    return json.loads(html.unescape(found[1]))


def test_a_browser_that_hangs_is_ended_with_its_processes(tmp_path):
    os.mkfifo(tmp_path / "open")
    script = "import subprocess, sys; subprocess.run(['sleep', '600'], stdout=open(sys.argv[1], 'w'))"
    with open(os.open(tmp_path / "open", os.O_RDONLY | os.O_NONBLOCK)) as written:
        with pytest.raises(subprocess.TimeoutExpired):
            _printed([sys.executable, "-c", script, str(tmp_path / "open")], seconds=1)
        os.set_blocking(written.fileno(), True)
        assert written.read() == ""  # ends when no process has the file open


@pytest.fixture
def cpu(context, driver):
    if not is_cpu():
        pytest.skip("needs the CPU driver")
    return driver


@pytest.mark.parametrize("name", KERNELS)
def test_the_cause_is_on_the_first_screen_of_a_window_and_of_a_projector(cpu, tmp_path, name):
    source, launch, selectors = KERNELS[name]
    a, b = cpu.mem_alloc(64 * 64 * 4), cpu.mem_alloc(64 * 64 * 4)
    cpu.memset_d32(a, 0, 64 * 64)
    page = SourceModule(source).get_function("k").report(b, a, np.int32(64), **launch).html
    for width, height in ((1280, 720), (1920, 1080)):
        seen = _seen(page, tmp_path, width, height, selectors, dark=False)
        for selector, place in seen["parts"].items():
            assert place is not None, selector
            left, top, right, bottom = place
            assert left >= 0 and top >= 0 and right <= seen["width"] and bottom <= seen["height"], (selector, place)
    narrow = _seen(page, tmp_path, 800, 900, selectors, dark=True)
    for one in (seen, narrow):
        assert one["page"] <= one["width"] and one["cut"] == [] and one["wide"] == 0, one
    assert seen["colour"] != narrow["colour"]  # light and dark
