// SPDX-License-Identifier: Apache-2.0
//
// Repeatable: pseudo-random numbers from one seed.

#include "contents.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_BYTES = 4096, LINE_BYTES = 512 };

const char *const benchmark_environment[] = {
    "SWIFT_BACKTRACE=enable=no",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOSTNAME=orders-7d9c5b6f4-x2x9k",
    "DATABASE_URL=postgres://orders:xK3vq9ZrT5mWb2Yc@orders-db.internal.shop.net:5432/orders",
    "REDIS_URL=redis://:8fPq1LsVn4Dh7Jt0@cache.internal.shop.net:6379/0",
    "AWS_ACCESS_KEY_ID=AKIAQ3EGRB7XNMZ5T2LW",
    "AWS_SECRET_ACCESS_KEY=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",
    "AWS_REGION=eu-central-1",
    "JWT_SIGNING_KEY=MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKjMzEfYyjiWA4R"
    "4ypbHqGC0H0+tG3dGnEOZ0n1SckwO7gAqJFhJ3IRBRjVv2pQ0V7BXYtYkLQ4hTzEhb9sDwzW1LwN3uFzKqIq7dPz",
    "STRIPE_API_KEY=sk_live_4eC39HqLyjWDarjtT1zdp7dcQ8mB5nX2",
    "OTEL_EXPORTER_OTLP_ENDPOINT=https://collector.internal.shop.net:4317",
    "OTEL_RESOURCE_ATTRIBUTES=service.name=orders,deployment.environment=production",
    "LOG_FORMAT=json",
    "ALLOWED_ORIGINS=https://shop.net,https://m.shop.net,https://admin.shop.net",
    "FEATURE_FLAGS=checkout=on,recommendations=off,currency=EUR",
    "KUBERNETES_SERVICE_HOST=10.96.0.1",
    "KUBERNETES_SERVICE_PORT=443",
    "KUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443",
    "ORDERS_DB_SERVICE_HOST=10.96.114.7",
    "ORDERS_DB_PORT_5432_TCP_ADDR=10.96.114.7",
    "CACHE_SERVICE_HOST=10.96.201.33",
    "CACHE_PORT_6379_TCP=tcp://10.96.201.33:6379",
    "MAIL_FROM=The Shop <orders@shop.net>",
    "MAIL_FOOTER=Please write to us if anything is missing or broken when it arrives",
    "HOME=/home/orders",
    "LANG=C.UTF-8",
    NULL,
};

static const char *const words[] = {
    "the",     "order",    "of",      "which",    "and",     "to",     "weather", "was",
    "in",      "customer", "after",   "that",     "payment", "is",     "with",    "for",
    "because", "people",   "it",      "delivery", "on",      "street", "had",     "not",
    "would",   "market",   "through", "water",    "there"};
enum { WORD_COUNT = sizeof words / sizeof *words };

static uint64_t state;

/// Marsaglia, Xorshift RNGs, 2003.
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static const char *word(void) {
    return words[next() % WORD_COUNT];
}

static int english(char *line) {
    return snprintf(line, LINE_BYTES, "%s %s %s%s", word(), word(), word(),
                    next() % 4 == 0 ? ". " : " ");
}

static int http(char *line) {
    return snprintf(line, LINE_BYTES,
                    "GET /%s/%u?%s=%u HTTP/1.1\r\nHost: www.example.com\r\n"
                    "User-Agent: curl/8.%u.0\r\n"
                    "Accept: text/html,application/xhtml+xml\r\nCookie: session=%016llx\r\n"
                    "X-Request-Id: %08x\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n",
                    word(), (unsigned)(next() % 100000), word(), (unsigned)(next() % 1000),
                    (unsigned)(next() % 20), (unsigned long long)next(), (unsigned)next());
}

static int json(char *line) {
    return snprintf(line, LINE_BYTES,
                    "{\"id\":%u,\"name\":\"%s %s\",\"active\":%s,"
                    "\"price\":%u.%02u,\"tags\":[\"%s\",\"%s\"]},",
                    (unsigned)(next() % 1000000), word(), word(), next() % 2 ? "true" : "false",
                    (unsigned)(next() % 1000), (unsigned)(next() % 100), word(), word());
}

static int base64(char *line) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (int i = 0; i < 64; i++)
        line[i] = digits[next() % 64];
    return 64;
}

static int random_bytes(char *line) {
    uint64_t bytes = next();
    memcpy(line, &bytes, sizeof bytes);
    return sizeof bytes;
}

static int pointer(char *line) {
    uint64_t address = 0x7f0000000000 | (next() & 0xfffffff8);
    memcpy(line, &address, sizeof address);
    return sizeof address;
}

static int ramp(char *line) {
    for (int i = 0; i < 256; i++)
        line[i] = (char)i;
    return 256;
}

static const struct {
    const char *name;
    int (*line)(char *line);
} kinds[] = {{"english", english},     {"http", http},        {"json", json}, {"base64", base64},
             {"random", random_bytes}, {"pointers", pointer}, {"ramp", ramp}};

static void fill(char *bytes, size_t count, int (*make)(char *line)) {
    char line[LINE_BYTES];
    for (size_t at = 0; at < count;) {
        size_t part = (size_t)make(line);
        if (part > count - at) part = count - at;
        memcpy(bytes + at, line, part);
        at += part;
    }
}

bool benchmark_fill(const char *content, char *bytes, size_t count) {
    state = 0x9e3779b97f4a7c15;
    if (strcmp(content, "touched") == 0) {
        for (size_t i = 0; i < count; i += PAGE_BYTES / 4)
            bytes[i] = (char)i;
        return true;
    }
    memset(bytes, 0, count);
    if (strcmp(content, "zeros") == 0) return true;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(content, kinds[i].name) != 0) continue;
        fill(bytes, count, kinds[i].line);
        return true;
    }
    return false;
}
