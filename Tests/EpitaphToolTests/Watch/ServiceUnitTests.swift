// SPDX-License-Identifier: Apache-2.0

import EpitaphDatabase
import EpitaphTestSupport
import EpitaphValues
import Foundation
import Testing

@Suite("The files with which managers of services start dump-convert watch")
struct ServiceUnitTests {
    private static let folder = Products.packageRoot + "/Scripts/library/systemd"
    private static let units = [
        "epitaph.service", "epitaph-once.service", "epitaph-once.timer", "epitaph-once@.path",
    ]

    private static func has(_ program: String) -> Bool {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/" + program)
    }

    /// The units as they would be installed, with the program that was built.
    private func installed() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        for name in Self.units {
            let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
                .replacing("/usr/bin/dump-convert", with: Products.executable("dump-convert"))
            try directory.write(Array(text.utf8), to: name)
        }
        // A template is checked by one of its instances.
        try directory.write(
            directory.contents("epitaph-once@.path"), to: "epitaph-once@nginx.path")
        return directory
    }

    @Test(
        "systemd finds nothing wrong in the units",
        .enabled(if: has("systemd-analyze"), "needs systemd-analyze"))
    func verified() throws {
        let directory = try installed()
        let files = [
            "epitaph.service", "epitaph-once.service", "epitaph-once.timer",
            "epitaph-once@nginx.path",
        ].map { directory.path($0) }
        let result = try Subprocess.run(
            ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no"] + files,
            environment: ["SYSTEMD_UNIT_PATH": directory.path + ":"])
        #expect(result.ending == .exited(0))
        let complaints = result.standardError.split(separator: "\n").filter {
            $0.contains("epitaph")
        }
        #expect(complaints == [])
    }

    @Test(
        "systemd calls the exposure of the services low",
        .enabled(if: has("systemd-analyze"), "needs systemd-analyze"),
        arguments: ["epitaph.service", "epitaph-once.service"])
    func exposure(name: String) throws {
        let directory = try installed()
        let result = try Subprocess.run([
            "systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=35",
            directory.path(name),
        ])
        #expect(result.ending == .exited(0), "\(result.standardOutput.suffix(200))")
    }

    @Test(
        "The group and the directories are made as described",
        .enabled(
            if: has("systemd-sysusers") && has("systemd-tmpfiles") && geteuid() == 0,
            "needs systemd-sysusers, systemd-tmpfiles and root"))
    func preparation() throws {
        let root = try TemporaryDirectory()
        mkdir(root.path("etc"), 0o755)
        for (file, text) in [
            ("passwd", "root:x:0:0::/root:/bin/sh\n"), ("group", "root:x:0:\n"), ("shadow", ""),
            ("gshadow", ""),
        ] { try root.write(Array(text.utf8), to: "etc/" + file) }
        try runTool([
            "systemd-sysusers", "--root=" + root.path, Self.folder + "/epitaph.sysusers",
        ])
        let group = String(decoding: try root.contents("etc/group"), as: UTF8.self)
        #expect(group.contains("\nepitaph:x:"))
        try runTool([
            "systemd-tmpfiles", "--create", "--root=" + root.path,
            Self.folder + "/epitaph.tmpfiles",
        ])
        for (path, mode) in [
            ("var/lib/epitaph", 0o755), ("var/lib/private", 0o700),
            ("var/lib/private/epitaph", 0o755), ("etc/epitaph/epitaph.conf.d", 0o755),
            ("etc/epitaph/secrets", 0o700),
        ] as [(String, mode_t)] {
            var status = stat()
            #expect(
                stat(root.path(path), &status) == 0 && status.st_mode & 0o7777 == mode, "\(path)")
        }
    }

    @Test(
        "Another user's crashes are converted and sent with the capabilities and system calls of the unit",
        .enabled(
            if: OtherUser.canBeHad && has("systemd-analyze"),
            "needs root and systemd-analyze"),
        arguments: ["epitaph.service", "epitaph-once.service"])
    func filtered(unit: String) throws {
        let directory = try TemporaryDirectory()
        chmod(directory.path, 0o711)
        // As systemd makes it for a dynamic user.
        for (name, mode) in [("private", 0o700), ("private/db", 0o700), ("watched", 0o755)] {
            mkdir(directory.path(name), mode_t(mode))
        }
        symlink("../private/db", directory.path("watched/db"))
        let database = directory.path("private/db")
        let pending = database + "/pending-dumps"
        try FileManager.default.createDirectory(
            atPath: pending, withIntermediateDirectories: true)
        let id = Epitaph.ID().description
        try Data(Sample.dump()).write(
            to: URL(fileURLWithPath: pending + "/com.example.d@\(id)"))
        try OtherUser.own(database)
        chmod(database, 0o700)
        let journal = try DatagramCollector()
        let server = try TestServer.collector("ok")
        let configuration = try directory.write(
            Array(
                """
                metrics_file = \(directory.path("epitaph.prom"))
                metrics_interval = 1
                uploads = yes
                destination = \(server.url)
                [database \(directory.path("watched/*"))]
                reading_group = \(OtherUser.id)
                """.utf8), to: "conf")
        let service = try WatchedService(
            configuration: configuration, ["NOTIFY_SOCKET": journal.address],
            through: [
                "python3", "-B", Products.fixture("python/filtered.py"), "\(Self.folder)/\(unit)",
            ])
        let sent = database + "/completed/\(id).dmp"
        #expect(
            eventually(withinSeconds: 60) {
                FileManager.default.fileExists(atPath: sent) || service.hasEnded
            })
        service.signal(SIGHUP)
        #expect(try journal.message(with: "RELOADING=1") != nil)
        let ended = try service.end()
        #expect(ended.ending == .exited(0), "\(ended.log)")
        #expect(FileManager.default.fileExists(atPath: sent), "\(ended.log)")
        #expect(try OtherUser.foreign(below: database) == [])
        let figures = String(decoding: try directory.contents("epitaph.prom"), as: UTF8.self)
        #expect(figures.contains("\nepitaph_service_up 0\n"))
    }

    @Test("The script for OpenRC is one that a shell can read")
    func openRC() throws {
        let path = Products.packageRoot + "/Scripts/library/openrc/epitaph"
        #expect(try Subprocess.run(["sh", "-n", path]).ending == .exited(0))
    }
}
