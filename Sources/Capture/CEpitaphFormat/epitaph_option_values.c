// SPDX-License-Identifier: Apache-2.0
//
// Reads and writes option values as texts.

#include "epitaph_option_rows.h"
#include "epitaph_signal_names.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char separators[] = " ,\t";

#define SIGNAL_BY_NAME(name) {#name, SIG##name},
static const struct {
    char name[8];
    int number;
} signals_by_name[] = {EPITAPH_SIGNAL_NAMES(SIGNAL_BY_NAME)};
#undef SIGNAL_BY_NAME

static const struct {
    char name[4];
    unsigned shift;
} units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

enum { UNIT_COUNT = sizeof units / sizeof *units, SIZE_TEXT_BYTES = 32 };

static bool is_one_of(const char *text, const char *const words[4]) {
    for (int i = 0; i < 4; i++) {
        if (strcasecmp(text, words[i]) == 0) return true;
    }
    return false;
}

static bool read_flag(const char *text, uint64_t *flag) {
    static const char *const yes[] = {"yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};
    *flag = is_one_of(text, yes);
    return *flag != 0 || is_one_of(text, no);
}

/// Digits only: strtoull(3) also takes blanks, signs and other bases.
static const char *read_digits(const char *text, unsigned base, uint64_t *number) {
    const char *next = text;
    *number = 0;
    for (; *next >= '0' && *next < (char)('0' + base); next++) {
        if (__builtin_mul_overflow(*number, base, number)) return NULL;
        if (__builtin_add_overflow(*number, (uint64_t)(*next - '0'), number)) return NULL;
    }
    return next == text ? NULL : next;
}

static bool read_number(const char *text, unsigned base, uint64_t *number) {
    const char *end = read_digits(text, base, number);
    return end != NULL && *end == 0;
}

static bool read_size(const char *text, uint64_t *bytes) {
    const char *unit = read_digits(text, 10, bytes);
    if (unit == NULL) return false;
    unit += strspn(unit, " ");
    unsigned shift = 0;
    bool is_known = *unit == 0 || strcasecmp(unit, "bytes") == 0;
    for (int i = 0; i < UNIT_COUNT && !is_known; i++) {
        is_known = strcasecmp(unit, units[i].name) == 0;
        shift = is_known ? units[i].shift : 0;
    }
    if (!is_known || *bytes > UINT64_MAX >> shift) return false;
    *bytes <<= shift;
    return true;
}

static bool read_rate(const char *text, uint64_t *rate) {
    const char *slash = read_digits(text, 10, rate);
    if (slash == NULL) return !read_flag(text, rate) ? false : *rate == 0;
    if (*rate == 0) return *slash == 0;
    return *rate == 1 && *slash == '/' && read_number(slash + 1, 10, rate) && *rate != 0;
}

static bool is_between(uint64_t value, const epitaph_option_row *row) {
    return value >= row->least && value <= row->most;
}

/// May change `value` even if it returns false.
static bool read_value(const epitaph_option_row *row, const char *text, uint64_t *value) {
    switch (row->kind) {
    case EPITAPH_OPTION_FLAG: return read_flag(text, value);
    case EPITAPH_OPTION_COUNT:
    case EPITAPH_OPTION_MILLISECONDS:
        return read_number(text, 10, value) && is_between(*value, row);
    case EPITAPH_OPTION_OPTIONAL_SIZE:
        *value = 0;
        if (strcmp(text, "none") == 0) return true;
        return read_size(text, value) && is_between(*value, row);
    case EPITAPH_OPTION_SIZE: return read_size(text, value) && is_between(*value, row);
    case EPITAPH_OPTION_RATE:
        return read_rate(text, value) && (*value == 0 || is_between(*value, row));
    case EPITAPH_OPTION_FILE_MODE:
        return text[0] == '0' && strlen(text) == 4 && read_number(text, 8, value) &&
               (*value == row->least || *value == row->most);
    default: return false;
    }
}

bool epitaph_option_read(const epitaph_option_row *row, const char *text, uint64_t *value) {
    uint64_t read;
    if (!read_value(row, text, &read)) return false;
    *value = read;
    return true;
}

static void write_size(uint64_t bytes, char *text, size_t size) {
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (bytes >> units[i].shift == 0 || bytes % (UINT64_C(1) << units[i].shift) != 0) continue;
        snprintf(text, size, "%" PRIu64 " %s", bytes >> units[i].shift, units[i].name);
        return;
    }
    snprintf(text, size, "%" PRIu64 " bytes", bytes);
}

void epitaph_option_write(const epitaph_option_row *row, uint64_t value,
                          char text[EPITAPH_OPTION_WORDS_SIZE]) {
    const size_t size = EPITAPH_OPTION_WORDS_SIZE;
    switch (row->kind) {
    case EPITAPH_OPTION_FLAG: snprintf(text, size, "%s", value != 0 ? "yes" : "no"); break;
    case EPITAPH_OPTION_OPTIONAL_SIZE:
    case EPITAPH_OPTION_SIZE:
        if (value == 0 && row->kind == EPITAPH_OPTION_OPTIONAL_SIZE) {
            snprintf(text, size, "none");
        } else {
            write_size(value, text, size);
        }
        break;
    case EPITAPH_OPTION_RATE:
        if (value == 0) {
            snprintf(text, size, "no");
        } else {
            snprintf(text, size, "1/%" PRIu64, value);
        }
        break;
    case EPITAPH_OPTION_FILE_MODE: snprintf(text, size, "%#04" PRIo64, value); break;
    default: snprintf(text, size, "%" PRIu64, value);
    }
}

void epitaph_option_variable(const epitaph_option_row *row, char text[EPITAPH_OPTION_WORDS_SIZE]) {
    int length = snprintf(text, EPITAPH_OPTION_WORDS_SIZE, "EPITAPH_%s", row->key);
    for (int i = 0; i < length; i++) {
        if (text[i] >= 'a' && text[i] <= 'z') text[i] = (char)(text[i] - 'a' + 'A');
    }
}

/// For kinds whose values have no bounds.
static const char *plain_words(epitaph_option_kind kind) {
    switch (kind) {
    case EPITAPH_OPTION_FLAG: return "yes or no";
    case EPITAPH_OPTION_SIGNALS:
        return "default, or names such as SIGSEGV with blanks between them";
    case EPITAPH_OPTION_OPTIONAL_SIGNALS:
        return "none, or names such as SIGTERM with blanks between them";
    case EPITAPH_OPTION_NAMES: return "names with blanks between them";
    case EPITAPH_OPTION_DIRECTORY: return "the path of a directory";
    case EPITAPH_OPTION_OPTIONAL_DIRECTORY: return "the absolute path of a directory, or none";
    case EPITAPH_OPTION_BUNDLE_ID:
        return "1 to 200 of the characters A-Z a-z 0-9 . _ -, not starting with a dot";
    case EPITAPH_OPTION_PROGRAM: return "the path or the name of a program";
    default: return "";
    }
}
_Static_assert(EPITAPH_BUNDLE_ID_LIMIT == 200, "the words above say so");

void epitaph_option_words(const epitaph_option_row *row, char text[EPITAPH_OPTION_WORDS_SIZE]) {
    const size_t size = EPITAPH_OPTION_WORDS_SIZE;
    char least[SIZE_TEXT_BYTES], most[SIZE_TEXT_BYTES];
    switch (row->kind) {
    case EPITAPH_OPTION_COUNT:
    case EPITAPH_OPTION_MILLISECONDS:
        snprintf(text, size, "a whole number from %" PRIu64 " to %" PRIu64, row->least, row->most);
        break;
    case EPITAPH_OPTION_SIZE:
    case EPITAPH_OPTION_OPTIONAL_SIZE:
        write_size(row->least, least, sizeof least);
        write_size(row->most, most, sizeof most);
        snprintf(text, size, "%sa size from %s to %s",
                 row->kind == EPITAPH_OPTION_SIZE ? "" : "none, or ", least, most);
        break;
    case EPITAPH_OPTION_RATE:
        snprintf(text, size, "no, or 1/N with N from %" PRIu64 " to %" PRIu64, row->least,
                 row->most);
        break;
    case EPITAPH_OPTION_FILE_MODE:
        snprintf(text, size, "%#04" PRIo64 " or %#04" PRIo64, row->least, row->most);
        break;
    default: snprintf(text, size, "%s", plain_words(row->kind));
    }
}

const char *epitaph_option_next_word(const char **text, size_t *length) {
    const char *word = *text + strspn(*text, separators);
    *length = strcspn(word, separators);
    *text = word + *length;
    return *length == 0 ? NULL : word;
}

static int signal_named(const char *word, size_t length) {
    if (length > 3 && strncasecmp(word, "SIG", 3) == 0) {
        word += 3;
        length -= 3;
    }
    for (size_t i = 0; i < sizeof signals_by_name / sizeof *signals_by_name; i++) {
        const char *name = signals_by_name[i].name;
        if (strlen(name) == length && strncasecmp(word, name, length) == 0)
            return signals_by_name[i].number;
    }
    return 0;
}

bool epitaph_option_read_signals(const char *text, int *signals, size_t limit) {
    int found[NSIG];
    size_t count = 0, length;
    const char *word;
    while ((word = epitaph_option_next_word(&text, &length)) != NULL) {
        int signal = signal_named(word, length);
        if (signal == 0 || count + 1 >= limit || count + 1 >= NSIG) return false;
        found[count++] = signal;
    }
    if (count == 0) return false;
    found[count++] = 0;
    memcpy(signals, found, count * sizeof *signals);
    return true;
}

bool epitaph_bundle_id_may_have(char character) {
    static const char allowed[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    return character != 0 && strchr(allowed, character) != NULL;
}

bool epitaph_is_bundle_id(const char *text) {
    size_t length = 0;
    while (epitaph_bundle_id_may_have(text[length]))
        length++;
    return length > 0 && length <= EPITAPH_BUNDLE_ID_LIMIT && text[0] != '.' && text[length] == 0;
}
