// SPDX-License-Identifier: Apache-2.0

#include "hiding.h"

#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static void fail(const char *what) {
    perror(what);
    _exit(72);
}

static void close_all(void) {
    closefrom(3);
    files_open(NUMBERS_OF_GUEST_IF_CLOSED);
}

static void close_one_by_one(void) {
    for (int number = 3; number < 4096; number++)
        close(number);
    files_open(NUMBERS_OF_GUEST_IF_CLOSED);
}

static void replace(void) {
    files_open(NUMBERS_REPLACED);
}

static void replace_for_appending(void) {
    files_open(NUMBERS_REPLACED_FOR_APPENDING);
}

/// Started without standard descriptors: what it logs goes nowhere, until its own files have the
/// numbers.
static void log_to_nobody(void) {
    for (int number = 1; number <= 2; number++) {
        ssize_t written = write(number, "a log line\n", 11);
        files_log("line to %d: %zd, errno %d", number, written, written < 0 ? errno : 0);
    }
    files_open(NUMBERS_AS_THEY_COME);
    if (write(1, "a log line\n", 11) < 0 || write(2, "a log line\n", 11) < 0) files_log("no 1, 2");
}

/// As daemon(3), but for the directory.
static void daemonise(void) {
    if (fork() != 0) _exit(0);
    setsid();
    for (int number = 0; number < 4096; number++)
        close(number);
    int null = open("/dev/null", O_RDWR);
    if (null != 0 || dup2(null, 1) < 0 || dup2(null, 2) < 0) fail("/dev/null");
    files_open(NUMBERS_OF_GUEST_IF_CLOSED);
}

static void fork_twice(void) {
    pid_t child = fork();
    if (child != 0) {
        waitpid(child, NULL, 0);
        _exit(0);
    }
    setsid();
    if (fork() != 0) _exit(0);
    files_open(NUMBERS_AS_THEY_COME);
}

void become_nobody(void) {
    if (getuid() == NOBODY) return;
    if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0) fail("setuid");
}

static void drop(void) {
    become_nobody();
    files_open(NUMBERS_AS_THEY_COME);
}

static void drop_and_close(void) {
    become_nobody();
    close_all();
}

/// As memcached does. The child goes on when its parent has ended and closed its files, which comes
/// before the kernel gives its children to another (kernel/exit.c, do_exit): until then it has no
/// file of its own, docs/limits.md.
static void drop_and_fork(void) {
    become_nobody();
    pid_t parent = getpid();
    if (fork() != 0) _exit(0);
    setsid();
    for (int i = 0; i < 20000 && getppid() == parent; i++)
        usleep(1000);
    files_open(NUMBERS_AS_THEY_COME);
}

static void jail_process(const char *jail) {
    int directory = open("files", O_RDONLY | O_DIRECTORY);
    if (directory < 0 || chroot(jail) != 0 || chdir("/") != 0) fail(jail);
    files_set_directory(directory);
}

static void jail_and_open(const char *jail) {
    jail_process(jail);
    files_open(NUMBERS_AS_THEY_COME);
}

static void close_and_jail(const char *jail) {
    closefrom(3);
    jail_process(jail);
    files_open(NUMBERS_OF_GUEST_IF_CLOSED);
}

static void open_alone(void) {
    files_open(NUMBERS_AS_THEY_COME);
}

int hide(const char *way, const char *jail) {
    static const struct {
        const char *name;
        void (*function)(void);
    } ways[] = {
        {"none", open_alone},
        {"closefrom", close_all},
        {"loop", close_one_by_one},
        {"dup2", replace},
        {"append", replace_for_appending},
        {"closed", log_to_nobody},
        {"daemon", daemonise},
        {"double-fork", fork_twice},
        {"drop", drop},
        {"drop-close", drop_and_close},
        {"drop-fork", drop_and_fork},
    };
    umask(0);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(way, ways[i].name) != 0) continue;
        ways[i].function();
        return 1;
    }
    if (strcmp(way, "chroot") == 0) jail_and_open(jail);
    if (strcmp(way, "chroot-close") == 0) close_and_jail(jail);
    return strncmp(way, "chroot", 6) == 0;
}
