// SPDX-License-Identifier: Apache-2.0
//
// Layouts were probed at quiet time (task_names.c and queue_labels.c of CEpitaph).

#include "threads/threads.h"

#include "epitaph_scopes.h"

enum {
    NAME_SIZE = 128,
    /// Limit of task records to examine for the name.
    RECORD_LIMIT = 32,
    KIND_MASK = 0xff,
    POINTER_TAG_MASK = 7,
};

static bool read_word(uint64_t *word, uint64_t address) {
    return epitaph_memory_read_exactly(word, address, sizeof *word);
}

static void write_text(epitaph_writer *writer, epitaph_dump_key key, uint64_t address) {
    char text[NAME_SIZE];
    if (address == 0 || epitaph_memory_read_text(text, sizeof text, address) == 0) return;
    epitaph_writer_text(writer, key, text, sizeof text);
}

static void write_task_name(epitaph_writer *writer, uint64_t thread_pointer) {
    const epitaph_task_name_layout *layout = &epitaph_work_layout_now.task_name;
    uint64_t task;
    if (!read_word(&task, thread_pointer + (uint64_t)layout->task_word_offset) || task == 0) return;
    uint64_t record;
    if (!read_word(&record, task + layout->record_offset)) return;
    for (int i = 0; i < RECORD_LIMIT; i++) {
        record &= ~(uint64_t)POINTER_TAG_MASK;
        uint64_t head;
        if (record == 0 || !read_word(&head, record)) return;
        if ((head & KIND_MASK) == layout->name_kind) {
            uint64_t text;
            if (!read_word(&text, record + layout->text_offset)) return;
            write_text(writer, EPITAPH_KEY_THREAD_TASK_NAME, text);
            return;
        }
        if (!read_word(&record, record + layout->next_offset)) return;
    }
}

static void write_queue_label(epitaph_writer *writer, uint64_t thread_pointer) {
    const epitaph_queue_layout *layout = &epitaph_work_layout_now.queue;
    uint64_t queue;
    uint64_t label;
    if (!read_word(&queue, thread_pointer + (uint64_t)layout->queue_word_offset)) return;
    if (queue == 0 || !read_word(&label, queue + layout->label_offset)) return;
    write_text(writer, EPITAPH_KEY_THREAD_QUEUE_NAME, label);
}

void epitaph_running_work_write(epitaph_writer *writer, uint64_t thread_pointer) {
    if (thread_pointer == 0) return;
    const epitaph_work_layout *layout = &epitaph_work_layout_now;
    if (__atomic_load_n(&layout->has_task_names, __ATOMIC_ACQUIRE) != 0) {
        write_task_name(writer, thread_pointer);
    }
    if (__atomic_load_n(&layout->has_queues, __ATOMIC_ACQUIRE) != 0) {
        write_queue_label(writer, thread_pointer);
    }
}
