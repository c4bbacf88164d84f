; A function's instructions have the lines that they came with, also from other files, in a subprogram of its own that is
; named as the PTX function it was made of. It begins where that function does, whichever line comes first in the code.
; check: define i32 @_Z5scalei.gangs(i32 %x) !dbg
; check-not: define i32 @f.unknown(i32 %x) !dbg
; check: ret i32 %x
; check: !DISubprogram(name: "scale", linkageName: "_Z5scalei", scope: {{.*}}, line: 7,
; check: !DILocation(line: 71, scope:
; check: !DILexicalBlockFile(
source_filename = "ptx"
define i32 @_Z5scalei.gangs(i32 %x) {
  %a = mul i32 %x, 3, !dbg !10
  %b = add i32 %a, 1, !dbg !11
  ret i32 %b, !dbg !12
}
define i32 @f.unknown(i32 %x) {
  ret i32 %x
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!20}
!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "ptx", emissionKind: FullDebug)
!1 = !DIFile(filename: "kernel.cu", directory: "")
!2 = !DIFile(filename: "part.h", directory: "")
!3 = !DISubroutineType(types: !{null})
!4 = distinct !DISubprogram(name: "_Z5scalei", scope: !1, file: !1, line: 7, type: !3, scopeLine: 7, unit: !0, spFlags: DISPFlagDefinition)
!5 = distinct !DISubprogram(name: "other", scope: !2, file: !2, line: 70, type: !3, scopeLine: 70, unit: !0, spFlags: DISPFlagDefinition)
!10 = !DILocation(line: 71, scope: !5)
!11 = !DILocation(line: 8, scope: !4)
!12 = !DILocation(line: 9, scope: !13)
!13 = !DILexicalBlockFile(scope: !4, file: !2, discriminator: 0)
!20 = !{i32 2, !"Debug Info Version", i32 3}
