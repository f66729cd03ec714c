// SPDX-License-Identifier: Apache-2.0
//
// The parent waits for two things at once: the renaming of the dump, reported by inotify(7), and
// the end of the process, reported by its pidfd.

#include "runs.h"

#include "contents.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEADLINE_MS = 30000, TIMES_FD = 3, WARM_BYTES = 32 << 20, WARM_TIMES = 16 };

static char backtracer_setting[] =
    "SWIFT_BACKTRACE=enable=yes,threads=all,color=no,interactive=no,cache=yes,timeout=20s";

static pid_t spawn(const benchmark_death *death, const char *directory, int times_fd) {
    char thread_text[32], byte_text[32];
    snprintf(thread_text, sizeof thread_text, "%ld", death->threads);
    snprintf(byte_text, sizeof byte_text, "%llu", (unsigned long long)death->bytes);
    char *arguments[] = {"victim",    (char *)death->way, (char *)directory,
                         thread_text, byte_text,          (char *)death->content,
                         NULL};
    char *backtracer[] = {backtracer_setting, NULL};
    bool is_backtracer = strcmp(death->way, "backtracer") == 0;
    char **environment = is_backtracer ? backtracer : (char **)benchmark_environment;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    // The backtracer writes to standard error; all others have nothing to say there.
    if (is_backtracer) posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, times_fd, TIMES_FD);
    pid_t pid = -1;
    if (posix_spawn(&pid, "/proc/self/exe", &actions, NULL, arguments, environment) != 0) pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    return pid;
}

/// Waits for the end of the process and stores when it and the renaming before it happened.
static bool watch(pid_t pid, int notices, uint64_t *renamed, uint64_t *ended) {
    int process = (int)syscall(SYS_pidfd_open, pid, 0);
    struct pollfd files[2] = {{.fd = process, .events = POLLIN}, {.fd = notices, .events = POLLIN}};
    bool has_ended = false;
    while (!has_ended && poll(files, 2, DEADLINE_MS) > 0) {
        uint64_t now = benchmark_clock_ns();
        if ((files[0].revents & POLLIN) != 0) {
            *ended = now;
            has_ended = true;
        }
        if ((files[1].revents & POLLIN) != 0) {
            char events[4096];
            if (*renamed == 0) *renamed = now;
            if (read(notices, events, sizeof events) < 0) break;
        }
    }
    if (!has_ended) kill(pid, SIGKILL);
    close(process);
    int status = 0;
    waitpid(pid, &status, 0);
    return has_ended && (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

/// Removes the files in the directories the victim made, and adds up the dumps' sizes.
static uint64_t clean(const char *directory) {
    char command[4200];
    char pattern[4200];
    uint64_t bytes = 0;
    snprintf(pattern, sizeof pattern, "stat -c %%s '%s'/pending-dumps/* 2>/dev/null", directory);
    FILE *sizes = popen(pattern, "r");
    unsigned long long size;
    while (sizes != NULL && fscanf(sizes, "%llu", &size) == 1)
        bytes += size;
    if (sizes != NULL) pclose(sizes);
    snprintf(command, sizeof command, "rm -rf '%s'", directory);
    if (system(command) != 0) fprintf(stderr, "benchmark: cannot remove %s\n", directory);
    return bytes;
}

/// A virtual machine may have to ask its host for memory that was not used lately, which takes ten
/// times as long as everything measured here, so the memory is used before.
static void warm_memory(uint64_t bytes) {
    size_t count = (size_t)(WARM_TIMES * bytes + WARM_BYTES);
    void *memory = mmap(NULL, count, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory != MAP_FAILED) munmap(memory, count);
}

static uint64_t since(uint64_t start, uint64_t end) {
    return end > start ? end - start : 0;
}

bool benchmark_run_once(const benchmark_death *death, benchmark_run *run) {
    memset(run, 0, sizeof *run);
    char directory[] = "/tmp/epitaph-benchmark-XXXXXX";
    char pending[sizeof directory + 16];
    if (mkdtemp(directory) == NULL) return false;
    snprintf(pending, sizeof pending, "%s/pending-dumps", directory);
    mkdir(pending, 0700);
    warm_memory(death->bytes);
    int notices = inotify_init1(IN_CLOEXEC);
    inotify_add_watch(notices, pending, IN_MOVED_TO);
    int times_fd = memfd_create("times", MFD_CLOEXEC);
    benchmark_times *times = MAP_FAILED;
    if (ftruncate(times_fd, sizeof *times) == 0) {
        times = mmap(NULL, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED, times_fd, 0);
    }
    uint64_t renamed = 0;
    uint64_t ended = 0;
    pid_t pid = times == MAP_FAILED ? -1 : spawn(death, directory, times_fd);
    bool is_good = pid > 0 && watch(pid, notices, &renamed, &ended);
    if (is_good) {
        run->file_ns = since(times->before_fault, renamed != 0 ? renamed : times->bytes_written);
        run->end_ns = since(times->before_fault, ended);
        run->start_ns = since(times->before_start, times->after_start);
        run->annotation_ps = times->annotation_ps;
        run->breadcrumb_ps = times->breadcrumb_ps;
    } else {
        fprintf(stderr, "benchmark: `%s` with %ld threads did not end well\n", death->way,
                death->threads);
    }
    if (times != MAP_FAILED) munmap(times, sizeof *times);
    close(times_fd);
    close(notices);
    run->file_bytes = clean(directory);
    return is_good;
}
