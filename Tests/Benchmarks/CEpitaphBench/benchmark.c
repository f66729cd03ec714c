// SPDX-License-Identifier: Apache-2.0
//
// EpitaphBench crash table [RUNS]: prints the tables of docs/performance.md. EpitaphBench crash
// contents [RUNS]: the deaths alone, by what the stacks hold. EpitaphBench crash idle DIRECTORY:
// starts Epitaph and does nothing for two seconds. The program runs itself as its own victim.

#include "benchmark.h"

#include "runs.h"
#include "victim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { RUN_LIMIT = 101, DEFAULT_RUNS = 15, SLOW_RUNS = 3, WAY_COUNT = 4, TIMES_FD = 3 };

static const char *const ways[WAY_COUNT] = {"none", "write", "epitaph", "backtracer"};
static const char *const titles[WAY_COUNT] = {"no handler",
                                              "bare write() of as many bytes as Epitaph's dump",
                                              "Epitaph", "Swift's backtracer, all threads"};
static const long thread_counts[] = {1, 10, 100, 1000};
enum { COLUMN_COUNT = sizeof thread_counts / sizeof *thread_counts };
static const char *const contents[] = {"zeros", "pointers", "ramp",   "english",
                                       "http",  "json",     "base64", "random"};

typedef struct medians {
    double file_ms;
    double end_ms;
} medians;

static int compare(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

static double median(double *values, int count) {
    if (count == 0) return 0;
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 == 1 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/// All ways take turns, so that other work of the machine affects them equally.
static int measure(long threads, int runs, int way_count, medians *results, uint64_t *bytes) {
    static double file[WAY_COUNT][RUN_LIMIT], end[WAY_COUNT][RUN_LIMIT];
    int counts[WAY_COUNT] = {0};
    benchmark_death death = {.way = "epitaph", .threads = threads, .content = "touched"};
    benchmark_run run;
    if (!benchmark_run_once(&death, &run)) return 1;
    *bytes = death.bytes = run.file_bytes;
    for (int i = 0; i < runs; i++) {
        for (int way = 0; way < way_count; way++) {
            if (strcmp(ways[way], "backtracer") == 0 && i >= SLOW_RUNS) continue;
            death.way = ways[way];
            if (!benchmark_run_once(&death, &run)) return 1;
            file[way][counts[way]] = (double)run.file_ns / 1e6;
            end[way][counts[way]++] = (double)run.end_ns / 1e6;
        }
    }
    for (int way = 0; way < way_count; way++) {
        results[way].file_ms = median(file[way], counts[way]);
        results[way].end_ms = median(end[way], counts[way]);
    }
    return 0;
}

static void print_heading(const char *title, int columns) {
    printf("| %s |", title);
    for (int i = 0; i < columns; i++)
        printf(" %ld thread%s |", thread_counts[i], thread_counts[i] == 1 ? "" : "s");
    printf("\n|---|");
    for (int i = 0; i < columns; i++)
        printf("---|");
    printf("\n");
}

static int print_deaths(int runs, int way_count, int columns) {
    medians results[COLUMN_COUNT][WAY_COUNT];
    uint64_t bytes[COLUMN_COUNT];
    for (int i = 0; i < columns; i++) {
        if (measure(thread_counts[i], runs, way_count, results[i], &bytes[i]) != 0) return 1;
    }
    print_heading("file complete / process end, ms", columns);
    for (int way = 0; way < way_count; way++) {
        printf("| %s |", titles[way]);
        for (int i = 0; i < columns; i++) {
            if (results[i][way].file_ms > 0) printf(" %.2f /", results[i][way].file_ms);
            printf(" %.2f |", results[i][way].end_ms);
        }
        printf("\n");
    }
    printf("| Epitaph's process end, times the bare write's |");
    for (int i = 0; i < columns; i++)
        printf(" %.2f |", results[i][2].end_ms / results[i][1].end_ms);
    printf("\n| size of the dump, kB |");
    for (int i = 0; i < columns; i++)
        printf(" %llu |", (unsigned long long)(bytes[i] / 1000));
    printf("\n");
    return 0;
}

/// Process end after a bare write and with Epitaph, in milliseconds, in turns.
static int measure_content(const char *content, long threads, int runs, double ends[2]) {
    static double end[2][RUN_LIMIT];
    benchmark_death death = {.way = "epitaph", .threads = threads, .content = content};
    benchmark_run run;
    if (!benchmark_run_once(&death, &run)) return 1;
    death.bytes = run.file_bytes;
    for (int i = 0; i < runs; i++) {
        for (int way = 0; way < 2; way++) {
            death.way = way == 0 ? "write" : "epitaph";
            if (!benchmark_run_once(&death, &run)) return 1;
            end[way][i] = (double)run.end_ns / 1e6;
        }
    }
    for (int way = 0; way < 2; way++)
        ends[way] = median(end[way], runs);
    return 0;
}

static int print_contents(int runs, int columns) {
    print_heading("bare write / Epitaph, ms (times)", columns);
    for (size_t row = 0; row < sizeof contents / sizeof *contents; row++) {
        printf("| %s |", contents[row]);
        for (int i = 0; i < columns; i++) {
            double ends[2];
            if (measure_content(contents[row], thread_counts[i], runs, ends) != 0) return 1;
            printf(" %.2f / %.2f (%.2f) |", ends[0], ends[1], ends[1] / ends[0]);
            fflush(stdout);
        }
        printf("\n");
    }
    return 0;
}

static int print_quiet(int runs) {
    double starts[RUN_LIMIT], annotations[RUN_LIMIT], breadcrumbs[RUN_LIMIT];
    benchmark_death death = {.way = "quiet", .threads = 1, .content = "touched"};
    benchmark_run run;
    for (int i = 0; i < runs; i++) {
        if (!benchmark_run_once(&death, &run)) return 1;
        starts[i] = (double)run.start_ns / 1e6;
        annotations[i] = (double)run.annotation_ps / 1e3;
        breadcrumbs[i] = (double)run.breadcrumb_ps / 1e3;
    }
    printf("\n| quiet time | |\n|---|---|\n| `epitaph_start` | %.2f ms |\n", median(starts, runs));
    printf("| `epitaph_annotation_set`, 8 present | %.0f ns |\n", median(annotations, runs));
    printf("| `epitaph_breadcrumb_add` | %.0f ns |\n", median(breadcrumbs, runs));
    return 0;
}

static int be_victim(char **arguments) {
    benchmark_times *times =
        mmap(NULL, sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED, TIMES_FD, 0);
    if (times == MAP_FAILED) return 70;
    if (strcmp(arguments[1], "quiet") == 0) return benchmark_quiet(arguments[2], times);
    benchmark_death death = {.way = arguments[1],
                             .threads = atol(arguments[3]),
                             .bytes = strtoull(arguments[4], NULL, 10),
                             .content = arguments[5]};
    return benchmark_victim(&death, arguments[2], times);
}

int benchmark_main(int count, char **arguments, bool has_backtracer) {
    if (count == 6 && strcmp(arguments[0], "victim") == 0) return be_victim(arguments);
    if (count == 3 && strcmp(arguments[1], "idle") == 0) return benchmark_idle(arguments[2]);
    int runs = count > 2 ? atoi(arguments[2]) : DEFAULT_RUNS;
    long most = count > 3 ? atol(arguments[3]) : thread_counts[COLUMN_COUNT - 1];
    int columns = 0;
    while (columns < COLUMN_COUNT && thread_counts[columns] <= most)
        columns++;
    bool is_table = count > 1 && strcmp(arguments[1], "table") == 0;
    bool is_contents = count > 1 && strcmp(arguments[1], "contents") == 0;
    if ((!is_table && !is_contents) || runs < 1 || runs > RUN_LIMIT || columns == 0) {
        fprintf(stderr, "usage: EpitaphBench crash table|contents [RUNS [MOST_THREADS]] | idle "
                        "DIRECTORY\n");
        return 64;
    }
    if (is_contents) return print_contents(runs, columns);
    int status = print_deaths(runs, has_backtracer ? WAY_COUNT : WAY_COUNT - 1, columns);
    return status != 0 ? status : print_quiet(runs);
}
