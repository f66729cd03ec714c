// SPDX-License-Identifier: Apache-2.0
//
// covered DATABASE: prints for each time in the life of the library whether a new thread gets an
// alternate stack from it: before the start, after starts that fail for two reasons, after a start,
// after a stop, after another start; by pthread_create(3) and by thrd_create(3). Then what the
// library says of its threads: 0 for all, 1 for the program's, 2 for none.

#include <epitaph.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <threads.h>
#include <unistd.h>

enum { LEAST_STACK = 64 << 10, C11_RESULT = -7 };

int coverage(void);

static int has_stack;

static void look(void) {
    stack_t present;
    syscall(SYS_sigaltstack, NULL, &present);
    has_stack = (present.ss_flags & SS_DISABLE) == 0 && present.ss_size >= LEAST_STACK;
}

static void *posix_thread(void *argument) {
    look();
    return argument;
}

static int c11_thread(void *argument) {
    (void)argument;
    look();
    return C11_RESULT;
}

static void try_both(void) {
    pthread_t posix;
    thrd_t c11;
    int result = 0;
    if (pthread_create(&posix, NULL, posix_thread, NULL) != 0) printf("failed ");
    pthread_join(posix, NULL);
    printf("%d", has_stack);
    if (thrd_create(&c11, c11_thread, NULL) != thrd_success) printf("failed ");
    if (thrd_join(c11, &result) != thrd_success || result != C11_RESULT) printf("failed ");
    printf("%d ", has_stack);
}

int main(int count, char **arguments) {
    if (count < 2) return 64;
    epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
    options.database_path = arguments[1];
    try_both();
    if (epitaph_start(&options, NULL) != EPITAPH_INVALID_OPTION) return 71;
    try_both();
    options.bundle_id = "org.example.covered";
    options.database_path = "/dev/null/none";
    if (epitaph_start(&options, NULL) != EPITAPH_FILE_ERROR) return 72;
    try_both();
    options.database_path = arguments[1];
    if (epitaph_start(&options, NULL) != EPITAPH_OK) return 73;
    try_both();
    epitaph_stop();
    try_both();
    if (epitaph_start(&options, NULL) != EPITAPH_OK) return 74;
    try_both();
    printf("%d\n", coverage());
    return 0;
}
