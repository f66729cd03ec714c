// SPDX-License-Identifier: Apache-2.0
//
// Files of modules that are deleted or replaced while the program runs. The program and the library
// named by LIBRARY are the tests' own copies; REPLACEMENT is what is renamed over one of them.

#include "ways.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void null_write(void) {
    *(volatile int *)(uintptr_t)16 = 1;
}

static const char *given(const char *name) {
    const char *value = getenv(name);
    if (value == NULL) _exit(80);
    return value;
}

static void find_program(char *path, size_t size) {
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length < 0) _exit(81);
    path[length] = 0;
}

static void crash_deleted(void) {
    char path[4096];
    find_program(path, sizeof path);
    if (unlink(path) != 0) _exit(82);
    null_write();
}

static void crash_replaced(void) {
    char path[4096];
    find_program(path, sizeof path);
    if (rename(given("REPLACEMENT"), path) != 0) _exit(82);
    null_write();
}

/// As a redeployment that keeps the last version.
static void crash_renamed(void) {
    char path[4096];
    char aside[4200];
    find_program(path, sizeof path);
    snprintf(aside, sizeof aside, "%s.old", path);
    if (rename(path, aside) != 0 || rename(given("REPLACEMENT"), path) != 0) _exit(82);
    null_write();
}

/// The file had another name for a while.
static void crash_unlinked_beside_a_link(void) {
    char path[4096];
    char other[4200];
    find_program(path, sizeof path);
    snprintf(other, sizeof other, "%s.link", path);
    if (link(path, other) != 0 || unlink(other) != 0) _exit(82);
    null_write();
}

/// Crashes below a function of the library.
static void crash_in_library(void (*lose)(void)) {
    void *library = dlopen(given("LIBRARY"), RTLD_NOW);
    if (library == NULL) _exit(83);
    int (*call)(void (*)(void)) = (int (*)(void (*)(void)))dlsym(library, "call_from_library");
    if (call == NULL) _exit(84);
    lose();
    call(null_write);
}

static void keep(void) {}

static void replace_library(void) {
    if (rename(given("REPLACEMENT"), given("LIBRARY")) != 0) _exit(82);
    // As whoever is started next does. The first to follow a symbolic link, some ticks of the clock
    // after it was made, has the time of that written down, which is not done from the kernel's
    // cache of names alone.
    usleep(50000);
    if (access(given("LIBRARY"), R_OK) != 0) _exit(86);
}

static void crash_in_kept_library(void) {
    crash_in_library(keep);
}

static void crash_in_replaced_library(void) {
    crash_in_library(replace_library);
}

const way file_ways[] = {{"deleted", crash_deleted},
                         {"replaced", crash_replaced},
                         {"renamed", crash_renamed},
                         {"other-link-deleted", crash_unlinked_beside_a_link},
                         {"kept-library", crash_in_kept_library},
                         {"replaced-library", crash_in_replaced_library},
                         {NULL, NULL}};
