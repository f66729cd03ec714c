// SPDX-License-Identifier: Apache-2.0
//
// Facts about the process, found out at quiet time because that takes libc or the loader. Internal
// to the package.

#ifndef EPITAPH_PROCESS_FACTS_H
#define EPITAPH_PROCESS_FACTS_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum {
    EPITAPH_PATH_SIZE = 4096,
    EPITAPH_XSTATE_COMPONENT_COUNT = 64,
    EPITAPH_OOM_KILLS_SIZE = 2048,
};

/// Facts about the process, found out at quiet time because that takes libc or the loader.
typedef struct epitaph_process_facts {
    /// The process these facts are about.
    int32_t pid;
    uint64_t start_ticks;
    uint8_t boot_id[16];
    /// LAUNCH_OOM_KILLS of docs/dump-format.md; ends with NUL, empty where nothing is counted.
    char oom_kills[EPITAPH_OOM_KILLS_SIZE];
    uint64_t pid_namespace;
    /// CLOCK_REALTIME and CLOCK_MONOTONIC nanoseconds when Epitaph started.
    uint64_t launch_time_ns;
    uint64_t launch_monotonic_ns;
    /// CLOCK_REALTIME nanoseconds when the process started; 0 when not known.
    uint64_t process_start_time_ns;
    char executable_path[EPITAPH_PATH_SIZE];
    uint64_t page_size;
    int32_t processor_count;
    /// One past the main thread's stack: above it are the arguments and the environment.
    uint64_t main_stack_end;
    /// The main thread's thread pointer if Epitaph was started there, otherwise 0.
    uint64_t main_thread_pointer;
    /// Addresses in this process: `struct r_debug`, the program headers, the ELF header of the
    /// vdso; 0 if there is none.
    uint64_t r_debug_address;
    uint64_t program_headers_address;
    uint64_t program_header_count;
    /// To be added to an address in the executable's file.
    uint64_t load_bias;
    uint64_t vdso_address;
    /// Where the Swift runtime and glibc leave their messages; 0 if they are not in the process.
    uint64_t swift_message_address;
    uint64_t glibc_message_address;
    /// The code of Swift's concurrency runtime; 0 if it is not in the process.
    uint64_t concurrency_start;
    uint64_t concurrency_end;
    char processor_vendor[13];
    uint32_t processor_signature;
    uint32_t processor_features;
    uint64_t hardware_capabilities;
    uint64_t hardware_capabilities_2;
    uint64_t address_mask;
    /// x86_64: for each XSAVE component, one past its last byte in the standard format; 0 if it
    /// does not exist.
    uint32_t xstate_end_bytes[EPITAPH_XSTATE_COMPONENT_COUNT];
    /// Allowed arguments and NAME=value variables, separated by NUL; NULL if nothing is allowed.
    const char *command_line;
    size_t command_line_bytes;
    const char *environment;
    size_t environment_bytes;
    /// Where libc stores `environ`.
    uint64_t environ_address;
    /// Names, separated by NUL, of variables whose values need not be kept out of memory; NULL if
    /// there are none.
    const char *exempt_names;
    size_t exempt_names_bytes;
} epitaph_process_facts;

#pragma GCC visibility pop

#endif
