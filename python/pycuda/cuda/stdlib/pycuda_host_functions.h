// SPDX-License-Identifier: MIT
// The compiler takes functions of devices alone. A source's functions for hosts become such, which no kernel calls:
// included before sources that mark functions with __host__.
#pragma once
#undef __host__
#define __host__
