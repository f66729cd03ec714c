// SPDX-License-Identifier: Apache-2.0

import EpitaphValues

enum NoiseFrames {
    /// Innermost frames that show how the process died, not why.
    static func leadingCount(
        _ frames: [ReportFrame], of kind: Diagnosis.Kind? = nil, _ words: FailureWords? = nil
    ) -> Int {
        if let failed = words?.frame, let first = frames.firstIndex(where: { $0.index == failed }) {
            return first
        }
        // A terminate handler of the program's own is called for everything that ends so.
        let isTerminated = kind == .uncaughtException || kind == .pureVirtualCall
        let start = isTerminated ? TerminateCall.end(in: frames)?.position ?? 0 : 0
        let leading = frames.indices[start...].prefix {
            isNoise(frames[$0]) || isOfCompiler(frames[$0], inlinedIn: frames[$0...])
        }
        return start + leading.count
    }

    /// Inlined and declared on no line, while the function around it is on one: what the compiler
    /// derives, such as init(rawValue:) of a Swift enum, which gets its caller's checks.
    private static func isOfCompiler(
        _ frame: ReportFrame, inlinedIn callers: ArraySlice<ReportFrame>
    ) -> Bool {
        guard frame.isInlined, frame.functionLine == nil else { return false }
        return callers.first { !$0.isInlined }?.functionLine != nil
    }

    /// Also one without a name: it, and no function further out, is where something was done.
    static func firstOfProgram(
        _ frames: some Sequence<ReportFrame>, _ modules: [ModuleSnapshot]
    ) -> ReportFrame? {
        frames.drop(while: isNoise).first {
            !isAlwaysNoise($0)
                && ($0.function != nil || $0.place != nil && !$0.isOfSystem(modules))
        }
    }

    /// Whether the thread was in a function that sends signals: raise(3), kill(2), tgkill(2).
    static func raisesSignal(_ frames: [ReportFrame]) -> Bool {
        frames.prefix(leadingCount(frames)).contains { frame in
            frame.function.map { isSender(FunctionName.normalized($0)) } ?? false
        }
    }

    /// - Parameter name: also with the prefixes of glibc's internal names, `__GI___pthread_kill`.
    private static func isSender(_ name: String) -> Bool {
        let rest = name.hasPrefix("__GI_") ? name.dropFirst(5) : name[...]
        return senders.contains(rest.drop { $0 == "_" })
    }

    private static let senders: Set<Substring> = [
        "raise", "gsignal", "kill", "killpg", "tkill", "tgkill", "pthread_kill",
        "pthread_kill_implementation", "pthread_kill_internal", "sigqueue", "pthread_sigqueue",
        "pidfd_send_signal",
    ]

    /// Of frames that are all noise those that tell most: neither how the process ended nor how the
    /// thread began.
    static func withoutEnds(_ frames: [ReportFrame]) -> [ReportFrame] {
        func name(_ frame: ReportFrame) -> String? { frame.function.map(FunctionName.normalized) }
        let start = frames.lastIndex { name($0).map(isEnding) == true }.map { $0 + 1 } ?? 0
        return frames[start...].filter { name($0).map(isBeginning) == false }
    }

    private static func isNoise(_ frame: ReportFrame) -> Bool {
        // Detection in a runtime is chance; its caller is not.
        if isAlwaysNoise(frame) { return true }
        guard let function = frame.function else { return false }
        let name = FunctionName.normalized(function)
        if isEnding(name) { return true }
        // Linked statically; Swift's runtime is never built with debug information.
        return frame.source == nil && (name.hasPrefix("swift_") || name.hasPrefix("_swift_"))
    }

    static func isAlwaysNoise(_ frame: ReportFrame) -> Bool {
        if frame.isSignalFrame || isInRuntime(frame) || frame.isOwn || frame.isOfLibcHeader
            || frame.isOfRustLibrary || frame.isOfGoRuntime
        {
            return true
        }
        guard let function = frame.function else { return false }
        let name = FunctionName.normalized(function)
        return isBeginning(name) || thunkMarks.contains(where: function.has)
            || isGeneratedMain(name) || FunctionContext(name).isRuntime
            || runtimePrefixes.contains(where: name.hasPrefix)
    }

    private static func isEnding(_ name: String) -> Bool {
        endings.contains(name) || isSender(name) || EndingFunction.overflows.contains(name)
            || endingPrefixes.contains(where: name.hasPrefix)
    }

    private static func isBeginning(_ name: String) -> Bool {
        outermost.contains(name) || outermostPrefixes.contains(where: name.hasPrefix)
    }

    /// What the compiler makes of @main: `static main.App.$main() async throws -> ()`
    private static func isGeneratedMain(_ name: String) -> Bool {
        name.hasSuffix("-> ()") && name.has(".$main() ")
    }

    private static let thunkMarks = [
        "reabstraction thunk", "thunk for @", "protocol witness for ", "async thunk",
    ]

    private static let outermost: Set<String> = [
        "_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
        "__GI___libc_start_main", "start_thread", "clone", "clone3", "__clone", "__clone3",
        "__GI___clone", "__GI___clone3", "thread_start", "execute_native_thread_routine",
        "libc_start_main_stage2", "async_Main", "__do_global_dtors_aux", "runtime.main",
        "runtime.goexit",
        "runtime.goexit.abi0",
    ]

    private static let outermostPrefixes = [
        "__gthread_", "core::ops::function::FnOnce::call_once", "core::ptr::drop_in_place",
        "_dispatch_", "swift_job_run", "swift::runJob", "swift_task_",
    ]

    /// Newer names that the demangler does not know: `St` is `std`, Itanium C++ ABI 5.1.10. libgcc's
    /// atomic operations in each program for aarch64: -moutline-atomics of gcc(1).
    private static let runtimePrefixes = [
        "_ZSt", "_ZNSt", "_ZNKSt", "__aarch64_cas", "__aarch64_swp", "__aarch64_ldadd",
        "__aarch64_ldclr", "__aarch64_ldeor", "__aarch64_ldset",
    ]

    private static func isInRuntime(_ frame: ReportFrame) -> Bool {
        guard let module = frame.place?.moduleName else { return false }
        return module.hasPrefix("libswift") && module.has(".so")
            || runtimes.contains { module == $0 || module.hasPrefix("\($0).so") }
    }

    private static let runtimes = [
        "libc", "libstdc++", "libc++", "libc++abi", "libgcc_s", "libm", "libpthread", "librt",
        "libdispatch", "libBlocksRuntime", "libFoundation", "libFoundationEssentials",
        "libFoundationInternationalization", "libFoundationNetworking", "lib_FoundationICU",
        "ld-linux-x86-64", "ld-linux-aarch64", "ld-musl-x86_64", "ld-musl-aarch64", "libjemalloc",
        "libtcmalloc", "libmimalloc",
        "linux-vdso",
    ]

    /// For both static and shared runtimes.
    private static let endings: Set<String> = [
        "abort", "__GI_abort", "__libc_message", "__libc_message_impl", "__fortify_fail",
        "__GI___fortify_fail", "__fortify_fail_abort", "__chk_fail", "__GI___chk_fail",
        "__libc_fatal", "__GI___libc_fatal", "__stack_chk_fail", "__stack_chk_fail_local",
        "malloc_printerr", "__assert_fail", "__GI___assert_fail", "__libc_assert_fail",
        "__assert_fail_base", "__assert_perror_fail", "__assert", "_int_free", "_int_malloc",
        "_int_realloc", "malloc_consolidate", "munmap_chunk", "sysmalloc", "unlink_chunk",
        "malloc", "calloc", "realloc", "free", "cfree", "__libc_malloc", "__libc_free",
        "__libc_calloc", "__libc_realloc", "__GI___libc_malloc", "__GI___libc_free",
        "__wrap_malloc", "__wrap_calloc", "__wrap_realloc", "__wrap_free", "__restore_sigs",
        "tcache_free", "operator new(unsigned long)", "operator delete(void*)",
        "operator delete(void*, unsigned long)", "operator new[](unsigned long)",
        "operator delete[](void*)", "__cxa_throw", "__cxa_rethrow", "__cxa_call_terminate",
        "__cxa_call_unexpected", "__cxa_pure_virtual", "__cxa_deleted_virtual",
        "__clang_call_terminate", "_Unwind_RaiseException",
        "_Unwind_Resume", "_Unwind_Resume_or_Rethrow", "__gxx_personality_v0",
        "rust_panic", "rust_begin_unwind", "__rust_start_panic", "__rustc::rust_begin_unwind",
        "dispatch_assert_queue", "dispatch_assert_queue_not", "dispatch_assert_queue_barrier",
        "dispatch_group_leave", "__DISPATCH_WAIT_FOR_QUEUE__",
        "runtime.raise", "runtime.dieFromSignal", "runtime.crash", "runtime.fatalpanic",
        "runtime.gopanic", "runtime.sigpanic", "runtime.throw", "runtime.fatal",
        "runtime.systemstack", "caml_fatal_error", "caml_fatal_uncaught_exception",
        "default_fatal_uncaught_exception", "__gnat_last_chance_handler",
        "__gnat_unhandled_terminate",
    ]

    private static let endingPrefixes = [
        "Swift runtime failure: ", "_assertionFailure(", "_fatalErrorMessage(",
        "_diagnoseUnexpectedNilOptional(", "closure #1 in _assertionFailure",
        "fatalError(", "preconditionFailure(", "precondition(", "assertionFailure(",
        "__rustc::", "core::panicking::", "core::option::expect_failed",
        "core::option::unwrap_failed",
        "core::result::unwrap_failed", "core::slice::index::", "core::str::slice_error_fail",
        "core::cell::panic_", "alloc::alloc::handle_alloc_error",
        "alloc::raw_vec::capacity_overflow",
        "runtime.goPanic", "runtime.panic", "runtime.fatalthrow", "_d_assert", "_d_arraybounds",
    ]
}

extension ReportFrame {
    /// What headers of libc and the compiler put into the program: with _FORTIFY_SOURCE memcpy(3) is a
    /// function of bits/string_fortified.h, and xmmintrin.h has one for each instruction.
    fileprivate var isOfLibcHeader: Bool {
        guard isInlined, let file = source?.file, file.has("/include/") else { return false }
        if file.has("/lib/gcc/") || file.has("/lib/clang/"), !file.has("/c++/") { return true }
        return file.split(separator: "/").dropLast().last == "bits" && !file.has("/c++/")
    }

    /// Of std, core or alloc, most of which the compiler puts into the program: the file has the
    /// library's commit, or is in the toolchain (rustc --print sysroot).
    fileprivate var isOfRustLibrary: Bool {
        guard let file = source?.file, file.hasSuffix(".rs") else { return false }
        return file.hasPrefix("/rustc/") && file.has("/library/")
            || file.has("/rustlib/src/rust/library/")
    }

    fileprivate var isOfGoRuntime: Bool {
        function?.hasPrefix("runtime.") == true && source?.file.hasSuffix(".go") == true
    }

    /// By the prefix of Epitaph's C functions, the Swift module and the source files.
    package var isOwn: Bool {
        if let function, Self.ownMarks.contains(where: function.has) {
            let name = FunctionName.normalized(function)
            if name.hasPrefix("epitaph_") { return true }
            if let library = FunctionContext(name).library, Self.ownModules.contains(library) {
                return true
            }
        }
        guard let file = source?.file else { return false }
        return Self.ownFolders.contains { file.has($0) }
    }

    /// The last entry, and the last folders, are from older versions of Epitaph.
    private static let ownModules: Set<String> = [
        "Epitaph", "EpitaphCapture", "EpitaphEvents", "EpitaphSystem", "EpitaphUpload",
        "EpitaphHTTP", "EpitaphDatabase", "EpitaphConversion", "EpitaphNames", "EpitaphValues",
        "HandledErrors",
    ]
    /// In every name of ours: most frames are not, and need no closer look.
    private static let ownMarks = ["pitaph", "HandledErrors"]
    private static let ownFolders = [
        "/Sources/Capture/CEpitaph/", "/Sources/Capture/CEpitaphHandler/",
        "/Sources/System/CEpitaphSystem/",
        "/Sources/CEpitaph/", "/Sources/CCrashCapture/", "/Sources/CCallerStack/",
    ]
}
