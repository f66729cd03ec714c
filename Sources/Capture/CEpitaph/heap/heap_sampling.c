// SPDX-License-Identifier: Apache-2.0
//
// Finds the sampler, begins sampling, and answers what the sampler asks of this process.

#include "heap/heap.h"

#include "base/base.h"
#include "epitaph_handler.h"
#include "epitaph_heap_pool.h"
#include "epitaph_scopes.h"
#include "epitaph_settings.h"
#include "epitaph_threads.h"
#include "facts/facts.h"
#include "files/files.h"
#include "threads/alternate_stack.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/// As in epitaph_heap.h; NULL unless it is linked into the same file.
extern const epitaph_heap_sampler epitaph_heap_sampler_1
    __attribute__((weak, visibility("default")));

enum {
    /// The kernel keeps at least 128 MiB below the main stack free of other mappings (mmap_base,
    /// arch/x86/mm/mmap.c; mm/util.c), and a usual limit lets it grow to this.
    MAIN_STACK_BYTES = 8 << 20,
};

static uint32_t is_wanted;
static const char *refusal;
static epitaph_status refusal_status;

static const epitaph_heap_sampler *find(void) {
    if (&epitaph_heap_sampler_1 != NULL) return &epitaph_heap_sampler_1;
    return dlsym(RTLD_DEFAULT, "epitaph_heap_sampler_1");
}

static uint32_t copy_scope(uint8_t *records, uint32_t size) {
    epitaph_scope_attributes copy;
    uint64_t token;
    if (__atomic_load_n(&epitaph_scopes_now.is_used, __ATOMIC_ACQUIRE) == 0) return 0;
    uint64_t thread_pointer = (uint64_t)__builtin_thread_pointer();
    if (!epitaph_own_scope_find(thread_pointer, epitaph_own_tid(), &token)) return 0;
    epitaph_scope *scope = epitaph_scope_find(token);
    if (scope == NULL || !epitaph_scope_attributes_copy(scope, token, &copy)) return 0;
    if (copy.record_bytes > size) return 0;
    memcpy(records, copy.records, copy.record_bytes);
    return copy.record_bytes;
}

static bool may_call(void) {
    return !epitaph_filters_may_kill();
}

static void read_thread_name(char name[EPITAPH_HEAP_NAME_BYTES]) {
    name[0] = 0;
    if (epitaph_filters_allow_calls()) syscall(SYS_prctl, PR_GET_NAME, name);
}

static void report(const char *what) {
    int error_number = errno;
    epitaph_live_request request = EPITAPH_LIVE_REQUEST_DEFAULT;
    request.kind = EPITAPH_REPORT_HANDLED_ERROR;
    request.threads = EPITAPH_LIVE_THREADS_SUBJECT;
    request.message = what;
    request.message_source = "heap";
    // A capture that is under way may be what frees the block.
    if (!epitaph_capture_is_going_on()) epitaph_live_dump_make(&request, NULL, NULL);
    errno = error_number;
}

static void begin_in_child(void) {
    // 0 is nobody: where a filter may kill for the question, nothing more is sampled.
    epitaph_own_tid_change(epitaph_filters_may_kill() ? 0 : getpid());
}

static void note_this_thread(void) {
    int32_t tid = (int32_t)syscall(SYS_gettid);
    uint64_t end = tid == getpid() ? epitaph_main_stack_find() : 0;
    epitaph_own_stack_note(end, MAIN_STACK_BYTES, tid);
}

static void refuse(epitaph_status status, const char *why) {
    refusal_status = status;
    refusal = why;
}

static void refuse_as(epitaph_heap_refusal answer) {
    switch (answer) {
    case EPITAPH_HEAP_SAMPLES: refusal = NULL; break;
    case EPITAPH_HEAP_OTHER_VERSION:
        refuse(EPITAPH_INVALID_OPTION, "heap_sampling: libepitaph-heap is of another version");
        break;
    case EPITAPH_HEAP_IS_NOT_FIRST:
        refuse(EPITAPH_INVALID_OPTION, "heap_sampling: another library's malloc comes before that "
                                       "of libepitaph-heap");
        break;
    case EPITAPH_HEAP_SANITIZER:
        refuse(EPITAPH_INVALID_OPTION, "heap_sampling: a sanitizer watches all allocations here");
        break;
    case EPITAPH_HEAP_NO_MEMORY:
        refuse(EPITAPH_SYSTEM_ERROR, "heap_sampling: no room for the watched allocations");
        break;
    case EPITAPH_HEAP_IS_NOT_STATIC:
        refuse(EPITAPH_INVALID_OPTION, "heap_sampling: libepitaph-heap-static is for fully static "
                                       "programs, and libepitaph-heap for the others");
        break;
    case EPITAPH_HEAP_IS_NOT_WRAPPED:
        refuse(EPITAPH_INVALID_OPTION, "heap_sampling: libepitaph-heap-static needs all flags that "
                                       "pkg-config has for it");
        break;
    }
}

void epitaph_heap_sampling_begin(const epitaph_options *options) {
    static bool has_child_handler;
    is_wanted = options->heap_sampling != 0;
    if (!is_wanted) return;
    const epitaph_heap_sampler *sampler = find();
    if (sampler == NULL || sampler->version != EPITAPH_HEAP_VERSION) {
        refuse(EPITAPH_INVALID_OPTION, "heap_sampling: libepitaph-heap is not in this process, or "
                                       "is of another version");
        return;
    }
    note_this_thread();
    epitaph_threads_measure();
    if (!has_child_handler) has_child_handler = pthread_atfork(NULL, NULL, begin_in_child) == 0;
    const epitaph_heap_request request = {
        .version = EPITAPH_HEAP_VERSION,
        .block_limit = options->heap_blocks,
        .rate = options->heap_sampling,
        .overwritten_ends = options->heap_overwrites_end != 0,
        .host = {.stack_end = epitaph_own_stack_end,
                 .tid = epitaph_own_tid,
                 .thread_name = read_thread_name,
                 .scope = copy_scope,
                 .may_call = may_call,
                 .report = report},
    };
    epitaph_heap_refusal answer = sampler->start(&request);
    refuse_as(answer);
    if (answer != EPITAPH_HEAP_SAMPLES) return;
    __atomic_store_n(&epitaph_capture_settings_now.heap_pool, sampler->pool, __ATOMIC_RELEASE);
}

void epitaph_heap_sampling_end(void) {
    const epitaph_heap_sampler *sampler =
        epitaph_capture_settings_now.heap_pool == NULL ? NULL : find();
    if (sampler != NULL) sampler->stop();
}

epitaph_status epitaph_heap_check(epitaph_heap_counts *counts, epitaph_error *error) {
    const epitaph_heap_pool *pool = epitaph_capture_settings_now.heap_pool;
    if (counts != NULL) memset(counts, 0, sizeof *counts);
    epitaph_status status = epitaph_started_check(error);
    if (status != EPITAPH_OK) return status;
    if (!is_wanted) {
        return epitaph_error_set(error, EPITAPH_INVALID_OPTION, 0, "heap_sampling: not chosen");
    }
    if (refusal != NULL) return epitaph_error_set(error, refusal_status, 0, "%s", refusal);
    if (counts == NULL) return EPITAPH_OK;
    counts->sampled = __atomic_load_n(&pool->sampled, __ATOMIC_RELAXED);
    counts->caught = __atomic_load_n(&pool->caught, __ATOMIC_RELAXED);
    return EPITAPH_OK;
}
