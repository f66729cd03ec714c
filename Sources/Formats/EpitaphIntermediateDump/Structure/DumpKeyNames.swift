// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

// The keys of epitaph_dump_format.h that hold what the program said of itself.
extension DumpKey {
    // Root
    /// The first property of a dump.
    package static var version: Self { Self(EPITAPH_KEY_VERSION) }
    /// The second property of a dump; ELF's `e_machine`.
    package static var architecture: Self { Self(EPITAPH_KEY_ARCHITECTURE) }
    package static var signalException: Self { Self(EPITAPH_KEY_SIGNAL_EXCEPTION) }
    package static var modules: Self { Self(EPITAPH_KEY_MODULES) }
    package static var annotationsSimpleMap: Self { Self(EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP) }
    package static var processInfo: Self { Self(EPITAPH_KEY_PROCESS_INFO) }
    package static var systemInfo: Self { Self(EPITAPH_KEY_SYSTEM_INFO) }
    /// The crashing thread first, with the registers of the crash, not the handler's.
    package static var threads: Self { Self(EPITAPH_KEY_THREADS) }

    // Launch record
    package static var launchRecord: Self { Self(EPITAPH_KEY_LAUNCH_RECORD) }
    package static var launchPID: Self { Self(EPITAPH_KEY_LAUNCH_PID) }
    package static var launchStartTicks: Self { Self(EPITAPH_KEY_LAUNCH_START_TICKS) }
    package static var launchBootID: Self { Self(EPITAPH_KEY_LAUNCH_BOOT_ID) }
    package static var launchPIDNamespace: Self { Self(EPITAPH_KEY_LAUNCH_PID_NAMESPACE) }
    package static var launchTime: Self { Self(EPITAPH_KEY_LAUNCH_TIME) }
    package static var launchBundleID: Self { Self(EPITAPH_KEY_LAUNCH_BUNDLE_ID) }
    package static var launchUUID: Self { Self(EPITAPH_KEY_LAUNCH_UUID) }
    package static var launchExecutable: Self { Self(EPITAPH_KEY_LAUNCH_EXECUTABLE) }
    /// Bytes at the start of the file reserved for stores. Missing without a head.
    package static var headBytes: Self { Self(EPITAPH_KEY_HEAD_BYTES) }
    /// Stored before the first system call of a capture.
    package static var firstRecord: Self { Self(EPITAPH_KEY_FIRST_RECORD) }
    /// `launchUUID` of the last crash that the program's handler got, perhaps recovering.
    package static var launchAfterCrash: Self { Self(EPITAPH_KEY_LAUNCH_AFTER_CRASH) }
    package static var launchIsChild: Self { Self(EPITAPH_KEY_LAUNCH_IS_CHILD) }
    package static var launchBreadcrumbFile: Self { Self(EPITAPH_KEY_LAUNCH_BREADCRUMB_FILE) }
    /// A line for each control group, cgroups(7), and one for the kernel.
    package static var launchOOMKills: Self { Self(EPITAPH_KEY_LAUNCH_OOM_KILLS) }
    /// Signals whose deaths are marked with `endSignal`: bit n - 1 for signal n.
    package static var launchMarkedSignals: Self { Self(EPITAPH_KEY_LAUNCH_MARKED_SIGNALS) }
    /// 0; set to 1 when memory becomes short. The last key of the record.
    package static var launchMemoryWarning: Self { Self(EPITAPH_KEY_LAUNCH_MEMORY_WARNING) }
    /// When Epitaph was stopped or exit(3) called. A later crash overwrites it.
    package static var cleanExit: Self { Self(EPITAPH_KEY_CLEAN_EXIT) }
    /// The signal that ended the process by its default action.
    package static var endSignal: Self { Self(EPITAPH_KEY_END_SIGNAL) }
    package static var endSignalSender: Self { Self(EPITAPH_KEY_END_SIGNAL_SENDER) }
    package static var endTime: Self { Self(EPITAPH_KEY_END_TIME) }

    // Dumps without a crash
    package static var reportRequest: Self { Self(EPITAPH_KEY_REPORT_REQUEST) }
    /// `EPITAPH_REPORT_KIND_…`; see `ReportKind`.
    package static var reportKind: Self { Self(EPITAPH_KEY_REPORT_KIND) }
    package static var reportDuration: Self { Self(EPITAPH_KEY_REPORT_DURATION) }
    /// `threadID` of the report's subject, the first of `threads` unless it had ended.
    package static var reportSubject: Self { Self(EPITAPH_KEY_REPORT_SUBJECT) }
    package static var reportSubjectName: Self { Self(EPITAPH_KEY_REPORT_SUBJECT_NAME) }
    package static var reportThreads: Self { Self(EPITAPH_KEY_REPORT_THREADS) }
    /// 1 if the dump counts only if the process is killed for lack of memory; otherwise missing.
    package static var reportIsProvisional: Self { Self(EPITAPH_KEY_REPORT_IS_PROVISIONAL) }

    // Exception
    package static var signalNumber: Self { Self(EPITAPH_KEY_SIGNAL_NUMBER) }
    package static var signalCode: Self { Self(EPITAPH_KEY_SIGNAL_CODE) }
    package static var signalAddress: Self { Self(EPITAPH_KEY_SIGNAL_ADDRESS) }
    package static var signalInfo: Self { Self(EPITAPH_KEY_SIGNAL_INFO) }
    package static var signalSenderPID: Self { Self(EPITAPH_KEY_SIGNAL_SENDER_PID) }
    package static var signalSenderUID: Self { Self(EPITAPH_KEY_SIGNAL_SENDER_UID) }
    package static var signalErrno: Self { Self(EPITAPH_KEY_SIGNAL_ERRNO) }
    package static var messages: Self { Self(EPITAPH_KEY_MESSAGES) }
    package static var messageSource: Self { Self(EPITAPH_KEY_MESSAGE_SOURCE) }
    package static var messageText: Self { Self(EPITAPH_KEY_MESSAGE_TEXT) }
    package static var displacedHandlers: Self { Self(EPITAPH_KEY_DISPLACED_HANDLERS) }
    package static var displacedSignal: Self { Self(EPITAPH_KEY_DISPLACED_SIGNAL) }
    /// 0 for `SIG_DFL`, 1 for `SIG_IGN`.
    package static var displacingHandler: Self { Self(EPITAPH_KEY_DISPLACING_HANDLER) }

    // Modules
    package static var moduleAddress: Self { Self(EPITAPH_KEY_MODULE_ADDRESS) }
    package static var moduleName: Self { Self(EPITAPH_KEY_MODULE_NAME) }
    package static var moduleSize: Self { Self(EPITAPH_KEY_MODULE_SIZE) }
    package static var moduleKind: Self { Self(EPITAPH_KEY_MODULE_KIND) }
    /// At most 64 bytes of `NT_GNU_BUILD_ID`.
    package static var moduleBuildID: Self { Self(EPITAPH_KEY_MODULE_BUILD_ID) }
    package static var moduleSoname: Self { Self(EPITAPH_KEY_MODULE_SONAME) }
    /// Added to an address of the file to get one in the process.
    package static var moduleLoadBias: Self { Self(EPITAPH_KEY_MODULE_LOAD_BIAS) }
    package static var moduleDynamicAddress: Self { Self(EPITAPH_KEY_MODULE_DYNAMIC_ADDRESS) }
    /// The whole image of a module without a file: the vdso.
    package static var moduleImage: Self { Self(EPITAPH_KEY_MODULE_IMAGE) }
    package static var dynamicLinker: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER) }
    package static var dynamicLinkerVersion: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER_VERSION) }
    package static var dynamicLinkerBreakpoint: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER_BREAKPOINT) }
    package static var dynamicLinkerBase: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER_BASE) }
    package static var dynamicSectionAddress: Self { Self(EPITAPH_KEY_DYNAMIC_SECTION_ADDRESS) }
    package static var dynamicSectionData: Self { Self(EPITAPH_KEY_DYNAMIC_SECTION_DATA) }
    package static var moduleFiles: Self { Self(EPITAPH_KEY_MODULE_FILES) }
    package static var unloadedModules: Self { Self(EPITAPH_KEY_UNLOADED_MODULES) }
    package static var moduleFileState: Self { Self(EPITAPH_KEY_MODULE_FILE_STATE) }

    // Annotations
    package static var annotationName: Self { Self(EPITAPH_KEY_ANNOTATION_NAME) }
    package static var annotationValue: Self { Self(EPITAPH_KEY_ANNOTATION_VALUE) }
    package static var annotationType: Self { Self(EPITAPH_KEY_ANNOTATION_TYPE) }
    /// The bits of a value that is not a string.
    package static var annotationBits: Self { Self(EPITAPH_KEY_ANNOTATION_BITS) }
    package static var annotationIsCut: Self { Self(EPITAPH_KEY_ANNOTATION_IS_CUT) }

    // Breadcrumbs
    package static var attachments: Self { Self(EPITAPH_KEY_ATTACHMENTS) }
    package static var attachmentName: Self { Self(EPITAPH_KEY_ATTACHMENT_NAME) }
    package static var attachmentPath: Self { Self(EPITAPH_KEY_ATTACHMENT_PATH) }
    package static var breadcrumbs: Self { Self(EPITAPH_KEY_BREADCRUMBS) }
    /// Position in the order noted, from 1. Numbers may be missing.
    package static var breadcrumbNumber: Self { Self(EPITAPH_KEY_BREADCRUMB_NUMBER) }
    /// CLOCK_REALTIME, in nanoseconds.
    package static var breadcrumbTime: Self { Self(EPITAPH_KEY_BREADCRUMB_TIME) }
    /// CLOCK_MONOTONIC, in nanoseconds, as `uptime`. Missing if older than the start of Epitaph.
    package static var breadcrumbUptime: Self { Self(EPITAPH_KEY_BREADCRUMB_UPTIME) }
    package static var breadcrumbLevel: Self { Self(EPITAPH_KEY_BREADCRUMB_LEVEL) }
    package static var breadcrumbCategory: Self { Self(EPITAPH_KEY_BREADCRUMB_CATEGORY) }
    package static var breadcrumbMessage: Self { Self(EPITAPH_KEY_BREADCRUMB_MESSAGE) }
    package static var breadcrumbIsCut: Self { Self(EPITAPH_KEY_BREADCRUMB_IS_CUT) }
    package static var breadcrumbKind: Self { Self(EPITAPH_KEY_BREADCRUMB_KIND) }
    package static var breadcrumbAttributes: Self { Self(EPITAPH_KEY_BREADCRUMB_ATTRIBUTES) }

    // The scope of a task
    /// The scope of the task or thread that crashed, or that asked for the dump.
    package static var taskScope: Self { Self(EPITAPH_KEY_TASK_SCOPE) }
    /// Innermost scope first, with the annotations' keys.
    package static var scopeAttributes: Self { Self(EPITAPH_KEY_SCOPE_ATTRIBUTES) }
    package static var scopeBreadcrumbs: Self { Self(EPITAPH_KEY_SCOPE_BREADCRUMBS) }
}
