// SPDX-License-Identifier: Apache-2.0
//
// warden SECONDS MODE PROGRAM [ARGUMENT...]: runs a program and prints how it and every process
// that it started ended, one line each: "first signal 11 core", "other exit 0", after "began PID".
// Those still running after the time are killed, and "hung" is printed. Modes: plain; closed,
// without the standard descriptors; namespace, as process 1 of a pid namespace with a /proc of its
// own (for root).

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(125);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void tell(pid_t first, pid_t pid, int status) {
    const char *who = pid == first ? "first" : "other";
    if (WIFSIGNALED(status))
        printf("%s signal %d%s\n", who, WTERMSIG(status), WCOREDUMP(status) ? " core" : "");
    else
        printf("%s exit %d\n", who, WEXITSTATUS(status));
}

/// Ends every child. Orphans become children of this process (PR_SET_CHILD_SUBREAPER), so nothing
/// is left in the end.
static void kill_all(void) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", getpid());
    do {
        FILE *children = fopen(path, "r");
        if (children == NULL) fail(path);
        for (int pid; fscanf(children, "%d", &pid) == 1;)
            kill(pid, SIGKILL);
        fclose(children);
        usleep(1000);
        while (waitpid(-1, NULL, WNOHANG) > 0)
            continue;
    } while (waitpid(-1, NULL, WNOHANG) == 0);
}

static void become(const char *mode, char **program, const sigset_t *mask) {
    if (strcmp(mode, "namespace") == 0) {
        if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) fail("mount /");
        if (mount("proc", "/proc", "proc", 0, NULL) != 0) fail("mount /proc");
    }
    // A session of its own: what is sent to a process group stays there.
    setsid();
    sigprocmask(SIG_SETMASK, mask, NULL);
    if (strcmp(mode, "closed") == 0) {
        for (int number = 0; number < 3; number++)
            close(number);
    }
    execv(program[0], program);
    _exit(125);
}

static pid_t begin(const char *mode, char **program, const sigset_t *mask) {
    fflush(stdout);
    int is_namespace = strcmp(mode, "namespace") == 0;
    unsigned long flags = SIGCHLD | (is_namespace ? CLONE_NEWPID | CLONE_NEWNS : 0UL);
    pid_t pid = (pid_t)syscall(SYS_clone, flags, NULL, NULL, NULL, NULL);
    if (pid < 0) fail("clone");
    if (pid == 0) become(mode, program, mask);
    return pid;
}

/// Returns whether all processes ended before `end`.
static int watch(pid_t first, double end, const sigset_t *awaited) {
    for (;;) {
        int status;
        pid_t pid;
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
            tell(first, pid, status);
        if (pid < 0 && errno == ECHILD) return 1;
        double left = end - now();
        if (left <= 0) return 0;
        struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
        if (sigtimedwait(awaited, NULL, &time) == SIGTERM) return 0;
    }
}

int main(int count, char **arguments) {
    if (count < 4) {
        fprintf(stderr, "usage: warden SECONDS MODE PROGRAM [ARGUMENT...]\n");
        return 64;
    }
    sigset_t awaited, earlier;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGCHLD);
    sigaddset(&awaited, SIGTERM);
    sigprocmask(SIG_BLOCK, &awaited, &earlier);
    // The lab is gone: so must everything be that it started.
    if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) fail("PR_SET_PDEATHSIG");
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail("PR_SET_CHILD_SUBREAPER");
    // So that the wait status says whether the kernel would have written a core file.
    struct rlimit core = {RLIM_INFINITY, RLIM_INFINITY};
    if (setrlimit(RLIMIT_CORE, &core) != 0) getrlimit(RLIMIT_CORE, &core);
    double end = now() + atof(arguments[1]);
    pid_t first = begin(arguments[2], arguments + 3, &earlier);
    printf("began %d\n", first);
    fflush(stdout);
    if (!watch(first, end, &awaited)) {
        puts("hung");
        kill_all();
    }
    return 0;
}
