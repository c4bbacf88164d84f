; A sum that a loop keeps in memory is in a register if nothing else that the loop accesses overlaps it: the active lanes
; are asked, and the loop is there twice. The sum of the first loop, which is left as it is, is volatile.
; check: store volatile float
; check: call i1 @ptx.active.all
; check: br i1 %{{.*}}, label %registers, label %memory
; check: loop:
; check: load float
; check-not: store float
; check: br i1
; check: loop.memory:
; check: load float
; check: store float
; check-count 2: store float
define internal void @f.k(ptr noundef nonnull %thread) #0 {
  ret void
}
declare ptr @ptx.params(ptr) #1
declare i32 @ptx.sreg.tid.x(ptr) #1
define internal void @f.k.copy(ptr noundef nonnull %thread) #2 {
entry:
  %params = call ptr @ptx.params(ptr nonnull %thread) #3
  %sums = load i64, ptr %params, align 8, !invariant.load !0
  %second = getelementptr inbounds i8, ptr %params, i64 8
  %numbers = load i64, ptr %second, align 8, !invariant.load !0
  %third = getelementptr inbounds i8, ptr %params, i64 16
  %count = load i32, ptr %third, align 4, !invariant.load !0
  %tid = call range(i32 0, -2147483648) i32 @ptx.sreg.tid.x(ptr nonnull %thread) #3
  %index = zext nneg i32 %tid to i64
  %bytes = shl nuw nsw i64 %index, 2
  %address = add i64 %sums, %bytes
  %place = inttoptr i64 %address to ptr
  br label %first
first:
  %i = phi i32 [ 0, %entry ], [ %i.next, %first.again ]
  %f = phi float [ 0.000000e+00, %entry ], [ %f.next, %first.again ]
  %f.next = fadd float %f, 1.000000e+00
  store volatile float %f.next, ptr %place, align 4
  %i.next = add i32 %i, 1
  %first.done = icmp eq i32 %i.next, %count
  br i1 %first.done, label %between, label %first.again
first.again:
  br label %first
between:
  br label %loop
loop:
  %left = phi i32 [ %count, %between ], [ %left.next, %again ]
  %from = phi i64 [ %numbers, %between ], [ %from.next, %again ]
  %sum = phi float [ 0.000000e+00, %between ], [ %sum.next, %again ]
  %pointer = inttoptr i64 %from to ptr
  %number = load float, ptr %pointer, align 4
  %sum.next = fadd float %sum, %number
  store float %sum.next, ptr %place, align 4
  %left.next = add i32 %left, -1
  %done = icmp eq i32 %left.next, 0
  br i1 %done, label %end, label %again
again:
  %from.next = add i64 %from, 4
  br label %loop
end:
  ret void
}
attributes #0 = { nounwind }
attributes #1 = { nounwind willreturn memory(none) }
attributes #2 = { nounwind }
attributes #3 = { nounwind willreturn memory(none) }
!0 = !{}
