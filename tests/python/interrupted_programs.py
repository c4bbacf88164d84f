# SPDX-License-Identifier: MIT
"""What programs begin with that get a Ctrl-C while a call waits: kernels, and threads that press it."""

SETUP = """
import os, signal, sys, threading, time
import numpy as np
import pycuda.autoinit, pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule('''
    __global__ void endless(volatile int *flag) { while (*flag == 0) {} flag[1] = 1; }
    __global__ void turns(int *out, long long count) {
        unsigned x = threadIdx.x;
        for (long long i = 0; i < count; ++i) x = x * 1664525u + 1013904223u;
        *out = x | 1;
    }
''')
answered = threading.Event()
sys.setswitchinterval(1000)  # another thread runs only during calls that let it: then those are what it interrupts

def interrupted(number, frame):
    if not answered.is_set():
        answered.set()
        raise KeyboardInterrupt

signal.signal(signal.SIGINT, interrupted)
flag = cuda.to_device(np.zeros(2, np.int32))

def in_call_of(function):
    main = threading.main_thread().ident
    return sys._current_frames()[main].f_code.co_name == function

def press_when(ready, pause, again, then=lambda: None, number=signal.SIGINT):
    '''Interrupts the main thread a while after `ready()`, and again while that holds, until it answers.'''
    def press():
        while not ready():
            time.sleep(0.001)
        wait = pause
        while not answered.wait(wait):
            if ready():
                os.kill(os.getpid(), number)
                then()
            wait = again
    threading.Thread(target=press, daemon=True).start()

def press_in_wait(function, then=lambda: None, number=signal.SIGINT):
    '''While the main thread waits for a kernel, in the call that this function makes.'''
    press_when(lambda: in_call_of(function), pause=0.1, again=1.5, then=then, number=number)

def press_in_compiler(ready):
    '''While the main thread waits for a compiler.'''
    press_when(ready, pause=0, again=0.05)
"""
