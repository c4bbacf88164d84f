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

; A jump is not threaded through a copy of a block with a volatile access to shared memory, which lanes make together.
; check: define void @f.exchange
; check-count 1: store volatile i32 2
declare ptr @ptx.shared.base(ptr)
define void @f.exchange(ptr %thread, ptr %q, i1 %c) {
entry:
  %p = call ptr @ptx.shared.base(ptr %thread)
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

; It is through a copy of one with another volatile access.
; check: define void @f.other
; check-count 2: store volatile i32 4
define void @f.other(ptr %p, ptr %q, i1 %c) {
entry:
  br i1 %c, label %first, label %joined
first:
  store i32 1, ptr %q
  br label %joined
joined:
  store volatile i32 4, ptr %p
  br i1 %c, label %second, label %end
second:
  store i32 3, ptr %q
  br label %end
end:
  ret void
}
