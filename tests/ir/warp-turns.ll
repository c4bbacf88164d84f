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
; check-count 6: @ptx.warp(
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

; Lanes that skip the rest of a trip wait at its end for the others: both back edges lead there.
; check: define i32 @f.trips
; check: again.trip: ; preds = %again, %exchange
; check: call { i64, i64 } @ptx.warp(ptr %thread
; check: br label %again
; check: br i1 %skip, label %again.trip, label %exchange
; check: call { i64, i64 } @ptx.warp(ptr %thread
; check: store volatile i32 %sum
; check: br i1 %more, label %again.trip, label %end
define i32 @f.trips(ptr %thread, i32 %x, i32 %most) {
entry:
  %base = call ptr @ptx.shared.base(ptr %thread)
  br label %again
again:
  %n = phi i32 [ 0, %entry ], [ %next, %again ], [ %next, %exchange ]
  %sum = phi i32 [ 0, %entry ], [ %sum, %again ], [ %added, %exchange ]
  %next = add i32 %n, 1
  %bit = lshr i32 %x, %n
  %skip = trunc i32 %bit to i1
  br i1 %skip, label %again, label %exchange
exchange:
  store volatile i32 %sum, ptr %base
  %read = load volatile i32, ptr %base
  %added = add i32 %sum, %read
  %more = icmp slt i32 %next, %most
  br i1 %more, label %again, label %end
end:
  ret i32 %added
}
