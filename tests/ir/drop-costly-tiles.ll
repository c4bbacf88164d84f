; Code of tiles that would take seconds to compile is not made.
; processor: haswell
; check: define void @f.k.gang
; check-not: define void @f.k.tile
define void @f.k(ptr %thread) {
  ret void
}
define void @f.k.gang(ptr %thread) {
  ret void
}
define void @f.k.tile(<64 x float> %v0, ptr %p) {
; repeat 3000:   %v{i+1} = fmul <64 x float> %v{i}, %v0
  store <64 x float> %v3000, ptr %p, align 4
  ret void
}
