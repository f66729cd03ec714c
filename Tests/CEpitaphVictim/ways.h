// SPDX-License-Identifier: Apache-2.0
//
// Groups of ways to die, one file each, found by name.

#ifndef WAYS_H
#define WAYS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct way {
    const char *name;
    void (*function)(void);
} way;

/// Each ends with a way without a name.
extern const way held_lock_ways[];
extern const way small_stack_ways[];
extern const way wild_state_ways[];
extern const way process_ways[];
extern const way concurrent_ways[];
extern const way breadcrumb_ways[];
extern const way attribute_ways[];
extern const way waiting_memory_ways[];
extern const way stack_ways[];
extern const way file_ways[];
extern const way last_line_ways[];
extern const way worker_ways[];
extern const way private_ways[];
extern const way request_ways[];
extern const way hang_ways[];
extern const way attachment_ways[];
extern const way ending_ways[];
extern const way played_task_ways[];
extern const way survivor_ways[];
extern const way text_search_ways[];
extern const way traced_ways[];
extern const way arm_frame_ways[];

/// Dies in the way of that name, if one of the groups has it.
void crash_in_a_group(const char *name);
void print_groups(void);

/// Threads that do this for ever, and that are at it when this returns.
void start_threads(int count, void *(*function)(void *));

#ifdef __cplusplus
}
#endif

#endif
