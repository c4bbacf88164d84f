; An array whose index may leave it does not lie in the function's frame.
; check-not: alloca [64 x i32]
; check: call ptr @pycuda_cpu_local_push
; check: ret i32
define i32 @f.k(ptr %thread, i64 %n) {
  %a = alloca [64 x i32], align 4
  %at = getelementptr i32, ptr %a, i64 %n
  store volatile i32 7, ptr %at
  %r = load volatile i32, ptr %a
  ret i32 %r
}
