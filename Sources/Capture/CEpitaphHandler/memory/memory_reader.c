// SPDX-License-Identifier: Apache-2.0
//
// process_vm_readv(2) is the quickest, but container seccomp profiles make it fail with EPERM or
// ENOSYS, and qemu-user lacks it. /proc/self/mem needs /proc and a dumpable process. A pipe needs
// nothing: write(2) fails with EFAULT for a bad address. Under a seccomp filter only the pipe is
// used: a filter may kill for the other two, which no probe would survive. A plain load is never a
// fallback, because it would fault in the handler.

#include "memory/memory.h"

#include "epitaph_placement.h"
#include "epitaph_settings.h"

#include <errno.h>

enum { PIPE_CHUNK = 4096, AHEAD_BYTES = 4096 };

typedef enum method { METHOD_CALL, METHOD_FILE, METHOD_PIPE, METHOD_NONE, METHOD_LOAD } method;

static method current_method;
static int32_t pid;
/// NULL outside of a capture.
static epitaph_mappings *mappings;
static int pipe_ends[2] = {-1, -1};

/// Copies of ranges to be read next, one after the other.
static EPITAPH_SPARSE struct {
    uint32_t count;
    epitaph_range ranges[EPITAPH_MEMORY_BATCH];
    uint8_t bytes[AHEAD_BYTES];
} ahead;

static void begin(void) {
    pid = epitaph_sys_getpid();
    bool is_filtered = epitaph_sys_seccomp_mode() != 0;
    current_method = is_filtered ? METHOD_PIPE : METHOD_CALL;
    epitaph_residency_begin(!is_filtered, mappings);
    epitaph_memory_file_forget();
    pipe_ends[0] = -1;
    ahead.count = 0;
}

void epitaph_memory_begin(epitaph_mappings *known) {
    mappings = known;
    begin();
}

void epitaph_memory_begin_loading(epitaph_mappings *known) {
    epitaph_memory_begin(known);
    current_method = METHOD_LOAD;
}

void epitaph_memory_end(void) {
    epitaph_memory_file_close();
    if (pipe_ends[0] >= 0) {
        epitaph_sys_close(pipe_ends[0]);
        epitaph_sys_close(pipe_ends[1]);
    }
    method present = current_method;
    begin();
    if (present == METHOD_LOAD) current_method = METHOD_LOAD;
}

static void next_method(void) {
    if (current_method == METHOD_CALL) {
        current_method = METHOD_FILE;
        if (epitaph_memory_file_open()) return;
    }
    current_method = current_method == METHOD_FILE ? METHOD_PIPE : METHOD_NONE;
}

static long read_through_pipe(void *buffer, uint64_t address, size_t count) {
    if (pipe_ends[0] < 0 && epitaph_sys_pipe(pipe_ends) < 0) return -ENOSYS;
    // Not across a page border: the pipe may refuse all of a partly readable write.
    size_t in_page = PIPE_CHUNK - (size_t)(address % PIPE_CHUNK);
    long written =
        epitaph_sys_write(pipe_ends[1], (const void *)address, count < in_page ? count : in_page);
    if (written <= 0) return written;
    return epitaph_sys_read_full(pipe_ends[0], buffer, (size_t)written);
}

static long read_once(void *buffer, uint64_t address, size_t count) {
    switch (current_method) {
    case METHOD_CALL: return epitaph_sys_process_vm_readv(pid, buffer, address, count);
    case METHOD_FILE: return epitaph_memory_file_read(buffer, address, count);
    case METHOD_PIPE: return read_through_pipe(buffer, address, count);
    case METHOD_LOAD: return (long)epitaph_guarded_copy(buffer, (const void *)address, count);
    case METHOD_NONE: break;
    }
    return -EFAULT;
}

static bool means_unreadable(long result) {
    return result == 0 || result == -EFAULT || result == -EIO || result == -EINVAL;
}

static bool was_read_ahead(void *buffer, uint64_t address, size_t count) {
    const uint8_t *copy = ahead.bytes;
    for (uint32_t i = 0; i < ahead.count; i++) {
        epitaph_range range = ahead.ranges[i];
        if (address >= range.start && address + count <= range.end) {
            epitaph_bytes_copy(buffer, copy + (address - range.start), count);
            return true;
        }
        copy += range.end - range.start;
    }
    return false;
}

size_t epitaph_memory_read(void *buffer, uint64_t address, size_t count) {
    size_t done = 0;
    if (address + count < address) return 0;
    if (was_read_ahead(buffer, address, count)) return count;
    count = epitaph_residency_prefix(address, count);
    while (done < count) {
        long got = read_once((char *)buffer + done, address + done, count - done);
        if (got > 0) {
            done += (size_t)got;
        } else if (means_unreadable(got)) {
            break;
        } else if (current_method == METHOD_NONE) {
            break;
        } else {
            next_method();
        }
    }
    return done;
}

bool epitaph_memory_is_readable(uint64_t address, uint64_t count) {
    if (current_method != METHOD_CALL || count == 0 || address + count < address) return false;
    const uint64_t page_size = epitaph_capture_settings_now.facts.page_size;
    if (page_size == 0 || epitaph_residency_prefix(address, count) < count) return false;
    uint64_t start = address & ~(page_size - 1);
    uint64_t end = (address + count + page_size - 1) & ~(page_size - 1);
    return epitaph_sys_populate_read(start, end - start) == 0;
}

bool epitaph_memory_read_exactly(void *buffer, uint64_t address, size_t count) {
    return epitaph_memory_read(buffer, address, count) == count;
}

size_t epitaph_memory_read_text(char *buffer, size_t size, uint64_t address) {
    // Most texts are short, and the next page may be missing.
    size_t first = size - 1 < EPITAPH_SHORT_TEXT_SIZE ? size - 1 : EPITAPH_SHORT_TEXT_SIZE;
    size_t got = epitaph_memory_read(buffer, address, first);
    if (got == first && epitaph_text_length(buffer, got) == got) {
        got += epitaph_memory_read(buffer + got, address + got, size - 1 - got);
    }
    buffer[got] = 0;
    return epitaph_text_length(buffer, got);
}

static bool read_all(void *buffer, const epitaph_range *ranges, uint32_t count, size_t total) {
    if (current_method != METHOD_CALL) return false;
    struct iovec parts[EPITAPH_MEMORY_BATCH];
    for (uint32_t i = 0; i < count; i++) {
        parts[i].iov_base = (void *)ranges[i].start;
        parts[i].iov_len = ranges[i].end - ranges[i].start;
        if (epitaph_residency_prefix(ranges[i].start, parts[i].iov_len) < parts[i].iov_len) {
            return false;
        }
    }
    long got = epitaph_sys_process_vm_readv_many(pid, buffer, total, parts, count);
    return got >= 0 && (size_t)got == total;
}

void epitaph_memory_read_ahead(const epitaph_range *ranges, uint32_t count) {
    size_t total = 0;
    ahead.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        ahead.ranges[i] = ranges[i];
        total += ranges[i].end - ranges[i].start;
    }
    if (count > 0 && total <= AHEAD_BYTES && read_all(ahead.bytes, ranges, count, total))
        ahead.count = count;
}

uint32_t epitaph_memory_read_batch(void *buffer, size_t size, const epitaph_range *ranges,
                                   uint32_t count, uint32_t got[EPITAPH_MEMORY_BATCH]) {
    uint32_t batched = 0;
    size_t total = 0;
    for (; batched < count && batched < EPITAPH_MEMORY_BATCH; batched++) {
        uint64_t bytes = ranges[batched].end - ranges[batched].start;
        if (bytes > size - total) break;
        got[batched] = (uint32_t)bytes;
        total += bytes;
    }
    if (batched == 0 || read_all(buffer, ranges, batched, total)) return batched;
    uint8_t *next = buffer;
    for (uint32_t i = 0; i < batched; i++) {
        uint64_t bytes = ranges[i].end - ranges[i].start;
        got[i] = (uint32_t)epitaph_memory_read(next, ranges[i].start, bytes);
        next += bytes;
    }
    return batched;
}
