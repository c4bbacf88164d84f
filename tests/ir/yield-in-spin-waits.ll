; A loop that waits for what another thread writes lets the others run.
; check: load volatile i32
; check: call void @ptx.yield(ptr %thread)
define void @f.k(ptr %thread, ptr %flag) {
  br label %wait
wait:
  %v = load volatile i32, ptr %flag
  %c = icmp eq i32 %v, 0
  br i1 %c, label %wait, label %end
end:
  ret void
}
