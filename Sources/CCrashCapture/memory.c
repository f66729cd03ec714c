// SPDX-License-Identifier: Apache-2.0
//
// process_vm_readv(2) is the quickest, but container seccomp profiles answer it with EPERM or
// ENOSYS and qemu-user lacks it. /proc/self/mem needs /proc and a dumpable process. A pipe needs
// nothing: write(2) answers EFAULT for a bad address. A plain load is never the fallback: that
// would fault in the handler.

#include "memory.h"

#include "bytes.h"
#include "sys.h"

#include <errno.h>
#include <fcntl.h>

enum { PIPE_CHUNK = 4096 };

typedef enum method { METHOD_CALL, METHOD_FILE, METHOD_PIPE, METHOD_NONE } method;

static method current_method;
static int32_t pid;
static int memory_fd = -1;
static int pipe_ends[2] = {-1, -1};

void epitaph_memory_begin(void) {
    pid = epitaph_sys_getpid();
    current_method = METHOD_CALL;
    memory_fd = -1;
    pipe_ends[0] = -1;
}

void epitaph_memory_end(void) {
    if (memory_fd >= 0) epitaph_sys_close(memory_fd);
    if (pipe_ends[0] >= 0) {
        epitaph_sys_close(pipe_ends[0]);
        epitaph_sys_close(pipe_ends[1]);
    }
    memory_fd = -1;
    pipe_ends[0] = -1;
}

static void next_method(void) {
    if (current_method == METHOD_CALL) {
        current_method = METHOD_FILE;
        memory_fd = (int)epitaph_sys_openat(AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
        if (memory_fd >= 0) return;
    }
    if (current_method == METHOD_FILE) {
        current_method = METHOD_PIPE;
        if (epitaph_sys_pipe(pipe_ends) == 0) return;
    }
    current_method = METHOD_NONE;
}

static long read_through_pipe(void *buffer, uint64_t address, size_t count) {
    // Not across a page border: the pipe may refuse the whole of a write that is only partly
    // readable.
    size_t in_page = PIPE_CHUNK - (size_t)(address % PIPE_CHUNK);
    long written =
        epitaph_sys_write(pipe_ends[1], (const void *)address, count < in_page ? count : in_page);
    if (written <= 0) return written;
    return epitaph_sys_read_full(pipe_ends[0], buffer, (size_t)written);
}

static long read_once(void *buffer, uint64_t address, size_t count) {
    switch (current_method) {
    case METHOD_CALL: return epitaph_sys_process_vm_readv(pid, buffer, address, count);
    case METHOD_FILE: return epitaph_sys_pread(memory_fd, buffer, count, address);
    case METHOD_PIPE: return read_through_pipe(buffer, address, count);
    case METHOD_NONE: break;
    }
    return -EFAULT;
}

static bool means_unreadable(long result) {
    return result == 0 || result == -EFAULT || result == -EIO || result == -EINVAL;
}

size_t epitaph_memory_read(void *buffer, uint64_t address, size_t count) {
    size_t done = 0;
    if (address + count < address) return 0;
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

bool epitaph_memory_read_exactly(void *buffer, uint64_t address, size_t count) {
    return epitaph_memory_read(buffer, address, count) == count;
}

size_t epitaph_memory_read_text(char *buffer, size_t size, uint64_t address) {
    size_t got = epitaph_memory_read(buffer, address, size - 1);
    buffer[got] = 0;
    return epitaph_text_length(buffer, got);
}
