; ModuleID = 'ptx'
source_filename = "ptx"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

; Function Attrs: nounwind speculatable willreturn memory(none)
declare ptr @ptx.params(ptr) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ntid.x(ptr) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.ctaid.x(ptr) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare i32 @ptx.sreg.tid.x(ptr) #0

; Function Attrs: nounwind memory(inaccessiblemem: readwrite)
declare void @check.alignment(ptr, i64, i64, i64) #1

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.roundeven.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fptosi.sat.i32.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fma.f32(float, float, float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare float @llvm.fabs.f32(float) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.umin.i32(i32, i32) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.fshl.i32(i32, i32, i32) #2

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @approximate.sinf(float) #0

; Function Attrs: nounwind speculatable willreturn memory(none)
declare float @pycuda_cpu_sin_f32(float) #0

; Function Attrs: nounwind willreturn memory(none)
declare i1 @ptx.gang.all(i1) #3

; Function Attrs: nounwind willreturn memory(none)
declare i1 @ptx.gang.none(i1) #3

declare i32 @ptx.gang.lanes(ptr)

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: read)
declare <64 x i32> @llvm.masked.load.v64i32.p0(ptr nocapture, i32 immarg, <64 x i1>, <64 x i32>) #4

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <64 x float> @llvm.fabs.v64f32(<64 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare <64 x float> @llvm.fma.v64f32(<64 x float>, <64 x float>, <64 x float>) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: write)
declare void @llvm.masked.store.v64f32.p0(<64 x float>, ptr nocapture, i32 immarg, <64 x i1>) #5

declare void @pycuda_cpu_fault(ptr, i32, i64)

; Function Attrs: nounwind null_pointer_is_valid
define void @_Z5scalePfi.gangs(ptr %0, ptr %1) #6 {
entry:
  %lanes16.i = alloca [64 x i64], align 64
  %lanes15.i = alloca [64 x i64], align 64
  %2 = getelementptr inbounds i8, ptr %0, i64 0
  %3 = load ptr, ptr %2, align 8, !invariant.load !2
  %4 = getelementptr inbounds i8, ptr %0, i64 20
  %5 = load i32, ptr %4, align 4, !invariant.load !2
  %6 = getelementptr inbounds i8, ptr %3, i64 28
  %7 = load i32, ptr %6, align 4, !invariant.load !2
  %8 = getelementptr inbounds i8, ptr %3, i64 32
  %9 = load i32, ptr %8, align 4, !invariant.load !2
  %10 = mul i32 %7, %9
  %11 = getelementptr inbounds i8, ptr %0, i64 0
  %12 = load ptr, ptr %11, align 8, !invariant.load !2
  %13 = getelementptr inbounds i8, ptr %12, i64 40
  %14 = load ptr, ptr %13, align 8, !invariant.load !2, !dereferenceable !3, !align !4
  %15 = getelementptr inbounds i8, ptr %0, i64 0
  %16 = load ptr, ptr %15, align 8, !invariant.load !2
  %17 = getelementptr inbounds i8, ptr %16, i64 12
  %18 = load i32, ptr %17, align 4, !invariant.load !2
  %19 = getelementptr inbounds i8, ptr %0, i64 8
  %20 = load i32, ptr %19, align 4, !invariant.load !2
  %21 = getelementptr inbounds i8, ptr %1, i64 88, !dbg !5
  store volatile i32 10, ptr %21, align 4, !dbg !5
  %22 = getelementptr inbounds i8, ptr %1, i64 92, !dbg !5
  store volatile i32 1, ptr %22, align 4, !dbg !5
  br label %row

row:                                              ; preds = %next, %entry
  %number = phi i32 [ 0, %entry ], [ %143, %next ]
  %y = phi i32 [ 0, %entry ], [ %144, %next ]
  %z = phi i32 [ 0, %entry ], [ %146, %next ]
  %23 = getelementptr inbounds i8, ptr %1, i64 12
  store i32 %y, ptr %23, align 4
  %24 = getelementptr inbounds i8, ptr %1, i64 16
  store i32 %z, ptr %24, align 4
  %25 = mul i32 %number, %5
  %26 = getelementptr inbounds i8, ptr %1, i64 88, !dbg !5
  %27 = getelementptr inbounds i8, ptr %1, i64 92, !dbg !5
  br label %gang

gang:                                             ; preds = %f._Z5scalePfi.gang.exit, %row
  %x = phi i32 [ 0, %row ], [ %139, %f._Z5scalePfi.gang.exit ]
  %28 = getelementptr inbounds i8, ptr %1, i64 8
  store i32 %x, ptr %28, align 4
  call void @llvm.lifetime.start.p0(i64 512, ptr %lanes16.i)
  call void @llvm.lifetime.start.p0(i64 512, ptr %lanes15.i)
  %29 = getelementptr inbounds i8, ptr %1, i64 8
  %30 = load i32, ptr %29, align 4
  %31 = getelementptr inbounds i8, ptr %14, i64 8
  %32 = load i64, ptr %14, align 8, !dbg !10, !invariant.load !2
  %33 = load i32, ptr %31, align 4, !dbg !10, !invariant.load !2
  %34 = mul i32 %20, %18, !dbg !11
  %35 = add i32 %34, %30, !dbg !11
  %.splatinsert.i = insertelement <64 x i32> poison, i32 %33, i64 0, !dbg !12
  %.splat.i = shufflevector <64 x i32> %.splatinsert.i, <64 x i32> poison, <64 x i32> zeroinitializer, !dbg !12
  %.splatinsert13.i = insertelement <64 x i32> poison, i32 %35, i64 0, !dbg !12
  %.splat14.i = shufflevector <64 x i32> %.splatinsert13.i, <64 x i32> poison, <64 x i32> zeroinitializer, !dbg !12
  %36 = add <64 x i32> %.splat14.i, <i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12, i32 13, i32 14, i32 15, i32 16, i32 17, i32 18, i32 19, i32 20, i32 21, i32 22, i32 23, i32 24, i32 25, i32 26, i32 27, i32 28, i32 29, i32 30, i32 31, i32 32, i32 33, i32 34, i32 35, i32 36, i32 37, i32 38, i32 39, i32 40, i32 41, i32 42, i32 43, i32 44, i32 45, i32 46, i32 47, i32 48, i32 49, i32 50, i32 51, i32 52, i32 53, i32 54, i32 55, i32 56, i32 57, i32 58, i32 59, i32 60, i32 61, i32 62, i32 63>, !dbg !12
  %37 = icmp slt <64 x i32> %36, %.splat.i, !dbg !12
  %38 = freeze <64 x i1> %37, !dbg !12
  %39 = add i32 %35, 63, !dbg !12
  %40 = icmp slt i32 %39, %33, !dbg !12
  %41 = load i8, ptr %14, align 1, !dbg !12, !invariant.load !2
  %42 = and i8 %41, 3, !dbg !12
  %43 = icmp eq i8 %42, 0, !dbg !12
  %44 = and i1 %40, %43, !dbg !12
  br i1 %44, label %"$L__BB0_7.i", label %some.i, !dbg !12, !prof !13

"$L__BB0_7.i":                                    ; preds = %gang
  %45 = sext i32 %35 to i64, !dbg !5
  %46 = shl nsw i64 %45, 2, !dbg !5
  %47 = add i64 %32, %46, !dbg !5
  %48 = inttoptr i64 %47 to ptr, !dbg !5
  %49 = getelementptr inbounds i8, ptr %1, i64 88, !dbg !5
  %50 = getelementptr inbounds i8, ptr %1, i64 92, !dbg !5
  %51 = load <64 x i32>, ptr %48, align 4, !dbg !5
  %52 = bitcast <64 x i32> %51 to <64 x float>, !dbg !5
  %53 = call <64 x float> @llvm.fabs.v64f32(<64 x float> %52), !dbg !5
  %54 = fcmp uge <64 x float> %53, <float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05>, !dbg !5
  %55 = call <64 x float> @llvm.fma.v64f32(<64 x float> %53, <64 x float> <float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000>, <64 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>), !dbg !5
  %56 = bitcast <64 x float> %55 to <64 x i32>, !dbg !5
  %57 = shl <64 x i32> %56, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>, !dbg !5
  %58 = and <64 x i32> %51, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>, !dbg !5
  %59 = xor <64 x i32> %57, %58, !dbg !5
  %60 = fadd <64 x float> %55, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>, !dbg !5
  %61 = call <64 x float> @llvm.fma.v64f32(<64 x float> %60, <64 x float> <float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000>, <64 x float> %53), !dbg !5
  %62 = call <64 x float> @llvm.fma.v64f32(<64 x float> %60, <64 x float> <float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000>, <64 x float> %61), !dbg !5
  %63 = call <64 x float> @llvm.fma.v64f32(<64 x float> %60, <64 x float> <float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000>, <64 x float> %62), !dbg !5
  %64 = fmul <64 x float> %63, %63, !dbg !5
  %65 = call <64 x float> @llvm.fma.v64f32(<64 x float> %64, <64 x float> <float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000>, <64 x float> <float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000>), !dbg !5
  %66 = call <64 x float> @llvm.fma.v64f32(<64 x float> %65, <64 x float> %64, <64 x float> <float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000>), !dbg !5
  %67 = call <64 x float> @llvm.fma.v64f32(<64 x float> %66, <64 x float> %64, <64 x float> <float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000>), !dbg !5
  %68 = fmul <64 x float> %64, <float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01>, !dbg !5
  %69 = call <64 x float> @llvm.fma.v64f32(<64 x float> %64, <64 x float> %67, <64 x float> %68), !dbg !5
  %70 = call <64 x float> @llvm.fma.v64f32(<64 x float> %63, <64 x float> %69, <64 x float> %63), !dbg !5
  %71 = bitcast <64 x float> %70 to <64 x i32>, !dbg !5
  %72 = xor <64 x i32> %59, %71, !dbg !5
  %73 = bitcast <64 x i32> %72 to <64 x float>, !dbg !5
  %74 = bitcast <64 x i1> %54 to i64
  %.not60.i = icmp eq i64 %74, 0
  br i1 %.not60.i, label %"$L__BB0_7._crit_edge.i", label %.run.i, !prof !14

"$L__BB0_7._crit_edge.i":                         ; preds = %lanes.done.i, %"$L__BB0_7.i"
  %.reg2mem28.0.0.i = phi <64 x float> [ %94, %lanes.done.i ], [ undef, %"$L__BB0_7.i" ]
  %75 = select <64 x i1> %54, <64 x float> %.reg2mem28.0.0.i, <64 x float> %73, !dbg !5
  %76 = call <64 x float> @llvm.fma.v64f32(<64 x float> %52, <64 x float> <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>, <64 x float> %75), !dbg !5
  %77 = fcmp uno <64 x float> %76, zeroinitializer, !dbg !5
  %78 = select <64 x i1> %77, <64 x float> <float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000>, <64 x float> %76, !dbg !5
  store <64 x float> %78, ptr %48, align 4, !dbg !5
  br label %f._Z5scalePfi.gang.exit, !dbg !5

some.i:                                           ; preds = %gang
  %79 = bitcast <64 x i1> %38 to i64, !dbg !12
  %.not.i = icmp eq i64 %79, 0, !dbg !12
  br i1 %.not.i, label %f._Z5scalePfi.gang.exit, label %"$L__BB0_7.masked.run.i", !dbg !12

"$L__BB0_7._crit_edge.masked.i":                  ; preds = %lanes.done23.i, %"$L__BB0_7.masked.run.split.i"
  %.reg2mem28.1.0.i = phi <64 x float> [ %138, %lanes.done23.i ], [ undef, %"$L__BB0_7.masked.run.split.i" ]
  %80 = select <64 x i1> %127, <64 x float> %125, <64 x float> %.reg2mem28.1.0.i, !dbg !5
  %81 = call <64 x float> @llvm.fma.v64f32(<64 x float> %104, <64 x float> <float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00, float 2.000000e+00>, <64 x float> %80), !dbg !5
  %82 = fcmp uno <64 x float> %81, zeroinitializer, !dbg !5
  %83 = select <64 x i1> %82, <64 x float> <float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000, float 0x7FFFFFFFE0000000>, <64 x float> %81, !dbg !5
  %84 = and i64 %32, 3, !dbg !5
  %85 = icmp ne i64 %84, 0, !dbg !5
  br i1 %85, label %misaligned.i, label %"$L__BB0_7._crit_edge.masked.split.i", !dbg !5, !prof !15

"$L__BB0_7._crit_edge.masked.split.i":            ; preds = %"$L__BB0_7._crit_edge.masked.i"
  call void @llvm.masked.store.v64f32.p0(<64 x float> %83, ptr %98, i32 4, <64 x i1> %38), !dbg !5
  br label %f._Z5scalePfi.gang.exit, !dbg !5

.run.i:                                           ; preds = %"$L__BB0_7.i"
  store <64 x i32> %51, ptr %lanes15.i, align 64, !dbg !5
  br label %lane.i, !dbg !5

lane.i:                                           ; preds = %lane.i, %.run.i
  %86 = phi i64 [ %74, %.run.i ], [ %93, %lane.i ], !dbg !5
  %87 = call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %86, i1 true), !dbg !5
  %88 = getelementptr float, ptr %lanes15.i, i64 %87, !dbg !5
  %89 = load float, ptr %88, align 4, !dbg !5
  %90 = call float @pycuda_cpu_sin_f32(float %89), !dbg !5
  %91 = getelementptr float, ptr %lanes16.i, i64 %87, !dbg !5
  store float %90, ptr %91, align 4, !dbg !5
  %92 = add i64 %86, -1, !dbg !5
  %93 = and i64 %86, %92, !dbg !5
  %.not61.i = icmp eq i64 %93, 0, !dbg !5
  br i1 %.not61.i, label %lanes.done.i, label %lane.i, !dbg !5

lanes.done.i:                                     ; preds = %lane.i
  %94 = load <64 x float>, ptr %lanes16.i, align 64, !dbg !5
  br label %"$L__BB0_7._crit_edge.i", !dbg !5

"$L__BB0_7.masked.run.i":                         ; preds = %some.i
  %95 = sext i32 %35 to i64, !dbg !5
  %96 = shl nsw i64 %95, 2, !dbg !5
  %97 = add i64 %32, %96, !dbg !5
  %98 = inttoptr i64 %97 to ptr, !dbg !5
  %99 = getelementptr inbounds i8, ptr %1, i64 88, !dbg !5
  %100 = getelementptr inbounds i8, ptr %1, i64 92, !dbg !5
  %101 = and i64 %32, 3, !dbg !5
  %102 = icmp ne i64 %101, 0, !dbg !5
  br i1 %102, label %misaligned.i, label %"$L__BB0_7.masked.run.split.i", !dbg !5, !prof !15

"$L__BB0_7.masked.run.split.i":                   ; preds = %"$L__BB0_7.masked.run.i"
  %103 = call <64 x i32> @llvm.masked.load.v64i32.p0(ptr %98, i32 4, <64 x i1> %38, <64 x i32> poison), !dbg !5
  %104 = bitcast <64 x i32> %103 to <64 x float>, !dbg !5
  %105 = call <64 x float> @llvm.fabs.v64f32(<64 x float> %104), !dbg !5
  %106 = fcmp uge <64 x float> %105, <float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05, float 1.056150e+05>, !dbg !5
  %107 = call <64 x float> @llvm.fma.v64f32(<64 x float> %105, <64 x float> <float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000, float 0x3FD45F3060000000>, <64 x float> <float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000, float 0x4168000000000000>), !dbg !5
  %108 = bitcast <64 x float> %107 to <64 x i32>, !dbg !5
  %109 = shl <64 x i32> %108, <i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31, i32 31>, !dbg !5
  %110 = and <64 x i32> %103, <i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648, i32 -2147483648>, !dbg !5
  %111 = xor <64 x i32> %109, %110, !dbg !5
  %112 = fadd <64 x float> %107, <float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000, float 0xC168000000000000>, !dbg !5
  %113 = call <64 x float> @llvm.fma.v64f32(<64 x float> %112, <64 x float> <float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000, float 0xC00921FB40000000>, <64 x float> %105), !dbg !5
  %114 = call <64 x float> @llvm.fma.v64f32(<64 x float> %112, <64 x float> <float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000, float 0xBE84442D00000000>, <64 x float> %113), !dbg !5
  %115 = call <64 x float> @llvm.fma.v64f32(<64 x float> %112, <64 x float> <float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000, float 0xBD084698A0000000>, <64 x float> %114), !dbg !5
  %116 = fmul <64 x float> %115, %115, !dbg !5
  %117 = call <64 x float> @llvm.fma.v64f32(<64 x float> %116, <64 x float> <float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000, float 0x3EC5DBC240000000>, <64 x float> <float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000, float 0xBF29F70460000000>), !dbg !5
  %118 = call <64 x float> @llvm.fma.v64f32(<64 x float> %117, <64 x float> %116, <64 x float> <float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000, float 0x3F8110ED80000000>), !dbg !5
  %119 = call <64 x float> @llvm.fma.v64f32(<64 x float> %118, <64 x float> %116, <64 x float> <float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000, float 0xBFA5555300000000>), !dbg !5
  %120 = fmul <64 x float> %116, <float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01, float -1.250000e-01>, !dbg !5
  %121 = call <64 x float> @llvm.fma.v64f32(<64 x float> %116, <64 x float> %119, <64 x float> %120), !dbg !5
  %122 = call <64 x float> @llvm.fma.v64f32(<64 x float> %115, <64 x float> %121, <64 x float> %115), !dbg !5
  %123 = bitcast <64 x float> %122 to <64 x i32>, !dbg !5
  %124 = xor <64 x i32> %111, %123, !dbg !5
  %125 = bitcast <64 x i32> %124 to <64 x float>, !dbg !5
  %126 = xor <64 x i1> %106, <i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true, i1 true>, !dbg !5
  %127 = select <64 x i1> %38, <64 x i1> %126, <64 x i1> zeroinitializer, !dbg !5
  %128 = select <64 x i1> %38, <64 x i1> %106, <64 x i1> zeroinitializer, !dbg !5
  %129 = bitcast <64 x i1> %128 to i64
  %.not58.i = icmp eq i64 %129, 0
  br i1 %.not58.i, label %"$L__BB0_7._crit_edge.masked.i", label %.run21.i, !prof !14

.run21.i:                                         ; preds = %"$L__BB0_7.masked.run.split.i"
  store <64 x i32> %103, ptr %lanes15.i, align 64, !dbg !5
  br label %lane22.i, !dbg !5

lane22.i:                                         ; preds = %lane22.i, %.run21.i
  %130 = phi i64 [ %129, %.run21.i ], [ %137, %lane22.i ], !dbg !5
  %131 = call range(i64 0, 65) i64 @llvm.cttz.i64(i64 %130, i1 true), !dbg !5
  %132 = getelementptr float, ptr %lanes15.i, i64 %131, !dbg !5
  %133 = load float, ptr %132, align 4, !dbg !5
  %134 = call float @pycuda_cpu_sin_f32(float %133), !dbg !5
  %135 = getelementptr float, ptr %lanes16.i, i64 %131, !dbg !5
  store float %134, ptr %135, align 4, !dbg !5
  %136 = add i64 %130, -1, !dbg !5
  %137 = and i64 %130, %136, !dbg !5
  %.not59.i = icmp eq i64 %137, 0, !dbg !5
  br i1 %.not59.i, label %lanes.done23.i, label %lane22.i, !dbg !5

lanes.done23.i:                                   ; preds = %lane22.i
  %138 = load <64 x float>, ptr %lanes16.i, align 64, !dbg !5
  br label %"$L__BB0_7._crit_edge.masked.i", !dbg !5

misaligned.i:                                     ; preds = %"$L__BB0_7.masked.run.i", %"$L__BB0_7._crit_edge.masked.i"
  call void @pycuda_cpu_fault(ptr %1, i32 1, i64 %97) #8
  unreachable

f._Z5scalePfi.gang.exit:                          ; preds = %"$L__BB0_7._crit_edge.i", %some.i, %"$L__BB0_7._crit_edge.masked.split.i"
  call void @llvm.lifetime.end.p0(i64 512, ptr %lanes16.i), !dbg !16
  call void @llvm.lifetime.end.p0(i64 512, ptr %lanes15.i), !dbg !16
  %139 = add i32 %x, 64
  %140 = icmp ult i32 %139, %5
  br i1 %140, label %gang, label %rest

rest:                                             ; preds = %f._Z5scalePfi.gang.exit
  br label %next

next:                                             ; preds = %rest
  %141 = add i32 %y, 1
  %142 = icmp eq i32 %141, %7
  %143 = add i32 %number, 1
  %144 = select i1 %142, i32 0, i32 %141
  %145 = zext i1 %142 to i32
  %146 = add i32 %z, %145
  %147 = icmp ult i32 %143, %10
  br i1 %147, label %row, label %done

done:                                             ; preds = %next
  ret void
}

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.start.p0(i64 immarg, ptr nocapture) #7

; Function Attrs: nocallback nofree nosync nounwind willreturn memory(argmem: readwrite)
declare void @llvm.lifetime.end.p0(i64 immarg, ptr nocapture) #7

attributes #0 = { nounwind speculatable willreturn memory(none) }
attributes #1 = { nounwind memory(inaccessiblemem: readwrite) }
attributes #2 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nounwind willreturn memory(none) }
attributes #4 = { nocallback nofree nosync nounwind willreturn memory(argmem: read) }
attributes #5 = { nocallback nofree nosync nounwind willreturn memory(argmem: write) }
attributes #6 = { nounwind null_pointer_is_valid "min-legal-vector-width"="512" "prefer-vector-width"="512" "probe-stack"="inline-asm" "target-cpu"="znver5" "target-features"="+64bit,+adx,+aes,-amx-bf16,-amx-complex,-amx-fp16,-amx-int8,-amx-tile,+avx,-avx10.1-256,-avx10.1-512,+avx2,+avx512bf16,+avx512bitalg,+avx512bw,+avx512cd,+avx512dq,+avx512f,-avx512fp16,+avx512ifma,+avx512vbmi,+avx512vbmi2,+avx512vl,+avx512vnni,+avx512vp2intersect,+avx512vpopcntdq,-avxifma,-avxneconvert,+avxvnni,-avxvnniint16,-avxvnniint8,+bmi,+bmi2,-ccmp,-cf,-cldemote,+clflushopt,+clwb,+clzero,+cmov,-cmpccxadd,+crc32,+cx16,+cx8,-egpr,-enqcmd,+evex512,+f16c,+fma,-fma4,+fsgsbase,+fxsr,+gfni,-hreset,+invpcid,-kl,-lwp,+lzcnt,+mmx,+movbe,-movdir64b,-movdiri,-mwaitx,-ndd,+pclmul,-pconfig,-pku,+popcnt,-ppx,-prefetchi,+prfchw,-ptwrite,-push2pop2,-raoint,+rdpid,-rdpru,+rdrnd,+rdseed,-rtm,+sahf,-serialize,-sgx,+sha,-sha512,+shstk,-sm3,-sm4,+sse,+sse2,+sse3,+sse4.1,+sse4.2,+sse4a,+ssse3,-tbm,-tsxldtrk,-uintr,-usermsr,+vaes,+vpclmulqdq,-waitpkg,-wbnoinvd,-widekl,-xop,+xsave,+xsavec,+xsaveopt,+xsaves" }
attributes #7 = { nocallback nofree nosync nounwind willreturn memory(argmem: readwrite) }
attributes #8 = { cold noreturn nounwind }

!llvm.dbg.cu = !{!0}

!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, producer: "ptx", isOptimized: false, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "ptx", directory: "")
!2 = !{}
!3 = !{i64 12}
!4 = !{i64 64}
!5 = !DILocation(line: 10, scope: !6)
!6 = !DILexicalBlockFile(scope: !8, file: !7, discriminator: 0)
!7 = !DIFile(filename: "kernel.cu", directory: "")
!8 = distinct !DISubprogram(name: "_Z5scalePfi", linkageName: "_Z5scalePfi", scope: !1, file: !1, type: !9, spFlags: DISPFlagDefinition, unit: !0)
!9 = !DISubroutineType(types: !2)
!10 = !DILocation(line: 6, scope: !6)
!11 = !DILocation(line: 8, scope: !6)
!12 = !DILocation(line: 9, scope: !6)
!13 = !{!"branch_weights", i32 7, i32 1}
!14 = !{!"branch_weights", i32 1048575, i32 1}
!15 = !{!"branch_weights", i32 1, i32 1048575}
!16 = !DILocation(line: 11, scope: !6)
