// SPDX-License-Identifier: Apache-2.0
//
// Ends of a program in a sandbox of its own that answers an errno, to be compared with and without
// Epitaph.
//
//     sandboxed DATABASE|none FILTER END [handler]
//
// FILTER: `sending` refuses all calls that send a signal, `timers` also timers, `actions` only
// rt_sigaction, `most` all of these, `all` everything but rt_sigreturn, write and what ends a
// process; `trapping` does so by SIGSYS; `killing` kills for calls that Epitaph makes where the
// program makes none; `other` refuses what neither of them does. END: a fault, abort, exit, or
// `sent-` and a number: another process sends that signal. `masked-abort`: in a thread that blocks
// all signals. `work`: threads and a child that come and go, then exit.
// With PRELOADED, DATABASE says nothing: the preloaded library has started.

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define EQUALS(number, answer)                           \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##answer)
#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define OTHERWISE(answer) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##answer)
#define SECCOMP_RET_REFUSE (SECCOMP_RET_ERRNO | EPERM)
#define SENDING                                                                      \
    EQUALS(SYS_kill, REFUSE), EQUALS(SYS_tkill, REFUSE), EQUALS(SYS_tgkill, REFUSE), \
        EQUALS(SYS_rt_sigqueueinfo, REFUSE), EQUALS(SYS_rt_tgsigqueueinfo, REFUSE),  \
        EQUALS(SYS_pidfd_send_signal, REFUSE)

static void install(struct sock_filter *program, size_t count) {
    struct sock_fprog filter = {(unsigned short)count, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) exit(71);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) exit(71);
}

static void sandbox(const char *name) {
    struct sock_filter sending[] = {NUMBER, SENDING, OTHERWISE(ALLOW)};
    struct sock_filter timers[] = {NUMBER, SENDING, EQUALS(SYS_timer_create, REFUSE),
                                   OTHERWISE(ALLOW)};
    struct sock_filter actions[] = {NUMBER, EQUALS(SYS_rt_sigaction, REFUSE), OTHERWISE(ALLOW)};
    struct sock_filter most[] = {NUMBER, SENDING, EQUALS(SYS_timer_create, REFUSE),
                                 EQUALS(SYS_rt_sigaction, REFUSE), OTHERWISE(ALLOW)};
    struct sock_filter all[] = {NUMBER,
                                EQUALS(SYS_rt_sigreturn, ALLOW),
                                EQUALS(SYS_write, ALLOW),
                                EQUALS(SYS_exit, ALLOW),
                                EQUALS(SYS_exit_group, ALLOW),
                                OTHERWISE(REFUSE)};
    struct sock_filter trapping[] = {NUMBER,
                                     EQUALS(SYS_rt_sigreturn, ALLOW),
                                     EQUALS(SYS_write, ALLOW),
                                     EQUALS(SYS_exit, ALLOW),
                                     EQUALS(SYS_exit_group, ALLOW),
                                     OTHERWISE(TRAP)};
    struct sock_filter killing[] = {NUMBER,
                                    EQUALS(SYS_getpid, KILL_PROCESS),
                                    EQUALS(SYS_gettid, KILL_PROCESS),
                                    EQUALS(SYS_sigaltstack, KILL_PROCESS),
                                    EQUALS(SYS_fstat, KILL_PROCESS),
                                    EQUALS(SYS_capget, KILL_PROCESS),
                                    OTHERWISE(ALLOW)};
    struct sock_filter other[] = {NUMBER, EQUALS(SYS_acct, REFUSE), OTHERWISE(ALLOW)};
#define INSTALL(filter) \
    if (strcmp(name, #filter) == 0) install(filter, sizeof filter / sizeof *filter)
    INSTALL(sending);
    INSTALL(timers);
    INSTALL(actions);
    INSTALL(most);
    INSTALL(all);
    INSTALL(trapping);
    INSTALL(killing);
    INSTALL(other);
}

#ifdef PRELOADED

static void start(const char *database) {
    (void)database;
}

#else

#include <epitaph.h>

static void start(const char *database) {
    if (strcmp(database, "none") == 0) return;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = database;
    options.bundle_id = "org.example.sandboxed";
    options.allows_debugger = 1;
    options.virtual_signal_actions = 1;
    epitaph_error error;
    if (epitaph_start(&options, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(70);
}

#endif

static void on_signal(int signal) {
    static const char words[] = "handler\n";
    if (write(STDOUT_FILENO, words, sizeof words - 1) < 0) _exit(99);
    _exit(signal);
}

static int ready[2];

/// Another process, which waits for the sandbox.
static void send_later(const char *end) {
    char byte;
    if (pipe(ready) != 0) exit(71);
    if (strncmp(end, "sent-", 5) != 0 || fork() != 0) return;
    if (read(ready[0], &byte, 1) == 1) kill(getppid(), atoi(end + 5));
    _exit(0);
}

static int go_on[2];

/// Waits for the sandbox, which a thread of before has too.
static void *end_later(void *argument) {
    char byte;
    return read(go_on[0], &byte, 1) == 1 ? argument : NULL;
}

static void *end_at_once(void *argument) {
    return argument;
}

static void work(pthread_t earlier) {
    pthread_t later;
    if (write(go_on[1], "", 1) != 1 || pthread_join(earlier, NULL) != 0) _exit(73);
    if (pthread_create(&later, NULL, end_at_once, NULL) != 0) _exit(73);
    if (pthread_join(later, NULL) != 0) _exit(73);
    pid_t child = fork();
    if (child == 0) _exit(4);
    int status;
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 4) _exit(74);
    exit(3);
}

static void *abort_masked(void *argument) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    abort();
    return argument;
}

int main(int count, char **arguments) {
    if (count < 4) return 64;
    const char *end = arguments[3];
    pthread_t thread;
    send_later(end);
    start(arguments[1]);
    if (count > 4) {
        signal(SIGSEGV, on_signal);
        signal(SIGABRT, on_signal);
    }
    bool works = strcmp(end, "work") == 0;
    if (pipe(go_on) != 0) return 71;
    if (works && pthread_create(&thread, NULL, end_later, NULL) != 0) return 71;
    sandbox(arguments[2]);
    if (write(ready[1], "", 1) != 1) return 72;
    if (strcmp(end, "fault") == 0) *(volatile int *)16 = 1;
    if (strcmp(end, "abort") == 0) abort();
    if (strcmp(end, "exit") == 0) exit(3);
    if (works) work(thread);
    if (strcmp(end, "masked-abort") == 0 && pthread_create(&thread, NULL, abort_masked, NULL) != 0)
        return 73;
    for (;;)
        continue;
}
