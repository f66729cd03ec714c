// SPDX-License-Identifier: Apache-2.0
//
// Starts Epitaph before main in a program not built with it. Each failure is one line on standard
// error, and the program runs on unchanged.

#include "base/base.h"
#include "preload_settings.h"
#include "program.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

/// Set by Scripts/install.
#ifndef EPITAPH_CONFIGURATION_DIRECTORY
#define EPITAPH_CONFIGURATION_DIRECTORY "/etc/epitaph"
#endif
#ifndef EPITAPH_STATE_DIRECTORY
#define EPITAPH_STATE_DIRECTORY "/var/lib/epitaph"
#endif

enum { PATH_SIZE = 4096 };

typedef struct start {
    epitaph_preload_settings settings;
    char executable[PATH_SIZE];
    char path[PATH_SIZE];
    char heap_path[PATH_SIZE];
    epitaph_error error;
} start;

static void find_executable(char path[PATH_SIZE]) {
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    const char *name = (const char *)getauxval(AT_EXECFN);
    if (length > 0) {
        path[length] = 0;
    } else if (name != NULL && strlen(name) < PATH_SIZE) {
        strcpy(path, name);
    }
}

static const char *last_part(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static bool is_same_file(const char *path, const char *other) {
    struct stat first, second;
    return stat(path, &first) == 0 && stat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/// Whether `name` is that of the file, of the link by which it was executed, or of one beside it: a
/// script's interpreter is executed by the script's name.
static bool has_name(start *start, const char *name) {
    const char *executed = (const char *)getauxval(AT_EXECFN);
    size_t directory = (size_t)(last_part(start->executable) - start->executable);
    if (strcmp(name, start->executable + directory) == 0) return true;
    if (executed != NULL && strcmp(name, last_part(executed)) == 0) return true;
    int length = snprintf(start->path, sizeof start->path, "%.*s%s", (int)directory,
                          start->executable, name);
    return directory > 0 && length > 0 && (size_t)length < sizeof start->path &&
           is_same_file(start->path, "/proc/self/exe");
}

static bool is_meant(start *start) {
    const char *wanted = start->settings.executable;
    if (wanted == NULL) return true;
    if (strchr(wanted, '/') == NULL) return has_name(start, wanted);
    return strcmp(wanted, start->executable) == 0 || is_same_file(wanted, "/proc/self/exe");
}

/// Lowest precedence first.
static void read_settings(start *start, char **variables) {
    epitaph_preload_settings *settings = &start->settings;
    const char *name = last_part(start->executable);
    const char *chosen = epitaph_preload_variable(variables, "EPITAPH_CONFIG");
    epitaph_preload_settings_begin(settings);
    epitaph_preload_read_file(settings, EPITAPH_CONFIGURATION_DIRECTORY "/preload.conf", false);
    if (chosen != NULL) {
        epitaph_preload_read_file(settings, chosen, true);
    } else if (name[0] != 0 && strcmp(name, "preload") != 0 && strcmp(name, "epitaph") != 0) {
        // epitaph.conf is the service's.
        int length = snprintf(start->path, sizeof start->path, "%s/%s.conf",
                              EPITAPH_CONFIGURATION_DIRECTORY, name);
        if (length > 0 && (size_t)length < sizeof start->path)
            epitaph_preload_read_file(settings, start->path, false);
    }
    epitaph_preload_read_variables(settings, variables);
}

static void choose_bundle_id(start *start) {
    char name[EPITAPH_BUNDLE_ID_LIMIT + 1];
    if (start->settings.options.bundle_id != NULL) return;
    snprintf(name, sizeof name, "%s", last_part(start->executable));
    if (name[0] == 0) strcpy(name, "program");
    if (name[0] == '.') name[0] = '_';
    for (char *next = name; *next != 0; next++) {
        if (!epitaph_bundle_id_may_have(*next)) *next = '_';
    }
    start->settings.options.bundle_id =
        epitaph_preload_settings_keep(&start->settings, name, strlen(name));
}

static void choose_database(start *start) {
    epitaph_options *options = &start->settings.options;
    if (options->database_path != NULL || options->bundle_id == NULL) return;
    // In case the package has not created it; epitaph_start reports a failure.
    mkdir(EPITAPH_STATE_DIRECTORY, 0755);
    snprintf(start->path, sizeof start->path, "%s/%s", EPITAPH_STATE_DIRECTORY, options->bundle_id);
    options->database_path =
        epitaph_preload_settings_keep(&start->settings, start->path, strlen(start->path));
}

static void print_error(const char *what, const epitaph_error *error) {
    char line[sizeof error->message + 64];
    int count = snprintf(line, sizeof line, "epitaph: %s: %s\n", what, error->message);
    if (count > 0)
        epitaph_preload_line_print(line,
                                   (size_t)count < sizeof line ? (size_t)count : sizeof line - 1);
}

static void start_epitaph(start *start) {
    const epitaph_options *options = &start->settings.options;
    choose_bundle_id(start);
    choose_database(start);
    epitaph_filters_are_told();
    if (epitaph_start(options, &start->error) != EPITAPH_OK) {
        print_error("crashes are not recorded", &start->error);
    } else if (options->heap_sampling != 0 &&
               epitaph_heap_check(NULL, &start->error) != EPITAPH_OK) {
        print_error("no allocation is watched", &start->error);
    }
}

static const char *absolute(const char *library, char path[PATH_SIZE]) {
    if (library == NULL || library[0] == '/') return library;
    return realpath(library, path);
}

static void carry(start *start, const char *library, const char *heap) {
    library = absolute(library, start->path);
    if (library == NULL) return;
    epitaph_preload_remember_loader();
    epitaph_preload_carry(environ, library, absolute(heap, start->heap_path));
}

/// Weak: dlsym(3) allocates if it finds nothing, and the program's allocator may not work yet.
extern const char epitaph_heap_sampler_1 __attribute__((weak, visibility("default")));

/// The preloaded library of sampled allocations; NULL if it is not there, or part of the program.
static const char *find_heap_library(const start *start) {
    Dl_info info;
    if (&epitaph_heap_sampler_1 == NULL || dladdr(&epitaph_heap_sampler_1, &info) == 0) return NULL;
    return strcmp(info.dli_fname, start->executable) == 0 ? NULL : info.dli_fname;
}

/// Removes variables that executed programs should not inherit: our LD_PRELOAD entry, our settings,
/// and our directory in systemd.exec(5)'s StateDirectory=. If the program has its own Epitaph, it
/// has yet to read the other settings.
static void take_variables(start *start, char **arrays[], bool has_own) {
    const epitaph_preload_settings *settings = &start->settings;
    Dl_info own;
    if (dladdr((const void *)take_variables, &own) != 0) {
        const char *heap = find_heap_library(start);
        if (epitaph_is_started()) carry(start, own.dli_fname, heap);
        epitaph_preload_take_library(arrays, own.dli_fname);
        if (heap != NULL) epitaph_preload_take_library(arrays, heap);
    }
    if (has_own) {
        epitaph_preload_take_variables(arrays, "EPITAPH_BUNDLE_ID=");
        epitaph_preload_take_variables(arrays, "EPITAPH_CHILDREN=");
        epitaph_preload_take_variables(arrays, "EPITAPH_EXECUTABLE=");
        return;
    }
    epitaph_preload_take_variables(arrays, "EPITAPH_");
    if (settings->options.database_path != NULL) {
        epitaph_preload_take_from_list(arrays, "STATE_DIRECTORY", settings->options.database_path);
    }
}

static char **end_of(char **variables) {
    while (variables != NULL && *variables != NULL)
        variables++;
    return variables;
}

static void leave_environment(start *start, char **first, bool has_own) {
    char **arrays[] = {environ, first == environ ? NULL : first, NULL};
    char **ends[] = {end_of(environ), end_of(first)};
    if (environ == NULL) return;
    take_variables(start, arrays, has_own);
    for (size_t i = 0; arrays[i] != NULL; i++)
        epitaph_preload_fill_gap(end_of(arrays[i]), ends[i]);
}

static void begin(char **variables) {
    // Not the heap: the program's allocator may not be ready, and its statistics are the program's.
    epitaph_preload_other other = epitaph_preload_find_other();
    if (other == EPITAPH_PRELOAD_OTHER_PRELOADED) return;
    start *start = epitaph_guarded_memory_make(sizeof *start);
    if (start == NULL) return;
    find_executable(start->executable);
    read_settings(start, environ);
    if (is_meant(start)) {
        bool has_own = other == EPITAPH_PRELOAD_OTHER_LINKED;
        if (!has_own) epitaph_preload_problems_print(&start->settings);
        if (!has_own && start->settings.is_enabled) start_epitaph(start);
        if (!start->settings.has_children) leave_environment(start, variables, has_own);
    }
    epitaph_guarded_memory_free(start, sizeof *start);
}

#ifdef __GLIBC__
// glibc passes main's arguments to constructors, _dl_init in elf/dl-init.c.
__attribute__((constructor)) static void start_early(int count, char **arguments,
                                                     char **variables) {
    (void)count;
    (void)arguments;
#else
__attribute__((constructor)) static void start_early(void) {
    char **variables = NULL;
#endif
    int error_number = errno;
    // The user must not control a program with more rights.
    if (getauxval(AT_SECURE) == 0) begin(variables);
    errno = error_number;
}
