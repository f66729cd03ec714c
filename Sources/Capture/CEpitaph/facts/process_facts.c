// SPDX-License-Identifier: Apache-2.0
//
// Facts from /proc, sysconf(3) and the environment, while libc may be called.

#include "facts/facts.h"

#include "base/base.h"
#include "epitaph_file.h"
#include "epitaph_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

extern char **environ;

enum {
    COMMAND_LINE_LIMIT = 65536,
    /// Of a file of the machine. With many processors a crash reads cpuinfo itself.
    MACHINE_FILE_LIMIT = 8192,
};

static const uint64_t second_ns = 1000000000;

/// What the facts point to.
static struct {
    epitaph_lasting_room environment;
    epitaph_lasting_room command_line;
    epitaph_lasting_room processor_text;
    epitaph_lasting_room release_text;
} rooms;

static uint64_t read_start_ticks(void) {
    char text[1024];
    epitaph_proc_stat stat;
    epitaph_proc_file_read("/proc/self/stat", text, sizeof text);
    return epitaph_proc_stat_parse(text, &stat) ? stat.start_ticks : 0;
}

/// Start ticks count from boot.
static uint64_t start_ns(uint64_t start_ticks) {
    long ticks_per_second = sysconf(_SC_CLK_TCK);
    return ticks_per_second <= 0 ? 0 : start_ticks * (second_ns / (uint64_t)ticks_per_second);
}

/// As a crash reads it. Another library may have put a clock of its own in the place of libc's.
static uint64_t kernel_clock_ns(clockid_t clock) {
    struct timespec now;
    if (syscall(SYS_clock_gettime, clock, &now) != 0) return epitaph_clock_ns(clock);
    return (uint64_t)now.tv_sec * second_ns + (uint64_t)now.tv_nsec;
}

static void read_boot_id(uint8_t boot_id[16]) {
    char text[64];
    epitaph_proc_file_read("/proc/sys/kernel/random/boot_id", text, sizeof text);
    epitaph_uuid_read(text, boot_id);
}

static void copy_environment(epitaph_process_facts *facts, const char *const *allowed) {
    size_t total = 0;
    for (const char *const *name = allowed; *name != NULL; name++) {
        const char *value = getenv(*name);
        if (value != NULL) total += strlen(*name) + 1 + strlen(value) + 1;
    }
    char *text = total == 0 ? NULL : epitaph_lasting_room_get(&rooms.environment, total);
    if (text == NULL) return;
    char *next = text;
    for (const char *const *name = allowed; *name != NULL; name++) {
        const char *value = getenv(*name);
        if (value != NULL) next += sprintf(next, "%s=%s", *name, value) + 1;
    }
    facts->environment = text;
    facts->environment_bytes = total;
}

static void copy_command_line(epitaph_process_facts *facts) {
    char *text = epitaph_lasting_room_get(&rooms.command_line, COMMAND_LINE_LIMIT);
    if (text == NULL) return;
    facts->command_line = text;
    facts->command_line_bytes =
        epitaph_proc_file_read("/proc/self/cmdline", text, COMMAND_LINE_LIMIT);
}

static void read_auxv(epitaph_process_facts *facts) {
    size_t count =
        epitaph_proc_file_read("/proc/self/auxv", (char *)facts->auxv, EPITAPH_AUXV_SIZE);
    // Half of it would be another one.
    facts->auxv_bytes = count < EPITAPH_AUXV_SIZE - 1 ? (uint32_t)count : 0;
}

/// In memory as big as the file; NULL if it is empty, too big or there is no memory.
static const char *keep_file(const char *path, epitaph_lasting_room *room, size_t *count) {
    char text[MACHINE_FILE_LIMIT];
    *count = epitaph_proc_file_read(path, text, sizeof text);
    bool is_whole = *count != 0 && *count != sizeof text - 1;
    char *kept = is_whole ? epitaph_lasting_room_get(room, *count) : NULL;
    if (kept != NULL) memcpy(kept, text, *count);
    return kept;
}

static void keep_machine_files(epitaph_process_facts *facts) {
    facts->processor_text =
        keep_file("/proc/cpuinfo", &rooms.processor_text, &facts->processor_text_bytes);
    facts->release_text =
        keep_file("/etc/os-release", &rooms.release_text, &facts->release_text_bytes);
}

static uint64_t read_pid_namespace(void) {
    struct stat status;
    return stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

epitaph_process_identity epitaph_own_identity(void) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    epitaph_process_identity identity = {.pid = getpid()};
    if (facts->pid == identity.pid) {
        identity.start_ticks = facts->start_ticks;
        identity.pid_namespace = facts->pid_namespace;
        memcpy(identity.boot_id, facts->boot_id, sizeof identity.boot_id);
    } else {
        identity.start_ticks = read_start_ticks();
        identity.pid_namespace = read_pid_namespace();
        read_boot_id(identity.boot_id);
    }
    return identity;
}

void epitaph_facts_collect_of_child(epitaph_process_facts *facts) {
    facts->pid = getpid();
    facts->start_ticks = read_start_ticks();
    facts->process_start_ns = start_ns(facts->start_ticks);
    facts->pid_namespace = read_pid_namespace();
    facts->launch_time_ns = kernel_clock_ns(CLOCK_REALTIME);
    facts->launch_monotonic_ns = kernel_clock_ns(CLOCK_MONOTONIC);
}

void epitaph_facts_collect(epitaph_process_facts *facts, const epitaph_options *options) {
    memset(facts, 0, sizeof *facts);
    epitaph_facts_collect_of_child(facts);
    read_boot_id(facts->boot_id);
    read_auxv(facts);
    epitaph_oom_kills_collect(facts->oom_kills);
    ssize_t length =
        readlink("/proc/self/exe", facts->executable_path, sizeof facts->executable_path - 1);
    if (length < 0) {
        snprintf(facts->executable_path, sizeof facts->executable_path, "%s",
                 program_invocation_name);
    }
    facts->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
    facts->processor_count = (int32_t)sysconf(_SC_NPROCESSORS_ONLN);
    if (options->environment_allow_list != NULL) {
        copy_environment(facts, options->environment_allow_list);
    }
    if (options->includes_command_line) copy_command_line(facts);
    epitaph_processor_facts_collect(facts);
    keep_machine_files(facts);
    facts->signal_frame_bytes = epitaph_signal_frame_bytes();
    epitaph_loader_facts_collect(facts);
}
