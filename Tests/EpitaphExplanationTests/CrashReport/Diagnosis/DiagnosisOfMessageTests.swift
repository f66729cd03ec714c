// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphValues
import Testing

/// What runtimes say, understood.
@Suite struct DiagnosisOfMessageTests {
    struct Said: Sendable, CustomTestStringConvertible {
        let source: String
        let text: String
        let kind: Diagnosis.Kind
        let headline: String
        var finding: String?
        var testDescription: String { text }
    }

    static let all = [
        Said(
            source: "glibc",
            text: "d: src/a.c:12: int f(int, char): Assertion `x == \"`\"' failed.\n",
            kind: .assertion, headline: "failed the assertion `x == \"`\"`",
            finding: "at src/a.c:12 in int f(int, char)."),
        Said(
            source: "", text: "d: a.cpp:3: void N::f(): Assertion `false' failed.",
            kind: .assertion, headline: "failed the assertion `false`",
            finding: "at a.cpp:3 in void N::f()."),
        Said(
            source: "glibc", text: "a.c:3: Assertion `y' failed.", kind: .assertion,
            headline: "failed the assertion `y`", finding: "at a.c:3."),
        Said(
            source: "glibc", text: "double free or corruption (!prev)", kind: .heapCorruption,
            headline: "found its heap corrupted: double free or corruption (!prev)"),
        Said(
            source: "glibc", text: "corrupted size vs. prev_size", kind: .heapCorruption,
            headline: "found its heap corrupted: corrupted size vs. prev_size"),
        Said(
            source: "glibc", text: "*** stack smashing detected ***: terminated",
            kind: .stackSmashing, headline: "overwrote its stack: stack smashing detected"),
        Said(
            source: "glibc", text: "*** buffer overflow detected ***: terminated",
            kind: .bufferOverflow, headline: "was stopped by glibc: buffer overflow detected"),
        Said(
            source: "glibc", text: "*** %n in writable segment detected ***\n", kind: .abort,
            headline: "was stopped by glibc: %n in writable segment detected",
            finding: "was called with a format that may be an attack."),
        Said(
            source: "glibc", text: "The futex facility returned an unexpected error code.\n",
            kind: .abort,
            headline: "called abort(): The futex facility returned an unexpected error code."),
        Said(
            source: "c++", text: "std::system_error: spool: No space left on device",
            kind: .uncaughtException,
            headline: "did not catch a C++ exception, std::system_error: spool: No space left on "
                + "device"),
        Said(
            source: "c++",
            text: "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> "
                + ">: no rows", kind: .uncaughtException,
            headline: "did not catch a C++ exception, std::string: no rows"),
        Said(
            source: "c++",
            text: "std::_Nested_exception<std::logic_error>: could not save; it was thrown while "
                + "handling std::runtime_error: the disk is full", kind: .uncaughtException,
            headline: "did not catch a C++ exception, std::logic_error: could not save; it was "
                + "thrown while handling std::runtime_error: the disk is full"),
        Said(
            source: "c++", text: "Lost; it was thrown while handling Torn",
            kind: .uncaughtException,
            headline: "did not catch a C++ exception, Lost: it was thrown while handling Torn"),
        Said(
            source: "c++", text: "std::runtime_error: ", kind: .uncaughtException,
            headline: "did not catch a C++ exception, std::runtime_error"),
        Said(
            source: "c++", text: "an exception of another language", kind: .uncaughtException,
            headline: "ended by std::terminate: an exception of another language"),
        Said(
            source: "swift", text: "App/a.swift:7: Precondition failed: no rows\n",
            kind: .swiftRuntimeFailure,
            headline: "stopped with a Swift precondition failed: no rows",
            finding: "at App/a.swift:7."),
        Said(
            source: "swift", text: "Fatal error", kind: .swiftRuntimeFailure,
            headline: "stopped with a Swift fatal error"),
        Said(
            source: "app", text: "Assertion `x' failed.", kind: .abort,
            headline: "called abort(): Assertion `x' failed."),
    ]

    @Test("A message at an abort becomes kind, headline and place", arguments: all)
    func understood(_ said: Said) {
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        sample.snapshot.messages = [CrashMessage(source: said.source, text: said.text)]
        #expect(sample.diagnosis?.kind == said.kind)
        #expect(sample.diagnosis?.headline == said.headline)
        if let finding = said.finding { #expect(sample.words.contains(finding)) }
        #expect(sample.diagnosis?.findings.isEmpty == false)
    }

    @Test("A message without words of its own is told apart by its kind")
    func wordless() {
        for (source, text, words) in [
            ("swift", "Swift/SIMDVectorTypes.swift:197: Fatal error\n", "fatal error"),
            ("c++", "std::runtime_error: ", "std::runtime_error"),
        ] {
            var sample = DiagnosisSample(signal: 6, code: -6)
            sample.snapshot.exception?.senderProcessID = 4711
            sample.snapshot.messages = [CrashMessage(source: source, text: text)]
            let signature = sample.explanation.signature?.text
            #expect(signature?.hasSuffix(" \"\(words)\"") == true, "\(signature ?? "")")
        }
    }

    @Test("SIGABRT is told to come from the thread that got it only if that sent it")
    func sentToAnotherThread() {
        for (names, headline) in [
            (["__GI_raise", "give_up"], "ended itself with SIGABRT, as abort() does"),
            (["read", "serve"], "was sent SIGABRT by its own process"),
            ([], "ended itself with SIGABRT, as abort() does"),
        ] {
            #expect(DiagnosisSample.abort(in: names).diagnosis?.headline == headline)
        }
    }

    @Test("A message of a runtime that lives on is not the reason for another crash")
    func unrelated() {
        var sample = DiagnosisSample(address: 0x10, pageFault: 6)
        sample.snapshot.messages = [CrashMessage(source: "glibc", text: "free(): invalid pointer")]
        #expect(sample.diagnosis?.kind == .nullDereference)
    }
}
