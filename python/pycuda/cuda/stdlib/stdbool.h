// SPDX-License-Identifier: MIT
// <stdbool.h> for device code: bool is a keyword here.
#pragma once

#define __bool_true_false_are_defined 1
