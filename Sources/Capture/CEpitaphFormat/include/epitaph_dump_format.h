// SPDX-License-Identifier: Apache-2.0
//
// The intermediate dump format's commands, keys and coded values, each in one macro table, expanded
// by the C writer, the Swift reader, `dump-convert show --raw` and the check of
// docs/dump-format.md, which describes the byte layout.
//
// Key numbers below 10000 are Crashpad's (util/ios/ios_intermediate_dump_format.h) where the
// meaning is the same; Linux facts start at 10000. Numbers are never reused.

#ifndef EPITAPH_DUMP_FORMAT_H
#define EPITAPH_DUMP_FORMAT_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

#define EPITAPH_DUMP_VERSION 1

/// COMMAND(NAME, byte)
#define EPITAPH_DUMP_COMMANDS(COMMAND) \
    COMMAND(MAP_START, 0x01)           \
    COMMAND(MAP_END, 0x02)             \
    COMMAND(ARRAY_START, 0x03)         \
    COMMAND(ARRAY_END, 0x04)           \
    COMMAND(PROPERTY, 0x05)            \
    COMMAND(ROOT_MAP_START, 0x06)      \
    COMMAND(ROOT_MAP_END, 0x07)

/// Payload types, little-endian. TIMEVAL: i64 seconds since the epoch (or of CPU time), i64
/// microseconds. STRING: UTF-8 without NUL, other bytes kept. REGISTERS, FLOATS: by ARCHITECTURE.
#define EPITAPH_DUMP_TYPES(TYPE) \
    TYPE(U8)                     \
    TYPE(U16)                    \
    TYPE(U32)                    \
    TYPE(I32)                    \
    TYPE(U64)                    \
    TYPE(I64)                    \
    TYPE(TIMEVAL)                \
    TYPE(UUID)                   \
    TYPE(STRING)                 \
    TYPE(BYTES)                  \
    TYPE(REGISTERS)              \
    TYPE(FLOATS)                 \
    TYPE(MAP)                    \
    TYPE(ARRAY)

/// KEY(NAME, number, type)
#define EPITAPH_DUMP_KEYS(KEY)                              \
    /* root */                                              \
    KEY(VERSION, 1, U8)                                     \
    KEY(ARCHITECTURE, 10001, U16)                           \
    KEY(SIGNAL_EXCEPTION, 2000, MAP)                        \
    KEY(MODULES, 3000, ARRAY)                               \
    KEY(ANNOTATIONS_SIMPLE_MAP, 3010, ARRAY)                \
    KEY(PROCESS_INFO, 4000, MAP)                            \
    KEY(SYSTEM_INFO, 5000, MAP)                             \
    KEY(THREADS, 6000, ARRAY)                               \
    /* launch record */                                     \
    KEY(LAUNCH_RECORD, 10100, MAP)                          \
    KEY(LAUNCH_PID, 10101, I32)                             \
    KEY(LAUNCH_START_TICKS, 10102, U64)                     \
    KEY(LAUNCH_BOOT_ID, 10103, UUID)                        \
    KEY(LAUNCH_PID_NAMESPACE, 10104, U64)                   \
    KEY(LAUNCH_TIME, 10105, TIMEVAL)                        \
    KEY(LAUNCH_BUNDLE_ID, 10106, STRING)                    \
    KEY(LAUNCH_UUID, 10107, UUID)                           \
    KEY(LAUNCH_EXECUTABLE, 10108, STRING)                   \
    KEY(HEAD_BYTES, 10109, U32)                             \
    KEY(CLEAN_EXIT, 10110, TIMEVAL)                         \
    KEY(LAUNCH_AFTER_CRASH, 10111, UUID)                    \
    KEY(LAUNCH_IS_CHILD, 10112, U8)                         \
    KEY(LAUNCH_BREADCRUMB_FILE, 10113, UUID)                \
    KEY(LAUNCH_OOM_KILLS, 10114, STRING)                    \
    KEY(LAUNCH_MARKED_SIGNALS, 10115, U64)                  \
    KEY(LAUNCH_MEMORY_WARNING, 10116, U8)                   \
    KEY(END_SIGNAL, 10117, I32)                             \
    KEY(END_SIGNAL_SENDER, 10118, I32)                      \
    KEY(END_TIME, 10119, TIMEVAL)                           \
    KEY(FIRST_RECORD, 10120, MAP)                           \
    /* what a dump without a crash is of */                 \
    KEY(REPORT_REQUEST, 12000, MAP)                         \
    KEY(REPORT_KIND, 12001, U8)                             \
    KEY(REPORT_DURATION, 12002, U64)                        \
    KEY(REPORT_SUBJECT, 12003, U64)                         \
    KEY(REPORT_SUBJECT_NAME, 12004, STRING)                 \
    KEY(REPORT_THREADS, 12005, U8)                          \
    KEY(REPORT_IS_PROVISIONAL, 12006, U8)                   \
    /* exception */                                         \
    KEY(SIGNAL_NUMBER, 2001, I32)                           \
    KEY(SIGNAL_CODE, 2002, I32)                             \
    KEY(SIGNAL_ADDRESS, 2003, U64)                          \
    KEY(SIGNAL_INFO, 10201, BYTES)                          \
    KEY(SIGNAL_SENDER_PID, 10202, I32)                      \
    KEY(SIGNAL_SENDER_UID, 10203, U32)                      \
    KEY(SIGNAL_ERRNO, 10204, I32)                           \
    KEY(MESSAGES, 10210, ARRAY)                             \
    KEY(MESSAGE_SOURCE, 10211, STRING)                      \
    KEY(MESSAGE_TEXT, 10212, STRING)                        \
    KEY(DISPLACED_HANDLERS, 10230, ARRAY)                   \
    KEY(DISPLACED_SIGNAL, 10231, I32)                       \
    KEY(DISPLACING_HANDLER, 10232, U64)                     \
    /* modules */                                           \
    KEY(MODULE_ADDRESS, 3001, U64)                          \
    KEY(MODULE_NAME, 3003, STRING)                          \
    KEY(MODULE_SIZE, 3004, U64)                             \
    KEY(MODULE_KIND, 10301, U8)                             \
    KEY(MODULE_BUILD_ID, 10302, BYTES)                      \
    KEY(MODULE_SONAME, 10303, STRING)                       \
    KEY(MODULE_LOAD_BIAS, 10304, U64)                       \
    KEY(MODULE_DYNAMIC_ADDRESS, 10305, U64)                 \
    KEY(MODULE_IMAGE, 10306, BYTES)                         \
    KEY(DYNAMIC_LINKER, 10320, MAP)                         \
    KEY(DYNAMIC_LINKER_VERSION, 10321, U32)                 \
    KEY(DYNAMIC_LINKER_BREAKPOINT, 10322, U64)              \
    KEY(DYNAMIC_LINKER_BASE, 10323, U64)                    \
    KEY(DYNAMIC_SECTION_ADDRESS, 10324, U64)                \
    KEY(DYNAMIC_SECTION_DATA, 10325, BYTES)                 \
    KEY(MODULE_FILES, 10330, ARRAY)                         \
    KEY(MODULE_FILE_STATE, 10331, U8)                       \
    KEY(UNLOADED_MODULES, 10340, ARRAY)                     \
    /* annotations */                                       \
    KEY(ANNOTATION_NAME, 3013, STRING)                      \
    KEY(ANNOTATION_VALUE, 3014, STRING)                     \
    KEY(ANNOTATION_TYPE, 11100, U8)                         \
    KEY(ANNOTATION_BITS, 11101, U64)                        \
    KEY(ANNOTATION_IS_CUT, 11102, U8)                       \
    /* attachments */                                       \
    KEY(ATTACHMENTS, 13000, ARRAY)                          \
    KEY(ATTACHMENT_NAME, 13001, STRING)                     \
    KEY(ATTACHMENT_PATH, 13002, STRING)                     \
    /* breadcrumbs */                                       \
    KEY(BREADCRUMBS, 11000, ARRAY)                          \
    KEY(BREADCRUMB_NUMBER, 11001, U64)                      \
    KEY(BREADCRUMB_TIME, 11002, U64)                        \
    KEY(BREADCRUMB_UPTIME, 11003, U64)                      \
    KEY(BREADCRUMB_LEVEL, 11004, U8)                        \
    KEY(BREADCRUMB_CATEGORY, 11005, STRING)                 \
    KEY(BREADCRUMB_MESSAGE, 11006, STRING)                  \
    KEY(BREADCRUMB_IS_CUT, 11007, U8)                       \
    KEY(BREADCRUMB_KIND, 11110, STRING)                     \
    KEY(BREADCRUMB_ATTRIBUTES, 11111, ARRAY)                \
    /* the scope of a task */                               \
    KEY(TASK_SCOPE, 11120, MAP)                             \
    KEY(SCOPE_ATTRIBUTES, 11121, ARRAY)                     \
    KEY(SCOPE_BREADCRUMBS, 11122, ARRAY)                    \
    /* process */                                           \
    KEY(PARENT_PID, 4001, I32)                              \
    KEY(PID, 4002, I32)                                     \
    KEY(START_TIME, 4003, TIMEVAL)                          \
    KEY(SNAPSHOT_TIME, 4004, TIMEVAL)                       \
    KEY(TASK_BASIC_INFO, 4005, MAP)                         \
    KEY(SYSTEM_TIME, 4007, TIMEVAL)                         \
    KEY(USER_TIME, 4008, TIMEVAL)                           \
    KEY(USER_ID, 10401, U32)                                \
    KEY(COMMAND_LINE, 10402, BYTES)                         \
    KEY(ENVIRONMENT, 10403, ARRAY)                          \
    /* system */                                            \
    KEY(CPU_COUNT, 5001, I32)                               \
    KEY(CPU_VENDOR, 5002, STRING)                           \
    KEY(MACHINE_DESCRIPTION, 5007, STRING)                  \
    KEY(OS_VERSION_BUILD, 5009, STRING)                     \
    KEY(PAGE_SIZE, 5012, U64)                               \
    KEY(ADDRESS_MASK, 5020, U64)                            \
    KEY(UPTIME, 5021, U64)                                  \
    KEY(KERNEL_NAME, 10451, STRING)                         \
    KEY(KERNEL_RELEASE, 10452, STRING)                      \
    KEY(CPU_SIGNATURE, 10453, U32)                          \
    KEY(CPU_FEATURES, 10454, U32)                           \
    KEY(HARDWARE_CAPABILITIES, 10455, U64)                  \
    KEY(HARDWARE_CAPABILITIES_2, 10456, U64)                \
    /* threads */                                           \
    KEY(FLOAT_STATE, 6002, FLOATS)                          \
    KEY(THREAD_STATE, 6003, REGISTERS)                      \
    KEY(THREAD_PRIORITY, 6004, I32)                         \
    KEY(STACK_REGION_ADDRESS, 6005, U64)                    \
    KEY(STACK_REGION_DATA, 6006, BYTES)                     \
    KEY(THREAD_ID, 6008, U64)                               \
    KEY(THREAD_DATA_ADDRESS, 6009, U64)                     \
    KEY(THREAD_CONTEXT_MEMORY_REGIONS, 6011, ARRAY)         \
    KEY(MEMORY_REGION_ADDRESS, 6012, U64)                   \
    KEY(MEMORY_REGION_DATA, 6013, BYTES)                    \
    KEY(THREAD_NAME, 6014, STRING)                          \
    KEY(THREAD_COMPLETENESS, 10501, U8)                     \
    KEY(THREAD_WHY, 10502, U32)                             \
    KEY(THREAD_SCHEDULING_POLICY, 10503, I32)               \
    KEY(THREAD_NICE, 10504, I32)                            \
    KEY(THREAD_RUN_STATE, 10505, U8)                        \
    KEY(THREAD_SYSTEM_CALL, 10506, I64)                     \
    KEY(THREAD_INSTRUCTION_POINTER, 10507, U64)             \
    KEY(THREAD_STACK_POINTER, 10508, U64)                   \
    KEY(STACK_UPPER_ADDRESS, 10509, U64)                    \
    KEY(STACK_UPPER_DATA, 10510, BYTES)                     \
    KEY(ASYNC_CHAIN_CUTS, 10511, BYTES)                     \
    KEY(THREAD_FUTEX_ARGUMENTS, 10512, BYTES)               \
    KEY(THREAD_TASK_NAME, 11130, STRING)                    \
    KEY(THREAD_QUEUE_NAME, 11131, STRING)                   \
    /* files of the kernel and the system, in pieces */     \
    KEY(SYSTEM_FILES, 10600, ARRAY)                         \
    KEY(SYSTEM_FILE_NAME, 10601, STRING)                    \
    KEY(SYSTEM_FILE_DATA, 10602, BYTES)                     \
    /* sampled allocations, docs/memory-errors.md */        \
    KEY(HEAP_SAMPLING, 14000, MAP)                          \
    KEY(HEAP_RATE, 14001, U64)                              \
    KEY(HEAP_SAMPLED, 14002, U64)                           \
    KEY(HEAP_CAUGHT, 14003, U64)                            \
    KEY(HEAP_POOL_ADDRESS, 14004, U64)                      \
    KEY(HEAP_POOL_SIZE, 14005, U64)                         \
    KEY(HEAP_NOW, 14006, U64)                               \
    KEY(HEAP_ERROR, 14010, U8)                              \
    KEY(HEAP_ERROR_ADDRESS, 14011, U64)                     \
    KEY(HEAP_ERROR_BYTES, 14012, BYTES)                     \
    KEY(HEAP_BLOCKS, 14020, ARRAY)                          \
    KEY(HEAP_BLOCK_ADDRESS, 14021, U64)                     \
    KEY(HEAP_BLOCK_SIZE, 14022, U64)                        \
    KEY(HEAP_BLOCK_ALIGNMENT, 14023, U64)                   \
    KEY(HEAP_BLOCK_STATE, 14024, U8)                        \
    KEY(HEAP_SLOT_ADDRESS, 14025, U64)                      \
    KEY(HEAP_SLOT_SIZE, 14026, U64)                         \
    KEY(HEAP_BLOCK_WORD, 14027, U64)                        \
    KEY(HEAP_ALLOCATED, 14030, MAP)                         \
    KEY(HEAP_FREED, 14031, MAP)                             \
    KEY(HEAP_MOMENT_TIME, 14032, U64)                       \
    /* memory, damage, summary */                           \
    KEY(MEMORY_REGIONS, 10700, ARRAY)                       \
    KEY(UNWIND_TABLES, 10710, ARRAY)                        \
    KEY(DAMAGE, 10800, ARRAY)                               \
    KEY(DAMAGE_SECTION, 10801, U16)                         \
    KEY(DAMAGE_WHY, 10802, U32)                             \
    KEY(DAMAGE_ERRNO, 10803, I32)                           \
    KEY(DAMAGE_SUBJECT, 10804, U64)                         \
    KEY(DAMAGE_BYTES, 10805, U64)                           \
    KEY(CAPTURE_SUMMARY, 10900, MAP)                        \
    KEY(CAPTURE_DURATION, 10901, U64)                       \
    KEY(CAPTURE_THREADS_FOUND, 10902, U32)                  \
    KEY(CAPTURE_THREADS_STOPPED, 10903, U32)                \
    KEY(CAPTURE_PAUSE, 10904, U64)                          \
    KEY(CAPTURE_BLANKED_BYTES, 10905, U64)

/// WHY(NAME, number, words): why something is missing. The words complete "<what>: <words>".
#define EPITAPH_DUMP_WHYS(WHY)                                                                \
    WHY(UNREADABLE, 1, "the memory could not be read")                                        \
    WHY(SYSTEM_CALL_FAILED, 2, "a system call failed")                                        \
    WHY(SIGNAL_BLOCKED, 3, "the thread blocks the signal that stops threads")                 \
    WHY(NO_ANSWER, 4, "the thread did not answer before the deadline")                        \
    WHY(THREAD_EXITED, 5, "the thread had ended")                                             \
    WHY(TOO_MANY, 6, "there were more than there is room for")                                \
    WHY(OVER_BUDGET, 7, "its size budget was used up")                                        \
    WHY(OUT_OF_TIME, 8, "the deadline for the capture had passed")                            \
    WHY(MALFORMED, 9, "the data found there makes no sense")                                  \
    WHY(SECOND_FAULT, 10, "the handler itself faulted there")                                 \
    WHY(WRITE_FAILED, 11, "it could not be written to the dump file")                         \
    WHY(NOT_AVAILABLE, 12, "the system does not provide it here")                             \
    WHY(LEFT_RUNNING, 13, "stopping the thread would have interrupted its system call")       \
    WHY(HALF_WRITTEN, 14, "half written at that moment")                                      \
    WHY(NOT_RESIDENT, 15, "its pages are not in memory, and waiting for them may have no end")    \
    WHY(FILTERED, 16, "a seccomp filter of the program might have ended it for asking")       \
    WHY(OVER_LIMIT, 17, "it was longer than its limit")                                       \
    WHY(UNPROVEN, 30, "nothing proves which one it is")                                       \
    WHY(NO_ROOM, 31, "nothing proves that its stack has room for the signal that stops it")       \
    WHY(KERNEL_WORKER, 32, "it works in the kernel, for io_uring, and runs no program code")

/// COMPLETENESS(NAME, number): how much of a thread is in the dump.
#define EPITAPH_DUMP_COMPLETENESSES(COMPLETENESS)                                             \
    /* registers as the kernel saved them, and the stack */ COMPLETENESS(COMPLETE, 1)         \
    /* only what the kernel tells about a thread that did not stop */ COMPLETENESS(PARTIAL, 2) \
    /* only its id */ COMPLETENESS(MISSING, 3)

/// KIND(NAME, number): what a module is.
#define EPITAPH_DUMP_MODULE_KINDS(KIND) \
    KIND(EXECUTABLE, 1)                 \
    KIND(SHARED_OBJECT, 2)              \
    KIND(LOADER, 3)                     \
    KIND(VDSO, 4)

/// STATE(NAME, number): what became of a module's file.
#define EPITAPH_DUMP_FILE_STATES(STATE)               \
    /* in its directory still */ STATE(SAME, 1)       \
    /* gone, and nothing is there */ STATE(DELETED, 2) \
    /* gone, and another is there */ STATE(REPLACED, 3) \
    /* gone; what is there is not known */ STATE(LOST, 4)

/// LEVEL(NAME, number): severity of a breadcrumb.
#define EPITAPH_DUMP_LEVELS(LEVEL) \
    LEVEL(DEBUG, 1)                \
    LEVEL(INFO, 2)                 \
    LEVEL(WARNING, 3)              \
    LEVEL(ERROR, 4)                \
    LEVEL(FATAL, 5)

/// REPORT(NAME, number): kind of report. CRASH is not written: SIGNAL_EXCEPTION implies it.
#define EPITAPH_DUMP_REPORT_KINDS(REPORT)                                        \
    REPORT(CRASH, 1)                                                             \
    /* asked for by the program, which lives on */ REPORT(LIVE, 2)               \
    /* something did not react for too long */ REPORT(HANG, 3)                   \
    /* the same, and later it did react */ REPORT(RECOVERED_HANG, 4)             \
    /* memory became scarce */ REPORT(MEMORY_WARNING, 5)                         \
    /* an error that the program handled */ REPORT(HANDLED_ERROR, 6)             \
    /* a memory warning after which the kernel killed it */ REPORT(OUT_OF_MEMORY, 7)

/// SCOPE(NAME, number): which threads were requested.
#define EPITAPH_DUMP_THREAD_SCOPES(SCOPE) \
    SCOPE(ALL, 1)                         \
    /* the one that it is about */ SCOPE(SUBJECT, 2)

/// ERROR(NAME, number): how a use of a sampled block was found to be wrong.
#define EPITAPH_DUMP_HEAP_ERRORS(ERROR)                                                  \
    /* a fault in the pool; the reader judges by the blocks */ ERROR(FAULT, 1)           \
    /* free(3) of a freed block */ ERROR(DOUBLE_FREE, 2)                                 \
    /* free(3) of an address that is not a block's */ ERROR(INVALID_FREE, 3)             \
    /* found at free(3): bytes beside the block were written */ ERROR(OVERWRITTEN, 4)

/// STATE(NAME, number): of a sampled block.
#define EPITAPH_DUMP_BLOCK_STATES(STATE) \
    STATE(LIVE, 1)                       \
    STATE(FREED, 2)                      \
    /* another thread was changing it */ STATE(CHANGING, 3)

/// TYPE(NAME, number): type of an annotation's value.
#define EPITAPH_DUMP_ANNOTATION_TYPES(TYPE)                  \
    /* text, in ANNOTATION_VALUE */ TYPE(STRING, 1)          \
    /* a signed integer of 64 bits */ TYPE(INTEGER, 2)       \
    /* IEEE 754 binary64 */ TYPE(NUMBER, 3)                  \
    /* 0 for false, otherwise true */ TYPE(BOOLEAN, 4)

#define EPITAPH_COMMAND_MEMBER(name, number) EPITAPH_COMMAND_##name = number,
typedef enum epitaph_dump_command {
    EPITAPH_DUMP_COMMANDS(EPITAPH_COMMAND_MEMBER)
} epitaph_dump_command;
#undef EPITAPH_COMMAND_MEMBER

#define EPITAPH_TYPE_MEMBER(name) EPITAPH_TYPE_##name,
typedef enum epitaph_dump_type {
    EPITAPH_DUMP_TYPES(EPITAPH_TYPE_MEMBER)
} epitaph_dump_type;
#undef EPITAPH_TYPE_MEMBER

#define EPITAPH_KEY_MEMBER(name, number, type) EPITAPH_KEY_##name = number,
typedef enum epitaph_dump_key {
    EPITAPH_DUMP_KEYS(EPITAPH_KEY_MEMBER)
} epitaph_dump_key;
#undef EPITAPH_KEY_MEMBER

#define EPITAPH_WHY_MEMBER(name, number, words) EPITAPH_WHY_##name = number,
typedef enum epitaph_dump_why {
    EPITAPH_DUMP_WHYS(EPITAPH_WHY_MEMBER)
} epitaph_dump_why;
#undef EPITAPH_WHY_MEMBER

#define EPITAPH_COMPLETENESS_MEMBER(name, number) EPITAPH_THREAD_##name = number,
typedef enum epitaph_dump_completeness {
    EPITAPH_DUMP_COMPLETENESSES(EPITAPH_COMPLETENESS_MEMBER)
} epitaph_dump_completeness;
#undef EPITAPH_COMPLETENESS_MEMBER

#define EPITAPH_MODULE_KIND_MEMBER(name, number) EPITAPH_MODULE_##name = number,
typedef enum epitaph_dump_module_kind {
    EPITAPH_DUMP_MODULE_KINDS(EPITAPH_MODULE_KIND_MEMBER)
} epitaph_dump_module_kind;
#undef EPITAPH_MODULE_KIND_MEMBER

#define EPITAPH_FILE_STATE_MEMBER(name, number) EPITAPH_FILE_STATE_##name = number,
typedef enum epitaph_dump_file_state_value {
    EPITAPH_DUMP_FILE_STATES(EPITAPH_FILE_STATE_MEMBER)
} epitaph_dump_file_state_value;
#undef EPITAPH_FILE_STATE_MEMBER

#define EPITAPH_LEVEL_MEMBER(name, number) EPITAPH_BREADCRUMB_##name = number,
typedef enum epitaph_dump_level {
    EPITAPH_DUMP_LEVELS(EPITAPH_LEVEL_MEMBER)
} epitaph_dump_level;
#undef EPITAPH_LEVEL_MEMBER

#define EPITAPH_REPORT_KIND_MEMBER(name, number) EPITAPH_REPORT_KIND_##name = number,
typedef enum epitaph_dump_report_kind {
    EPITAPH_DUMP_REPORT_KINDS(EPITAPH_REPORT_KIND_MEMBER)
} epitaph_dump_report_kind;
#undef EPITAPH_REPORT_KIND_MEMBER

#define EPITAPH_THREAD_SCOPE_MEMBER(name, number) EPITAPH_THREADS_##name = number,
typedef enum epitaph_dump_thread_scope {
    EPITAPH_DUMP_THREAD_SCOPES(EPITAPH_THREAD_SCOPE_MEMBER)
} epitaph_dump_thread_scope;
#undef EPITAPH_THREAD_SCOPE_MEMBER

#define EPITAPH_ANNOTATION_TYPE_MEMBER(name, number) EPITAPH_ANNOTATION_##name = number,
typedef enum epitaph_dump_annotation_type {
    EPITAPH_DUMP_ANNOTATION_TYPES(EPITAPH_ANNOTATION_TYPE_MEMBER)
} epitaph_dump_annotation_type;
#undef EPITAPH_ANNOTATION_TYPE_MEMBER

#define EPITAPH_HEAP_ERROR_MEMBER(name, number) EPITAPH_HEAP_##name = number,
typedef enum epitaph_dump_heap_error {
    EPITAPH_DUMP_HEAP_ERRORS(EPITAPH_HEAP_ERROR_MEMBER)
} epitaph_dump_heap_error;
#undef EPITAPH_HEAP_ERROR_MEMBER

#define EPITAPH_BLOCK_STATE_MEMBER(name, number) EPITAPH_BLOCK_##name = number,
typedef enum epitaph_dump_block_state {
    EPITAPH_DUMP_BLOCK_STATES(EPITAPH_BLOCK_STATE_MEMBER)
} epitaph_dump_block_state;
#undef EPITAPH_BLOCK_STATE_MEMBER

/// ANY-TIME. An integer of at most 8 bytes.
static inline uint64_t epitaph_dump_integer(const uint8_t *bytes, uint32_t width) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

typedef struct epitaph_dump_key_row {
    const char *name;
    uint16_t number;
    epitaph_dump_type type;
    const char *type_name;
} epitaph_dump_key_row;

/// QUIET-TIME. The row at `index`, from 0 in table order; `name` is NULL past the end.
epitaph_dump_key_row epitaph_dump_key_row_at(uint32_t index);

/// QUIET-TIME. Words for a `DAMAGE_WHY` or `THREAD_WHY`; NULL if this version does not know it.
const char *epitaph_dump_why_words(uint32_t why);

#pragma GCC visibility pop

#endif
