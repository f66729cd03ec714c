// SPDX-License-Identifier: Apache-2.0

/// Runtime functions called only to end a program, one reason each. For deaths without a message.
final class EndingFunction {
    private let row: Row
    private let frame: ReportFrame
    private let frames: [ReportFrame]

    /// Picks the outermost one, which is closest to the cause.
    /// - Parameter start: the first frame to look at.
    init?(_ scene: CrashScene, from start: Int = 0) {
        frames = Array(scene.frames[start...])
        for frame in frames.prefix(NoiseFrames.leadingCount(frames)).reversed() {
            guard let function = frame.function else { continue }
            let name = FunctionName.normalized(function)
            guard let row = EndingFunction.rows.first(where: { $0.matches(name) }) else { continue }
            (self.row, self.frame) = (row, frame)
            return
        }
        return nil
    }

    /// Where there is an exception, or may be one, `throw;` is no error.
    var endsBesideException: Bool { !row.starts.contains("__cxa_rethrow") }

    func diagnosis(_ scene: CrashScene) -> Diagnosis {
        var diagnosis = Diagnosis(kind: row.kind, headline: row.headline)
        let name = frame.shortFunction ?? ""
        let evidence = "The stack has \(name), which ends a process for nothing else."
        diagnosis.add(row.statement, evidence: evidence)
        let caller = NoiseFrames.firstOfProgram(frames, scene.snapshot.modules)
        if let place = caller?.shortPlace {
            diagnosis.add(
                "It was called from \(place).",
                evidence: "This is the innermost frame of the program's own code.")
        }
        return diagnosis
    }

    private struct Row {
        let starts: [String]
        let kind: Diagnosis.Kind
        let headline: String
        let statement: String

        init(
            _ starts: [String], _ kind: Diagnosis.Kind, _ headline: String, _ statement: String
        ) {
            self.starts = starts
            self.kind = kind
            self.headline = headline
            self.statement = statement
        }

        func matches(_ name: String) -> Bool {
            starts.contains { start in
                guard name.hasPrefix(start) else { return false }
                // `dispatch_group_leave` and not `dispatch_group_leave_twice`.
                let next = name.dropFirst(start.count).first
                return next.map { !$0.isLetter && !$0.isNumber && $0 != "_" } ?? true
                    || start.hasSuffix("::")
            }
        }
    }

    private static let rows: [Row] =
        cxx + executors + concurrency + dispatch + checks + languages

    // Itanium C++ ABI, 3.2.6; [thread.thread.destr]; [except.throw].
    private static let cxx = [
        Row(
            ["__cxa_pure_virtual"], .pureVirtualCall, "called a pure virtual function",
            "The object was of a class that does not have the function yet or any more: a base "
                + "class's constructor or destructor was running, or the object was gone."),
        Row(
            ["__cxa_deleted_virtual"], .pureVirtualCall, "called a deleted virtual function",
            "The object's class has deleted the function."),
        Row(
            ["std::thread::~thread", "std::thread::operator=", "std::__1::thread::~thread"],
            .uncaughtException,
            "destroyed a std::thread that was neither joined nor detached",
            "A std::thread must be joined or detached before it goes; std::terminate is called "
                + "otherwise."),
        Row(
            ["__cxa_rethrow"], .uncaughtException,
            "rethrew an exception where there is none (`throw;` outside of a handler)",
            "`throw;` throws the exception that is being handled, and none was."),
        Row(
            ["std::__glibcxx_assert_fail", "std::__replacement_assert"], .assertion,
            "failed a check of the C++ standard library",
            "The library was called with something it cannot do, as with an index out of range or "
                + "an empty pointer; what exactly it wrote to standard error."),
        Row(
            ["std::__libcpp_verbose_abort", "std::__1::__libcpp_verbose_abort"], .assertion,
            "failed a check of the C++ standard library",
            "The library was called with something it cannot do; what exactly it wrote to standard "
                + "error."),
    ]

    // SE-0392, SE-0423, SE-0424; stdlib/public/Concurrency/Actor.cpp.
    private static let executors = [
        Row(
            ["static Swift.MainActor.assumeIsolated", "Swift.MainActor.assumeIsolated"],
            .wrongExecutor,
            "ran code of the main actor elsewhere: MainActor.assumeIsolated was wrong",
            "The code was taken to run on the main actor, and did not run on the main thread."),
        Row(
            [
                "(extension in Swift):Swift.Actor.assumeIsolated", "Swift.Actor.assumeIsolated",
                "(extension in Swift):Swift.GlobalActor.assumeIsolated",
                "static (extension in Swift):Swift.GlobalActor.assumeIsolated",
            ], .wrongExecutor, "ran code of an actor elsewhere: assumeIsolated was wrong",
            "The code was taken to run on the actor's executor, and did not."),
        Row(
            [
                "(extension in Swift):Swift.Actor.preconditionIsolated",
                "(extension in Swift):Swift.SerialExecutor.preconditionIsolated",
                "static (extension in Swift):Swift.GlobalActor.preconditionIsolated",
                "(extension in Swift):Swift.Actor.assertIsolated",
                "(extension in Swift):Swift.SerialExecutor.assertIsolated",
                "static (extension in Swift):Swift.GlobalActor.assertIsolated",
            ], .wrongExecutor, "ran on the wrong executor: a check of isolation failed",
            "The code checks that it runs on an actor's executor, and it did not."),
        Row(
            [
                "_swift_task_checkIsolatedSwift", "swift_task_checkIsolated",
                "swift_task_checkIsolatedImpl", "swift_task_reportUnexpectedExecutor",
                "swift_task_isCurrentExecutorWithFlags",
            ], .wrongExecutor,
            "ran code of an actor on the wrong executor",
            "The compiler checks that code of an actor, also in a closure or behind a protocol that "
                + "does not know of actors, runs on the actor's executor; it ran elsewhere."),
    ]

    // stdlib/public/Concurrency/Error.cpp and TaskAlloc.cpp. Swift's fatalError has a message.
    private static let concurrency = [
        Row(
            ["swift_task_dealloc"], .abort, "freed memory of a Swift task out of order",
            "A task frees its memory in the reverse order of its allocation. A continuation that "
                + "was resumed twice breaks that, as does a write outside of a task's memory."),
        Row(
            ["swift::swift_Concurrency_fatalError", "swift::swift_Concurrency_fatalErrorv"], .abort,
            "was stopped by Swift's runtime for tasks",
            "What it found went to standard error."),
    ]

    // libdispatch client crashes, src/queue.c and src/semaphore.c; messages need a debugger.
    private static let dispatch = [
        Row(
            [
                "_dispatch_assert_queue_fail", "_dispatch_assert_queue_barrier_fail",
                "dispatch_assert_queue", "Dispatch.dispatchPrecondition",
                "Dispatch._dispatchPreconditionTest",
            ], .wrongExecutor,
            "ran on the wrong dispatch queue: a dispatchPrecondition failed",
            "The code checks which dispatch queue it runs on, or does not run on, and it was "
                + "another."),
        Row(
            ["__DISPATCH_WAIT_FOR_QUEUE__"], .trap,
            "called sync on the dispatch queue it was running on",
            "The call would never have returned, a deadlock: libdispatch stopped the program."),
        Row(
            ["dispatch_group_leave", "_dispatch_group_leave"], .trap,
            "left a dispatch group that it had not entered",
            "There were more calls of leave than of enter: libdispatch stopped the program."),
        Row(
            ["_dispatch_semaphore_dispose", "_dispatch_group_dispose"], .trap,
            "destroyed a dispatch semaphore or group that was in use",
            "Its value was lower than when it was made, or somebody was still to leave it: "
                + "libdispatch stopped the program."),
        Row(
            ["dispatch_resume", "_dispatch_lane_resume", "_dispatch_lane_resume_slow"], .trap,
            "resumed a dispatch object that was not suspended",
            "There were more calls of resume than of suspend: libdispatch stopped the program."),
        Row(
            [
                "_dispatch_lane_class_dispose", "_dispatch_lane_xref_dispose",
                "_dispatch_queue_xref_dispose", "_dispatch_source_xref_dispose",
            ], .trap, "released a dispatch object that was suspended or never activated",
            "Such an object must be resumed before its last reference goes: libdispatch stopped the "
                + "program."),
    ]

    static let overflows = ["add", "sub", "mul", "neg", "abs"].flatMap { operation in
        ["si", "di", "ti"].map { size in
            "__\(operation)v\(size)\(["neg", "abs"].contains(operation) ? "2" : "3")"
        }
    }

    /// C runtimes that leave no message, as when linked statically.
    private static let checks = [
        Row(
            ["__stack_chk_fail", "__stack_chk_fail_local"], .stackSmashing,
            "overwrote its stack: stack smashing detected",
            "A function wrote past the end of a buffer on its stack."),
        Row(
            // libgcc2.c, for code that was compiled with -ftrapv.
            overflows, .abort, "overflowed a signed integer",
            "The program was compiled to end then (-ftrapv)."),
        Row(
            ["__chk_fail", "__GI___chk_fail", "__fortify_fail", "__GI___fortify_fail"],
            .bufferOverflow, "was stopped by the C library: buffer overflow detected",
            "A call was about to use more memory than its buffer has."),
        Row(
            ["malloc_printerr"], .heapCorruption, "found its heap corrupted",
            "Something wrote outside its memory or freed memory twice, at any time before: the "
                + "stack shows where it was noticed, not where it happened."),
        Row(
            ["__assert_fail", "__GI___assert_fail", "__assert_fail_base", "__libc_assert_fail"],
            .assertion, "failed an assertion", "assert(3) ended the process."),
        Row(
            ["core::panicking::", "rust_panic", "std::panicking::"], .abort,
            "panicked (Rust)", "A Rust panic ended the process."),
    ]

    /// Runtimes that abort where the environment or the program asks for it; what they said went to
    /// standard error.
    private static let languages = [
        // library/alloc/src/alloc.rs, library/std/src/alloc.rs
        Row(
            ["alloc::alloc::handle_alloc_error", "std::alloc::rust_oom"], .abort,
            "could not allocate memory (Rust)",
            "How many bytes were wanted went to standard error."),
        // Go: runtime/panic.go. An index and other checks have functions of their own.
        Row(
            ["runtime.goPanicIndex", "runtime.goPanicIndexU", "runtime.panicIndex"], .abort,
            "panicked (Go): index out of range", "The index is outside the slice or array."),
        Row(
            ["runtime.panicdivide"], .abort, "panicked (Go): integer divide by zero",
            "Go's runtime checks for it."),
        Row(
            ["runtime.panicmem", "runtime.panicmemAddr"], .abort,
            "panicked (Go): invalid memory address or nil pointer dereference",
            "The fault came from Go code, and its runtime made a panic of it."),
        Row(
            ["runtime.gopanic", "runtime.fatalpanic"], .abort, "panicked (Go)",
            "Nothing recovered a panic. Its text went to standard error."),
        Row(
            ["runtime.throw", "runtime.fatalthrow", "runtime.fatal"], .abort,
            "was stopped by Go's runtime", "What it found went to standard error."),
        // OCaml: runtime/printexc.c, misc.c.
        Row(
            ["caml_fatal_uncaught_exception"], .uncaughtException,
            "did not catch an OCaml exception", "Its text went to standard error."),
        Row(
            ["caml_fatal_error"], .abort, "was stopped by OCaml's runtime",
            "What it found went to standard error."),
        // D: druntime/src/core/exception.d, rt/dwarfeh.d. Ada: a-exextr.adb, a-elchha.adb.
        Row(
            ["_d_assert", "_d_assert_msg", "_d_assertp", "_d_assertm"], .assertion,
            "failed an assertion (D)", "Its text went to standard error."),
        Row(
            ["_d_arraybounds", "_d_arrayboundsp", "_d_arraybounds_index"], .abort,
            "used an index out of range (D)", "The index is outside the array."),
        Row(
            ["__gnat_last_chance_handler", "__gnat_unhandled_terminate"], .uncaughtException,
            "did not handle an Ada exception", "Its text went to standard error."),
    ]
}
