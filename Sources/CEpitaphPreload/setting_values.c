// SPDX-License-Identifier: Apache-2.0
//
// Texts as values. Nothing here depends on the locale, which is the program's.

#include "setting_values.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char separators[] = " ,\t";

static const struct {
    const char *name;
    int number;
} signals_by_name[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},     {"ILL", SIGILL},
    {"TRAP", SIGTRAP}, {"ABRT", SIGABRT}, {"BUS", SIGBUS},       {"FPE", SIGFPE},
    {"KILL", SIGKILL}, {"USR1", SIGUSR1}, {"SEGV", SIGSEGV},     {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE}, {"ALRM", SIGALRM}, {"TERM", SIGTERM},     {"STKFLT", SIGSTKFLT},
    {"CHLD", SIGCHLD}, {"CONT", SIGCONT}, {"STOP", SIGSTOP},     {"TSTP", SIGTSTP},
    {"TTIN", SIGTTIN}, {"TTOU", SIGTTOU}, {"URG", SIGURG},       {"XCPU", SIGXCPU},
    {"XFSZ", SIGXFSZ}, {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM}, {"WINCH", SIGWINCH},
    {"IO", SIGIO},     {"PWR", SIGPWR},   {"SYS", SIGSYS},
};

static const struct {
    const char *name;
    unsigned shift;
} units[] = {{"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

enum { UNIT_COUNT = sizeof units / sizeof *units };

static bool is_one_of(const char *text, const char *const words[4]) {
    for (int i = 0; i < 4; i++) {
        if (strcasecmp(text, words[i]) == 0) return true;
    }
    return false;
}

bool epitaph_preload_flag(const char *text, bool *flag) {
    static const char *const yes[] = {"yes", "true", "on", "1"};
    static const char *const no[] = {"no", "false", "off", "0"};
    bool is_yes = is_one_of(text, yes);
    if (!is_yes && !is_one_of(text, no)) return false;
    *flag = is_yes;
    return true;
}

/// Digits alone: strtoull(3) also takes blanks, signs and other bases.
static const char *read_digits(const char *text, uint64_t *number) {
    const char *next = text;
    uint64_t read = 0;
    for (; *next >= '0' && *next <= '9'; next++) {
        if (__builtin_mul_overflow(read, 10u, &read)) return NULL;
        if (__builtin_add_overflow(read, (uint64_t)(*next - '0'), &read)) return NULL;
    }
    *number = read;
    return next == text ? NULL : next;
}

bool epitaph_preload_number(const char *text, uint64_t *number) {
    uint64_t read;
    const char *end = read_digits(text, &read);
    if (end == NULL || *end != 0) return false;
    *number = read;
    return true;
}

bool epitaph_preload_size(const char *text, uint64_t *bytes) {
    uint64_t read;
    const char *unit = read_digits(text, &read);
    if (unit == NULL) return false;
    unit += strspn(unit, " ");
    unsigned shift = 0;
    bool is_known = *unit == 0 || strcasecmp(unit, "bytes") == 0;
    for (int i = 0; i < UNIT_COUNT && !is_known; i++) {
        is_known = strcasecmp(unit, units[i].name) == 0;
        shift = is_known ? units[i].shift : 0;
    }
    if (!is_known || read > UINT64_MAX >> shift) return false;
    *bytes = read << shift;
    return true;
}

void epitaph_preload_size_text(uint64_t bytes, char *text, size_t size) {
    for (int i = 0; i < UNIT_COUNT; i++) {
        if (bytes >> units[i].shift == 0 || bytes % (UINT64_C(1) << units[i].shift) != 0) continue;
        snprintf(text, size, "%" PRIu64 " %s", bytes >> units[i].shift, units[i].name);
        return;
    }
    snprintf(text, size, "%" PRIu64 " bytes", bytes);
}

const char *epitaph_preload_word(const char **text, size_t *length) {
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

bool epitaph_preload_signals(const char *text, int *signals, size_t limit) {
    int found[NSIG];
    size_t count = 0, length;
    const char *word;
    while ((word = epitaph_preload_word(&text, &length)) != NULL) {
        int signal = signal_named(word, length);
        if (signal == 0 || count + 1 >= limit || count + 1 >= NSIG) return false;
        found[count++] = signal;
    }
    if (count == 0) return false;
    found[count++] = 0;
    memcpy(signals, found, count * sizeof *signals);
    return true;
}
