; Registers, which the lowering keeps in variables, become values, and dead code goes.
; check: define i32 @f.k(i32 %x)
; check-not: alloca
; check: ret i32 %x
define i32 @f.k(i32 %x) {
  %r = alloca i32
  %dead = alloca i32
  store i32 %x, ptr %r
  store i32 1, ptr %dead
  %v = load i32, ptr %r
  ret i32 %v
}
