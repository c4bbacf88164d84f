// SPDX-License-Identifier: MIT
// <assert.h> for device code: the compiler has assert.
#pragma once
