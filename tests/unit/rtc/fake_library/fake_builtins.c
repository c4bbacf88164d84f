// SPDX-License-Identifier: MIT
// Plays NVRTC's builtins, a wheel's or a toolkit's.
#ifdef FAKE_WHEEL
int the_wheels_own = 1;
#else
int a_toolkits = 1;
#endif
