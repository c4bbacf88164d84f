; A loop that divides by one number for all lanes multiplies by its reciprocal, where the divider is slow.
; processor: znver4
; check: fdiv float 1.000000e+00, %s
; check: loop:
; check: llvm.fma
declare void @use(<64 x float>)
define void @f(<64 x float> %a, float %s, ptr %p) {
entry:
  %one = insertelement <64 x float> poison, float %s, i64 0
  %all = shufflevector <64 x float> %one, <64 x float> poison, <64 x i32> zeroinitializer
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %q = fdiv <64 x float> %a, %all
  store volatile <64 x float> %q, ptr %p
  %j = add i32 %i, 1
  %more = icmp slt i32 %j, 10
  br i1 %more, label %loop, label %end
end:
  ret void
}
