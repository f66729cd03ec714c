// SPDX-License-Identifier: Apache-2.0

import CEpitaphFormat
import Epitaph
import EpitaphTestSupport
import Foundation
import Testing

@Suite struct ConfigurationTests {
    private let plain = Epitaph.Configuration(databasePath: "/var/db", bundleID: "org.example")

    private func apply(
        _ text: String
    ) throws -> (configuration: Epitaph.Configuration, problems: [String]) {
        let directory = try TemporaryDirectory()
        let path = try directory.write(Array(text.utf8), to: "epitaph.conf")
        let (configuration, problems) = plain.applying(fileAt: path)
        return (
            configuration,
            problems.map { $0.description.replacing(path, with: "epitaph.conf") }
        )
    }

    @Test("A file chooses, and the values of the code are its defaults")
    func file() throws {
        let (configuration, problems) = try apply(
            """
            # for the web front end
            database = /srv/crashes
              breadcrumbs=200
            annotation.role = "web  "
            annotation.empty =
            enabled = no
            uploads = yes
            destination = https://crashes.example.com/submit
            crash_loop_seconds = 2.5
            crashing_stack = 2 MiB
            signals = SEGV, SIGABRT
            attachment = /var/log/a.log
            attachment = /var/log/b.log
            send_first = crash-loop
            stacks = functions
            upload_interval = 0

            """)
        #expect(problems == [])
        #expect(configuration.databasePath == "/srv/crashes")
        #expect(configuration.bundleID == "org.example")
        #expect(configuration.capture.breadcrumbLimit == 200)
        #expect(configuration.annotations == ["role": "web  ", "empty": ""])
        #expect(!configuration.isEnabled && configuration.uploadsEnabled == true)
        #expect(configuration.destination == "https://crashes.example.com/submit")
        #expect(configuration.crashLoop.earlyTime == .seconds(2.5))
        #expect(configuration.capture.limits.crashingStackBytes == 2 << 20)
        #expect(configuration.capture.signals == [.sigsegv, .sigabrt])
        #expect(
            configuration.capture.attachments.map(\.path) == ["/var/log/a.log", "/var/log/b.log"])
        #expect(configuration.sendsEarlierReportsFirst == .inCrashLoop)
        #expect(configuration.capture.stacksWhenFiled == .functions)
        #expect(configuration.uploads.repeatsAfter == nil)
        // What it says nothing about.
        #expect(
            configuration.capture.limits.otherStackBytes == plain.capture.limits.otherStackBytes)
    }

    @Test("What cannot be used is named with file and line, and the rest counts")
    func problems() throws {
        let (configuration, problems) = try apply(
            """
            breadcrumb = 5
            breadcrumbs = many
            enabled = perhaps
            just words
            breadcrumbs = 7
            breadcrumbs = 8
            crashing_stack = 1 GB
            all_memory = 4 MiB
            signals = SEGV NOSUCH
            destination = sentry:https://secret@example.com
            annotation. = x
            stop_timeout_ms = -1
            """)
        #expect(configuration.capture.breadcrumbLimit == 8)
        #expect(configuration.isEnabled && configuration.destination == nil)
        #expect(
            problems.map { String($0.prefix { $0 != ";" }) } == [
                "epitaph.conf, line 1: there is no key \"breadcrumb\"",
                "epitaph.conf, line 2: breadcrumbs is a whole number from 0 to 1024",
                "epitaph.conf, line 3: enabled is yes or no",
                "epitaph.conf, line 4: a line is written key = value",
                "epitaph.conf, line 5: breadcrumbs was given in line 2 already",
                "epitaph.conf, line 6: breadcrumbs was given in line 5 already",
                "epitaph.conf, line 7: crashing_stack is a size from 4 KiB to 1 GiB",
                "epitaph.conf, line 8: all_memory is a size from 256 bytes to 3 MiB",
                "epitaph.conf, line 9: signals is default, or names such as SIGSEGV with blanks "
                    + "between them",
                "epitaph.conf, line 10: destination is a line that docs/destinations.md describes, "
                    + "or none",
                "epitaph.conf, line 11: an annotation's name has 1 to 255 bytes",
                "epitaph.conf, line 12: stop_timeout_ms is a whole number from 1 to 60000",
            ])
        #expect(!problems.joined().contains("secret"))
        #expect(problems[0].contains("did you mean \"breadcrumbs\"? There are "))
        #expect(problems[0].contains("database, signals, "))
    }

    @Test("Of a file with a problem in each of its lines a few are named and the others counted")
    func manyProblems() throws {
        let lines = String(repeating: "no key\n", count: 9_000) + "breadcrumbs = 9"
        let (configuration, problems) = try apply(lines)
        #expect(configuration.capture.breadcrumbLimit == 9)
        #expect(problems.count == 21)
        #expect(problems.last == "epitaph.conf: it has 8980 more problems like these")
    }

    @Test("A file switches parts on and off; what the program chose for one stays")
    func parts() throws {
        var own = plain
        own.parts.metrics = MetricsOptions()
        var sessions = SessionOptions()
        sessions.keptDays = 5
        own.parts.sessions = sessions
        func apply(_ text: String) throws -> (parts: Epitaph.Configuration.Parts, Int) {
            let directory = try TemporaryDirectory()
            let path = try directory.write(Array(text.utf8), to: "conf")
            let (configuration, problems) = own.applying(fileAt: path)
            return (configuration.parts, problems.count)
        }
        let (parts, problems) = try apply(
            """
            events = yes
            event_destination = https://events.example.com/in
            sessions = 90
            metrics = no
            hangs = 5000
            memory = full
            system_events = on
            handled_errors = no

            """)
        #expect(problems == 0)
        #expect(parts.events != nil && parts.metrics == nil && parts.systemEvents != nil)
        #expect(parts.eventDestination?.server == "https://events.example.com")
        #expect(parts.sessions?.idleTime == .seconds(90) && parts.sessions?.keptDays == 5)
        #expect(parts.hangs?.threshold == .seconds(5) && parts.memory?.mode == .full)
        #expect(parts.handledErrors == nil)

        let (none, more) = try apply(
            """
            event_destination = ftp://example.com/
            sessions = 0
            hangs = 5
            memory = some
            events = perhaps

            """)
        #expect(more == 5)
        #expect(none.sessions?.idleTime == .seconds(30) && none.events == nil && none.hangs == nil)
        #expect(try apply("sessions = no\nhangs = yes\n").parts.sessions == nil)
        #expect(try apply("hangs = yes\n").parts.hangs == HangOptions())
        let metrics = try apply("event_destination = backtrace:shop/0123456789abcdef\n").parts
        #expect(metrics.eventDestination?.server == "https://events.backtrace.io")
        #expect(try apply("event_destination = backtrace:shop\n").1 == 1)
    }

    @Test("How large an attachment may be counts when it is copied and when it is sent")
    func attachmentLimit() throws {
        let configuration = try apply("max_attachment = 20 MiB\n").configuration
        #expect(configuration.capture.attachmentLimitBytes == 20 << 20)
        #expect(configuration.uploads.attachmentLimitBytes == 20 << 20)
    }

    @Test("A breadcrumb file is chosen by its size")
    func breadcrumbFile() throws {
        func bytes(_ text: String) throws -> Int {
            try apply("breadcrumb_file = \(text)\n").configuration.capture.breadcrumbFileBytes
        }
        #expect(try bytes("64 KiB") == 65_536 && bytes("none") == 0)
        // Neither is a size that a file can have.
        #expect(try bytes("4 KiB") == 0 && bytes("17 MiB") == 0)
    }

    @Test("A file that is none, or cannot be read, is said and leaves everything as it is")
    func noFile() throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.path("fifo"), 0o600) == 0)
        try directory.write([UInt8](repeating: 0x23, count: 2 << 20), to: "large")
        try directory.write([0x61, 0xff, 0x3d], to: "bytes")
        func problem(_ name: String) -> String {
            let problems = plain.applying(fileAt: directory.path(name)).problems
            #expect(problems.count == 1)
            return problems.map(\.description).joined()
        }
        #expect(
            problem("missing").hasSuffix("missing: it cannot be read: No such file or directory"))
        #expect(problem("fifo").hasSuffix("it is not a regular file, and is not read"))
        #expect(problem("large").hasSuffix("it is larger than 1 MiB, and is not read"))
        #expect(problem("bytes").hasSuffix("bytes, line 1: it is not UTF-8"))
    }

    @Test("The environment chooses after the file it names, and unknown variables are said")
    func environment() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write(
            Array("breadcrumbs = 5\ndatabase = /from/file\n".utf8), to: "conf")
        let (configuration, problems) = plain.applying(environment: [
            "EPITAPH_CONFIG": path, "EPITAPH_BREADCRUMBS": "6", "EPITAPH_ENABLED": "",
            "EPITAPH_ANNOTATION_ver": "1.2", "EPITAPH_ATTACHMENT": "/a:/b", "EPITAPH_NONE": "x",
            "EPITAPH_UPLOAD_URL": "https://x.example", "HOME": "/", "EPITAPH_LAST_LINES": "da",
        ])
        #expect(configuration.databasePath == "/from/file")
        #expect(configuration.capture.breadcrumbLimit == 6)
        #expect(configuration.isEnabled)
        #expect(configuration.annotations == ["ver": "1.2"])
        #expect(configuration.capture.attachments.map(\.path) == ["/a", "/b"])
        #expect(
            problems.map(\.description) == [
                "EPITAPH_LAST_LINES: last_lines is yes or no",
                "EPITAPH_NONE: there is no such variable; docs/configuration.md lists them all",
            ])
    }

    @Test("Keys of the preloaded library, which may share the file, are passed over in silence")
    func sharedFile() throws {
        let (configuration, problems) = try apply(
            "children = yes\nexecutable = myd\nbreadcrumbs = 7")
        #expect(configuration.capture.breadcrumbLimit == 7 && problems.isEmpty, "\(problems)")
        let plain = Epitaph.Configuration(databasePath: "/db", bundleID: "d")
        #expect(plain.applying(environment: ["EPITAPH_CHILDREN": "yes"]).problems.isEmpty)
    }

    @Test("The table that C and Swift share has every key of a program")
    func sharedTable() {
        for key in Epitaph.Configuration.keys {
            let row = epitaph_option_of_key(key.name)
            #expect(row != nil, "\(key.name)")
            let readers = row?.pointee.readers ?? 0
            #expect(readers & EPITAPH_OPTION_FOR_CLIENT.rawValue != 0, "\(key.name)")
        }
    }

    @Test("Every key takes its own default and is in the table of docs/configuration.md")
    func table() throws {
        var rows: [String] = []
        for key in Epitaph.Configuration.keys {
            rows.append("| `\(key.name)` | \(key.values) | \(key.defaultText) | \(key.meaning) |")
            guard !key.defaultText.isEmpty else { continue }
            let (_, problems) = try apply("\(key.name) = \(key.defaultText)\n")
            #expect(problems == [], "\(key.name)")
        }
        let page = try String(
            contentsOfFile: Products.packageRoot + "/docs/configuration.md", encoding: .utf8)
        let listed = page.split(separator: "\n").map(String.init).filter { $0.hasPrefix("| `") }
        #expect(listed == rows)
    }
}
