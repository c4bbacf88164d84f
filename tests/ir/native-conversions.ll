; A conversion that saturates is one instruction of AVX-512, and what is too large is chosen after it.
; check: call i32 @native.nearest{{.*}}(float %x)
; check: select
; check-not: @llvm.fptosi.sat.i32.f32(float %
declare float @llvm.roundeven.f32(float)
declare i32 @llvm.fptosi.sat.i32.f32(float)
define i32 @f.k(float %x) {
  %whole = call float @llvm.roundeven.f32(float %x)
  %i = call i32 @llvm.fptosi.sat.i32.f32(float %whole)
  ret i32 %i
}
