// SPDX-License-Identifier: Apache-2.0
//
// Standard error is not ours. Other processes share its flags, so it cannot be made non-blocking;
// its reader may have stopped; and once closed, its number may belong to a client's connection or a
// database. So we write only to the file that was standard error at the start, or to one open for
// appending, as logs are, and never wait: with RWF_NOWAIT if the kernel supports it for that file,
// otherwise after poll(2) reports room, with a timer in case another writer uses that room first.

#include "handler/handler.h"

#include "epitaph_file.h"
#include "epitaph_handler.h"
#include "epitaph_placement.h"
#include "sections/sections.h"
#include "signals/actions.h"
#include "threads/threads.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>

enum {
    STANDARD_ERROR = 2,
    /// PIPE_BUF: a pipe accepts this much at once or nothing, pipe(7).
    PIPE_BYTES = 4096,
    LINES_SIZE = PIPE_BYTES + 1,
    WORDS_SIZE = 2048,
};

/// For a write that poll(2) said would not wait.
static const uint64_t write_timeout_ns = 100ull * 1000000;

static EPITAPH_SPARSE char lines[LINES_SIZE];
static EPITAPH_SPARSE char words[EPITAPH_MESSAGE_LIMIT + 1];

static void append(size_t *length, const char *text) {
    epitaph_text_append(lines, sizeof lines, length, text);
}

static void append_signed(size_t *length, int64_t number) {
    if (number < 0) append(length, "-");
    epitaph_text_append_number(lines, sizeof lines, length,
                               number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/// "SIGSEGV (11)", or the number alone.
static void append_named(size_t *length, const char *name, int64_t number) {
    if (name != NULL) {
        append(length, name);
        append(length, " (");
    }
    append_signed(length, number);
    if (name != NULL) append(length, ")");
}

static void append_signal(const epitaph_capture *capture, size_t *length) {
    int code = capture->info->si_code;
    epitaph_signal_values facts = epitaph_signal_values_of(capture->signal, capture->info);
    append(length, "epitaph: ");
    append(length, epitaph_capture_settings_now.bundle_id);
    append(length, ", process ");
    append_signed(length, capture->pid);
    append(length, ": signal ");
    append_named(length, epitaph_signal_name(capture->signal), capture->signal);
    append(length, ", code ");
    append_named(length, epitaph_signal_code_name(capture->signal, code), code);
    if (facts.has_sender) {
        append(length, ", sent by process ");
        append_signed(length, facts.sender_pid);
    } else if (facts.has_address) {
        append(length, ", address 0x");
        epitaph_text_append_hex(lines, sizeof lines, length, facts.address);
    }
    append(length, "\n");
}

/// One line, without control characters.
static void append_words(size_t *length) {
    bool is_first = true;
    size_t limit = *length + WORDS_SIZE;
    for (uint32_t i = 0; i < EPITAPH_MESSAGE_SOURCE_COUNT; i++) {
        epitaph_message_source source = epitaph_message_source_at(i);
        size_t count = epitaph_message_read(&source, words);
        if (count == 0) continue;
        words[count] = 0;
        for (size_t j = 0; j < count; j++) {
            unsigned char letter = (unsigned char)words[j];
            if (letter < ' ' || letter == 0x7f) words[j] = ' ';
        }
        append(length, is_first ? "epitaph: " : "; ");
        append(length, source.name);
        append(length, ": ");
        if (*length < limit) epitaph_text_append(lines, limit, length, words);
        is_first = false;
    }
    if (!is_first) append(length, "\n");
}

static void append_dump(const epitaph_capture *capture, size_t *length, bool has_dump,
                        bool is_sealed) {
    const char *directory = epitaph_capture_settings_now.directory_path;
    char name[EPITAPH_DUMP_NAME_SIZE];
    if (!has_dump) {
        append(length, "epitaph: no dump was written\n");
        return;
    }
    if (!is_sealed || !epitaph_dump_name_seal(name, capture->file.locked_name))
        epitaph_bytes_copy(name, capture->file.locked_name, sizeof name);
    size_t name_bytes = epitaph_text_length(name, sizeof name);
    append(length, "epitaph: dump ");
    size_t directory_bytes = epitaph_text_length(directory, EPITAPH_PATH_SIZE);
    if (*length + directory_bytes + name_bytes + 2 < sizeof lines) {
        append(length, directory);
        append(length, "/");
    }
    append(length, name);
    append(length, "\n");
}

/// Whether descriptor 2 is where the program writes its errors.
static bool is_standard_error(const struct stat *status) {
    const epitaph_standard_error *before = &epitaph_capture_settings_now.standard_error;
    if (before->is_known && before->device == status->st_dev && before->inode == status->st_ino)
        return true;
    long flags = epitaph_sys_file_flags(STANDARD_ERROR);
    return S_ISREG(status->st_mode) && flags > 0 && (flags & O_APPEND) != 0;
}

/// Major number 0: no device; fs/super.c, get_anon_bdev. Its two pieces: linux/kdev_t.h.
static bool has_disk(uint64_t device) {
    return ((device >> 8 & 0xfff) | (device >> 32 & ~0xfffull)) != 0;
}

static long write_polled(const epitaph_capture *capture, size_t count) {
    // Nothing would end a wait.
    if (capture->watchdog < 0) return -EAGAIN;
    long events = epitaph_sys_poll_for_writing(STANDARD_ERROR);
    if (events < 0) return events;
    if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0 || (events & POLLOUT) == 0) return -EAGAIN;
    return epitaph_sys_write(STANDARD_ERROR, lines, count);
}

static void write_lines(epitaph_capture *capture) {
    struct stat status;
    size_t count = epitaph_text_length(lines, sizeof lines);
    if (epitaph_sys_fstat(STANDARD_ERROR, &status) < 0 || !is_standard_error(&status)) return;
    // A local disk responds, and the dump is on one too. A file server may not.
    bool is_on_disk = S_ISREG(status.st_mode) && has_disk(status.st_dev);
    long result = is_on_disk ? epitaph_sys_write(STANDARD_ERROR, lines, count)
                             : epitaph_sys_write_without_waiting(STANDARD_ERROR, lines, count);
    bool is_not_known = result == -EOPNOTSUPP || result == -ENOSYS || result == -EINVAL;
    if (is_not_known && !S_ISREG(status.st_mode)) result = write_polled(capture, count);
    if (result == -EFBIG) capture->writer.has_met_size_limit = true;
    // SIGPIPE would be delivered before the crash signal.
    if (result == -EPIPE) epitaph_sys_clear_pending_signal(epitaph_signal_bit(SIGPIPE));
}

void epitaph_last_lines_write(epitaph_capture *capture, bool has_dump, bool is_sealed) {
    static const epitaph_section section = {EPITAPH_KEY_MESSAGES, write_lines,
                                            EPITAPH_SECTION_HELD_BACK | EPITAPH_SECTION_LAST};
    if (!epitaph_capture_settings_now.standard_error.is_wanted) return;
    size_t length = 0;
    append_signal(capture, &length);
    append_words(&length);
    append_dump(capture, &length, has_dump, is_sealed);
    // Without a capture the timer's signal has no handler and would kill the process.
    bool has_handler = has_dump && capture->threads->round != 0;
    if (has_handler) epitaph_watchdog_start(capture, write_timeout_ns);
    epitaph_sections_write(capture, &section, 1);
    epitaph_watchdog_stop(capture);
}

void epitaph_last_lines_prepare(bool is_wanted) {
    epitaph_standard_error *present = &epitaph_capture_settings_now.standard_error;
    struct stat status;
    present->is_wanted = is_wanted;
    present->is_known = epitaph_sys_fstat(STANDARD_ERROR, &status) == 0;
    if (!present->is_known) return;
    present->device = status.st_dev;
    present->inode = status.st_ino;
}
