// SPDX-License-Identifier: Apache-2.0
//
// SYSTEM_FILES: files of the kernel and the distribution, verbatim. The length of a /proc file is
// only known after reading, so files are written in pieces that readers join.

#include "sections/sections.h"

#include <fcntl.h>

static const char maps_path[] = "/proc/self/maps";

static void write_piece(epitaph_writer *writer, const char *path, const void *bytes, size_t count) {
    epitaph_writer_map_start(writer, EPITAPH_KEY_SYSTEM_FILES);
    epitaph_writer_text(writer, EPITAPH_KEY_SYSTEM_FILE_NAME, path, EPITAPH_PATH_SIZE);
    epitaph_writer_bytes(writer, EPITAPH_KEY_SYSTEM_FILE_DATA, bytes, count);
    epitaph_writer_end(writer);
}

/// DAMAGE_SUBJECT of a file is its position in the section, counted from 1.
static void write_file(epitaph_capture *capture, const char *path, uint64_t place) {
    long fd = epitaph_sys_openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
    long got = fd < 0 ? fd : EPITAPH_SCRATCH_SIZE;
    // Less than was asked for: the end.
    while (got == EPITAPH_SCRATCH_SIZE) {
        got = epitaph_sys_read_full((int)fd, capture->scratch, EPITAPH_SCRATCH_SIZE);
        if (got > 0) write_piece(&capture->writer, path, capture->scratch, (size_t)got);
    }
    if (got < 0) {
        epitaph_damage_add(capture, EPITAPH_KEY_SYSTEM_FILES, EPITAPH_WHY_SYSTEM_CALL_FAILED,
                           (int32_t)-got, place);
    }
    if (fd >= 0) epitaph_sys_close((int)fd);
}

/// Writes a file as it was at the start, where it was kept.
static void write_kept(epitaph_capture *capture, const char *path, uint64_t place, const void *kept,
                       size_t count) {
    if (kept != NULL && count > 0) {
        write_piece(&capture->writer, path, kept, count);
    } else {
        write_file(capture, path, place);
    }
}

void epitaph_process_files_write(epitaph_capture *capture) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_SYSTEM_FILES);
    if (capture->mappings.text_bytes > 0) {
        write_piece(&capture->writer, maps_path, capture->mappings.text,
                    capture->mappings.text_bytes);
    } else {
        write_file(capture, maps_path, 1);
    }
    if (capture->mappings.has_more) {
        epitaph_damage_add(capture, EPITAPH_KEY_SYSTEM_FILES, EPITAPH_WHY_TOO_MANY, 0,
                           capture->mappings.count);
    }
    write_file(capture, "/proc/self/status", 2);
    write_kept(capture, "/proc/self/auxv", 3, facts->auxv, facts->auxv_bytes);
    write_file(capture, "/proc/self/limits", 4);
    epitaph_writer_end(&capture->writer);
}

void epitaph_machine_files_write(epitaph_capture *capture) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_writer_array_start(&capture->writer, EPITAPH_KEY_SYSTEM_FILES);
    write_kept(capture, "/proc/cpuinfo", 5, facts->processor_text, facts->processor_text_bytes);
    write_kept(capture, "/etc/os-release", 6, facts->release_text, facts->release_text_bytes);
    epitaph_writer_end(&capture->writer);
}
