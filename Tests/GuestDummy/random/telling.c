// SPDX-License-Identifier: Apache-2.0
//
// What the program prints, and its requests to the process that started it.

#include "random/random.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BROKEN = 71, LOOK_MS = 10 };

static void put(const char *text, size_t length) {
    while (length > 0) {
        ssize_t count = write(STDOUT_FILENO, text, length);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) _exit(BROKEN);
        text += count;
        length -= (size_t)count;
    }
}

void say(const char *format, ...) {
    int before = errno;
    char text[256];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    put(text, (size_t)length);
    errno = before;
}

const char *signal_name(int signal) {
    const char *name = sigabbrev_np(signal);
    return name != NULL ? name : "none";
}

/// Shared with the children, whose answers may be left in the pipe.
static volatile struct {
    unsigned char requests;
    unsigned char answers;
} * shared;

void prepare_telling(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK) != 0) exit(BROKEN);
}

/// Handlers may have made further requests meanwhile, or have jumped out of one, and may have read
/// the answer to this one just before it would wait for it: no wait is for more than LOOK_MS.
void be_sent(int signal, bool has_value) {
    unsigned char own = ++shared->requests;
    say("!%d %d %d %d\n", (int)getpid(), signal, has_value, own);
    while ((signed char)(shared->answers - own) < 0) {
        unsigned char answer;
        struct pollfd answers = {.fd = STDIN_FILENO, .events = POLLIN};
        poll(&answers, 1, LOOK_MS);
        ssize_t count = read(STDIN_FILENO, &answer, 1);
        if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN)) _exit(BROKEN);
        if (count == 1) shared->answers = answer;
    }
}

void tell_mask(const char *what, const sigset_t *mask) {
    char text[200] = "";
    for (int signal = 1; signal < 32; signal++) {
        if (sigismember(mask, signal) != 1) continue;
        strcat(text, " ");
        strcat(text, signal_name(signal));
    }
    say("  %s:%s\n", what, text);
}

void tell_status(void) {
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) exit(BROKEN);
    char line[256];
    while (fgets(line, sizeof line, status) != NULL) {
        bool is_wanted = strncmp(line, "Sig", 3) == 0 || strncmp(line, "ShdPnd", 6) == 0;
        // The number of queued signals is of the user, the handlers are Epitaph's.
        if (is_wanted && strncmp(line, "SigQ", 4) != 0 && strncmp(line, "SigCgt", 6) != 0)
            say("  %s", line);
    }
    fclose(status);
}
