// SPDX-License-Identifier: Apache-2.0

import EpitaphTestSupport
import Foundation
import Testing

@Suite("dump-convert config")
struct ConfigCommandTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func configure(_ lines: String) throws -> String {
        try directory.write(Array(lines.utf8), to: "conf")
    }

    @Test("check prints each problem with file and line, those of named files as well")
    func check() throws {
        let lines = """
            key_file = \(directory.path("missing"))
            [database /srv/a]
            destination = backtrace:universe/{key}
            [database /srv/b]
            destination = https://host/submit
            scrub_rules = \(directory.path("missing.json"))
            """
        let path = try configure("max_report = 1\n" + lines)
        let wrong = try dumpConvert("config", "check", path)
        #expect(wrong.exitStatus == 1)
        #expect(wrong.standardOutput.hasPrefix("\(path):1: there is no key \"max_report\""))
        _ = try configure(lines)
        let unreadable = try dumpConvert("config", "check", path)
        #expect(unreadable.exitStatus == 1)
        let said = unreadable.standardOutput.split(separator: "\n")
        #expect(said.contains { $0.hasPrefix("\(path):1: ") && $0.contains("cannot be read") })
        #expect(said.contains { $0.hasPrefix("\(path):1: warning: no {key}") })
        #expect(said.contains { $0.hasPrefix("\(path):6: ") })
    }

    @Test("A secret that every user may read is a warning, and no failure")
    func warning() throws {
        let key = try directory.write(Array("0123456789abcdef0123456789abcdef".utf8), to: "key")
        chmod(key, 0o644)
        let path = try configure("key_file = \(key)\ndestination = backtrace:universe/{key}\n")
        let result = try dumpConvert("config", "check", path)
        #expect(result.exitStatus == 0)
        #expect(result.standardOutput.contains("\(path):1: warning: every user may read \(key)"))
        chmod(key, 0o600)
        #expect(try dumpConvert("config", "check", path).standardOutput == "")
    }

    @Test("Certificates that are missing or none are said, and uploads without a destination")
    func certificates() throws {
        let empty = try directory.write(Array("none".utf8), to: "key.pem")
        chmod(empty, 0o600)
        let path = try configure(
            """
            ca_file = \(directory.path("ca.pem"))
            uploads = yes
            [database /srv/a]
            [database /srv/b]
            destination = https://example.org/submit
            client_certificate = \(directory.path("certificate.pem"))
            client_key_file = \(empty)
            """)
        let result = try dumpConvert("config", "check", path)
        #expect(result.exitStatus == 1)
        let lines = result.standardOutput.split(separator: "\n").map(String.init)
        #expect(
            lines.sorted() == [
                "\(path):1: \(directory.path("ca.pem")) cannot be read: No such file or directory",
                "\(path):2: warning: nothing is sent from /srv/a: it has no destination",
                "\(path):6: \(directory.path("certificate.pem")) cannot be read: "
                    + "No such file or directory",
                "\(path):7: \(empty) has no certificate and no key in PEM",
            ])
    }

    @Test("show prints what counts and where it is from, and no secret")
    func show() throws {
        let path = try configure(
            """
            max_reports = 7
            destination = https://user:sesame@example.org/submit
            proxy = http://user:sesame@proxy.example.org:3128
            [database /srv/a]
            max_report_days = 3
            annotation.rack = 12
            """)
        let result = try dumpConvert("config", "show", path)
        #expect(result.exitStatus == 0)
        let lines = result.standardOutput.split(separator: "\n")
        #expect(lines.contains("[database /srv/a]"))
        #expect(lines.contains("max_reports = 7  # \(path):1"))
        #expect(lines.contains("max_report_days = 3  # \(path):5"))
        #expect(lines.contains("destination = [hidden]  # \(path):2"))
        #expect(lines.contains("annotation.rack = 12  # \(path):6"))
        #expect(lines.contains("process_dumps = yes  # default"))
        #expect(!result.standardOutput.contains("sesame"))
        #expect(!result.standardError.contains("sesame"))
    }
}
