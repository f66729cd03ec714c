// SPDX-License-Identifier: Apache-2.0

/// Frames that are on the stack of many crashes and tell none of them apart.
enum NoiseFrames {
    /// Whether a frame at the inner end of the stack is how the process died, not why.
    static func isNoise(_ frame: ReportFrame, of kind: Diagnosis.Kind) -> Bool {
        // Where a runtime noticed something is chance; who called it is not.
        if isAlwaysNoise(frame) || isRuntime(frame) { return true }
        guard let function = frame.function else { return false }
        let name = FunctionName.normalized(function)
        if endings.contains(name) || endingPrefixes.contains(where: name.hasPrefix) { return true }
        switch kind {
        // The standard library's checks, compiled into the program.
        case .swiftRuntimeFailure: return name.hasPrefix("Swift.")
        // Epitaph's handler of std::terminate.
        case .uncaughtException: return ["terminate", "leave_words"].contains(name)
        default: return false
        }
    }

    /// Whether it says nothing anywhere on a stack.
    static func isAlwaysNoise(_ frame: ReportFrame) -> Bool {
        if frame.isSignalFrame { return true }
        guard let name = frame.function else { return false }
        return outermost.contains(name) || outermostPrefixes.contains(where: name.hasPrefix)
            || thunkMarks.contains(where: name.contains)
    }

    private static let thunkMarks = [
        "reabstraction thunk", "thunk for @", "protocol witness for ", "async thunk",
    ]

    /// What calls a program's or a thread's first function.
    private static let outermost: Set<String> = [
        "_start", "__libc_start_main", "__libc_start_main_impl", "__libc_start_call_main",
        "__GI___libc_start_main", "start_thread", "clone", "clone3", "__clone", "__clone3",
        "__GI___clone", "__GI___clone3", "thread_start",
    ]

    /// What calls a task or a queue's work, and Epitaph's own functions.
    private static let outermostPrefixes = [
        "epitaph_", "_dispatch_", "swift_job_run", "swift::runJob", "swift_task_",
    ]

    private static func isRuntime(_ frame: ReportFrame) -> Bool {
        guard let module = frame.place?.moduleName else { return false }
        return runtimes.contains { module == $0 || module.hasPrefix("\($0).so") }
    }

    private static let runtimes = [
        "libc", "libstdc++", "libc++", "libc++abi", "libgcc_s", "libswiftCore",
        "libswift_Concurrency", "libswift_RegexParser", "libswift_StringProcessing", "libpthread",
        "ld-linux-x86-64", "ld-linux-aarch64", "libjemalloc", "libtcmalloc", "libmimalloc",
    ]

    /// Of statically linked runtimes as well as of shared ones.
    private static let endings: Set<String> = [
        "raise", "gsignal", "__GI_raise", "abort", "__GI_abort", "kill", "tgkill", "pthread_kill",
        "__pthread_kill_implementation", "__pthread_kill_internal", "__pthread_kill",
        "__GI___pthread_kill", "__libc_message", "__libc_message_impl", "__fortify_fail",
        "__fortify_fail_abort", "__chk_fail", "__GI___chk_fail", "__stack_chk_fail",
        "__stack_chk_fail_local", "malloc_printerr", "__assert_fail", "__GI___assert_fail",
        "__assert_fail_base", "__assert_perror_fail", "__assert", "_int_free", "_int_malloc",
        "_int_realloc", "malloc_consolidate", "munmap_chunk", "sysmalloc", "unlink_chunk",
        "malloc", "calloc", "realloc", "free", "cfree", "__libc_malloc", "__libc_free",
        "__libc_calloc", "__libc_realloc", "__GI___libc_malloc", "__GI___libc_free",
        "tcache_free", "operator new(unsigned long)", "operator delete(void*)",
        "operator delete(void*, unsigned long)", "operator new[](unsigned long)",
        "operator delete[](void*)", "std::terminate()", "std::terminate", "std::abort",
        "std::unexpected()", "__cxa_throw", "__cxa_rethrow", "__cxa_call_terminate",
        "__cxa_call_unexpected", "__cxa_pure_virtual", "__clang_call_terminate",
        "std::rethrow_exception(std::__exception_ptr::exception_ptr)", "_Unwind_RaiseException",
        "_Unwind_Resume", "_Unwind_Resume_or_Rethrow", "__gxx_personality_v0",
        "rust_panic", "rust_begin_unwind", "__rust_start_panic",
    ]

    private static let endingPrefixes = [
        "Swift runtime failure: ", "_assertionFailure(", "Swift._assertionFailure(",
        "_fatalErrorMessage(", "Swift._fatalErrorMessage(", "swift_fatalError", "swift::fatalError",
        "swift::swift_abort", "swift_unexpectedError", "swift_deletedMethodError",
        "Swift._diagnoseUnexpectedNilOptional(", "_diagnoseUnexpectedNilOptional(",
        "closure #1 in _assertionFailure",
        "closure #1 (Swift.UnsafeBufferPointer<Swift.UInt8>) "
            + "-> Swift.Never in Swift._assertionFailure",
        "Swift.fatalError(", "fatalError(", "Swift.preconditionFailure(", "preconditionFailure(",
        "Swift.precondition(", "precondition(", "Swift.assertionFailure(", "assertionFailure(",
        "__cxxabiv1::", "core::panicking::", "std::panicking::", "std::sys_common::backtrace::",
        "std::sys::backtrace::", "core::option::expect_failed", "core::option::unwrap_failed",
        "core::result::unwrap_failed", "std::process::abort", "std::rt::",
        "std::sys::unix::abort_internal", "std::sys::pal::unix::abort_internal",
    ]
}
