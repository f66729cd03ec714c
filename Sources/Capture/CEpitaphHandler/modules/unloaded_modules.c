// SPDX-License-Identifier: Apache-2.0
//
// UNLOADED_MODULES: where the last libraries were that dlclose(3) removed. Code that still runs
// there, or is called, dies at an address that nothing else can name.

#include "modules/modules.h"

#include "epitaph_handler.h"
#include "epitaph_placement.h"

enum { UNLOADED_LIMIT = 16, NAME_SIZE = 256 };

typedef struct unloaded_module {
    /// 0 while it is written.
    uint64_t end;
    uint64_t start;
    char path[NAME_SIZE];
} unloaded_module;

static EPITAPH_SPARSE unloaded_module unloaded[UNLOADED_LIMIT];
static uint32_t unloaded_count;

static uint64_t end_of(const unloaded_module *module) {
    return __atomic_load_n(&module->end, __ATOMIC_ACQUIRE);
}

/// A library that is unloaded by a destructor is noted by each call around it.
static bool has(uint64_t start, uint64_t end) {
    for (uint32_t i = 0; i < UNLOADED_LIMIT; i++)
        if (unloaded[i].start == start && end_of(&unloaded[i]) == end) return true;
    return false;
}

void epitaph_unloaded_module_note(uint64_t start, uint64_t end, const char *path) {
    if (has(start, end)) return;
    uint32_t number = __atomic_fetch_add(&unloaded_count, 1, __ATOMIC_ACQ_REL);
    unloaded_module *module = &unloaded[number % UNLOADED_LIMIT];
    size_t count = epitaph_text_length(path, EPITAPH_PATH_SIZE);
    // The end of a long path has the name.
    if (count >= NAME_SIZE) path += count - (NAME_SIZE - 1);
    __atomic_store_n(&module->end, 0, __ATOMIC_RELEASE);
    module->start = start;
    count = epitaph_text_length(path, NAME_SIZE - 1);
    epitaph_bytes_copy(module->path, path, count);
    module->path[count] = 0;
    __atomic_store_n(&module->end, end, __ATOMIC_RELEASE);
}

void epitaph_unloaded_modules_write(epitaph_capture *capture) {
    epitaph_writer *writer = &capture->writer;
    if (__atomic_load_n(&unloaded_count, __ATOMIC_ACQUIRE) == 0) return;
    epitaph_writer_array_start(writer, EPITAPH_KEY_UNLOADED_MODULES);
    for (uint32_t i = 0; i < UNLOADED_LIMIT; i++) {
        const unloaded_module *module = &unloaded[i];
        uint64_t end = end_of(module);
        if (end == 0) continue;
        epitaph_writer_map_start(writer, EPITAPH_KEY_UNLOADED_MODULES);
        epitaph_writer_text(writer, EPITAPH_KEY_MODULE_NAME, module->path, NAME_SIZE);
        epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_ADDRESS, module->start);
        epitaph_writer_u64(writer, EPITAPH_KEY_MODULE_SIZE, end - module->start);
        epitaph_writer_end(writer);
    }
    epitaph_writer_end(writer);
}
