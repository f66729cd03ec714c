// SPDX-License-Identifier: Apache-2.0
//
// Ways to die after setting attributes, of the process, of breadcrumbs and of a thread.

#include "crashes.h"
#include "ways.h"

#include <epitaph.h>
#include <epitaph_scopes.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

static epitaph_named_attribute named(const char *name, const char *text) {
    epitaph_named_attribute attribute = {.name = name, .name_bytes = strlen(name)};
    attribute.value.type = EPITAPH_ATTRIBUTE_STRING;
    attribute.value.string = text;
    attribute.value.string_bytes = strlen(text);
    return attribute;
}

static epitaph_named_attribute numbered(const char *name, int64_t number) {
    epitaph_named_attribute attribute = {.name = name, .name_bytes = strlen(name)};
    attribute.value.type = EPITAPH_ATTRIBUTE_INTEGER;
    attribute.value.integer = number;
    return attribute;
}

static char *megabyte(void) {
    enum { COUNT = 1 << 20 };
    char *text = malloc(COUNT + 1);
    if (text == NULL) _exit(92);
    for (size_t i = 0; i < COUNT; i += 2)
        memcpy(text + i, "é", 2);
    text[COUNT] = 0;
    return text;
}

WAY crash_with_each_type(void) {
    epitaph_attribute_set_string("string", "text");
    epitaph_attribute_set_integer("least", INT64_MIN);
    epitaph_attribute_set_integer("changed", 1);
    epitaph_attribute_set_number("changed", 0.1);
    epitaph_attribute_set_number("infinite", -INFINITY);
    epitaph_attribute_set_boolean("true", -1);
    epitaph_attribute_set_boolean("false", 0);
    epitaph_attribute_set_integer("gone", 1);
    epitaph_attribute_remove("gone");
    epitaph_annotation_set("annotation", "as ever");
    char *text = megabyte();
    // The limit is in the middle of a character.
    text[0] = 'x';
    text[1] = 'x';
    epitaph_attribute_set_string("long", text + 1);
    const epitaph_attribute nothing = {.type = (epitaph_attribute_type)9};
    if (epitaph_attribute_set("unknown", &nothing) != EPITAPH_INVALID_OPTION) _exit(90);
    if (epitaph_attribute_set("none", NULL) != EPITAPH_INVALID_OPTION) _exit(90);
    if (epitaph_attribute_set_integer("", 1) != EPITAPH_INVALID_OPTION) _exit(90);
    crash("null-write");
}

/// Names are used up, and one that is set again or removed still has its place.
WAY crash_with_all_places_used(void) {
    char name[2] = {0, 0};
    for (int i = 0; i < 127; i++) {
        name[0] = (char)(i + 1);
        if (epitaph_attribute_set_integer(name, i) != EPITAPH_OK) break;
    }
    epitaph_attribute_set_integer("last", 0);
    if (epitaph_attribute_set_integer("one more", 1) != EPITAPH_NO_ROOM) _exit(90);
    if (epitaph_attribute_set_integer("\x01", -1) != EPITAPH_OK) _exit(91);
    epitaph_attribute_remove("\x02");
    if (epitaph_attribute_set_integer("one more", 1) != EPITAPH_OK) _exit(93);
    crash("null-write");
}

WAY crash_after_breadcrumbs_with_attributes(void) {
    epitaph_named_attribute attributes[] = {
        named("table", "orders"), numbered("rows", -17), named("empty", ""),
        {.name = NULL},           named("odd", "a\nb"),
    };
    epitaph_breadcrumb_content content = {
        .level = EPITAPH_LEVEL_WARNING,
        .message = "query",
        .message_bytes = 5,
        .kind = "sql",
        .kind_bytes = 3,
        .attributes = attributes,
        .attribute_count = 5,
    };
    epitaph_breadcrumb_add_content(&content);
    epitaph_breadcrumb_add_content(NULL);
    epitaph_named_attribute long_ones[] = {named("long", megabyte()), numbered("number", 1),
                                           named("second", "short")};
    content.kind = "a kind of more than thirty-two bytes";
    content.kind_bytes = strlen(content.kind);
    content.attributes = long_ones;
    content.attribute_count = 3;
    epitaph_breadcrumb_add_content(&content);
    crash("null-write");
}

static sem_t is_in_scope;

static void *wait_in_scope(void *argument) {
    (void)argument;
    const epitaph_named_attribute attribute = named("request", "of another thread");
    epitaph_thread_scope_begin(&attribute, 1);
    sem_post(&is_in_scope);
    pause();
    return NULL;
}

static void begin_beside_another(void) {
    pthread_t thread;
    sem_init(&is_in_scope, 0, 0);
    pthread_create(&thread, NULL, wait_in_scope, NULL);
    sem_wait(&is_in_scope);
    const epitaph_named_attribute outer[] = {named("request", "outer"), numbered("user", 7)};
    epitaph_attribute_set_string("request", "of the process");
    epitaph_thread_scope_begin(outer, 2);
    const epitaph_named_attribute inner = named("request", "inner");
    epitaph_thread_scope_begin(&inner, 1);
    const epitaph_breadcrumb_content content = {
        .level = EPITAPH_LEVEL_INFO, .message = "inside", .message_bytes = 6};
    epitaph_scope_breadcrumb_add(epitaph_thread_scope(), &content);
    const epitaph_named_attribute later = numbered("rows", 3);
    epitaph_scope_attribute_set(epitaph_thread_scope(), &later);
}

WAY crash_in_a_scope(void) {
    begin_beside_another();
    crash("null-write");
}

WAY crash_behind_a_scope(void) {
    begin_beside_another();
    uint64_t inner = epitaph_thread_scope();
    epitaph_thread_scope_end();
    epitaph_thread_scope_end();
    epitaph_thread_scope_end();
    const epitaph_named_attribute later = numbered("rows", 3);
    if (epitaph_scope_attribute_set(inner, &later) != EPITAPH_INVALID_OPTION) _exit(90);
    crash("null-write");
}

/// In one of more scopes than there are places for, and out of those again.
WAY crash_in_too_many_scopes(void) {
    const epitaph_named_attribute attribute = named("depth", "some");
    int refused = 0;
    for (int i = 0; i < EPITAPH_SCOPE_LIMIT + 3; i++)
        refused += epitaph_thread_scope_begin(&attribute, 1) == EPITAPH_NO_ROOM;
    if (refused != 3) _exit(90);
    for (int i = 0; i < 2; i++)
        epitaph_thread_scope_end();
    crash("null-write");
}

WAY crash_after_too_many_scopes(void) {
    const epitaph_named_attribute attribute = named("depth", "some");
    for (int i = 0; i < EPITAPH_SCOPE_LIMIT + 3; i++)
        epitaph_thread_scope_begin(&attribute, 1);
    for (int i = 0; i < EPITAPH_SCOPE_LIMIT + 2; i++)
        epitaph_thread_scope_end();
    crash("null-write");
}

/// The word of the thread names a scope that is not its own, or none that ever was.
WAY crash_with_another_threads_scope(void) {
    begin_beside_another();
    epitaph_scope_find(epitaph_thread_scope())->tid = 1;
    crash("null-write");
}

WAY crash_with_wild_scope(void) {
    begin_beside_another();
    epitaph_thread_scope_replace(UINT64_C(0x1234567890001));
    crash("null-write");
}

const way attribute_ways[] = {
    {"attributes", crash_with_each_type},
    {"attributes-full", crash_with_all_places_used},
    {"crumb-attributes", crash_after_breadcrumbs_with_attributes},
    {"scope", crash_in_a_scope},
    {"scope-ended", crash_behind_a_scope},
    {"scopes-too-many", crash_in_too_many_scopes},
    {"scopes-few-again", crash_after_too_many_scopes},
    {"scope-of-another", crash_with_another_threads_scope},
    {"scope-wild", crash_with_wild_scope},
    {NULL, NULL},
};
