# SPDX-License-Identifier: MIT
"""The folder of compiled code: `python -m pycuda cache [clear]`."""

import os
import re
import shutil

# A content hash and what was compiled: the cache's own files, whatever else lies in the folder.
_ENTRY = re.compile(r"^[0-9a-f]{32}\.[a-z]+$")
# Headers that NVRTC carries, one folder for each NVRTC.
_HEADERS = re.compile(r"^nvrtc-headers-[0-9a-f]{32}$")


def _entries(folder):
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if _ENTRY.match(entry.name) and entry.is_file(follow_symlinks=False)]
    except OSError:
        return []


def _header_folders(folder):
    try:
        with os.scandir(folder) as found:
            return [entry for entry in found if _HEADERS.match(entry.name) and entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _folder():
    from pycuda._driver import _rtc  # may fail: the command says why

    return _rtc.default_cache_folder()


def show():
    folder = _folder()
    if not folder:
        print("the cache is off")
        return 0
    entries = _entries(folder)
    size = sum(entry.stat().st_size for entry in entries)
    print(f"{folder}: {len(entries)} entries, {size / 2**20:.1f} MiB")
    return 0


def clear():
    folder = _folder()
    if not folder:
        print("the cache is off")
        return 0
    removed, failures = 0, []
    for entry in _entries(folder):
        try:
            os.unlink(entry.path)
            removed += 1
        except FileNotFoundError:  # another process was faster
            pass
        except OSError as error:
            failures.append(f"{entry.path}: {error.strerror}")
    for headers in _header_folders(folder):
        try:
            shutil.rmtree(headers.path)
        except FileNotFoundError:  # as above
            pass
        except OSError as error:
            failures.append(f"{headers.path}: {error.strerror}")
    print(f"{folder}: {removed} entries removed")
    for failure in failures:
        print(f"not removed: {failure}")
    return 1 if failures else 0
