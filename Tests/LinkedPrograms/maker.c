// SPDX-License-Identifier: Apache-2.0
//
// A shared library that makes threads and knows nothing of Epitaph.

#include <pthread.h>

int make_thread(void *(*function)(void *)) {
    pthread_t thread;
    if (pthread_create(&thread, 0, function, 0) != 0) return 1;
    return pthread_join(thread, 0);
}
