// SPDX-License-Identifier: Apache-2.0
//
// The thread in which the Swift package tries out where the runtime keeps the scopes of tasks.

#include "base/base.h"
#include "epitaph_swift_calls.h"

#include <sys/prctl.h>

typedef struct work {
    void (*body)(void *context);
    void *context;
} work;

static void *run(void *argument) {
    const work *work = argument;
    prctl(PR_SET_NAME, "epitaph-trial", 0, 0, 0);
    work->body(work->context);
    return NULL;
}

int epitaph_task_trial_run(void (*body)(void *context), void *context) {
    pthread_t thread;
    // Outlives the thread, which is joined below.
    work work = {.body = body, .context = context};
    int result = epitaph_own_thread_make(&thread, 0, run, &work);
    if (result == 0) pthread_join(thread, NULL);
    return result;
}
