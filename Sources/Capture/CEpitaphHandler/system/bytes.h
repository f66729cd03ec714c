// SPDX-License-Identifier: Apache-2.0
//
// Bytes, texts and ranges of addresses, without libc. ANY-TIME.

#ifndef EPITAPH_SYSTEM_BYTES_H
#define EPITAPH_SYSTEM_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// memcpy(3) and its like are reached through the PLT and chosen by an IFUNC, so a first call at
// crash time would enter the dynamic loader. The barriers keep the compiler from turning these
// loops back into such calls. All ANY-TIME; both sides must be our own memory.

static inline void epitaph_bytes_copy(void *to, const void *from, size_t count) {
#if defined(__x86_64__)
    // Of a number the compiler makes two instructions, and no call.
    if (__builtin_constant_p(count) && (count == 1 || count == 2 || count == 4 || count == 8)) {
        __builtin_memcpy(to, from, count);
        return;
    }
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
#else
    unsigned char *target = to;
    const unsigned char *source = from;
    for (; count >= 8; count -= 8, target += 8, source += 8) {
        uint64_t word;
        __asm__ volatile("ldr %0, [%1]" : "=r"(word) : "r"(source) : "memory");
        __asm__ volatile("str %0, [%1]" : : "r"(word), "r"(target) : "memory");
    }
    for (; count > 0; count--) {
        *target++ = *source++;
        __asm__ volatile("" : : : "memory");
    }
#endif
}

static inline void epitaph_bytes_zero(void *to, size_t count) {
    unsigned char *target = to;
#if defined(__x86_64__)
    __asm__ volatile("rep stosb" : "+D"(target), "+c"(count) : "a"(0) : "memory");
#else
    for (; count > 0; count--) {
        *target++ = 0;
        __asm__ volatile("" : : : "memory");
    }
#endif
}

static inline void epitaph_bytes_put_little_endian(uint8_t *to, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static inline void epitaph_bytes_put_time(uint8_t to[16], uint64_t time_ns) {
    epitaph_bytes_put_little_endian(to, time_ns / 1000000000, 8);
    epitaph_bytes_put_little_endian(to + 8, time_ns % 1000000000 / 1000, 8);
}

/// Length of a text in a field of `limit` bytes, which may lack its NUL.
static inline size_t epitaph_text_length(const char *text, size_t limit) {
    size_t length = 0;
    while (length < limit && text[length] != 0) {
        length++;
        __asm__ volatile("" : : : "memory");
    }
    return length;
}

static inline void epitaph_text_append(char *buffer, size_t size, size_t *length,
                                       const char *text) {
    for (; *text != 0 && *length + 1 < size; text++) {
        buffer[(*length)++] = *text;
        __asm__ volatile("" : : : "memory");
    }
    buffer[*length] = 0;
}

static inline void epitaph_text_append_number(char *buffer, size_t size, size_t *length,
                                              uint64_t number) {
    char digits[21];
    size_t start = sizeof digits - 1;
    digits[start] = 0;
    do {
        digits[--start] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    epitaph_text_append(buffer, size, length, digits + start);
}

/// The hexadecimal digit of a value below 16, and the value of a digit; 16 for other characters.
static inline char epitaph_hex_digit(unsigned value) {
    return (char)(value < 10 ? '0' + value : 'a' + value - 10);
}

static inline unsigned epitaph_hex_value(char digit) {
    if (digit >= '0' && digit <= '9') return (unsigned)(digit - '0');
    return digit >= 'a' && digit <= 'f' ? (unsigned)(digit - 'a') + 10 : 16;
}

static inline void epitaph_text_append_hex(char *buffer, size_t size, size_t *length,
                                           uint64_t number) {
    char digits[17];
    size_t start = sizeof digits - 1;
    digits[start] = 0;
    do {
        digits[--start] = epitaph_hex_digit(number & 15);
        number >>= 4;
    } while (number != 0);
    epitaph_text_append(buffer, size, length, digits + start);
}

/// Reads hexadecimal digits from `*next` up to `end`; `*next` stops at the first other character.
static inline uint64_t epitaph_text_read_hex(const char **next, const char *end) {
    uint64_t value = 0;
    for (; *next < end; (*next)++) {
        unsigned digit = epitaph_hex_value(**next);
        if (digit > 15) break;
        value = value << 4 | digit;
    }
    return value;
}

static inline uint64_t epitaph_text_read_decimal(const char **next, const char *end) {
    uint64_t value = 0;
    for (; *next < end && **next >= '0' && **next <= '9'; (*next)++) {
        value = value * 10 + (uint64_t)(**next - '0');
    }
    return value;
}

/// From `start` up to but not including `end`.
typedef struct epitaph_range {
    uint64_t start;
    uint64_t end;
} epitaph_range;

static inline void epitaph_range_clip(epitaph_range *range, uint64_t limit) {
    if (range->end - range->start > limit) range->end = range->start + limit;
}

#pragma GCC visibility pop

#endif
