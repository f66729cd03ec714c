// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import EpitaphValues

// Swift names for the keys of epitaph_dump_format.h, down to breadcrumbs and scopes: what the
// program said of itself. The types at the end of each comment are those of docs/dump-format.md.
extension DumpKey {
    // Root
    /// Version of the format: 1. The first property of a dump. U8.
    package static var version: Self { Self(EPITAPH_KEY_VERSION) }
    /// Processor, as ELF's `e_machine`: 62 x86_64, 183 aarch64. The second property of a dump. U16.
    package static var architecture: Self { Self(EPITAPH_KEY_ARCHITECTURE) }
    /// The signal that ended the process; a live dump may lack it. A map.
    package static var signalException: Self { Self(EPITAPH_KEY_SIGNAL_EXCEPTION) }
    /// One map for each ELF image, the main executable first. An array.
    package static var modules: Self { Self(EPITAPH_KEY_MODULES) }
    /// One map for each annotation of the program; names may repeat. An array.
    package static var annotationsSimpleMap: Self { Self(EPITAPH_KEY_ANNOTATIONS_SIMPLE_MAP) }
    /// Ids, times and owner of the process. A map.
    package static var processInfo: Self { Self(EPITAPH_KEY_PROCESS_INFO) }
    /// The machine and its operating system. A map.
    package static var systemInfo: Self { Self(EPITAPH_KEY_SYSTEM_INFO) }
    /// One map for each thread. The crashing thread's comes first; its registers are those of the
    /// crash, not the handler's. An array.
    package static var threads: Self { Self(EPITAPH_KEY_THREADS) }

    // Launch record
    /// What was written when the program started: which process this is. A map.
    package static var launchRecord: Self { Self(EPITAPH_KEY_LAUNCH_RECORD) }
    /// Process id, getpid(2), in its own pid namespace. I32.
    package static var launchPID: Self { Self(EPITAPH_KEY_LAUNCH_PID) }
    /// Start of the process after boot: field 22 of `/proc/PID/stat`. U64, clock ticks.
    package static var launchStartTicks: Self { Self(EPITAPH_KEY_LAUNCH_START_TICKS) }
    /// The boot that the process belongs to: `/proc/sys/kernel/random/boot_id`. UUID.
    package static var launchBootID: Self { Self(EPITAPH_KEY_LAUNCH_BOOT_ID) }
    /// In which pid namespace the pid counts: the inode of `/proc/self/ns/pid`. U64.
    package static var launchPIDNamespace: Self { Self(EPITAPH_KEY_LAUNCH_PID_NAMESPACE) }
    /// When the record was written, CLOCK_REALTIME. TIMEVAL, since 1970.
    package static var launchTime: Self { Self(EPITAPH_KEY_LAUNCH_TIME) }
    /// The `<bundle-id>` of the dump's file name. STRING.
    package static var launchBundleID: Self { Self(EPITAPH_KEY_LAUNCH_BUNDLE_ID) }
    /// The `<uuid>` of the dump's file name; the report keeps the name's. UUID.
    package static var launchUUID: Self { Self(EPITAPH_KEY_LAUNCH_UUID) }
    /// Path of the executable that was started. STRING.
    package static var launchExecutable: Self { Self(EPITAPH_KEY_LAUNCH_EXECUTABLE) }
    /// How much of the file, counted from its first byte, was set aside for stores. Missing where
    /// there is no head. U32, bytes.
    package static var headBytes: Self { Self(EPITAPH_KEY_HEAD_BYTES) }
    /// What was stored before the first system call of a capture. A map.
    package static var firstRecord: Self { Self(EPITAPH_KEY_FIRST_RECORD) }
    /// `launchUUID` of the dump of a crash that the program's own handler was given last: the file
    /// was armed for the case that it recovers. Missing otherwise. UUID.
    package static var launchAfterCrash: Self { Self(EPITAPH_KEY_LAUNCH_AFTER_CRASH) }
    /// 1 in the dump of a forked child of the process that started Epitaph; otherwise absent. U8.
    package static var launchIsChild: Self { Self(EPITAPH_KEY_LAUNCH_IS_CHILD) }
    /// The `<uuid>` of the breadcrumb file; absent when there is none. UUID.
    package static var launchBreadcrumbFile: Self { Self(EPITAPH_KEY_LAUNCH_BREADCRUMB_FILE) }
    /// How often the kernel had ended a process for want of memory, a line for each control group,
    /// cgroups(7), and one for the kernel. STRING.
    package static var launchOOMKills: Self { Self(EPITAPH_KEY_LAUNCH_OOM_KILLS) }
    /// Signals whose deaths are marked with `endSignal`: bit n - 1 for signal n. Absent for none.
    /// U64.
    package static var launchMarkedSignals: Self { Self(EPITAPH_KEY_LAUNCH_MARKED_SIGNALS) }
    /// 0; 1 is stored there when memory becomes short. The last key of the record. U8.
    package static var launchMemoryWarning: Self { Self(EPITAPH_KEY_LAUNCH_MEMORY_WARNING) }
    /// When the process said that it ended well: it stopped Epitaph or called exit(3). A crash that
    /// comes later is written over it. TIMEVAL, since 1970.
    package static var cleanExit: Self { Self(EPITAPH_KEY_CLEAN_EXIT) }
    /// The signal that the process ended by, with the default action. I32.
    package static var endSignal: Self { Self(EPITAPH_KEY_END_SIGNAL) }
    /// `si_pid`: who sent that signal; absent for one that the kernel sent. I32.
    package static var endSignalSender: Self { Self(EPITAPH_KEY_END_SIGNAL_SENDER) }
    /// When that signal ended the process. TIMEVAL, since 1970.
    package static var endTime: Self { Self(EPITAPH_KEY_END_TIME) }

    // What a dump without a crash is of
    /// What a dump is of that is not of a crash. A map.
    package static var reportRequest: Self { Self(EPITAPH_KEY_REPORT_REQUEST) }
    /// What the report is of: `EPITAPH_REPORT_KIND_…`, which `ReportKind` names. U8.
    package static var reportKind: Self { Self(EPITAPH_KEY_REPORT_KIND) }
    /// How long what the report is about had lasted; 0 where that means nothing. U64, nanoseconds.
    package static var reportDuration: Self { Self(EPITAPH_KEY_REPORT_DURATION) }
    /// `threadID` of the thread that the report is about; absent for none. Its entry is the first
    /// of `threads`, unless the thread had ended. U64.
    package static var reportSubject: Self { Self(EPITAPH_KEY_REPORT_SUBJECT) }
    /// What that thread is to the program, at most 64 bytes; absent for nothing. STRING.
    package static var reportSubjectName: Self { Self(EPITAPH_KEY_REPORT_SUBJECT_NAME) }
    /// Which threads were to be captured. U8.
    package static var reportThreads: Self { Self(EPITAPH_KEY_REPORT_THREADS) }
    /// 1 where the dump is thrown away unless the process was killed for want of memory; otherwise
    /// absent. U8.
    package static var reportIsProvisional: Self { Self(EPITAPH_KEY_REPORT_IS_PROVISIONAL) }

    // Exception
    /// `si_signo` of the signal that ended the process, signal(7). I32.
    package static var signalNumber: Self { Self(EPITAPH_KEY_SIGNAL_NUMBER) }
    /// `si_code`: what caused the signal, sigaction(2). I32.
    package static var signalCode: Self { Self(EPITAPH_KEY_SIGNAL_CODE) }
    /// `si_addr`: the address of the fault; 0 for signals that have none. U64, address.
    package static var signalAddress: Self { Self(EPITAPH_KEY_SIGNAL_ADDRESS) }
    /// The whole `siginfo_t`, 128 bytes. BYTES.
    package static var signalInfo: Self { Self(EPITAPH_KEY_SIGNAL_INFO) }
    /// `si_pid`: who sent the signal; only where a process did. I32.
    package static var signalSenderPID: Self { Self(EPITAPH_KEY_SIGNAL_SENDER_PID) }
    /// `si_uid`: the real user id of the sender; only where a process did. U32.
    package static var signalSenderUID: Self { Self(EPITAPH_KEY_SIGNAL_SENDER_UID) }
    /// `si_errno`, which the kernel leaves 0 for almost all signals. I32.
    package static var signalErrno: Self { Self(EPITAPH_KEY_SIGNAL_ERRNO) }
    /// What runtimes said while the process was dying. An array.
    package static var messages: Self { Self(EPITAPH_KEY_MESSAGES) }
    /// Who wrote the message: `swift`, `glibc`, `c++`, or `app` for the program itself. STRING.
    package static var messageSource: Self { Self(EPITAPH_KEY_MESSAGE_SOURCE) }
    /// The words of the message. STRING.
    package static var messageText: Self { Self(EPITAPH_KEY_MESSAGE_TEXT) }
    /// One map for each crash signal whose handler is not Epitaph's any more. An array.
    package static var displacedHandlers: Self { Self(EPITAPH_KEY_DISPLACED_HANDLERS) }
    /// The number of a signal whose handler was replaced, signal(7). I32.
    package static var displacedSignal: Self { Self(EPITAPH_KEY_DISPLACED_SIGNAL) }
    /// The handler that is there now; 0 for `SIG_DFL`, 1 for `SIG_IGN`. U64, address.
    package static var displacingHandler: Self { Self(EPITAPH_KEY_DISPLACING_HANDLER) }

    // Modules
    /// First address of the loadable segments, page-rounded. U64, address.
    package static var moduleAddress: Self { Self(EPITAPH_KEY_MODULE_ADDRESS) }
    /// Path as the loader or the kernel gave it; `linux-vdso.so.1` for the vdso. STRING.
    package static var moduleName: Self { Self(EPITAPH_KEY_MODULE_NAME) }
    /// From the module's address to the end of its last loadable segment, page-rounded. U64, bytes.
    package static var moduleSize: Self { Self(EPITAPH_KEY_MODULE_SIZE) }
    /// Executable, shared object, dynamic linker or vdso: `EPITAPH_MODULE_…`. U8.
    package static var moduleKind: Self { Self(EPITAPH_KEY_MODULE_KIND) }
    /// Contents of the `NT_GNU_BUILD_ID` note, at most 64 bytes; absent when there is none. BYTES.
    package static var moduleBuildID: Self { Self(EPITAPH_KEY_MODULE_BUILD_ID) }
    /// The name the library gives itself: `DT_SONAME` of its dynamic section. STRING.
    package static var moduleSoname: Self { Self(EPITAPH_KEY_MODULE_SONAME) }
    /// What to add to an address in the ELF file to get one in the process. U64, address.
    package static var moduleLoadBias: Self { Self(EPITAPH_KEY_MODULE_LOAD_BIAS) }
    /// Where the module's dynamic section is in the process. U64, address.
    package static var moduleDynamicAddress: Self { Self(EPITAPH_KEY_MODULE_DYNAMIC_ADDRESS) }
    /// The whole image where no file has it: the vdso. BYTES.
    package static var moduleImage: Self { Self(EPITAPH_KEY_MODULE_IMAGE) }
    /// What debuggers look for in `struct r_debug` of link.h. A map.
    package static var dynamicLinker: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER) }
    /// `r_version` of `struct r_debug`. U32.
    package static var dynamicLinkerVersion: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER_VERSION) }
    /// `r_brk` of `struct r_debug`: the function that the linker calls when modules come and go.
    /// U64, address.
    package static var dynamicLinkerBreakpoint: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER_BREAKPOINT) }
    /// `r_ldbase` of `struct r_debug`: where the dynamic linker itself is loaded. U64, address.
    package static var dynamicLinkerBase: Self { Self(EPITAPH_KEY_DYNAMIC_LINKER_BASE) }
    /// Where the main executable's dynamic section is in the process. U64, address.
    package static var dynamicSectionAddress: Self { Self(EPITAPH_KEY_DYNAMIC_SECTION_ADDRESS) }
    /// The bytes of the main executable's dynamic section. BYTES.
    package static var dynamicSectionData: Self { Self(EPITAPH_KEY_DYNAMIC_SECTION_DATA) }
    /// One map for each module about whose file something is known. An array.
    package static var moduleFiles: Self { Self(EPITAPH_KEY_MODULE_FILES) }
    /// What had become of the module's file at the crash. U8.
    package static var moduleFileState: Self { Self(EPITAPH_KEY_MODULE_FILE_STATE) }

    // Annotations
    /// Name of the annotation or environment variable. STRING.
    package static var annotationName: Self { Self(EPITAPH_KEY_ANNOTATION_NAME) }
    /// The value of the annotation or variable, if it is a string. STRING.
    package static var annotationValue: Self { Self(EPITAPH_KEY_ANNOTATION_VALUE) }
    /// Of which type the value is; absent for a string. U8.
    package static var annotationType: Self { Self(EPITAPH_KEY_ANNOTATION_TYPE) }
    /// The value, if it is no string: the bits of that type. U64.
    package static var annotationBits: Self { Self(EPITAPH_KEY_ANNOTATION_BITS) }
    /// 1 when the text was longer than an annotation may be; otherwise absent. U8.
    package static var annotationIsCut: Self { Self(EPITAPH_KEY_ANNOTATION_IS_CUT) }

    // Breadcrumbs
    /// One map for each file that is to go with the report. An array.
    package static var attachments: Self { Self(EPITAPH_KEY_ATTACHMENTS) }
    /// What the file is to be called in the report. STRING.
    package static var attachmentName: Self { Self(EPITAPH_KEY_ATTACHMENT_NAME) }
    /// Where the file was, an absolute path. STRING.
    package static var attachmentPath: Self { Self(EPITAPH_KEY_ATTACHMENT_PATH) }
    /// One map for each breadcrumb. An array.
    package static var breadcrumbs: Self { Self(EPITAPH_KEY_BREADCRUMBS) }
    /// Its place in the order they were noted in, from 1. Numbers may be missing. U64.
    package static var breadcrumbNumber: Self { Self(EPITAPH_KEY_BREADCRUMB_NUMBER) }
    /// When it was noted, by CLOCK_REALTIME: since 1970-01-01 00:00 UTC. U64, nanoseconds.
    package static var breadcrumbTime: Self { Self(EPITAPH_KEY_BREADCRUMB_TIME) }
    /// From the start of Epitaph, CLOCK_MONOTONIC, as `uptime`: the difference is how long before
    /// the dump it was. Absent for one that is older than that start. U64, nanoseconds.
    package static var breadcrumbUptime: Self { Self(EPITAPH_KEY_BREADCRUMB_UPTIME) }
    /// How serious the event was: `EPITAPH_BREADCRUMB_…`. U8.
    package static var breadcrumbLevel: Self { Self(EPITAPH_KEY_BREADCRUMB_LEVEL) }
    /// What the breadcrumb is about, at most 32 bytes; absent for nothing. STRING.
    package static var breadcrumbCategory: Self { Self(EPITAPH_KEY_BREADCRUMB_CATEGORY) }
    /// What happened, in at most 256 bytes. STRING.
    package static var breadcrumbMessage: Self { Self(EPITAPH_KEY_BREADCRUMB_MESSAGE) }
    /// 1 when category or message were longer, or attributes did not fit; otherwise absent. U8.
    package static var breadcrumbIsCut: Self { Self(EPITAPH_KEY_BREADCRUMB_IS_CUT) }
    /// Of what kind the event was, at most 32 bytes; absent for none. STRING.
    package static var breadcrumbKind: Self { Self(EPITAPH_KEY_BREADCRUMB_KIND) }
    /// One map for each attribute; absent for none. An array.
    package static var breadcrumbAttributes: Self { Self(EPITAPH_KEY_BREADCRUMB_ATTRIBUTES) }

    // The scope of a task
    /// What belongs to the task or thread that crashed, or whose thread asked for the dump; absent
    /// when it is in no scope. A map.
    package static var taskScope: Self { Self(EPITAPH_KEY_TASK_SCOPE) }
    /// One map for each attribute of the scope, with the annotations' keys, the innermost scope
    /// first. An array.
    package static var scopeAttributes: Self { Self(EPITAPH_KEY_SCOPE_ATTRIBUTES) }
    /// One map for each breadcrumb of the scope, with the breadcrumbs' keys. An array.
    package static var scopeBreadcrumbs: Self { Self(EPITAPH_KEY_SCOPE_BREADCRUMBS) }
}
