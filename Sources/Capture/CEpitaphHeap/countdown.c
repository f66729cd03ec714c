// SPDX-License-Identifier: Apache-2.0
//
// Draws how many allocations pass until the next one that is sampled. With a chance of 1/N for each
// allocation, the number is distributed geometrically: ln(u) / ln(1 - 1/N), rounded down, for a
// random u between 0 and 1.

#include "heap.h"

enum {
    /// While nothing is sampled: a thread notices soon that sampling began.
    ASK_AGAIN = 1024,
};

/// The longest countdown; beyond it the chance is one in many millions for the usual rates.
static const double countdown_limit = 1 << 30;

_Thread_local int32_t epitaph_heap_countdown;

static _Thread_local uint64_t random_state __attribute__((tls_model("initial-exec")));

/// -1 / ln(1 - 1/N).
static double scale;

/// The addresses of a thread's own memory and of the pool differ by thread, and by run where they
/// are randomised, but in a few bits only: splitmix64's last step, Steele and others, "Fast
/// splittable pseudorandom number generators", 2014.
static uint64_t seed(void) {
    uint64_t seed = (uint64_t)&random_state + 0x9e3779b97f4a7c15ull * epitaph_heap_pool_now.start;
    seed = (seed ^ seed >> 30) * 0xbf58476d1ce4e5b9ull;
    seed = (seed ^ seed >> 27) * 0x94d049bb133111ebull;
    return (seed ^ seed >> 31) | 1;
}

uint32_t epitaph_heap_random(void) {
    uint64_t state = random_state;
    if (state == 0) state = seed();
    // xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016.
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    random_state = state;
    return (uint32_t)(state * 0x2545f4914f6cdd1dull >> 32);
}

/// -ln(x) for 0 < x <= 1, without libm: x = m * 2^e, and ln(m) = 2 artanh((m - 1) / (m + 1)).
static double minus_log(double x) {
    const double ln2 = 0.693147180559945309;
    int exponent = 0;
    for (; x < 0.75; exponent++)
        x *= 2;
    double z = (x - 1) / (x + 1);
    double square = z * z;
    double sum = 0;
    double power = z;
    for (int i = 1; i < 20; i += 2, power *= square)
        sum += power / i;
    return exponent * ln2 - 2 * sum;
}

void epitaph_heap_countdown_prepare(uint64_t rate) {
    double next = rate > 1 ? 1 / minus_log(1 - 1 / (double)rate) : 0;
    __atomic_store(&scale, &next, __ATOMIC_RELEASE);
}

int32_t epitaph_heap_countdown_draw(uint64_t rate) {
    if (rate == 0) return ASK_AGAIN;
    if (rate == 1) return 0;
    double now;
    __atomic_load(&scale, &now, __ATOMIC_ACQUIRE);
    double drawn = minus_log((epitaph_heap_random() + 1.0) / 4294967296.0) * now;
    return drawn < countdown_limit ? (int32_t)drawn : (int32_t)countdown_limit;
}
