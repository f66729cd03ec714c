// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphTestSupport
import Testing

/// Deaths for which C++'s runtime has functions of its own.
@Suite struct DiagnosisOfCxxTests {
    private static let source = """
        #include <epitaph.h>
        #include <cstdlib>
        #include <cstring>
        #include <exception>
        #include <functional>
        #include <pthread.h>
        #include <cerrno>
        #include <stdexcept>
        #include <system_error>
        #include <thread>
        #include <unistd.h>
        #include <utility>
        #include <vector>
        struct Shape;
        __attribute__((noinline)) void draw(Shape *shape);
        struct Shape {
            Shape() { draw(this); }
            virtual void paint() = 0;
        };
        struct Circle : Shape { void paint() override {} };
        void draw(Shape *shape) { shape->paint(); }
        __attribute__((noinline)) void pure() { Circle circle; circle.paint(); }
        __attribute__((noinline)) void forgotten() { std::thread thread([] { sleep(20); }); }
        __attribute__((noinline)) void rethrown() { throw; }
        __attribute__((noinline)) void refuse(int number) { throw number; }
        __attribute__((noinline)) void last_words() { abort(); }
        __attribute__((noinline)) void caught() {
            try { throw std::system_error(ENOSPC, std::generic_category(), "the spool"); }
            catch (...) { abort(); }
        }
        __attribute__((noinline)) void given_up(bool in_vain) {
            try { throw std::logic_error("the spool"); }
            catch (...) { if (in_vain) pure(); else std::terminate(); }
        }
        __attribute__((noinline)) void promised() noexcept { throw std::logic_error("a promise"); }
        volatile bool fails = true;
        struct Undo { ~Undo() noexcept(false) { if (fails) throw std::logic_error("undone"); } };
        __attribute__((noinline)) void second() {
            try { Undo undo; throw std::runtime_error("done"); } catch (std::exception &) {}
        }
        struct Fault404 {};
        __attribute__((noinline)) int outside(std::vector<int> &numbers, int index) {
            return numbers[index];
        }
        __attribute__((noinline)) std::pair<int, int> pair(int number) {
            return {*(volatile int *)(long)number, 1};
        }
        int *volatile nowhere;
        template <class Body> inline __attribute__((always_inline)) void each(Body body) {
            body(1);
        }
        __attribute__((noinline)) void visit(int way) {
            auto first = [](int number) __attribute__((noinline)) { *nowhere = number; };
            auto second = [](int number) __attribute__((noinline)) { *nowhere = number + 1; };
            if (way == 1) first(way);
            if (way == 2) second(way);
            if (way == 3) each([](int number) { *nowhere = number + 2; });
            if (way == 4) each([](int number) { *nowhere = number + 3; });
        }
        __attribute__((noinline)) long again(long number) {
            std::function<long(long)> next;
            next = [&next](long number) -> long {
                volatile char bytes[200];
                bytes[0] = (char)number;
                return next(number + 1) + bytes[0];
            };
            return next(number);
        }
        int main(int count, char **arguments) {
            epitaph_options options = EPITAPH_OPTIONS_DEFAULT;
            options.database_path = arguments[1]; options.bundle_id = "org.example.cxx";
            if (epitaph_start(&options, NULL) != EPITAPH_OK) return 70;
            std::vector<int> numbers(3);
            if (strncmp(arguments[2], "handled-", 8) == 0) {
                std::set_terminate(last_words);
                arguments[2] += 8;
            }
            if (strcmp(arguments[2], "pure") == 0) pure();
            if (strcmp(arguments[2], "forgotten") == 0) forgotten();
            if (strcmp(arguments[2], "rethrown") == 0) rethrown();
            if (strcmp(arguments[2], "own") == 0) { std::set_terminate(last_words); refuse(7); }
            if (strcmp(arguments[2], "truth") == 0) throw true;
            if (strcmp(arguments[2], "short") == 0) throw (short)-5;
            if (strcmp(arguments[2], "outside") == 0) return outside(numbers, count + 5);
            if (strcmp(arguments[2], "own-nested") == 0) {
                std::set_terminate(last_words);
                try { throw std::logic_error("within"); }
                catch (...) { std::throw_with_nested(std::out_of_range("the spool is full")); }
            }
            if (strcmp(arguments[2], "caught") == 0) caught();
            if (strcmp(arguments[2], "given-up") == 0) given_up(false);
            if (strcmp(arguments[2], "given-up-in-vain") == 0) given_up(true);
            if (strcmp(arguments[2], "promised") == 0) promised();
            if (strcmp(arguments[2], "second") == 0) second();
            if (strcmp(arguments[2], "numbered") == 0) throw Fault404();
            if (strncmp(arguments[2], "closure", 7) == 0) visit(arguments[2][7] - '0');
            if (strcmp(arguments[2], "own-promised") == 0) {
                std::set_terminate(last_words); promised();
            }
            if (strcmp(arguments[2], "again") == 0) return again(count) != 0;
            if (strcmp(arguments[2], "pair") == 0) return pair(count).first;
            return 65;
        }

        """

    private static let program: Result<DiagnosisProgram.Compiled, any Error> = Result {
        let directory = try TemporaryDirectory()
        let path = try DiagnosisProgram.compile(
            ["-O0", "-g", "-D_GLIBCXX_ASSERTIONS"], in: directory, source: source, language: .cxx)
        return .init(path: path, directory: directory)
    }

    @Test(
        "What std::terminate or abort() was called for is told by who called it",
        arguments: [
            ("pure", .pureVirtualCall, "called a pure virtual function", "draw(Shape*)"),
            (
                "forgotten", .uncaughtException,
                "destroyed a std::thread that was neither joined nor detached", "forgotten()"
            ),
            (
                "rethrown", .uncaughtException,
                "rethrew an exception where there is none (`throw;` outside of a handler)",
                "rethrown()"
            ),
            (
                "outside", .assertion, Self.checkHeadline, "outside("
            ),
        ] as [(String, Diagnosis.Kind, String, String)])
    func endings(way: String, kind: Diagnosis.Kind, headline: String, function: String) throws {
        let crash = try ExplainedCrash(try Self.program.get().path, way)
        #expect(crash.diagnosis?.kind == kind)
        #expect(crash.diagnosis?.headline == headline)
        let place = crash.diagnosis?.findings.last?.statement ?? ""
        #expect(place.hasPrefix("It was called from \(function)"), "\(place)")
        #expect(place.contains("(diagnosed.cpp:"))
        let signature = try #require(crash.signature?.text)
        #expect(signature.hasPrefix("\(kind.rawValue) \(function)"), "\(signature)")
        #expect(!signature.contains("std::terminate") && !signature.contains("epitaph"))
    }

    @Test(
        "A terminate handler of the program's own does not hide what it was called for",
        arguments: [
            ("handled-pure", "called a pure virtual function", "draw(Shape*)"),
            (
                "handled-forgotten",
                "destroyed a std::thread that was neither joined nor detached", "forgotten()"
            ),
            ("handled-rethrown", "ended by std::terminate in `throw;`", "rethrown()"),
        ])
    func endingsOfOwnHandler(way: String, headline: String, function: String) throws {
        let crash = try ExplainedCrash(try Self.program.get().path, way)
        #expect(crash.diagnosis?.headline == headline)
        let statements = crash.diagnosis?.findings.map(\.statement) ?? []
        #expect(statements.last?.contains("own terminate handler, last_words()") == true)
        #expect(!statements.contains { $0.hasPrefix("It was called from last_words()") })
        #expect(crash.signature?.text.contains(" \(function)") == true)
    }

    @Test(
        "An exception that the program's own terminate handler got is told, and who called abort()",
        arguments: [
            ("own", "int: 7"),
            (
                "own-nested",
                "std::out_of_range: the spool is full; it was thrown while handling "
                    + "std::logic_error: within"
            ),
            ("handled-truth", "bool: true"), ("handled-short", "short: -5"),
        ])
    func ownHandler(way: String, exception: String) throws {
        let crash = try ExplainedCrash(try Self.program.get().path, way)
        #expect(crash.diagnosis?.kind == .uncaughtException)
        #expect(crash.diagnosis?.headline == "did not catch a C++ exception, \(exception)")
        let finding = crash.diagnosis?.findings.last?.statement ?? ""
        #expect(finding.hasPrefix("The program's own terminate handler, last_words() (diagnosed."))
        // It is called for every exception.
        #expect(crash.signature?.text.contains("last_words") == false)
        #expect(
            !TextReport(crash.explanation).lines.contains {
                $0.hasPrefix("  In          last_words")
            })
        #expect(!TextReport(crash.explanation).lines.contains { $0.contains("c++ handled") })
    }

    @Test(
        "An exception that was thrown while another was on its way out is told as that",
        arguments: ["clang++", "g++"])
    func secondException(compiler: String) throws {
        let program = try (compiler == "g++" ? Self.byGCC : Self.program).get().path
        let crash = try ExplainedCrash(program, "second")
        #expect(
            crash.diagnosis?.headline
                == "did not catch a C++ exception, std::logic_error: undone; another exception was on "
                + "its way out")
        #expect(
            crash.diagnosis?.findings.map(\.statement) == [
                "By the C++ runtime's count another exception was on its way out, and what cleaned up "
                    + "behind it, as a destructor does, threw this one."
            ])
    }

    @Test("The type of an exception is itself in a signature, digits and all")
    func numberedType() throws {
        let crash = try ExplainedCrash(try Self.program.get().path, "numbered")
        #expect(crash.signature?.text.hasPrefix("uncaught-exception \"Fault404\" main") == true)
    }

    @Test("If it is not in the dump, its thrower is known")
    func lostException() {
        var sample = DiagnosisSample(signal: 6, code: -6)
        sample.snapshot.exception?.senderProcessID = 4711
        let names = ["abort", "last_words()", "std::terminate()", "__cxa_throw", "refuse(int)"]
        let frames = names.enumerated().map { index, name in
            var frame = ReportFrame(index: index, address: DiagnosisSample.code)
            frame.function = name
            return frame
        }
        let diagnosis = CrashExplanation(
            sample.snapshot, stacks: [], crashStack: ReportStack(frames: frames)
        ).diagnosis
        #expect(diagnosis?.headline == "did not catch a C++ exception thrown by refuse(int)")
    }

    @Test(
        "A core's stack tells that the C++ runtime ended the program, and who threw",
        arguments: [
            (
                [
                    "abort", "__gnu_cxx::__verbose_terminate_handler()", "std::terminate()",
                    "__cxa_throw", "refuse(int)",
                ],
                "did not catch a C++ exception thrown by refuse(int)"
            ),
            (
                [
                    "abort", "__gxx_personality_v0", "_Unwind_RaiseException", "__cxa_throw",
                    "refuse(int)", "promised()",
                ],
                "did not catch a C++ exception thrown by refuse(int)"
            ),
            (
                ["abort", "std::terminate()", "__clang_call_terminate", "promised()"],
                "did not catch a C++ exception"
            ),
            (
                ["abort", "std::terminate()", "__cxa_rethrow", "serve()"],
                "ended by std::terminate in `throw;`"
            ),
            (["abort", "std::terminate()", "give_up()"], "ended by std::terminate"),
            (["abort", "give_up()"], "called abort()"),
        ])
    func coreOfRuntime(names: [String], headline: String) {
        let explanation = DiagnosisSample.abort(in: names)
        #expect(explanation.diagnosis?.headline == headline)
        #expect((explanation.diagnosis?.kind == .uncaughtException) == (names.count > 2))
    }

    @Test("An exception that was caught and being handled is told where abort() was called")
    func caughtException() throws {
        let crash = try ExplainedCrash(try Self.program.get().path, "caught")
        #expect(crash.diagnosis?.kind == .abort)
        #expect(
            crash.diagnosis?.headline
                == "called abort() while it handled a C++ exception, std::system_error: the spool: "
                + "No space left on device")
    }

    @Test(
        "An exception was not caught only if the C++ runtime ended the program for it",
        arguments: [
            (
                "given-up",
                "called std::terminate while it handled a C++ exception, std::logic_error: the spool"
            ),
            ("given-up-in-vain", "called a pure virtual function"),
            ("promised", "did not catch a C++ exception, std::logic_error: a promise"),
        ], ["clang++", "g++"])
    func whoCalledTerminate(death: (way: String, headline: String), compiler: String) throws {
        let program = try (compiler == "g++" ? Self.byGCC : Self.program).get().path
        let crash = try ExplainedCrash(program, death.way)
        #expect(crash.diagnosis?.headline == death.headline)
    }

    @Test(
        "An exception that a noexcept function does not let out was not caught, whoever calls abort()",
        arguments: ["clang++", "g++"])
    func ownHandlerOfPromise(compiler: String) throws {
        let program = try (compiler == "g++" ? Self.byGCC : Self.program).get().path
        let crash = try ExplainedCrash(program, "own-promised")
        #expect(
            crash.diagnosis?.headline
                == "did not catch a C++ exception, std::logic_error: a promise")
        let finding = crash.diagnosis?.findings.last?.statement ?? ""
        #expect(finding.hasPrefix("The program's own terminate handler, last_words() (diagnosed."))
        #expect(crash.signature?.text.contains("last_words") == false)
        #expect(crash.signature?.text.contains(" promised() ") == true)
    }

    @Test(
        "Where an exception's way out ended is told, as far as the stack shows it",
        arguments: [
            ("promised", "clang++", "promised() (diagnosed.cpp:"),
            (
                "promised", "g++",
                "A caller lets no exception out: it is noexcept or a destructor."
            ),
            (
                "own", "clang++",
                "No caller catches it, up to the thread's first function or to code"
            ),
            ("own", "g++", "No caller catches it, up to the thread's first function or to code"),
        ])
    func wayOut(way: String, compiler: String, words: String) throws {
        let program = try (compiler == "g++" ? Self.byGCC : Self.program).get().path
        let findings = try ExplainedCrash(program, way).diagnosis?.findings ?? []
        #expect(findings.first?.statement.hasPrefix(words) == true, "\(findings)")
    }

    @Test(
        "A recursion by way of std::function is of the program's own function",
        arguments: [
            "clang++", "g++",
        ])
    func recursion(compiler: String) throws {
        let program = try (compiler == "g++" ? Self.byGCC : Self.program).get().path
        let crash = try ExplainedCrash(program, "again")
        let headline = try #require(crash.diagnosis?.headline)
        #expect(
            headline.hasPrefix("died of a stack overflow in a recursion of again("), "\(headline)")
        #expect(!headline.contains("std::"), "\(headline)")
        #expect(crash.signature?.text.hasPrefix("stack-overflow again(") == true)
        #expect(crash.signature?.text.contains("_M_invoke") == false)
    }

    @Test("A stripped program's failed check is named as well", arguments: ["-O0", "-O2"])
    func strippedCheck(level: String) throws {
        let directory = try TemporaryDirectory()
        let path = try DiagnosisProgram.compile(
            [level, "-s", "-D_GLIBCXX_ASSERTIONS"], in: directory, source: Self.source,
            language: .cxx, compiler: "g++")
        #expect(try ExplainedCrash(path, "outside").diagnosis?.headline == Self.checkHeadline)
    }

    private static let checkHeadline =
        "failed a check of the C++ standard library: `__n < this->size()`"

    private static let byGCC: Result<DiagnosisProgram.Compiled, any Error> = Result {
        let directory = try TemporaryDirectory()
        let path = try DiagnosisProgram.compile(
            ["-O1", "-g"], in: directory, source: source, language: .cxx, compiler: "g++")
        return .init(path: path, directory: directory)
    }

    @Test("Closures of one function are different crashes", arguments: ["clang++", "g++"])
    func closures(compiler: String) throws {
        let program = try (compiler == "g++" ? Self.byGCC : Self.program).get().path
        let signatures = try (1...4).map { way in
            let crash = try ExplainedCrash(program, "closure\(way)")
            return try #require(crash.signature)
        }
        #expect(signatures.allSatisfy { $0.text.contains("visit(int)") }, "\(signatures)")
        #expect(Set(signatures.map(\.identifier)).count == 4, "\(signatures.map(\.text))")
    }

    @Test("A function that returns something of the standard library is the program's own")
    func pair() throws {
        let crash = try ExplainedCrash(try Self.program.get().path, "pair")
        #expect(crash.signature?.text == "null-dereference pair(int) | main")
    }
}
