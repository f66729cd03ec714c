// SPDX-License-Identifier: Apache-2.0
//
// The modules of the process and what their images say about themselves: the sections MODULES,
// DYNAMIC_LINKER, MODULE_FILES and UNWIND_TABLES. CRASH-TIME.

#ifndef EPITAPH_MODULES_MODULES_H
#define EPITAPH_MODULES_MODULES_H

#include "capture/capture.h"

#include <elf.h>

#pragma GCC visibility push(hidden)

// What the memory image of an ELF file says about itself: elf(5).

enum {
    EPITAPH_BUILD_ID_LIMIT = 64,
    EPITAPH_SONAME_SIZE = 256,
    /// How much is read of an image: the first bytes, which contain the headers and, where linkers
    /// put them, the notes; and the dynamic section.
    EPITAPH_ELF_HEAD_BYTES = 2048,
    EPITAPH_ELF_DYNAMIC_BYTES = 1024,
};

typedef struct epitaph_elf_facts {
    /// First and one past the last address of the loadable segments, rounded to pages.
    uint64_t start;
    uint64_t end;
    /// To be added to an address in the file.
    uint64_t load_bias;
    uint64_t dynamic_address;
    uint64_t dynamic_bytes;
    uint32_t build_id_bytes;
    uint8_t build_id[EPITAPH_BUILD_ID_LIMIT];
    char soname[EPITAPH_SONAME_SIZE];
} epitaph_elf_facts;

/// Reads the headers of the image whose first byte is at `address`; false if there is none there.
bool epitaph_elf_read(epitaph_elf_facts *facts, uint64_t address);

/// The same from program headers alone, for an executable whose ELF header may not be mapped but
/// whose headers' address is known.
bool epitaph_elf_read_program_headers(epitaph_elf_facts *facts, uint64_t headers_address,
                                      uint64_t header_count, uint64_t load_bias);

// The build id among the notes of an image in memory: elf(5).

/// The first bytes of an image: its headers and, where linkers put them, its notes.
typedef struct epitaph_elf_head {
    uint64_t address;
    uint64_t count;
    union {
        uint8_t bytes[EPITAPH_ELF_HEAD_BYTES];
        Elf64_Ehdr file;
    };
} epitaph_elf_head;

/// Searches the notes of one segment, of which `head` may have a copy, for NT_GNU_BUILD_ID and
/// stores it in `facts`, whose bias is known.
void epitaph_elf_build_id_read(epitaph_elf_facts *facts, const epitaph_elf_head *head,
                               const Elf64_Phdr *segment);

// The modules of the process: the sections MODULES, DYNAMIC_LINKER, MODULE_FILES and UNWIND_TABLES.
// CRASH-TIME.

enum { EPITAPH_MODULE_LIMIT = 4096 };

/// A module that was written.
typedef struct epitaph_module {
    uint64_t start;
    uint64_t end;
    /// Where the loader stores its path; 0 for the executable.
    uint64_t path_address;
    /// Its file is gone or has been replaced by another.
    bool has_lost_file;
} epitaph_module;

typedef struct epitaph_modules {
    /// The executable first, if it could be read; the vdso is not among them.
    uint32_t count;
    epitaph_module entries[EPITAPH_MODULE_LIMIT];
} epitaph_modules;

// The MODULES and DYNAMIC_LINKER sections.

/// Writes the executable's module, from facts found at quiet time; the others follow in
/// epitaph_modules_write.
void epitaph_executable_write(epitaph_capture *capture);
void epitaph_modules_write(epitaph_capture *capture);

/// The same, stored as an array of one module: without it no address of the stack means anything.
void epitaph_executable_store(epitaph_stored_values *values);

// The MODULE_FILES section.

/// Writes what was at the paths of the modules that were written.
void epitaph_module_files_write(epitaph_capture *capture);

// The UNWIND_TABLES section.

/// Writes the unwind tables of modules that have lost their files.
void epitaph_unwind_tables_write(epitaph_capture *capture);

#pragma GCC visibility pop

#endif
