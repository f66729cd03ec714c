// SPDX-License-Identifier: Apache-2.0
//
// Not deaths: dumps of a process that lives on, asked for with all that can be asked for.

#include "ways.h"

#include <epitaph.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WAY __attribute__((noinline)) static void

static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static int32_t subject;
static int must_end;

static void request(const epitaph_live_request *request) {
    epitaph_error error;
    if (epitaph_live_dump_request(request, NULL, &error) == EPITAPH_OK) return;
    printf("%s\n", error.message);
}

static epitaph_live_request hang(void) {
    epitaph_live_request request = EPITAPH_LIVE_REQUEST_DEFAULT;
    request.kind = EPITAPH_REPORT_HANG;
    request.subject_thread = __atomic_load_n(&subject, __ATOMIC_ACQUIRE);
    request.subject_name = "main queue";
    request.duration_ns = 2400000000;
    return request;
}

static void begin_as(const char *name) {
    pthread_setname_np(pthread_self(), name);
    __atomic_store_n(&subject, gettid(), __ATOMIC_RELEASE);
}

__attribute__((noinline)) static void wait_for_the_lock(void) {
    pthread_mutex_lock(&contended);
    pthread_mutex_unlock(&contended);
}

static void *wait_on_lock(void *argument) {
    begin_as("stuck");
    wait_for_the_lock();
    return argument;
}

static void *sleep_long(void *argument) {
    begin_as("asleep");
    struct timespec time = {600, 0};
    nanosleep(&time, NULL);
    return argument;
}

static void *spin(void *argument) {
    begin_as("busy");
    while (!__atomic_load_n(&must_end, __ATOMIC_ACQUIRE))
        continue;
    return argument;
}

static void begin(void *(*function)(void *)) {
    pthread_t thread;
    subject = 0;
    pthread_create(&thread, NULL, function, NULL);
    while (__atomic_load_n(&subject, __ATOMIC_ACQUIRE) == 0)
        usleep(1000);
    // It has to come to where it waits.
    usleep(200000);
}

WAY dump_hang_on_lock(void) {
    pthread_mutex_lock(&contended);
    begin(wait_on_lock);
    const epitaph_live_request asked = hang();
    request(&asked);
    exit(0);
}

WAY dump_hang_in_call(void) {
    begin(sleep_long);
    const epitaph_live_request asked = hang();
    request(&asked);
    exit(0);
}

WAY dump_one_thread(void) {
    begin(spin);
    epitaph_live_request asked = hang();
    asked.threads = EPITAPH_LIVE_THREADS_SUBJECT;
    asked.duration_ns = 0;
    request(&asked);
    exit(0);
}

WAY dump_handled_error(void) {
    begin(sleep_long);
    epitaph_live_request asked = EPITAPH_LIVE_REQUEST_DEFAULT;
    asked.kind = EPITAPH_REPORT_HANDLED_ERROR;
    asked.threads = EPITAPH_LIVE_THREADS_SUBJECT;
    asked.message = "the ledger is torn";
    asked.message_source = "ledger";
    request(&asked);
    exit(0);
}

WAY refuse_requests(void) {
    request(NULL);
    epitaph_live_request asked = EPITAPH_LIVE_REQUEST_DEFAULT;
    asked.size_bytes = 8;
    request(&asked);
    asked = (epitaph_live_request)EPITAPH_LIVE_REQUEST_DEFAULT;
    asked.kind = (epitaph_report_kind)1;
    request(&asked);
    asked.kind = EPITAPH_REPORT_LIVE;
    asked.threads = (epitaph_live_threads)7;
    request(&asked);
    asked.threads = EPITAPH_LIVE_THREADS_ALL;
    asked.subject_thread = 1;
    request(&asked);
    exit(0);
}

const way request_ways[] = {
    {"request-hang-lock", dump_hang_on_lock}, {"request-hang-call", dump_hang_in_call},
    {"request-one-thread", dump_one_thread},  {"request-error", dump_handled_error},
    {"request-refused", refuse_requests},     {NULL, NULL},
};
