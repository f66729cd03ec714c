// SPDX-License-Identifier: Apache-2.0
//
// CEpitaphVictim DATABASE WAY [THREADS [SETTING...]]: starts Epitaph, makes some named threads that
// wait, and dies. CEpitaphVictim sealed ...: see sealed.c. Settings:
//   thread    die on a thread
//   none      do not start Epitaph
//   blocked   one thread blocks all signals, those that libc keeps for itself as well
//   masked    one thread blocks all signals that libc lets it block
//   deep      threads with 32 KiB of used stack
//   settled   die only when all other threads sleep
//   patient   wait long for threads
//   hurried   little time for the capture
//   handler   a previous handler that says so on standard output and lets the process die
//   early, early-main, early-large, early-tiny, waiting, profiled, left-alone, ptrace, no-ptrace,
//   undumpable   see thread_ways.h
//   recover   one that jumps out of the first crash; then a second follows
//   virtual   signal actions are virtual
//   terminate-handler   a previous handler of std::terminate
//   no-debugger   do not start under a debugger
//   secure    start with more rights than the user has
//   allowed   SECRET_TOKEN of private_ways.c may be in dumps
//   registered  some memory is registered
//   little    hardly any memory besides stacks may be in a dump
//   strict    the filters of surroundings.h are not said to allow a capture
//   ignores-exit, bundle=ID, dumps=N, bytes=N, stacks=N, tables=N, crumbs=N   the options of that
//             meaning
//   last-lines   lines on standard error while dying, and those of last_lines.h
//   marks, ignores-term, crumb-file, last-run   see ending_ways.h
// and those of surroundings.h, which take hold after the start of Epitaph, or before it with
// `early-` before their names.

#include "breadcrumb_ways.h"
#include "crashes.h"
#include "ending_ways.h"
#include "last_lines.h"
#include "memory.h"
#include "private_ways.h"
#include "sealed.h"
#include "settled.h"
#include "surroundings.h"
#include "thread_ways.h"

#include <epitaph.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *way;
static pthread_barrier_t all_waiting;
static sigjmp_buf recovery;

static void *idle(void *argument) {
    char name[16];
    snprintf(name, sizeof name, "idle-%ld", (long)argument);
    pthread_setname_np(pthread_self(), name);
    pthread_barrier_wait(&all_waiting);
    while (pause() != 0)
        continue;
    return argument;
}

static void *idle_blocked(void *argument) {
    const unsigned long all = ~0ul;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
    return idle(argument);
}

static void *idle_masked(void *argument) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    return idle(argument);
}

static void *idle_deep(void *argument) {
    volatile char used[32768];
    for (size_t i = 0; i < sizeof used; i++)
        used[i] = (char)(i | 1);
    void *result = idle(argument);
    used[0] = used[1];
    return result;
}

static void *die(void *argument) {
    pthread_setname_np(pthread_self(), "dying");
    crash(way);
    return argument;
}

static void say_and_die(int signal) {
    static const char words[] = "previous handler\n";
    if (write(STDOUT_FILENO, words, sizeof words - 1) < 0) _exit(99);
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
    raise(signal);
}

static void jump_out(int signal) {
    siglongjmp(recovery, signal);
}

static int has(int count, char **settings, const char *name) {
    for (int i = 4; i < count; i++) {
        if (strcmp(settings[i], name) == 0) return 1;
    }
    return 0;
}

static void set_earlier_handler(void (*function)(int)) {
    struct sigaction action = {.sa_handler = function};
    sigaction(SIGSEGV, &action, NULL);
}

/// What follows `name` in a setting like "bundle=org.example.other"; `otherwise` without one.
static const char *setting(int count, char **settings, const char *name, const char *otherwise) {
    size_t length = strlen(name);
    for (int i = 4; i < count; i++) {
        if (strncmp(settings[i], name, length) == 0) return settings[i] + length;
    }
    return otherwise;
}

static void start(const char *database, int count, char **arguments) {
    static const epitaph_annotation_pair annotations[] = {
        {"prod", "CEpitaphVictim"}, {"ver", "1.0"}, {"colour", "blue"}};
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = database;
    options.bundle_id = setting(count, arguments, "bundle=", "org.example.dummy");
    options.max_pending_dumps = (uint32_t)atol(setting(count, arguments, "dumps=", "0"));
    options.max_pending_bytes = (uint64_t)atol(setting(count, arguments, "bytes=", "0"));
    options.virtual_signal_actions = has(count, arguments, "virtual");
    options.ignores_exit = has(count, arguments, "ignores-exit");
    options.filters_allow_capture = !has(count, arguments, "strict");
    options.annotations = annotations;
    options.annotation_count = 3;
    options.allows_debugger = !has(count, arguments, "no-debugger");
    options.allows_secure_execution = has(count, arguments, "secure");
    options.all_stacks_bytes = (uint64_t)atol(setting(count, arguments, "stacks=", "0"));
    options.unwind_tables_bytes = (uint64_t)atol(setting(count, arguments, "tables=", "0"));
    options.writes_last_lines = has(count, arguments, "last-lines");
    options.crash_directory = setting(count, arguments, "crashes=", NULL);
    options.crash_file_mode = (uint32_t)strtol(setting(count, arguments, "mode=", "0"), NULL, 8);
    if (has(count, arguments, "little")) options.all_memory_bytes = 512;
    if (has(count, arguments, "patient")) options.stop_timeout_ms = 30000;
    if (has(count, arguments, "hurried")) options.capture_timeout_ms = 300;
    thread_settings_before_start(count, arguments, &options);
    breadcrumb_settings_before_start(count, arguments, &options);
    private_settings_before_start(count, arguments, &options);
    ending_settings_before_start(count, arguments, &options);
    epitaph_error error;
    if (epitaph_start(&options, &error) != EPITAPH_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(70);
    }
}

int main(int count, char **arguments) {
    if (count > 1 && strcmp(arguments[1], "sealed") == 0)
        return sealed_main(count - 1, arguments + 1);
    if (count < 3) {
        fprintf(stderr,
                "usage: CEpitaphVictim [sealed] DATABASE WAY [THREADS [SETTING...]]\nways:");
        print_ways();
        fputc('\n', stderr);
        return 64;
    }
    way = arguments[2];
    long threads = count > 3 ? atol(arguments[3]) : 0;
    if (has(count, arguments, "handler")) set_earlier_handler(say_and_die);
    if (has(count, arguments, "recover")) set_earlier_handler(jump_out);
    if (has(count, arguments, "terminate-handler")) set_own_terminate_handler();
    for (int i = 4; i < count; i++) {
        if (strncmp(arguments[i], "early-", 6) == 0) surround(arguments[i] + 6, arguments[1]);
    }
    if (!has(count, arguments, "none")) start(arguments[1], count, arguments);
    for (int i = 4; i < count; i++)
        surround(arguments[i], arguments[1]);
    for (int i = 4; i < count; i++)
        last_lines_setting(arguments[i]);
    if (has(count, arguments, "registered")) register_memory();
    pthread_barrier_init(&all_waiting, NULL, (unsigned)threads + 1);
    pthread_t thread;
    for (long i = 0; i < threads; i++) {
        void *(*body)(void *) = has(count, arguments, "deep") ? idle_deep : idle;
        if (has(count, arguments, "blocked") && i == 0) body = idle_blocked;
        if (has(count, arguments, "masked") && i == 0) body = idle_masked;
        pthread_create(&thread, NULL, body, (void *)i);
    }
    pthread_barrier_wait(&all_waiting);
    if (has(count, arguments, "settled")) wait_until_settled();
    thread_settings_before_crash(count, arguments, crash, way);
    if (has(count, arguments, "thread")) {
        pthread_create(&thread, NULL, die, NULL);
        pthread_join(thread, NULL);
    }
    if (has(count, arguments, "recover") && sigsetjmp(recovery, 1) != 0) {
        puts("recovered");
        fflush(stdout);
        crash("abort");
    }
    crash(way);
    fprintf(stderr, "there is no way to die called %s\n", way);
    return 64;
}
