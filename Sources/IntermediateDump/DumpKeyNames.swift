// SPDX-License-Identifier: Apache-2.0

import CDumpFormat

// Swift names for the keys of epitaph_dump_format.h. Numbers, types and meanings stand there and in
// docs/dump-format.md.
extension DumpKey {
    // Root
    public static var version: DumpKey { DumpKey(EPITAPH_KEY_VERSION) }
    public static var architecture: DumpKey { DumpKey(EPITAPH_KEY_ARCHITECTURE) }
    public static var signalException: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_EXCEPTION) }
    public static var modules: DumpKey { DumpKey(EPITAPH_KEY_MODULES) }
    public static var annotationsSimpleMap: DumpKey { DumpKey(EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP) }
    public static var processInfo: DumpKey { DumpKey(EPITAPH_KEY_PROCESS_INFO) }
    public static var systemInfo: DumpKey { DumpKey(EPITAPH_KEY_SYSTEM_INFO) }
    public static var threads: DumpKey { DumpKey(EPITAPH_KEY_THREADS) }

    // Launch record
    public static var launchRecord: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_RECORD) }
    public static var launchPID: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_PID) }
    public static var launchStartTicks: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_START_TICKS) }
    public static var launchBootID: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_BOOT_ID) }
    public static var launchPIDNamespace: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_PID_NAMESPACE) }
    public static var launchTime: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_TIME) }
    public static var launchBundleID: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_BUNDLE_ID) }
    public static var launchUUID: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_UUID) }
    public static var launchExecutable: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_EXECUTABLE) }
    public static var headBytes: DumpKey { DumpKey(EPITAPH_KEY_HEAD_BYTES) }
    public static var firstRecord: DumpKey { DumpKey(EPITAPH_KEY_FIRST_RECORD) }
    public static var launchAfterCrash: DumpKey { DumpKey(EPITAPH_KEY_LAUNCH_AFTER_CRASH) }
    public static var cleanExit: DumpKey { DumpKey(EPITAPH_KEY_CLEAN_EXIT) }

    // What a dump without a crash is of
    public static var reportRequest: DumpKey { DumpKey(EPITAPH_KEY_REPORT_REQUEST) }
    public static var reportKind: DumpKey { DumpKey(EPITAPH_KEY_REPORT_KIND) }
    public static var reportDuration: DumpKey { DumpKey(EPITAPH_KEY_REPORT_DURATION) }
    public static var reportSubject: DumpKey { DumpKey(EPITAPH_KEY_REPORT_SUBJECT) }
    public static var reportSubjectName: DumpKey { DumpKey(EPITAPH_KEY_REPORT_SUBJECT_NAME) }
    public static var reportThreads: DumpKey { DumpKey(EPITAPH_KEY_REPORT_THREADS) }
    public static var reportIsProvisional: DumpKey { DumpKey(EPITAPH_KEY_REPORT_IS_PROVISIONAL) }

    // Exception
    public static var signalNumber: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_NUMBER) }
    public static var signalCode: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_CODE) }
    public static var signalAddress: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_ADDRESS) }
    public static var signalInfo: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_INFO) }
    public static var signalSenderPID: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_SENDER_PID) }
    public static var signalSenderUID: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_SENDER_UID) }
    public static var signalErrno: DumpKey { DumpKey(EPITAPH_KEY_SIGNAL_ERRNO) }
    public static var messages: DumpKey { DumpKey(EPITAPH_KEY_MESSAGES) }
    public static var messageSource: DumpKey { DumpKey(EPITAPH_KEY_MESSAGE_SOURCE) }
    public static var messageText: DumpKey { DumpKey(EPITAPH_KEY_MESSAGE_TEXT) }
    public static var displacedHandlers: DumpKey { DumpKey(EPITAPH_KEY_DISPLACED_HANDLERS) }
    public static var displacedSignal: DumpKey { DumpKey(EPITAPH_KEY_DISPLACED_SIGNAL) }
    public static var displacingHandler: DumpKey { DumpKey(EPITAPH_KEY_DISPLACING_HANDLER) }

    // Modules
    public static var moduleAddress: DumpKey { DumpKey(EPITAPH_KEY_MODULE_ADDRESS) }
    public static var moduleName: DumpKey { DumpKey(EPITAPH_KEY_MODULE_NAME) }
    public static var moduleSize: DumpKey { DumpKey(EPITAPH_KEY_MODULE_SIZE) }
    public static var moduleKind: DumpKey { DumpKey(EPITAPH_KEY_MODULE_KIND) }
    public static var moduleBuildID: DumpKey { DumpKey(EPITAPH_KEY_MODULE_BUILD_ID) }
    public static var moduleSoname: DumpKey { DumpKey(EPITAPH_KEY_MODULE_SONAME) }
    public static var moduleLoadBias: DumpKey { DumpKey(EPITAPH_KEY_MODULE_LOAD_BIAS) }
    public static var moduleDynamicAddress: DumpKey { DumpKey(EPITAPH_KEY_MODULE_DYNAMIC_ADDRESS) }
    public static var moduleImage: DumpKey { DumpKey(EPITAPH_KEY_MODULE_IMAGE) }
    public static var dynamicLinker: DumpKey { DumpKey(EPITAPH_KEY_DYNAMIC_LINKER) }
    public static var dynamicLinkerVersion: DumpKey { DumpKey(EPITAPH_KEY_DYNAMIC_LINKER_VERSION) }
    public static var dynamicLinkerBreakpoint: DumpKey {
        DumpKey(EPITAPH_KEY_DYNAMIC_LINKER_BREAKPOINT)
    }
    public static var dynamicLinkerBase: DumpKey { DumpKey(EPITAPH_KEY_DYNAMIC_LINKER_BASE) }
    public static var dynamicSectionAddress: DumpKey {
        DumpKey(EPITAPH_KEY_DYNAMIC_SECTION_ADDRESS)
    }
    public static var dynamicSectionData: DumpKey { DumpKey(EPITAPH_KEY_DYNAMIC_SECTION_DATA) }
    public static var moduleFiles: DumpKey { DumpKey(EPITAPH_KEY_MODULE_FILES) }
    public static var moduleFileState: DumpKey { DumpKey(EPITAPH_KEY_MODULE_FILE_STATE) }

    // Annotations
    public static var annotationName: DumpKey { DumpKey(EPITAPH_KEY_ANNOTATION_NAME) }
    public static var annotationValue: DumpKey { DumpKey(EPITAPH_KEY_ANNOTATION_VALUE) }

    // Breadcrumbs
    public static var attachments: DumpKey { DumpKey(EPITAPH_KEY_ATTACHMENTS) }
    public static var attachmentName: DumpKey { DumpKey(EPITAPH_KEY_ATTACHMENT_NAME) }
    public static var attachmentPath: DumpKey { DumpKey(EPITAPH_KEY_ATTACHMENT_PATH) }
    public static var breadcrumbs: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMBS) }
    public static var breadcrumbNumber: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMB_NUMBER) }
    public static var breadcrumbTime: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMB_TIME) }
    public static var breadcrumbUptime: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMB_UPTIME) }
    public static var breadcrumbLevel: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMB_LEVEL) }
    public static var breadcrumbCategory: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMB_CATEGORY) }
    public static var breadcrumbMessage: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMB_MESSAGE) }
    public static var breadcrumbIsCut: DumpKey { DumpKey(EPITAPH_KEY_BREADCRUMB_IS_CUT) }

    // Process
    public static var parentPID: DumpKey { DumpKey(EPITAPH_KEY_PARENT_PID) }
    public static var pid: DumpKey { DumpKey(EPITAPH_KEY_PID) }
    public static var startTime: DumpKey { DumpKey(EPITAPH_KEY_START_TIME) }
    public static var snapshotTime: DumpKey { DumpKey(EPITAPH_KEY_SNAPSHOT_TIME) }
    public static var taskBasicInfo: DumpKey { DumpKey(EPITAPH_KEY_TASK_BASIC_INFO) }
    public static var systemTime: DumpKey { DumpKey(EPITAPH_KEY_SYSTEM_TIME) }
    public static var userTime: DumpKey { DumpKey(EPITAPH_KEY_USER_TIME) }
    public static var userID: DumpKey { DumpKey(EPITAPH_KEY_USER_ID) }
    public static var commandLine: DumpKey { DumpKey(EPITAPH_KEY_COMMAND_LINE) }
    public static var environment: DumpKey { DumpKey(EPITAPH_KEY_ENVIRONMENT) }

    // System
    public static var cpuCount: DumpKey { DumpKey(EPITAPH_KEY_CPU_COUNT) }
    public static var cpuVendor: DumpKey { DumpKey(EPITAPH_KEY_CPU_VENDOR) }
    public static var machineDescription: DumpKey { DumpKey(EPITAPH_KEY_MACHINE_DESCRIPTION) }
    public static var osVersionBuild: DumpKey { DumpKey(EPITAPH_KEY_OS_VERSION_BUILD) }
    public static var pageSize: DumpKey { DumpKey(EPITAPH_KEY_PAGE_SIZE) }
    public static var addressMask: DumpKey { DumpKey(EPITAPH_KEY_ADDRESS_MASK) }
    public static var uptime: DumpKey { DumpKey(EPITAPH_KEY_UPTIME) }
    public static var kernelName: DumpKey { DumpKey(EPITAPH_KEY_KERNEL_NAME) }
    public static var kernelRelease: DumpKey { DumpKey(EPITAPH_KEY_KERNEL_RELEASE) }
    public static var cpuSignature: DumpKey { DumpKey(EPITAPH_KEY_CPU_SIGNATURE) }
    public static var cpuFeatures: DumpKey { DumpKey(EPITAPH_KEY_CPU_FEATURES) }
    public static var hardwareCapabilities: DumpKey { DumpKey(EPITAPH_KEY_HARDWARE_CAPABILITIES) }
    public static var hardwareCapabilities2: DumpKey {
        DumpKey(EPITAPH_KEY_HARDWARE_CAPABILITIES_2)
    }

    // Threads
    public static var floatState: DumpKey { DumpKey(EPITAPH_KEY_FLOAT_STATE) }
    public static var threadState: DumpKey { DumpKey(EPITAPH_KEY_THREAD_STATE) }
    public static var threadPriority: DumpKey { DumpKey(EPITAPH_KEY_THREAD_PRIORITY) }
    public static var stackRegionAddress: DumpKey { DumpKey(EPITAPH_KEY_STACK_REGION_ADDRESS) }
    public static var stackRegionData: DumpKey { DumpKey(EPITAPH_KEY_STACK_REGION_DATA) }
    public static var threadID: DumpKey { DumpKey(EPITAPH_KEY_THREAD_ID) }
    public static var threadDataAddress: DumpKey { DumpKey(EPITAPH_KEY_THREAD_DATA_ADDRESS) }
    public static var threadContextMemoryRegions: DumpKey {
        DumpKey(EPITAPH_KEY_THREAD_CONTEXT_MEMORY_REGIONS)
    }
    public static var memoryRegionAddress: DumpKey { DumpKey(EPITAPH_KEY_MEMORY_REGION_ADDRESS) }
    public static var memoryRegionData: DumpKey { DumpKey(EPITAPH_KEY_MEMORY_REGION_DATA) }
    public static var threadName: DumpKey { DumpKey(EPITAPH_KEY_THREAD_NAME) }
    public static var threadCompleteness: DumpKey { DumpKey(EPITAPH_KEY_THREAD_COMPLETENESS) }
    public static var threadWhy: DumpKey { DumpKey(EPITAPH_KEY_THREAD_WHY) }
    public static var threadSchedulingPolicy: DumpKey {
        DumpKey(EPITAPH_KEY_THREAD_SCHEDULING_POLICY)
    }
    public static var threadNice: DumpKey { DumpKey(EPITAPH_KEY_THREAD_NICE) }
    public static var threadRunState: DumpKey { DumpKey(EPITAPH_KEY_THREAD_RUN_STATE) }
    public static var threadSystemCall: DumpKey { DumpKey(EPITAPH_KEY_THREAD_SYSTEM_CALL) }
    public static var threadInstructionPointer: DumpKey {
        DumpKey(EPITAPH_KEY_THREAD_INSTRUCTION_POINTER)
    }
    public static var threadStackPointer: DumpKey { DumpKey(EPITAPH_KEY_THREAD_STACK_POINTER) }
    public static var stackUpperAddress: DumpKey { DumpKey(EPITAPH_KEY_STACK_UPPER_ADDRESS) }
    public static var stackUpperData: DumpKey { DumpKey(EPITAPH_KEY_STACK_UPPER_DATA) }
    public static var asyncChainCuts: DumpKey { DumpKey(EPITAPH_KEY_ASYNC_CHAIN_CUTS) }

    // Files of the kernel and the system, in pieces
    public static var systemFiles: DumpKey { DumpKey(EPITAPH_KEY_SYSTEM_FILES) }
    public static var systemFileName: DumpKey { DumpKey(EPITAPH_KEY_SYSTEM_FILE_NAME) }
    public static var systemFileData: DumpKey { DumpKey(EPITAPH_KEY_SYSTEM_FILE_DATA) }

    // Memory, damage, summary
    public static var memoryRegions: DumpKey { DumpKey(EPITAPH_KEY_MEMORY_REGIONS) }
    public static var unwindTables: DumpKey { DumpKey(EPITAPH_KEY_UNWIND_TABLES) }
    public static var damage: DumpKey { DumpKey(EPITAPH_KEY_DAMAGE) }
    public static var damageSection: DumpKey { DumpKey(EPITAPH_KEY_DAMAGE_SECTION) }
    public static var damageWhy: DumpKey { DumpKey(EPITAPH_KEY_DAMAGE_WHY) }
    public static var damageErrno: DumpKey { DumpKey(EPITAPH_KEY_DAMAGE_ERRNO) }
    public static var damageSubject: DumpKey { DumpKey(EPITAPH_KEY_DAMAGE_SUBJECT) }
    public static var damageBytes: DumpKey { DumpKey(EPITAPH_KEY_DAMAGE_BYTES) }
    public static var captureSummary: DumpKey { DumpKey(EPITAPH_KEY_CAPTURE_SUMMARY) }
    public static var captureDuration: DumpKey { DumpKey(EPITAPH_KEY_CAPTURE_DURATION) }
    public static var captureThreadsFound: DumpKey { DumpKey(EPITAPH_KEY_CAPTURE_THREADS_FOUND) }
    public static var captureThreadsStopped: DumpKey {
        DumpKey(EPITAPH_KEY_CAPTURE_THREADS_STOPPED)
    }
    public static var capturePause: DumpKey { DumpKey(EPITAPH_KEY_CAPTURE_PAUSE) }
    public static var captureBlankedBytes: DumpKey { DumpKey(EPITAPH_KEY_CAPTURE_BLANKED_BYTES) }
}
