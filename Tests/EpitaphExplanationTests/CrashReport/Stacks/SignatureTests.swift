// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Crashes of one cause have one signature, and others have another.
@Suite struct SignatureTests {
    @Test("A crash has its signature in every run and in every build, others have others")
    func realCrashes() throws {
        let directory = try TemporaryDirectory()
        let first = try DiagnosisProgram.standard.get().path
        // Other addresses for everything, and other instructions.
        let padded = DiagnosisProgram.source.replacing(
            "struct node {",
            with: "char padding[70000]; int more(void) { return 9; }\nstruct node {")
        let second = try DiagnosisProgram.compile(
            ["-O0", "-g", "-fno-omit-frame-pointer"], in: directory, source: padded)
        let ways = ["null_read", "not_canonical", "wild_jump", "run_data", "fortified", "trap"]
        var identifiers: Set<String> = []
        for way in ways {
            let runs = try [first, first, second].map {
                try #require(try ExplainedCrash($0, way).signature)
            }
            #expect(Set(runs).count == 1, "\(way): \(Set(runs.map(\.text)))")
            identifiers.insert(runs[0].identifier)
        }
        #expect(identifiers.count == ways.count)
    }

    @Test(
        "The frames that tell, and no others, are in a signature",
        arguments: [
            ("null-write", "null-dereference crash_null_write | crash | main"),
            ("abort", "abort crash_abort line 2 | crash | main"),
            (
                "double-free",
                DummyBuild.isUnoptimized
                    ? "heap-corruption crash_double_free | crash | main"
                    : "heap-corruption crash | main"
            ),
            (
                "throw",
                "uncaught-exception \"std::runtime_error\" crash_throwing line 2 | crash | main"
            ),
            (
                "assert",
                "failed-assertion \"apples == 4\" fail_assertion | crash_for_a_reason | crash "
                    + "| main"
            ),
            ("stack-overflow", "stack-overflow recurse"),
            ("jump-to-null", "jump-through-null-pointer crash_jump_to_null | crash | main"),
            (
                "pc-in-data",
                DummyBuild.isUnoptimized
                    ? "bad-jump jump_to | crash_program_counter_in_data | crash_in_a_group | crash"
                    : "bad-jump crash_in_a_group | main"
            ),
        ])
    func dummies(way: String, text: String) throws {
        let crash = try ExplainedCrash(.c, way)
        #expect(crash.signature?.text == text)
    }

    @Test("A signal that functions raise is another crash in each of them")
    func raised() throws {
        let program = try DiagnosisProgram.standard.get().path
        for way in ["raise_trap", "raise_here", "call_trap", "queue_trap"] {
            let text = try #require(try ExplainedCrash(program, way).signature).text
            #expect(text == "signal-from-process SIGTRAP \(way) | main")
        }
    }

    @Test(
        "Swift's own functions are not what a failure was about",
        arguments: [
            ("fatal-error", "crashFatalError(", "fatal error"),
            ("index", "crashIndex(", "Index out of range"),
            (
                "unwrap", "crashUnwrap(",
                "Unexpectedly found nil while unwrapping an Optional value"
            ),
        ])
    func swift(way: String, function: String, words: String) throws {
        let crash = try ExplainedCrash(.swift, way)
        let text = try #require(crash.signature?.text)
        #expect(text.hasPrefix("swift-runtime-failure \"\(words)\" "), "\(text)")
        let first = text.prefix { $0 != "|" }
        #expect(first.contains(function) && first.hasSuffix(" line 2 "), "\(text)")
    }

    @Test(
        "Names lose what changes from build to build",
        arguments: [
            ("parse.constprop.0", "parse"), ("parse.isra.0.cold", "parse"),
            ("parse.part.3", "parse"),
            ("parse.llvm.1234567", "parse"), ("memcpy@@GLIBC_2.14", "memcpy"),
            ("core::ops::call::h0123456789abcdef", "core::ops::call"),
            ("parse(int) [clone .cold]", "parse(int)"),
            ("std::f[abi:cxx11](int)", "std::f(int)"),
            ("App.(hidden in _0123456789ABCDEF0123456789ABCDEF)() -> ()", "App.hidden() -> ()"),
            ("(3) suspend resume partial function for App.f() async -> ()", "App.f() async -> ()"),
            ("generic specialization <Swift.Int> of App.f<A>(A) -> ()", "App.f<A>(A) -> ()"),
            ("merged App.f() -> ()", "App.f() -> ()"),
            ("closure #2 () -> () in App.f() -> ()", "closure #2 () -> () in App.f() -> ()"),
            (
                "map<std::pair<std::string, std::vector<int, std::allocator<int>>>>::find(int)",
                "map<…>::find(int)"
            ),
            ("bool operator<(A, B)", "bool operator<(A, B)"), ("f<int>(int)", "f<int>(int)"),
        ])
    func names(raw: String, expected: String) {
        #expect(signature([raw]).text == "null-dereference \(expected)")
    }

    @Test("Very long and odd names are cut and do no harm")
    func oddNames() {
        let long = signature([String(repeating: "<>", count: 50_000)]).text
        #expect(long.unicodeScalars.count < 200)
        #expect(signature([String(repeating: "merged ", count: 10_000)]).text.utf8.count < 200)
        #expect(!signature([""]).identifier.isEmpty)
    }

    @Test("Atomic operations that the compiler calls on aarch64 are no part of it")
    func outlinedAtomics() {
        let frames = ["__aarch64_ldadd8_acq_rel", "count", "main"]
        #expect(signature(frames).text == "null-dereference count | main")
    }

    @Test("Calls that repeat count once, in whichever function a recursion was noticed")
    func recursion() {
        #expect(signature(["f", "f", "f", "g", "main"]).text == "null-dereference f | g | main")
        let round = Array(repeating: ["walk", "visit"], count: 20).flatMap { $0 }
        let one = signature(["memcpy"] + round + ["main"], kind: .stackOverflow)
        let other = signature(round.dropFirst() + ["start"], kind: .stackOverflow)
        #expect(one == other)
        #expect(one.text == "stack-overflow visit | walk")
        // One function twice in a round.
        let longer = Array(repeating: ["arr", "val", "obj", "val"], count: 20).flatMap { $0 }
        for count in 0..<4 {
            let noticed = signature(longer.dropFirst(count), kind: .stackOverflow)
            #expect(noticed.text == "stack-overflow arr | obj | val")
        }
    }

    @Test("A recursion in a library is told apart by who called it")
    func libraryRecursion() {
        let round = Array(repeating: "std::regex_walk(int)", count: 20)
        for caller in ["parse", "filter"] {
            #expect(
                signature(round + [caller, "main"], kind: .stackOverflow).text
                    == "stack-overflow \(caller) | main")
        }
        #expect(
            signature(round, kind: .stackOverflow).text == "stack-overflow std::regex_walk(int)")
    }

    @Test("A recursion has the functions that are inlined in it, as without optimisation")
    func inlinedRecursion() {
        func frame(_ index: Int, _ name: String, isInlined: Bool = false) -> ReportFrame {
            var frame = Sample.frame(index, 0x40_1000, name)
            frame.isInlined = isInlined
            return frame
        }
        // What is inlined in the innermost one did not call on.
        let frames =
            [frame(0, "measure", isInlined: true), frame(0, "visit")]
            + (1..<20).flatMap { [frame($0, "walk", isInlined: true), frame($0, "visit")] }
        #expect(
            CrashSignature(kind: .stackOverflow, frames: frames).text
                == "stack-overflow visit | walk")
    }

    @Test("Without any names offsets tell crashes of a build apart, and the family does without")
    func nameless() {
        let one = CrashSignature(kind: .abort, frames: [frame(0x1000), frame(0x2000)])
        let other = CrashSignature(kind: .abort, frames: [frame(0x1000), frame(0x2008)])
        #expect(one.text == "abort sampled+0x1000 | sampled+0x2000")
        #expect(one.identifier != other.identifier)
        #expect(one.family == other.family)
        #expect(one.family == "abort sampled")
        var named = frame(0x2008)
        named.function = "main"
        let mixed = CrashSignature(kind: .abort, frames: [frame(0x1000), named])
        #expect(mixed.text == "abort sampled | main")
        #expect(mixed.family == mixed.text)
    }

    @Test(
        "Functions of runtimes and of Epitaph say nothing, wherever they are linked",
        arguments: [
            "static Swift.String.== infix(Swift.String, Swift.String) -> Swift.Bool",
            "Swift._NativeDictionary.merge<A>(A) -> ()",
            "(extension in Swift):Swift.Sequence.forEach((A.Element) throws -> ()) throws -> ()",
            "closure #1 () -> () in closure #2 () -> () in Swift.print(Any...) -> ()",
            "generic specialization <Swift.Int> of static Swift.Array._allocate(Swift.Int) -> A",
            "default argument 1 of Swift.precondition(_: () -> Swift.Bool) -> ()",
            "Foundation.Data.subscript.getter : (Swift.Int) -> Swift.UInt8",
            "static App.Main.$main() -> ()", "static App.Main.$main() async throws -> ()",
            "async_Main",
            "core::ops::function::FnOnce::call_once", "__gthread_once(int*, void (*)())",
            "std::vector<int>::operator[](unsigned long)",
            "bool std::operator==<char>(std::basic_string<char> const&, char const*)",
            "void std::__invoke_impl<void, App::work()::$_0>(std::__invoke_other)",
            "decltype (::new ((void*)(0)) Row((declval<int>)())) std::construct_at<Row>(Row*, int)",
            "one(R&)::{lambda(R&)#1} std::for_each<R*, one(R&)::{lambda(R&)#1}>(R*, R*)",
            "execute_native_thread_routine", "epitaph_thread_begin", "epitaph_terminate",
            "Epitaph.Handler.run() -> ()", "EpitaphSystem.BackgroundThread.run() -> ()",
            "closure #1 (Swift.Int) -> () in variable initialization expression of "
                + "static EpitaphSystem.BackgroundThread.runStart : (Swift.Int) -> ()",
        ])
    func runtimes(name: String) {
        #expect(signature([name, "f", "main"]).text == "null-dereference f | main")
        #expect(signature(["f", name, "main"]).text == "null-dereference f | main")
    }

    @Test(
        "What a language's library or libc's headers have in the program is not the program's own",
        arguments: [
            ("/rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/core/src/result.rs", false),
            ("/opt/rust/lib/rustlib/src/rust/library/core/src/option.rs", false),
            ("/usr/include/riscv64-linux-gnu/bits/string_fortified.h", true),
            ("/opt/cross/usr/include/bits/stdio2.h", true),
            ("/usr/lib/gcc/riscv64-linux-gnu/12/include/mmintrin.h", true),
            ("/opt/swift/usr/lib/clang/21/include/xmmintrin.h", true),
        ])
    func libraryCode(file: String, isInlined: Bool) {
        var frames = ["core::result::Result<T, E>::unwrap", "load", "main"].enumerated().map {
            var frame = frame(0x1000 + UInt64($0.offset))
            frame.function = $0.element
            return frame
        }
        frames[0].source = .init(file: file, line: 1233)
        frames[0].functionLine = 1227
        frames[0].isInlined = isInlined
        frames[1].source = .init(file: "/src/load.rs", line: 14)
        frames[1].functionLine = 10
        #expect(
            CrashSignature(kind: .abort, frames: frames).text == "abort load line 5 | main")
        for own in ["/src/library/core/src/result.rs", "/usr/include/boost/bits.h"] {
            frames[0].source = .init(file: own, line: 1233)
            #expect(CrashSignature(kind: .abort, frames: frames).text.contains("Result<T, E>"))
        }
    }

    @Test("What the compiler derived and inlined is in no signature, what an author wrote is")
    func derivedCode() {
        var frames = ["Level.init(rawValue:)", "pick(_:)", "main"].enumerated().map {
            var frame = frame(0x1000 + UInt64(max(0, $0.offset - 1)))
            frame.function = $0.element
            frame.source = .init(file: "/src/pick.swift", line: 14)
            frame.functionLine = 10
            return frame
        }
        frames[0].isInlined = true
        func text() -> String { CrashSignature(kind: .abort, frames: frames).text }
        #expect(text() == "abort Level.init(rawValue:) line 5 | pick(_:) | main")
        frames[0].functionLine = nil
        #expect(text() == "abort pick(_:) line 5 | main")
        // Symbol files have no declarations.
        frames[1].functionLine = nil
        #expect(text() == "abort Level.init(rawValue:) | pick(_:) | main")
    }

    @Test(
        "Functions that only mention a runtime are the program's own",
        arguments: [
            "(extension in App):Swift.String.trimmed() -> Swift.String",
            "closure #1 (Swift.Int) -> Swift.Int in App.total() -> Swift.Int",
            "SwiftLedger.add(Swift.Int) -> ()", "std_work", "stdlib::work()", "begin", "terminate",
            "std::pair<int, int> app::split<int>(int)", "epitaphs",
            "(anonymous namespace)::work(std::string)",
        ])
    func ownFunctions(name: String) {
        #expect(signature([name, "main"]).text.hasPrefix("null-dereference \(name) | main"))
    }

    @Test("The first function of a thread that Epitaph puts there is in no signature")
    func thread() throws {
        let crash = try ExplainedCrash(try DiagnosisProgram.standard.get().path, "in_thread")
        #expect(crash.signature?.text == "null-dereference null_read | fails")
        // In a release build it jumps to the program's function and has no frame.
        #if DEBUG
            let frames = crash.explanation.crashingThread?.stack?.frames ?? []
            #expect(frames.contains { $0.function == "epitaph_thread_begin" })
        #endif
    }

    @Test("A dump of a program whose file is gone and the report made of it have one signature")
    func deletedFile() {
        func signature(_ module: String) -> CrashSignature {
            var frame = frame(0x1000)
            frame.place?.moduleName = module
            return CrashSignature(kind: .abort, frames: [frame])
        }
        #expect(signature("svc (deleted)") == signature("svc"))
        #expect(signature("svc (deleted)").text == "abort svc+0x1000")
    }

    @Test(
        "What the C library called to end the process, and how it began, tells no crash from another",
        arguments: ["libc.so.6", "ld-musl-x86_64.so.1", "ld-musl-aarch64.so.1"])
    func libraries(library: String) {
        func frame(_ index: Int, _ function: String?, _ module: String) -> ReportFrame {
            var frame = Sample.frame(index, 0x40_1000, function)
            frame.place?.moduleName = module
            return frame
        }
        let crash = CrashSignature(
            kind: .abort,
            frames: [
                frame(0, nil, library), frame(1, "raise", library), frame(2, "abort", library),
                frame(3, "give_up", "svc"), frame(4, "main", "svc"), frame(5, nil, library),
                frame(6, "libc_start_main_stage2", "svc"),
            ])
        #expect(crash.text == "abort give_up | main")
    }

    @Test("Where all is noise, how a process ended and how its thread began tell least")
    func onlyNoise() {
        let thrown = signature(
            [
                "__pthread_kill_implementation", "__GI_raise", "__GI_abort", "std::terminate()",
                "__cxa_throw", "std::__throw_system_error(int)", "std::thread::join()",
                "epitaph_thread_begin", "start_thread", "clone3",
            ], kind: .uncaughtException)
        #expect(
            thrown.text
                == "uncaught-exception std::__throw_system_error(int) | std::thread::join()")
        var unloaded = Sample.frame(0, 0x7f00_0000_1139, nil)
        unloaded.place = nil
        unloaded.unloadedPlace = .init(libraryName: "libplug.so", offset: 0x1139)
        let called = CrashSignature(
            kind: .wildJump,
            frames: [unloaded, Sample.frame(1, 0x40_1000, "epitaph_thread_begin")])
        #expect(called.text == "bad-jump libplug.so+0x1139")
        var atExit = Sample.frame(1, 0x40_1000, "__run_exit_handlers")
        atExit.place?.moduleName = "libc.so.6"
        let closed = CrashSignature(kind: .wildJump, frames: [unloaded, atExit])
        #expect(closed.text == "bad-jump libplug.so+0x1139")
        let raised = signature(["__GI_raise", "__GI_abort", "start_thread"], kind: .abort)
        #expect(raised.text == "abort __GI_raise | __GI_abort | start_thread")
    }

    @Test("Sorts of one error are one sort; a signal from outside is the signal alone")
    func kinds() {
        #expect(
            signature(["f"], kind: .unmappedAddress) == signature(["f"], kind: .nonCanonicalAddress)
        )
        #expect(signature(["f"], kind: .wildJump) == signature(["f"], kind: .executeData))
        #expect(signature(["f"], kind: .wildJump) != signature(["f"], kind: .nullJump))
        let sent = CrashSignature(
            kind: .signalFromProcess, frames: [frame(1)], signalName: "SIGTERM")
        #expect(sent.text == "signal-from-process SIGTERM")
    }

    @Test("Identifiers never change: reports of years are grouped by them")
    func identifiers() {
        // FNV-1a, 64 bits, of "epitaph-signature-4 null-dereference f | main" by Python.
        #expect(signature(["f", "main"]).identifier == "bf8d71603c02bba1")
        #expect(CrashSignature(kind: .signal, frames: []).text == "signal")
    }

    private func frame(_ offset: UInt64) -> ReportFrame {
        Sample.frame(0, 0x40_0000 + offset, nil)
    }

    private func signature(
        _ names: some Sequence<String>, kind: Diagnosis.Kind = .nullDereference
    ) -> CrashSignature {
        let frames = names.enumerated().map { index, name in
            // Frames of one function have one address in a recursion.
            Sample.frame(index, 0x40_1000 + UInt64(name.utf8.first ?? 0), name)
        }
        return CrashSignature(kind: kind, frames: frames)
    }
}
