// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat

// The keys of epitaph_dump_format.h that hold what was captured: docs/dump-format.md.
extension DumpKey {
    // Process
    package static var parentPID: Self { Self(EPITAPH_KEY_PARENT_PID) }
    package static var pid: Self { Self(EPITAPH_KEY_PID) }
    package static var startTime: Self { Self(EPITAPH_KEY_START_TIME) }
    package static var snapshotTime: Self { Self(EPITAPH_KEY_SNAPSHOT_TIME) }
    /// The two CPU times.
    package static var taskBasicInfo: Self { Self(EPITAPH_KEY_TASK_BASIC_INFO) }
    package static var systemTime: Self { Self(EPITAPH_KEY_SYSTEM_TIME) }
    package static var userTime: Self { Self(EPITAPH_KEY_USER_TIME) }
    package static var userID: Self { Self(EPITAPH_KEY_USER_ID) }
    package static var commandLine: Self { Self(EPITAPH_KEY_COMMAND_LINE) }
    package static var environment: Self { Self(EPITAPH_KEY_ENVIRONMENT) }

    // System
    package static var cpuCount: Self { Self(EPITAPH_KEY_CPU_COUNT) }
    package static var cpuVendor: Self { Self(EPITAPH_KEY_CPU_VENDOR) }
    package static var machineDescription: Self { Self(EPITAPH_KEY_MACHINE_DESCRIPTION) }
    package static var osVersionBuild: Self { Self(EPITAPH_KEY_OS_VERSION_BUILD) }
    package static var pageSize: Self { Self(EPITAPH_KEY_PAGE_SIZE) }
    /// aarch64: the address bits of a pointer; the others may hold an authentication code.
    package static var addressMask: Self { Self(EPITAPH_KEY_ADDRESS_MASK) }
    /// From the start of Epitaph to the dump, CLOCK_MONOTONIC, in nanoseconds.
    package static var uptime: Self { Self(EPITAPH_KEY_UPTIME) }
    package static var kernelName: Self { Self(EPITAPH_KEY_KERNEL_NAME) }
    package static var kernelRelease: Self { Self(EPITAPH_KEY_KERNEL_RELEASE) }
    package static var cpuSignature: Self { Self(EPITAPH_KEY_CPU_SIGNATURE) }
    package static var cpuFeatures: Self { Self(EPITAPH_KEY_CPU_FEATURES) }
    package static var hardwareCapabilities: Self { Self(EPITAPH_KEY_HARDWARE_CAPABILITIES) }
    package static var hardwareCapabilities2: Self { Self(EPITAPH_KEY_HARDWARE_CAPABILITIES_2) }

    // Threads
    package static var floatState: Self { Self(EPITAPH_KEY_FLOAT_STATE) }
    package static var threadState: Self { Self(EPITAPH_KEY_THREAD_STATE) }
    package static var threadPriority: Self { Self(EPITAPH_KEY_THREAD_PRIORITY) }
    /// The stack pointer less the red zone.
    package static var stackRegionAddress: Self { Self(EPITAPH_KEY_STACK_REGION_ADDRESS) }
    package static var stackRegionData: Self { Self(EPITAPH_KEY_STACK_REGION_DATA) }
    package static var threadID: Self { Self(EPITAPH_KEY_THREAD_ID) }
    package static var threadDataAddress: Self { Self(EPITAPH_KEY_THREAD_DATA_ADDRESS) }
    /// What registers and stack point to, and the outermost part of a stack; in a thread, too.
    package static var threadContextMemoryRegions: Self {
        Self(EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS)
    }
    package static var memoryRegionAddress: Self { Self(EPITAPH_KEY_MEMORY_REGION_ADDRESS) }
    package static var memoryRegionData: Self { Self(EPITAPH_KEY_MEMORY_REGION_DATA) }
    package static var threadName: Self { Self(EPITAPH_KEY_THREAD_NAME) }
    package static var threadCompleteness: Self { Self(EPITAPH_KEY_THREAD_COMPLETENESS) }
    package static var threadWhy: Self { Self(EPITAPH_KEY_THREAD_WHY) }
    package static var threadSchedulingPolicy: Self { Self(EPITAPH_KEY_THREAD_SCHEDULING_POLICY) }
    package static var threadNice: Self { Self(EPITAPH_KEY_THREAD_NICE) }
    package static var threadRunState: Self { Self(EPITAPH_KEY_THREAD_RUN_STATE) }
    /// Of a partial thread; -1 for none.
    package static var threadSystemCall: Self { Self(EPITAPH_KEY_THREAD_SYSTEM_CALL) }
    /// The first three arguments of futex(2), 8 bytes each, of a partial thread.
    package static var threadFutexArguments: Self { Self(EPITAPH_KEY_THREAD_FUTEX_ARGUMENTS) }
    /// Of a partial thread, from `/proc/self/task/TID/syscall`.
    package static var threadInstructionPointer: Self {
        Self(EPITAPH_KEY_THREAD_INSTRUCTION_POINTER)
    }
    /// Of a partial thread, from `/proc/self/task/TID/syscall`.
    package static var threadStackPointer: Self { Self(EPITAPH_KEY_THREAD_STACK_POINTER) }
    /// Address of `stackUpperData`. Between it and the end of `stackRegionData` are zeros.
    package static var stackUpperAddress: Self { Self(EPITAPH_KEY_STACK_UPPER_ADDRESS) }
    package static var stackUpperData: Self { Self(EPITAPH_KEY_STACK_UPPER_DATA) }
    /// Contexts where chains of callers of Swift tasks were cut: u64 each, at most 8.
    package static var asyncChainCuts: Self { Self(EPITAPH_KEY_ASYNC_CHAIN_CUTS) }
    package static var threadTaskName: Self { Self(EPITAPH_KEY_THREAD_TASK_NAME) }
    package static var threadQueueName: Self { Self(EPITAPH_KEY_THREAD_QUEUE_NAME) }

    // Files of the kernel and the system, in pieces
    package static var systemFiles: Self { Self(EPITAPH_KEY_SYSTEM_FILES) }
    package static var systemFileName: Self { Self(EPITAPH_KEY_SYSTEM_FILE_NAME) }
    package static var systemFileData: Self { Self(EPITAPH_KEY_SYSTEM_FILE_DATA) }

    // Memory, damage, summary
    package static var memoryRegions: Self { Self(EPITAPH_KEY_MEMORY_REGIONS) }
    /// ELF header, program headers, `.eh_frame_hdr` and `.eh_frame` of modules without a file.
    package static var unwindTables: Self { Self(EPITAPH_KEY_UNWIND_TABLES) }
    package static var damage: Self { Self(EPITAPH_KEY_DAMAGE) }
    /// The missing section, such as `threads`, or part, such as `stackRegionData`.
    package static var damageSection: Self { Self(EPITAPH_KEY_DAMAGE_SECTION) }
    package static var damageWhy: Self { Self(EPITAPH_KEY_DAMAGE_WHY) }
    package static var damageErrno: Self { Self(EPITAPH_KEY_DAMAGE_ERRNO) }
    /// A thread id, a position in a list, a count or an address, depending on the section, or 0.
    package static var damageSubject: Self { Self(EPITAPH_KEY_DAMAGE_SUBJECT) }
    package static var damageBytes: Self { Self(EPITAPH_KEY_DAMAGE_BYTES) }
    package static var captureSummary: Self { Self(EPITAPH_KEY_CAPTURE_SUMMARY) }
    package static var captureDuration: Self { Self(EPITAPH_KEY_CAPTURE_DURATION) }
    package static var captureThreadsFound: Self { Self(EPITAPH_KEY_CAPTURE_THREADS_FOUND) }
    package static var captureThreadsStopped: Self { Self(EPITAPH_KEY_CAPTURE_THREADS_STOPPED) }
    /// Live dumps: how long the other threads were stopped.
    package static var capturePause: Self { Self(EPITAPH_KEY_CAPTURE_PAUSE) }
    /// Bytes of memory and registers with text of the environment or command line, replaced by `*`.
    package static var captureBlankedBytes: Self { Self(EPITAPH_KEY_CAPTURE_BLANKED_BYTES) }
}
