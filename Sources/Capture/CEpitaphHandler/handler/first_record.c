// SPDX-License-Identifier: Apache-2.0
//
// Assembles the first record by guarded stores; the one of its first byte makes it valid.

#include "handler/handler.h"

#include "file/armed_file.h"
#include "modules/modules.h"
#include "sections/sections.h"
#include "signals/actions.h"

enum {
    STACK_BYTES = 8192,
    TIME_BYTES = 16,
    SOURCE_LIMIT = 32,
    PAGE_BYTES = 4096,
    /// Pages to try above the stack pointer for the end of an overflowed stack.
    STACK_TRIES = 4,
    /// How far below the end an address still belongs to the main stack: RLIMIT_STACK is seldom
    /// higher, and other threads get as much as it says.
    MAIN_STACK_REACH = 1 << 30,
    THREAD_STACK_REACH = 16 << 20,
    /// Enough to recognise a division or a trap, and to find where instructions begin.
    CODE_BYTES_BEFORE = 16,
    CODE_BYTES = 64,
};

/// Used by one thread at a time, the one that took the armed file.
static struct {
    epitaph_dump_file *file;
    int signal;
    const siginfo_t *info;
    const ucontext_t *context;
    epitaph_stored_values values;
    /// Payloads filled in later; NULL before.
    uint8_t *pid;
    uint8_t *tid;
    uint8_t *time;
    /// Stored registers and stack; `count` is 0 if they were not.
    epitaph_copy registers;
    epitaph_copy stack;
} record;

/// Only texts known at the start: nothing may be read for more.
static epitaph_blanking blanking(void) {
    epitaph_blanking blanking;
    blanking.known = &epitaph_capture_settings_now.private_texts;
    blanking.late = NULL;
    blanking.mappings = NULL;
    blanking.blanked_bytes = 0;
    return blanking;
}

static void store_reason(void *unused) {
    (void)unused;
    epitaph_stored_values *values = &record.values;
    static const uint8_t no_time[TIME_BYTES];
    // After the first byte, which makes the record valid.
    epitaph_bytes_put_little_endian(values->next, EPITAPH_KEY_FIRST_RECORD, 2);
    values->next += 2;
    epitaph_signal_values facts = epitaph_signal_values_of(record.signal, record.info);
    epitaph_store_number(values, EPITAPH_KEY_SIGNAL_NUMBER, (uint32_t)record.signal, 4);
    epitaph_store_number(values, EPITAPH_KEY_SIGNAL_CODE, (uint32_t)record.info->si_code, 4);
    if (facts.has_address) {
        epitaph_store_number(values, EPITAPH_KEY_SIGNAL_ADDRESS, facts.address, 8);
    }
    if (facts.has_sender) {
        epitaph_store_number(values, EPITAPH_KEY_SIGNAL_SENDER_PID, (uint32_t)facts.sender_pid, 4);
        epitaph_store_number(values, EPITAPH_KEY_SIGNAL_SENDER_UID, facts.sender_uid, 4);
    }
    if (record.info->si_errno != 0) {
        epitaph_store_number(values, EPITAPH_KEY_SIGNAL_ERRNO, (uint32_t)record.info->si_errno, 4);
    }
    epitaph_store_bytes(values, EPITAPH_KEY_SIGNAL_INFO, record.info, EPITAPH_KERNEL_SIGINFO_SIZE);
    record.pid = epitaph_store_number(values, EPITAPH_KEY_PID, 0, 4);
    record.tid = epitaph_store_number(values, EPITAPH_KEY_THREAD_ID, 0, 8);
    record.time = epitaph_store_bytes(values, EPITAPH_KEY_SNAPSHOT_TIME, no_time, sizeof no_time);
    size_t count;
    const void *registers = epitaph_registers_saved(record.context, &count);
    uint8_t *place = epitaph_store_bytes(values, EPITAPH_KEY_THREAD_STATE, registers, count);
    if (place == NULL) return;
    epitaph_range part = epitaph_registers_general_part();
    record.registers.bytes = place + part.start;
    record.registers.count = part.end - part.start;
    epitaph_blanking present = blanking();
    epitaph_blank(&present, record.registers);
}

/// Loadable bytes of the stack at `start`: up to the thread's control block, or to the end of the
/// main stack. 0 if it is not the thread's own stack, because loading elsewhere may wait forever:
/// docs/async-safety.md, "Memory that never comes".
static size_t stack_count(uint64_t start) {
    const epitaph_process_facts *facts = &epitaph_capture_settings_now.facts;
    uint64_t thread_end = epitaph_registers_thread_pointer();
    bool is_main = thread_end == facts->main_thread_pointer;
    uint64_t end = is_main ? facts->main_stack_end : thread_end;
    uint64_t limit = epitaph_limits_latest()->crashing_stack_bytes;
    if (limit > STACK_BYTES) limit = STACK_BYTES;
    if (end <= start || end - start > (is_main ? MAIN_STACK_REACH : THREAD_STACK_REACH)) return 0;
    return (size_t)(end - start < limit ? end - start : limit);
}

/// Goes back to `beginning` and erases what was stored, which must not be taken for a command.
static void roll_back(uint8_t *beginning) {
    epitaph_bytes_zero(beginning, (size_t)(record.values.next - beginning));
    record.values.next = beginning;
}

static void blank_copy(void *copy) {
    epitaph_blanking present = blanking();
    epitaph_blank(&present, *(const epitaph_copy *)copy);
}

/// Stores a property of `count` bytes of possibly unreadable memory at `start`, and returns them in
/// `copy`. Returns false, with nothing stored, if no byte can be read.
static bool store_memory(epitaph_dump_key address_key, epitaph_dump_key data_key, uint64_t start,
                         size_t count, epitaph_copy *copy) {
    epitaph_stored_values *values = &record.values;
    uint8_t *beginning = values->next;
    epitaph_store_number(values, address_key, start, 8);
    copy->bytes = epitaph_store_place(values, count);
    copy->address = start;
    copy->count = 0;
    if (copy->bytes != NULL)
        copy->count = epitaph_guarded_copy(copy->bytes, (const void *)start, count);
    if (copy->count > 0 && epitaph_guard_run(blank_copy, copy)) {
        epitaph_store_header(values, data_key, copy->count);
        return true;
    }
    copy->count = 0;
    values->next = beginning;
    return false;
}

static bool store_stack_from(uint64_t start) {
    size_t count = stack_count(start);
    return count > 0 && store_memory(EPITAPH_KEY_STACK_REGION_ADDRESS,
                                     EPITAPH_KEY_STACK_REGION_DATA, start, count, &record.stack);
}

static uint64_t next_page(uint64_t address) {
    return (address / PAGE_BYTES + 1) * PAGE_BYTES;
}

// An overflowed stack's pointer is near its end, which the first readable page shows.
static void store_stack(void) {
    uint64_t start = epitaph_registers_stack_pointer(record.context) - epitaph_red_zone_bytes;
    bool is_stored = store_stack_from(start);
    for (int i = 0; i < STACK_TRIES && !is_stored; i++) {
        start = next_page(start);
        is_stored = store_stack_from(start);
    }
    // A large frame begins far below the stack; the fault is next to it.
    bool is_fault = epitaph_signal_values_of(record.signal, record.info).has_address;
    if (!is_stored && is_fault) store_stack_from(next_page((uint64_t)record.info->si_addr));
}

static void store_code(void) {
    epitaph_stored_values *values = &record.values;
    uint64_t pointer = epitaph_registers_instruction_pointer(record.context);
    uint64_t start = pointer - CODE_BYTES_BEFORE;
    uint8_t *beginning = values->next;
    // The processor has just read this page, unless that read failed.
    epitaph_signal_values facts = epitaph_signal_values_of(record.signal, record.info);
    if (facts.has_address && facts.address / PAGE_BYTES == pointer / PAGE_BYTES &&
        record.signal == SIGSEGV) {
        return;
    }
    epitaph_store_keyed_command(values, EPITAPH_COMMAND_ARRAY_START,
                                EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS);
    epitaph_store_command(values, EPITAPH_COMMAND_MAP_START);
    epitaph_copy code = epitaph_copy_of(NULL, 0, start);
    if (!store_memory(EPITAPH_KEY_MEMORY_REGION_ADDRESS, EPITAPH_KEY_MEMORY_REGION_DATA, start,
                      CODE_BYTES, &code)) {
        roll_back(beginning);
        return;
    }
    epitaph_store_command(values, EPITAPH_COMMAND_MAP_END);
    epitaph_store_command(values, EPITAPH_COMMAND_ARRAY_END);
}

static void store_message(void *source_argument) {
    const epitaph_message_source *source = source_argument;
    epitaph_stored_values *values = &record.values;
    uint8_t *beginning = values->next;
    epitaph_store_command(values, EPITAPH_COMMAND_MAP_START);
    epitaph_store_bytes(values, EPITAPH_KEY_MESSAGE_SOURCE, source->name,
                        epitaph_text_length(source->name, SOURCE_LIMIT));
    uint8_t *place = epitaph_store_place(values, EPITAPH_MESSAGE_LIMIT);
    size_t count = place == NULL ? 0 : epitaph_message_load(source, (char *)place);
    if (count == 0) {
        roll_back(beginning);
        return;
    }
    epitaph_store_header(values, EPITAPH_KEY_MESSAGE_TEXT, count);
    epitaph_store_command(values, EPITAPH_COMMAND_MAP_END);
}

static void store_messages(void) {
    epitaph_stored_values *values = &record.values;
    epitaph_store_keyed_command(values, EPITAPH_COMMAND_ARRAY_START, EPITAPH_KEY_MESSAGES);
    for (uint32_t i = 0; i < EPITAPH_MESSAGE_SOURCE_COUNT; i++) {
        epitaph_message_source source = epitaph_message_source_at(i);
        uint8_t *beginning = values->next;
        if (!epitaph_guard_run(store_message, &source)) roll_back(beginning);
    }
    epitaph_store_command(values, EPITAPH_COMMAND_ARRAY_END);
}

static void store_executable(void *unused) {
    (void)unused;
    epitaph_executable_store(&record.values);
}

/// After the rest, for which there must be room.
static void store_modules(void) {
    epitaph_stored_values *values = &record.values;
    uint64_t pointer = epitaph_registers_instruction_pointer(record.context);
    epitaph_store_keyed_command(values, EPITAPH_COMMAND_ARRAY_START, EPITAPH_KEY_MODULES);
    epitaph_known_modules_store(values, pointer, record.stack);
    epitaph_store_command(values, EPITAPH_COMMAND_ARRAY_END);
}

static void commit(void *unused) {
    (void)unused;
    epitaph_store_command(&record.values, EPITAPH_COMMAND_MAP_END);
    // An abandoned text may follow.
    if (record.values.next < record.values.end) *record.values.next = 0;
    uint8_t *start = record.file->head + record.file->launch_record_bytes;
    __atomic_store_n(start, EPITAPH_COMMAND_MAP_START, __ATOMIC_RELEASE);
}

void epitaph_first_record_store(epitaph_dump_file *file, int signal, const siginfo_t *info,
                                const ucontext_t *context) {
    record.file = file;
    record.pid = NULL;
    record.registers.count = 0;
    record.stack.count = 0;
    if (file->head == NULL) return;
    uint8_t *start = file->head + file->launch_record_bytes;
    uint8_t *end = epitaph_head_reach(file);
    if (end <= start) return;
    // A clean-exit mark, or an earlier crash that was only stored.
    if (*start != 0) epitaph_head_clear(file);
    record.signal = signal;
    record.info = info;
    record.context = context;
    record.values.next = start + 1;
    record.values.end = end;
    bool has_reason = epitaph_guard_run(store_reason, NULL);
    if (!has_reason || record.pid == NULL || record.tid == NULL || record.time == NULL) {
        record.pid = NULL;
        record.values.next = start;
        return;
    }
    uint8_t *behind_reason = record.values.next;
    if (!epitaph_guard_run(store_executable, NULL)) roll_back(behind_reason);
    store_stack();
    store_code();
    store_messages();
    store_modules();
    epitaph_guard_run(commit, NULL);
}

void epitaph_first_record_complete(int32_t pid, int32_t tid, uint64_t time_ns) {
    if (record.pid == NULL) return;
    epitaph_bytes_put_little_endian(record.pid, (uint32_t)pid, 4);
    epitaph_bytes_put_little_endian(record.tid, (uint32_t)tid, 8);
    epitaph_bytes_put_time(record.time, time_ns);
}

uint64_t epitaph_first_record_end(const epitaph_dump_file *file) {
    if (record.file != file || record.pid == NULL) return file->launch_record_bytes;
    return (uint64_t)(record.values.next - file->head);
}

void epitaph_first_record_blank(const epitaph_dump_file *file, epitaph_blanking *blanking) {
    const epitaph_copy *copies[] = {&record.registers, &record.stack};
    uint64_t blanked_bytes = blanking->blanked_bytes;
    if (file->head == NULL || record.pid == NULL) return;
    for (uint32_t i = 0; i < sizeof copies / sizeof *copies; i++) {
        // A child has its parent's record but not this memory.
        uint64_t offset = (uint64_t)(copies[i]->bytes - file->head);
        if (copies[i]->count > 0 && offset < file->head_bytes) epitaph_blank(blanking, *copies[i]);
    }
    // The capture blanks and counts the same bytes again where it writes them.
    blanking->blanked_bytes = blanked_bytes;
}
