; What no gather uses any more goes.
; check-not: mul
; check: ret i32
define i32 @f.k(i32 %x) {
  %dead = mul i32 %x, 3
  %r = add i32 %x, 0
  ret i32 %r
}
