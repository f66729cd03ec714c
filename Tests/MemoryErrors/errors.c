// SPDX-License-Identifier: Apache-2.0
//
// Wrong uses of the heap, one a run, for Scripts/memory-errors: errors NAME. Each allocates, frees
// and uses in functions of its own, so that their names can be compared.

#define _GNU_SOURCE
#include "library.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline))

static volatile uint64_t sink;

#define DEFINE_USE(bits)                                                  \
    APART static void read_##bits(const char *block, long offset) {       \
        sink += *(const volatile uint##bits##_t *)(block + offset);       \
    }                                                                     \
    APART static void write_##bits(char *block, long offset) {            \
        *(volatile uint##bits##_t *)(block + offset) = (uint##bits##_t)7; \
    }
DEFINE_USE(8)
DEFINE_USE(16)
DEFINE_USE(32)
DEFINE_USE(64)

APART static char *make_block(size_t size) {
    char *block = malloc(size);
    memset(block, 1, size);
    return block;
}

APART static char *make_zeroed(size_t count, size_t size) {
    return calloc(count, size);
}

APART static char *make_aligned(size_t alignment, size_t size) {
    void *block = NULL;
    return posix_memalign(&block, alignment, size) == 0 ? block : NULL;
}

APART static char *grow_block(char *block, size_t size) {
    return realloc(block, size);
}

APART static void drop_block(char *block) {
    free(block);
}

APART static void drop_again(char *block) {
    free(block);
}

typedef struct node {
    struct node *next;
    long value;
} node;

APART static node *make_node(node *next) {
    node *made = malloc(sizeof *made);
    made->next = next;
    made->value = 3;
    return made;
}

APART static void drop_nodes(node *list) {
    // The usual mistake: the node is freed before its successor is read.
    for (; list != NULL; list = list->next)
        free(list);
}

static void *drop_in_thread(void *block) {
    drop_block(block);
    return NULL;
}

static void *use_in_thread(void *block) {
    read_32(block, 8);
    return NULL;
}

static void *make_in_thread(void *unused) {
    (void)unused;
    return make_block(96);
}

static void *in_thread(void *(*run)(void *), void *argument) {
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, NULL, run, argument) == 0) pthread_join(thread, &result);
    return result;
}

APART static void swap_bytes(char *block, size_t size) {
    // One too far.
    for (size_t i = 0; i <= size; i++)
        ((volatile char *)block)[i] = 0x55;
}

static void fault_reading_1_behind(void) {
    read_8(make_block(16), 16);
}
static void fault_reading_4_behind(void) {
    read_32(make_block(40), 48);
}
static void fault_reading_2_behind(void) {
    read_16(make_block(32), 32);
}
static void fault_reading_8_behind(void) {
    read_64(make_block(128), 160);
}
static void fault_writing_1_behind(void) {
    write_8(make_block(4096), 4096);
}
static void fault_writing_2_behind(void) {
    write_16(make_block(48), 50);
}
static void fault_writing_4_behind(void) {
    write_32(make_block(1024), 1028);
}
static void fault_writing_8_behind(void) {
    write_64(make_block(64), 64);
}
static void fault_behind_large(void) {
    read_8(make_block(8000), 8000);
}
static void fault_behind_largest(void) {
    write_8(make_block(32768), 32768);
}
static void fault_behind_zeroed(void) {
    read_32(make_zeroed(8, 16), 132);
}
static void fault_behind_aligned(void) {
    write_8(make_aligned(256, 512), 512);
}
static void fault_behind_grown(void) {
    read_8(grow_block(make_block(32), 64), 64);
}
static void fault_in_a_loop(void) {
    swap_bytes(make_block(80), 80);
}
static void fault_before(void) {
    read_8(make_block(64), -1);
}
static void fault_writing_before(void) {
    write_32(make_block(64), -8);
}
static void fault_before_zeroed(void) {
    read_64(make_zeroed(4, 32), -16);
}

static void use_after_free(void (*use)(char *), size_t size) {
    char *block = make_block(size);
    drop_block(block);
    use(block);
}
APART static void use_1(char *block) {
    read_8(block, 0);
}
APART static void use_2(char *block) {
    write_16(block, 30);
}
APART static void use_4(char *block) {
    read_32(block, 16);
}
APART static void use_8(char *block) {
    write_64(block, 56);
}
APART static void use_large(char *block) {
    read_8(block, 5000);
}

static void freed_reading_1(void) {
    use_after_free(use_1, 1);
}
static void freed_writing_2(void) {
    use_after_free(use_2, 32);
}
static void freed_reading_4(void) {
    use_after_free(use_4, 64);
}
static void freed_writing_8(void) {
    use_after_free(use_8, 64);
}
static void freed_large(void) {
    use_after_free(use_large, 9000);
}

static void freed_by_realloc(void) {
    char *block = make_block(48);
    char *grown = grow_block(block, 4000);
    read_8(block, 40);
    free(grown);
}

static void freed_list(void) {
    drop_nodes(make_node(make_node(NULL)));
}

static void freed_in_thread(void) {
    char *block = make_block(96);
    in_thread(drop_in_thread, block);
    read_32(block, 8);
}

static void used_in_thread(void) {
    char *block = make_block(96);
    drop_block(block);
    in_thread(use_in_thread, block);
}

static void made_in_thread(void) {
    char *block = in_thread(make_in_thread, NULL);
    drop_block(block);
    write_8(block, 95);
}

static void freed_in_library(void) {
    char *block = make_block(72);
    library_close(block);
    read_8(block, 71);
}

static void made_in_library(void) {
    char *block = library_open(112);
    drop_block(block);
    read_64(block, 104);
}

static void used_in_library(void) {
    char *block = make_block(24);
    drop_block(block);
    library_use(block);
}

static void twice(void) {
    char *block = make_block(64);
    drop_block(block);
    drop_again(block);
}

static void twice_in_threads(void) {
    char *block = make_block(64);
    in_thread(drop_in_thread, block);
    drop_again(block);
}

static void twice_in_library(void) {
    char *block = make_block(200);
    library_close(block);
    drop_again(block);
}

static void twice_large(void) {
    char *block = make_block(20000);
    drop_block(block);
    drop_again(block);
}

static void inside(void) {
    drop_block(make_block(64) + 16);
}
static void inside_large(void) {
    drop_block(make_block(6000) + 4096);
}
static void inside_by_one(void) {
    drop_block(make_block(33) + 1);
}

#define CASE(name) \
    { #name, name }
static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    CASE(fault_reading_1_behind),
    CASE(fault_reading_4_behind),
    CASE(fault_reading_2_behind),
    CASE(fault_reading_8_behind),
    CASE(fault_writing_1_behind),
    CASE(fault_writing_2_behind),
    CASE(fault_writing_4_behind),
    CASE(fault_writing_8_behind),
    CASE(fault_behind_large),
    CASE(fault_behind_largest),
    CASE(fault_behind_zeroed),
    CASE(fault_behind_aligned),
    CASE(fault_behind_grown),
    CASE(fault_in_a_loop),
    CASE(fault_before),
    CASE(fault_writing_before),
    CASE(fault_before_zeroed),
    CASE(freed_reading_1),
    CASE(freed_writing_2),
    CASE(freed_reading_4),
    CASE(freed_writing_8),
    CASE(freed_large),
    CASE(freed_by_realloc),
    CASE(freed_list),
    CASE(freed_in_thread),
    CASE(used_in_thread),
    CASE(made_in_thread),
    CASE(freed_in_library),
    CASE(made_in_library),
    CASE(used_in_library),
    CASE(twice),
    CASE(twice_in_threads),
    CASE(twice_in_library),
    CASE(twice_large),
    CASE(inside),
    CASE(inside_large),
    CASE(inside_by_one),
};

/// So many wrong uses that each find the error if their block is sampled.
static void use_many(int count) {
    for (int i = 0; i < count; i++) {
        char *block = make_block(64);
        drop_block(block);
        use_4(block);
    }
}

int main(int count, char **arguments) {
    if (count == 2 && strncmp(arguments[1], "many=", 5) == 0) use_many(atoi(arguments[1] + 5));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (count == 1) puts(cases[i].name);
        if (count == 2 && strcmp(arguments[1], cases[i].name) == 0) cases[i].run();
    }
    return 0;
}
