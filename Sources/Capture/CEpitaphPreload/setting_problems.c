// SPDX-License-Identifier: Apache-2.0
//
// Notes what is wrong with settings, and writes it to standard error, which is the program's.

#include "preload_settings.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void epitaph_preload_problem_note(epitaph_preload_settings *settings,
                                  const epitaph_preload_place *place, const char *format, ...) {
    size_t room = sizeof settings->problems - settings->problem_count;
    char *next = settings->problems + settings->problem_count;
    char sentence[512], line[32] = "";
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (place->line != 0) snprintf(line, sizeof line, ", line %u", place->line);
    int length = snprintf(next, room, "epitaph: %.300s%s: %s\n", place->name, line, sentence);
    bool has_room = length > 0 && (size_t)length < room;
    if (!has_room || settings->listed_count == EPITAPH_PRELOAD_PROBLEM_LIMIT) {
        settings->unlisted_count++;
        return;
    }
    settings->problem_count += (size_t)length;
    settings->listed_count++;
}

/// The program did not write this line: it must not get a signal for it, of a pipe without readers,
/// a file at its size limit, or a terminal that background processes may not write to.
static void write_without_signal(const char *text, size_t count) {
    static const int answers[] = {SIGPIPE, SIGXFSZ, SIGTTOU};
    static const struct timespec no_time = {0, 0};
    sigset_t blocked, before, pending;
    sigemptyset(&blocked);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        sigaddset(&blocked, answers[i]);
    sigpending(&pending);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    ssize_t ignored = write(STDERR_FILENO, text, count);
    (void)ignored;
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        if (sigismember(&pending, answers[i])) sigdelset(&blocked, answers[i]);
    sigtimedwait(&blocked, NULL, &no_time);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void epitaph_preload_line_print(const char *text, size_t count) {
    struct pollfd file = {STDERR_FILENO, POLLOUT, 0};
    if (count == 0 || poll(&file, 1, 0) != 1 || (file.revents & POLLOUT) == 0) return;
    write_without_signal(text, count);
}

void epitaph_preload_problems_print(const epitaph_preload_settings *settings) {
    const char *next = settings->problems;
    for (unsigned i = 0; i < settings->listed_count; i++) {
        size_t count = (size_t)(strchr(next, '\n') - next) + 1;
        epitaph_preload_line_print(next, count);
        next += count;
    }
    if (settings->unlisted_count == 0) return;
    char line[96];
    int count = snprintf(line, sizeof line, "epitaph: there are %u more problems like these\n",
                         settings->unlisted_count);
    epitaph_preload_line_print(line, (size_t)count);
}
