; A check becomes a branch to one block, out of the way, that raises the fault.
; check-not: call void @check.alignment
; check: and i64 %address, 3
; check: br i1
; check: call void @pycuda_cpu_fault
declare void @check.alignment(ptr, i64, i64, i64)
define void @f.k(ptr %thread, i64 %address) {
  call void @check.alignment(ptr %thread, i64 %address, i64 %address, i64 3)
  ret void
}
