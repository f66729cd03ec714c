// SPDX-License-Identifier: Apache-2.0
//
// Modules and their ELF images. CRASH-TIME.

#ifndef EPITAPH_MODULES_MODULES_H
#define EPITAPH_MODULES_MODULES_H

#include "capture/capture.h"

#include <elf.h>
#include <link.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_BUILD_ID_LIMIT = 64,
    EPITAPH_SONAME_SIZE = 256,
    /// Bytes to read of an image's start, which has the headers, and of its dynamic section.
    EPITAPH_ELF_HEAD_BYTES = 2048,
    EPITAPH_ELF_DYNAMIC_BYTES = 1024,
};

typedef struct epitaph_elf_facts {
    uint64_t start;
    uint64_t end;
    /// Added to an address in the file.
    uint64_t load_bias;
    uint64_t dynamic_address;
    uint64_t dynamic_bytes;
    uint32_t build_id_bytes;
    uint8_t build_id[EPITAPH_BUILD_ID_LIMIT];
    char soname[EPITAPH_SONAME_SIZE];
} epitaph_elf_facts;

bool epitaph_elf_read(epitaph_elf_facts *facts, uint64_t address);

bool epitaph_elf_read_program_headers(epitaph_elf_facts *facts, uint64_t headers_address,
                                      uint64_t header_count, uint64_t load_bias);

typedef struct epitaph_elf_head {
    uint64_t address;
    uint64_t count;
    union {
        uint8_t bytes[EPITAPH_ELF_HEAD_BYTES];
        Elf64_Ehdr file;
    };
} epitaph_elf_head;

/// Looks for NT_GNU_BUILD_ID in a segment's notes, perhaps copied in `head`. Needs the load bias.
void epitaph_elf_build_id_read(epitaph_elf_facts *facts, const epitaph_elf_head *head,
                               const Elf64_Phdr *segment);

enum { EPITAPH_MODULE_LIMIT = 4096 };

typedef struct epitaph_module {
    uint64_t start;
    uint64_t end;
    /// Where the loader stores its path; 0 for the executable.
    uint64_t path_address;
    bool has_lost_file;
} epitaph_module;

typedef struct epitaph_modules {
    /// The executable first, if it could be read; without the vdso.
    uint32_t count;
    epitaph_module entries[EPITAPH_MODULE_LIMIT];
} epitaph_modules;

void epitaph_executable_write(epitaph_capture *capture);
void epitaph_modules_write(epitaph_capture *capture);

typedef struct epitaph_listed_module {
    /// Of the entry.
    uint64_t address;
    struct link_map entry;
    epitaph_dump_module_kind kind;
    /// Without, no image could be read there.
    bool has_facts;
    epitaph_elf_facts facts;
} epitaph_listed_module;

typedef void (*epitaph_module_visit)(void *argument, const epitaph_listed_module *module);

typedef struct epitaph_list_end {
    bool is_early;
    epitaph_dump_why why;
    uint64_t subject;
} epitaph_list_end;

bool epitaph_loader_read(struct r_debug *debug);

epitaph_list_end epitaph_modules_visit(const struct r_debug *debug, void *argument,
                                       epitaph_module_visit visit);

void epitaph_unloaded_modules_write(epitaph_capture *capture);

void epitaph_executable_read(void);

/// Stores an array of one module: without it no address of the stack means anything.
void epitaph_executable_store(epitaph_stored_values *values);

/// An array of the still listed known modules that instruction pointer or stack point into.
void epitaph_known_modules_store(epitaph_stored_values *values, uint64_t instruction_pointer,
                                 epitaph_copy stack);

void epitaph_module_store(epitaph_stored_values *values, const char *path,
                          epitaph_dump_module_kind kind, const epitaph_elf_facts *facts);

void epitaph_module_files_write(epitaph_capture *capture);

void epitaph_unwind_tables_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
