// SPDX-License-Identifier: Apache-2.0
//
// epitaph_start and epitaph_stop, in the order in which each step may rely on the one before.

#include "base/base.h"
#include "choices/choices.h"
#include "endings/endings.h"
#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_settings.h"
#include "facts/facts.h"
#include "files/files.h"
#include "hangs/hangs.h"
#include "heap/heap.h"
#include "options/options.h"
#include "signals/signals.h"
#include "start/forks.h"
#include "threads/alternate_stack.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { CAPTURE_PAUSE_US = 1000, CAPTURE_PAUSE_LIMIT = 5000 };

static void *workspace;

static epitaph_status prepare_memory(const epitaph_options *options, epitaph_error *error) {
    if (workspace == NULL)
        workspace = epitaph_unforked_memory_make(epitaph_capture_workspace_size());
    if (workspace == NULL) {
        return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0, "no memory for the crash handler");
    }
    epitaph_capture_workspace_set(workspace);
    epitaph_status status = epitaph_annotations_prepare(options, error);
    return status == EPITAPH_OK ? epitaph_breadcrumbs_prepare(options, error) : status;
}

/// After a start that failed before any handler was installed: the program keeps its memory.
static void give_up_workspace(void) {
    if (workspace == NULL) return;
    epitaph_capture_workspace_forget();
    epitaph_unforked_memory_free(workspace, epitaph_capture_workspace_size());
    workspace = NULL;
}

static epitaph_status prepare_stacks(epitaph_error *error) {
    epitaph_adopted_stacks_look();
    if (epitaph_alternate_stack_install() != 0) {
        return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0, "no memory for a signal stack");
    }
    epitaph_thread_register();
    // Needed only by crashes on tiny alternate stacks.
    void *memory = epitaph_emergency_stack_get();
    if (memory != NULL) epitaph_emergency_stack_set(memory, EPITAPH_EMERGENCY_STACK_BYTES);
    return EPITAPH_OK;
}

static int copy_settings(const epitaph_options *options) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    strcpy(settings->bundle_id, options->bundle_id);
#define COPY(field, ...) settings->limits.field = options->field;
    EPITAPH_LIMITS(COPY)
#undef COPY
    settings->limits.pending_dumps = options->max_pending_dumps;
    epitaph_limits_publish(&settings->limits);
    // Workers of libdispatch and Swift block real-time signals, SIGUSR1 and SIGURG, not this.
    settings->stop_signal = SIGPROF;
    settings->crash_handler = epitaph_handle_signal;
    settings->traces_threads = options->thread_capture == EPITAPH_THREAD_CAPTURE_SIGNAL_THEN_PTRACE;
    epitaph_last_lines_prepare(options->writes_last_lines != 0);
    // A thread of an earlier start may be ending, and asks.
    __atomic_store_n(&settings->filters_allow_capture, options->filters_allow_capture != 0,
                     __ATOMIC_RELAXED);
    epitaph_facts_collect(&settings->facts, options);
    epitaph_modules_prepare();
    return epitaph_private_texts_remember(options);
}

/// Waits for a capture in progress, which needs these files; a longer one reopens them.
static void close_files(void) {
    epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    __atomic_store_n(&settings->is_started, 0, __ATOMIC_RELEASE);
    for (int pause = 0; pause < CAPTURE_PAUSE_LIMIT && epitaph_capture_is_going_on(); pause++)
        usleep(CAPTURE_PAUSE_US);
    if (settings->dump_file.state != EPITAPH_FILE_TAKEN)
        epitaph_dump_file_close(&settings->dump_file);
    epitaph_spare_files_leave();
    epitaph_release_descriptors();
    epitaph_owned_file_close(&settings->status_file);
    epitaph_owned_file_close(&settings->directory);
}

static epitaph_status arm(const epitaph_options *options, epitaph_error *error) {
    if (!epitaph_may_write_files()) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, EFBIG,
                                 "the file size limit of the process allows no dump file");
    }
    epitaph_status room = epitaph_pending_make_room(options, error);
    if (room != EPITAPH_OK) return room;
    epitaph_status status = prepare_memory(options, error);
    if (status != EPITAPH_OK) return status;
    epitaph_breadcrumb_file_prepare(options);
    epitaph_signal_marks_choose(options->marked_signals);
    epitaph_capture_settings_now.has_memory_warning = false;
    long result = epitaph_dump_file_arm();
    if (result < 0) {
        return epitaph_error_set(error, EPITAPH_FILE_ERROR, (int)-result,
                                 "cannot make a dump file in %s",
                                 epitaph_capture_settings_now.directory_path);
    }
    return prepare_stacks(error);
}

static epitaph_status install_handlers(const epitaph_options *options, epitaph_error *error) {
    epitaph_reserve_descriptors();
    epitaph_filters_remember();
    // A thread of an earlier start may be reading it.
    __atomic_store_n(&epitaph_process_page_get()->owner_mark, 1, __ATOMIC_RELEASE);
    // Before a child of vfork(2) could take the actions for its own.
    __atomic_store_n(&epitaph_process_page_get()->actions_pid, (uint32_t)getpid(),
                     __ATOMIC_RELEASE);
    epitaph_exit_watch(!options->ignores_exit);
    epitaph_status status = epitaph_signals_install(options, error);
    if (status == EPITAPH_OK) epitaph_signal_marks_install();
    return status;
}

static epitaph_status start(const epitaph_options *options, epitaph_error *error) {
    if (epitaph_is_started()) {
        return epitaph_error_set(error, EPITAPH_ALREADY_STARTED, 0,
                                 "Epitaph has been started in this process already");
    }
    epitaph_options checked;
    epitaph_status status = epitaph_options_check(options, &checked, error);
    if (status == EPITAPH_OK) status = epitaph_secure_execution_check(&checked, error);
    if (status == EPITAPH_OK) status = epitaph_debugger_check(&checked, error);
    if (status == EPITAPH_OK) status = epitaph_limits_check(error);
    if (status != EPITAPH_OK) return status;
    if (copy_settings(&checked) != 0) {
        // No report is better than one with private texts.
        return epitaph_error_set(error, EPITAPH_SYSTEM_ERROR, 0,
                                 "no memory to remember what is kept out of dumps");
    }
    epitaph_capture_settings_now.is_handed_out = false;
    epitaph_owned_file_choose_numbers();
    status = epitaph_database_open(&checked, error);
    if (status != EPITAPH_OK) return status;
    bool has_used_workspace = workspace != NULL;
    status = arm(&checked, error);
    if (status == EPITAPH_OK) {
        has_used_workspace = true;
        status = install_handlers(&checked, error);
    }
    if (status != EPITAPH_OK) {
        epitaph_dump_file_discard(&epitaph_capture_settings_now.dump_file);
        epitaph_breadcrumb_file_discard();
        close_files();
        if (!has_used_workspace) give_up_workspace();
    } else {
        __atomic_store_n(&epitaph_capture_settings_now.is_started, 1, __ATOMIC_RELEASE);
        epitaph_terminate_handler_install();
        epitaph_test_crash_allow(checked.allows_test_crashes != 0);
        epitaph_threads_watch(true);
        epitaph_forks_watch();
        if (checked.existing_threads == EPITAPH_EXISTING_THREADS_GET_STACKS) {
            epitaph_existing_threads_prepare();
        }
        epitaph_heap_sampling_begin(&checked);
    }
    return status;
}

epitaph_status epitaph_start(const epitaph_options *options, epitaph_error *error) {
    epitaph_process_lock_take(EPITAPH_LOCK_STATE);
    epitaph_status status = start(options, error);
    epitaph_process_lock_give(EPITAPH_LOCK_STATE);
    if (status == EPITAPH_OK && error != NULL) memset(error, 0, sizeof *error);
    return status;
}

/// In a forked child: the parent's file, or its own, whose end is not reported.
static void end_file(uint64_t displaced) {
    epitaph_dump_file *file = &epitaph_capture_settings_now.dump_file;
    if (!epitaph_process_is_owner()) return;
    epitaph_held_settle_quietly(true);
    if (!epitaph_capture_settings_now.is_handed_out) {
        epitaph_end_mark(displaced);
    } else if (epitaph_dump_file_take(file)) {
        epitaph_dump_file_discard(file);
        epitaph_dump_file_close(file);
    }
}

void epitaph_stop(void) {
    epitaph_process_lock_take(EPITAPH_LOCK_STATE);
    if (epitaph_is_started()) {
        epitaph_heap_sampling_end();
        epitaph_hangs_stop();
        epitaph_provisional_dump_drop();
        epitaph_threads_watch(false);
        epitaph_terminate_handler_uninstall();
        // While our handler is there for a store into a file that was truncated.
        end_file(epitaph_signals_displaced());
        // After a deliberate end nobody needs the breadcrumbs.
        epitaph_breadcrumb_file_discard();
        epitaph_signals_uninstall();
        epitaph_signal_marks_uninstall();
        close_files();
    }
    epitaph_process_lock_give(EPITAPH_LOCK_STATE);
}

const char *epitaph_armed_file_name(void) {
    const epitaph_capture_settings *settings = &epitaph_capture_settings_now;
    uint32_t state = __atomic_load_n(&settings->dump_file.state, __ATOMIC_ACQUIRE);
    if (!epitaph_process_is_owner() || state == EPITAPH_FILE_CLOSED) return "";
    uint32_t count = __atomic_load_n(&settings->armed_count, __ATOMIC_ACQUIRE);
    return settings->armed_names[count % EPITAPH_ARMED_NAME_COUNT];
}
