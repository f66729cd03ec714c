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
    /// Where the build id was read.
    uint64_t build_id_address;
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

/// Whether as many `bytes` as the build id has are the same.
bool epitaph_build_id_is(const epitaph_elf_facts *facts, const uint8_t *bytes);

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
    /// NULL: no image could be read there.
    const epitaph_elf_facts *facts;
} epitaph_listed_module;

/// Facts that may be the module's: then only the build id is compared. NULL if there are none.
typedef const epitaph_elf_facts *(*epitaph_module_find)(const epitaph_listed_module *module);

typedef void (*epitaph_module_visit)(void *argument, const epitaph_listed_module *module);

typedef struct epitaph_list_end {
    bool is_early;
    epitaph_dump_why why;
    uint64_t subject;
} epitaph_list_end;

bool epitaph_loader_read(struct r_debug *debug);

epitaph_list_end epitaph_modules_visit(const struct r_debug *debug, epitaph_module_find find_known,
                                       void *argument, epitaph_module_visit visit);

enum { EPITAPH_KNOWN_MODULE_LIMIT = 64 };

typedef struct epitaph_known_module {
    /// Address of the loader's entry.
    uint64_t entry;
    epitaph_dump_module_kind kind;
    epitaph_elf_facts facts;
} epitaph_known_module;

/// As they were at the start.
typedef struct epitaph_known_modules {
    bool has_executable;
    epitaph_elf_facts executable;
    bool has_vdso;
    epitaph_elf_facts vdso;
    /// The others, and from the first byte of any of them to the last.
    uint32_t count;
    epitaph_range extent;
    epitaph_known_module entries[EPITAPH_KNOWN_MODULE_LIMIT];
} epitaph_known_modules;

const epitaph_known_modules *epitaph_known_modules_now(void);

/// The facts of a module of the start, if this may be it: another can have been loaded in its place
/// since, which its build id would tell. NULL if not, or if it has none.
const epitaph_elf_facts *epitaph_known_module_find(const epitaph_listed_module *module);

/// If the executable could not be read at the start.
void epitaph_executable_read(void);

void epitaph_unloaded_modules_write(epitaph_capture *capture);

/// Stores an array of one module: without it no address of the stack means anything.
void epitaph_executable_store(epitaph_stored_values *values);

/// An array of the still listed known modules that instruction pointer or stack point into.
void epitaph_known_modules_store(epitaph_stored_values *values, uint64_t instruction_pointer,
                                 epitaph_copy stack);

void epitaph_module_files_write(epitaph_capture *capture);

void epitaph_unwind_tables_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
