; Variables of vector forms become values.
; check: define i32 @f.k.gang(i32 %x)
; check-not: alloca
; check: ret i32 %x
define void @f.k() {
  ret void
}
define i32 @f.k.gang(i32 %x) {
  %r = alloca i32
  store i32 %x, ptr %r
  %v = load i32, ptr %r
  ret i32 %v
}
