// SPDX-License-Identifier: Apache-2.0
//
// Addresses that libc or the dynamic linker must be asked for, while that is safe.

#include "internal.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

extern void *__libc_stack_end __attribute__((weak));
// libswiftCore: where the runtime keeps the text of a fatal error.
extern const char **swift_getFatalErrorMessageBuffer(void) __attribute__((weak));

/// The dynamic linker puts the address of its `struct r_debug` into the main executable's dynamic
/// section: elf(5).
static uint64_t find_r_debug(const epitaph_process_facts *facts) {
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)facts->program_headers_address;
    uint64_t bias = 0;
    const ElfW(Dyn) *entry = NULL;
    for (uint64_t i = 0; i < facts->program_header_count; i++) {
        if (headers[i].p_type == PT_PHDR) {
            bias = facts->program_headers_address - headers[i].p_vaddr;
        } else if (headers[i].p_type == PT_DYNAMIC) {
            entry = (const ElfW(Dyn) *)(bias + headers[i].p_vaddr);
        }
    }
    for (; entry != NULL && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_DEBUG) return entry->d_un.d_ptr;
    }
    return 0;
}

void epitaph_loader_facts_collect(epitaph_process_facts *facts) {
    facts->program_headers_address = getauxval(AT_PHDR);
    facts->program_header_count = getauxval(AT_PHNUM);
    facts->vdso_address = getauxval(AT_SYSINFO_EHDR);
    facts->r_debug_address = find_r_debug(facts);
    if (&__libc_stack_end != NULL) facts->main_stack_end = (uint64_t)__libc_stack_end;
    if (swift_getFatalErrorMessageBuffer != NULL) {
        facts->swift_message_address = (uint64_t)swift_getFatalErrorMessageBuffer();
    }
    facts->glibc_message_address = (uint64_t)dlsym(RTLD_DEFAULT, "__abort_msg");
}
