// SPDX-License-Identifier: Apache-2.0
//
// PROCESS_INFO, with the allow-listed arguments and variables.

#include "sections/sections.h"

#include <sys/resource.h>
#include <time.h>

static uint64_t nanoseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_usec * 1000;
}

/// By the wall clock as it is now, so that the process is as old as it is: the clock may have been
/// set since the start, on a machine without a battery by half a century. 0 if not known.
static uint64_t start_time_ns(uint64_t now_ns) {
    uint64_t started_ns = epitaph_capture_settings_now.facts.process_start_ns;
    uint64_t boot_ns = epitaph_sys_clock_ns(CLOCK_BOOTTIME);
    if (started_ns == 0 || boot_ns < started_ns || boot_ns - started_ns > now_ns) return 0;
    return now_ns - (boot_ns - started_ns);
}

/// Splits NUL-terminated `NAME=value` strings into names and values.
static void write_environment(epitaph_writer *writer, const char *text, size_t count) {
    epitaph_writer_array_start(writer, EPITAPH_KEY_ENVIRONMENT);
    for (size_t start = 0; start < count;) {
        const char *variable = text + start;
        size_t length = epitaph_text_length(variable, count - start);
        size_t name_length = 0;
        while (name_length < length && variable[name_length] != '=')
            name_length++;
        size_t value_start = name_length < length ? name_length + 1 : length;
        epitaph_writer_map_start(writer, EPITAPH_KEY_ENVIRONMENT);
        epitaph_writer_bytes(writer, EPITAPH_KEY_ANNOTATION_NAME, variable, name_length);
        epitaph_writer_bytes(writer, EPITAPH_KEY_ANNOTATION_VALUE, variable + value_start,
                             length - value_start);
        epitaph_writer_end(writer);
        start += length + 1;
    }
    epitaph_writer_end(writer);
}

void epitaph_process_info_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_writer_map_start(writer, EPITAPH_KEY_PROCESS_INFO);
    epitaph_writer_i32(writer, EPITAPH_KEY_PID, capture->pid);
    epitaph_writer_i32(writer, EPITAPH_KEY_PARENT_PID, epitaph_sys_getppid());
    epitaph_writer_u32(writer, EPITAPH_KEY_USER_ID, epitaph_sys_getuid());
    uint64_t now_ns = epitaph_sys_clock_ns(CLOCK_REALTIME);
    uint64_t start_ns = start_time_ns(now_ns);
    if (start_ns != 0) epitaph_writer_time(writer, EPITAPH_KEY_START_TIME, start_ns);
    epitaph_writer_time(writer, EPITAPH_KEY_SNAPSHOT_TIME, now_ns);
    struct rusage usage;
    if (epitaph_sys_getrusage(&usage) == 0) {
        epitaph_writer_map_start(writer, EPITAPH_KEY_TASK_BASIC_INFO);
        epitaph_writer_time(writer, EPITAPH_KEY_USER_TIME, nanoseconds(usage.ru_utime));
        epitaph_writer_time(writer, EPITAPH_KEY_SYSTEM_TIME, nanoseconds(usage.ru_stime));
        epitaph_writer_end(writer);
    }
    if (facts->command_line_bytes > 0) {
        epitaph_writer_bytes(writer, EPITAPH_KEY_COMMAND_LINE, facts->command_line,
                             facts->command_line_bytes);
    }
    if (facts->environment_bytes > 0) {
        write_environment(writer, facts->environment, facts->environment_bytes);
    }
    epitaph_writer_end(writer);
}
