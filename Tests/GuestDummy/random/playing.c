// SPDX-License-Identifier: Apache-2.0
//
// Plays the program of one seed.
//
//     random SEED DATABASE|none
//
// Lines that begin with "!" are requests: process, signal, whether with a value, and the byte to
// answer with.

#include "random/random.h"

#include <epitaph.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAXIMUM_THREADS = 6 };

__thread sigjmp_buf way_out;
__thread bool has_way_out;
static const char *database;
static bool is_started;

/// Linked programs choose when, those with the preloaded library have none to give.
static void start(void) {
    say("start\n");
    if (is_started || strcmp(database, "none") == 0) return;
    is_started = true;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = database;
    options.bundle_id = "org.example.random";
    epitaph_error error;
    if (epitaph_start(&options, &error) == EPITAPH_OK) return;
    fprintf(stderr, "%s\n", error.message);
    exit(70);
}

static void play(unsigned steps, bool is_thread);

typedef struct turn {
    unsigned steps;
    bool stays;
    sigset_t mask;
} turn;

static sigset_t block_all(void) {
    sigset_t all;
    sigset_t old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    return old;
}

/// Only one thread has signals unblocked, so that it is sure who gets one.
static void *play_thread(void *argument) {
    turn *own = argument;
    pthread_sigmask(SIG_SETMASK, &own->mask, NULL);
    play(own->steps, true);
    block_all();
    return own;
}

static void *stay(void *argument) {
    for (;;)
        pause();
    return argument;
}

static void make_thread(void) {
    static int count;
    if (++count > MAXIMUM_THREADS) return;
    turn own = {.steps = 1 + chance(5), .stays = chance(2) == 0, .mask = block_all()};
    say(own.stays ? "thread that stays\n" : "thread\n");
    pthread_t thread;
    pthread_create(&thread, NULL, own.stays ? stay : play_thread, &own);
    if (!own.stays) pthread_join(thread, NULL);
    say("  thread done\n");
    pthread_sigmask(SIG_SETMASK, &own.mask, NULL);
}

static int generation;

static void wait_for(pid_t child) {
    int status = -1;
    waitpid(child, &status, 0);
    say("  child %#x\n", (unsigned)status);
}

static void make_process(void) {
    if (generation > 1) return;
    say("fork\n");
    sigset_t old = block_all();
    pid_t child = fork();
    if (child == 0) {
        generation++;
    } else {
        wait_for(child);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/// A process 1, which the kernel spares some signals.
static void make_init(void) {
    if (generation > 1) return;
    say("init\n");
    sigset_t old = block_all();
    pid_t child = fork();
    if (child == 0) {
        if (unshare(CLONE_NEWPID) != 0) _exit(73);
        pid_t init = fork();
        if (init != 0) {
            wait_for(init);
            _exit(0);
        }
        generation = 2;
    } else {
        wait_for(child);
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/// With its parent's memory: what it does to its actions, mask and stack is its own.
static void make_vforked(void) {
    say("vfork\n");
    // A forked process that has not asked for its own actions shares its child's: docs/limits.md.
    ask_action(SIGSEGV);
    sigset_t old = block_all();
    pid_t child = vfork();
    if (child == 0) {
        for (unsigned steps = 1 + chance(3); steps > 0; steps--) {
            change_action();
            ask_action(any_signal());
            ask_stack();
        }
        _exit((int)chance(3));
    }
    wait_for(child);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void execute(void) {
    say("exec\n");
    execl("/proc/self/exe", "random", "status", "none", (char *)NULL);
    _exit(72);
}

static void step(bool is_thread) {
    switch (chance(30)) {
    case 0:
    case 1:
    case 2:
    case 3: install(any_signal()); break;
    case 4:
    case 5:
    case 6:
    case 7: change_action(); break;
    case 8:
    case 9: change_mask(); break;
    case 10: ask_pending(); break;
    case 11: take_pending(); break;
    case 12: set_stack(); break;
    case 13: ask_action(any_signal()); break;
    case 14:
    case 15:
    case 16:
    case 17: send(any_signal()); break;
    case 18:
    case 19:
    case 20: fault(); break;
    case 21:
    case 22:
        if (!is_thread) make_thread();
        break;
    case 23:
        if (!is_thread) make_process();
        break;
    case 24:
        if (chance(4) == 0) execute();
        break;
    case 25: ask_stack(); break;
    case 26:
        if (!is_thread) make_vforked();
        break;
    case 27:
        if (!is_thread) make_init();
        break;
    default: start(); break;
    }
}

/// Jumps come back here, with the mask as it was or, as longjmp(3) may leave it, that of the
/// handler.
static void play(unsigned steps, bool is_thread) {
    volatile unsigned left = steps;
    int saves = (int)chance(2);
    if (sigsetjmp(way_out, saves) != 0) say("back\n");
    has_way_out = true;
    while (left > 0) {
        left--;
        step(is_thread);
    }
    has_way_out = false;
}

int main(int count, char **arguments) {
    if (count != 3) return 64;
    if (strcmp(arguments[1], "status") == 0) {
        tell_status();
        return 0;
    }
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    database = arguments[2];
    choose_seed(strtoull(arguments[1], NULL, 10));
    prepare_telling();
    prepare_faults();
    if (chance(2) == 0) start();
    // Or most programs would be over soon.
    for (unsigned handlers = chance(2) * chance(12); handlers > 0; handlers--)
        install(any_signal());
    play(6 + chance(14), false);
    say("end\n");
    return (int)chance(3);
}
