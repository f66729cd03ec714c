// SPDX-License-Identifier: Apache-2.0
//
// Ways to die that leave a reason in words.

// Assertions are among them in every build.
#undef NDEBUG

#include "crashes.h"

#include <assert.h>
#include <epitaph.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What a function compiled with -fstack-protector calls when its canary is gone.
extern _Noreturn void __stack_chk_fail(void);

static void fail_assertion(void) {
    volatile int apples = 3;
    assert(apples == 4);
}

/// Writes over the size of the heap's top chunk, which the next large request looks at.
static void corrupt_heap(void) {
    volatile char *memory = malloc(24);
    for (int i = 24; i < 4096; i++)
        memory[i] = (char)0xff;
    void *volatile more = malloc(1 << 16);
    (void)more;
}

static void free_nonsense(void) {
    static char memory[64];
    void *volatile inside = memory + 8;
    free(inside);
}

static void leave_last_words(void) {
    epitaph_message_set("thread 'main' panicked at src/main.rs:2:5");
    abort();
}

static void take_last_words_back(void) {
    epitaph_message_set("not so bad after all");
    epitaph_message_set(NULL);
    abort();
}

static void *talk(void *argument) {
    char text[3000];
    for (int round = 0; round < 2000; round++) {
        memset(text, 'a' + round % 26, sizeof text - 1);
        text[sizeof text - 1] = 0;
        epitaph_message_set(text);
    }
    return argument;
}

static void talk_at_once(void) {
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, talk, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    abort();
}

static const struct {
    const char *name;
    void (*function)(void);
} ways[] = {
    {"assert", fail_assertion},        {"stack-smash", __stack_chk_fail},
    {"heap-corruption", corrupt_heap}, {"free-nonsense", free_nonsense},
    {"last-words", leave_last_words},  {"no-last-words", take_last_words_back},
    {"talk-at-once", talk_at_once},
};

void crash_for_a_reason(const char *name) {
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(ways[i].name, name) == 0) ways[i].function();
    }
    crash_in_cxx(name);
}
