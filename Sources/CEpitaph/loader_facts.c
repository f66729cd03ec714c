// SPDX-License-Identifier: Apache-2.0
//
// Addresses that libc or the dynamic linker must be asked for, while that is safe.

#include "internal.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>

extern void *__libc_stack_end __attribute__((weak));
// libswiftCore: where the runtime keeps the text of a fatal error.
extern const char **swift_getFatalErrorMessageBuffer(void) __attribute__((weak));

// libswift_Concurrency: what every thread that runs a task has among its outermost callers.
extern void swift_job_run(void) __attribute__((weak));

/// Reach on both sides of the function in a program that has the runtime linked into it.
static const uint64_t static_reach_bytes = 8192;

/// Stores the executable segment of the module that holds `*address`.
static int find_code(struct dl_phdr_info *module, size_t size, void *address) {
    (void)size;
    epitaph_process_facts *facts = address;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &module->dlpi_phdr[i];
        uint64_t start = module->dlpi_addr + segment->p_vaddr;
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) == 0) continue;
        if (facts->concurrency_start - start >= segment->p_memsz) continue;
        facts->concurrency_start = start;
        facts->concurrency_end = start + segment->p_memsz;
        return 1;
    }
    return 0;
}

static void find_concurrency_runtime(epitaph_process_facts *facts) {
    if (swift_job_run == NULL) return;
    Dl_info info;
    uint64_t function = (uint64_t)swift_job_run;
    facts->concurrency_start = function - static_reach_bytes;
    facts->concurrency_end = function + static_reach_bytes;
    if (dladdr((void *)swift_job_run, &info) == 0 || info.dli_fname == NULL) return;
    if (strstr(info.dli_fname, "libswift_Concurrency") == NULL) return;
    facts->concurrency_start = function;
    dl_iterate_phdr(find_code, facts);
}

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
    find_concurrency_runtime(facts);
    facts->glibc_message_address = (uint64_t)dlsym(RTLD_DEFAULT, "__abort_msg");
}
