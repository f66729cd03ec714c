// SPDX-License-Identifier: Apache-2.0

#include "surroundings.h"

#include <epitaph.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void fail(const char *what) {
    perror(what);
    exit(77);
}

static void install_filter(struct sock_filter *program, unsigned short count) {
    struct sock_fprog filter = {count, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no new privileges");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) fail("seccomp");
}

/// seccomp(2): a number is loaded, and each of the calls compared with it.
static void filter_calls(unsigned answer) {
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pread64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, answer),
    };
    install_filter(program, sizeof program / sizeof *program);
}

/// One call that a crash makes, by the name it has in docs/async-safety.md.
static void deny(const char *name, unsigned error) {
    static const struct {
        const char *name;
        unsigned number;
    } calls[] = {
        {"close", SYS_close},
        {"getdents64", SYS_getdents64},
        {"renameat", SYS_renameat},
        {"pipe2", SYS_pipe2},
        {"prlimit64", SYS_prlimit64},
        {"rt_sigtimedwait", SYS_rt_sigtimedwait},
        {"sigaltstack", SYS_sigaltstack},
        {"rt_sigaction", SYS_rt_sigaction},
        {"rt_sigprocmask", SYS_rt_sigprocmask},
        {"tgkill", SYS_tgkill},
        {"rt_tgsigqueueinfo", SYS_rt_tgsigqueueinfo},
        {"getppid", SYS_getppid},
        {"getuid", SYS_getuid},
        {"prctl", SYS_prctl},
#ifdef SYS_arch_prctl
        {"arch_prctl", SYS_arch_prctl},
#endif
        {"sched_getattr", SYS_sched_getattr},
        {"getrusage", SYS_getrusage},
        {"uname", SYS_uname},
        {"clock_gettime", SYS_clock_gettime},
        {"timer_create", SYS_timer_create},
        {"timer_settime", SYS_timer_settime},
        {"timer_delete", SYS_timer_delete},
        {"openat", SYS_openat},
        {"read", SYS_read},
        {"pwrite64", SYS_pwrite64},
        {"pwritev", SYS_pwritev},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].name, name) != 0) continue;
        struct sock_filter program[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        install_filter(program, sizeof program / sizeof *program);
        return;
    }
    errno = EINVAL;
    fail(name);
}

static void answer_enosys(void) {
    filter_calls(SECCOMP_RET_ERRNO | ENOSYS);
}

static void answer_eperm(void) {
    filter_calls(SECCOMP_RET_ERRNO | EPERM);
}

static void answer_kill(void) {
    filter_calls(SECCOMP_RET_KILL_PROCESS);
}

// glibc declares an enumeration, and musl an int.
#ifdef __GLIBC__
typedef __rlimit_resource_t limited;
#else
typedef int limited;
#endif

static void set_limit(limited resource, rlim_t soft, rlim_t hard) {
    struct rlimit limit = {soft, hard};
    if (setrlimit(resource, &limit) != 0) fail("setrlimit");
}

static void use_up_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) fail("getrlimit");
    set_limit(RLIMIT_NOFILE, 64, limit.rlim_max);
    while (open("/dev/null", O_RDONLY) >= 0)
        continue;
    if (errno != EMFILE) fail("open");
}

static void forbid_processes(void) {
    set_limit(RLIMIT_NPROC, 0, 0);
}

static void lower_file_size(void) {
    set_limit(RLIMIT_FSIZE, 0, RLIM_INFINITY);
}

/// A privileged process could raise the hard limit too, so it gives that up.
static void forbid_file_size(void) {
    set_limit(RLIMIT_FSIZE, 0, 0);
}

static void fill_disk(const char *database) {
    char path[4096];
    static const char block[4096] = {1};
    snprintf(path, sizeof path, "%s/filler", database);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    if (fd < 0) fail(path);
    while (write(fd, block, sizeof block) > 0)
        continue;
    if (errno != ENOSPC) fail("filling the disk");
    close(fd);
}

static void remove_database(const char *database) {
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", database);
    if (system(command) != 0) fail(command);
}

/// As a cleaner of temporary files does.
static void remove_armed_file(const char *database) {
    char path[4200];
    snprintf(path, sizeof path, "%s/pending-dumps/%s", database, epitaph_armed_file_name());
    if (unlink(path) != 0) fail(path);
}

/// As an operator does who wants the room back.
static void empty_armed_file(const char *database) {
    char path[4200];
    snprintf(path, sizeof path, "%s/pending-dumps/%s", database, epitaph_armed_file_name());
    if (truncate(path, 0) != 0) fail(path);
}

/// Like a program that closes all descriptors it does not know, and then opens a file.
static void close_all(const char *database) {
    char path[4200];
    snprintf(path, sizeof path, "%s/own", database);
    closefrom(3);
    for (int i = 0; i < 4; i++) {
        if (open(path, O_RDWR | O_CREAT, 0600) < 0) fail(path);
    }
}

void surround(const char *setting, const char *database) {
    static const struct {
        const char *name;
        void (*function)(void);
    } surroundings[] = {
        {"enosys", answer_enosys},
        {"eperm", answer_eperm},
        {"kill", answer_kill},
        {"no-files", use_up_files},
        {"no-processes", forbid_processes},
        {"soft-file-size", lower_file_size},
        {"hard-file-size", forbid_file_size},
    };
    for (size_t i = 0; i < sizeof surroundings / sizeof *surroundings; i++) {
        if (strcmp(surroundings[i].name, setting) == 0) surroundings[i].function();
    }
    if (strncmp(setting, "deny-", 5) == 0) deny(setting + 5, EPERM);
    if (strncmp(setting, "interrupt-", 10) == 0) deny(setting + 10, EINTR);
    if (strcmp(setting, "full-disk") == 0) fill_disk(database);
    if (strcmp(setting, "no-database") == 0) remove_database(database);
    if (strcmp(setting, "no-armed-file") == 0) remove_armed_file(database);
    if (strcmp(setting, "empty-armed-file") == 0) empty_armed_file(database);
    if (strcmp(setting, "closed-all") == 0) close_all(database);
}
