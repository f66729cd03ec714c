// SPDX-License-Identifier: Apache-2.0
//
// What a program sees and gets of its own signal actions, printed, so that it can be compared with
// and without Epitaph.
//
//     virtual_actions DATABASE|none WAY

#include <epitaph.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void start(const char *database) {
    if (strcmp(database, "none") == 0) return;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = database;
    options.bundle_id = "org.example.virtual";
    options.allows_debugger = 1;
    epitaph_error error;
    if (epitaph_start(&options, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(70);
}

static void say(const char *text) {
    if (write(STDOUT_FILENO, text, strlen(text)) < 0) _exit(71);
}

static void crash(void) {
    *(volatile int *)16 = 1;
}

static void on_signal(int signal) {
    (void)signal;
    say("handler\n");
}

static void on_info(int signal, siginfo_t *info, void *context) {
    (void)context;
    char text[96];
    snprintf(text, sizeof text, "handler %d code %d at %#lx\n", signal, info->si_code,
             (unsigned long)(uintptr_t)info->si_addr);
    say(text);
}

static const char *name_of(void (*handler)(int)) {
    if (handler == SIG_DFL) return "default";
    if (handler == SIG_IGN) return "ignore";
    if (handler == SIG_ERR) return "error";
    if (handler == (void (*)(int))2) return "hold";
    if (handler == on_signal) return "on_signal";
    if ((void *)handler == (void *)on_info) return "on_info";
    return "somebody else's";
}

static void show(const char *what, int signal) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    if (sigaction(signal, NULL, &action) != 0) {
        printf("%s: errno %d\n", what, errno);
        return;
    }
    uint64_t mask;
    memcpy(&mask, &action.sa_mask, sizeof mask);
    printf("%s: %s flags %#x mask %#lx restorer %d\n", what, name_of(action.sa_handler),
           (unsigned)action.sa_flags, (unsigned long)mask, action.sa_restorer != NULL);
}

static void set(int signal, void (*handler)(int), int flags, int masked) {
    struct sigaction action;
    struct sigaction old;
    memset(&action, 0, sizeof action);
    memset(&old, 0, sizeof old);
    action.sa_handler = handler;
    action.sa_flags = flags;
    if (masked != 0) sigaddset(&action.sa_mask, masked);
    sigaddset(&action.sa_mask, SIGKILL);
    int result = sigaction(signal, &action, &old);
    printf("set: %d before %s flags %#x\n", result, name_of(old.sa_handler),
           (unsigned)old.sa_flags);
}

/// Everything that reads or changes an action, of signals that are captured and of some that are
/// not.
static void answers(void) {
    static const int signals[] = {SIGSEGV, SIGABRT, SIGQUIT, SIGTERM, SIGUSR1};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        int one = signals[i];
        show("first", one);
        set(one, on_signal, SA_RESTART | SA_ONSTACK, SIGUSR2);
        show("sigaction", one);
        int all = (int)(SA_SIGINFO | SA_RESETHAND | SA_NODEFER | 0x400);
        set(one, (void (*)(int))(void *)on_info, all, 0);
        show("all flags", one);
        printf("signal: %s\n", name_of(signal(one, on_signal)));
        show("after signal", one);
        printf("siginterrupt: %d\n", siginterrupt(one, 1));
        show("interrupting", one);
        printf("signal: %s\n", name_of(signal(one, on_signal)));
        show("signal that interrupts", one);
        printf("siginterrupt: %d\n", siginterrupt(one, 0));
        printf("ssignal: %s\n", name_of(ssignal(one, SIG_IGN)));
        show("ignored", one);
        printf("sysv: %s\n", name_of(sysv_signal(one, on_signal)));
        show("after sysv", one);
        printf("sigset: %s\n", name_of(sigset(one, (void (*)(int))2)));
        printf("sigset: %s\n", name_of(sigset(one, on_signal)));
        show("after sigset", one);
        printf("sigignore: %d\n", sigignore(one));
        show("ignored again", one);
        printf("signal: %s\n", name_of(signal(one, SIG_DFL)));
        show("default", one);
    }
    printf("wrong: %s\n", name_of(signal(0, on_signal)));
    printf("errno %d\n", errno);
    printf("wrong: %s\n", name_of(signal(SIGKILL, on_signal)));
    printf("wrong: %s\n", name_of(signal(SIGSEGV, SIG_ERR)));
    printf("wrong: %d\n", sigaction(65, NULL, NULL));
    printf("errno %d\n", errno);
}

static void reset_and_raise(int signal_number) {
    say("resets and raises\n");
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void reset_and_return(int signal_number) {
    say("resets and returns\n");
    signal(signal_number, SIG_DFL);
}

static sigjmp_buf way_out;

static void jump(int signal) {
    (void)signal;
    say("jumps\n");
    siglongjmp(way_out, 1);
}

static void recover_twice(void) {
    signal(SIGSEGV, jump);
    for (volatile int i = 0; i < 2; i++) {
        if (sigsetjmp(way_out, 1) == 0) crash();
    }
    show("recovered", SIGSEGV);
    signal(SIGSEGV, SIG_DFL);
    crash();
}

static void leave(int signal) {
    (void)signal;
    say("leaves\n");
    _exit(7);
}

static void abort_inside(int signal) {
    (void)signal;
    say("aborts\n");
    abort();
}

/// Both handlers came after the start: the second one decides how it ends.
static void abort_in_handler(void (*handler)(int)) {
    signal(SIGSEGV, abort_inside);
    signal(SIGABRT, handler);
    for (volatile int i = 0; i < 2; i++) {
        if (sigsetjmp(way_out, 1) == 0) crash();
    }
}

static volatile int depth;

static void raise_again(int signal) {
    say("raises\n");
    if (depth++ == 0) raise(signal);
}

static void raise_trap(int signal) {
    (void)signal;
    raise(SIGTRAP);
    siglongjmp(way_out, 1);
}

/// A handler inside of another's raises its own signal.
static void nested(void) {
    set(SIGTRAP, raise_again, SA_NODEFER, 0);
    fflush(stdout);
    signal(SIGSEGV, raise_trap);
    if (sigsetjmp(way_out, 1) == 0) crash();
}

/// The same signal from the same place, ignored and handled in turn.
static void ignored_between(void) {
    static const int signals[] = {SIGABRT, SIGSEGV, SIGTRAP, SIGFPE};
    for (int i = 0; i < 12; i++) {
        int one = signals[i / 3];
        signal(one, SIG_IGN);
        raise(one);
        signal(one, on_signal);
        raise(one);
    }
}

/// What is blocked stays pending while the program changes and asks actions.
static void pending(void) {
    static const int signals[] = {SIGTRAP, SIGSEGV, SIGSYS};
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int i = 0; i < 3; i++)
        sigaddset(&blocked, signals[i]);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    for (int i = 0; i < 3; i++)
        raise(signals[i]);
    set(SIGABRT, on_signal, 0, 0);
    show("asked", SIGSEGV);
    for (int i = 0; i < 3; i++)
        signal(signals[i], on_signal);
    fflush(stdout);
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

/// What is blocked arrives in a call with a mask of its own, and is blocked again after it.
static void awaited(void) {
    static const int signals[] = {SIGSEGV, SIGABRT, SIGSYS};
    sigset_t blocked;
    sigset_t none;
    sigemptyset(&blocked);
    sigemptyset(&none);
    for (int i = 0; i < 3; i++) {
        set(signals[i], on_signal, 0, 0);
        sigaddset(&blocked, signals[i]);
    }
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    for (int i = 0; i < 6; i++) {
        const struct timespec time = {2, 0};
        raise(signals[i % 3]);
        int result = i < 3 ? sigsuspend(&none) : ppoll(NULL, 0, &time, &none);
        int error_number = errno;
        sigprocmask(SIG_BLOCK, NULL, &blocked);
        printf("awaited: %d %s, blocked %d\n", result, strerror(error_number),
               sigismember(&blocked, signals[i % 3]));
    }
}

static volatile sig_atomic_t tick_count;

static void count_tick(int signal) {
    (void)signal;
    tick_count++;
}

/// A timer's signal that comes more often than a capture ends.
static void ticking(void) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGSEGV};
    const struct itimerspec often = {{0, 1000000}, {0, 1000000}};
    timer_t timer;
    signal(SIGSEGV, count_tick);
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    // The program goes on beside its handler, for which it does not wait.
    for (volatile int work = 0; work < 200000000; work++)
        continue;
    timer_delete(timer);
    printf("ticking: %s\n", tick_count > 10 ? "many" : "few");
}

static void send_to_itself(int signal) {
    say("handler\n");
    if (depth++ > 0) return;
    // One to the process and one to the thread: both arrive as this returns.
    kill(getpid(), signal);
    raise(signal);
}

/// Signals that arrive at the same instant are all handled.
static void together(void) {
    signal(SIGSEGV, send_to_itself);
    raise(SIGSEGV);
    depth = 0;
    signal(SIGTRAP, send_to_itself);
    raise(SIGTRAP);
}

/// A capture that the program survives leaves what is pending and blocked.
static void pending_beside(void) {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTRAP);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGSEGV, jump);
    signal(SIGTRAP, on_signal);
    kill(getpid(), SIGTRAP);
    if (sigsetjmp(way_out, 1) == 0) crash();
    sigset_t found;
    sigpending(&found);
    say(sigismember(&found, SIGTRAP) ? "pending\n" : "lost\n");
    sigprocmask(SIG_UNBLOCK, &blocked, NULL);
}

static void tell_sender(int signal, siginfo_t *info, void *context) {
    (void)context;
    char text[64];
    snprintf(text, sizeof text, "code %d, from itself %d\n", info->si_code,
             info->si_pid == getpid());
    say(text);
    send_to_itself(signal);
}

static void *meet(void *argument) {
    pthread_sigmask(SIG_UNBLOCK, argument, NULL);
    together();
    pending_beside();
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = tell_sender;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, NULL);
    depth = 0;
    raise(SIGSEGV);
    return argument;
}

/// The same in a thread that is not the first one, which alone gets them.
static void together_beside(void) {
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGSEGV);
    sigaddset(&blocked, SIGTRAP);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, meet, &blocked);
    pthread_join(thread, NULL);
}

static void use_much_stack(int signal) {
    volatile char room[1 << 19];
    for (size_t i = 0; i < sizeof room; i += 1024)
        room[i] = (char)signal;
    say("had room\n");
    siglongjmp(way_out, room[0]);
}

/// A handler that asks for an alternate stack where the program has set none has the thread's own.
static void *without_stack(void *argument) {
    if (sigsetjmp(way_out, 1) == 0) crash();
    return argument;
}

static void no_stack(void) {
    set(SIGSEGV, use_much_stack, SA_ONSTACK, 0);
    fflush(stdout);
    without_stack(NULL);
    pthread_t thread;
    pthread_create(&thread, NULL, without_stack, NULL);
    pthread_join(thread, NULL);
    pid_t child = fork();
    if (child == 0) {
        pthread_create(&thread, NULL, without_stack, NULL);
        pthread_join(thread, NULL);
        without_stack(NULL);
        exit(3);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("child %#x\n", (unsigned)status);
}

static _Thread_local sigjmp_buf own_way_out;

static void jump_in_thread(int signal) {
    (void)signal;
    siglongjmp(own_way_out, 1);
}

static void *recover_often(void *unused) {
    for (volatile int i = 0; i < 20000; i++) {
        if (sigsetjmp(own_way_out, 1) == 0) crash();
    }
    return unused;
}

/// More threads than processors repair faults at once.
static void recover_beside(void) {
    enum { THREADS = 12 };
    pthread_t threads[THREADS];
    signal(SIGSEGV, jump_in_thread);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, recover_often, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/// A stack that is smaller than ours, from before the start, and a handler that needs one.
static void set_small_stack(void) {
    static char small[16384];
    stack_t stack = {.ss_sp = small, .ss_size = sizeof small};
    sigaltstack(&stack, NULL);
}

static void overflow(volatile int *last) {
    volatile int here[1024];
    here[0] = last == NULL ? 0 : *last;
    overflow(here);
    here[1] = 0;
}

/// The stack pointer is far beyond the end of the stack, and the fault far above it: no parameter
/// is stored near it.
__attribute__((noinline)) static void overflow_far(void) {
    volatile char array[64 << 20];
    array[32 << 20] = 1;
    array[0] = 1;
}

static void *run_overflow(void *unused) {
    overflow_far();
    return unused;
}

static void overflow_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run_overflow, NULL);
    pthread_join(thread, NULL);
}

static void overflow_stack(void) {
    set(SIGSEGV, leave, SA_ONSTACK, 0);
    fflush(stdout);
    overflow(NULL);
}

static stack_t own_stack;

static void on_own_stack(int signal, siginfo_t *info, void *context) {
    char mark;
    (void)context;
    uintptr_t low = (uintptr_t)own_stack.ss_sp;
    bool is_inside = (uintptr_t)&mark >= low && (uintptr_t)&mark < low + own_stack.ss_size;
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    say(is_inside ? "on its stack" : "elsewhere");
    bool is_masked = sigismember(&blocked, SIGUSR1) && sigismember(&blocked, signal);
    say(is_masked ? ", its mask" : ", no mask");
    say(info->si_addr == (void *)16 ? ", the address\n" : ", another address\n");
    _exit(8);
}

static void with_own_stack(void) {
    own_stack.ss_size = 1 << 20;
    own_stack.ss_sp = malloc(own_stack.ss_size);
    sigaltstack(&own_stack, NULL);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_own_stack;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaddset(&action.sa_mask, SIGUSR1);
    sigaction(SIGSEGV, &action, NULL);
    crash();
}

/// A handler that is called once, and what comes then.
static void once(void) {
    set(SIGABRT, on_signal, (int)SA_RESETHAND, 0);
    fflush(stdout);
    raise(SIGABRT);
    show("after one", SIGABRT);
    fflush(stdout);
    raise(SIGABRT);
}

static void ignored(void) {
    signal(SIGQUIT, SIG_IGN);
    raise(SIGQUIT);
    say("ignored\n");
    // Across exec too: proc(5), status.
    execlp("sh", "sh", "-c", "grep SigIgn /proc/self/status", (char *)NULL);
}

/// A handler of SIGQUIT is no crash; the default action is one, afterwards.
static void requested(void) {
    signal(SIGQUIT, on_signal);
    show("handler", SIGQUIT);
    raise(SIGQUIT);
    struct sigaction action;
    sigaction(SIGQUIT, NULL, &action);
    action.sa_flags |= (int)SA_RESETHAND;
    sigaction(SIGQUIT, &action, NULL);
    raise(SIGQUIT);
    show("once", SIGQUIT);
    signal(SIGQUIT, SIG_DFL);
    show("default", SIGQUIT);
    fflush(stdout);
    raise(SIGQUIT);
}

static void tell_stack(int signal) {
    stack_t stack;
    sigaltstack(NULL, &stack);
    uintptr_t low = (uintptr_t)stack.ss_sp;
    bool is_inside = (stack.ss_flags & SS_DISABLE) == 0 && (uintptr_t)&stack >= low &&
                     (uintptr_t)&stack < low + stack.ss_size;
    say(is_inside ? "on its stack\n" : "on the usual stack\n");
    static bool is_again;
    is_again = !is_again;
    if (is_again) raise(signal);
}

static void *raise_request(void *argument) {
    volatile double kept = 1.5;
    double register_of = kept * 3;
    raise(SIGQUIT);
    printf("%g\n", register_of + kept);
    fflush(stdout);
    return argument;
}

/// A handler that the kernel calls wants the alternate stack of threads that have one.
static void requested_on_stack(void) {
    set(SIGQUIT, tell_stack, SA_ONSTACK | SA_NODEFER, 0);
    fflush(stdout);
    pthread_t thread;
    raise_request(NULL);
    pthread_create(&thread, NULL, raise_request, NULL);
    pthread_join(thread, NULL);
    own_stack.ss_size = 1 << 17;
    own_stack.ss_sp = malloc(own_stack.ss_size);
    sigaltstack(&own_stack, NULL);
    raise_request(NULL);
    pthread_create(&thread, NULL, raise_request, NULL);
    pthread_join(thread, NULL);
    show("afterwards", SIGQUIT);
}

static void abort_beside(int signal) {
    raise(signal);
    abort();
}

/// A blocked SIGSYS with the default action is pending while another signal is captured.
static void pending_default(void) {
    set(SIGSYS, abort_beside, (int)SA_RESETHAND, 0);
    signal(SIGABRT, leave);
    fflush(stdout);
    raise(SIGSYS);
}

/// What is pending for the thread comes before what is pending for the process, also after a
/// capture.
static void pending_twice(void) {
    sigset_t both;
    sigset_t before;
    sigemptyset(&both);
    sigaddset(&both, SIGSEGV);
    sigprocmask(SIG_BLOCK, &both, &before);
    raise(SIGSEGV);
    signal(SIGBUS, on_signal);
    raise(SIGBUS);
    sigaddset(&both, SIGBUS);
    sigprocmask(SIG_BLOCK, &both, NULL);
    signal(SIGBUS, SIG_DFL);
    kill(getpid(), SIGBUS);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/// vfork(2) shares the memory with the parent, and not the actions.
static void vforked(void) {
    signal(SIGSEGV, leave);
    pid_t child = vfork();
    if (child == 0) {
        struct sigaction action;
        syscall(SYS_getppid);
        sigaction(SIGSEGV, NULL, &action);
        if (action.sa_handler != leave) _exit(1);
        signal(SIGSEGV, SIG_DFL);
        sigaction(SIGSEGV, NULL, &action);
        _exit(action.sa_handler == SIG_DFL ? 0 : 2);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("child %#x\n", (unsigned)status);
    show("parent", SIGSEGV);
    fflush(stdout);
    crash();
}

/// The child is the first to change an action.
static void vforked_first(void) {
    pid_t child = vfork();
    if (child == 0) {
        signal(SIGSEGV, SIG_IGN);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    show("parent", SIGSEGV);
    fflush(stdout);
    signal(SIGSEGV, leave);
    crash();
}

static void give_way(int signal) {
    say("gives way\n");
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal, &action, NULL);
}

/// Both crash at the same place of the same stack, and `handler` is the parent's also after the
/// child has had it.
static void both_crash(void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(SIGSEGV, &action, NULL);
    pid_t child = vfork();
    if (child == 0) {
        crash();
        _exit(1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("child %#x\n", (unsigned)status & 0xff7f);
    fflush(stdout);
    crash();
}

static void raise_default(void) {
    raise(SIGSEGV);
    signal(SIGSEGV, on_signal);
    raise(SIGSEGV);
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
    raise(SIGTRAP);
    say("lives\n");
}

/// Two at once: one that has no effect on process 1, and one with a handler.
static void meet_ineffective(int without_effect) {
    signal(SIGFPE, on_signal);
    sigset_t both;
    sigset_t before;
    sigemptyset(&both);
    sigaddset(&both, without_effect);
    sigaddset(&both, SIGFPE);
    sigprocmask(SIG_BLOCK, &both, &before);
    raise(without_effect);
    raise(SIGFPE);
    sigprocmask(SIG_SETMASK, &before, NULL);
    say("lives\n");
}

static void trap(void) {
#ifdef __x86_64__
    __asm__ volatile("int3");
#else
    __asm__ volatile("brk #1");
#endif
    say("lives\n");
}

/// Plays process 1, which the kernel spares what it does not do itself.
static void as_init(const char *way, const char *database) {
    if (unshare(CLONE_NEWPID) != 0) exit(72);
    pid_t init = fork();
    if (init == 0) {
        start(database);
        if (strcmp(way, "raising") == 0) raise_default();
        if (strcmp(way, "meeting") == 0) meet_ineffective(SIGILL);
        if (strcmp(way, "meeting-abort") == 0) meet_ineffective(SIGABRT);
        if (strcmp(way, "aborting") == 0) abort();
        if (strcmp(way, "trapping") == 0) trap();
        exit(5);
    }
    int status = -1;
    waitpid(init, &status, 0);
    printf("init %#x\n", (unsigned)status & 0xff7f);
}

static void forked(void) {
    signal(SIGSEGV, leave);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    int status = -1;
    waitpid(child, &status, 0);
    printf("child %d\n", WTERMSIG(status));
    show("parent", SIGSEGV);
}

static void *change(void *argument) {
    for (;;) {
        signal(SIGSEGV, leave);
        signal(SIGSEGV, reset_and_raise);
        signal(SIGTERM, SIG_IGN);
    }
    return argument;
}

/// One thread crashes while others change its action: each finds a whole one.
static void changing(void) {
    signal(SIGSEGV, leave);
    pthread_t thread;
    for (int i = 0; i < 4; i++)
        pthread_create(&thread, NULL, change, NULL);
    usleep(20000);
    crash();
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    const char *way = arguments[2];
    if (strcmp(way, "small-stack") == 0) set_small_stack();
    bool is_init = strncmp(way, "init-", 5) == 0;
    if (!is_init) start(arguments[1]);
    if (strcmp(way, "answers") == 0) answers();
    if (strcmp(way, "reset-and-raise") == 0) signal(SIGSEGV, reset_and_raise), crash();
    if (strcmp(way, "reset-and-return") == 0) signal(SIGSEGV, reset_and_return), crash();
    if (strcmp(way, "abort") == 0) signal(SIGABRT, reset_and_raise), abort();
    if (strcmp(way, "abort-returning") == 0) signal(SIGABRT, on_signal), abort();
    if (strcmp(way, "recover") == 0) recover_twice();
    if (strcmp(way, "recover-beside") == 0) recover_beside();
    if (strcmp(way, "leave") == 0) signal(SIGSEGV, leave), crash();
    if (strcmp(way, "abort-inside") == 0) abort_in_handler(leave);
    if (strcmp(way, "abort-recovered") == 0) abort_in_handler(jump);
    if (strcmp(way, "nested") == 0) nested();
    if (strcmp(way, "ignored-between") == 0) ignored_between();
    if (strcmp(way, "pending") == 0) pending();
    if (strcmp(way, "awaited") == 0) awaited();
    if (strcmp(way, "ticking") == 0) ticking();
    if (strcmp(way, "pending-beside") == 0) pending_beside();
    if (strcmp(way, "together") == 0) together();
    if (strcmp(way, "together-beside") == 0) together_beside();
    if (strcmp(way, "small-stack") == 0) overflow_stack();
    if (strcmp(way, "no-room") == 0) signal(SIGSEGV, leave), overflow(NULL);
    if (strcmp(way, "no-room-far") == 0) signal(SIGSEGV, leave), overflow_far();
    if (strcmp(way, "no-room-thread") == 0) signal(SIGSEGV, leave), overflow_thread();
    if (strcmp(way, "no-stack") == 0) no_stack();
    if (strcmp(way, "own-stack") == 0) with_own_stack();
    if (strcmp(way, "once") == 0) once();
    if (strcmp(way, "ignored") == 0) ignored();
    if (strcmp(way, "requested") == 0) requested();
    if (strcmp(way, "requested-on-stack") == 0) requested_on_stack();
    if (strcmp(way, "pending-default") == 0) pending_default();
    if (strcmp(way, "pending-twice") == 0) pending_twice();
    if (strcmp(way, "vforked") == 0) vforked();
    if (strcmp(way, "vforked-first") == 0) vforked_first();
    if (strcmp(way, "vforked-crash") == 0) both_crash(give_way, 0);
    if (strcmp(way, "vforked-once") == 0) both_crash(leave, (int)SA_RESETHAND);
    if (strcmp(way, "vforked-twice") == 0) both_crash(on_signal, (int)SA_RESETHAND);
    if (is_init) as_init(way + 5, arguments[1]);
    if (strcmp(way, "forked-init-raising") == 0) as_init("raising", "none");
    if (strcmp(way, "forked-init-meeting") == 0) as_init("meeting", "none");
    if (strcmp(way, "forked-init-meeting-abort") == 0) as_init("meeting-abort", "none");
    if (strcmp(way, "forked-init-aborting") == 0) as_init("aborting", "none");
    if (strcmp(way, "forked-init-trapping") == 0) as_init("trapping", "none");
    if (strcmp(way, "forked") == 0) forked();
    if (strcmp(way, "changing") == 0) changing();
    if (strcmp(way, "default") == 0) crash();
    return 0;
}
