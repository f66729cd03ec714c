// SPDX-License-Identifier: Apache-2.0
//
// Reads small files.

#include "base/base.h"
#include "epitaph_system.h"

#include <errno.h>
#include <unistd.h>

ssize_t epitaph_file_start_read(int fd, void *bytes, size_t size) {
    size_t count = 0;
    int interruptions = 0;
    while (count < size) {
        ssize_t got = pread(fd, (char *)bytes + count, size - count, (off_t)count);
        if (got < 0 && errno == EINTR && ++interruptions < EPITAPH_INTERRUPTIONS_LIMIT) continue;
        if (got < 0) return -1;
        if (got == 0) break;
        count += (size_t)got;
    }
    return (ssize_t)count;
}
