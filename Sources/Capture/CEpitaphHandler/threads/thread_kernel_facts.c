// SPDX-License-Identifier: Apache-2.0
//
// Facts about a thread that does not stop, from /proc/self/task/TID.

#include "threads/threads.h"

#include <asm/unistd.h>
#include <errno.h>
#include <fcntl.h>

long epitaph_task_file_open(int32_t tid, const char *name, int flags) {
    char path[64];
    size_t length = 0;
    epitaph_text_append(path, sizeof path, &length, "/proc/self/task/");
    epitaph_text_append_number(path, sizeof path, &length, (uint64_t)tid);
    epitaph_text_append(path, sizeof path, &length, name);
    return epitaph_sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | flags, 0);
}

static size_t read_file(int32_t tid, const char *name, char *text, size_t size) {
    long fd = epitaph_task_file_open(tid, name, 0);
    if (fd < 0) return 0;
    long got = epitaph_sys_read_full((int)fd, text, size);
    epitaph_sys_close((int)fd);
    return got > 0 ? (size_t)got : 0;
}

/// The next hexadecimal number, which follows " 0x".
static bool read_next(const char **next, const char *end, uint64_t *value) {
    if (end - *next < 4 || (*next)[0] != ' ' || (*next)[1] != '0' || (*next)[2] != 'x')
        return false;
    *next += 3;
    *value = epitaph_text_read_hex(next, end);
    return true;
}

typedef enum whereabouts { NOT_KNOWN, RUNNING, WAITING } whereabouts;

/// Parses /proc/self/task/TID/syscall, proc(5). A thread in a system call: "number a b c d e f SP
/// PC", hexadecimal except for the first; waiting elsewhere: "-1 SP PC"; else "running".
static whereabouts read_wait(int32_t tid, epitaph_kernel_wait *wait) {
    char text[256];
    size_t length = read_file(tid, "/syscall", text, sizeof text);
    const char *end = text + length;
    const char *next = text;
    if (length > 0 && *next == 'r') return RUNNING;
    bool is_negative = length > 0 && *next == '-';
    if (is_negative) next++;
    if (next == end || *next < '0' || *next > '9') return NOT_KNOWN;
    int64_t number = (int64_t)epitaph_text_read_decimal(&next, end);
    wait->call = is_negative ? -1 : number;
    epitaph_bytes_zero(wait->arguments, sizeof wait->arguments);
    for (int i = 0; i < (is_negative ? 0 : EPITAPH_CALL_ARGUMENT_COUNT); i++) {
        if (!read_next(&next, end, &wait->arguments[i])) return NOT_KNOWN;
    }
    bool is_whole = read_next(&next, end, &wait->stack_pointer) &&
                    read_next(&next, end, &wait->instruction_pointer);
    return is_whole ? WAITING : NOT_KNOWN;
}

bool epitaph_kernel_stack_pointer_read(int32_t tid, uint64_t *stack_pointer) {
    epitaph_kernel_wait wait;
    if (read_wait(tid, &wait) != WAITING) return false;
    *stack_pointer = wait.stack_pointer;
    return true;
}

// Many system calls fail with EINTR after a handler, SA_RESTART or not: poll, epoll_wait,
// nanosleep, socket waits with a timeout; signal(7).
bool epitaph_thread_may_be_interrupted(int32_t tid) {
    enum { FUTEX_TIMEOUT_ARGUMENT = 3 };
    epitaph_kernel_wait wait;
    switch (read_wait(tid, &wait)) {
    case NOT_KNOWN: return false;
    case RUNNING: return true;
    case WAITING: break;
    }
    return epitaph_kernel_wait_is_for_lock(&wait) && wait.arguments[FUTEX_TIMEOUT_ARGUMENT] == 0;
}

bool epitaph_kernel_wait_is_for_lock(const epitaph_kernel_wait *wait) {
    return wait->call == __NR_futex;
}

/// The number of futex(2) arguments in docs/dump-format.md.
enum { WRITTEN_ARGUMENT_COUNT = 3 };

bool epitaph_kernel_wait_write(epitaph_capture *capture, int32_t tid, epitaph_kernel_wait *wait) {
    epitaph_writer *writer = &capture->writer;
    if (read_wait(tid, wait) != WAITING) return false;
    epitaph_writer_i64(writer, EPITAPH_KEY_THREAD_SYSTEM_CALL, wait->call);
    epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_INSTRUCTION_POINTER, wait->instruction_pointer);
    epitaph_writer_u64(writer, EPITAPH_KEY_THREAD_STACK_POINTER, wait->stack_pointer);
    // Arguments of other calls tell nothing, and their contents belong to the program.
    if (epitaph_kernel_wait_is_for_lock(wait)) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_THREAD_FUTEX_ARGUMENTS, wait->arguments,
                             WRITTEN_ARGUMENT_COUNT * sizeof *wait->arguments);
    }
    return true;
}

/// Name and state from "TID (name) S ...", proc(5). A name may contain blanks and brackets, so the
/// last `)` counts. False if there is no such thread.
static bool read_name(int32_t tid, char name[EPITAPH_THREAD_NAME_SIZE], uint8_t *state) {
    char text[256];
    size_t length = read_file(tid, "/stat", text, sizeof text);
    size_t open = 0;
    while (open < length && text[open] != '(')
        open++;
    size_t close = length;
    while (close > open && text[close - 1] != ')')
        close--;
    if (close <= open + 1) return false;
    size_t name_bytes = close - open - 2;
    if (name_bytes >= EPITAPH_THREAD_NAME_SIZE) name_bytes = EPITAPH_THREAD_NAME_SIZE - 1;
    epitaph_bytes_copy(name, text + open + 1, name_bytes);
    name[name_bytes] = 0;
    *state = close + 1 < length ? (uint8_t)text[close + 1] : 0;
    return true;
}

void epitaph_kernel_name_write(epitaph_capture *capture, int32_t tid) {
    char name[EPITAPH_THREAD_NAME_SIZE];
    uint8_t state;
    if (!read_name(tid, name, &state)) return;
    epitaph_writer_text(&capture->writer, EPITAPH_KEY_THREAD_NAME, name, sizeof name);
    if (state != 0) epitaph_writer_u8(&capture->writer, EPITAPH_KEY_THREAD_RUN_STATE, state);
}

void epitaph_kernel_describe(epitaph_thread_slot *slot) {
    uint8_t state;
    if (!read_name(slot->tid, slot->name, &state)) slot->name[0] = 0;
    epitaph_thread_slot_describe_scheduling(slot, slot->tid);
}

/// The value in "name:\tvalue" at the beginning of a line of the thread's status, proc(5); NULL if
/// it is not there.
static const char *find_value(const char *text, size_t length, const char *name,
                              size_t name_length) {
    for (size_t i = 0; i + name_length + 2 < length; i++) {
        if (i > 0 && text[i - 1] != '\n') continue;
        size_t same = 0;
        while (same < name_length && text[i + same] == name[same])
            same++;
        if (same == name_length && text[i + same] == ':') return text + i + same + 2;
    }
    return NULL;
}

// A main thread that called pthread_exit(3) stays as a zombie while the others live.
epitaph_kernel_status epitaph_kernel_status_read(epitaph_capture *capture, int32_t tid) {
    epitaph_kernel_status status;
    epitaph_bytes_zero(&status, sizeof status);
    status.has_ended = epitaph_sys_tgkill(capture->pid, tid, 0) == -ESRCH;
    if (status.has_ended) return status;
    char *text = (char *)capture->scratch;
    size_t length = read_file(tid, "/status", text, EPITAPH_SCRATCH_SIZE);
    const char *state = find_value(text, length, "State", 5);
    if (state != NULL) {
        status.has_ended = *state == 'Z' || *state == 'X';
        status.is_asleep = *state == 'S';
    }
    const char *blocked = find_value(text, length, "SigBlk", 6);
    if (blocked != NULL) status.blocked = epitaph_text_read_hex(&blocked, text + length);
    return status;
}

/// Fields 14 and 15 of the thread's stat, proc(5), behind its name.
static bool read_ticks(int32_t tid, epitaph_thread_work *work) {
    enum { BLANKS_BEFORE = 12 };
    char text[256];
    size_t length = read_file(tid, "/stat", text, sizeof text);
    size_t next = length;
    while (next > 0 && text[next - 1] != ')')
        next--;
    for (int blanks = 0; next < length && blanks < BLANKS_BEFORE; next++)
        blanks += text[next] == ' ' ? 1 : 0;
    if (next == length) return false;
    const char *number = text + next;
    const char *end = text + length;
    work->user_ticks = epitaph_text_read_decimal(&number, end);
    if (number == end || *number++ != ' ') return false;
    work->system_ticks = epitaph_text_read_decimal(&number, end);
    return number < end;
}

epitaph_thread_work epitaph_thread_work_read(epitaph_capture *capture, int32_t tid) {
    epitaph_thread_work work;
    epitaph_bytes_zero(&work, sizeof work);
    char *text = (char *)capture->scratch;
    size_t length = read_file(tid, "/status", text, EPITAPH_SCRATCH_SIZE);
    const char *end = text + length;
    const char *state = find_value(text, length, "State", 5);
    const char *tracer = find_value(text, length, "TracerPid", 9);
    const char *waits = find_value(text, length, "voluntary_ctxt_switches", 23);
    if (state == NULL || tracer == NULL || waits == NULL) return work;
    work.waits = epitaph_text_read_decimal(&waits, end);
    bool is_free = epitaph_text_read_decimal(&tracer, end) == 0;
    work.is_running = read_ticks(tid, &work) && *state == 'R' && is_free;
    return work;
}

bool epitaph_thread_only_computed(const epitaph_thread_work *before,
                                  const epitaph_thread_work *after) {
    return before->is_running && after->is_running && after->waits == before->waits &&
           after->system_ticks == before->system_ticks && after->user_ticks > before->user_ticks;
}
