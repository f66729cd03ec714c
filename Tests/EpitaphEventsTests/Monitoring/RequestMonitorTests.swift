// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphEvents

@Suite struct RequestMonitorTests {
    private struct ServerGone: Error {}

    private func masked(
        _ url: String, _ parts: RequestMonitorOptions.URLParts = .path
    ) -> String {
        var options = RequestMonitorOptions()
        options.urlParts = parts
        return RequestMasking(options).url(url)
    }

    @Test(
        "Of a URL no user, no password, no query and no fragment is kept",
        arguments: [
            ("https://a.example/v1/entries", "https://a.example/v1/entries"),
            ("https://ada:pw@a.example:8443/v1?token=1#x", "https://a.example:8443/v1"),
            ("https://ada@evil@a.example/", "https://a.example/"),
            ("https://a.example?q", "https://a.example"),
            ("https://[::1]:80/x", "https://[::1]:80/x"),
            ("/relative?secret", "/relative"),
            ("", ""), ("?", ""), ("#", ""), ("://", "://"),
            ("https://a.example/users/0123456789abcdef/x", "https://a.example/users/[hidden]/x"),
            (
                "https://a.example/a-long-name-without-digits/x",
                "https://a.example/a-long-name-without-digits/x"
            ),
        ])
    func url(text: String, expected: String) {
        #expect(masked(text) == expected)
    }

    @Test("More or less of a URL is kept where that is asked for")
    func urlParts() {
        let url = "https://u:p@a.example/v1?page=2&key=K&TOKEN"
        #expect(masked(url, .server) == "https://a.example")
        #expect(
            masked(url, .queryNames) == "https://a.example/v1?page=[hidden]&key=[hidden]&[hidden]")
        #expect(masked("https://a/" + String(repeating: "x", count: 1 << 20)).utf8.count <= 1_024)
    }

    @Test("Headers are in an event where they are named, and never with a secret")
    func headers() {
        var options = RequestMonitorOptions()
        let headers = [
            "Accept": "*/*", "Authorization": "Bearer T", "COOKIE": "c", "Set-Cookie": "c",
            "X-Api-Key": "k", "X-Auth-Token": "t", "Proxy-Authorization": "p", "X-Own": "o",
            "X-Amz-Security-Token": "t", "Host": "h",
        ]
        #expect(RequestMasking(options).headers(headers) == nil)
        options.headers = Set(headers.keys.map { $0.uppercased() }).subtracting(["HOST"])
        options.secretHeaders = ["x-OWN"]
        var expected = Dictionary(
            uniqueKeysWithValues: headers.keys.map { ($0.lowercased(), "[hidden]") })
        expected["accept"] = "*/*"
        expected["host"] = nil
        #expect(RequestMasking(options).headers(headers) == expected)
    }

    @Test("A request that was answered has its status, sizes and duration, and no body")
    func answered() {
        let (events, clock) = (KeptEvents(), TestClock())
        let monitor = RequestMonitor(recorder: events, clock: clock)
        let request = monitor.start(
            method: "POST", url: "https://a.example/v1?secret", headers: ["Accept": "x"],
            body: Array("secret".utf8))
        clock.advance(bySeconds: 0.25)
        request.finish(status: 201, headers: ["Server": "x"], body: Array("secret!".utf8))
        request.finish(status: 500)
        request.cancel()
        var expected = NetworkRequestDetails(
            method: "POST", url: "https://a.example/v1", outcome: .answered,
            durationSeconds: 0.25)
        expected.status = 201
        expected.requestBytes = 6
        expected.responseBytes = 7
        #expect(events.requests == [expected])
    }

    @Test("Bodies are kept where that is asked for, up to the limit, whatever they hold")
    func bodies() {
        let (events, clock) = (KeptEvents(), TestClock())
        var options = RequestMonitorOptions()
        options.bodyLimitBytes = 4
        let monitor = RequestMonitor(recorder: events, options: options, clock: clock)
        monitor.start(method: "PUT", url: "/", body: Array("abcdef".utf8))
            .finish(status: 200, body: [0xff, 0x61])
        #expect(events.requests[0].requestBody == "abcd")
        #expect(events.requests[0].requestBytes == 6)
        #expect(events.requests[0].responseBody == "\u{fffd}a")
        options.bodyLimitBytes = .max
        #expect(options.bodyLimitBytes == 32_768)
        options.bodyLimitBytes = -1
        #expect(options.bodyLimitBytes == 0)
    }

    @Test("A request that fails tells the type of its error and not what it says")
    func otherEnds() {
        let (events, clock) = (KeptEvents(), TestClock())
        let monitor = RequestMonitor(recorder: events, clock: clock)
        monitor.start(method: "GET", url: "/").fail(ServerGone())
        monitor.start(method: "GET", url: "/").cancel()
        _ = monitor.start(method: "GET", url: "/")
        #expect(events.requests.map(\.outcome) == [.failed, .cancelled, .abandoned])
        #expect(events.requests.map(\.errorType) == ["ServerGone", nil, nil])
    }

    @Test("No more become events in a second than may; the next one tells how many did not")
    func budget() {
        let (events, clock) = (KeptEvents(), TestClock())
        var options = RequestMonitorOptions()
        options.eventsPerSecond = 2
        options.framesPerSecond = 1
        let monitor = RequestMonitor(recorder: events, options: options, clock: clock)
        for _ in 1...25 {
            monitor.start(method: "GET", url: "/").finish(status: 200)
            monitor.frame(connection: "c", direction: .sent, opcode: 1, payloadBytes: 1)
        }
        clock.advance(bySeconds: 1)
        monitor.start(method: "GET", url: "/").finish(status: 200)
        monitor.frame(connection: "c", direction: .received, opcode: 9, payloadBytes: 2)
        #expect(events.requests.map(\.leftOutBefore) == [nil, nil, 23])
        #expect(events.frames.map(\.leftOutBefore) == [nil, 24])
        #expect(events.frames.map(\.opcode) == [.text, .ping])
    }

    @Test(
        "Every opcode has a name",
        arguments: [
            (0, .continuation), (1, .text), (2, .binary), (3, .reserved), (8, .close), (9, .ping),
            (10, .pong), (15, .reserved),
        ] as [(UInt8, WebSocketFrameDetails.Opcode)])
    func opcode(number: UInt8, expected: WebSocketFrameDetails.Opcode) {
        #expect(WebSocketFrameDetails.Opcode(number) == expected)
    }
}
