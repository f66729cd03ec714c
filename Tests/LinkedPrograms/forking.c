// SPDX-License-Identifier: Apache-2.0
//
// forking DATABASE HOW: threads call every function of the library that has a lock, all the time,
// while the main thread makes 300 children, by fork(3) or with HOW "clone" by a raw clone(2). Each
// child calls them all too, and must come to its end. Prints how many did not.

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILDREN = 300, PATIENCE_S = 5 };

static char long_value[20000];

static void call_all(const char *name, const char *value) {
    epitaph_limits limits = {.size_bytes = sizeof limits};
    if (epitaph_annotation_set(name, value) != EPITAPH_OK) _exit(71);
    if (epitaph_annotation_remove("removed") != EPITAPH_OK) _exit(72);
    if (epitaph_memory_register(name, 8) != EPITAPH_OK) _exit(73);
    epitaph_memory_unregister(long_value);
    if (epitaph_limits_get(&limits) != EPITAPH_OK) _exit(74);
    if (epitaph_limits_set(&limits) != EPITAPH_OK) _exit(75);
    epitaph_message_set(value);
    epitaph_handlers_check(0);
}

static void *work(void *name) {
    for (;;)
        call_all(name, long_value);
    return name;
}

static int child(void) {
    // By signal: in the copy of a process there is one thread, and it may never come back.
    alarm(PATIENCE_S);
    call_all("child", "value");
    pthread_t thread;
    if (pthread_create(&thread, NULL, (void *(*)(void *))work, "thread") != 0) return 76;
    return 0;
}

static int has_failed(const char *how) {
    int status;
    pid_t pid = strcmp(how, "clone") == 0 ? (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) : fork();
    if (pid == 0) _exit(child());
    if (pid < 0 || waitpid(pid, &status, 0) != pid) return 1;
    return status != 0;
}

int main(int count, char **arguments) {
    if (count < 3) return 64;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.forking";
    if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
    static char *const names[] = {"one", "two", "three"};
    memset(long_value, 'x', sizeof long_value - 1);
    pthread_t thread;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        pthread_create(&thread, NULL, work, names[i]);
    int failures = 0;
    for (int i = 0; i < CHILDREN; i++)
        failures += has_failed(arguments[2]);
    printf("%d\n", failures);
    fflush(stdout);
    _exit(0);
}
