// SPDX-License-Identifier: Apache-2.0

#include "ways.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const way *const groups[] = {
    held_lock_ways,  small_stack_ways, wild_state_ways,     process_ways,  concurrent_ways,
    breadcrumb_ways, attribute_ways,   waiting_memory_ways, stack_ways,    file_ways,
    last_line_ways,  worker_ways,      private_ways,        request_ways,  hang_ways,
    ending_ways,     attachment_ways,  played_task_ways,    survivor_ways, text_search_ways,
    traced_ways,     arm_frame_ways};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

void crash_in_a_group(const char *name) {
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        for (const way *way = groups[i]; way->name != NULL; way++) {
            if (strcmp(way->name, name) == 0) way->function();
        }
    }
}

void print_groups(void) {
    for (size_t i = 0; i < GROUP_COUNT; i++) {
        for (const way *way = groups[i]; way->name != NULL; way++)
            fprintf(stderr, " %s", way->name);
    }
}

void start_threads(int count, void *(*function)(void *)) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 << 10);
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &attributes, function, NULL) != 0) exit(71);
        pthread_detach(thread);
    }
    // Long enough for them to get going; nothing depends on it.
    usleep(5000);
}
