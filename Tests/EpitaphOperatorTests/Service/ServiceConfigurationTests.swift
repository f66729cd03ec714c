// SPDX-License-Identifier: Apache-2.0

import EpitaphHTTP
import EpitaphTestSupport
import Foundation
import Testing

@testable import EpitaphService

@Suite("The configuration of the service")
struct ServiceConfigurationTests {
    private func configuration(_ texts: String...) -> ServiceConfiguration {
        ServiceConfiguration(
            texts.enumerated().map { (path: "/etc/\($0.offset)", bytes: Array($0.element.utf8)) })
    }

    @Test("Without a file the databases in the usual place are watched, and nothing is sent")
    func defaults() {
        let configuration = configuration()
        #expect(configuration.patterns == [.usual])
        let (options, places) = configuration.options(for: "/var/lib/epitaph/nginx")
        #expect(options == WatchedOptions())
        #expect(options.destination == nil)
        #expect(places.isEmpty)
    }

    @Test("A database's own section counts more than a pattern's, and that more than the head")
    func precedence() {
        let configuration = configuration(
            """
            # of all databases
            max_reports = 1
            max_report_days = 11
            annotation.rack = 12
            [database nginx]
            max_reports = 3
            [database /var/lib/epitaph/*]
            max_reports = 2
            max_database_mb = 22
            max_attachment = 20 MiB
            """)
        #expect(configuration.problems == [])
        let nginx = configuration.options(for: "/var/lib/epitaph/nginx")
        #expect(nginx.options.maxReports == 3)
        #expect(nginx.options.maxDatabaseMB == 22)
        #expect(nginx.options.maxAttachmentBytes == 20 << 20)
        #expect(nginx.options.maxReportDays == 11)
        #expect(nginx.options.annotations == ["rack": "12"])
        #expect(nginx.places["max_reports"]?.line == 6)
        #expect(nginx.places["max_database_mb"]?.line == 9)
        #expect(configuration.options(for: "/var/lib/epitaph/other").options.maxReports == 2)
        #expect(configuration.options(for: "/srv/db").options.maxReports == 1)
        #expect(
            configuration.patterns.map(\.path) == ["/var/lib/epitaph/nginx", "/var/lib/epitaph/*"])
    }

    @Test("A later file counts more, and begins outside of all sections")
    func files() {
        let configuration = configuration(
            "max_reports = 1\n[database a]\nmax_reports = 2\n",
            "max_reports = 3\n[database a]\nmax_reports = 4\n")
        #expect(configuration.problems == [])
        #expect(configuration.options(for: "/var/lib/epitaph/a").options.maxReports == 4)
        #expect(configuration.options(for: "/srv/b").options.maxReports == 3)
        #expect(configuration.patterns.count == 1)
    }

    @Test("A hyphen in a key counts as an underscore, and quotation marks keep blanks")
    func spelling() {
        let configuration = configuration(
            "metrics-file = /srv/metrics/epitaph.prom\nannotation.a-b = \" x \"\n")
        #expect(configuration.problems == [])
        #expect(configuration.service.metricsFile == "/srv/metrics/epitaph.prom")
        #expect(configuration.options(for: "/srv/db").options.annotations == ["a-b": " x "])
    }

    @Test(
        "What cannot be used is named with its line, and never with its value",
        arguments: [
            (
                "max_report = 1",
                "there is no key \"max_report\"; did you mean \"max_reports\"? There"
            ),
            ("colour = 1", "there is no key \"colour\"; there are log, "),
            ("max_reports = many", "max_reports is a whole number from 0 to 1000000"),
            ("max_reports = -1", "max_reports is a whole number"),
            ("metrics_file = figures.prom", "metrics_file is the absolute path"),
            ("metrics_file = /srv/figures", "metrics_file is the absolute path"),
            ("uploads = secretly", "uploads is yes, no or ask"),
            ("destination = secretly", "destination is a line"),
            ("destination = sentry:https://secretly@host", "destination is a line"),
            ("proxy = secretly", "proxy is a URL"),
            ("key_file = credential:a/secretly", "key_file is the absolute path"),
            ("just words", "a line is written key = value"),
            ("= secretly", "a line is written key = value"),
            ("[database", "a section is written"),
            ("[data /srv/db]", "there is no such section"),
            ("[database]", "there is no such section"),
            ("[database ../secretly]", "a database is an absolute path"),
            ("annotation. = secretly", "an annotation's name has 1 to 255 bytes"),
            ("[database a]\nlog = stderr", "log is a setting of the service"),
            ("log = journal\nlog = stderr", "log was given in line 2 already"),
        ])
    func problems(text: String, sentence: String) throws {
        let configuration = configuration("\n" + text + "\n")
        let problem = try #require(configuration.problems.first)
        #expect(problem.sentence.hasPrefix(sentence))
        #expect(problem.place.line == text.split(separator: "\n").count + 1)
        #expect(!configuration.problems.description.contains("secretly"))
        #expect(configuration.hasErrors)
    }

    @Test("Settings in a section of no known kind are checked, and no settings of all databases")
    func unknownSection() {
        let configuration = configuration(
            "[databases]\nmax_reports = 1\n[database.b]\nmax_reports = 2\nmax_report = 3\n")
        #expect(configuration.problems.map(\.place.line) == [1, 3, 5])
        #expect(configuration.options(for: "/srv/db").options.maxReports == 500)
    }

    @Test("Files of the .d directory come in the order of their bytes, and others are left out")
    func directory() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array("max_reports = 1\n".utf8), to: "epitaph.conf")
        mkdir(path + ".d", 0o755)
        for (name, count) in [("20.conf", 4), ("10.conf", 2), ("9.conf", 5), (".99.conf", 6)] {
            try directory.write(
                Array("max_reports = \(count)\n".utf8), to: "epitaph.conf.d/\(name)")
        }
        try directory.write(Array("nonsense".utf8), to: "epitaph.conf.d/99.conf.dpkg-old")
        let configuration = ServiceConfiguration(readingFrom: path, isNamed: true)
        #expect(configuration.problems == [])
        #expect(configuration.options(for: "/srv/db").options.maxReports == 5)
    }

    @Test("A file that is named has to be there; the usual one and its directory need not")
    func missing() throws {
        let path = try TemporaryDirectory().path("missing")
        #expect(ServiceConfiguration(readingFrom: path, isNamed: false).problems == [])
        #expect(ServiceConfiguration(readingFrom: path, isNamed: true).hasErrors)
    }

    @Test("A file that every user may write to is warned of; a FIFO in its place hangs nobody")
    func odd() throws {
        let directory = try TemporaryDirectory()
        let open = try directory.write(Array("max_reports = 1\n".utf8), to: "open")
        chmod(open, 0o666)
        let warned = ServiceConfiguration(readingFrom: open, isNamed: true)
        #expect(warned.problems.map(\.isWarning) == [true])
        mkfifo(directory.path("fifo"), 0o600)
        #expect(
            ServiceConfiguration(readingFrom: directory.path("fifo"), isNamed: true).hasErrors)
    }

    @Test("A secret that every user may read is warned of, and its blanks do not count")
    func secrets() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array(" token\n".utf8), to: "key")
        chmod(path, 0o644)
        let file = try SecretFile(path, credentials: nil)
        #expect(try file.text() == "token")
        #expect(file.warning?.contains(path) == true)
        chmod(path, 0o600)
        #expect(file.warning == nil)
        let credential = try SecretFile("credential:key", credentials: directory.path)
        #expect(credential.path == path)
        #expect(throws: SecretError.self) {
            try SecretFile("credential:key", credentials: nil)
        }
        #expect(SecretFile.credential("credential:../key") == nil)
    }
}
