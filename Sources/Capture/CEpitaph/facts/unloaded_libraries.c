// SPDX-License-Identifier: Apache-2.0
//
// Replaces dlclose(3) to note which libraries it removes, by comparing what was there before and
// afterwards: one call may remove several, and most remove none. QUIET-TIME, like the original.

#include "facts/facts.h"

#include "base/base.h"
#include "epitaph_handler.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*close_function)(void *);

// A static program has no next definition; this is in another object file of libc's than dlclose.
extern int __libc_dlclose(void *) __attribute__((weak));

typedef struct library {
    uint64_t start;
    uint64_t end;
    char *path;
} library;

typedef struct libraries {
    library *entries;
    size_t count;
    size_t room;
    unsigned long long removed;
} libraries;

static close_function next_close(void) {
    static close_function cached;
    close_function next = __atomic_load_n(&cached, __ATOMIC_RELAXED);
    if (next == NULL) {
        next = (close_function)epitaph_next_function("dlclose", NULL);
        if (next == NULL) next = __libc_dlclose;
        __atomic_store_n(&cached, next, __ATOMIC_RELAXED);
    }
    return next;
}

static library library_of(const struct dl_phdr_info *module) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    library found = {UINT64_MAX, 0, strdup(module->dlpi_name)};
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uint64_t start = module->dlpi_addr + segment->p_vaddr;
        uint64_t end = start + segment->p_memsz;
        if (segment->p_type != PT_LOAD) continue;
        if (start < found.start) found.start = start & ~(page - 1);
        if (end > found.end) found.end = (end + page - 1) & ~(page - 1);
    }
    return found;
}

/// Copies one module of the list; one without memory is left out.
static int add(struct dl_phdr_info *module, size_t size, void *argument) {
    libraries *list = argument;
    (void)size;
    if (list->count == list->room) {
        size_t room = list->room == 0 ? 64 : list->room * 2;
        library *entries = realloc(list->entries, room * sizeof *entries);
        if (entries == NULL) return 1;
        list->entries = entries;
        list->room = room;
    }
    library found = library_of(module);
    if (found.path == NULL) return 1;
    list->entries[list->count++] = found;
    list->removed = module->dlpi_subs;
    return 0;
}

static libraries present(void) {
    libraries list = {NULL, 0, 0, 0};
    dl_iterate_phdr(add, &list);
    return list;
}

static void release(libraries *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->entries[i].path);
    free(list->entries);
}

static bool has(const libraries *list, uint64_t start) {
    for (size_t i = 0; i < list->count; i++)
        if (list->entries[i].start == start) return true;
    return false;
}

static int read_removed(struct dl_phdr_info *module, size_t size, void *removed) {
    (void)size;
    *(unsigned long long *)removed = module->dlpi_subs;
    return 1;
}

static void note_missing(const libraries *before) {
    unsigned long long removed = before->removed;
    dl_iterate_phdr(read_removed, &removed);
    if (removed == before->removed) return;
    libraries after = present();
    for (size_t i = 0; i < before->count; i++) {
        const library *one = &before->entries[i];
        if (!has(&after, one->start)) epitaph_unloaded_module_note(one->start, one->end, one->path);
    }
    release(&after);
}

__attribute__((visibility("default"))) int dlclose(void *handle) {
    close_function next = next_close();
    if (next == NULL) return -1;
    if (!epitaph_is_started()) return next(handle);
    int error_number = errno;
    libraries before = present();
    errno = error_number;
    int result = next(handle);
    error_number = errno;
    if (result == 0) note_missing(&before);
    release(&before);
    errno = error_number;
    return result;
}
