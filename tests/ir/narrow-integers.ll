; A sum of bytes is computed in 16 bits.
; check: add{{.*}} i16
; check: ret
define void @f.k(ptr %p, ptr %q, ptr %r) {
  %a = load i8, ptr %p
  %b = load i8, ptr %q
  %wa = zext i8 %a to i32
  %wb = zext i8 %b to i32
  %s = add i32 %wa, %wb
  %h = lshr i32 %s, 1
  %n = trunc i32 %h to i8
  store i8 %n, ptr %r
  ret void
}
