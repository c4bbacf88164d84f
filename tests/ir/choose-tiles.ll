; Tiles whose numbers fill the registers more than once lose more than they gain by having rows in common.
; lanes: 16x4 chosen
; processor: haswell
; check: define internal void @f.k(
; check-not: define internal void @f.k.tile.copy
define internal void @f.k(ptr %thread) {
  ret void
}
declare ptr @ptx.params(ptr) #0
declare i32 @ptx.sreg.tid.x(ptr) #0
declare i32 @ptx.sreg.tid.y(ptr) #0
define internal void @f.k.tile.copy(ptr %thread) {
entry:
  %params = call ptr @ptx.params(ptr %thread) #0
  %array = load i64, ptr %params, align 8, !invariant.load !0
  %x = call i32 @ptx.sreg.tid.x(ptr %thread) #0
  %y = call i32 @ptx.sreg.tid.y(ptr %thread) #0
  %row = mul i32 %y, 64
  %index = add i32 %row, %x
  %wide = sext i32 %index to i64
  %bytes = shl nsw i64 %wide, 2
  %here = add i64 %array, %bytes
  %read0 = add i64 %here, 0
  %read0.p = inttoptr i64 %read0 to ptr
  %value0 = load float, ptr %read0.p, align 4
  %read1 = add i64 %here, 4096
  %read1.p = inttoptr i64 %read1 to ptr
  %value1 = load float, ptr %read1.p, align 4
  %read2 = add i64 %here, 8192
  %read2.p = inttoptr i64 %read2 to ptr
  %value2 = load float, ptr %read2.p, align 4
  %read3 = add i64 %here, 12288
  %read3.p = inttoptr i64 %read3 to ptr
  %value3 = load float, ptr %read3.p, align 4
  %read4 = add i64 %here, 16384
  %read4.p = inttoptr i64 %read4 to ptr
  %value4 = load float, ptr %read4.p, align 4
  %read5 = add i64 %here, 20480
  %read5.p = inttoptr i64 %read5 to ptr
  %value5 = load float, ptr %read5.p, align 4
  %read6 = add i64 %here, 24576
  %read6.p = inttoptr i64 %read6 to ptr
  %value6 = load float, ptr %read6.p, align 4
  %read7 = add i64 %here, 28672
  %read7.p = inttoptr i64 %read7 to ptr
  %value7 = load float, ptr %read7.p, align 4
  store float %value0, ptr %read1.p, align 4
  store float %value1, ptr %read2.p, align 4
  store float %value2, ptr %read3.p, align 4
  store float %value3, ptr %read4.p, align 4
  store float %value4, ptr %read5.p, align 4
  store float %value5, ptr %read6.p, align 4
  store float %value6, ptr %read7.p, align 4
  store float %value7, ptr %read0.p, align 4
  ret void
}
attributes #0 = { nounwind speculatable willreturn memory(none) }
!0 = !{}
