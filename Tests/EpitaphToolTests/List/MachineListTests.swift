// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import EpitaphValues
import Testing

/// The databases of the service on a machine where they are in the usual place.
@Suite("Without a named database the service's are read")
struct MachineListTests {
    private let first: SampleDatabase
    private let second: SampleDatabase
    private let early = "10000000-0000-4000-8000-000000000001"
    private let late = "20000000-0000-4000-8000-000000000002"

    init() throws {
        (first, second) = (try SampleDatabase(), try SampleDatabase())
        var snapshot = Sample.snapshot(program: "/usr/sbin/nginx", at: 0x40_1234)
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_447)
        try first.file(Sample.minidump(snapshot), id: early)
        snapshot = Sample.snapshot(program: "/usr/bin/redis-server", at: 0x40_1234)
        snapshot.process.snapshotTime = Timestamp(secondsSince1970: 1_787_368_507)
        try second.file(Sample.minidump(snapshot), id: late)
    }

    private func run(_ words: [String]) throws -> Subprocess {
        try Subprocess.run(
            [
                "env", "-u", "EPITAPH_DATABASE",
                "bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc",
                "--tmpfs", "/etc", "--tmpfs", "/var/lib", "--bind", first.path,
                "/var/lib/epitaph/nginx",
                "--bind", second.path, "/var/lib/epitaph/redis",
                // Where core-pipe's databases are.
                "--dir", "/var/lib/epitaph/users/1000",
                Products.executable("dump-convert"),
            ] + words)
    }

    @Test("The program alone lists the latest of all, the newest first")
    func bare() throws {
        let result = try run([])
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.count == 3, "\(result.standardError)")
        #expect(result.ending == .exited(0) && result.standardError == "")
        #expect(lines.first?.contains("DATABASE") == true)
        #expect(lines.dropFirst().map { String($0.prefix(36)) } == [late, early])
        #expect(lines.last?.contains("/var/lib/epitaph/nginx") == true)
    }

    @Test("A report is found by its id or as the latest")
    func show() throws {
        #expect(try run(["show"]).standardOutput.contains("redis-server"))
        #expect(try run(["show", "1000"]).standardOutput.contains("nginx"))
        let missing = try run(["show", "3000"])
        #expect(missing.standardError.contains("there is no report 3000 in /var/lib/epitaph/nginx"))
    }

    @Test("Settings shows those of all, and changes those of a named one")
    func settings() throws {
        let shown = try run(["settings"]).standardOutput
        #expect(
            shown.split(separator: "\n").filter { $0.hasPrefix("database: ") } == [
                "database: /var/lib/epitaph/nginx", "database: /var/lib/epitaph/redis",
            ])
        let changed = try run(["settings", "--disable-uploads"])
        #expect(changed.ending == .exited(2))
        #expect(
            changed.standardError.contains(
                "name one of the service's databases with --database: /var/lib/epitaph/nginx, "))
    }

    @Test("Prune keeps each of them within the limits")
    func prune() throws {
        try first.file(Sample.minidump(Sample.snapshot()), id: "1" + late.dropFirst())
        try second.file(Sample.minidump(Sample.snapshot()), id: "2" + early.dropFirst())
        let removed = try run(["prune", "--max-count", "1", "--dry-run"])
        #expect(
            removed.standardOutput.split(separator: "\n").map { $0.prefix(1) } == ["1", "2"],
            "\(removed.standardError)")
        #expect(try run(["prune", "--max-count", "1", "--json"]).ending == .exited(2))
    }
}
