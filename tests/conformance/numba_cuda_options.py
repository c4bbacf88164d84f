# SPDX-License-Identifier: MIT
"""A pytest plug-in with the option and the fixture that numba-cuda's tests expect of its repository."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--dump-failed-filechecks", action="store_true", help="accepted, without effect")


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    request.cls._dump_failed_filechecks = False
