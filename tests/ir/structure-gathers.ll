; The x, y and z of points that a list names are one load for each lane, not three gathers.
; processor: znver4
; check-not: call {{.*}}@llvm.masked.gather
; check: call <4 x float> @llvm.masked.load
; check-not: call {{.*}}@llvm.masked.gather
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
define <16 x float> @f(i64 %base, <16 x i32> %list, <16 x i1> %mask) {
  %index.x = sext <16 x i32> %list to <16 x i64>
  %start.x = add i64 %base, 0
  %place.x = inttoptr i64 %start.x to ptr
  %at.x = getelementptr i32, ptr %place.x, <16 x i64> %index.x
  %x = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %at.x, i32 4, <16 x i1> %mask, <16 x float> poison)
  %index.y = sext <16 x i32> %list to <16 x i64>
  %start.y = add i64 %base, 4
  %place.y = inttoptr i64 %start.y to ptr
  %at.y = getelementptr i32, ptr %place.y, <16 x i64> %index.y
  %y = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %at.y, i32 4, <16 x i1> %mask, <16 x float> poison)
  %index.z = sext <16 x i32> %list to <16 x i64>
  %start.z = add i64 %base, 8
  %place.z = inttoptr i64 %start.z to ptr
  %at.z = getelementptr i32, ptr %place.z, <16 x i64> %index.z
  %z = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %at.z, i32 4, <16 x i1> %mask, <16 x float> poison)
  %xy = fadd <16 x float> %x, %y
  %xyz = fadd <16 x float> %xy, %z
  ret <16 x float> %xyz
}
