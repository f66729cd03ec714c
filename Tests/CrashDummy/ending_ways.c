// SPDX-License-Identifier: Apache-2.0
//
// Ends without a crash: by signals with the default action, by other programs' handlers, by exec.

#include "ending_ways.h"

#include "ways.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

static const int marked[] = {SIGTERM, SIGHUP, SIGINT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, 0};

void ending_settings_before_start(int count, char **settings, epitaph_options *options) {
    for (int i = 4; i < count; i++) {
        if (strcmp(settings[i], "marks") == 0) options->marked_signals = marked;
        if (strcmp(settings[i], "ignores-term") == 0) signal(SIGTERM, SIG_IGN);
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

const way ending_ways[] = {
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
    {NULL, NULL},
};
