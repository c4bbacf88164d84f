; The lanes of a warp meet before each volatile store to shared memory, and before the first of the loads behind it:
; also of one whose address is in shared memory in one case only. Before that, nothing waits.
; check: load i32, ptr %first
; check-not: ptx.warp
; check: call { i64, i64 } @ptx.warp(ptr %thread
; check: store volatile i32 1
; check: br i1 %c
; check: phi ptr
; check: call { i64, i64 } @ptx.warp(ptr %thread
; check: load i32, ptr %either
; check-not: ptx.warp
; check: load i32, ptr %next
; check-count 3: @ptx.warp(
declare ptr @ptx.shared.base(ptr)
define i32 @f.k(ptr %thread, ptr %global, i1 %c) {
entry:
  %base = call ptr @ptx.shared.base(ptr %thread)
  %first = getelementptr i8, ptr %base, i64 64
  %a = load i32, ptr %first
  %next = getelementptr i8, ptr %base, i64 68
  store volatile i32 1, ptr %first
  br i1 %c, label %other, label %end
other:
  br label %end
end:
  %either = phi ptr [ %next, %entry ], [ %global, %other ]
  %b = load i32, ptr %either
  %d = load i32, ptr %next
  %s = add i32 %a, %b
  %r = add i32 %s, %d
  ret i32 %r
}
