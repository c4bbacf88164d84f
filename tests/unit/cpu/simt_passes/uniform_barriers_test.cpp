// SPDX-License-Identifier: MIT
// Which kernels' gangs come to the same barriers in the same order.
#include "cpu/simt/analysis/uniform_barriers.h"

#include <doctest/doctest.h>

#include <string>

#include "unit/cpu/simt_passes/function_text.h"

using pycuda::cpu::simt::has_uniform_barriers;
using pycuda::cpu::testing::FunctionText;

namespace {

bool agree(const std::string& body) {
  FunctionText text(R"(
declare ptr @ptx.params(ptr)
declare ptr @ptx.shared.base(ptr)
declare i32 @ptx.sreg.tid.x(ptr)
declare i32 @ptx.sreg.ntid.x(ptr)
declare i32 @ptx.sreg.ctaid.y(ptr)
declare void @ptx.barrier.sync(ptr, i32, i32)
declare void @ptx.gang.pause(ptr)
declare void @pycuda_cpu_fault(ptr, i32, i64)
declare i32 @llvm.umin.i32(i32, i32)
declare i32 @unknown()
define void @f(ptr %thread) {
  %params = call ptr @ptx.params(ptr %thread)
  %shared = call ptr @ptx.shared.base(ptr %thread)
  %n = load i32, ptr %params, !invariant.load !0
  %tid = call i32 @ptx.sreg.tid.x(ptr %thread)
  %ntid = call i32 @ptx.sreg.ntid.x(ptr %thread)
  %by = call i32 @ptx.sreg.ctaid.y(ptr %thread)
  %found = load i32, ptr %shared
  %data = load i32, ptr %shared, !invariant.load !0
  %odd = trunc i32 %tid to i1
  %some = trunc i32 %n to i1
  br label %start
start:
)" + body + R"(
}
!0 = !{}
)");
  return has_uniform_barriers(text.function());
}

/// A loop around a barrier that makes `bound` rounds.
std::string rounds(const std::string& bound, const std::string& step = "%next = add i32 %k, 1") {
  return "br label %loop\nloop:\n%k = phi i32 [ 0, %start ], [ %next, %latch ]\n"
         "call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)\nbr label %latch\nlatch:\n" +
         step + "\n%more = icmp ult i32 %next, " + bound +
         "\nbr i1 %more, label %loop, label %end\nend:\nret void";
}

/// A branch on `condition` to `way`, which goes on to where a barrier comes.
std::string branch(const std::string& condition, const std::string& way) {
  return "br i1 " + condition + ", label %way, label %meet\nway:\n" + way +
         "\nmeet:\ncall void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)\nret void";
}

}  // namespace

TEST_CASE("gangs agree where parameters, constants and the block's place say how often") {
  CHECK(agree("ret void"));
  CHECK(agree(rounds("16")));
  CHECK(agree(rounds("%n")));
  CHECK(agree(rounds("%data")));
  CHECK(agree("%b = call i32 @llvm.umin.i32(i32 %n, i32 %ntid)\n%c = xor i32 %b, %by\n" +
              rounds("%c")));
  CHECK(agree(rounds("%n", "%s = select i1 %some, i32 2, i32 3\n%next = add i32 %k, %s")));
}

TEST_CASE("gangs do not agree where threads or what others write say how often") {
  CHECK_FALSE(agree(rounds("%tid")));
  CHECK_FALSE(agree(rounds("%found")));
  CHECK_FALSE(agree(rounds("undef")));
  CHECK_FALSE(agree("%b = call i32 @unknown()\n" + rounds("%b")));
  CHECK_FALSE(agree(rounds("%n", "%s = select i1 %odd, i32 2, i32 3\n%next = add i32 %k, %s")));
  CHECK_FALSE(agree("%own = alloca i32\n%b = ptrtoint ptr %own to i32\n" + rounds("%b")));
}

TEST_CASE("gangs that part and meet again between two barriers agree") {
  CHECK(agree(branch("%odd", "store i32 1, ptr %shared\nbr label %meet")));
  CHECK(agree(branch("%some",
                     "call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)\n"
                     "br label %meet")));
  CHECK(agree(branch("%some", "ret void")));
  // Nobody comes back from a fault.
  CHECK(agree(branch("%odd",
                     "call void @pycuda_cpu_fault(ptr %thread, i32 1, i64 0)\n"
                     "unreachable")));
  CHECK(agree(branch("%odd", R"(br label %inner
inner:
  %j = phi i32 [ 0, %way ], [ %j.next, %inner ]
  %j.next = add i32 %j, 1
  %j.more = icmp ult i32 %j.next, %tid
  br i1 %j.more, label %inner, label %left
left:
  br label %meet)")));
}

TEST_CASE("gangs do not agree where a barrier, a pause or the end lies on one way alone") {
  CHECK_FALSE(agree(branch("%odd",
                           "call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)\n"
                           "br label %meet")));
  CHECK_FALSE(agree(branch("%odd", "call void @ptx.gang.pause(ptr %thread)\nbr label %meet")));
  CHECK_FALSE(agree(branch("%odd", "ret void")));
}

TEST_CASE("what gangs bring along from where they parted differs") {
  const auto parted = [](const std::string& condition) {
    return R"(br i1 )" + condition + R"(, label %way, label %meet
way:
  br label %meet
meet:
  %b = phi i32 [ 4, %start ], [ %n, %way ]
  br label %before
before:
  br label %loop
loop:
  %k = phi i32 [ 0, %before ], [ %next, %loop ]
  call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %b
  br i1 %more, label %loop, label %end
end:
  ret void)";
  };
  CHECK(agree(parted("%some")));
  CHECK_FALSE(agree(parted("%odd")));
  // So does the count of a loop's rounds behind it.
  const auto counted = [](const std::string& bound) {
    return R"(br label %count
count:
  %c = phi i32 [ 0, %start ], [ %c.next, %count ]
  %c.next = add i32 %c, 1
  %c.more = icmp ult i32 %c.next, )" +
           bound + R"(
  br i1 %c.more, label %count, label %meet
meet:
  br label %loop
loop:
  %k = phi i32 [ 0, %meet ], [ %next, %loop ]
  call void @ptx.barrier.sync(ptr %thread, i32 0, i32 0)
  %next = add i32 %k, 1
  %more = icmp ult i32 %next, %c.next
  br i1 %more, label %loop, label %end
end:
  ret void)";
  };
  CHECK(agree(counted("%n")));
  CHECK_FALSE(agree(counted("%tid")));
}
