// SPDX-License-Identifier: Apache-2.0
//
// A process of root's and its forked children, which give up its rights or do not. Standard output
// is what a worker could do that it must not.

#include "crashes.h"
#include "ways.h"

#include <epitaph.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

enum { NOBODY = 65534, DESCRIPTOR_LIMIT = 4096, MANY_CHILDREN = 200, WORKERS = 6 };

static void become_nobody(void) {
    if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) _exit(77);
}

static int wait_for(pid_t child) {
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) exit(78);
    return status;
}

static pid_t fork_worker(void (*work)(void)) {
    pid_t child = fork();
    if (child == 0) {
        become_nobody();
        work();
        fflush(stdout);
        _exit(0);
    }
    return child;
}

static void attack_file(int number, const char *path) {
    const char *own = epitaph_armed_file_name();
    const char *slash = strrchr(path, '/');
    // Its own dump it may spoil.
    if (*own != 0 && slash != NULL && strcmp(slash + 1, own) == 0) return;
    if ((fcntl(number, F_GETFL) & O_ACCMODE) == O_RDONLY) return;
    if (pwrite(number, "forged", 6, 0) == 6) printf("wrote into %s\n", path);
    if (ftruncate(number, 0) == 0) printf("emptied %s\n", path);
}

static void attack_directory(int number, const char *path) {
    char again[64], bytes[4096];
    if (syscall(SYS_getdents64, number, bytes, sizeof bytes) > 0) printf("listed %s\n", path);
    if (openat(number, ".", O_RDONLY | O_DIRECTORY) >= 0) printf("opened %s\n", path);
    snprintf(again, sizeof again, "/proc/self/fd/%d", number);
    if (open(again, O_RDONLY) >= 0) printf("opened %s again\n", path);
    if (fchdir(number) == 0) printf("went to %s\n", path);
    if (openat(number, "new", O_CREAT | O_WRONLY, 0600) >= 0) printf("made a file in %s\n", path);
    if (fchmod(number, 0777) == 0) printf("opened %s for all\n", path);
}

/// What whoever started this program left open is neither ours nor Epitaph's.
static bool is_inherited[DESCRIPTOR_LIMIT];

// glibc hands constructors what main gets; musl does not. Not in other ways, whose system calls are
// counted.
#ifdef __GLIBC__
__attribute__((constructor))
#endif
__attribute__((unused)) static void
note_inherited(int count, char **words) {
    bool is_wanted = false;
    for (int i = 1; i < count; i++)
        is_wanted |= strcmp(words[i], "forging-worker") == 0;
    for (int number = 3; is_wanted && number < DESCRIPTOR_LIMIT; number++)
        is_inherited[number] = fcntl(number, F_GETFD) >= 0;
}

/// Does with every descriptor it has what it was not given for.
static void attack(void) {
    char link[64], path[4096];
    for (int number = 3; number < DESCRIPTOR_LIMIT; number++) {
        if (is_inherited[number]) continue;
        struct stat status;
        snprintf(link, sizeof link, "/proc/self/fd/%d", number);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length <= 0 || fstat(number, &status) != 0) continue;
        path[length] = 0;
        if (S_ISREG(status.st_mode)) attack_file(number, path);
        if (S_ISDIR(status.st_mode)) attack_directory(number, path);
    }
}

WAY forge(void) {
    wait_for(fork_worker(attack));
    crash("null-write");
}

static void abort_worker(void) {
    crash("abort");
}

/// Leaves the parent's status as it would be if its workers had not crashed.
WAY lose_worker(void) {
    wait_for(fork_worker(abort_worker));
    crash("null-write");
}

/// As memcached in the foreground.
WAY abort_as_nobody(void) {
    become_nobody();
    crash("abort");
}

static void close_and_abort(void) {
    closefrom(3);
    crash("abort");
}

WAY lose_worker_without_descriptors(void) {
    wait_for(fork_worker(close_and_abort));
    crash("null-write");
}

static void enter_root_and_abort(void) {
    char empty[] = "/tmp/empty-XXXXXX";
    if (mkdtemp(empty) == NULL || chroot(empty) != 0 || chdir("/") != 0) _exit(79);
    become_nobody();
    crash("abort");
}

/// As haproxy does.
WAY lose_worker_in_root(void) {
    pid_t child = fork();
    if (child == 0) enter_root_and_abort();
    wait_for(child);
    crash("null-write");
}

/// A loop of crashes under a parent that lives; the last worker's file waits for another fork.
WAY lose_workers(void) {
    for (int i = 0; i < WORKERS; i++)
        wait_for(fork_worker(abort_worker));
    _exit(0);
}

static void do_nothing(void) {}

WAY have_children(void) {
    for (int i = 0; i < MANY_CHILDREN; i++)
        wait_for(fork_worker(do_nothing));
    _exit(0);
}

/// Twice forked, as daemons are, and then a worker of its own.
WAY daemonise(void) {
    pid_t child = fork();
    if (child != 0) {
        wait_for(child);
        _exit(0);
    }
    setsid();
    pid_t daemon = fork();
    if (daemon != 0) {
        wait_for(daemon);
        _exit(0);
    }
    closefrom(3);
    wait_for(fork_worker(abort_worker));
    crash("null-write");
}

/// As memcached does: nobody first, then a daemon. Its parent has ended before it crashes: whoever
/// started that has waited for it, or two seconds are over, after which none of its threads can
/// still be about to close its files.
WAY lose_heir(void) {
    int ends[2];
    char is_out_of_group = 1;
    if (pipe(ends) != 0) exit(82);
    become_nobody();
    pid_t parent = getpid();
    if (fork() != 0) {
        // Whoever started the parent ends its group with it.
        _exit(read(ends[0], &is_out_of_group, 1) == 1 ? 0 : 83);
    }
    setsid();
    if (write(ends[1], &is_out_of_group, 1) != 1) _exit(84);
    for (int i = 0; i < 2000 && kill(parent, 0) == 0; i++)
        usleep(1000);
    crash("abort");
}

/// The other way round: the heir lives on. It ends with its group.
WAY crash_before_heir(void) {
    become_nobody();
    if (fork() == 0) {
        for (;;)
            pause();
    }
    crash("abort");
}

/// A child has a name of its own, and takes it along when it stops.
WAY stop_in_child(void) {
    char parents[512];
    snprintf(parents, sizeof parents, "%s", epitaph_armed_file_name());
    pid_t child = fork();
    if (child == 0) {
        if (strcmp(parents, epitaph_armed_file_name()) == 0) _exit(1);
        if (*epitaph_armed_file_name() == 0) _exit(2);
        epitaph_stop();
        _exit(*epitaph_armed_file_name() == 0 ? 0 : 3);
    }
    int status = wait_for(child);
    _exit(WEXITSTATUS(status));
}

/// A filter that kills the process for calls that Epitaph makes and forking programs do not.
WAY fork_under_filter(void) {
    static const int deadly[] = {SYS_geteuid, SYS_capget,     SYS_lseek, SYS_getrandom,
                                 SYS_openat,  SYS_newfstatat, SYS_fcntl, SYS_fallocate};
    enum { COUNT = sizeof deadly / sizeof *deadly };
    struct sock_filter code[2 * COUNT + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))};
    for (size_t i = 0; i < COUNT; i++) {
        code[2 * i + 1] =
            (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)deadly[i], 0, 1);
        code[2 * i + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
    }
    code[2 * COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog filter = {.len = 2 * COUNT + 2, .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) exit(80);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) exit(80);
    pid_t child = fork();
    if (child == 0) _exit(5);
    int status = wait_for(child);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 81);
}

/// A child that may write no file at all lives, as without us.
WAY fork_under_size_limit(void) {
    struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_FSIZE, &none) != 0) exit(84);
    int status = wait_for(fork_worker(do_nothing));
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) + 5 : 85);
}

/// Fills the disk the database is on, and loses a worker.
WAY lose_worker_on_full_disk(void) {
    static const char bytes[4096];
    pid_t worker = fork();
    if (worker == 0) {
        int file = open("disk/filling", O_WRONLY | O_CREAT, 0600);
        size_t count = sizeof bytes;
        while (count > 0)
            if (write(file, bytes, count) <= 0) count /= 2;
        become_nobody();
        crash("abort");
    }
    int status = wait_for(worker);
    _exit(WIFSIGNALED(status) ? 40 + WTERMSIG(status) : 88);
}

/// Every descriptor there can be is in use.
WAY fork_without_descriptors(void) {
    struct rlimit few = {64, 64};
    if (setrlimit(RLIMIT_NOFILE, &few) != 0) exit(86);
    while (dup(0) >= 0)
        continue;
    int status = wait_for(fork_worker(do_nothing));
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) + 5 : 87);
}

const way worker_ways[] = {
    {"forging-worker", forge},
    {"abort-as-nobody", abort_as_nobody},
    {"lost-worker", lose_worker},
    {"lost-worker-closed", lose_worker_without_descriptors},
    {"lost-worker-in-root", lose_worker_in_root},
    {"lost-workers", lose_workers},
    {"many-children", have_children},
    {"daemon-and-worker", daemonise},
    {"lost-heir", lose_heir},
    {"crash-before-heir", crash_before_heir},
    {"stop-in-child", stop_in_child},
    {"fork-under-filter", fork_under_filter},
    {"worker-on-full-disk", lose_worker_on_full_disk},
    {"fork-under-size-limit", fork_under_size_limit},
    {"fork-without-descriptors", fork_without_descriptors},
    {NULL, NULL},
};
