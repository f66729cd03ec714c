// SPDX-License-Identifier: Apache-2.0

#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 16, AS_THEY_COME = 8, LOWEST = 3, HIGHEST = 63, GUEST_NUMBERS = 12, NUMBERS = 4096 };

static char is_open_before[NUMBERS];
static int of_guest[GUEST_NUMBERS];
static int guest_count;
static int directory = -1;
static int held[HIGHEST - LOWEST + 1 + AS_THEY_COME + GUEST_NUMBERS];
static int held_count;

static void fail(const char *what) {
    perror(what);
    _exit(71);
}

static void for_each_open_number(void (*function)(int)) {
    DIR *numbers = opendir("/proc/self/fd");
    if (numbers == NULL) fail("/proc/self/fd");
    for (struct dirent *entry; (entry = readdir(numbers)) != NULL;) {
        int number = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && number != dirfd(numbers) && number < NUMBERS)
            function(number);
    }
    closedir(numbers);
}

static void note_before(int number) {
    is_open_before[number] = 1;
}

static void note_guest(int number) {
    if (!is_open_before[number] && guest_count < GUEST_NUMBERS) of_guest[guest_count++] = number;
}

void files_note_numbers_before_start(void) {
    for_each_open_number(note_before);
}

void files_note_numbers_of_guest(void) {
    for_each_open_number(note_guest);
}

void files_set_directory(int descriptor) {
    directory = descriptor;
}

static int open_own(const char *name, int flags) {
    char path[64];
    snprintf(path, sizeof path, "%s%s", directory < 0 ? "files/" : "", name);
    int descriptor = openat(directory < 0 ? AT_FDCWD : directory, path, flags | O_CREAT, 0666);
    if (descriptor < 0) fail(path);
    return descriptor;
}

/// The next file, in turn.
static int open_next(int flags) {
    char name[16];
    snprintf(name, sizeof name, "file-%02d", held_count % FILES);
    return open_own(name, flags);
}

static void hold(int descriptor) {
    held[held_count++] = descriptor;
}

/// The next file gets this number, whatever had it.
static void hold_at(int number, int flags) {
    int descriptor = open_next(flags);
    if (descriptor != number) {
        if (dup2(descriptor, number) < 0) fail("dup2");
        close(descriptor);
    }
    hold(number);
}

/// So many files whatever Epitaph had: the contents must not depend on it.
static void hold_guest_numbers(int is_replacing, int flags) {
    for (int i = 0; i < GUEST_NUMBERS; i++) {
        int number = i < guest_count ? of_guest[i] : -1;
        // A number that the program's own files have by now stays theirs.
        if (number < 0 || (!is_replacing && fcntl(number, F_GETFD) >= 0) ||
            (is_replacing && number <= HIGHEST))
            hold(open_next(flags));
        else
            hold_at(number, flags);
    }
}

void files_open(numbers which) {
    int is_replacing = which == NUMBERS_REPLACED || which == NUMBERS_REPLACED_FOR_APPENDING;
    int flags = which == NUMBERS_REPLACED_FOR_APPENDING ? O_WRONLY | O_APPEND : O_RDWR;
    if (is_replacing) {
        for (int number = LOWEST; number <= HIGHEST; number++)
            hold_at(number, flags);
    } else {
        for (int i = 0; i < AS_THEY_COME; i++)
            hold(open_next(flags));
    }
    if (which != NUMBERS_AS_THEY_COME) hold_guest_numbers(is_replacing, flags);
    files_write("at the start");
}

void files_write(const char *when) {
    char text[64];
    for (int i = 0; i < held_count; i++) {
        int length = snprintf(text, sizeof text, "%-16s descriptor %-3d\n", when, i);
        // At its position first, then at one of its own, so that a moved position shows.
        if (write(held[i], text, (size_t)length) != length) files_log("%s %d: write", when, i);
        if (pwrite(held[i], text, (size_t)length, 8192 + 64 * i) != length)
            files_log("%s %d: pwrite, errno %d", when, i, errno);
    }
}

static void append(const char *name, char *line, size_t length) {
    line[length] = '\n';
    int descriptor = open_own(name, O_WRONLY | O_APPEND);
    if (write(descriptor, line, length + 1) < 0) fail(name);
    close(descriptor);
}

void files_log(const char *format, ...) {
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    append("log", line, (size_t)length);
}

void files_note_refusal(const char *sentence) {
    char line[2048];
    int length = snprintf(line, sizeof line, "%s", sentence);
    append("refusals", line, (size_t)length);
}
