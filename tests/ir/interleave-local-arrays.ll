; An array whose index all threads share lies element by element.
; check: alloca {{.*}}!pycuda.interleaved
define void @f.k(ptr %thread, i32 %n, float %x) {
entry:
  %a = alloca [8 x float], align 4
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %again ]
  %w = zext i32 %k to i64
  %at = getelementptr float, ptr %a, i64 %w
  store float %x, ptr %at
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, 8
  br i1 %more, label %again, label %end
again:
  br label %loop
end:
  ret void
}
