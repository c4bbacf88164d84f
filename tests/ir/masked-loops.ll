; A masked load of bytes, which AVX2 has no instruction for, becomes a test and a loop over the active lanes; one of
; floats, which it has, stays.
; processor: znver3
; check: define <32 x i8> @f.k
; check-not: @llvm.masked.load.v32i8
; check: load <32 x i8>, ptr %p, align 1
; check: call i32 @llvm.cttz.i32
; check: call <8 x float> @llvm.masked.load.v8f32
; check: define void @f.s
; check-not: @llvm.masked.store.v32i8
; check: store <32 x i8> %v, ptr %p, align 1
; check: define void @f.copy
; check: phi <32 x half>
; check: store <32 x half>
; check: define <16 x float> @f.g
; check-not: @llvm.masked.gather
; check: load ptr
; check: load float
; check: define void @f.t
; check-not: @llvm.masked.scatter
; check: store float
; check: define <16 x ptr> @f.a
; check: alloca <16 x ptr>
; check: alloca <16 x ptr>
declare <32 x i8> @llvm.masked.load.v32i8.p0(ptr, i32, <32 x i1>, <32 x i8>)
declare void @llvm.masked.store.v32f16.p0(<32 x half>, ptr, i32, <32 x i1>)
declare <32 x half> @llvm.masked.load.v32f16.p0(ptr, i32, <32 x i1>, <32 x half>)
declare <8 x float> @llvm.masked.load.v8f32.p0(ptr, i32, <8 x i1>, <8 x float>)
declare void @llvm.masked.store.v32i8.p0(<32 x i8>, ptr, i32, <32 x i1>)
define <32 x i8> @f.k(ptr %p, <32 x i1> %m, <8 x i1> %n, ptr %q) #0 {
  %r = call <32 x i8> @llvm.masked.load.v32i8.p0(ptr %p, i32 1, <32 x i1> %m, <32 x i8> zeroinitializer)
  %f = call <8 x float> @llvm.masked.load.v8f32.p0(ptr %p, i32 4, <8 x i1> %n, <8 x float> zeroinitializer)
  store <8 x float> %f, ptr %q, align 4
  ret <32 x i8> %r
}
define void @f.s(ptr %p, <32 x i1> %m, <32 x i8> %v) #0 {
  call void @llvm.masked.store.v32i8.p0(<32 x i8> %v, ptr %p, i32 1, <32 x i1> %m)
  ret void
}
define void @f.copy(ptr %p, <32 x i1> %m, ptr %q) #0 {
  %v = call <32 x half> @llvm.masked.load.v32f16.p0(ptr %p, i32 2, <32 x i1> %m, <32 x half> poison)
  call void @llvm.masked.store.v32f16.p0(<32 x half> %v, ptr %q, i32 2, <32 x i1> %m)
  ret void
}
declare <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x float>)
declare void @llvm.masked.scatter.v16f32.v16p0(<16 x float>, <16 x ptr>, i32, <16 x i1>)
define <16 x float> @f.g(<16 x ptr> %p, <16 x i1> %m) #0 {
  %r = call <16 x float> @llvm.masked.gather.v16f32.v16p0(<16 x ptr> %p, i32 4, <16 x i1> %m, <16 x float> zeroinitializer)
  ret <16 x float> %r
}
define void @f.t(<16 x ptr> %p, <16 x i1> %m, <16 x float> %v) #0 {
  call void @llvm.masked.scatter.v16f32.v16p0(<16 x float> %v, <16 x ptr> %p, i32 4, <16 x i1> %m)
  ret void
}
declare <16 x ptr> @llvm.masked.gather.v16p0.v16p0(<16 x ptr>, i32, <16 x i1>, <16 x ptr>)
define <16 x ptr> @f.a(<16 x ptr> %p, <16 x i1> %m) #0 {
  %r = call <16 x ptr> @llvm.masked.gather.v16p0.v16p0(<16 x ptr> %p, i32 8, <16 x i1> %m, <16 x ptr> zeroinitializer)
  ret <16 x ptr> %r
}
attributes #0 = { "target-features"="+avx2,+avx,+bmi,+bmi2" }
