// SPDX-License-Identifier: Apache-2.0
//
// /proc/self/mem, opened when it is needed. Its pages are faulted in without FAULT_FLAG_ALLOW_RETRY
// (fs/proc/base.c, mem_rw), so handle_userfault (mm/userfaultfd.c) fails instead of waiting; every
// other read waits.

#include "memory/memory.h"

#include <errno.h>
#include <fcntl.h>

enum { NOT_OPENED = INT32_MIN };

/// Below 0: not opened, or the error.
static int32_t file = NOT_OPENED;

bool epitaph_memory_file_open(void) {
    if (file == NOT_OPENED) {
        file = (int32_t)epitaph_sys_openat(AT_FDCWD, "/proc/self/mem", O_RDONLY | O_CLOEXEC, 0);
    }
    return file >= 0;
}

void epitaph_memory_file_forget(void) {
    file = NOT_OPENED;
}

void epitaph_memory_file_close(void) {
    if (file >= 0) epitaph_sys_close(file);
    file = NOT_OPENED;
}

long epitaph_memory_file_read(void *buffer, uint64_t address, size_t count) {
    return epitaph_sys_pread(file, buffer, count, address);
}

bool epitaph_memory_fetch(uint64_t address) {
    uint8_t byte;
    return !epitaph_memory_file_open() ||
           epitaph_memory_file_read(&byte, address, sizeof byte) != -EIO;
}
