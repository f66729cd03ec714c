// SPDX-License-Identifier: Apache-2.0

import EpitaphExplanation
import EpitaphPages
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

/// What Swift's runtime and libdispatch stop a program for, in debug and in release builds.
/// The programs keep one database each, so they run one after the other.
@Suite(.serialized) struct DiagnosisOfSwiftFailureTests {
    private static let source = """
        import CEpitaph
        import Dispatch
        import Glibc

        class Animal {}
        class Dog: Animal {}
        final class Owner { unowned var pet: Animal; init(_ pet: Animal) { self.pet = pet } }
        nonisolated(unsafe) var balance = 1
        @MainActor var visits = 0
        actor Till { nonisolated func close() { assumeIsolated { _ = $0 } } }

        @inline(never) func pick(_ numbers: [Int], _ index: Int) -> Int { numbers[index] }
        @inline(never) func cast(_ animal: Animal) -> Dog { animal as! Dog }
        @inline(never) func change(_ number: inout Int, _ body: () -> Void) { number += 1; body() }
        @inline(never) func spend() {
            change(&balance) {
                print(balance)
            }
        }
        @inline(never) func visit() -> Animal {
            var pet: Animal? = Animal()
            let owner = Owner(pet!)
            pet = nil
            return owner.pet
        }
        @inline(never) func greet(_ name: String) { precondition(name == "x", "not x") }
        @inline(never) func ledger(_ number: Int, _ rows: [Int]) -> Int {
            if number == 3 {
                fatalError("ledger \\(number) is gone")
            }
            if number == 4 { fatalError("ledger \\(number) is empty") }
            return rows[number]
        }
        @inline(never) func onQueue() {
            dispatchPrecondition(condition: .onQueue(DispatchQueue(label: "org.example.other")))
        }
        @inline(never) func welcome() { MainActor.assumeIsolated { visits += 1 } }
        @inline(never) func syncOnMain() { DispatchQueue.main.sync { print("never") } }
        @inline(never) func leave() { DispatchGroup().leave() }

        @main struct Main {
            static func main() {
                var options = epitaph_options()
                options.size_bytes = UInt32(MemoryLayout<epitaph_options>.size)
                let arguments = CommandLine.arguments
                let result = arguments[1].withCString { path in
                    "org.example.swift".withCString { id in
                        options.database_path = path
                        options.bundle_id = id
                        return epitaph_start(&options, nil)
                    }
                }
                guard result == EPITAPH_OK else { exit(70) }
                switch arguments[2] {
                case "pick": print(pick([1, 2], arguments.count))
                case "cast": print(cast(Animal()))
                case "spend": spend()
                case "visit": print(visit())
                case "greet": greet(arguments[2])
                case "ledger3": print(ledger(3, []))
                case "ledger4": print(ledger(4, []))
                case "ledger5": print(ledger(5, []))
                case "onQueue": onQueue()
                case "welcome":
                    DispatchQueue.global().async { welcome() }
                    sleep(20)
                case "close": Till().close()
                case "syncOnMain": syncOnMain()
                case "leave": leave()
                default: exit(65)
                }
            }
        }

        """

    private static func compile(_ options: [String], _ source: String) throws -> AsyncProgram {
        let directory = try TemporaryDirectory()
        let file = try directory.write(Array(source.utf8), to: "failures.swift")
        return try AsyncProgram(["-parse-as-library"] + options, sources: [file])
    }

    private static let debug = Result { try compile(["-Onone"], source) }
    private static let release = Result {
        // Other lines and addresses for everything.
        let more = "import Glibc\n\n\nfunc padding(_ n: Int) -> Int { n &* 3 }\n" + source
        return try compile(["-O"], more)
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let way: String
        var kind = Diagnosis.Kind.swiftRuntimeFailure
        /// `#` stands for any hexadecimal number.
        let headline: String
        /// A part of the first finding.
        var place: String
        /// What the signature begins with behind its kind; nil when optimised code has no line there.
        var signature: String
        var hasSameInRelease = true
        var testDescription: String { way }
    }

    static let failures = [
        Failure(
            way: "pick", headline: "stopped with a Swift fatal error: Index out of range",
            place: "(failures.swift:12)", signature: "\"Index out of range\" # line 1"),
        Failure(
            way: "cast",
            headline: "stopped with a failed cast (as!): Could not cast value of type "
                + "'AsyncProgram.Animal' to 'AsyncProgram.Dog'",
            place: "The cast is in ", signature: "\"failed cast\" # line 1",
            hasSameInRelease: false),
        Failure(
            way: "spend",
            headline: "accessed a variable while it was being accessed: simultaneous accesses to "
                + "#, but modification requires exclusive access",
            place: "(failures.swift:17)", signature: "\"access conflict\" # line 2"),
        Failure(
            way: "visit",
            headline: "stopped with a Swift fatal error: Attempted to read an unowned reference "
                + "but object # was already destroyed",
            place: "It happened in ",
            signature: "\"Attempted to read an unowned reference\" # line 5",
            hasSameInRelease: false),
        Failure(
            way: "greet", headline: "stopped with a Swift precondition failed: not x",
            place: "AsyncProgram/failures.swift:26",
            signature: "\"precondition failed\" # line 1"),
        Failure(
            way: "ledger3", headline: "stopped with a Swift fatal error: ledger 3 is gone",
            place: "AsyncProgram/failures.swift:29", signature: "\"fatal error\" # line 3"),
        Failure(
            way: "ledger4", headline: "stopped with a Swift fatal error: ledger 4 is empty",
            place: "AsyncProgram/failures.swift:31", signature: "\"fatal error\" # line 5"),
        Failure(
            way: "ledger5", headline: "stopped with a Swift fatal error: Index out of range",
            place: "(failures.swift:32)", signature: "\"Index out of range\" # line 6"),
        Failure(
            way: "onQueue", kind: .wrongExecutor,
            headline: "ran on the wrong dispatch queue: a dispatchPrecondition failed",
            place: "which dispatch queue it runs on", signature: "# line 2"),
        Failure(
            way: "welcome", kind: .wrongExecutor,
            headline: "ran code of the main actor elsewhere: MainActor.assumeIsolated was wrong",
            place: "did not run on the main thread", signature: "# line 1",
            hasSameInRelease: false),
        Failure(
            way: "close", kind: .wrongExecutor,
            headline: "ran code of an actor elsewhere: assumeIsolated was wrong",
            place: "the actor's executor", signature: "# line 1"),
        Failure(
            way: "syncOnMain", kind: .trap,
            headline: "called sync on the dispatch queue it was running on",
            place: "a deadlock", signature: "# line 1"),
        Failure(
            way: "leave", kind: .trap, headline: "left a dispatch group that it had not entered",
            place: "more calls of leave", signature: "# line 1"),
    ]

    @Test("A failure has its words, the program's own line and one signature", arguments: failures)
    func failure(_ failure: Failure) throws {
        let explanation = try Self.debug.get().explain(failure.way)
        let diagnosis = try #require(explanation.diagnosis)
        #expect(diagnosis.kind == failure.kind)
        #expect(diagnosis.headline.replacing(#/0x[0-9a-f]{4,}/#, with: "#") == failure.headline)
        let first = try #require(diagnosis.findings.first?.statement)
        #expect(first.contains(failure.place), "\(first)")
        let signature = try #require(explanation.signature)
        let way = failure.way.hasPrefix("ledger") ? "ledger" : failure.way
        let pattern = failure.signature.split(separator: "#", omittingEmptySubsequences: false)
        let beginning = "\(failure.kind.rawValue) \(pattern[0])"
        #expect(signature.text.hasPrefix(beginning), "\(signature.text)")
        let innermost = signature.text.prefix { $0 != "|" }
        #expect(innermost.contains(way), "\(signature.text)")
        #expect(innermost.hasSuffix("\(pattern[1]) "), "\(signature.text)")
        // Another build, optimised, and with everything on another line of the file.
        guard failure.hasSameInRelease else { return }
        let optimised = try Self.release.get().explain(failure.way)
        #expect(optimised.signature == signature)
    }

    @Test("Failures of one function are different crashes, each in every build")
    func different() throws {
        let signatures = try ["ledger3", "ledger4", "ledger5"].map {
            try #require(try Self.debug.get().explain($0).signature?.identifier)
        }
        #expect(Set(signatures).count == 3)
    }

    @Test(
        "The first screen shows the program's own line, whatever runtime ended it",
        arguments: ["cast", "spend", "visit", "pick", "welcome", "close"])
    func firstScreen(way: String) throws {
        let explanation = try Self.debug.get().explain(way)
        let terminal = TextForm(width: 80, hasColour: false)
        let lines = TextReport(explanation, threads: .crashing, form: terminal).lines.prefix(23)
        let start = try #require(
            lines.firstIndex { $0.hasPrefix("Where, in short") || $0.hasPrefix("Crashing thread") })
        let stack = lines[start...].prefix(5)
        #expect(stack.contains { $0.contains(way) && $0.contains("failures.swift:") }, "\(stack)")
    }

    @Test("An exclusivity conflict tells which accesses they were, as the runtime wrote them")
    func accesses() throws {
        let diagnosis = try #require(try Self.debug.get().explain("spend").diagnosis)
        let evidence = diagnosis.findings.map(\.evidence).joined(separator: "\n")
        #expect(evidence.contains("\"Previous access (a modification) started at"))
        #expect(evidence.contains("\"Current access (a read) started at"))
    }
}
