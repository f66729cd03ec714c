// SPDX-License-Identifier: Apache-2.0
//
// Addresses for which libc or the dynamic linker must be called, while that is safe.

#include "facts/facts.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

// libswiftCore's buffer for the text of a fatal error.
extern const char **swift_getFatalErrorMessageBuffer(void) __attribute__((weak));

// Of the C++ runtime; Itanium C++ ABI, exception handling, 2.2.2.
extern const void *__cxa_get_globals(void) __attribute__((weak));

// In libswift_Concurrency; an outermost caller on every thread that runs a task.
extern void swift_job_run(void) __attribute__((weak));

/// Search range around the function if the runtime is linked statically.
static const uint64_t static_reach_bytes = 8192;

/// Stores the executable segment that contains `concurrency_start`.
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

static const ElfW(Phdr) * program_headers(const epitaph_process_facts *facts) {
    return (const ElfW(Phdr) *)facts->program_headers_address;
}

static bool is_in_program(const epitaph_process_facts *facts, uint64_t bias, uint64_t address,
                          uint64_t count) {
    const ElfW(Phdr) *headers = program_headers(facts);
    for (uint64_t i = 0; i < facts->program_header_count; i++) {
        uint64_t offset = address - (bias + headers[i].p_vaddr);
        if (headers[i].p_type != PT_LOAD || offset > headers[i].p_memsz) continue;
        if (count <= headers[i].p_memsz - offset) return true;
    }
    return false;
}

static bool is_bias(const epitaph_process_facts *facts, uint64_t bias) {
    uint64_t bytes = facts->program_header_count * sizeof(ElfW(Phdr));
    return bias % facts->page_size == 0 &&
           is_in_program(facts, bias, facts->program_headers_address, bytes);
}

/// Takes the load bias from libc's entry with the program's own headers.
static int find_libc_bias(struct dl_phdr_info *module, size_t size, void *address) {
    (void)size;
    epitaph_process_facts *facts = address;
    if (module->dlpi_phdr != program_headers(facts)) return 0;
    facts->load_bias = module->dlpi_addr;
    return 1;
}

/// PT_PHDR gives the unbiased address of the headers. GNU ld omits it in programs without an
/// interpreter, such as -static-pie; libc determined their bias when relocating them.
static bool find_load_bias(epitaph_process_facts *facts) {
    const ElfW(Phdr) *headers = program_headers(facts);
    for (uint64_t i = 0; i < facts->program_header_count; i++) {
        if (headers[i].p_type != PT_PHDR) continue;
        facts->load_bias = facts->program_headers_address - headers[i].p_vaddr;
        if (is_bias(facts, facts->load_bias)) return true;
    }
    return dl_iterate_phdr(find_libc_bias, facts) == 1 && is_bias(facts, facts->load_bias);
}

/// The dynamic linker stores the address of `struct r_debug` in the dynamic section, elf(5).
static uint64_t find_r_debug(const epitaph_process_facts *facts) {
    const ElfW(Phdr) *headers = program_headers(facts);
    for (uint64_t i = 0; i < facts->program_header_count; i++) {
        if (headers[i].p_type != PT_DYNAMIC) continue;
        uint64_t address = facts->load_bias + headers[i].p_vaddr;
        if (!is_in_program(facts, facts->load_bias, address, headers[i].p_memsz)) continue;
        const ElfW(Dyn) *entry = (const ElfW(Dyn) *)address;
        const ElfW(Dyn) *end = entry + headers[i].p_memsz / sizeof *entry;
        for (; entry < end && entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_DEBUG) return entry->d_un.d_ptr;
        }
    }
    return 0;
}

/// Keeps the headers only if they match their address; a wrong bias would spoil all addresses.
static void find_program(epitaph_process_facts *facts) {
    facts->program_headers_address = getauxval(AT_PHDR);
    facts->program_header_count = getauxval(AT_PHNUM);
    bool is_known = facts->program_headers_address != 0 &&
                    getauxval(AT_PHENT) == sizeof(ElfW(Phdr)) && find_load_bias(facts);
    if (is_known) {
        facts->r_debug_address = find_r_debug(facts);
    } else {
        facts->program_headers_address = 0;
        facts->program_header_count = 0;
    }
}

void epitaph_loader_facts_collect(epitaph_process_facts *facts) {
    find_program(facts);
    epitaph_frame_section_find(facts);
    facts->vdso_address = getauxval(AT_SYSINFO_EHDR);
    facts->main_stack_end = epitaph_main_stack_find();
    if (getpid() == gettid()) facts->main_thread_pointer = (uint64_t)__builtin_thread_pointer();
    if (swift_getFatalErrorMessageBuffer != NULL) {
        facts->swift_message_address = (uint64_t)swift_getFatalErrorMessageBuffer();
    }
    if (__cxa_get_globals != NULL) {
        facts->cxx_globals_offset =
            (uint64_t)__cxa_get_globals() - (uint64_t)__builtin_thread_pointer();
    }
    find_concurrency_runtime(facts);
    facts->glibc_message_address = (uint64_t)dlsym(RTLD_DEFAULT, "__abort_msg");
#ifdef __GLIBC__
    // Of a static program. A reference to it would be one to GLIBC_PRIVATE in all others.
    if (facts->glibc_message_address == 0) {
        facts->glibc_message_address =
            epitaph_program_variable_find(facts, "__abort_msg", sizeof(void *));
    }
#endif
}
