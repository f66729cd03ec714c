// SPDX-License-Identifier: Apache-2.0
//
// Ends without a crash: by signals with the default action, by other programs' handlers, by exec.

#include "ending_ways.h"

#include "ways.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

static const int marked[] = {SIGTERM, SIGHUP, SIGINT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, 0};

static void print_last_run(const epitaph_options *options) {
    epitaph_last_run last;
    epitaph_status status = epitaph_last_run_get(options->database_path, options->crash_directory,
                                                 options->bundle_id, &last);
    if (status != EPITAPH_OK) exit(71);
    printf("knowledge %d, end %d, signal %d, memory warning %d, report %s, awaits sweep %d%s%s\n",
           (int)last.knowledge, (int)last.end, last.signal, last.had_memory_warning,
           last.report[0] != 0 ? "there" : "none", last.awaits_sweep,
           last.reason[0] != 0 ? ": " : "", last.reason);
    fflush(stdout);
}

/// Runs after what the start of Epitaph registers.
static void check_state(void) {
    sigset_t mask;
    stack_t stack;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    syscall(SYS_sigaltstack, NULL, &stack);
    for (int signal = 1; signal < NSIG; signal++)
        if (sigismember(&mask, signal) == 1) _exit(96);
    if ((stack.ss_flags & SS_ONSTACK) != 0) _exit(97);
    puts("mask and stack are as before");
}

void ending_settings_before_start(int count, char **settings, epitaph_options *options) {
    for (int i = 4; i < count; i++) {
        if (strcmp(settings[i], "marks") == 0) options->marked_signals = marked;
        if (strcmp(settings[i], "crumb-file") == 0) options->breadcrumb_file_bytes = 65536;
        if (strcmp(settings[i], "ignores-term") == 0) signal(SIGTERM, SIG_IGN);
        if (strcmp(settings[i], "checks-state") == 0) atexit(check_state);
        if (strcmp(settings[i], "last-run") == 0) print_last_run(options);
    }
}

/// Returns only if the signal did not end the process.
static void be_ended(int signal) {
    kill(getpid(), signal);
    usleep(200000);
}

WAY end_by_term(void) {
    be_ended(SIGTERM);
}

WAY end_by_hangup(void) {
    be_ended(SIGHUP);
}

WAY end_by_interrupt(void) {
    be_ended(SIGINT);
}

WAY end_by_user_signal(void) {
    be_ended(SIGUSR2);
}

WAY end_by_alarm(void) {
    struct itimerval soon = {.it_value = {.tv_usec = 10000}};
    setitimer(ITIMER_REAL, &soon, NULL);
    for (;;)
        pause();
}

WAY end_by_pipe(void) {
    int ends[2];
    if (pipe(ends) != 0) _exit(90);
    close(ends[0]);
    if (write(ends[1], "", 1) < 0) _exit(91);
}

/// SIGTERM is ignored or handled: the process goes on.
WAY outlive_term(void) {
    be_ended(SIGTERM);
    exit(7);
}

static void leave(int signal) {
    (void)signal;
    _exit(7);
}

WAY handle_term_later(void) {
    signal(SIGTERM, leave);
    be_ended(SIGTERM);
}

static void wait_for_term(pid_t child) {
    int status;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGTERM) _exit(90);
    raise(SIGKILL);
}

/// The child dies of SIGTERM, its parent of SIGKILL.
WAY lose_forked_child(void) {
    pid_t child = fork();
    if (child == 0) be_ended(SIGTERM);
    wait_for_term(child);
}

static void end_vfork_child(void) {
    kill(getpid(), SIGTERM);
    _exit(91);
}

__attribute__((noinline)) static pid_t spawn(void (*child)(void)) {
    pid_t pid = vfork();
    if (pid == 0) child();
    return pid;
}

WAY lose_vforked_child(void) {
    wait_for_term(spawn(end_vfork_child));
}

WAY stop_then_term(void) {
    epitaph_stop();
    be_ended(SIGTERM);
}

WAY warn_of_memory(void) {
    epitaph_memory_warning_note();
    raise(SIGKILL);
}

WAY become_sleep(void) {
    execlp("sleep", "sleep", "1000", (char *)NULL);
    _exit(90);
}

WAY note_and_be_killed(void) {
    static char long_message[5000];
    memset(long_message, 'x', sizeof long_message - 1);
    if (epitaph_breadcrumb_file_check() != 0) exit(91);
    for (int i = 0; i < 20; i++) {
        char message[32];
        snprintf(message, sizeof message, "step %d", i);
        epitaph_breadcrumb_add(EPITAPH_LEVEL_WARNING, "steps", message);
    }
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "long", long_message);
    raise(SIGKILL);
}

static void *note_for_ever(void *argument) {
    for (;;)
        epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "flood", "one of very many breadcrumbs");
    return argument;
}

/// In the middle of the writing of sixteen threads.
WAY flood_and_be_killed(void) {
    start_threads(16, note_for_ever);
    usleep(300000);
    raise(SIGKILL);
}

/// Another process may do that.
static void truncate_breadcrumb_file(void) {
    char command[256];
    snprintf(command, sizeof command,
             "f=$(sed -n 's/.* \\(\\/.*\\.breadcrumbs\\)$/\\1/p' /proc/%d/maps) && "
             "chmod u+w \"$f\" && : > \"$f\"",
             getpid());
    if (system(command) != 0) exit(92);
}

WAY note_in_truncated_file(void) {
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "a", "before");
    truncate_breadcrumb_file();
    for (int i = 0; i < 5000; i++)
        epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "a", "after");
    if (epitaph_breadcrumb_file_check() != EIO) exit(93);
    raise(SIGKILL);
}

/// The breadcrumb of the signal is a store into what is not there.
WAY end_by_term_in_truncated_file(void) {
    truncate_breadcrumb_file();
    be_ended(SIGTERM);
}

WAY note_in_child(void) {
    pid_t child = fork();
    if (child == 0) {
        epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "child", "not in the parent's file");
        _exit(epitaph_breadcrumb_file_check() == ENOENT ? 0 : 94);
    }
    int status;
    waitpid(child, &status, 0);
    if (status != 0) exit(95);
    epitaph_breadcrumb_add(EPITAPH_LEVEL_INFO, "parent", "in the file");
    raise(SIGKILL);
}

static void note_term(int signal, siginfo_t *info, void *context) {
    (void)context;
    epitaph_signal_note(signal, info->si_pid);
}

/// A handler of the program's own that notes what it gets.
WAY note_term_and_be_killed(void) {
    struct sigaction action = {.sa_sigaction = note_term, .sa_flags = SA_SIGINFO};
    if (!epitaph_signal_end_is_marked(SIGTERM)) _exit(91);
    if (epitaph_signal_end_is_marked(SIGSEGV) || epitaph_signal_end_is_marked(0)) _exit(92);
    sigaction(SIGTERM, &action, NULL);
    if (epitaph_signal_end_is_marked(SIGTERM)) _exit(93);
    kill(getpid(), SIGTERM);
    epitaph_signal_note(SIGSTKFLT, 0);
    raise(SIGKILL);
}

WAY note_and_crash(void) {
    epitaph_breadcrumb_add(EPITAPH_LEVEL_ERROR, "last", "about to crash");
    abort();
}

/// prctl(2): from now on a precise clock of the vdso is a SIGSEGV, on x86.
WAY exit_without_counter(void) {
    prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
    exit(3);
}

const way ending_ways[] = {
    {"note-and-be-killed", note_and_be_killed},
    {"flood-and-be-killed", flood_and_be_killed},
    {"note-in-truncated-file", note_in_truncated_file},
    {"end-by-term-in-truncated-file", end_by_term_in_truncated_file},
    {"note-in-child", note_in_child},
    {"note-term-and-be-killed", note_term_and_be_killed},
    {"note-and-crash", note_and_crash},
    {"end-by-term", end_by_term},
    {"end-by-hangup", end_by_hangup},
    {"end-by-interrupt", end_by_interrupt},
    {"end-by-user-signal", end_by_user_signal},
    {"end-by-alarm", end_by_alarm},
    {"end-by-pipe", end_by_pipe},
    {"outlive-term", outlive_term},
    {"handle-term-later", handle_term_later},
    {"lose-forked-child", lose_forked_child},
    {"lose-vforked-child", lose_vforked_child},
    {"stop-then-term", stop_then_term},
    {"warn-of-memory", warn_of_memory},
    {"become-sleep", become_sleep},
    {"exit-without-counter", exit_without_counter},
    {NULL, NULL},
};
