; Functions get the processor and its features, and probe large stack frames.
; check: define void @f.k() {{.*}}#0
; check: "probe-stack"="inline-asm" {{.*}}"target-features"="{{.+}}"
define void @f.k() {
  ret void
}
