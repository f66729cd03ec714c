// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// Why a process died, in words.
@Suite struct ReasonTests {
    struct Reason: Sendable, CustomTestStringConvertible {
        let way: String
        let source: String
        let text: String
        var testDescription: String { way }

        init(_ way: String, _ source: String, _ text: String) {
            (self.way, self.source, self.text) = (way, source, text)
        }
    }

    static let reasons = [
        Reason("stack-smash", "glibc", "*** stack smashing detected ***: terminated"),
        Reason("heap-corruption", "glibc", "malloc(): corrupted top size"),
        Reason("free-nonsense", "glibc", "free(): invalid pointer"),
        Reason("throw", "c++", "std::runtime_error: nobody catches this"),
        Reason("throw-plain", "c++", "(anonymous namespace)::Plain"),
        Reason("throw-number", "c++", "int: 42"),
        Reason("throw-fraction", "c++", "double: 2.5"),
        Reason("throw-small", "c++", "short: -3"),
        Reason("throw-flag", "c++", "bool: true"),
        Reason("throw-float", "c++", "float: 1.5"),
        Reason("throw-text", "c++", "char const*: the spool is closed"),
        Reason(
            "throw-string", "c++",
            "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >: "
                + "a text that is too long for the object itself"),
        Reason(
            "throw-nested", "c++",
            "std::_Nested_exception<std::logic_error>: could not save; it was thrown while "
                + "handling std::runtime_error: the disk is full"),
        Reason("throw-pointer", "c++", "std::runtime_error*"),
        Reason("throw-deep", "c++", "(anonymous namespace)::Deep: from far below"),
        Reason("throw-system-error", "c++", "std::system_error: spool: No space left on device"),
        Reason("throw-failing-what", "c++", "(anonymous namespace)::FailsInWhat"),
        Reason("throw-noexcept", "c++", "std::logic_error: through a noexcept function"),
        Reason("throw-again", "c++", "std::out_of_range: thrown twice"),
        Reason("throw-foreign", "c++", "an exception of another language"),
        Reason("terminate", "c++", "std::terminate was called without an exception"),
        Reason("last-words", "app", "thread 'main' panicked at src/main.rs:2:5"),
    ]

    @Test("What a runtime or the program said before the end is in the dump", arguments: reasons)
    func said(_ reason: Reason) throws {
        let run = try Dummy(reason.way)
        #expect(run.result.ending == .signalled(SIGABRT))
        let messages = try run.snapshot().messages
        #expect(messages == [CrashMessage(source: reason.source, text: reason.text)])
    }

    @Test("The text of a failed assertion is in the dump")
    func assertion() throws {
        let message = try #require(try Dummy("assert").snapshot().messages.first)
        #expect(message.source == "glibc")
        #expect(message.text.hasPrefix("CEpitaphVictim: "))
        #expect(message.text.hasSuffix("fail_assertion(void): Assertion `apples == 4' failed."))
    }

    @Test(
        "The words of C++ exceptions are there on aarch64",
        arguments: reasons.filter { ["throw", "throw-deep", "throw-again"].contains($0.way) })
    func aarch64(_ reason: Reason) throws {
        let messages = try AArch64Tests.run(reason.way).snapshot().messages
        #expect(messages == [CrashMessage(source: reason.source, text: reason.text)])
    }

    @Test("A very long what() is cut")
    func longWords() throws {
        let text = try #require(try Dummy("throw-long").snapshot().messages.first?.text)
        #expect(text.hasPrefix("std::runtime_error: xxx"))
        #expect(text.utf8.count > 4000 && text.utf8.count <= 4096)
    }

    @Test("Last words that were taken back are not in the dump")
    func noLastWords() throws {
        #expect(try Dummy("no-last-words").snapshot().messages.isEmpty)
    }

    @Test("Of last words set by many threads at once one whole text is in the dump")
    func talkAtOnce() throws {
        let messages = try Dummy("talk-at-once").snapshot().messages
        #expect(messages.count == 1)
        let text = try #require(messages.first?.text)
        #expect(text.count == 2999 && Set(text).count == 1)
    }

    @Test("An earlier terminate handler runs after ours")
    func earlierTerminateHandler() throws {
        let run = try Dummy("throw", threads: 0, ["terminate-handler"])
        #expect(run.result.ending == .signalled(SIGABRT))
        #expect(run.result.standardOutput == "earlier terminate handler\n")
        #expect(
            try run.snapshot().messages.first?.text == "std::runtime_error: nobody catches this")
    }

    @Test("Swift's last words are there with the standard library linked statically")
    func staticSwift() throws {
        let directory = try TemporaryDirectory()
        let program = directory.path("static")
        let build = try Subprocess.run(
            [
                "swiftc", "-static-stdlib", "-module-name", "StaticDummy",
                "-o", program, "-Xcc",
                "-fmodule-map-file=\(Products.directory)/CEpitaph.build/module.modulemap",
            ] + Products.cHeaderOptions + Victim.swift.standaloneSources(in: directory)
                + Products.cObjects,
            deadlineSeconds: 120)
        #expect(build.ending == .exited(0), "\(build.standardError)")
        let words = [
            "fatal-error": "Fatal error: the last words",
            "index": "Fatal error: Index out of range",
            "unwrap": "Fatal error: Unexpectedly found nil",
            "try": "Fatal error: 'try!' expression unexpectedly raised an error",
        ]
        for (way, text) in words {
            let message = try Dummy(way, victim: .swift, command: [program]).snapshot()
                .messages.first
            #expect(message?.source == "swift")
            #expect(message?.text.contains(text) == true, "\(way): \(message?.text ?? "none")")
        }
    }

    @Test("A plain C program gets no C++ runtime, and its crash is captured")
    func plainC() throws {
        let directory = try TemporaryDirectory()
        let source = """
            #include <epitaph.h>
            #include <stdlib.h>
            int main(int count, char **arguments) {
                if (count < 2) return 64;
                epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
                options.database_path = arguments[1];
                options.bundle_id = "org.example.plain";
                if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
                abort();
            }
            """
        try directory.write(Array(source.utf8), to: "main.c")
        let program = directory.path("plain")
        let build = try Subprocess.run(
            [
                "clang", directory.path("main.c"), "-o", program, "-pthread", "-ldl",
            ] + Products.cHeaderOptions + Products.cObjects, deadlineSeconds: 60)
        #expect(build.ending == .exited(0), "\(build.standardError)")
        let run = try Dummy("abort", command: [program])
        #expect(run.result.ending == .signalled(SIGABRT))
        let snapshot = try run.snapshot()
        #expect(snapshot.messages.isEmpty)
        #expect(!snapshot.modules.contains { $0.path.contains("libstdc++") })
    }
}
