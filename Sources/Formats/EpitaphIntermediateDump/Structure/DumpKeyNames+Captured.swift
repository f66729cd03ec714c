// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

// Swift names for the keys of epitaph_dump_format.h, from the process on: what was captured. The
// types at the end of each comment are those of docs/dump-format.md.
extension DumpKey {
    // Process
    /// Process id of the parent, getppid(2). I32.
    package static var parentPID: Self { Self(EPITAPH_KEY_PARENT_PID) }
    /// Process id at the crash, getpid(2). I32.
    package static var pid: Self { Self(EPITAPH_KEY_PID) }
    /// When the process started. TIMEVAL, since 1970.
    package static var startTime: Self { Self(EPITAPH_KEY_START_TIME) }
    /// When the dump was begun. TIMEVAL, since 1970.
    package static var snapshotTime: Self { Self(EPITAPH_KEY_SNAPSHOT_TIME) }
    /// The map that holds the two CPU times. A map.
    package static var taskBasicInfo: Self { Self(EPITAPH_KEY_TASK_BASIC_INFO) }
    /// CPU time spent in the kernel, by all threads. TIMEVAL, CPU time.
    package static var systemTime: Self { Self(EPITAPH_KEY_SYSTEM_TIME) }
    /// CPU time spent in the program, by all threads. TIMEVAL, CPU time.
    package static var userTime: Self { Self(EPITAPH_KEY_USER_TIME) }
    /// The real user id of the process, getuid(2). U32.
    package static var userID: Self { Self(EPITAPH_KEY_USER_ID) }
    /// The arguments that the program allow-listed, each ended by a NUL. BYTES.
    package static var commandLine: Self { Self(EPITAPH_KEY_COMMAND_LINE) }
    /// One map for each variable that the program allow-listed, with `annotationName` and
    /// `annotationValue`. An array.
    package static var environment: Self { Self(EPITAPH_KEY_ENVIRONMENT) }

    // System
    /// How many processors are online. I32.
    package static var cpuCount: Self { Self(EPITAPH_KEY_CPU_COUNT) }
    /// x86_64: the maker, in the 12 letters of CPUID leaf 0. STRING.
    package static var cpuVendor: Self { Self(EPITAPH_KEY_CPU_VENDOR) }
    /// The architecture of the kernel: `machine` of uname(2). STRING.
    package static var machineDescription: Self { Self(EPITAPH_KEY_MACHINE_DESCRIPTION) }
    /// Number and date of the kernel's build: `version` of uname(2). STRING.
    package static var osVersionBuild: Self { Self(EPITAPH_KEY_OS_VERSION_BUILD) }
    /// The size of a page: `AT_PAGESZ`, getauxval(3). U64, bytes.
    package static var pageSize: Self { Self(EPITAPH_KEY_PAGE_SIZE) }
    /// aarch64: the bits of a pointer that are an address; the others may hold an authentication
    /// code. U64.
    package static var addressMask: Self { Self(EPITAPH_KEY_ADDRESS_MASK) }
    /// From the start of Epitaph to the dump, CLOCK_MONOTONIC. U64, nanoseconds.
    package static var uptime: Self { Self(EPITAPH_KEY_UPTIME) }
    /// `Linux`: `sysname` of uname(2). STRING.
    package static var kernelName: Self { Self(EPITAPH_KEY_KERNEL_NAME) }
    /// The kernel's version: `release` of uname(2). STRING.
    package static var kernelRelease: Self { Self(EPITAPH_KEY_KERNEL_RELEASE) }
    /// x86_64: family, model and stepping, EAX of CPUID leaf 1. U32.
    package static var cpuSignature: Self { Self(EPITAPH_KEY_CPU_SIGNATURE) }
    /// x86_64: feature bits, EDX of CPUID leaf 1. U32.
    package static var cpuFeatures: Self { Self(EPITAPH_KEY_CPU_FEATURES) }
    /// Feature bits that the kernel gives: `AT_HWCAP`, getauxval(3). U64.
    package static var hardwareCapabilities: Self { Self(EPITAPH_KEY_HARDWARE_CAPABILITIES) }
    /// More feature bits that the kernel gives: `AT_HWCAP2`, getauxval(3). U64.
    package static var hardwareCapabilities2: Self { Self(EPITAPH_KEY_HARDWARE_CAPABILITIES_2) }

    // Threads
    /// Floating-point and vector registers, as the kernel saves them in a signal frame (docs/dump-
    /// format.md, Floats). FLOATS.
    package static var floatState: Self { Self(EPITAPH_KEY_FLOAT_STATE) }
    /// Integer registers, laid out as in the kernel's `struct sigcontext`. REGISTERS.
    package static var threadState: Self { Self(EPITAPH_KEY_THREAD_STATE) }
    /// Static priority, sched(7). I32.
    package static var threadPriority: Self { Self(EPITAPH_KEY_THREAD_PRIORITY) }
    /// Where the saved part of the stack begins: the stack pointer less the red zone. U64, address.
    package static var stackRegionAddress: Self { Self(EPITAPH_KEY_STACK_REGION_ADDRESS) }
    /// The saved part of the stack, upwards. BYTES.
    package static var stackRegionData: Self { Self(EPITAPH_KEY_STACK_REGION_DATA) }
    /// The thread's id, gettid(2). U64.
    package static var threadID: Self { Self(EPITAPH_KEY_THREAD_ID) }
    /// Thread control block: FS base on x86_64, TPIDR_EL0 on aarch64. U64, address.
    package static var threadDataAddress: Self { Self(EPITAPH_KEY_THREAD_DATA_ADDRESS) }
    /// Memory that the registers and the stack point to, and the outermost part of a stack of which
    /// `stackRegionData` has not all. In a thread and in `signalException`. An array.
    package static var threadContextMemoryRegions: Self {
        Self(EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS)
    }
    /// Address of the first byte of the region. U64, address.
    package static var memoryRegionAddress: Self { Self(EPITAPH_KEY_MEMORY_REGION_ADDRESS) }
    /// The bytes of the region. One without any is dropped. BYTES.
    package static var memoryRegionData: Self { Self(EPITAPH_KEY_MEMORY_REGION_DATA) }
    /// The thread's name, `comm`: at most 15 bytes. STRING.
    package static var threadName: Self { Self(EPITAPH_KEY_THREAD_NAME) }
    /// Whether all of the thread was captured: `EPITAPH_THREAD_…`. U8.
    package static var threadCompleteness: Self { Self(EPITAPH_KEY_THREAD_COMPLETENESS) }
    /// Why the thread is not complete: `EPITAPH_WHY_…`. U32.
    package static var threadWhy: Self { Self(EPITAPH_KEY_THREAD_WHY) }
    /// SCHED_OTHER 0, FIFO 1, RR 2, BATCH 3, IDLE 5, DEADLINE 6, sched(7). I32.
    package static var threadSchedulingPolicy: Self { Self(EPITAPH_KEY_THREAD_SCHEDULING_POLICY) }
    /// The thread's nice value, -20 to 19, sched_getattr(2). I32.
    package static var threadNice: Self { Self(EPITAPH_KEY_THREAD_NICE) }
    /// What the thread did: the ASCII letter of the third field of `/proc/PID/stat`. U8.
    package static var threadRunState: Self { Self(EPITAPH_KEY_THREAD_RUN_STATE) }
    /// Number of the system call a partial thread is in; -1 for none. I64.
    package static var threadSystemCall: Self { Self(EPITAPH_KEY_THREAD_SYSTEM_CALL) }
    /// The first three arguments of futex(2), 8 bytes each, of a partial thread that is in it.
    package static var threadFutexArguments: Self { Self(EPITAPH_KEY_THREAD_FUTEX_ARGUMENTS) }
    /// Where a partial thread stands, from `/proc/self/task/TID/syscall`. U64, address.
    package static var threadInstructionPointer: Self {
        Self(EPITAPH_KEY_THREAD_INSTRUCTION_POINTER)
    }
    /// The stack pointer of a partial thread, from `/proc/self/task/TID/syscall`. U64, address.
    package static var threadStackPointer: Self { Self(EPITAPH_KEY_THREAD_STACK_POINTER) }
    /// Of the first byte of `stackUpperData`. Between it and the end of `stackRegionData` are
    /// zeros. U64, address.
    package static var stackUpperAddress: Self { Self(EPITAPH_KEY_STACK_UPPER_ADDRESS) }
    /// The stack above those zeros, upwards. BYTES.
    package static var stackUpperData: Self { Self(EPITAPH_KEY_STACK_UPPER_DATA) }
    /// u64 each, at most 8: contexts where chains of callers of Swift tasks were cut. BYTES,
    /// addresses.
    package static var asyncChainCuts: Self { Self(EPITAPH_KEY_ASYNC_CHAIN_CUTS) }
    /// Name of the Swift task that ran on it; absent when there was none, it has no name, or it is
    /// not known. STRING.
    package static var threadTaskName: Self { Self(EPITAPH_KEY_THREAD_TASK_NAME) }
    /// Label of the dispatch queue whose work ran on it; absent when there was none or it is not
    /// known. STRING.
    package static var threadQueueName: Self { Self(EPITAPH_KEY_THREAD_QUEUE_NAME) }

    // Files of the kernel and the system, in pieces
    /// One map for each piece of a file. An array.
    package static var systemFiles: Self { Self(EPITAPH_KEY_SYSTEM_FILES) }
    /// Path: `/proc/self/maps`, `/proc/self/status`, `/proc/self/auxv`, `/proc/self/limits`,
    /// `/proc/cpuinfo` or `/etc/os-release`; others are allowed. STRING.
    package static var systemFileName: Self { Self(EPITAPH_KEY_SYSTEM_FILE_NAME) }
    /// Bytes of the file at the time of the crash. BYTES.
    package static var systemFileData: Self { Self(EPITAPH_KEY_SYSTEM_FILE_DATA) }

    // Memory, damage, summary
    /// Memory besides stacks, one map for each region. An array.
    package static var memoryRegions: Self { Self(EPITAPH_KEY_MEMORY_REGIONS) }
    /// Of modules whose file was deleted or replaced: ELF header, program headers, `.eh_frame_hdr`
    /// and `.eh_frame`, one map for each region. An array.
    package static var unwindTables: Self { Self(EPITAPH_KEY_UNWIND_TABLES) }
    /// One map for each thing that could not be captured. An array.
    package static var damage: Self { Self(EPITAPH_KEY_DAMAGE) }
    /// The key of what is missing: a section such as `threads`, or a part such as
    /// `stackRegionData`. U16.
    package static var damageSection: Self { Self(EPITAPH_KEY_DAMAGE_SECTION) }
    /// Why it could not be captured: `EPITAPH_WHY_…`. U32.
    package static var damageWhy: Self { Self(EPITAPH_KEY_DAMAGE_WHY) }
    /// errno(3) of the system call that failed; absent or 0 for none. I32.
    package static var damageErrno: Self { Self(EPITAPH_KEY_DAMAGE_ERRNO) }
    /// Which one is missing: a thread id, the place of a file in its list, a count or an address,
    /// as the section says. Absent or 0 when the whole section is meant. U64.
    package static var damageSubject: Self { Self(EPITAPH_KEY_DAMAGE_SUBJECT) }
    /// How much was left out; absent where that is not known. U64, bytes.
    package static var damageBytes: Self { Self(EPITAPH_KEY_DAMAGE_BYTES) }
    /// How the capture went; the last section. A map.
    package static var captureSummary: Self { Self(EPITAPH_KEY_CAPTURE_SUMMARY) }
    /// How long the capture took, from the signal to this property, CLOCK_MONOTONIC. U64,
    /// nanoseconds.
    package static var captureDuration: Self { Self(EPITAPH_KEY_CAPTURE_DURATION) }
    /// How many threads the process had. U32.
    package static var captureThreadsFound: Self { Self(EPITAPH_KEY_CAPTURE_THREADS_FOUND) }
    /// How many threads stopped and gave their registers, the crashing one included. U32.
    package static var captureThreadsStopped: Self { Self(EPITAPH_KEY_CAPTURE_THREADS_STOPPED) }
    /// Live dumps: how long the other threads stood still, from the start of the capture. U64,
    /// nanoseconds.
    package static var capturePause: Self { Self(EPITAPH_KEY_CAPTURE_PAUSE) }
    /// Bytes of memory and registers that said what the environment or the command line says, and
    /// are `*` instead; absent where there were none. U64, bytes.
    package static var captureBlankedBytes: Self { Self(EPITAPH_KEY_CAPTURE_BLANKED_BYTES) }
}
