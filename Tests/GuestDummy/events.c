// SPDX-License-Identifier: Apache-2.0

#include "events.h"

#include "files.h"
#include "hiding.h"

#include <epitaph.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static sigjmp_buf recovery;
static volatile sig_atomic_t may_recover;

__attribute__((noinline)) static void write_to_nowhere(void) {
    *(volatile int *)(uintptr_t)16 = 1;
}

static void recover_or_die(int number) {
    if (may_recover) siglongjmp(recovery, 1);
    signal(number, SIG_DFL);
}

void prepare_event(const char *event) {
    if (strncmp(event, "recover", 7) != 0) return;
    struct sigaction action = {.sa_handler = recover_or_die};
    sigaction(SIGSEGV, &action, NULL);
}

static void go_on_and_exit(const char *what) {
    files_log("%s; the program goes on", what);
    files_write("afterwards");
    exit(0);
}

static void stop(void) {
    epitaph_stop();
    go_on_and_exit("stopped");
}

static void dump_alive(void) {
    epitaph_error error;
    // Not into the program's own log: without Epitaph there is nothing to say.
    if (epitaph_live_dump(NULL, &error) != EPITAPH_OK) files_note_refusal(error.message);
    go_on_and_exit("alive");
}

static void recover_once(void) {
    may_recover = 1;
    if (sigsetjmp(recovery, 1) == 0) write_to_nowhere();
    may_recover = 0;
    files_write("recovered");
}

static void recover(void) {
    recover_once();
    go_on_and_exit("recovered");
}

static void recover_and_die(void) {
    recover_once();
    write_to_nowhere();
}

static void log_end(const char *who, pid_t pid) {
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid) files_log("%s: not made", who);
    files_log("%s: wait status %#x", who, (unsigned)status);
}

static void lose_child(void) {
    pid_t child = fork();
    if (child == 0) write_to_nowhere();
    log_end("child", child);
    go_on_and_exit("child lost");
}

/// A worker of another user, where the process still may make one.
static void lose_worker(void) {
    pid_t worker = fork();
    if (worker == 0) {
        become_nobody();
        write_to_nowhere();
    }
    log_end("worker", worker);
    go_on_and_exit("worker lost");
}

/// A worker that is process 1 of a namespace of its own, as container managers make them. The raw
/// call bypasses what fork(3) does in the child.
static void nest(const char *end, int is_raw) {
    pid_t worker;
    if (is_raw) {
        unsigned long flags = CLONE_NEWPID | SIGCHLD;
        worker = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    } else {
        if (unshare(CLONE_NEWPID) != 0) files_log("unshare");
        worker = fork();
    }
    if (worker == 0) {
        if (strcmp(end, "segv") == 0) write_to_nowhere();
        if (strcmp(end, "exit") == 0) exit(0);
        _exit(0);
    }
    log_end("worker", worker);
    files_write("afterwards");
    write_to_nowhere();
}

static void leave(void) {
    exit(0);
}

static void leave_at_once(void) {
    _exit(0);
}

int happen(const char *event) {
    static const struct {
        const char *name;
        void (*function)(void);
    } events[] = {
        {"segv", write_to_nowhere},
        {"abort", abort},
        {"exit", leave},
        {"_exit", leave_at_once},
        {"stop", stop},
        {"live", dump_alive},
        {"recover", recover},
        {"recover-segv", recover_and_die},
        {"child", lose_child},
        {"worker", lose_worker},
    };
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (strcmp(event, events[i].name) == 0) events[i].function();
    }
    if (strncmp(event, "nested-", 7) == 0) nest(event + 7, 0);
    if (strncmp(event, "raw-nested-", 11) == 0) nest(event + 11, 1);
    return strcmp(event, "return") == 0;
}
