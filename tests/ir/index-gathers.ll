; A gather of a shared base and each lane's number addresses memory by these.
; check: getelementptr {{.*}}ptr {{.*}}, <16 x i{{32|64}}>
; check: call <16 x float> @llvm.masked.gather
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
define <16 x float> @f.k(i64 %base, <16 x i32> %number) {
  %one = insertelement <16 x i64> poison, i64 %base, i64 0
  %all = shufflevector <16 x i64> %one, <16 x i64> poison, <16 x i32> zeroinitializer
  %wide = sext <16 x i32> %number to <16 x i64>
  %bytes = shl nsw <16 x i64> %wide, splat (i64 2)
  %sum = add <16 x i64> %all, %bytes
  %at = inttoptr <16 x i64> %sum to <16 x ptr>
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %at, i32 4, <16 x i1> splat (i1 true), <16 x float> poison)
  ret <16 x float> %r
}
