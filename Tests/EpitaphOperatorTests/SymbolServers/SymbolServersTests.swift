// SPDX-License-Identifier: Apache-2.0

import EpitaphSymbolStore
import EpitaphSystem
import EpitaphTestSupport
import Testing

@Suite("Symbol servers")
struct SymbolServersTests {
    let directory: TemporaryDirectory
    let clock = TestClock()
    let file: FetchedFile

    init() throws {
        directory = try TemporaryDirectory()
        let path = try directory.write([1], to: "file")
        file = FetchedFile(try FileDescriptor.openForReading(path), path: path, isNew: true)
    }

    private func request(_ module: String) -> SymbolRequest {
        SymbolRequest(.executable, buildID: [0xab, 0x01], module: module)
    }

    private func servers(
        _ client: PlayedClient, _ urls: [String] = ["http://a", "http://b"],
        _ change: (inout TransferLimits) -> Void = { _ in }
    ) -> SymbolServers {
        var limits = TransferLimits()
        change(&limits)
        return SymbolServers(urls, client: client, limits: limits, now: clock.monotonicSeconds)
    }

    private func isFound(_ request: SymbolRequest, _ servers: SymbolServers) -> Bool {
        servers.file(request) { _ in .accepted(true) } ?? false
    }

    @Test("are asked in their order until one has the file")
    func order() {
        let client = PlayedClient(clock) { [file] _, server in
            .init(answer: server == "http://b" ? .file(file) : .unknown)
        }
        let servers = servers(client)
        #expect(isFound(request("one"), servers))
        #expect(client.asked == ["http://a one", "http://b one"])
        // The first server's answer alone does not say that none has it.
        #expect(client.forgottenMisses == 1)
        #expect(servers.notes == [])
    }

    @Test("that do not have a file are not asked for it twice")
    func missing() {
        let client = PlayedClient(clock) { _, _ in .init(answer: .unknown) }
        let servers = servers(client)
        for _ in 0..<3 { #expect(!isFound(request("one"), servers)) }
        #expect(client.asked.count == 2)
        #expect(client.forgottenMisses == 1)
        #expect(servers.notes == [])
    }

    @Test("that fail or stall are given up for the rest of the run, which is said once")
    func givenUp() {
        let client = PlayedClient(clock) { _, server in
            server == "http://a"
                ? .init(answer: .failed("Connection refused"))
                : .init(
                    steps: Array(repeating: (received: nil, total: nil), count: 100),
                    answer: .unknown)
        }
        let servers = servers(client)
        let start = clock.monotonicSeconds()
        for name in ["one", "two", "three"] { #expect(!isFound(request(name), servers)) }
        #expect(client.asked == ["http://a one", "http://b one"])
        #expect(clock.monotonicSeconds() - start == 30)
        #expect(
            servers.notes == [
                "http://a was not asked any more: Connection refused",
                "http://b was not asked any more: it sent nothing for 30 s",
            ])
    }

    @Test(
        "that send too much, too slowly or without end are stopped",
        arguments: [
            (1 << 30, nil, 3, "http://a was not asked any more: it sent more than 2 GiB"),
            (1, 3 << 30, 0, "was not fetched from http://a: it has more than 2 GiB"),
            (1 << 16, 1 << 30, 300, "the executable file of one took more than 300 s"),
            (1 << 10, 1 << 20, 30, "http://a was not asked any more: it sent less than 64 KiB"),
        ] as [(Int, Int?, Double, String)])
    func tooMuch(perStep: Int, total: Int?, seconds: Double, note: String) {
        let client = PlayedClient(clock) { _, _ in
            .init(
                steps: (0..<1_000).map { (received: $0 * perStep, total: total) },
                answer: .unknown)
        }
        let servers = servers(client, ["http://a"])
        let start = clock.monotonicSeconds()
        #expect(!isFound(request("one"), servers))
        #expect(clock.monotonicSeconds() - start == seconds)
        #expect(servers.notes.count == 1)
        #expect(servers.notes.first?.contains(note) == true, "\(servers.notes)")
    }

    @Test("are waited for no longer than a run may take in all")
    func run() {
        let client = PlayedClient(clock) { [file] _, _ in
            .init(
                steps: (0..<200).map { (received: $0 << 16, total: nil) }, answer: .file(file))
        }
        let servers = servers(client, ["http://a"])
        let start = clock.monotonicSeconds()
        let found = (0..<10).filter { isFound(request("m\($0)"), servers) }
        #expect(found.count == 3)
        #expect(clock.monotonicSeconds() - start == 600)
        #expect(servers.notes.count == 1)
        #expect(servers.notes.first?.hasPrefix("symbol servers were not asked any more") == true)
    }

    @Test("that send something else are said to, and what they sent is thrown away")
    func lies() {
        let client = PlayedClient(clock) { [file] _, server in
            .init(answer: server == "http://a" ? .file(file) : .unknown)
        }
        let servers = servers(client)
        for _ in 0..<2 {
            let found: Bool? = servers.file(request("one")) { _ in .refused("it is another") }
            #expect(found == nil)
        }
        #expect(client.asked == ["http://a one", "http://b one"])
        #expect(client.discarded == [directory.path("file")])
        #expect(
            servers.notes == [
                "http://a has another file as the executable file of one: it is another"
            ])
    }

    @Test("are waited for less long if the environment says so, never longer")
    func environment() {
        let set = [
            "DEBUGINFOD_TIMEOUT": "5", "DEBUGINFOD_MAXTIME": "100000", "DEBUGINFOD_MAXSIZE": "1000",
        ]
        let limits = TransferLimits { set[$0] }
        #expect(limits.stall == 5)
        #expect(limits.file == TransferLimits().file)
        #expect(limits.mostBytes == 1_000)
        let none = TransferLimits { _ in "0" }
        #expect(none.mostBytes == TransferLimits().mostBytes)
    }

    @Test("are read from the variable that everybody uses")
    func variable() {
        #expect(SymbolServers.urls(in: "") == [])
        #expect(SymbolServers.urls(in: " http://a/  https://b \t") == ["http://a/", "https://b"])
        #expect(SymbolServers.urls(in: "ima:enforcing http://a ima:ignore http://b").count == 2)
    }
}

@Suite("The cache of files from symbol servers")
struct CacheDirectoryTests {
    @Test(
        "is where other programs have it",
        arguments: [
            (["DEBUGINFOD_CACHE_PATH": "/c", "HOME": "/h"], "/c"),
            (["XDG_CACHE_HOME": "/x", "HOME": "/h"], "/x/debuginfod_client"),
            (["HOME": "/h"], "/h/.cache/debuginfod_client"),
            (["HOME": "/old", "XDG_CACHE_HOME": "/x"], "/old/.debuginfod_client_cache"),
            ([:], nil as String?),
        ])
    func place(environment: [String: String], path: String?) {
        let directory = CacheDirectory(
            variable: { environment[$0] }, exists: { $0 == "/old/.debuginfod_client_cache" })
        #expect(directory?.path == path)
    }
}
