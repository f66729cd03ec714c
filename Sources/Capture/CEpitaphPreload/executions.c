// SPDX-License-Identifier: Apache-2.0
//
// Replaces execve(2) and its relatives: a process that becomes another program keeps the library.
// posix_spawn(3), system(3) and raw calls bypass them. ANY-TIME, like the originals.

#include "base/base.h"
#include "endings/endings.h"
#include "program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define INTERPOSED EPITAPH_RUN_IN_CHILDREN __attribute__((visibility("default")))

extern char **environ;

typedef int (*path_function)(const char *, char *const[], char *const[]);
typedef int (*descriptor_function)(int, char *const[], char *const[]);

typedef enum real_function { REAL_EXECVE, REAL_EXECVPE, REAL_FEXECVE, REAL_COUNT } real_function;

static void *find(real_function function) {
    static void *cached[REAL_COUNT];
    static const char *const names[REAL_COUNT] = {"execve", "execvpe", "fexecve"};
    void *real = __atomic_load_n(&cached[function], __ATOMIC_RELAXED);
    if (real == NULL) {
        real = dlsym(RTLD_NEXT, names[function]);
        __atomic_store_n(&cached[function], real, __ATOMIC_RELAXED);
    }
    return real;
}

/// dlsym(3) is for no signal handler.
__attribute__((constructor)) static void find_early(void) {
    for (real_function function = 0; function < REAL_COUNT; function++)
        find(function);
}

typedef struct execution {
    int (*perform)(const struct execution *execution, char *const *variables);
    int directory;
    const char *path;
    char *const *arguments;
    int flags;
} execution;

static int perform_execve(const execution *execution, char *const *variables) {
    path_function real = (path_function)find(REAL_EXECVE);
    return real(execution->path, execution->arguments, variables);
}

static int perform_execvpe(const execution *execution, char *const *variables) {
    path_function real = (path_function)find(REAL_EXECVPE);
    return real(execution->path, execution->arguments, variables);
}

static int perform_fexecve(const execution *execution, char *const *variables) {
    descriptor_function real = (descriptor_function)find(REAL_FEXECVE);
    return real(execution->directory, execution->arguments, variables);
}

/// Not every libc has it.
static int perform_execveat(const execution *execution, char *const *variables) {
    return (int)syscall(SYS_execveat, execution->directory, execution->path, execution->arguments,
                        variables, execution->flags);
}

static size_t append(char path[EPITAPH_PATH_SIZE], size_t used, const char *text, size_t count) {
    if (count >= EPITAPH_PATH_SIZE - used) count = EPITAPH_PATH_SIZE - used - 1;
    memcpy(path + used, text, count);
    path[used + count] = 0;
    return used + count;
}

/// What execvp(3) will find. Separate: a handler that restarts its program may have little stack.
static __attribute__((noinline)) bool search(const char *name) {
    char path[EPITAPH_PATH_SIZE];
    const char *list = getenv("PATH");
    for (const char *next = list == NULL ? "/bin:/usr/bin" : list; next != NULL;) {
        size_t length = strcspn(next, ":");
        size_t used = append(path, 0, next, length);
        if (length != 0) used = append(path, used, "/", 1);
        append(path, used, name, strlen(name));
        if (syscall(SYS_faccessat, AT_FDCWD, path, X_OK) == 0)
            return epitaph_preload_has_same_loader(AT_FDCWD, path);
        next = next[length] == 0 ? NULL : next + length + 1;
    }
    return false;
}

static bool leads_to_own_kind(const execution *execution) {
    const char *name = execution->path;
    bool is_searched = execution->perform == perform_execvpe && strchr(name, '/') == NULL;
    if (is_searched) return search(name);
    bool is_open = (execution->flags & AT_EMPTY_PATH) != 0 && name != NULL && name[0] == 0;
    return epitaph_preload_has_same_loader(execution->directory, is_open ? NULL : name);
}

/// Another root may lack the library, and the dynamic linker would print a line.
EPITAPH_RUN_IN_CHILDREN static bool is_to_carry(const execution *execution) {
    const char *library = epitaph_preload_carried_library();
    return library != NULL && syscall(SYS_faccessat, AT_FDCWD, library, R_OK) == 0 &&
           leads_to_own_kind(execution);
}

EPITAPH_RUN_IN_CHILDREN static int execute(const execution *execution, char *const *variables) {
    int error_number = errno;
    epitaph_exit_settle();
    epitaph_preload_addition addition = {NULL, 0};
    char **all = NULL;
    if (is_to_carry(execution)) all = epitaph_preload_add_carried(variables, &addition);
    errno = error_number;
    int result = execution->perform(execution, all != NULL ? all : variables);
    if (all == NULL) return result;
    // There may be room without the library.
    if (errno == E2BIG) result = execution->perform(execution, variables);
    error_number = errno;
    epitaph_guarded_memory_free(addition.memory, addition.size);
    errno = error_number;
    return result;
}

EPITAPH_RUN_IN_CHILDREN static int execute_path(const char *path, char *const *arguments,
                                                char *const *variables) {
    const execution one = {perform_execve, AT_FDCWD, path, arguments, 0};
    return execute(&one, variables);
}

EPITAPH_RUN_IN_CHILDREN static int execute_found(const char *name, char *const *arguments,
                                                 char *const *variables) {
    const execution one = {perform_execvpe, AT_FDCWD, name, arguments, 0};
    return execute(&one, variables);
}

INTERPOSED int execve(const char *path, char *const arguments[], char *const variables[]) {
    return execute_path(path, arguments, variables);
}

INTERPOSED int execv(const char *path, char *const arguments[]) {
    return execute_path(path, arguments, environ);
}

INTERPOSED int execvp(const char *name, char *const arguments[]) {
    return execute_found(name, arguments, environ);
}

INTERPOSED int execvpe(const char *name, char *const arguments[], char *const variables[]) {
    return execute_found(name, arguments, variables);
}

INTERPOSED int fexecve(int file, char *const arguments[], char *const variables[]) {
    const execution one = {perform_fexecve, file, NULL, arguments, 0};
    return execute(&one, variables);
}

INTERPOSED int execveat(int directory, const char *path, char *const arguments[],
                        char *const variables[], int flags);
INTERPOSED int execveat(int directory, const char *path, char *const arguments[],
                        char *const variables[], int flags) {
    const execution one = {perform_execveat, directory, path, arguments, flags};
    return execute(&one, variables);
}

static size_t count_words(va_list words) {
    size_t count = 1;
    while (va_arg(words, char *) != NULL)
        count++;
    return count;
}

static void copy_words(char **arguments, const char *first, size_t count, va_list words) {
    arguments[0] = (char *)first;
    for (size_t i = 1; i <= count; i++)
        arguments[i] = va_arg(words, char *);
}

/// Declares `arguments`, on the stack, from the words after `first`; `words` is then behind NULL.
#define TAKE_WORDS(first)                \
    va_list words, counted;              \
    va_start(words, first);              \
    va_copy(counted, words);             \
    size_t count = count_words(counted); \
    va_end(counted);                     \
    char *arguments[count + 1];          \
    copy_words(arguments, first, count, words)

INTERPOSED int execl(const char *path, const char *argument, ...) {
    TAKE_WORDS(argument);
    va_end(words);
    return execute_path(path, arguments, environ);
}

INTERPOSED int execlp(const char *name, const char *argument, ...) {
    TAKE_WORDS(argument);
    va_end(words);
    return execute_found(name, arguments, environ);
}

INTERPOSED int execle(const char *path, const char *argument, ...) {
    TAKE_WORDS(argument);
    char *const *variables = va_arg(words, char *const *);
    va_end(words);
    return execute_path(path, arguments, variables);
}
