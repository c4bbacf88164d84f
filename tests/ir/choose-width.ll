; Threads whose neighbours lie side by side for 16 of them at a time, as in a transform's steps, run in gangs of 16.
; steps: choose-width,widen
; check: define internal void @f.k.gang
; check: <16 x float>
; check-not: <32 x
declare ptr @ptx.params(ptr) #0
declare i32 @ptx.sreg.tid.x(ptr) #0
define internal void @f.k(ptr %thread) {
entry:
  %params = call ptr @ptx.params(ptr %thread) #0
  %array = load i64, ptr %params, align 8, !invariant.load !0
  %thread.x = call range(i32 0, 1024) i32 @ptx.sreg.tid.x(ptr %thread) #0
  %low = and i32 %thread.x, 15
  %high = and i32 %thread.x, -16
  %twice = shl i32 %high, 1
  %index = add i32 %twice, %low
  %wide = zext i32 %index to i64
  %bytes = shl i64 %wide, 2
  %place = add i64 %array, %bytes
  %here = inttoptr i64 %place to ptr
  %value = load float, ptr %here, align 4
  %more = fadd float %value, 1.0
  store float %more, ptr %here, align 4
  ret void
}
attributes #0 = { nounwind speculatable willreturn memory(none) }
!0 = !{}
