; What nobody reads before the block ends is not stored in its shared memory.
; check: load <8 x float>
; check-not: store
; check: ret void
define void @f.k(ptr %block, ptr %thread, <8 x float> %v) "pycuda.runs-regions" {
  %field = getelementptr i8, ptr %block, i64 32
  %shared = load ptr, ptr %field
  %touched = load <8 x float>, ptr %shared
  store <8 x float> %v, ptr %shared
  br label %end
end:
  ret void
}
