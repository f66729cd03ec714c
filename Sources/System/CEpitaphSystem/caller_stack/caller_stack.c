// SPDX-License-Identifier: Apache-2.0

#include "caller_parts.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    FRAME_LIMIT = 128,
    LOOK_LIMIT = 64,
    CONTEXT_ALIGNMENT = 16,
    LOWEST_ADDRESS = 65536,
};

/// Swift may mark the saved frame pointer of async functions: swift/docs/ABI/CallingConvention.rst.
static const uint64_t async_mark = 1ull << 60;
/// End of user addresses, unless a program asks for higher ones.
static const uint64_t address_end = 1ull << 48;

static bool copied_words(const epitaph_caller_stack *stack, uint64_t address, uint64_t words[3]) {
    if (address % 8 != 0 || address < stack->address || stack->byte_count < 24) return false;
    uint64_t offset = address - stack->address;
    if (offset > stack->byte_count - 24) return false;
    for (int i = 0; i < 3; i++)
        words[i] = *(const uint64_t *)(const void *)(stack->bytes + offset + 8 * (size_t)i);
    return true;
}

static bool may_be_context(const epitaph_caller_stack *stack, uint64_t address) {
    return address % CONTEXT_ALIGNMENT == 0 && address >= LOWEST_ADDRESS && address < address_end &&
           address - stack->address >= stack->byte_count;
}

static bool is_known(const epitaph_caller_stack *stack, uint64_t address) {
    for (uint32_t i = 0; i < stack->context_count; i++) {
        if (stack->contexts[i].address == address) return true;
    }
    return false;
}

/// Follows a chain of contexts to its end, a known context, or something that is no context.
static void follow(epitaph_caller_stack *stack, uint64_t address, int *looks_left) {
    while (may_be_context(stack, address) && !is_known(stack, address)) {
        if (stack->context_count == EPITAPH_CALLER_CONTEXTS || *looks_left == 0) {
            stack->cut_context = address;
            return;
        }
        --*looks_left;
        uint64_t head[2];
        if (epitaph_caller_memory_read(head, address, sizeof head) < sizeof head) return;
        bool is_end = head[0] == 0;
        if ((!is_end && !may_be_context(stack, head[0])) || head[1] < LOWEST_ADDRESS) return;
        stack->contexts[stack->context_count++] =
            (epitaph_caller_context){.address = address, .words = {head[0], head[1]}};
        address = head[0];
    }
}

/// An async function's context is right below its saved frame pointer: LLVM, X86FrameLowering.cpp
/// and AArch64FrameLowering.cpp, emitPrologue.
static void add_contexts(epitaph_caller_stack *stack) {
    uint64_t frame = epitaph_caller_frame_pointer(&stack->registers);
    uint64_t words[3];
    int looks_left = LOOK_LIMIT;
    for (int i = 0; i < FRAME_LIMIT && copied_words(stack, frame - 8, words); i++) {
        follow(stack, words[0], &looks_left);
        uint64_t next = words[1] & ~async_mark;
        if (next <= frame) return;
        frame = next;
    }
}

/// Within the stack's known limits, memory is read directly.
static size_t copy_plainly(epitaph_caller_stack *stack, epitaph_caller_limits limits,
                           size_t count) {
    if (!epitaph_caller_limits_contain(limits, stack->address, 8)) return 0;
    if (count > limits.high - stack->address) count = limits.high - stack->address;
    count &= ~(size_t)7;
    epitaph_caller_memory_copy(stack->bytes, stack->address, count);
    return count;
}

static void copy_stack(epitaph_caller_stack *stack, size_t count) {
    size_t got = copy_plainly(stack, epitaph_caller_limits_get(), count);
    // A stack created by the program. Filters may forbid the call.
    if (got == 0) got = epitaph_caller_memory_read(stack->bytes, stack->address, count);
    stack->byte_count = (uint32_t)(got & ~(size_t)7);
    stack->is_unreadable = got == 0;
    if (got < count) stack->is_cut = true;
}

static void describe_thread(epitaph_caller_stack *stack) {
    stack->thread_id = (uint64_t)gettid();
    if (prctl(PR_GET_NAME, stack->thread_name) != 0) stack->thread_name[0] = 0;
}

// Not inlined: its frame is the innermost one of the copy.
__attribute__((noinline)) epitaph_caller_stack *epitaph_caller_stack_copy(bool is_in_task) {
    int error_number = errno;
    epitaph_caller_registers registers;
    epitaph_caller_registers_store(&registers);
    uint64_t start = epitaph_caller_stack_pointer(&registers) & ~7ull;
    uint64_t end = epitaph_caller_stack_end(start, EPITAPH_CALLER_STACK_BYTES);
    size_t count = end != 0 ? (end - start) & ~7ull : EPITAPH_CALLER_STACK_BYTES;
    epitaph_caller_stack *stack = epitaph_caller_buffer_take(count);
    if (stack != NULL) {
        stack->registers = registers;
        describe_thread(stack);
        stack->address = start;
        stack->is_cut = end == 0;
        stack->context_count = 0;
        stack->cut_context = 0;
        copy_stack(stack, count);
        if (is_in_task) add_contexts(stack);
    }
    errno = error_number;
    return stack;
}

int32_t epitaph_caller_process(void) {
    return getpid();
}
