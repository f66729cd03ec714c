// SPDX-License-Identifier: Apache-2.0
//
// Every option, once: the fields of epitaph_options, the keys in files and variables, and the
// limits that may change later. The defaults, the checks of epitaph_start, epitaph_limits, the
// preloaded library's keys and the messages about bad values follow from these rows.
// epitaph_option_rows.h has them as data. Comes with epitaph.h.
//
// A new limit is two lines: the row, at the end of EPITAPH_LIMITS, or of EPITAPH_START_LIMITS if it
// cannot change later, and the field, at the end of epitaph_options. Any other option is a row of
// EPITAPH_START_OPTIONS and a field; a key that the C code does not use is a name in
// EPITAPH_CLIENT_KEYS. docs/configuration.md lists the keys for people.

#ifndef EPITAPH_OPTION_TABLE_H
#define EPITAPH_OPTION_TABLE_H

#include <stdint.h>

/// Default and maximum number of breadcrumbs.
#define EPITAPH_BREADCRUMBS_KEPT 64
#define EPITAPH_BREADCRUMB_LIMIT 1024

// OPTION(field of epitaph_options, key, kind, least, most, default, readers, meaning)
//
// kind     storage and text form: EPITAPH_OPTION_KINDS
// least    an operator's bounds; for a FLAG the field's values for no and yes; for a FILE_MODE the
// and most two possible modes
// default  for a FLAG 1 for yes
// readers  CLIENT: programs built with Epitaph; PRELOAD: the preloaded library; BOTH; NOBODY: only
//          the program's code may choose

/// Limits: 0 means the default. epitaph_limits has the same fields, in order, for later changes.
#define EPITAPH_LIMITS(OPTION)                                                                   \
    OPTION(stop_timeout_ms, stop_timeout_ms, MILLISECONDS, 1, 60000, 500, BOTH,                  \
           "how long the other threads may take to stop, milliseconds")                          \
    OPTION(capture_timeout_ms, capture_timeout_ms, MILLISECONDS, 1, 60000, 5000, BOTH,           \
           "how long a whole capture may take, milliseconds")                                    \
    OPTION(crashing_stack_bytes, crashing_stack, SIZE, 4 << 10, 1 << 30, 1 << 20, BOTH,          \
           "of the crashing thread's stack")                                                     \
    OPTION(other_stack_bytes, other_stacks, SIZE, 4 << 10, 1 << 30, 256 << 10, BOTH,             \
           "of the stack of each other thread")                                                  \
    OPTION(all_stacks_bytes, all_stacks, SIZE, 4 << 10, 4ull << 30, 64 << 20, BOTH,              \
           "of all stacks together")                                                             \
    OPTION(crashing_memory_bytes, crashing_memory, SIZE, 256, 3 << 20, 64 << 10, BOTH,           \
           "of other memory, for the crashing thread")                                           \
    OPTION(other_memory_bytes, other_memory, SIZE, 256, 3 << 20, 4 << 10, BOTH,                  \
           "of other memory, for each other thread")                                             \
    OPTION(all_memory_bytes, all_memory, SIZE, 256, 3 << 20, 512 << 10, BOTH,                    \
           "of other memory, for all threads together")                                          \
    OPTION(registered_memory_bytes, registered_memory, SIZE, 256, 1 << 30, 1 << 20, CLIENT,      \
           "of memory that the program registered")                                              \
    OPTION(reserved_bytes, reserved_disk, SIZE, 64 << 10, 1 << 30, 1 << 20, BOTH,                \
           "disk space that is set aside for the next dump")                                     \
    OPTION(unwind_tables_bytes, unwind_tables, SIZE, 4 << 10, 1 << 30, 8 << 20, BOTH,            \
           "of unwind tables of modules whose files are gone")

#define EPITAPH_START_LIMITS(OPTION)                                                             \
    OPTION(max_pending_dumps, max_pending_dumps, COUNT, 1, 100000, 50, BOTH,                     \
           "how many dumps may wait to become reports")                                          \
    OPTION(max_pending_bytes, max_pending_size, SIZE, 1 << 20, 1ull << 40, 256 << 20, BOTH,      \
           "how much room they may take")                                                        \
    OPTION(heap_blocks, heap_blocks, COUNT, 1, 1024, 64, BOTH,                                   \
           "how many sampled allocations may be in use at once")

/// Other options at the start. epitaph_start refuses numbers out of bounds.
#define EPITAPH_START_OPTIONS(OPTION)                                                            \
    OPTION(database_path, database, DIRECTORY, 0, 0, 0, BOTH,                                    \
           "where dumps and reports are kept")                                                   \
    OPTION(bundle_id, bundle_id, BUNDLE_ID, 0, 0, 0, PRELOAD,                                    \
           "the name under which reports are kept")                                              \
    OPTION(signals, signals, SIGNALS, 0, 0, 0, BOTH, "which signals are captured")               \
    OPTION(marked_signals, marked_signals, OPTIONAL_SIGNALS, 0, 0, 0, BOTH,                      \
           "which fatal signals the next launch learns of")                                      \
    OPTION(swift_backtracer, swift_backtracer, FLAG, 0, 1, 0, BOTH,                              \
           "whether the Swift runtime's own backtracer runs after the capture")                  \
    OPTION(virtual_signal_actions, virtual_signal_actions, FLAG, 0, 1, 1, BOTH,                  \
           "whether handlers that the program installs later run after the capture")             \
    OPTION(existing_threads, existing_threads, FLAG, 1, 0, 1, BOTH,                              \
           "whether threads that exist at the start get an alternate stack")                     \
    OPTION(thread_capture, trace_threads, FLAG, 0, 1, 0, BOTH,                                   \
           "whether threads that no signal stops are read with ptrace "                          \
           "after rights were given up, too")                                                    \
    OPTION(ignores_exit, exit_is_clean, FLAG, 1, 0, 1, BOTH,                                     \
           "whether exit(3) is a clean end of the program")                                      \
    OPTION(includes_command_line, command_line, FLAG, 0, 1, 0, BOTH,                             \
           "whether the command line is in dumps")                                               \
    OPTION(environment_allow_list, environment_names, NAMES, 0, 0, 0, BOTH,                      \
           "variables of the environment that may be in dumps")                                  \
    OPTION(writes_last_lines, last_lines, FLAG, 0, 1, 0, BOTH,                                   \
           "whether a crash writes three lines to standard error")                               \
    OPTION(filters_allow_capture, filters_allow_capture, FLAG, 0, 1, 0, BOTH,                    \
           "whether the program's seccomp filters allow what a capture needs")                   \
    OPTION(crash_directory, crash_directory, OPTIONAL_DIRECTORY, 0, 0, 0, BOTH,                  \
           "where dumps wait instead of in the database")                                        \
    OPTION(crash_file_mode, crash_file_mode, FILE_MODE, 0600, 0640, 0600, BOTH,                  \
           "who may read the files there: the owner alone, or the directory's group as well")    \
    OPTION(breadcrumb_limit, breadcrumbs, COUNT, 0, EPITAPH_BREADCRUMB_LIMIT,                    \
           EPITAPH_BREADCRUMBS_KEPT, CLIENT, "how many breadcrumbs are kept")                    \
    OPTION(breadcrumb_file_bytes, breadcrumb_file, OPTIONAL_SIZE, 8 << 10, 16 << 20, 0, CLIENT,  \
           "the file in which breadcrumbs survive SIGKILL")                                      \
    OPTION(heap_sampling, heap_sampling, RATE, 1, 1 << 30, 0, BOTH,                              \
           "which part of the allocations is watched for memory errors")                         \
    OPTION(heap_overwrites_end, heap_overwrites_end, FLAG, 0, 1, 0, BOTH,                        \
           "whether a write beside a sampled allocation ends the program when it is freed")      \
    OPTION(allows_debugger, allow_debugger, FLAG, 0, 1, 0, BOTH,                                 \
           "whether to start although a debugger is attached")                                   \
    OPTION(allows_test_crashes, allow_test_crashes, FLAG, 0, 1, 0, CLIENT,                       \
           "whether the program may be made to crash on purpose")                                \
    OPTION(allows_secure_execution, allow_secure_execution, FLAG, 0, 1, 0, NOBODY,               \
           "whether to start in a program with more rights than its user")

/// All rows with a field. The rest of epitaph_options is its size and the annotations.
#define EPITAPH_OPTIONS(OPTION)  \
    EPITAPH_LIMITS(OPTION)       \
    EPITAPH_START_LIMITS(OPTION) \
    EPITAPH_START_OPTIONS(OPTION)

/// KEY(key, kind, default, readers, meaning): keys that the C code reads and that are no field.
#define EPITAPH_PLAIN_KEYS(KEY)                                                                  \
    KEY(enabled, FLAG, 1, BOTH, "whether crashes are captured; what the program chose wins")     \
    KEY(executable, PROGRAM, 0, PRELOAD, "the only program that is covered")                     \
    KEY(children, FLAG, 0, PRELOAD, "whether programs that this one executes are covered as well")

/// KEY(key): keys of programs built with Epitaph; more in `Epitaph.Configuration.keys`.
#define EPITAPH_CLIENT_KEYS(KEY) \
    KEY(crash_loop_seconds)      \
    KEY(crash_loop_count)        \
    KEY(destination)             \
    KEY(uploads)                 \
    KEY(reports_per_minute)      \
    KEY(upload_retries)          \
    KEY(upload_interval)         \
    KEY(send_first)              \
    KEY(send_first_seconds)      \
    KEY(process_dumps)           \
    KEY(max_reports)             \
    KEY(max_database_mb)         \
    KEY(max_report_days)         \
    KEY(stacks)                  \
    KEY(attachment)              \
    KEY(max_attachment)          \
    KEY(events)                  \
    KEY(event_destination)       \
    KEY(sessions)                \
    KEY(metrics)                 \
    KEY(hangs)                   \
    KEY(memory)                  \
    KEY(system_events)           \
    KEY(handled_errors)

/// KEY(key): variables that are no settings: the configuration file, and dump-convert's.
#define EPITAPH_VARIABLE_KEYS(KEY) \
    KEY(config)                    \
    KEY(upload_url)                \
    KEY(log_url)

/// KIND(NAME): how a value is stored and written. The first ones are numbers.
#define EPITAPH_OPTION_KINDS(KIND)                                            \
    /* yes or no */ KIND(FLAG)                                                \
    /* a whole number */ KIND(COUNT)                                          \
    /* a whole number of them */ KIND(MILLISECONDS)                           \
    /* bytes, or with KiB, MiB or GiB behind the number */ KIND(SIZE)         \
    /* the same, or none, which is 0 */ KIND(OPTIONAL_SIZE)                   \
    /* 1/N, kept as N, or no, which is 0 */ KIND(RATE)                        \
    /* in octal digits */ KIND(FILE_MODE)                                     \
    /* names, or default, which is NULL */ KIND(SIGNALS)                      \
    /* names, or none, which is NULL */ KIND(OPTIONAL_SIGNALS)                \
    /* with blanks between them */ KIND(NAMES)                                \
    /* a path */ KIND(DIRECTORY)                                              \
    /* an absolute path, or none, which is NULL */ KIND(OPTIONAL_DIRECTORY)   \
    /* the beginning of a file name */ KIND(BUNDLE_ID)                        \
    /* by its path or by its name */ KIND(PROGRAM)                            \
    /* known by its key alone */ KIND(OTHER)

#define EPITAPH_LIMIT_TYPE_COUNT uint32_t
#define EPITAPH_LIMIT_TYPE_MILLISECONDS uint32_t
#define EPITAPH_LIMIT_TYPE_SIZE uint64_t

#endif
