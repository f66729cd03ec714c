// SPDX-License-Identifier: Apache-2.0
//
// A daemon that knows nothing of Epitaph. At SIGUSR1 it serves a request that is not there, and dies of it; with "now" it does
// so at once. With a number of megabytes it fills so much memory at SIGUSR2, as fast as it can.

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t asked;

static void ask(int signal) {
    asked = signal;
}

__attribute__((noinline)) static int parse_header(const char *header) {
    return header[0] == 'G';
}

__attribute__((noinline)) static int serve_request(const char *request) {
    return parse_header(request) + 1;
}

__attribute__((noinline)) static void fill_memory(size_t megabytes) {
    for (size_t i = 0; i < megabytes; i++) {
        char *block = malloc(1 << 20);
        if (block) memset(block, (int)i | 1, 1 << 20);
    }
}

int main(int count, char **arguments) {
    signal(SIGUSR1, ask);
    if (count > 1 && strcmp(arguments[1], "now") == 0) raise(SIGUSR1);
    signal(SIGUSR2, ask);
    puts("ready");
    fflush(stdout);
    for (;;) {
        usleep(20000);
        if (asked == SIGUSR1) return serve_request(getenv("A_REQUEST_THAT_IS_NOT_THERE"));
        if (asked == SIGUSR2 && count > 1) fill_memory(strtoul(arguments[1], NULL, 10));
    }
}
