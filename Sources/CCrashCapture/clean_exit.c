// SPDX-License-Identifier: Apache-2.0
//
// The last thing a process that ends well writes into its dump file.

#include "bytes.h"
#include "epitaph_capture.h"
#include "sys.h"

#include <time.h>

enum { TIME_BYTES = 16, NANOSECONDS_PER_MICROSECOND = 1000 };

/// A whole property and the root map's end. Packed: this is what the file holds.
typedef struct __attribute__((packed)) clean_exit_mark {
    uint8_t command;
    uint16_t key;
    uint64_t payload_bytes;
    int64_t seconds;
    int64_t microseconds;
    uint8_t root_end;
} clean_exit_mark;
_Static_assert(sizeof(clean_exit_mark) == 11 + TIME_BYTES + 1, "docs/dump-format.md");

void epitaph_dump_file_mark_clean_exit(epitaph_dump_file *file) {
    const uint64_t second_ns = 1000000000;
    // Out of the handler's sight meanwhile: a thread that crashes now gets a file of its own.
    int fd = __atomic_exchange_n(&file->fd, -1, __ATOMIC_ACQ_REL);
    if (fd < 0) return;
    uint64_t now_ns = epitaph_sys_clock_ns(CLOCK_REALTIME);
    clean_exit_mark mark = {
        .command = EPITAPH_COMMAND_PROPERTY,
        .key = EPITAPH_KEY_CLEAN_EXIT,
        .payload_bytes = TIME_BYTES,
        .seconds = (int64_t)(now_ns / second_ns),
        .microseconds = (int64_t)(now_ns % second_ns) / NANOSECONDS_PER_MICROSECOND,
        .root_end = EPITAPH_COMMAND_ROOT_MAP_END,
    };
    // Not through the position, which stays where a crash would be written from. One call, so that
    // there is a whole mark or none.
    long written = epitaph_sys_pwrite(fd, &mark, sizeof mark, file->launch_record_bytes);
    if (written == (long)sizeof mark) {
        epitaph_sys_ftruncate(fd, file->launch_record_bytes + sizeof mark);
    }
    __atomic_store_n(&file->fd, fd, __ATOMIC_RELEASE);
}
