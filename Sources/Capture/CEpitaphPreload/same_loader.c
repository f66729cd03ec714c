// SPDX-License-Identifier: Apache-2.0
//
// Looks into a file before execve(2): another C library or architecture would print a line about
// ours or, as musl does, end the program. ANY-TIME: raw calls, which are no cancellation points.

#include "program.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    /// Scripts whose interpreter is a script, execve(2).
    LEVEL_LIMIT = 5,
    /// Of a first line, execve(2).
    LINE_BYTES = 256,
    HEADER_LIMIT = 64,
};

/// The dynamic linker that started this program; NULL if unknown.
static const char *own_linker;
static unsigned short own_machine;

static int look(struct dl_phdr_info *module, size_t size, void *ignored) {
    (void)size;
    (void)ignored;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        if (module->dlpi_phdr[i].p_type != PT_INTERP) continue;
        own_linker = (const char *)(module->dlpi_addr + module->dlpi_phdr[i].p_vaddr);
    }
    // The first is the program.
    return 1;
}

void epitaph_preload_remember_loader(void) {
    ElfW(Ehdr) own = {0};
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (pread(file, &own, sizeof own, 0) == (ssize_t)sizeof own) own_machine = own.e_machine;
    close(file);
    dl_iterate_phdr(look, NULL);
}

static bool read_at(int file, void *bytes, size_t count, uint64_t offset) {
    return syscall(SYS_pread64, file, bytes, count, offset) == (long)count;
}

static bool has_own_linker(int file, const ElfW(Ehdr) * header) {
    char name[LINE_BYTES];
    if (header->e_machine != own_machine || header->e_phnum > HEADER_LIMIT) return false;
    for (unsigned i = 0; i < header->e_phnum; i++) {
        ElfW(Phdr) segment;
        if (!read_at(file, &segment, sizeof segment, header->e_phoff + i * sizeof segment))
            return false;
        if (segment.p_type != PT_INTERP) continue;
        size_t length = strlen(own_linker) + 1;
        return segment.p_filesz == length && length <= sizeof name &&
               read_at(file, name, length, segment.p_offset) &&
               memcmp(name, own_linker, length) == 0;
    }
    return false;
}

/// Returns the interpreter in a script's first line, which it changes; NULL for none.
static char *find_interpreter(char *line, size_t count) {
    if (count < 2 || line[0] != '#' || line[1] != '!') return NULL;
    line[count] = 0;
    char *name = line + 2 + strspn(line + 2, " \t");
    name[strcspn(name, " \t\n")] = 0;
    return name[0] == 0 ? NULL : name;
}

/// A program with its file's rights never loads the library.
static bool is_plain(int file) {
    struct stat status;
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
           (status.st_mode & (S_ISUID | S_ISGID)) == 0;
}

/// Returns whether it is the kind of program. Otherwise `line` is its interpreter's path, or empty.
static bool is_own_kind(int file, char line[LINE_BYTES + 1]) {
    ElfW(Ehdr) header;
    line[0] = 0;
    if (!is_plain(file)) return false;
    long count = syscall(SYS_pread64, file, line, LINE_BYTES, 0L);
    char *interpreter = count > 0 ? find_interpreter(line, (size_t)count) : NULL;
    if (interpreter != NULL) {
        memmove(line, interpreter, strlen(interpreter) + 1);
        return false;
    }
    memcpy(&header, line, sizeof header);
    line[0] = 0;
    return count >= (long)sizeof header && memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
           header.e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
           header.e_phentsize == sizeof(ElfW(Phdr)) && has_own_linker(file, &header);
}

bool epitaph_preload_has_same_loader(int directory, const char *path) {
    char line[LINE_BYTES + 1] = "";
    for (int level = 0; own_linker != NULL && level < LEVEL_LIMIT; level++) {
        // A FIFO must not block the program.
        int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
        bool is_open = path == NULL;
        int file = is_open ? directory : (int)syscall(SYS_openat, directory, path, flags, 0);
        if (file < 0) return false;
        bool is_same = is_own_kind(file, line);
        if (!is_open) syscall(SYS_close, file);
        if (is_same || line[0] == 0) return is_same;
        directory = AT_FDCWD;
        path = line;
    }
    return false;
}
