// SPDX-License-Identifier: Apache-2.0
//
// Deaths below ordinary calls, callbacks and functions that never return.

#include "ways.h"

#include <assert.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static KEEP int recursion(int depth) {
    char room[64];
    room[depth & 63] = (char)depth;
    if (depth == 0) {
        touch(1);
    } else {
        zero += recursion(depth - 1);
    }
    return room[zero];
}

static void recurse(void) {
    recursion(40);
}

static KEEP int compare(const void *left, const void *right) {
    touch(2);
    return *(const int *)left - *(const int *)right;
}

static void sort(void) {
    int values[3] = {3, 1, 2};
    qsort(values, 3, sizeof values[0], compare);
    zero++;
}

static void search_tree(void) {
    void *root = NULL;
    int values[2] = {1, 2};
    tsearch(&values[0], &root, compare);
    tsearch(&values[1], &root, compare);
    zero++;
}

static KEEP void give_up(void) {
    abort();
}

static KEEP void insist(int value) {
    assert(value > 0 && "the corpus insists");
    zero++;
}

static void fail_assertion(void) {
    insist(zero);
    zero++;
}

// The last instruction of these is a call: the return address belongs to whatever follows.
static __attribute__((noreturn, noinline)) void last_words(void) {
    abort();
}

static KEEP __attribute__((noreturn)) void no_return(void) {
    last_words();
}

static inline __attribute__((always_inline)) void innermost(int value) {
    *nowhere = value;
}

static inline __attribute__((always_inline)) void middle(int value) {
    innermost(value + zero);
}

static inline __attribute__((always_inline)) void outer(int value) {
    middle(value * 3);
}

static KEEP void inlining(void) {
    outer(zero + 4);
    zero++;
}

static KEEP void tail_end(int value) {
    touch(value);
    zero++;
}

static KEEP void tail_middle(int value) {
    tail_end(value + 1);
}

static KEEP void tail_call(void) {
    tail_middle(zero + 1);
}

// The crash is in the C library, called through the procedure linkage table.
static KEEP void library_call(void) {
    zero = (int)strlen((const char *)nowhere);
}

static KEEP void virtual_library(void) {
    clock_gettime(CLOCK_REALTIME, (struct timespec *)8);
    zero++;
}

static KEEP void *work(void *argument) {
    touch(argument != NULL);
    return argument;
}

static void thread(void) {
    pthread_t other;
    pthread_create(&other, NULL, work, &other);
    pthread_join(other, NULL);
}

static KEEP void at_the_end(void) {
    recursion(3);
}

static void exit_handler(void) {
    atexit(at_the_end);
    exit(0);
}

static KEEP void divide(void) {
    zero = 7 / zero;
}

const struct way call_ways[] = {
    {"recursion", recurse},     {"qsort", sort},
    {"tsearch", search_tree},   {"abort", give_up},
    {"assert", fail_assertion}, {"no-return", no_return},
    {"inlining", inlining},     {"tail-call", tail_call},
    {"library", library_call},  {"vdso", virtual_library},
    {"thread", thread},         {"exit-handler", exit_handler},
    {"divide", divide},         {0, 0},
};
