// SPDX-License-Identifier: Apache-2.0
//
// A program that knows nothing of Epitaph, for LD_PRELOAD.
//
//     unchanged WAY [PROGRAM [ARGUMENT...]]

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __GLIBC__
extern int __sigaction(int, const struct sigaction *, struct sigaction *);
#else
#define __sigaction sigaction
#endif

/// Of a library whose constructor runs before that of a preloaded one; see early.c.
extern int early_result(void) __attribute__((weak));

static void on_signal(int signal) {
    static const char text[] = "handler\n";
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(71);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
}

static void *overflow(void *argument) {
    volatile char frame[4096];
    frame[0] = 1;
    return frame[0] == 0 ? argument : overflow((void *)frame);
}

static int crash(void) {
    *(volatile int *)16 = 1;
    return 1;
}

/// Everything that a program can see of its environment.
static int print_environment(char **first) {
    for (char **each = first; *each != NULL; each++)
        printf("main %s\n", *each);
    for (char **each = environ; *each != NULL; each++)
        printf("environ %s\n", *each);
    return 0;
}

static int execute(char **words) {
    execvp(words[0], words);
    return 127;
}

static void execute_in_child(char **words) {
    int status = 0;
    pid_t child = vfork();
    if (child == 0) {
        execv(words[0], words);
        _exit(127);
    }
    if (child > 0 && waitpid(child, &status, 0) == child)
        printf("child ended by %d\n", WTERMSIG(status));
}

/// Becomes a program with one argument, by the function that is named.
static int execute_by(const char *way, char **words) {
    char *nothing[] = {"LEFT=1", NULL};
    char *path = words[0];
    if (strcmp(way, "execl") == 0) execl(path, path, words[1], (char *)NULL);
    if (strcmp(way, "execle") == 0) execle(path, path, words[1], (char *)NULL, nothing);
    if (strcmp(way, "execlp") == 0) execlp(path, path, words[1], (char *)NULL);
    if (strcmp(way, "execv") == 0) execv(path, words);
    if (strcmp(way, "execve") == 0) execve(path, words, nothing);
    if (strcmp(way, "execvp") == 0) execvp(path, words);
    if (strcmp(way, "execvpe") == 0) execvpe(path, words, nothing);
    if (strcmp(way, "fexecve") == 0) fexecve(open(path, O_RDONLY | O_CLOEXEC), words, nothing);
#ifdef __GLIBC__
    if (strcmp(way, "execveat") == 0) execveat(AT_FDCWD, path, words, nothing, 0);
#endif
    if (strcmp(way, "SYS_execve") == 0) syscall(SYS_execve, path, words, nothing);
    if (strcmp(way, "SYS_execveat") == 0) syscall(SYS_execveat, AT_FDCWD, path, words, nothing, 0);
    if (strcmp(way, "SYS_exit_group") == 0) syscall(SYS_exit_group, 0);
    if (strcmp(way, "vfork") == 0) execute_in_child(words);
    return 127;
}

/// All threads have the same alternate stack, as varnish's have.
static stack_t shared;

static void *wait_on_shared(void *argument) {
    if (sigaltstack(&shared, NULL) != 0) _exit(72);
    for (;;)
        pause();
    return argument;
}

static int crash_with_shared_stack(void) {
    struct sigaction action;
    pthread_t thread;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_ONSTACK;
    shared.ss_size = 64 << 10;
    shared.ss_sp = malloc(shared.ss_size);
    if (sigaltstack(&shared, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0) return 1;
    for (int i = 0; i < 40; i++) {
        if (pthread_create(&thread, NULL, wait_on_shared, NULL) != 0) return 1;
    }
    usleep(200000);
    return crash();
}

static int crash_in_child(void) {
    pid_t child = fork();
    if (child == 0) _exit(crash());
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    printf("child ended by %d\n", WTERMSIG(status));
    return 0;
}

/// As low as they can be.
static int print_descriptors(void) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    printf("%d %d %d\n", open("/dev/null", O_RDONLY), ends[0], ends[1]);
    return 0;
}

static volatile int is_to_crash;

static void *crash_when_told(void *argument) {
    while (!is_to_crash)
        continue;
    crash();
    return argument;
}

/// Ends the process long after another thread has crashed, and by a thread that no signal stops.
static int exit_beside_crash(void) {
    pthread_t thread;
    struct timespec begin, now;
    uint64_t all = ~0ull;
    if (pthread_create(&thread, NULL, crash_when_told, NULL) != 0) return 1;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
    is_to_crash = 1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < 40);
    exit(5);
}

static void *crash_soon(void *argument) {
    usleep(50000);
    crash();
    return argument;
}

/// While a thread crashes, a child of vfork(2) ends, or becomes another program.
static int crash_beside_vfork_child(char **words) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, crash_soon, NULL) != 0) return 1;
    if (vfork() == 0) {
        usleep(100000);
        if (words[0] != NULL) execute(words);
        _exit(0);
    }
    return pthread_join(thread, NULL);
}

static sigjmp_buf repaired;
static int repairs_left;

static void repair(int signal) {
    if (repairs_left-- > 0) siglongjmp(repaired, 1);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = SIG_DFL;
    sigaction(signal, &action, NULL);
}

/// A forked child that repairs each of a few faults, and then dies of one or does not.
static int repair_in_child(int dies) {
    pid_t child = fork();
    if (child == 0) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_handler = repair;
        repairs_left = 5;
        if (sigaction(SIGSEGV, &action, NULL) != 0) _exit(77);
        sigsetjmp(repaired, 1);
        if (repairs_left > 0 || dies) crash();
        _exit(6);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    return WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

/// Becomes another program, or ends, after it has left the handler of a fault.
static int repair_and_execute(const char *way, char **words) {
    repairs_left = 1;
    if (signal(SIGSEGV, repair) == SIG_ERR) return 77;
    if (sigsetjmp(repaired, 1) == 0) return crash();
    return execute_by(way, words);
}

/// A filter that kills for prctl(2).
static void enter_sandbox(int is_direct) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof code / sizeof *code, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(73);
    if (is_direct) {
        if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) _exit(74);
    } else if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        _exit(74);
    }
}

/// Like vsftpd's sessions, and like workers that were forked.
static int crash_in_sandbox(int is_raw) {
    pid_t child = is_raw ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (child == 0) {
        enter_sandbox(!is_raw);
        _exit(crash());
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 1;
    printf("child ended by %d\n", WTERMSIG(status));
    return 0;
}

/// syscall(2) with every argument, and with an error.
static int call_past_libc(void) {
    static const char text[] = "six arguments";
    char copy[sizeof text];
    int file = fileno(tmpfile());
    void *page = (void *)syscall(SYS_mmap, 0, 4096, 3, 1, file, 0);
    if (page == (void *)-1 || ftruncate(file, 4096) != 0) return 1;
    memcpy(page, text, sizeof text);
    if (pread(file, copy, sizeof copy, 0) != sizeof copy) return 2;
    errno = 0;
    long result = syscall(SYS_close, -1);
    int reason = errno;
    printf("%s %ld %d %d\n", copy, result, reason, (pid_t)syscall(SYS_gettid) == getpid());
    return 0;
}

/// Like a daemon that gives up its rights and then forks workers, one of which has a worker of its
/// own.
static int crash_in_heirs(void) {
    const uid_t nobody = 65534;
    if (setgroups(0, NULL) != 0 || setgid(nobody) != 0 || setuid(nobody) != 0) return 1;
    pid_t worker = fork();
    if (worker == 0) _exit(crash_in_child());
    if (waitpid(worker, NULL, 0) != worker) return 1;
    return crash_in_child();
}

/// Like a server that becomes root again and forks. Its handler makes it die of the next fault.
static int lend_rights(void) {
    const uid_t nobody = 65534;
    if (seteuid(nobody) != 0 || seteuid(0) != 0) return -1;
    pid_t child = fork();
    if (child == 0) _exit(0);
    if (child < 0 || waitpid(child, NULL, 0) != child) return -1;
    return signal(SIGSEGV, on_signal) == SIG_ERR ? -1 : 0;
}

/// How a worker of root's gives up its rights.
static int lose_rights(const char *way) {
    const uid_t nobody = 65534;
    if (strcmp(way, "setuid") == 0) return setuid(nobody);
    if (strcmp(way, "setreuid") == 0) return setreuid(nobody, nobody);
    if (strcmp(way, "seteuid") == 0) return seteuid(nobody);
    if (strcmp(way, "lent") == 0) return lend_rights();
    if (strcmp(way, "call") == 0) return (int)syscall(SYS_setresuid, nobody, nobody, nobody);
    if (strcmp(way, "chroot") != 0 || chroot("/proc/self/fdinfo") != 0) return -1;
    for (int number = 3; number < 4096; number++)
        close(number);
    return setuid(nobody);
}

/// Like a server that forks a daemon, which forks a worker of another user's.
static int crash_in_worker(const char *way) {
    pid_t daemon = fork();
    if (daemon == 0) {
        pid_t worker = fork();
        if (worker == 0) _exit(lose_rights(way) == 0 ? crash() : 75);
        int status = 0;
        if (worker < 0 || waitpid(worker, &status, 0) != worker) _exit(76);
        _exit(WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    }
    int status = 0;
    if (daemon < 0 || waitpid(daemon, &status, 0) != daemon) return 1;
    return WEXITSTATUS(status);
}

/// Like a server that closes what it does not know, and is root only for moments; with more stack
/// than the head of a dump file has room for.
static int crash_without_descriptors(void) {
    const uid_t nobody = 65534;
    char stack[96 << 10];
    memset(stack, 1, sizeof stack);
    if (seteuid(nobody) != 0) return 1;
    for (int number = 3; number < 4096; number++)
        close(number);
    if (seteuid(0) != 0 || seteuid(nobody) != 0) return 1;
    return crash() + stack[0];
}

/// Like a server that lives of its children's results.
static int have_children(void) {
    for (int i = 0; i < 8; i++) {
        pid_t child = fork();
        if (child == 0) _exit(0);
        if (child < 0 || waitpid(child, NULL, 0) != child) return 1;
    }
    _exit(0);
}

/// The page faults of a child that ends at once: the fewest of many.
static int print_childs_faults(void) {
    long fewest = -1;
    for (int i = 0; i < 50; i++) {
        struct rusage before, after;
        getrusage(RUSAGE_CHILDREN, &before);
        pid_t child = fork();
        if (child == 0) _exit(0);
        if (child < 0 || waitpid(child, NULL, 0) != child) return 1;
        getrusage(RUSAGE_CHILDREN, &after);
        long faults = after.ru_minflt - before.ru_minflt;
        if (fewest < 0 || faults < fewest) fewest = faults;
    }
    printf("%ld\n", fewest);
    return 0;
}

/// Memory that is no file's, in KiB: smaps_rollup of proc(5).
static void print_memory(void) {
    char text[4096];
    int file = open("/proc/self/smaps_rollup", O_RDONLY);
    ssize_t length = file < 0 ? 0 : read(file, text, sizeof text - 1);
    text[length < 0 ? 0 : length] = 0;
    const char *line = strstr(text, "Anonymous:");
    printf("%ld\n", line == NULL ? -1 : strtol(line + sizeof "Anonymous:" - 1, NULL, 10));
}

static int print_memory_of_child(void) {
    print_memory();
    pid_t child = fork();
    if (child == 0) print_memory();
    return child == 0 ? 0 : waitpid(child, NULL, 0) != child;
}

int main(int count, char **arguments, char **variables) {
    const char *way = count > 1 ? arguments[1] : "";
    struct sigaction action;
    pthread_t thread;
    setvbuf(stdout, NULL, _IOLBF, 0);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    if (strcmp(way, "fault") == 0) return crash();
    if (strcmp(way, "abort") == 0) abort();
    if (strcmp(way, "errno") == 0) return errno;
    if (strcmp(way, "environment") == 0) return print_environment(variables);
    if (strcmp(way, "execute") == 0) return execute(arguments + 2);
    if (strcmp(way, "execute-by") == 0 && count > 4) return execute_by(arguments[2], arguments + 3);
    if (strcmp(way, "descriptors") == 0) return print_descriptors();
    if (strcmp(way, "exit-beside-crash") == 0) return exit_beside_crash();
    if (strcmp(way, "crash-beside-vfork") == 0) return crash_beside_vfork_child(arguments + 2);
    if (strcmp(way, "child") == 0) return crash_in_child();
    if (strcmp(way, "repairs") == 0) return repair_in_child(0);
    if (strcmp(way, "repairs-and-dies") == 0) return repair_in_child(1);
    if (strcmp(way, "repairs-and-executes") == 0 && count > 3)
        return repair_and_execute(arguments[2], arguments + 3);
    if (strcmp(way, "heirs") == 0) return crash_in_heirs();
    if (strcmp(way, "worker") == 0 && count > 2) return crash_in_worker(arguments[2]);
    if (strcmp(way, "closing") == 0) return crash_without_descriptors();
    if (strcmp(way, "children") == 0) return have_children();
    if (strcmp(way, "childs-faults") == 0) return print_childs_faults();
    if (strcmp(way, "childs-memory") == 0) return print_memory_of_child();
    if (strcmp(way, "raw-sandbox") == 0) return crash_in_sandbox(1);
    if (strcmp(way, "forked-sandbox") == 0) return crash_in_sandbox(0);
    if (strcmp(way, "raw-calls") == 0) return call_past_libc();
    if (strcmp(way, "handler") == 0) return signal(SIGSEGV, on_signal) == SIG_ERR || crash();
    if (strcmp(way, "alias") == 0) return __sigaction(SIGSEGV, &action, NULL) != 0 || crash();
    if (strcmp(way, "shared-stack") == 0) return crash_with_shared_stack();
    if (strcmp(way, "ignoring") == 0) {
        signal(SIGXFSZ, SIG_IGN);
        return crash();
    }
    if (strcmp(way, "early") == 0) return early_result == NULL || early_result() || crash();
    if (strcmp(way, "overflow-thread") == 0) {
        if (pthread_create(&thread, NULL, overflow, NULL) != 0) return 1;
        return pthread_join(thread, NULL);
    }
    return strcmp(way, "exit") == 0 ? 5 : 64;
}
