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

; A jump is not threaded through a copy of a block with a volatile access, which lanes make together.
; check: define void @f.exchange
; check-count 1: store volatile
define void @f.exchange(ptr %p, ptr %q, i1 %c) {
entry:
  br i1 %c, label %first, label %joined
first:
  store i32 1, ptr %q
  br label %joined
joined:
  store volatile i32 2, ptr %p
  br i1 %c, label %second, label %end
second:
  store i32 3, ptr %q
  br label %end
end:
  ret void
}
