// SPDX-License-Identifier: Apache-2.0
//
// unloading DATABASE LIBRARY END: loads the library, starts it beside a thread, unloads it, lets
// the thread end, and then ends itself: by a crash, by exit(3), or by pthread_exit(3).

#include <epitaph.h>

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

static pthread_barrier_t both;

static void *wait_twice(void *argument) {
    pthread_barrier_wait(&both);
    pthread_barrier_wait(&both);
    return argument;
}

int main(int count, char **arguments) {
    if (count < 4) return 64;
    void *library = dlopen(arguments[2], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 70;
    epitaph_status (*start)(const epitaph_options *, epitaph_error *);
    void *symbol = dlsym(library, "epitaph_start");
    memcpy(&start, &symbol, sizeof start);
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    options.bundle_id = "org.example.unloading";
    pthread_t thread;
    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&thread, NULL, wait_twice, NULL);
    pthread_barrier_wait(&both);
    if (start == NULL || start(&options, NULL) != EPITAPH_OK) return 71;
    if (dlclose(library) != 0) return 72;
    pthread_barrier_wait(&both);
    pthread_join(thread, NULL);
    if (strcmp(arguments[3], "crash") == 0) *(volatile int *)16 = 1;
    if (strcmp(arguments[3], "pthread_exit") == 0) pthread_exit(NULL);
    return 5;
}
