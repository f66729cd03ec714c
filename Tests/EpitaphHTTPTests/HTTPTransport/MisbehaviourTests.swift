// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Synchronization
import Testing

@testable import EpitaphHTTP

@Suite("Servers that misbehave")
struct MisbehaviourTests {
    @Test(
        "A connection that ends before the whole answer is there is an interruption",
        arguments: Encounter.both(
            "close-at-once", "close-after-request", "close-early", "close-in-head",
            "close-in-chunk", "continue-and-close", "reset-after-request",
            "reset-in-answer"))
    func ends(encounter: Encounter) throws {
        try encounter.expect("interrupted")
    }

    /// Whether it is seen while connecting, in the handshake or after it is a matter of chance.
    @Test(
        "A connection that is reset at once is an error of the network",
        arguments: ["http", "https"])
    func resetAtOnce(scheme: String) throws {
        let collector = try Collector("reset-at-once")
        let error = #expect(throws: TransportError.self) {
            try directTransport().send(
                UploadRequest(to: collector.url(scheme: scheme), body: body()))
        }
        #expect(["interrupted", "cannotConnect", "tls"].contains(error?.kind))
    }

    @Test(
        "A connection that ends in the middle of a large report is an interruption",
        arguments: Encounter.both("reset-in-request", "close-at-once"))
    func endsInRequest(encounter: Encounter) throws {
        try encounter.expect("interrupted", size: 32 << 20)
    }

    @Test(
        "What is not HTTP is said to be no valid answer",
        arguments: Encounter.both(
            "noise", "noise-flood", "bad-status", "bad-length", "bad-chunk", "switching"))
    func notHTTP(encounter: Encounter) throws {
        try encounter.expect("invalidAnswer")
    }

    @Test(
        "Headers, trailers and interim answers without end are cut off after a little",
        arguments: Encounter.both(
            "header-flood", "header-line-flood", "trailer-flood", "continue-flood"))
    func endlessHeads(encounter: Encounter) throws {
        try encounter.expect("invalidAnswer")
    }

    @Test(
        "Of a body without end a little is kept and the rest is not waited for",
        arguments: Encounter.both("body-flood", "chunk-flood"))
    func endlessBodies(encounter: Encounter) throws {
        let response = try encounter.send().get()
        #expect(response.status == 200)
        #expect(response.body == [UInt8](repeating: UInt8(ascii: "y"), count: 65_536))
        #expect(response.isBodyCut)
    }

    /// All at once, because each of them takes a second for nothing.
    @Test("A server that falls silent, wherever it is, or trickles, is given up at the stall limit")
    func silence() throws {
        var limits = AnswerTests.patience
        limits.stall = .seconds(1)
        let encounters = Encounter.both(
            "silent", "stall", "stall-in-status", "stall-in-headers", "stall-in-body",
            "slow-headers", "slow-body")
        let kinds = Mutex([String](repeating: "", count: encounters.count))
        DispatchQueue.concurrentPerform(iterations: encounters.count) { [limits] index in
            let kind: String
            switch Result(catching: { try encounters[index].send(limits: limits) }) {
            case .success(.failure(let error)): kind = error.kind
            case let other: kind = "\(other)"
            }
            kinds.withLock { $0[index] = kind }
        }
        for (encounter, kind) in zip(encounters, kinds.withLock { $0 }) {
            #expect(kind == "timedOut", "\(encounter.testDescription)")
        }
    }

    @Test(
        "A server that takes no more of a large report is given up at the stall limit",
        arguments: Encounter.both("deaf"))
    func deaf(encounter: Encounter) throws {
        var limits = AnswerTests.patience
        limits.stall = .seconds(1)
        try encounter.expect("timedOut", size: 32 << 20, limits: limits)
    }

    @Test("What trickles for ever above the stall limit ends at the total limit")
    func total() throws {
        var limits = TimeLimits()
        limits.total = .seconds(1.5)
        limits.slowestBytesPerSecond = 1
        try Encounter(answer: "slow-body", isSecure: false).expect("timedOut", limits: limits)
    }

    @Test(
        "A refusal counts even when its words never end",
        arguments: Encounter.both("stall-in-refusal"))
    func refusal(encounter: Encounter) throws {
        var limits = AnswerTests.patience
        // Long enough for the words that do come, however busy the machine is.
        limits.stall = .seconds(4)
        let response = try encounter.send(limits: limits).get()
        #expect(response.status == 413)
        #expect(response.words == "at most 1 MB")
        #expect(response.isBodyCut)
    }

    @Test(
        "Interim answers, asked for or not, are not the answer",
        arguments: Encounter.both("interim", "unasked-continue"))
    func interim(encounter: Encounter) throws {
        let response = try encounter.send().get()
        #expect(response.status == 200 && response.text == "bp-1234" && response.retryAfter == nil)
    }

    @Test(
        "Without a length the end of the connection is the end of the body",
        arguments: Encounter.both("no-length"))
    func noLength(encounter: Encounter) throws {
        #expect(try encounter.send().get().text == "bp-1234")
    }

    @Test("A 204 has no body, whatever it says", arguments: Encounter.both("no-content"))
    func noContent(encounter: Encounter) throws {
        let response = try encounter.send().get()
        #expect(response.status == 204 && response.body.isEmpty)
    }

    @Test("Retry-After comes back as it was sent", arguments: Encounter.both("later"))
    func later(encounter: Encounter) throws {
        let response = try encounter.send().get()
        #expect(response.status == 503)
        #expect(response.retryAfter?.filter { $0 != " " && $0 != "\t" } == "120")
    }

    @Test(
        "A refusal that repeats the request does not bring its secrets back",
        arguments: Encounter.both("echo"))
    func echo(encounter: Encounter) throws {
        let response = try encounter.send().get()
        #expect(response.status == 403)
        #expect(response.words.hasPrefix("refused: POST /?k=[hidden] HTTP/1.1"))
        // name:secret as Basic authentication writes it, RFC 7617.
        #expect(!response.text.contains("bmFtZTpzZWNyZXQ"))
        #expect(!response.text.contains("secret"))
    }
}
