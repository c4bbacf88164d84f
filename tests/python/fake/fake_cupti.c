/* SPDX-License-Identifier: MIT */
/* A CUPTI that knows of no device: each number that is pushed and popped gives the records of one call and of one piece
 * of device work, which began and ended with it, in the layout of CUDA 13.0's. Its clock is the host's, shifted. Tests
 * read and set what stands first. */
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT char fake_failing[64];       /* a function that answers fake_status */
EXPORT int fake_status = 35;        /* CUPTI_ERROR_INSUFFICIENT_PRIVILEGES */
EXPORT unsigned fake_version = 130001;
EXPORT int fake_drops = 0;          /* so many records of device work get lost */
EXPORT int fake_untimed = 0;        /* so many have no times */
EXPORT int fake_parts = 1;          /* how many records of device work each call has */
EXPORT int fake_silent = 0;         /* no records at all */
EXPORT int fake_kinds[8] = {10};    /* of the device work, in turns; up to a 0 */
EXPORT int fake_subscribers = 0;
EXPORT int fake_enabled = 0;        /* how many kinds */
EXPORT int fake_depth = 0;          /* of pushed numbers, all threads together */
EXPORT long fake_calls = 0;         /* numbers pushed */
EXPORT long fake_length = 0;        /* of the last work, in nanoseconds */

typedef void (*Request)(uint8_t **, size_t *, size_t *);
typedef void (*Complete)(void *, uint32_t, uint8_t *, size_t, size_t);

#define MOST 100000
struct work { uint64_t id, start, end; int kind; uint32_t correlation; };
static struct work works[MOST];
static int count, delivered;
static char enabled[64];
static size_t dropped;
static Request request;
static Complete complete;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static __thread struct { uint64_t id, start; } stack[8];
static __thread int top;

static uint64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1700000000000000000u + (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static int fails(const char *name) { return strcmp(fake_failing, name) == 0 ? fake_status : 0; }

EXPORT int cuptiGetVersion(uint32_t *version)
{
  *version = fake_version;
  return fails("cuptiGetVersion");
}

EXPORT int cuptiGetResultString(int status, const char **name)
{
  if (status == 1234) return 1; /* as of a later version */
  *name = status == 35   ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
          : status == 39 ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                         : "CUPTI_ERROR_UNKNOWN";
  return 0;
}

EXPORT int cuptiGetTimestamp(uint64_t *stamp) { *stamp = now(); return fails("cuptiGetTimestamp"); }

EXPORT int cuptiSubscribe(void **subscriber, void *callback, void *data)
{
  (void)callback, (void)data;
  if (fails("cuptiSubscribe")) return fake_status;
  if (fake_subscribers) return 39;
  *subscriber = &fake_subscribers;
  ++fake_subscribers;
  return 0;
}

EXPORT int cuptiUnsubscribe(void *subscriber) { return subscriber == &fake_subscribers && fake_subscribers-- ? 0 : 1; }

EXPORT int cuptiActivityRegisterCallbacks(Request requested, Complete completed)
{
  request = requested;
  complete = completed;
  return fails("cuptiActivityRegisterCallbacks");
}

EXPORT int cuptiActivityEnable(int kind)
{
  if (fails("cuptiActivityEnable")) return fake_status;
  fake_enabled += !enabled[kind];
  enabled[kind] = 1;
  return 0;
}

EXPORT int cuptiActivityDisable(int kind)
{
  fake_enabled -= enabled[kind];
  enabled[kind] = 0;
  return 0;
}

EXPORT int cuptiActivityPushExternalCorrelationId(int kind, uint64_t id)
{
  if (kind != 5 || top == 8) return 1;
  stack[top].id = id;
  stack[top++].start = now();
  __atomic_add_fetch(&fake_depth, 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&fake_calls, 1, __ATOMIC_RELAXED);
  return 0;
}

EXPORT int cuptiActivityPopExternalCorrelationId(int kind, uint64_t *id)
{
  if (kind != 5 || top == 0) return 1;
  *id = stack[--top].id;
  __atomic_sub_fetch(&fake_depth, 1, __ATOMIC_RELAXED);
  pthread_mutex_lock(&mutex);
  int kinds = 0;
  while (kinds < 8 && fake_kinds[kinds]) ++kinds;
  if (enabled[4] && enabled[39] && count < MOST) {
    struct work *one = &works[count];
    one->id = *id;
    one->kind = fake_kinds[count % kinds];
    one->start = stack[top].start;
    one->end = now();
    fake_length = (long)(one->end - one->start);
    one->correlation = 1000 + (uint32_t)count++;
  }
  pthread_mutex_unlock(&mutex);
  return 0;
}

static void put(uint8_t *at, size_t offset, const void *value, size_t bytes) { memcpy(at + offset, value, bytes); }

static size_t size_of(int kind)
{
  return kind == 39 ? 24 : kind == 4 ? 40 : kind == 1 || kind == 22 ? 96 : kind == 2 ? 88 : 216;
}

static uint8_t *buffer;
static size_t room, used;

static void deliver(void)
{
  if (buffer) complete(NULL, 0, buffer, room, used);
  buffer = NULL;
}

/* A record of zeros but for its kind; null where there is no buffer for it. */
static uint8_t *record_of(int kind)
{
  if (buffer && used + size_of(kind) > room) deliver();
  if (!buffer) {
    size_t most = 0;
    used = 0;
    request(&buffer, &room, &most);
  }
  if (!buffer) return NULL;
  uint8_t *const at = buffer + used;
  used += size_of(kind);
  memset(at, 0, size_of(kind));
  put(at, 0, &kind, 4);
  return at;
}

/* As the real one: on a thread of its own, and the device's records come later than those of the calls. */
static void *flush(void *unused)
{
  for (int i = 0; i < count && !fake_silent; ++i) {
    uint8_t *at = record_of(39);
    const int external = 5;
    put(at, 4, &external, 4);
    put(at, 8, &works[i].id, 8);
    put(at, 16, &works[i].correlation, 4);
    at = record_of(4);
    put(at, 8, &works[i].start, 8);
    put(at, 16, &works[i].end, 8);
    put(at, 32, &works[i].correlation, 4);
  }
  deliver();
  for (int i = 0; i < count && !fake_silent; ++i) {
    struct work *const one = &works[i];
    const int kind = one->kind;
    if (!enabled[kind] && kind != 3) continue;
    if (fake_drops > 0) {
      --fake_drops;
      ++dropped;
      continue;
    }
    if (fake_untimed > 0) {
      --fake_untimed;
      one->start = one->end = 0;
    }
    for (int part = fake_parts; part-- > 0;) {
      const uint64_t length = (one->end - one->start) / fake_parts, from = one->start + part * length;
      const uint64_t to = part == fake_parts - 1 ? one->end : from + length;
      uint8_t *const at = record_of(kind);
      put(at, 16, &from, 8);
      put(at, 24, &to, 8);
      put(at, kind == 22 ? 60 : kind == 1 || kind == 2 ? 44 : 92, &one->correlation, 4);
    }
  }
  deliver();
  delivered = count;
  count = 0;
  return unused;
}

/* The device's records of the last profile, once more. */
EXPORT void fake_deliver_late(void)
{
  for (int i = 0; i < delivered; ++i) {
    uint8_t *const at = record_of(10);
    put(at, 16, &works[i].start, 8);
    put(at, 24, &works[i].end, 8);
    put(at, 92, &works[i].correlation, 4);
  }
  deliver();
}

EXPORT int cuptiActivityFlushAll(uint32_t flags)
{
  (void)flags;
  pthread_t thread;
  if (pthread_create(&thread, NULL, flush, NULL)) return 999;
  pthread_join(thread, NULL);
  return 0;
}

EXPORT int cuptiActivityGetNextRecord(uint8_t *from, size_t bytes, uint8_t **record)
{
  int kind = 0;
  uint8_t *next = from;
  if (*record) {
    memcpy(&kind, *record, 4);
    next = *record + size_of(kind);
  }
  if (next >= from + bytes) return 12; /* CUPTI_ERROR_MAX_LIMIT_REACHED */
  *record = next;
  return 0;
}

EXPORT int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *number)
{
  (void)context, (void)stream;
  *number = dropped;
  dropped = 0;
  return 0;
}
