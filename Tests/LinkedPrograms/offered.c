// SPDX-License-Identifier: Apache-2.0
//
// offered DATABASE HOW: starts and stops the library 200 times beside threads that were there
// before, that come and go, and that came while it was stopped. Prints "ok" when those that stay
// have alternate stacks after each start and nothing else was disturbed.
//   no-queue  the user may have no signals queued, so that ours come without their siginfo
//   no-clock  once, without a clock and beside a thread that takes no signal
//   profiled  a profiler's timer interrupts all the time, and its signals must go on to its handler

#include <epitaph.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROUNDS = 200, STAYING = 4 };

static volatile int is_over;
static volatile sig_atomic_t profiled_count;
static volatile int has_stack[STAYING + ROUNDS];
static volatile int is_running[STAYING + ROUNDS];

static void profile(int signal) {
    (void)signal;
    profiled_count = profiled_count + 1;
}

static void *stay(void *argument) {
    is_running[(long)argument] = 1;
    while (!is_over) {
        stack_t present;
        syscall(SYS_sigaltstack, NULL, &present);
        has_stack[(long)argument] = (present.ss_flags & SS_DISABLE) == 0;
        usleep(200);
    }
    return argument;
}

static void *end_at_once(void *argument) {
    return argument;
}

static void *come_and_go(void *argument) {
    while (!is_over) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, end_at_once, NULL) == 0) pthread_join(thread, NULL);
    }
    return argument;
}

static void set_profiler(void) {
    struct sigaction action = {.sa_handler = profile, .sa_flags = SA_RESTART};
    struct itimerval every = {{0, 1000}, {0, 1000}};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &every, NULL);
}

/// Whether all the threads that stay have got their stacks, which may take them a moment.
static int have_stacks(long count) {
    long given = 0;
    for (int wait = 0; wait < 5000 && given < count; wait++) {
        for (given = 0; given < count && has_stack[given]; given++)
            continue;
        if (given < count) usleep(1000);
    }
    return given == count;
}

/// A thread that is only being made blocks all signals, and may do so for long where many want the
/// processor: it is not there before it runs.
static void make_staying(pthread_t *threads, long number) {
    pthread_create(&threads[number], NULL, stay, (void *)number);
    while (!is_running[number])
        usleep(1000);
}

static volatile int is_back;

/// A parent in vfork(2) waits in state D and takes no signal but SIGKILL.
static void *wait_for_child(void *argument) {
    if (vfork() == 0) {
        sleep(5);
        _exit(0);
    }
    is_back = 1;
    return argument;
}

static int deny_clock(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0;
}

static int start_without_clock(const epitaph_options *options) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_child, NULL);
    usleep(300000);
    if (deny_clock() || epitaph_start(options, NULL) != EPITAPH_OK) return 70;
    if (is_back) return 74;
    puts("ok");
    return 0;
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    int is_profiled = strcmp(arguments[2], "profiled") == 0;
    const struct rlimit none = {0, 0};
    if (is_profiled) set_profiler();
    if (strcmp(arguments[2], "no-queue") == 0 && setrlimit(RLIMIT_SIGPENDING, &none) != 0)
        return 71;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.offered";
    if (strcmp(arguments[2], "no-clock") == 0) return start_without_clock(&options);
    pthread_t threads[STAYING + ROUNDS + 1];
    long staying = 0;
    for (; staying < STAYING; staying++)
        make_staying(threads, staying);
    pthread_create(&threads[STAYING + ROUNDS], NULL, come_and_go, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
        if (!have_stacks(staying)) return 72;
        epitaph_stop();
        if (round % 20 != 0) continue;
        make_staying(threads, staying);
        staying++;
    }
    if (is_profiled && profiled_count == 0) return 73;
    is_over = 1;
    for (long i = 0; i < staying; i++)
        pthread_join(threads[i], NULL);
    pthread_join(threads[STAYING + ROUNDS], NULL);
    puts("ok");
    return 0;
}
