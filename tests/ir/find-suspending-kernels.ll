; A fact of kernels: the IR stays as it is.
; check: call void @ptx.yield
declare void @ptx.yield(ptr)
define void @f.k(ptr %thread) {
  call void @ptx.yield(ptr %thread)
  ret void
}
