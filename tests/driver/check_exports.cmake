# SPDX-License-Identifier: MIT
# Compares the dynamic symbols of LIBRARY with LIST; run with cmake -P.
execute_process(COMMAND ${NM} -D --defined-only "${LIBRARY}" OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ [A-Za-z] [^\n]+" lines "${listing}")
set(seen "")
foreach(line ${lines})
  string(REGEX REPLACE "^[0-9a-f]+ [A-Za-z] ([^@]+).*$" "\\1" symbol "${line}")
  list(APPEND seen "${symbol}")
endforeach()
file(STRINGS "${LIST}" wanted REGEX "^CU_SYMBOL")
list(TRANSFORM wanted REPLACE "^CU_SYMBOL\\([^,]+, ([^,]+),.*$" "\\1")
list(APPEND wanted cuCpuGetLastFault cuCpuGetFault cuCpuGetRefusal cuCpuWatchWaits cuCpuWaitInSlices cuCpuHandleSignalsBy cuCpuSetLastThread
  cuCpuFunctionGetPlan cuCpuIsChecked
  cuCpuModuleSetSource cuCpuWatchUse cuCpuSetChecks cuCpuTakeFindings cuCpuSetCounters cuCpuTakeCounters
  # By which gdb learns of compiled code.
  __jit_debug_register_code __jit_debug_descriptor)
list(SORT seen)
list(SORT wanted)
set(missing ${wanted})
list(REMOVE_ITEM missing ${seen})
set(surplus ${seen})
list(REMOVE_ITEM surplus ${wanted})
list(LENGTH wanted count)
if(missing OR surplus)
  message(FATAL_ERROR "not exported: ${missing}\nnot in the list: ${surplus}")
endif()
message(STATUS "${count} symbols, all of the list and no others")

# A static's destructor at exit would pull it from under a compilation in the background (cpu/api/static_destructors.cpp).
execute_process(COMMAND ${NM} -D --undefined-only "${LIBRARY}" OUTPUT_VARIABLE imports COMMAND_ERROR_IS_FATAL ANY)
if(imports MATCHES "__cxa_atexit")
  message(FATAL_ERROR "the library registers destructors of statics with the C library")
endif()
