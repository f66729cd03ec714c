// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Foundation
import Synchronization
import Testing

@testable import EpitaphEvents

@Suite struct LogTests {
    private static func filter() throws -> LogFilter {
        try LogFilter(
            [
                LogRule(tags: [GlobPattern("noise.*"), GlobPattern("metrics")], .drop),
                LogRule(
                    levels: .warning ... .critical, messages: [GlobPattern("*timeout*")],
                    .breadcrumbAndEvent),
                LogRule(levels: .error ... .critical, .event),
                LogRule(levels: .info ... .critical, .breadcrumb),
            ])
    }

    @Test(
        "The first rule that is for a line decides",
        arguments: [
            (LogLine(.critical, tag: "noise.dns", "a timeout"), .drop),
            (LogLine(.critical, tag: "metrics", "x"), .drop),
            (LogLine(.critical, tag: "metrics2", "x"), .event),
            (LogLine(.warning, "a timeout came"), .breadcrumbAndEvent),
            (LogLine(.warning, "nothing"), .breadcrumb),
            (LogLine(.error, tag: "ledger", "nothing"), .event),
            (LogLine(.notice, ""), .breadcrumb),
            (LogLine(.debug, "a timeout"), .drop),
            (LogLine(.trace, ""), .drop),
        ] as [(LogLine, LogRule.Action)])
    func rules(line: LogLine, expected: LogRule.Action) throws {
        #expect(try Self.filter().action(for: line) == expected)
    }

    @Test("By default, lines from info on are breadcrumbs, and errors are events as well")
    func standard() {
        let actions = Epitaph.Level.allCases.map {
            LogFilter.standard.action(for: LogLine($0, "x"))
        }
        #expect(
            actions == [
                .drop, .drop, .breadcrumb, .breadcrumb, .breadcrumb, .breadcrumbAndEvent,
                .breadcrumbAndEvent,
            ])
    }

    @Test("A pattern that is hard for regular expressions takes no longer than any other")
    func catastrophe() throws {
        let pattern = GlobPattern(String(repeating: "*a", count: 100) + "b")
        let filter = try LogFilter([LogRule(messages: [pattern], .event)])
        let line = LogLine(.error, String(repeating: "a", count: 1 << 20))
        // One that tries all ways would not end: there are more than there are atoms.
        #expect(filter.action(for: line) == .drop)
    }

    @Test("Named filters come and go, and what all of them want happens")
    func named() throws {
        let crumbs = Mutex<[LogLine]>([])
        let events = KeptEvents()
        let router = LogRouter(
            try LogFilter([]), recorder: events, clock: TestClock(),
            addBreadcrumb: { line in crumbs.withLock { $0.append(line) } })
        let line = LogLine(.error, tag: "db", "timeout after 20 ms", metadata: ["who": .text("w")])
        #expect(router.log(line) == .drop)
        let slow = try LogRule(expressions: [RegularExpression(#"timeout after \d+ ms"#)], .event)
        router.use(try LogFilter([slow], secretMetadata: ["who"]), named: "slow")
        router.use(
            try LogFilter([LogRule(tags: [GlobPattern("db")], .breadcrumb)]), named: "db")
        #expect(router.filterNames == ["db", "slow"])
        #expect(router.log(line) == .breadcrumbAndEvent)
        #expect(crumbs.withLock { $0.first?.metadata } == ["who": .text("[hidden]")])
        router.use(nil, named: "slow")
        #expect(router.log(line) == .breadcrumb && router.filterNames == ["db"])
    }

    @Test("Only the start of a message is looked at")
    func start() throws {
        let filter = try LogFilter([LogRule(messages: [GlobPattern("*end*")], .event)])
        let far = String(repeating: "x", count: 512) + "end"
        let near = String(repeating: "x", count: 509) + "end" + far
        #expect(filter.action(for: LogLine(.error, far)) == .drop)
        #expect(filter.action(for: LogLine(.error, near)) == .event)
    }

    @Test("What is secret by its name is masked in breadcrumbs and events")
    func masked() throws {
        let rule = try LogRule(.breadcrumbAndEvent)
        let events = KeptEvents()
        let breadcrumbs = Mutex<[LogLine]>([])
        let router = LogRouter(
            try LogFilter([rule], secretMetadata: ["IBAN"]), recorder: events, clock: TestClock()
        ) { line in breadcrumbs.withLock { $0.append(line) } }
        router.log(
            LogLine(
                .info, "paid",
                metadata: [
                    "iban": "DE02", "headers.Authorization": "Bearer abc", "sessions": 3,
                    "try": 2, "ibans": "two",
                ]))
        let expected: [String: Epitaph.Value] = [
            "iban": "[hidden]", "headers.Authorization": "[hidden]", "sessions": "[hidden]",
            "try": 2, "ibans": "two",
        ]
        #expect(events.logs.map(\.metadata) == [expected])
        #expect(breadcrumbs.withLock { $0.map(\.metadata) } == [expected])
    }

    @Test("Rules that cannot be used are refused with a reason")
    func refused() throws {
        let long = GlobPattern(String(repeating: "x", count: 257))
        let rule = try LogRule(.drop)
        func reason(_ make: () throws -> Void) -> String? {
            #expect(throws: SettingError.self) { try make() }?.description
        }
        #expect(
            reason { _ = try LogRule(messages: [long], .drop) }
                == "the pattern that begins with \"\(String(repeating: "x", count: 40))\" is "
                + "longer than 256 bytes")
        #expect(
            reason {
                _ = try LogRule(tags: Array(repeating: GlobPattern("x"), count: 17), .drop)
            } == "17 patterns in one rule: 16 are possible; make more rules")
        #expect(
            reason { _ = try LogFilter(Array(repeating: rule, count: 65)) }
                == "65 rules in one filter: 64 are possible")
    }

    @Test("A line becomes what the filter says; events are cut and no more than may be in a second")
    func router() throws {
        let (events, clock) = (KeptEvents(), TestClock())
        let breadcrumbs = Mutex<[String]>([])
        let router = LogRouter(
            try Self.filter(), recorder: events, eventsPerSecond: 2, clock: clock
        ) { line in breadcrumbs.withLock { $0.append(line.message) } }
        router.log(LogLine(.warning, "a timeout", metadata: ["try": 2]))
        router.log(LogLine(.error, tag: "ledger", String(repeating: "é", count: 1 << 20)))
        router.log(LogLine(.error, "one too many"))
        router.log(LogLine(.info, "only a breadcrumb"))
        clock.advance(bySeconds: 1)
        router.log(LogLine(.error, "again"))
        #expect(breadcrumbs.withLock { $0 } == ["a timeout", "only a breadcrumb"])
        #expect(events.logs.count == 3)
        #expect(events.logs[0].metadata == ["try": 2])
        #expect(events.logs[1].message.utf8.count <= LogRouter.messageLimitBytes)
        #expect(events.logs[1].tag == "ledger")
        #expect(events.logs[2].message == "again")
        #expect(router.leftOutCount == 1)
        router.use(try LogFilter([]))
        #expect(router.log(LogLine(.critical, "x")) == .drop)
    }
}
