// SPDX-License-Identifier: Apache-2.0

// The deaths of RealCrashDiagnosisTests. Instructions are those of x86_64.

extension RealCrashDiagnosisTests {
    static let programDeaths = memoryDeaths + jumpDeaths + otherDeaths

    private static let memoryDeaths = [
        Death(
            way: "null_read", kind: .nullDereference,
            headline: "read from offset 0x18 of a null pointer (rax)",
            instruction: "mov rax, qword ptr [rax + 0x18]", findings: ["rax was null."]),
        Death(
            way: "null_element", kind: .nullDereference,
            headline: "read from offset # of a null pointer (rcx)",
            instruction: "mov rax, qword ptr [rcx + rax*8 + 0x1f40]",
            findings: ["rcx is 0x0"]),
        Death(
            way: "null_negative", kind: .nullDereference,
            headline: "read from offset -0x8 of a null pointer (rax)",
            instruction: "mov rax, qword ptr [rax + rcx]"),
        Death(
            way: "read_only", kind: .writeToReadOnly,
            headline: "wrote to # (rax + 0x7) in memory without a file",
            instruction: "mov byte ptr [rax + 7], 0x78",
            findings: ["rax is 0x7", "readable, not writable", "SEGV_ACCERR"]),
        Death(
            way: "write_code", kind: .writeToCode,
            headline: "wrote to # (rax) in code of diagnosed",
            instruction: "mov byte ptr [rax], 1", findings: ["r-xp"]),
        Death(
            way: "no_access", kind: .inaccessibleMemory,
            headline: "read from # (rax + 0x40) in reserved memory",
            instruction: "movsx rax, byte ptr [rax + 0x40]", findings: ["---p"]),
        Death(
            way: "unmapped", kind: .unmappedAddress,
            headline: "read from # (rax + 0x8), where nothing is mapped",
            instruction: "movsx rax, byte ptr [rax + 8]", findings: ["SEGV_MAPERR"]),
        Death(
            way: "past_end", kind: .unmappedAddress,
            headline: "wrote to # (rax + #), where nothing is mapped",
            instruction: "mov byte ptr [rax + 0x1010], 1",
            findings: ["0x10 bytes past the end of memory without a file"]),
        Death(
            way: "not_canonical", kind: .nonCanonicalAddress,
            headline: "read from the non-canonical address # (rax + 0x20)",
            instruction: "movsx rax, byte ptr [rax + 0x20]",
            findings: ["rax is 0xdead0000beef0000"]),
        Death(
            way: "text_pointer", kind: .nonCanonicalAddress,
            headline: "read from the non-canonical address # (rax)",
            instruction: "movsx rax, byte ptr [rax]", findings: ["text, \"overflow\""]),
        Death(
            way: "flipped", kind: .unmappedAddress,
            headline: "wrote to # (rax + 0x8), where nothing is mapped",
            instruction: "mov byte ptr [rax + 8], 2",
            findings: ["differs in bit 44 alone", "writable data of diagnosed"]),
        Death(
            way: "misaligned", kind: .misalignedAccess,
            headline: "wrote to # (rax), which is not a multiple of 16",
            instruction: "movaps xmmword ptr [rax], xmm0"),
        Death(
            way: "past_file", kind: .pastEndOfFile,
            headline: "read from # (rax + #), where the mapped file "
                + "/tmp/diagnosis-# (deleted) has no data",
            instruction: "movsx rax, byte ptr [rax + 0x1008]", findings: ["before byte 4104"]),
        Death(
            way: "large_array", kind: .stackOverflow,
            headline: "died of a stack overflow: large_array has 100 MiB of local variables",
            instruction: "mov byte ptr [rsp + rax - 0x80], 1",
            findings: ["large_array (diagnosed.c:", "the limit for the main thread's stack"]),
        Death(
            way: "large_array_in_thread", kind: .stackOverflow,
            headline: "died of a stack overflow: large_array has 100 MiB of local variables",
            instruction: "mov byte ptr [rsp + rax - 0x80], 1",
            findings: ["the thread's stack has"]),
        Death(
            way: "checked_alignment", kind: .misalignedAccess,
            headline: "wrote to # (rax), which is not a multiple of 4",
            instruction: "mov dword ptr [rax], 1", findings: ["turned alignment checks on"]),
        Death(
            way: "system_call_page", kind: .inaccessibleMemory,
            headline: "wrote to #, the kernel's [vsyscall] page",
            instruction: "mov byte ptr [rax], 1"),
        Death(
            way: "free_variable", kind: .heapCorruption,
            headline: "called free in free_variable (diagnosed.c:175) with an invalid pointer or a "
                + "damaged block: free(): invalid pointer"),
        Death(
            way: "realloc_middle", kind: .heapCorruption,
            headline: "called realloc in realloc_middle (diagnosed.c:178) with an invalid pointer "
                + "or a damaged block: realloc(): invalid pointer"),
        Death(
            way: "free_local", kind: .heapCorruption,
            headline: "called free in free_local (diagnosed.c:182) with an invalid pointer or a "
                + "damaged block: free(): invalid pointer"),
        Death(
            way: "recursion_in_thread", kind: .stackOverflow,
            headline: "died of a stack overflow in a recursion of deeper",
            instruction: "mov byte ptr [rsp + rax], 1", otherInstructions: ["call", "push rbx"],
            findings: ["KiB of the thread's stack are used", "deeper calls itself"]),
    ]

    private static let jumpDeaths = [
        Death(
            way: "wild_jump", kind: .wildJump, headline: "jumped through a wild pointer to #",
            findings: ["No line of the maps file holds it", "came from wild_jump (diagnosed.c:"]),
        Death(
            way: "impossible_jump", kind: .wildJump,
            headline: "jumped through a wild pointer to the non-canonical address # (rax)",
            instruction: "call rax"),
        Death(
            way: "system_call_jump", kind: .wildJump,
            headline: "called # in the kernel's [vsyscall] page, where no function is",
            findings: ["came from system_call_jump (diagnosed.c:"]),
        Death(
            way: "null_jump", kind: .nullJump, headline: "called a function through a null pointer",
            findings: ["came from null_jump (diagnosed.c:"]),
        Death(
            way: "run_data", kind: .executeData, headline: "tried to execute data at #",
            findings: ["writable data of diagnosed", "came from run_data"]),
        Death(
            way: "unmapped_code", kind: .wildJump,
            headline: "tried to execute code of diagnosed that is no longer mapped",
            findings: ["in lose, 0x", "No line of the maps file holds it"]),
        Death(
            way: "protected_code", kind: .executeData,
            headline: "tried to execute code of diagnosed that is no longer executable",
            findings: ["in lose, 0x", "---p"]),
    ]

    private static let otherDeaths = [
        Death(
            way: "privileged", kind: .illegalInstruction,
            headline: "executed a privileged instruction, `hlt`, which only the kernel may",
            instruction: "hlt"),
        Death(
            way: "in_port", kind: .illegalInstruction,
            headline: "executed a privileged instruction, `in al, 0x60`, which only the kernel may",
            instruction: "in al, 0x60"),
        Death(
            way: "interrupt", kind: .illegalInstruction,
            headline: "called an interrupt that programs may not call, `int 0x42`",
            instruction: "int 0x42"),
        Death(
            way: "interrupts_off", kind: .illegalInstruction,
            headline: "executed a privileged instruction, `cli`, which only the kernel may",
            instruction: "cli"),
        Death(
            way: "unknown_opcode", kind: .illegalInstruction,
            headline: "executed an illegal instruction: bytes that are no known instruction",
            findings: ["The bytes are 06 06 06"]),
        Death(
            way: "trap", kind: .trap, headline: "stopped at a trap instruction, `ud2`",
            instruction: "ud2"),
        Death(
            way: "divide", kind: .divideByZero,
            headline: "divided an integer by zero (the number at rsp - 0x4)",
            instruction: "idiv dword ptr [rsp - 4]"),
        Death(
            way: "remainder_of_zero", kind: .divideByZero,
            headline: "divided an integer by zero (the number at rsp - 0x8)",
            instruction: "idiv qword ptr [rsp - 8]"),
        Death(
            way: "divide_smallest", kind: .arithmetic,
            headline: "divided the smallest 32-bit integer by -1 (the number at rsp - 0x8)",
            instruction: "idiv dword ptr [rsp - 8]"),
        Death(
            way: "divide_too_large", kind: .arithmetic,
            headline: "divided integers whose quotient does not fit in 32 bits (by ecx)",
            instruction: "div ecx", findings: ["The divisor was 0x2, not zero."]),
        Death(
            way: "cpu_time", kind: .resourceLimit,
            headline: "used more CPU time than its limit of 1 s", findings: ["Max cpu time"]),
        Death(
            way: "file_size", kind: .resourceLimit, headline: "made a file larger than its limit"),
        Death(
            way: "fortified", kind: .bufferOverflow,
            headline: "was stopped by glibc: buffer overflow detected"),
        Death(
            way: "smashed_return", kind: .overwrittenReturnAddress,
            headline: "returned to #, where no code is: a return address was overwritten",
            findings: ["The word just below the stack pointer"]),
        Death(
            way: "smashed_return_impossible", kind: .overwrittenReturnAddress,
            headline: "returned to #, a non-canonical address: a return address was overwritten",
            instruction: "ret", findings: ["The return address of smash (diagnosed.c:"]),
        Death(way: "raise_trap", kind: .signalFromProcess, headline: "sent SIGTRAP to itself"),
        Death(way: "raise_fault", kind: .signalFromProcess, headline: "sent SIGSEGV to itself"),
        Death(
            way: "denied", kind: .deniedSystemCall,
            headline: "made the system call getpgid, which is not allowed",
            findings: ["system call 121, getpgid"]),
    ]

    static let dummyDeaths = [
        Death(
            way: "null-write", kind: .nullDereference,
            headline: "wrote to offset 0x10 of a null pointer (rax)",
            instruction: "mov dword ptr [rax], 1", findings: ["The offset is in a register"]),
        Death(
            way: "abort", kind: .abort, headline: "called abort()",
            findings: ["what the program wrote to its log may"]),
        Death(
            way: "divide-by-zero", kind: .divideByZero,
            headline: "divided an integer by zero (ecx)", instruction: "idiv ecx"),
        Death(
            way: "breakpoint", kind: .trap,
            headline: "met a breakpoint, `int3`, without a debugger",
            instruction: "int3"),
        Death(
            way: "double-free", kind: .heapCorruption,
            headline: "called free in crash_double_free (crashes.c:90) with a block that was free "
                + "already: free(): double free detected in tcache 2"),
        Death(
            way: "stack-overflow", kind: .stackOverflow,
            headline: "died of a stack overflow in a recursion of recurse",
            // Whichever of a call's pushes and stores is the first to reach the guard page.
            instruction: "mov byte ptr [rbp - 0x210], al",
            otherInstructions: ["call", "push rbp", "mov qword ptr [rbp - "],
            findings: ["the limit for it was", "recurse calls itself"]),
        Death(
            way: "throw", kind: .uncaughtException,
            headline: "did not catch a C++ exception, std::runtime_error: nobody catches this"),
        Death(
            way: "throw-number", kind: .uncaughtException,
            headline: "did not catch a C++ exception, int: 42"),
        Death(
            way: "assert", kind: .assertion, headline: "failed the assertion `apples == 4`",
            findings: ["reason_ways.c:22 in void fail_assertion(void)"]),
        Death(
            way: "stack-smash", kind: .stackSmashing,
            headline: "overwrote its stack: stack smashing detected",
            findings: ["on the stack of crash_for_a_reason"]),
        Death(
            way: "last-words", kind: .abort,
            headline: "called abort(): thread 'main' panicked at src/main.rs:2:5"),
        Death(
            way: "pc-noncanonical", kind: .wildJump,
            headline: "jumped through a wild pointer to the non-canonical address # "
                + "(the word at rbp - 0x8)",
            instruction: "call qword ptr [rbp - 8]"),
        Death(
            way: "sp-noncanonical", kind: .nonCanonicalAddress,
            headline: "wrote to the non-canonical address # (rsp - 0x8)", instruction: "push 1",
            findings: ["rsp is 0xdeadbeef000000"]),
    ]

    static let swiftDeaths = [
        Death(
            way: "fatal-error", kind: .swiftRuntimeFailure,
            headline: "stopped with a Swift fatal error: the last words",
            findings: ["The failure is at EpitaphVictim/SwiftVictim.swift:"]),
        Death(
            way: "index", kind: .swiftRuntimeFailure,
            headline: "stopped with a Swift fatal error: Index out of range"),
        Death(
            way: "unwrap", kind: .swiftRuntimeFailure,
            headline: "stopped with a Swift fatal error: Unexpectedly found nil while unwrapping "
                + "an Optional value"),
    ]
}
